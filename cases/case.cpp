#include "cases/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel::cases {

const CaseEntry* find_case(const std::string& name) {
  const auto& all = cases();
  const auto found = std::find_if(all.begin(), all.end(), [&](const CaseEntry* e) { return e->name == name; });
  return found == all.end() ? nullptr : *found;
}

Case build_case(const CaseEntry& entry, const ParameterValues& changes) {
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
  return entry.build(values);
}

}  // namespace trammel::cases
