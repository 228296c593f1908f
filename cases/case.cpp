#include "cases/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cases/model_files.h"

namespace trammel::cases {

namespace {

/// The values of all parameters, with changes checked.
ParameterValues merge(const CaseEntry& entry, const ParameterValues& changes) {
  ParameterValues values;
  std::vector<std::string> names;
  for (const Parameter& p : entry.parameters) {
    values[p.name] = p.value;
    names.push_back(p.name);
  }
  for (const auto& [name, value] : changes) {
    const auto found = std::find_if(entry.parameters.begin(), entry.parameters.end(),
                                    [&n = name](const Parameter& p) { return p.name == n; });
    if (found == entry.parameters.end()) {
      throw std::invalid_argument(
          names.empty()
              ? fmt::format("case '{}' has no parameters, so '{}' cannot be set", entry.name, name)
              : fmt::format("case '{}' has no parameter '{}'; it has: {}", entry.name, name, fmt::join(names, ", ")));
    }
    if (!std::isfinite(value) || value < found->least || value > found->largest) {
      throw std::invalid_argument(fmt::format("parameter '{}' of case '{}' is {}, but must lie between {} and {}", name,
                                              entry.name, value, found->least, found->largest));
    }
    if (found->is_integer && value != std::floor(value)) {
      throw std::invalid_argument(
          fmt::format("parameter '{}' of case '{}' is {}, but must be a whole number", name, entry.name, value));
    }
    values[name] = value;
  }
  return values;
}

}  // namespace

const std::vector<const CaseEntry*>& cases() {
  static const std::vector<const CaseEntry*> all = [] {
    std::vector<const CaseEntry*> entries = equation_cases();
    entries.insert(entries.end(), generated_models().begin(), generated_models().end());
    for (const CaseEntry& entry : model_file_entries()) entries.push_back(&entry);
    std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    return entries;
  }();
  return all;
}

const CaseEntry* find_case(const std::string& name) {
  // Model files are read only when the name is none of the others.
  for (const auto* entries : {&equation_cases(), &generated_models(), &cases()}) {
    for (const CaseEntry* entry : *entries) {
      if (entry->name == name) return entry;
    }
  }
  return nullptr;
}

Case build_case(const CaseEntry& entry, const ParameterValues& changes) {
  if (!entry.model) return entry.build(merge(entry, changes));
  return make_case(analyses::prepare(std::make_shared<const model::Model>(build_model(entry, changes))));
}

model::Model build_model(const CaseEntry& entry, const ParameterValues& changes) {
  return entry.model(merge(entry, changes));
}

}  // namespace trammel::cases
