#include "trammel/analyses/checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel::analyses {

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
