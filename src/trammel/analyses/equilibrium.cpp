#include "trammel/analyses/equilibrium.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trammel::analyses {

using dae::Derivative;
using linalg::Entry;
using linalg::largest_abs;
using linalg::Pattern;

EquilibriumEquations::EquilibriumEquations(dae::Evaluation& evaluation, const CoordinateMetric& metric)
    : evaluation_(evaluation),
      metric_(metric),
      diagonal_v_(Pattern::diagonal(evaluation.structure().n_v())),
      diagonal_m_(Pattern::diagonal(evaluation.structure().m())),
      diagonal_x_(Pattern::diagonal(evaluation.structure().n_x())),
      least_change_(evaluation.structure(), metric.weights),
      squares_(metric.weights.cwiseAbs2()) {
  const dae::Structure& s = evaluation.structure();
  const int n_v = s.n_v(), upper = n_v + s.n_x();
  kkt::Layout layout;
  layout.upper = upper;
  layout.lower = s.m();
  layout.jacobian = &s.jacobian;
  layout.blocks = {{&s.pattern(Derivative::kReactionByQ), 0, 0},
                   {&s.pattern(Derivative::kForceByQ), 0, 0},
                   {&diagonal_v_, 0, 0},
                   {&s.pattern(Derivative::kForceByLambda), 0, upper},
                   {&diagonal_m_, upper, upper},
                   {&s.pattern(Derivative::kForceByX), 0, n_v},
                   {&s.pattern(Derivative::kStateByQ), n_v, 0},
                   {&s.pattern(Derivative::kStateByLambda), n_v, upper},
                   {&s.pattern(Derivative::kStateByX), n_v, n_v},
                   {&s.pattern(Derivative::kStateByXRate), n_v, n_v},
                   {&diagonal_x_, n_v, n_v}};
  solver_ = std::make_unique<kkt::Solver>(std::move(layout));
  force_ = Vector::Zero(n_v);
  constraint_ = lower_ = damping_ = Vector::Zero(s.m());
  states_ = Vector::Zero(s.n_x());
  upper_ = Vector::Zero(upper);
  row_scales_ = Vector::Ones(s.m());
  state_scales_ = Vector::Ones(s.n_x());
  held_ = Vector::Zero(s.n_x());
  for (const int k : s.following_states) held_[k] = 1;
}

void EquilibriumEquations::set_load(double load, double stiffness) {
  load_ = load;
  stiffness_ = (1 - load) * stiffness;
}

bool EquilibriumEquations::eval_residuals(const RestState& at) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set(at.state);
  const Vector& f = evaluation_.force();
  const double* G = evaluation_.jacobian();
  force_ = load_ * f - stiffness_ * squares_.cwiseProduct(at.moved);
  Vector terms = f.cwiseAbs();
  row_scales_.setZero();
  for (int k = 0; k < s.jacobian.size(); ++k) {
    const Entry& e = s.jacobian[k];
    const double term = G[k] * at.state.lambda[e.row];
    force_[e.column] -= term;
    terms[e.column] = std::max(terms[e.column], std::abs(term));
    row_scales_[e.row] += G[k] * G[k] / squares_[e.column];
  }
  for (double& scale : row_scales_) scale = scale > 0 ? std::sqrt(scale) : 1.0;
  force_scale_ = largest_abs(terms.cwiseQuotient(metric_.weights));
  constraint_.setZero();
  constraint_.head(s.n_g) = evaluation_.constraint();
  constraint_error_ = largest_abs(constraint_.cwiseQuotient(row_scales_));
  states_ = s.n_x() > 0 ? evaluation_.state_residual() : Vector();
  state_error_ = largest_abs(states_.cwiseQuotient(state_scales_));
  return std::isfinite(force_.sum() + constraint_.sum() + states_.sum() + row_scales_.sum());
}

double EquilibriumEquations::calc_merit(double force_unit) const {
  return force_.cwiseQuotient(metric_.weights).squaredNorm() / (force_unit * force_unit) +
         constraint_.cwiseQuotient(row_scales_ * metric_.length).squaredNorm() +
         states_.cwiseQuotient(state_scales_).squaredNorm();
}

void EquilibriumEquations::eval_matrices(const RestState& at) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set(at.state);
  const auto copy = [&](Derivative which, Vector& values, VectorIn direction = Vector()) {
    values = Vector::Map(evaluation_.derivative(which, direction), s.pattern(which).size());
  };
  copy(Derivative::kReactionByQ, reaction_by_q_, at.state.lambda);
  copy(Derivative::kForceByQ, force_by_q_);
  copy(Derivative::kForceByLambda, force_by_lambda_);
  jacobian_ = Vector::Map(evaluation_.jacobian(), s.jacobian.size());
  if (s.n_x() > 0) {
    copy(Derivative::kForceByX, force_by_x_);
    copy(Derivative::kStateByQ, state_by_q_);
    copy(Derivative::kStateByLambda, state_by_lambda_);
    copy(Derivative::kStateByX, state_by_x_);
    copy(Derivative::kStateByXRate, state_by_rate_);
  }
  eval_scales();
}

void EquilibriumEquations::eval_scales() {
  const dae::Structure& s = evaluation_.structure();
  stiffness_scale_ = std::max(stiffness_, force_scale_ / metric_.length);
  const auto look_at = [&](Derivative which, const Vector& values) {
    const Pattern& pattern = s.pattern(which);
    for (int k = 0; k < pattern.size(); ++k) {
      const double size = std::abs(values[k]) / (metric_.weights[pattern[k].row] * metric_.weights[pattern[k].column]);
      stiffness_scale_ = std::max(stiffness_scale_, size);
    }
  };
  look_at(Derivative::kReactionByQ, reaction_by_q_);
  look_at(Derivative::kForceByQ, force_by_q_);
  if (!(stiffness_scale_ > 0)) stiffness_scale_ = 1;
  damping_ = -(LeastChange::kLeastDamping / stiffness_scale_) * row_scales_.cwiseAbs2();
  state_scales_.setOnes();
  for (int k = 0; k < state_by_x_.size(); ++k) {
    double& scale = state_scales_[s.pattern(Derivative::kStateByX)[k].row];
    scale = std::max(scale, std::abs(state_by_x_[k]));
  }
}

double EquilibriumEquations::calc_curvature(VectorIn delta) const {
  const dae::Structure& s = evaluation_.structure();
  Vector product = stiffness_ * squares_.cwiseProduct(delta);
  s.pattern(Derivative::kReactionByQ).add_product(reaction_by_q_.data(), delta, 1, product);
  s.pattern(Derivative::kForceByQ).add_product(force_by_q_.data(), delta, -load_, product);
  return delta.dot(product);
}

linalg::FactorStatus EquilibriumEquations::factor(double shift, double state_shift) {
  const std::array values{kkt::BlockValues{reaction_by_q_.data()},
                          kkt::BlockValues{force_by_q_.data(), -load_},
                          kkt::BlockValues{squares_.data(), stiffness_ + shift},
                          kkt::BlockValues{force_by_lambda_.data(), -load_},
                          kkt::BlockValues{damping_.data()},
                          kkt::BlockValues{force_by_x_.data(), -load_},
                          kkt::BlockValues{state_by_q_.data()},
                          kkt::BlockValues{state_by_lambda_.data()},
                          kkt::BlockValues{state_by_x_.data()},
                          kkt::BlockValues{state_by_rate_.data(), state_shift},
                          kkt::BlockValues{held_.data()}};
  return solver_->factor(values, jacobian_.data());
}

void EquilibriumEquations::solve(Vector& delta, Vector& delta_lambda, Vector& delta_x) {
  const Eigen::Index n_v = force_.size(), n_x = states_.size();
  upper_.head(n_v) = force_;
  upper_.tail(n_x) = -states_;
  lower_ = -constraint_;
  solver_->solve(upper_, lower_);
  delta = upper_.head(n_v);
  delta_x = upper_.tail(n_x);
  delta_lambda = lower_;
  const dae::Structure& s = evaluation_.structure();
  if (!s.force_depends_on_lambda() || !lower_.allFinite()) return;
  if (!least_change_.factor(jacobian_.data(), s.m()).ok) return;
  Vector reaction = Vector::Zero(n_v);
  s.jacobian.add_transposed_product(jacobian_.data(), lower_, 1, reaction);
  least_change_.solve_transposed(reaction, delta_lambda);
}

bool EquilibriumEquations::estimate_multipliers(RestState& at) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set(at.state);
  if (!least_change_.factor(evaluation_.jacobian(), s.m()).ok) return false;
  const Vector b = load_ * evaluation_.force() - stiffness_ * squares_.cwiseProduct(at.moved);
  if (!b.allFinite()) return false;
  least_change_.solve_transposed(b, at.state.lambda);
  return true;
}

}  // namespace trammel::analyses
