#include "trammel/integrators/explicit/runge_kutta_method.h"

#include <cmath>
#include <utility>

#include "trammel/integrators/tableaus/dense_weight.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::State;
using kkt::AccelerationStatus;

RungeKuttaMethod::RungeKuttaMethod(const MethodContext& context, const ExplicitRungeKutta& tableau)
    : tableau_(tableau),
      context_(context),
      evaluation_(context.evaluation),
      n_q_(evaluation_.structure().n_q()),
      n_v_(evaluation_.structure().n_v()),
      n_x_(evaluation_.structure().n_x()) {
  eigen_assert(tableau.first_same_as_last);
  begin_ = state_ = trial_ = State::zero(evaluation_.structure());
  y_begin_ = y_ = y_trial_ = error_ = moved_ = Vector::Zero(n_q_ + n_v_ + n_x_);
  stages_.setZero(y_.size(), tableau_.stages);
}

void RungeKuttaMethod::start(const State& state) {
  state_ = state;
  y_ << state.q, state.v, state.x;
  set_stage(0, state_);
  carries_last_stage_ = false;
}

StepOutcome RungeKuttaMethod::attempt(double h) {
  h_ = h;
  if (std::exchange(carries_last_stage_, false)) set_stage(0, state_);
  projection_failed_ = false;
  if (!eval_stages() || !eval_end()) return {StepStatus::kNotSolved};
  if (!std::isfinite(y_trial_.sum())) trouble_ = AccelerationStatus::kNotFinite;
  if (trouble_ != AccelerationStatus::kSolved) return {StepStatus::kNotSolved};
  return {StepStatus::kSolved, calc_error()};
}

void RungeKuttaMethod::accept() {
  std::swap(begin_, state_);
  std::swap(state_, trial_);
  y_begin_.swap(y_);
  y_.swap(y_trial_);
  carries_last_stage_ = true;
}

bool RungeKuttaMethod::undo() {
  std::swap(state_, begin_);
  y_.swap(y_begin_);
  set_stage(0, state_);
  carries_last_stage_ = false;
  return true;
}

void RungeKuttaMethod::interpolate(double t, State& out) {
  const double theta = (t - begin_.t) / h_;
  dense_.setZero(y_.size());
  for (int i = 0; i < tableau_.stages; ++i) {
    const double weight = eval_dense_weight(dense_row(tableau_.dense, i, tableau_.dense_degree), theta);
    dense_ += (h_ * weight) * stages_.col(i);
  }
  // What was moved at the end of the step comes in smoothly.
  dense_ += y_begin_ + theta * theta * (3 - 2 * theta) * moved_;
  out.t = t;
  split(dense_, out);
}

std::string RungeKuttaMethod::describe_trouble() {
  if (trouble_ != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation_, trouble_);
  if (projection_failed_) return "the solution could not be moved back onto the position constraints";
  return "the largest error is that of " + context_.norm.find_worst(evaluation_.structure(), error_.head(n_q_),
                                                                    error_.segment(n_q_, n_v_), error_.tail(n_x_));
}

bool RungeKuttaMethod::eval_stages() {
  for (int i = 1; i < last_stage(); ++i) {
    set_trial(i);
    if (!eval_trial()) return false;
    set_stage(i, trial_);
  }
  return true;
}

AccelerationStatus RungeKuttaMethod::solve_accelerations() { return context_.accelerations.solve(state_); }

double RungeKuttaMethod::weight(int i, int j) const {
  return h_ * tableau_.a[static_cast<std::size_t>(i * tableau_.stages + j)];
}

double RungeKuttaMethod::calc_stage_time(int i) const {
  return context_.end_of_step(state_.t, tableau_.c[static_cast<std::size_t>(i)] * h_);
}

void RungeKuttaMethod::set_trial(int i) {
  y_trial_ = y_;
  for (int j = 0; j < i; ++j) {
    if (const double w = weight(i, j); w != 0) y_trial_ += w * stages_.col(j);
  }
  split(y_trial_, trial_);
  trial_.t = calc_stage_time(i);
}

void RungeKuttaMethod::set_stage(int i, const State& s) {
  auto k = stages_.col(i);
  if (evaluation_.structure().has_trivial_kinematics) {
    k.head(n_q_) = s.v;
  } else {
    evaluation_.system().calc_position_rate(s.q, s.v, k.head(n_q_));
  }
  k.segment(n_q_, n_v_) = s.a;
  k.tail(n_x_) = s.x_rate;
}

bool RungeKuttaMethod::eval_trial() {
  evaluation_.set_position(trial_.t, trial_.q);
  evaluation_.set_x(trial_.x);
  trouble_ = context_.accelerations.factor_position();
  return trouble_ == AccelerationStatus::kSolved && eval_accelerations();
}

bool RungeKuttaMethod::eval_accelerations() {
  evaluation_.set_velocity(trial_.v);
  trouble_ = solve_accelerations();
  trial_.a = evaluation_.point().a;
  trial_.lambda = evaluation_.point().lambda;
  trial_.x_rate = evaluation_.point().x_rate;
  return trouble_ == AccelerationStatus::kSolved;
}

bool RungeKuttaMethod::project_position() {
  const dae::Structure& s = evaluation_.structure();
  if (s.n_g == 0 && s.has_trivial_kinematics) return true;
  const kinematics::PositionProjection outcome = context_.projector.project_position(
      trial_.t, trial_.q, context_.norm.q_weights(), kinematics::MetricUse::kPresent);
  context_.statistics.newton_iterations += outcome.iterations;
  trouble_ = outcome.metric;
  projection_failed_ = !outcome.ok();
  return !projection_failed_;
}

void RungeKuttaMethod::note_moved() {
  moved_ = -y_trial_;
  y_trial_ << trial_.q, trial_.v, trial_.x;
  moved_ += y_trial_;
}

void RungeKuttaMethod::split(const Vector& y, State& s) const {
  s.q = y.head(n_q_);
  s.v = y.segment(n_q_, n_v_);
  s.x = y.tail(n_x_);
}

double RungeKuttaMethod::calc_error() {
  error_.setZero();
  for (int i = 0; i < tableau_.stages; ++i) error_ += (h_ * tableau_.e[static_cast<std::size_t>(i)]) * stages_.col(i);
  correct_estimate();
  const double embedded = calc_norm(error_), moved = calc_norm(moved_);
  return embedded > moved || std::isnan(embedded) ? embedded : moved;  // what is not a number must not be lost
}

double RungeKuttaMethod::calc_norm(const Vector& y) const {
  return context_.norm.calc(y.head(n_q_), y.segment(n_q_, n_v_), y.tail(n_x_));
}

}  // namespace trammel::integrators
