#include "trammel/integrators/method.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace trammel::integrators {

namespace {

constexpr const char* kLinearSolver = "linear_solver";
constexpr std::pair<const char*, kkt::BackEnd> kLinearSolvers[] = {
    {"automatic", kkt::BackEnd::kAutomatic},      {"lu", kkt::BackEnd::kDenseLu},
    {"symmetric", kkt::BackEnd::kDenseSymmetric}, {"cholesky-qr", kkt::BackEnd::kCholeskyQr},
    {"block", kkt::BackEnd::kBlockElimination},   {"sparse", kkt::BackEnd::kSparse},
    {"reduced", kkt::BackEnd::kReduced},          {"recursive", kkt::BackEnd::kRecursive},
    {"branches", kkt::BackEnd::kBranches},        {"articulated", kkt::BackEnd::kArticulated},
    {"iterative", kkt::BackEnd::kIterative}};

const MethodOptionInfo* find_option(const MethodEntry& method, const std::string& name) {
  const auto found = std::find_if(method.options.begin(), method.options.end(),
                                  [&](const MethodOptionInfo& info) { return info.name == name; });
  return found == method.options.end() ? nullptr : &*found;
}

/// What is wrong with the names of independent positions; empty when nothing is.
std::string check_names(const dae::Structure& structure, const std::vector<std::string>& names) {
  std::vector<std::string> unknown, seen;
  for (const std::string& name : names) {
    const auto& known = structure.position_names;
    if (std::find(known.begin(), known.end(), name) == known.end()) unknown.push_back(name);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) return fmt::format("names '{}' twice", name);
    seen.push_back(name);
  }
  if (!unknown.empty()) {
    const std::size_t most = 20, count = std::min(structure.position_names.size(), most);
    return fmt::format("names '{}', but the positions are: {}{}", fmt::join(unknown, "', '"),
                       fmt::join(structure.position_names.begin(),
                                 structure.position_names.begin() + static_cast<std::ptrdiff_t>(count), ", "),
                       structure.position_names.size() > most ? ", ..." : "");
  }
  const int freedoms = structure.n_v() - structure.m();
  if (static_cast<int>(names.size()) == freedoms) return {};
  return fmt::format("names {} position{}, but the system has {} degree{} of freedom", names.size(),
                     names.size() == 1 ? "" : "s", freedoms, freedoms == 1 ? "" : "s");
}

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

  require(can.switched_rows || structure.switchable_rows.empty(),
          "constraints that are switched on and off (dry friction that sticks and slips)");

  std::vector<std::string> known;
  for (const MethodOptionInfo& info : method.options) known.push_back(info.name);
  for (const auto& [name, value] : options) {
    const MethodOptionInfo* info = find_option(method, name);
    if (!info) {
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
    } else if (info->is_names) {
      if (value == info->values.front()) continue;
      if (const std::string problem = check_names(structure, split_names(value)); !problem.empty()) {
        obstacles.push_back(fmt::format("option '{}' of method '{}' {}", name, method.name, problem));
      }
    } else if (std::find(info->values.begin(), info->values.end(), value) == info->values.end()) {
      obstacles.push_back(fmt::format("option '{}' of method '{}' is '{}', but must be one of: {}", name, method.name,
                                      value, fmt::join(info->values, ", ")));
    }
  }
  if (method.find_conflicts) {
    for (const std::string& conflict : method.find_conflicts(options)) {
      obstacles.push_back(fmt::format("method '{}': {}", method.name, conflict));
    }
  }
  const kkt::BackEnd back_end = linear_solver(method, options);
  if (const std::string obstacle = kkt::find_obstacle(back_end, structure); !obstacle.empty()) {
    obstacles.push_back(fmt::format("option '{}' of method '{}' is '{}', but {}", kLinearSolver, method.name,
                                    option_value(method, options, kLinearSolver), obstacle));
  }
  return obstacles;
}

MethodOptionInfo linear_solver_option() {
  MethodOptionInfo info{
      kLinearSolver,
      {},
      "how [M G^T; G 0] is factorised: automatic chooses by size, filling and topology; lu, symmetric and cholesky-qr "
      "(for a "
      "positive definite M) are dense; block eliminates the coordinates that those without mass determine; sparse "
      "is LU; reduced and recursive follow the joints between bodies, branches and articulated those of joint "
      "coordinates; iterative improves on an earlier factorisation. Matrices that are not symmetric (of the steps of "
      "implicit methods, of the stages of herk, and where forces depend on reactions) take lu instead of symmetric, "
      "cholesky-qr and block, and the automatic choice instead of reduced, branches, articulated and iterative"};
  for (const auto& [name, back_end] : kLinearSolvers) info.values.emplace_back(name);
  return info;
}

kkt::BackEnd linear_solver(const MethodEntry& method, const MethodOptions& options) {
  if (!find_option(method, kLinearSolver)) return kkt::BackEnd::kAutomatic;
  const std::string value = option_value(method, options, kLinearSolver);
  for (const auto& [name, back_end] : kLinearSolvers) {
    if (value == name) return back_end;
  }
  return kkt::BackEnd::kAutomatic;  // a word that find_obstacles() refuses
}

bool has_option(const MethodEntry& method, const std::string& name) { return find_option(method, name) != nullptr; }

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t end = text.find(',', begin);
    std::string name = text.substr(begin, end == std::string::npos ? end : end - begin);
    name.erase(0, std::min(name.find_first_not_of(' '), name.size()));
    name.erase(name.find_last_not_of(' ') + 1);
    names.push_back(std::move(name));
    if (end == std::string::npos) return names;
    begin = end + 1;
  }
}

std::string option_value(const MethodEntry& method, const MethodOptions& options, const std::string& name) {
  if (const auto given = options.find(name); given != options.end()) return given->second;
  if (const MethodOptionInfo* info = find_option(method, name)) return info->values.front();
  throw std::logic_error(fmt::format("method '{}' reads the option '{}' that it does not declare", method.name, name));
}

double option_number(const MethodEntry& method, const MethodOptions& options, const std::string& name) {
  return parse_number(option_value(method, options, name)).value();
}

}  // namespace trammel::integrators
