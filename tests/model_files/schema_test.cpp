// The schema and the library speak of the same things, and the manual of all of them.

#include "trammel/io/model_schema.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/model_files/reading.h"
#include "trammel/model/expression/functions.h"
#include "trammel/model/force_types.h"
#include "trammel/model/joint_types.h"
#include "trammel/model/model_scope.h"

namespace trammel::io {
namespace {

using Json = nlohmann::json;
using Words = std::set<std::string>;

Json schema() { return Json::parse(model_schema_text()); }

Words types_of(const std::string& definition) {
  Words words;
  const Json whole = schema();
  for (const Json& alternative : whole["$defs"][definition]["anyOf"]) {
    for (const Json& word : alternative["properties"]["type"]["enum"]) words.insert(word.get<std::string>());
  }
  return words;
}

std::string read_text(const std::string& name) {
  std::ifstream stream(std::string(TRAMMEL_SOURCE_DIR) + "/" + name);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(ModelSchema, HasTheTypesOfTheLibrary) {
  Words joints, forces;
  for (const auto& type : model::joint_types()) joints.insert(type.name);
  for (const auto& type : model::force_types()) forces.insert(type.name);
  EXPECT_EQ(types_of("joint"), joints);
  EXPECT_EQ(types_of("force"), forces);
}

TEST(ModelSchema, HasTheCoordinatesOfTheLibrary) {
  Words known;
  for (const auto& type : model::joint_types()) {
    for (const auto space : {model::Space::kPlanar, model::Space::kSpatial}) {
      for (const auto kind : type.coordinates(space)) known.insert(to_string(kind));
    }
  }
  const Json all = schema();
  const Json& definitions = all["$defs"];
  EXPECT_EQ(definitions["coordinate"]["enum"].get<Words>(), known);
  for (const std::string& word : known) {
    EXPECT_TRUE(definitions["motion"]["properties"].contains(word)) << word;
    EXPECT_TRUE(definitions["initial"]["properties"].contains(word)) << word;
    EXPECT_TRUE(definitions["initial"]["properties"].contains(word + "_rate")) << word;
  }
}

// Calls visit(schema) for every schema in the schema.
template <class Visit>
void for_all_schemas(const Json& at, Visit&& visit) {
  if (at.is_object()) visit(at);
  if (at.is_structured()) {
    for (const Json& part : at) for_all_schemas(part, visit);
  }
}

TEST(ModelSchema, UsesOnlyWhatTheReaderChecks) {
  const Words known{"$schema",     "$ref",          "$defs",      "title",
                    "description", "type",          "properties", "additionalProperties",
                    "items",       "propertyNames", "pattern",    "required",
                    "enum",        "minItems",      "maxItems",   "anyOf"};
  const Json all = schema();
  const auto check = [&](const auto& self, const Json& at) -> void {
    if (!at.is_object()) return;
    for (const auto& [key, part] : at.items()) {
      EXPECT_TRUE(known.contains(key)) << key;
      if (key == "properties" || key == "$defs") {
        for (const Json& each : part) self(self, each);
      } else if (key == "anyOf") {
        for (const Json& each : part) self(self, each);
      } else if (key == "items" || key == "additionalProperties" || key == "propertyNames") {
        self(self, part);
      }
    }
  };
  check(check, all);
}

TEST(ModelSchema, EveryReferenceLeadsSomewhere) {
  const Json all = schema();
  int count = 0;
  for_all_schemas(all, [&](const Json& at) {
    if (!at.contains("$ref") || !at["$ref"].is_string()) return;
    const std::string reference = at["$ref"].get<std::string>();
    ASSERT_TRUE(reference.starts_with("#"));
    EXPECT_TRUE(all.contains(Json::json_pointer(reference.substr(1)))) << reference;
    ++count;
  });
  EXPECT_GT(count, 100);
}

TEST(ModelFormatPage, NamesEveryKeyAndWordOfTheSchema) {
  const std::string page = read_text("docs/guide/model-format.md");
  ASSERT_FALSE(page.empty());
  const Json all = schema();
  Words words;
  for_all_schemas(all, [&](const Json& at) {
    if (at.contains("properties") && at["properties"].is_object()) {
      for (const auto& [key, part] : at["properties"].items()) words.insert(key);
    }
    if (at.contains("enum")) {
      for (const Json& word : at["enum"]) words.insert(word.get<std::string>());
    }
  });
  for (const std::string& word : words) {
    const bool is_named = page.find("`" + word + "`") != std::string::npos ||
                          page.find("`" + word + ":") != std::string::npos ||
                          page.find(word + ":") != std::string::npos;
    EXPECT_TRUE(is_named) << "docs/guide/model-format.md does not say what '" << word << "' is";
  }
}

TEST(ExpressionsPage, NamesEveryFunctionAndMeasure) {
  const std::string page = read_text("docs/guide/expressions.md");
  for (const auto& function : model::expression::functions()) {
    EXPECT_NE(page.find("`" + std::string(function.signature) + "`"), std::string::npos) << function.signature;
  }
  for (const auto& measure : model::measures_of_markers()) {
    EXPECT_NE(page.find("`" + std::string(measure.name) + "`"), std::string::npos) << measure.name;
  }
}

// The texts between ```yaml and ``` of a page.
std::vector<std::string> examples(const std::string& page) {
  static const std::string begin = "```yaml\n", end = "```";
  std::vector<std::string> found;
  for (auto at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
    at += begin.size();
    const auto stop = page.find(end, at);
    found.push_back(page.substr(at, stop - at));
    at = stop;
  }
  return found;
}

TEST(ModelFormatPage, ItsExamplesAreModels) {
  const auto found = examples(read_text("docs/guide/model-format.md"));
  EXPECT_GE(found.size(), 10u);
  for (const std::string& text : found) {
    // Files that examples refer to are not there.
    if (text.find("file:") != std::string::npos || text.find("include:") != std::string::npos) continue;
    EXPECT_EQ(mistakes(text), "") << text;
  }
}

}  // namespace
}  // namespace trammel::io
