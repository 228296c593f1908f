#include "trammel/integrators/state_space/explicit_method.h"

#include <cmath>

#include "trammel/integrators/tableaus/dense_weight.h"

namespace trammel::integrators {

using dae::State;

ExplicitMethod::ExplicitMethod(const MethodContext& context, const ExplicitRungeKutta& tableau,
                               const StateSpaceOptions& options)
    : StateSpaceMethod(context, options), tableau_(tableau) {
  eigen_assert(tableau.first_same_as_last);
  rates_ = Eigen::MatrixXd::Zero(equations_.size(), tableau.all_stages());
  v_stages_ = a_stages_ = Eigen::MatrixXd::Zero(equations_.structure().n_v(), tableau.all_stages());
  estimate_ = Vector::Zero(equations_.size());
}

void ExplicitMethod::add_stages(int i, double h, const Eigen::MatrixXd& columns, VectorOut sum) const {
  for (int j = 0; j < i; ++j) {
    if (const double weight = a(i, j); weight != 0) sum += (h * weight) * columns.col(j);
  }
}

void ExplicitMethod::note_stage(int i, const State& stage) {
  equations_.calc_rate(stage, rates_.col(i));
  v_stages_.col(i) = stage.v;
  a_stages_.col(i) = stage.a;
}

bool ExplicitMethod::eval_stage(int i, double h, VectorIn y, const State& begin) {
  y_work_ = y;
  add_stages(i, h, rates_, y_work_);
  stage_.q = begin.q;
  stage_.v = begin.v;
  add_stages(i, h, v_stages_, stage_.q);
  add_stages(i, h, a_stages_, stage_.v);
  if (!equations_.eval(context_.end_of_step(begin.t, c(i) * h), y_work_, stage_)) return false;
  note_stage(i, stage_);
  return true;
}

bool ExplicitMethod::advance(double h) {
  const int last = tableau_.stages - 1;
  note_stage(0, state_);
  // Where reactions are looked for, if forces depend on them: those of the stage before.
  stage_.a = state_.a;
  stage_.lambda = state_.lambda;
  stage_.x_rate = state_.x_rate;
  for (int i = 1; i < last; ++i) {
    if (!eval_stage(i, h, y_, state_)) return false;
  }
  y_trial_ = y_;
  add_stages(last, h, rates_, y_trial_);
  return true;
}

void ExplicitMethod::predict_trial() {
  const int last = tableau_.stages - 1;
  trial_.q = state_.q;
  trial_.v = state_.v;
  add_stages(last, h_, v_stages_, trial_.q);
  add_stages(last, h_, a_stages_, trial_.v);
}

double ExplicitMethod::calc_error() {
  const auto combine = [this](std::span<const double> weights, Vector& error) {
    error.setZero();
    for (int i = 0; i < tableau_.stages; ++i) error += (h_ * weights[static_cast<std::size_t>(i)]) * rates_.col(i);
  };
  note_stage(tableau_.stages - 1, trial_);
  combine(tableau_.e, error_);
  const double error = equations_.calc_norm(error_);
  if (tableau_.e3.empty() || error == 0) return error;
  combine(tableau_.e3, estimate_);
  const double other = equations_.calc_norm(estimate_);
  return error * error / std::sqrt(error * error + 0.01 * other * other);
}

bool ExplicitMethod::eval_inside() {
  stage_.a = begin_.a;
  stage_.lambda = begin_.lambda;
  stage_.x_rate = begin_.x_rate;
  for (int i = tableau_.stages; i < tableau_.all_stages(); ++i) {
    if (!eval_stage(i, h_, y_begin_, begin_)) return false;
  }
  return true;
}

void ExplicitMethod::interpolate_reduced(double theta, VectorOut y) {
  if (inside_ == Inside::kNotAsked) inside_ = eval_inside() ? Inside::kKnown : Inside::kFailed;
  y = y_begin_;
  if (inside_ == Inside::kFailed) {
    // The cubic through both ends needs no other stages: theta (1 - theta)^2, -theta^2 (1 - theta) and what is left.
    const double rest = 1 - theta, both = theta * theta * (3 - 2 * theta);
    for (int i = 0; i < tableau_.stages; ++i)
      y += (h_ * both * tableau_.b[static_cast<std::size_t>(i)]) * rates_.col(i);
    y += (h_ * theta * rest * rest) * rates_.col(0) - (h_ * theta * theta * rest) * rates_.col(tableau_.stages - 1);
    return;
  }
  for (int i = 0; i < tableau_.all_stages(); ++i) {
    const double weight = eval_dense_weight(dense_row(tableau_.dense, i, tableau_.dense_degree), theta);
    y += (h_ * weight) * rates_.col(i);
  }
}

}  // namespace trammel::integrators
