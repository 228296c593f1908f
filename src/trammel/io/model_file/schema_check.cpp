#include "trammel/io/model_file/schema_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "trammel/io/model_schema.h"

namespace trammel::io::model_file {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const Json& whole_schema() {
  static const Json schema = Json::parse(model_schema_text());
  return schema;
}

// What a schema says, behind its references. A reference may stand beside a description, which says nothing here.
const Json& resolve(const Json& schema) {
  const Json* at = &schema;
  while (at->contains("$ref")) {
    const std::string reference = at->at("$ref").get<std::string>().substr(1);  // without the '#'
    at = &whole_schema().at(Json::json_pointer(reference));
  }
  return *at;
}

bool admits_type(const Json& type, const Node& node) {
  switch (node.kind) {
    case Node::Kind::kMap: return type == "object";
    case Node::Kind::kList: return type == "array";
    case Node::Kind::kScalar: return type == "string" || type == "number" || type == "boolean";
    case Node::Kind::kNothing: return false;
  }
  return false;
}

bool admits_kind(const Json& schema, const Node& node) {
  if (schema.contains("enum")) return node.is_scalar();
  if (schema.contains("anyOf")) {
    const Json& choices = schema.at("anyOf");
    return std::any_of(choices.begin(), choices.end(), [&](const Json& c) { return admits_kind(resolve(c), node); });
  }
  const Json& type = schema.at("type");
  if (!type.is_array()) return admits_type(type, node);
  return std::any_of(type.begin(), type.end(), [&](const Json& choice) { return admits_type(choice, node); });
}

// The words that an alternative accepts at "type".
Words words_at_type(const Json& alternative) { return alternative.at("properties").at("type").at("enum").get<Words>(); }

Words keys_of(const Json& properties) {
  Words keys;
  for (const auto& [key, value] : properties.items()) keys.push_back(key);
  return keys;
}

class SchemaCheck {
 public:
  explicit SchemaCheck(Problems& problems) : problems_(problems) {}

  /// `title` is what is expected here, unless the schema says so itself.
  void check(const Node& node, const Json& given, std::string title = "a value") {
    const Json& schema = resolve(given);
    title = schema.value("title", title);
    if (schema.contains("anyOf")) {
      if (const Json* choice = choose(node, schema, title)) check(node, *choice, title);
      return;
    }
    // Where everything under a heading is commented out, nothing is left; that is no mistake.
    if (node.kind == Node::Kind::kNothing && schema.value("type", Json()) == "object" && !schema.contains("required")) {
      return;
    }
    if (!admits_kind(schema, node)) return report_kind(node, title);
    if (schema.contains("enum")) return check_word(node, schema, title);
    if (node.is_map()) check_map(node, schema, title);
    if (node.is_list()) check_list(node, schema, title);
    if (node.is_scalar() && schema.at("type") == "boolean" && node.text != "true" && node.text != "false") {
      report_kind(node, title);
    }
  }

 private:
  void report_kind(const Node& node, const std::string& title) {
    problems_.add(node.place, fmt::format("expected {}, found {}", title, describe_kind(node)));
  }

  // The alternative that a value is meant to be, or null after a report.
  const Json* choose(const Node& node, const Json& schema, const std::string& title) {
    std::vector<const Json*> fitting;
    for (const Json& alternative : schema.at("anyOf")) {
      if (admits_kind(resolve(alternative), node)) fitting.push_back(&resolve(alternative));
    }
    if (fitting.empty()) {
      report_kind(node, title);
      return nullptr;
    }
    if (fitting.size() == 1) return fitting.front();
    return choose_by_type(node, fitting, title);
  }

  const Json* choose_by_type(const Node& node, const std::vector<const Json*>& alternatives, const std::string& title) {
    const Node* type = node.get("type");
    if (type == nullptr) {
      problems_.add(node.place, title + " needs the key 'type'");
      return nullptr;
    }
    Words known;
    for (const Json* alternative : alternatives) {
      const Words words = words_at_type(*alternative);
      if (type->is_scalar() && std::find(words.begin(), words.end(), type->text) != words.end()) return alternative;
      known.insert(known.end(), words.begin(), words.end());
    }
    const std::string what = title.substr(title.find(' ') + 1) + " of type";  // "a joint" -> "joint of type"
    problems_.add(type->place, type->is_scalar() ? describe_unknown(what, type->text, known)
                                                 : "expected a word, found " + describe_kind(*type));
    return nullptr;
  }

  void check_word(const Node& node, const Json& schema, const std::string& title) {
    const Words words = schema.at("enum").get<Words>();
    if (std::find(words.begin(), words.end(), node.text) != words.end()) return;
    problems_.add(node.place, describe_unknown(title, node.text, words));
  }

  void check_map(const Node& node, const Json& schema, const std::string& title) {
    static const Json none = Json::object();
    const Json& properties = schema.contains("properties") ? schema.at("properties") : none;
    const Json& others = schema.at("additionalProperties");
    for (const Entry& entry : node.entries) {
      if (const auto known = properties.find(entry.key); known != properties.end()) {
        check(*entry.value, *known);
      } else if (others.is_object()) {
        if (schema.contains("propertyNames")) check_name(entry, resolve(schema.at("propertyNames")));
        check(*entry.value, others);
      } else {
        problems_.add(entry.place, describe_unknown("key", entry.key, keys_of(properties)));
      }
    }
    if (!schema.contains("required")) return;
    for (const std::string key : schema.at("required")) {
      if (node.has(key)) continue;
      problems_.add(node.place, fmt::format("{} needs the key '{}'", owner_of_keys(node, schema, title), key));
    }
  }

  // "type 'screw'", "a body".
  static std::string owner_of_keys(const Node& node, const Json& schema, const std::string& title) {
    return schema.at("properties").contains("type") && node.has("type") ? "type " + quoted(node.get("type")->text)
                                                                        : title;
  }

  void check_name(const Entry& entry, const Json& schema) {
    constexpr std::size_t longest = 200;  // the standard library's regular expressions recurse over the text
    static const std::regex pattern(schema.at("pattern").get<std::string>());
    if (entry.key.size() <= longest && std::regex_match(entry.key, pattern)) return;
    problems_.add(entry.place, fmt::format("{} is not {}", quoted(entry.key), schema.at("title").get<std::string>()));
  }

  void check_list(const Node& node, const Json& schema, const std::string& title) {
    const std::size_t count = node.items.size();
    if (count < schema.value("minItems", count) || count > schema.value("maxItems", count)) {
      return report_kind(node, title);
    }
    for (const NodePtr& item : node.items) check(*item, schema.at("items"));
  }

  Problems& problems_;
};

}  // namespace

void check_against_schema(const Node& root, Problems& problems) { SchemaCheck(problems).check(root, whole_schema()); }

}  // namespace trammel::io::model_file
