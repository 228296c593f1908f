#include "trammel/dae/constrained_system.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

namespace trammel::dae {

State State::zero(const Structure& structure) {
  State state;
  state.q = Vector::Zero(structure.n_q());
  state.v = state.a = Vector::Zero(structure.n_v());
  state.lambda = Vector::Zero(structure.m());
  state.x = state.x_rate = Vector::Zero(structure.n_x());
  return state;
}

ConstrainedSystem::ConstrainedSystem(Structure structure) : structure_(std::move(structure)) {
  const std::vector<std::string> problems = structure_.validate();
  if (!problems.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "; ")));
}

namespace {
[[noreturn]] void throw_missing(const char* function, const char* why) {
  throw std::logic_error(fmt::format("the system does not override {}, but its structure has {}", function, why));
}
}  // namespace

void ConstrainedSystem::calc_constraint(const Point&, VectorOut) const {
  if (structure_.n_g > 0) throw_missing("calc_constraint", "holonomic constraints");
}

void ConstrainedSystem::calc_jacobian(const Point&, MatrixValues) const {
  if (structure_.m() > 0) throw_missing("calc_jacobian", "constraints");
}

void ConstrainedSystem::calc_velocity_offset(const Point&, VectorOut) const {}

void ConstrainedSystem::calc_tree(const Point&, TreeValues&) const {
  if (structure_.tree) throw_missing("calc_tree", "a tree");
}

bool ConstrainedSystem::calc_tree_force(const Point&, std::vector<double>&) const { return false; }

bool ConstrainedSystem::calc_acceleration_bias(const Point&, VectorOut) const { return false; }

void ConstrainedSystem::calc_position_rate(VectorIn, VectorIn v, VectorOut q_rate) const {
  if (!structure_.has_trivial_kinematics) throw_missing("calc_position_rate", "q' other than v");
  q_rate = v;
}

void ConstrainedSystem::retract(VectorIn q, VectorIn delta, VectorOut result) const {
  if (!structure_.has_trivial_kinematics) throw_missing("retract", "q' other than v");
  result = q + delta;
}

void ConstrainedSystem::calc_state_rate(const Point&, VectorOut) const {
  if (structure_.n_x() > 0) throw_missing("calc_state_rate", "extra states of explicit form");
}

void ConstrainedSystem::calc_state_residual(const Point& at, VectorOut d) const {
  if (structure_.state_form == StateForm::kImplicit) {
    throw_missing("calc_state_residual", "extra states of implicit form");
  }
  calc_state_rate(at, d);
  d = at.x_rate - d;
}
void ConstrainedSystem::calc_implied(const Point&, VectorOut) const {
  if (!structure_.implied_names.empty()) throw_missing("calc_implied", "implied constraints");
}
void ConstrainedSystem::calc_following_states(const Point&, VectorOut) const {
  if (!structure_.following_states.empty()) throw_missing("calc_following_states", "states that follow positions");
}

bool ConstrainedSystem::calc_derivative(Derivative, const Point&, VectorIn, MatrixValues) const { return false; }

std::optional<double> ConstrainedSystem::calc_potential_energy(const Point&) const { return std::nullopt; }

std::string ConstrainedSystem::find_trouble(const Point&) const { return {}; }

std::unique_ptr<Workspace> ConstrainedSystem::make_workspace() const { return nullptr; }

void ConstrainedSystem::prepare_position(Point&) const {}

void ConstrainedSystem::prepare_velocity(Point&) const {}

}  // namespace trammel::dae
