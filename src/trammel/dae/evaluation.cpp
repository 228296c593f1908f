#include "trammel/dae/evaluation.h"

#include <algorithm>

namespace trammel::dae {

EvaluationCounts& EvaluationCounts::operator+=(const EvaluationCounts& other) {
  mass += other.mass;
  constraint += other.constraint;
  jacobian += other.jacobian;
  force += other.force;
  bias += other.bias;
  state += other.state;
  derivative += other.derivative;
  return *this;
}

Evaluation::Evaluation(const ConstrainedSystem& system) : system_(system) {
  const Structure& s = structure();
  static_cast<State&>(point_) = State::zero(s);
  point_.workspace = system.make_workspace();
  mass_ = Vector::Zero(s.mass.size());
  jacobian_ = Vector::Zero(s.jacobian.size());
  constraint_ = Vector::Zero(s.n_g);
  implied_ = Vector::Zero(static_cast<Eigen::Index>(s.implied_names.size()));
  velocity_offset_ = bias_ = Vector::Zero(s.m());
  force_ = Vector::Zero(s.n_v());
  state_rate_ = state_residual_ = Vector::Zero(s.n_x());
  if (s.tree) {
    tree_ = s.tree->make_values();
    const auto width = static_cast<std::size_t>(s.tree->width);
    tree_force_.resize(s.tree->nodes.size() * width);
    twists_.resize((s.tree->nodes.size() + 1) * width);
  }
}

void Evaluation::set_position(double t, VectorIn q) {
  if (position_prepared_ && t == point_.t && q == point_.q) return;
  point_.t = t;
  point_.q = q;
  fresh_ = 0;
  position_prepared_ = velocity_prepared_ = false;
}

void Evaluation::set_velocity(VectorIn v) {
  if (velocity_prepared_ && v == point_.v) return;
  point_.v = v;
  forget(kForces | kBias | kStateQuantities);
  velocity_prepared_ = false;
}

void Evaluation::set_x(VectorIn x) {
  if (x == point_.x) return;
  point_.x = x;
  forget_by_x();
}

void Evaluation::forget_by_x() {
  forget(kConstraint | kForces | kStateQuantities);
  if (!structure().switchable_rows.empty()) forget(kJacobian | kVelocityOffset | kBias);
}

void Evaluation::set_lambda(VectorIn lambda) {
  if (lambda == point_.lambda) return;
  point_.lambda = lambda;
  forget(structure().force_depends_on_lambda() ? kForces | kStateQuantities : kStateQuantities);
}

void Evaluation::set_acceleration(VectorIn a) {
  if (a == point_.a) return;
  point_.a = a;
  forget(kStateQuantities);
}

void Evaluation::set_x_rate(VectorIn x_rate) {
  if (x_rate == point_.x_rate) return;
  point_.x_rate = x_rate;
  forget(kStateResidual);
}

void Evaluation::set(const State& state) {
  set_position(state.t, state.q);
  set_velocity(state.v);
  set_x(state.x);
  set_lambda(state.lambda);
  set_acceleration(state.a);
  set_x_rate(state.x_rate);
}

void Evaluation::ensure_position() {
  if (position_prepared_) return;
  system_.prepare_position(point_);
  position_prepared_ = true;
}

void Evaluation::ensure_velocity() {
  ensure_position();
  if (velocity_prepared_) return;
  system_.prepare_velocity(point_);
  velocity_prepared_ = true;
}

const double* Evaluation::mass() {
  if (!is_fresh(kMass)) {
    ensure_position();
    mass_.setZero();
    system_.calc_mass(point_, {structure().mass, mass_.data()});
    ++counts_.mass;
    fresh_ |= kMass;
  }
  return mass_.data();
}

const double* Evaluation::jacobian() {
  if (!is_fresh(kJacobian) && structure().m() > 0) {
    ensure_position();
    jacobian_.setZero();
    system_.calc_jacobian(point_, {structure().jacobian, jacobian_.data()});
    ++counts_.jacobian;
    fresh_ |= kJacobian;
  }
  return jacobian_.data();
}

const TreeValues& Evaluation::tree() {
  if (!is_fresh(kTree)) {
    ensure_position();
    system_.calc_tree(point_, tree_);
    ++counts_.mass;
    fresh_ |= kTree;
  }
  return tree_;
}

const Vector& Evaluation::constraint() {
  if (!is_fresh(kConstraint) && structure().n_g > 0) {
    ensure_position();
    constraint_.setZero();
    system_.calc_constraint(point_, constraint_);
    ++counts_.constraint;
    fresh_ |= kConstraint;
  }
  return constraint_;
}

const Vector& Evaluation::implied() {
  ensure_position();
  implied_.setZero();
  system_.calc_implied(point_, implied_);
  return implied_;
}

const Vector& Evaluation::velocity_offset() {
  if (!is_fresh(kVelocityOffset) && structure().m() > 0) {
    ensure_position();
    velocity_offset_.setZero();
    system_.calc_velocity_offset(point_, velocity_offset_);
    fresh_ |= kVelocityOffset;
  }
  return velocity_offset_;
}

const Vector& Evaluation::force() {
  if (!is_fresh(kForce)) {
    ensure_velocity();
    force_.setZero();
    system_.calc_force(point_, force_);
    ++counts_.force;
    fresh_ |= kForce;
  }
  return force_;
}

const double* Evaluation::tree_force() {
  if (!is_fresh(kTreeForce)) {
    ensure_velocity();
    if (!system_.calc_tree_force(point_, tree_force_)) return nullptr;
    ++counts_.force;
    fresh_ |= kTreeForce;
  }
  return tree_force_.data();
}

const Vector& Evaluation::acceleration_bias() {
  if (!is_fresh(kBias) && structure().m() > 0) {
    ensure_velocity();
    bias_.setZero();
    gives_bias_ = system_.calc_acceleration_bias(point_, bias_);
    if (!*gives_bias_) calc_bias_by_differences(bias_);
    ++counts_.bias;
    fresh_ |= kBias;
  }
  return bias_;
}

bool Evaluation::gives_acceleration_bias() {
  if (structure().m() == 0) return true;
  if (!gives_bias_) {
    ensure_velocity();
    bias_.setZero();
    gives_bias_ = system_.calc_acceleration_bias(point_, bias_);
  }
  return *gives_bias_;
}

void Evaluation::calc_bias_by_differences(VectorOut bias) {
  if (!numerical_) numerical_ = std::make_unique<NumericalDerivatives>(system_, &counts_);
  numerical_->calc_bias(point_, bias);
}

const Vector& Evaluation::state_rate() {
  if (!is_fresh(kStateRate) && structure().n_x() > 0) {
    ensure_velocity();
    state_rate_.setZero();
    system_.calc_state_rate(point_, state_rate_);
    ++counts_.state;
    fresh_ |= kStateRate;
  }
  return state_rate_;
}

const Vector& Evaluation::state_residual() {
  if (!is_fresh(kStateResidual) && structure().n_x() > 0) {
    ensure_velocity();
    state_residual_.setZero();
    system_.calc_state_residual(point_, state_residual_);
    ++counts_.state;
    fresh_ |= kStateResidual;
  }
  return state_residual_;
}

const Vector& Evaluation::follow_position() {
  if (!structure().following_states.empty()) {
    ensure_position();
    system_.calc_following_states(point_, point_.x);
    forget(kConstraint | kForces | kStateQuantities);  // what follows positions switches no rows
  }
  return point_.x;
}

const double* Evaluation::derivative(Derivative which, VectorIn direction) {
  const linalg::Pattern& pattern = structure().pattern(which);
  Vector& values = derivatives_[static_cast<std::size_t>(which)];
  if (pattern.size() == 0) return values.data();
  ensure_velocity();
  values.setZero(pattern.size());
  ++counts_.derivative;
  if (!system_.calc_derivative(which, point_, direction, {pattern, values.data()})) {
    if (!numerical_) numerical_ = std::make_unique<NumericalDerivatives>(system_, &counts_);
    values.setZero();
    numerical_->calc(which, point_, direction, {pattern, values.data()});
  }
  return values.data();
}

void Evaluation::calc_velocity_residual(VectorOut residual) {
  residual = velocity_offset();
  structure().jacobian.add_product(jacobian(), point_.v, 1, residual);
}

double Evaluation::calc_kinetic_energy() {
  if (structure().tree) return calc_tree_energy();
  const double* values = mass();
  double kinetic = 0;
  for (int k = 0; k < structure().mass.size(); ++k) {
    const linalg::Entry& e = structure().mass[k];
    kinetic += 0.5 * point_.v[e.row] * values[k] * point_.v[e.column];
  }
  return kinetic;
}

/// sum_k V_k^T M_k V_k / 2: the mass matrix of a deep tree is full.
double Evaluation::calc_tree_energy() {
  const TreeStructure& structure = *this->structure().tree;
  const TreeValues& values = tree();
  const auto width = static_cast<std::size_t>(structure.width);
  double energy = 0;
  for (std::size_t k = 0; k < structure.nodes.size(); ++k) {
    const TreeStructure::Node& node = structure.nodes[k];
    const double* P = twists_.data() + static_cast<std::size_t>(node.parent + 1) * width;
    const double* d = values.shift.data() + k * static_cast<std::size_t>(structure.shift_size());
    double* V = twists_.data() + (k + 1) * width;
    std::copy_n(P, width, V);
    if (width == 3) {
      V[0] -= P[2] * d[1];
      V[1] += P[2] * d[0];
    } else {
      V[0] += P[4] * d[2] - P[5] * d[1];
      V[1] += P[5] * d[0] - P[3] * d[2];
      V[2] += P[3] * d[1] - P[4] * d[0];
    }
    const double* axis = values.axes.data() + node.axes;
    for (int j = 0; j < node.count; ++j) {
      for (std::size_t i = 0; i < width; ++i) V[i] += *axis++ * point_.v[node.first + j];
    }
    const double* M = values.inertia.data() + k * width * width;
    for (std::size_t j = 0; j < width; ++j) {
      for (std::size_t i = 0; i < width; ++i) energy += 0.5 * V[i] * *M++ * V[j];
    }
  }
  return energy;
}

std::optional<double> Evaluation::calc_energy() {
  ensure_position();
  const std::optional<double> potential = system_.calc_potential_energy(point_);
  if (!potential) return std::nullopt;
  return calc_kinetic_energy() + *potential;
}

std::string Evaluation::find_trouble() {
  ensure_velocity();
  return system_.find_trouble(point_);
}

}  // namespace trammel::dae
