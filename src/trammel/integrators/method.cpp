#include "trammel/integrators/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace trammel::integrators {

namespace {

std::optional<double> parse_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

const MethodEntry* find_method(const std::string& name) {
  const auto& all = methods();
  const auto found = std::find_if(all.begin(), all.end(), [&](const MethodEntry* e) { return e->name == name; });
  return found == all.end() ? nullptr : *found;
}

std::vector<std::string> find_obstacles(const MethodEntry& method, const dae::Structure& structure,
                                        const MethodOptions& options) {
  std::vector<std::string> obstacles;
  const auto require = [&](bool able, const char* what) {
    if (!able) obstacles.push_back(fmt::format("method '{}' cannot integrate systems with {}", method.name, what));
  };
  const Capabilities& can = method.capabilities;
  require(can.nonholonomic || structure.n_g == structure.m(), "nonholonomic constraints");
  require(can.implicit_states || structure.n_x() == 0 || structure.state_form == dae::StateForm::kExplicit,
          "states in implicit form (given by a residual, or variables that refer to each other in a circle; 'trammel "
          "check' "
          "names them)");
  require(can.reaction_dependent_forces || !structure.force_depends_on_lambda(), "forces that depend on reactions");
  require(
      can.general_kinematics || structure.has_trivial_kinematics,
      "positions whose rate is not the velocity (spatial models: use the plain form, which the command line takes by "
      "itself when --form is left out)");

  std::vector<std::string> known;
  for (const MethodOptionInfo& info : method.options) known.push_back(info.name);
  for (const auto& [name, value] : options) {
    const auto info = std::find_if(method.options.begin(), method.options.end(),
                                   [&n = name](const MethodOptionInfo& i) { return i.name == n; });
    if (info == method.options.end()) {
      obstacles.push_back(
          known.empty()
              ? fmt::format("method '{}' has no options, so '{}' cannot be set", method.name, name)
              : fmt::format("method '{}' has no option '{}'; it has: {}", method.name, name, fmt::join(known, ", ")));
    } else if (info->is_number) {
      const std::optional<double> number = parse_number(value);
      if (!number || !(*number >= info->least && *number <= info->largest)) {
        obstacles.push_back(fmt::format("option '{}' of method '{}' is '{}', but must be a number from {} to {}", name,
                                        method.name, value, info->least, info->largest));
      }
    } else if (std::find(info->values.begin(), info->values.end(), value) == info->values.end()) {
      obstacles.push_back(fmt::format("option '{}' of method '{}' is '{}', but must be one of: {}", name, method.name,
                                      value, fmt::join(info->values, ", ")));
    }
  }
  return obstacles;
}

std::string option_value(const MethodEntry& method, const MethodOptions& options, const std::string& name) {
  if (const auto given = options.find(name); given != options.end()) return given->second;
  for (const MethodOptionInfo& info : method.options) {
    if (info.name == name) return info.values.front();
  }
  throw std::logic_error(fmt::format("method '{}' reads the option '{}' that it does not declare", method.name, name));
}

double option_number(const MethodEntry& method, const MethodOptions& options, const std::string& name) {
  return parse_number(option_value(method, options, name)).value();
}

}  // namespace trammel::integrators
