#include "trammel/integrators/state_space/newmark_method.h"

#include <utility>

namespace trammel::integrators {

MethodOptionInfo estimate_option() {
  return {"estimate",
          {"backward-euler", "third-difference"},
          "what the error is measured by: the distance to the backward Euler formula, which is careful, or the third "
          "difference, with which the error of a run is about tol^(2/3)"};
}

MethodOptionInfo gamma_option() {
  return {"gamma", {"0.5"}, "0.5 is second order; more damps and is first order", true, 0.5, 1};
}

MethodOptionInfo beta_option() {
  return {"beta", {"0"}, "not given: (gamma + 1/2)^2/4, the least that is stable at every step", true, 0.05, 1};
}

NewmarkFormula read_newmark_formula(const MethodEntry& entry, const MethodOptions& options) {
  NewmarkFormula formula;
  if (option_value(entry, options, "estimate") == "third-difference")
    formula.estimate = ErrorEstimate::kThirdDifference;
  if (!has_option(entry, "gamma")) return formula;
  formula.gamma = option_number(entry, options, "gamma");
  const double beta = option_number(entry, options, "beta");
  formula.beta = beta > 0 ? beta : (formula.gamma + 0.5) * (formula.gamma + 0.5) / 4;
  return formula;
}

NewmarkMethod::NewmarkMethod(const MethodContext& context, const NewmarkFormula& formula, Formulation formulation,
                             const StateSpaceOptions& options)
    : StateSpaceMethod(context, options),
      formula_(formula),
      stages_(make_stage_equations(formulation, context, equations_, options)) {
  known_ = rate_begin_ = rate_end_ = rate_0_ = rate_1_ = slope_ = Vector::Zero(equations_.size());
  unknown_ = first_ = Vector::Zero(n_w_ + n_x_);
  a_ = work_ = Vector::Zero(equations_.structure().n_v());
  x_rate_ = Vector::Zero(n_x_);
}

/// Another chart leaves the accelerations as they are; another state does not, also at the time of the last one.
void NewmarkMethod::start(const dae::State& state) {
  has_carried_ = false;
  StateSpaceMethod::start(state);
}

void NewmarkMethod::begin_anew() {
  stages_->note_restart();
  has_past_ = false;
}

bool NewmarkMethod::advance(double h) {
  const auto [beta, gamma, estimate] = formula_;
  if (!std::exchange(has_carried_, true) || carried_t_ != state_.t) {
    a_ = state_.a;
    x_rate_ = state_.x_rate;
    carried_t_ = state_.t;
  }
  if (!stages_->prepare(state_, {beta * h * h, gamma * h, gamma * h})) return false;
  equations_.chart().reduce(a_, first_.head(n_w_));
  first_.tail(n_x_) = x_rate_;
  auto w = known_.head(n_w_), w_rate = known_.segment(n_w_, n_w_);
  known_ = y_;
  w += h * y_.segment(n_w_, n_w_) + ((0.5 - beta) * h * h) * first_.head(n_w_);
  w_rate += ((1 - gamma) * h) * first_.head(n_w_);
  known_.tail(n_x_) += ((1 - gamma) * h) * first_.tail(n_x_);

  unknown_ = first_;
  if (has_past_) unknown_ += h * slope_.tail(n_w_ + n_x_);
  stage_.a = state_.a;
  stage_.lambda = state_.lambda;
  stage_.x_rate = state_.x_rate;
  predict_state(h, stage_);
  if (!stages_->solve(trial_.t, known_, unknown_, stage_)) return false;

  y_trial_ = known_;
  y_trial_.head(n_w_) += (beta * h * h) * unknown_.head(n_w_);
  y_trial_.tail(n_w_ + n_x_) += (gamma * h) * unknown_;
  rate_0_ << y_.segment(n_w_, n_w_), first_;
  rate_1_ << y_trial_.segment(n_w_, n_w_), unknown_;
  estimate_error(h);
  return true;
}

void NewmarkMethod::estimate_error(double h) {
  if (uses_third_difference()) {
    // h^3 y'''/12, with y''' from the rates at three times.
    error_ = (rate_1_ - rate_0_) / h - slope_;
    error_ *= h * h * h / 6 / (h + last_h_);
    if (formula_.gamma != 0.5) error_ += ((formula_.gamma - 0.5) * h) * (rate_1_ - rate_0_);
  } else {
    error_ = (0.5 * h) * (rate_0_ - rate_1_);
  }
  if (options_.filters_error) stages_->filter(error_);
}

void NewmarkMethod::note_accepted() {
  stages_->note_accepted_step();
  rate_begin_.swap(rate_0_);
  rate_end_.swap(rate_1_);
  slope_ = (rate_end_ - rate_begin_) / h_;
  last_h_ = h_;
  has_past_ = true;
  // All accelerations by the formula: P w'' + Z bias at the end of the step, where the chart is factorised.
  dae::Evaluation& evaluation = equations_.evaluation();
  evaluation.set_position(state_.t, state_.q);
  evaluation.set_velocity(state_.v);
  equations_.extend(unknown_.head(n_w_), a_);
  if (equations_.structure().m() > 0) {
    equations_.chart().solve(evaluation.acceleration_bias(), work_);
    a_ += work_;
  }
  x_rate_ = unknown_.tail(n_x_);
  carried_t_ = state_.t;
}

/// Cubics through positions and velocities and through velocities and accelerations of both ends.
void NewmarkMethod::interpolate_reduced(double theta, VectorOut y) {
  const double rest = 1 - theta;
  const double b_1 = theta * theta * (3 - 2 * theta);
  const double s_0 = h_ * theta * rest * rest, s_1 = -h_ * theta * theta * rest;
  y = (1 - b_1) * y_begin_ + b_1 * y_trial_ + s_0 * rate_begin_ + s_1 * rate_end_;
}

}  // namespace trammel::integrators
