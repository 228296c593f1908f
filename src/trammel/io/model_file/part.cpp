#include "trammel/io/model_file/part.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel::io::model_file {
namespace {

std::size_t count_nodes(const Contents& contents) {
  std::size_t count = 0;
  for (const auto& [name, entries] : contents.sections) {
    for (const Entry& entry : entries) count += entry.value->size;
  }
  return count;
}

}  // namespace

PartExpansion::PartExpansion(ContentsLoader& loader, const std::map<std::string, double>& given, model::Space space,
                             Problems& problems)
    : loader_(loader), given_(given), space_(space), problems_(problems) {}

Parts PartExpansion::expand(const ContentsPtr& whole) {
  auto part = std::make_unique<Part>();
  part->contents = whole;
  part->place = whole->place;
  part->file = *whole->place.file;
  add(std::move(part), {});
  report_unknown_given(*whole);
  return std::move(parts_);
}

void PartExpansion::add(std::unique_ptr<Part> part, Given given) {
  nodes_ += count_nodes(*part->contents);
  if (is_too_large_ || parts_.size() >= kMostParts || nodes_ > kMostNodes) {
    if (!is_too_large_) problems_.add(part->place, "the sub-models make the model too large; do they multiply?");
    is_too_large_ = true;
    return missing_.push_back(part->prefix);
  }
  for (const auto& [name, value] : given_) {
    if (std::isfinite(value) && name.starts_with(part->prefix)) given[name.substr(part->prefix.size())] = value;
  }
  part->parameters = std::make_unique<Parameters>(part->contents->section("parameters"), std::move(given), problems_);
  part->parameters->evaluate_all();
  const Part& added = *parts_.emplace_back(std::move(part));
  for (const Entry& entry : added.contents->section("submodels")) add_submodel(added, entry);
}

void PartExpansion::add_submodel(const Part& parent, const Entry& entry) {
  const Node& node = *entry.value;
  auto part = std::make_unique<Part>();
  part->prefix = parent.prefix + entry.key + ".";
  if (!node.is_map()) return missing_.push_back(part->prefix);  // the schema check has said so
  part->parent = &parent;
  part->place = entry.place;
  if (!find_contents(node, *part)) return missing_.push_back(part->prefix);
  Values values(*parent.parameters, space_, problems_);
  Placement inner;
  if (const auto R = values.orientation_of(node, &inner.angle)) inner.R = *R;
  inner.p = values.vector(node, "position").value_or(Vector3d::Zero());
  part->placement = parent.placement * inner;
  if (const Node* space = part->contents->setting("space")) {
    const bool is_planar = space->text == "planar";
    if (is_planar != (space_ == model::Space::kPlanar)) {
      problems_.add(entry.place, fmt::format("the sub-model is {}, but the model that uses it is not",
                                             is_planar ? "planar" : "spatial"));
    }
  } else if (space_ == model::Space::kPlanar && !part->file.empty()) {
    problems_.add(entry.place, "the sub-model's file does not say 'space: planar', but the model that uses it does");
  }
  Given given = read_parameters(parent, node, *part->contents);
  add(std::move(part), std::move(given));
}

bool PartExpansion::find_contents(const Node& submodel, Part& part) {
  const Node* file = submodel.get("file");
  const Node* use = submodel.get("use");
  if ((file == nullptr) == (use == nullptr)) {
    problems_.add(submodel.place, "a sub-model needs either 'file' or 'use'");
    return false;
  }
  const Node& source = file != nullptr ? *file : *use;
  if (!source.is_scalar()) return false;
  if (file != nullptr) {
    part.file = ContentsLoader::resolve(file->text, file->place).string();
  } else if (!find_definition(source, part)) {
    return false;
  }
  if (is_within_itself(part)) {
    problems_.add(source.place, fmt::format("the sub-model {} contains itself", quoted(source.text)));
    return false;
  }
  if (is_too_deep(part)) {
    problems_.add(source.place, fmt::format("sub-models are nested more than {} deep", kDeepestParts));
    return false;
  }
  if (file != nullptr) part.contents = loader_.load_file(file->text, file->place);
  return part.contents != nullptr;
}

bool PartExpansion::find_definition(const Node& name, Part& part) {
  std::vector<std::string> known;
  // Definitions serve the model they stand in and the definitions within it, but not other files.
  for (const Part* scope = part.parent; scope != nullptr; scope = scope->parent) {
    for (const Entry& entry : scope->contents->section("definitions")) {
      known.push_back(entry.key);
      if (entry.key != name.text) continue;
      if (!entry.value->is_map()) return false;  // the schema check has said so
      part.definition = entry.value.get();
      ContentsPtr& contents = definitions_[part.definition];
      if (!contents) contents = loader_.load_node(*entry.value);
      part.contents = contents;
      return true;
    }
    if (!scope->file.empty()) break;
  }
  problems_.add(name.place, describe_unknown("definition", name.text, known));
  return false;
}

bool PartExpansion::is_within_itself(const Part& part) const {
  for (const Part* outer = part.parent; outer != nullptr; outer = outer->parent) {
    if (part.definition != nullptr && outer->definition == part.definition) return true;
    std::error_code error;
    if (part.definition == nullptr && !outer->file.empty() &&
        std::filesystem::weakly_canonical(outer->file, error) == std::filesystem::weakly_canonical(part.file, error)) {
      return true;
    }
  }
  return false;
}

bool PartExpansion::is_too_deep(const Part& part) const {
  int depth = 0;
  for (const Part* outer = part.parent; outer != nullptr; outer = outer->parent) ++depth;
  return depth > kDeepestParts;
}

PartExpansion::Given PartExpansion::read_parameters(const Part& parent, const Node& submodel,
                                                    const Contents& contents) {
  Given given;
  const Node* map = submodel.get("parameters");
  if (map == nullptr) return given;
  Values values(*parent.parameters, space_, problems_);
  std::vector<std::string> known;
  for (const Entry& entry : contents.section("parameters")) known.push_back(entry.key);
  for (const Entry& entry : map->entries) {
    if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
      problems_.add(entry.place, describe_unknown("parameter of the sub-model", entry.key, known));
    } else if (const auto value = values.number(*entry.value)) {
      given[entry.key] = *value;
    }
  }
  return given;
}

void PartExpansion::report_unknown_given(const Contents& whole) {
  std::vector<std::string> known;
  for (const auto& part : parts_) {
    for (const auto& parameter : part->parameters->all()) known.push_back(part->prefix + parameter.entry->key);
  }
  for (const auto& [name, value] : given_) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      problems_.add({whole.place.file, 0, 0}, describe_unknown("parameter", name, known));
    } else if (!std::isfinite(value)) {
      problems_.add({whole.place.file, 0, 0}, fmt::format("the parameter {} is given as {}", quoted(name), value));
    }
  }
}

}  // namespace trammel::io::model_file
