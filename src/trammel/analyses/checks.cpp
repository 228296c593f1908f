#include "trammel/analyses/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trammel::analyses {

std::vector<std::string> find_state_problems(const dae::Structure& structure, const dae::State& state) {
  std::vector<std::string> problems;
  const auto check = [&](const linalg::Vector& vector, const std::vector<std::string>& names, const char* kind) {
    if (static_cast<std::size_t>(vector.size()) != names.size()) {
      problems.push_back(fmt::format("the state has {} {}, but the system has {}", vector.size(), kind, names.size()));
      return;
    }
    for (Eigen::Index i = 0; i < vector.size(); ++i) {
      if (std::isfinite(vector[i])) continue;
      problems.push_back(fmt::format("the value of {} is not a finite number", names[static_cast<std::size_t>(i)]));
    }
  };
  if (!std::isfinite(state.t)) problems.emplace_back("the time is not a finite number");
  check(state.q, structure.position_names, "positions");
  check(state.v, structure.velocity_names, "velocities");
  check(state.x, structure.state_names, "extra states");
  return problems;
}

dae::State complete_state(const dae::Structure& structure, const dae::State& given) {
  dae::State state = dae::State::zero(structure);
  state.t = given.t;
  state.q = given.q;
  state.v = given.v;
  state.x = given.x;
  const auto take = [](const linalg::Vector& from, linalg::Vector& to) {
    if (from.size() == to.size() && from.allFinite()) to = from;
  };
  take(given.a, state.a);
  take(given.lambda, state.lambda);
  take(given.x_rate, state.x_rate);
  return state;
}

const std::string& coordinate_name(const dae::Structure& structure, int i) {
  const auto& names = structure.has_trivial_kinematics ? structure.position_names : structure.velocity_names;
  return names[static_cast<std::size_t>(i)];
}

std::string list_names(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

}  // namespace trammel::analyses
