#include "trammel/dae/state_check.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel::dae {

std::vector<std::string> find_state_problems(const Structure& structure, const State& state, const std::string& what) {
  std::vector<std::string> problems;
  const auto check = [&](const linalg::Vector& vector, const std::vector<std::string>& names, const char* kind) {
    if (static_cast<std::size_t>(vector.size()) != names.size()) {
      problems.push_back(fmt::format("{} has {} {}, but the system has {}", what, vector.size(), kind, names.size()));
      return;
    }
    for (Eigen::Index i = 0; i < vector.size(); ++i) {
      if (std::isfinite(vector[i])) continue;
      problems.push_back(
          fmt::format("{}: the value of {} is not a finite number", what, names[static_cast<std::size_t>(i)]));
    }
  };
  if (!std::isfinite(state.t)) problems.push_back(fmt::format("{}: the time is not a finite number", what));
  check(state.q, structure.position_names, "positions");
  check(state.v, structure.velocity_names, "velocities");
  check(state.x, structure.state_names, "extra states");
  return problems;
}

}  // namespace trammel::dae
