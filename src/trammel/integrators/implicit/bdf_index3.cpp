#include "trammel/integrators/implicit/bdf_index3.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/implicit/first_order_equations.h"
#include "trammel/integrators/implicit/step_equations.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::State;
using kkt::AccelerationStatus;
using linalg::Vector;

namespace {

// Steps whose sizes differ by less count as equal: the clock rounds them.
constexpr double kSameStep = 1e-6;
// The next step aims at an error of 1/kAim. Of 2 (as in DASSL) to 6 on five cases at 1e-4, 1e-6 and 1e-8, 4 halves the
// rejected steps of 2 (seven-body mechanism at 1e-6: 3.8 percent) and costs 8 percent more steps.
constexpr double kAim = 4, kAimAfterRejection = 2, kSafetyAfterRejection = 0.9;
// A step grows by this at least, or not at all. DASSL's 2 costs 15 to 25 percent more steps than 1.2 on the same cases,
// and 1.2 a fifth more matrices.
constexpr double kWorthGrowing = 1.2;
constexpr double kMaxFactor = 2, kMinFactor = 0.5, kMaxShrinking = 0.9, kMinFactorAfterRejection = 0.25;
// Attempts in a row that came to nothing before the state is no longer trusted, and before its past is not and the
// method begins anew at order 1.
constexpr int kFailuresBeforePolish = 2, kFailuresBeforeRestart = 3;

double calc_factor(double aim, double error, int order) { return std::pow(aim * error + 1e-4, -1.0 / (order + 1)); }

}  // namespace

BdfIndex3::BdfIndex3(const MethodContext& context, const BdfOptions& options)
    : context_(context),
      evaluation_(context.evaluation),
      options_(options),
      n_v_(evaluation_.structure().n_v()),
      n_x_(evaluation_.structure().n_x()),
      m_(evaluation_.structure().m()),
      n_g_(evaluation_.structure().n_g),
      n_y_(2 * n_v_ + n_x_),
      shifts_(options.projects && n_g_ > 0),
      history_(n_y_ + n_v_ + m_ + n_x_) {
  const dae::Structure& s = evaluation_.structure();
  if (options.form == BdfForm::kFirstOrder) {
    equations_ = std::make_unique<FirstOrderEquations>(context, context.norm, options.equations);
  } else {
    equations_ = std::make_unique<StepEquations>(context, context.norm, options.equations);
  }
  const std::vector<bool> is_algebraic = s.algebraic_states();
  for (int i = 0; i < n_x_; ++i) {
    if (is_algebraic[static_cast<std::size_t>(i)]) algebraic_.push_back(i);
  }
  begin_ = state_ = trial_ = State::zero(s);
  predicted_ = stacked_ = Vector::Zero(n_y_ + n_v_ + m_ + n_x_);
  rate_ = error_ = work_ = Vector::Zero(n_y_);
  known_ = known_v_ = across_ = across_before_ = across_next_ = upper_ = Vector::Zero(n_v_);
  known_x_ = Vector::Zero(n_x_);
  lower_ = Vector::Zero(m_);
}

void BdfIndex3::start(const State& state) {
  state_ = state;
  control_ = {};
  h_next_.reset();
  failures_ = 0;
  begin_is_set_ = false;
  equations_->note_restart();
}

/// Puts the state onto its constraints to the last digits: close to positions where they lose rank, what Newton's
/// iteration leaves of their residual can make velocities jump that no smaller step would let pass the error test.
void BdfIndex3::polish_state() {
  trial_ = state_;
  const auto on_constraints = [&] {
    return context_.projector
        .project_position(trial_.t, trial_.q, context_.norm.q_weights(), kinematics::MetricUse::kRenew)
        .ok();
  };
  if (n_g_ == 0 || !on_constraints() || !complete()) return;
  state_ = trial_;
  begin_is_set_ = false;
  stacked_ = history_.value(0);
  stacked_.head(n_y_) << state_.q, state_.v, state_.x;
  history_.replace_newest(stacked_);
}

/// The past of a method that has none: one step before the state what its rates let expect there.
void BdfIndex3::begin_history(double h) {
  stacked_ << state_.q, state_.v, state_.x, state_.a, state_.lambda, state_.x_rate;
  history_.restart(state_.t, stacked_);
  across_ = state_.a;
  if (options_.past) {
    fill_from_past(h);
  } else {
    stacked_.head(n_v_) += (0.5 * h * h) * state_.a - h * state_.v;
    stacked_.segment(n_v_, n_v_) -= h * state_.a;
    stacked_.segment(2 * n_v_, n_x_) -= h * state_.x_rate;
    history_.add_before(state_.t - h, stacked_);
  }
  if (!shifts_) return;
  evaluation_.set(state_);
  if (context_.accelerations.factor_position() == AccelerationStatus::kSolved) {
    set_across(across_);
  } else {
    across_.setZero();
  }
}

void BdfIndex3::fill_from_past(double h) {
  for (int i = 1; i <= options_.max_order; ++i) {
    const State past = options_.past(state_.t - i * h);
    stacked_.head(n_y_) << past.q, past.v, past.x;
    history_.add_before(state_.t - i * h, stacked_);
  }
  control_.order = options_.max_order;
  control_.climbs = false;
  if (control_.order > 1) across_.setZero();
}

/// Leaves of a vector its part across the holonomic constraints. The metric is factorised at the evaluation's position.
void BdfIndex3::set_across(Vector& derivative) {
  lower_.setZero();
  evaluation_.structure().jacobian.add_product(evaluation_.jacobian(), derivative, 1, lower_);
  lower_.tail(m_ - n_g_).setZero();
  upper_.setZero();
  context_.accelerations.metric().solve(upper_, lower_);
  derivative = upper_;
}

/// The known parts of (3), and where Newton's iteration starts.
void BdfIndex3::set_known() {
  history_.predict(predicted_);
  history_.predict_rate(rate_);
  const double c = 1 / history_.leading_coefficient();
  known_v_ = predicted_.segment(n_v_, n_v_) - c * rate_.segment(n_v_, n_v_);
  known_ = (predicted_.head(n_v_) - state_.q) + c * (known_v_ - rate_.head(n_v_));
  if (shifts_) known_ += (c * history_.defect()) * across_;
  known_x_ = predicted_.segment(2 * n_v_, n_x_) - c * rate_.tail(n_x_);
  auto x_rate = predicted_.tail(n_x_);
  for (const int i : algebraic_) {
    known_x_[i] = state_.x[i];
    x_rate[i] = (predicted_[2 * n_v_ + i] - state_.x[i]) / c;
  }
}

bool BdfIndex3::solve() {
  const double c = 1 / history_.leading_coefficient();
  const double scale = history_.error_constant();
  if (!std::exchange(begin_is_set_, true)) equations_->set_begin(state_);
  equations_->set_known(trial_.t, known_, known_v_, known_x_);
  equations_->set_prediction(predicted_.segment(n_y_, n_v_), predicted_.segment(n_y_ + n_v_, m_),
                             predicted_.tail(n_x_));
  return equations_->solve({c * c, c, c, 0}, {scale, scale, scale});
}

StepOutcome BdfIndex3::attempt(double h) {
  if (failures_ == kFailuresBeforePolish) polish_state();
  if (failures_ == kFailuresBeforeRestart) control_ = {};
  if (control_.last_order == 0) begin_history(h);
  ++failures_;  // until it is accepted
  trial_.t = context_.end_of_step(state_.t, h);
  history_.set_step(trial_.t, control_.order);
  set_known();
  trouble_ = AccelerationStatus::kSolved;
  newton_failed_ = !solve();
  if (newton_failed_) return {StepStatus::kNotSolved};
  trial_ = equations_->trial();
  for (const int i : algebraic_) trial_.x_rate[i] = (trial_.x[i] - state_.x[i]) / h;
  context_.norm.set_weights(state_, trial_);
  if (!complete()) return {StepStatus::kNotSolved};
  stacked_ << trial_.q, trial_.v, trial_.x, equations_->trial().a, equations_->trial().lambda,
      equations_->trial().x_rate;
  const double size = calc_size(control_.order);
  error_ = work_;
  choose_next(h, size);
  if (shifts_) {
    history_.calc_derivative(accepted_.order, stacked_.head(n_y_), work_);
    across_next_ = work_.segment(n_v_, n_v_);
    set_across(across_next_);
  }
  return {StepStatus::kSolved, history_.error_constant() * size};
}

/// What the options say about velocities and reactions.
bool BdfIndex3::complete() {
  evaluation_.set_position(trial_.t, trial_.q);
  evaluation_.set_x(trial_.x);
  trial_.x = evaluation_.follow_position();
  if (!options_.projects && !options_.consistent_reactions) return true;
  trouble_ = context_.accelerations.factor_position();
  if (trouble_ != AccelerationStatus::kSolved) return false;
  if (options_.projects && m_ > 0) context_.projector.project_velocity(trial_.v);
  if (!options_.consistent_reactions) return true;
  trouble_ = complete_state(context_, trial_, trial_);
  return trouble_ == AccelerationStatus::kSolved;
}

/// Weighted size of the deviation from the prediction of an order; leaves it in work_.
double BdfIndex3::calc_size(int order) {
  history_.calc_deviation(order, stacked_.head(n_y_), work_);
  for (const int i : algebraic_) work_[2 * n_v_ + i] = 0;
  const ErrorNorm& norm = context_.norm;
  if (options_.judges_velocities) {
    return norm.calc(work_.head(n_v_), work_.segment(n_v_, n_v_), work_.tail(n_x_));
  }
  work_.segment(n_v_, n_v_).setZero();
  return norm.calc_without_velocities(work_.head(n_v_), work_.tail(n_x_));
}

/// The rule of DASSL: the order goes where the terms h^(k+1) y^(k+1) of the Taylor series are smallest, up only after
/// enough steps of the same kind, and by itself while the method climbs.
BdfIndex3::Choice BdfIndex3::choose_order(double size, int steady) {
  const int k = control_.order, up = std::min(k + 1, options_.max_order);
  const auto calc_term = [&](int order, double deviation) {
    return (order + 1) * history_.calc_term_factor(order) * deviation;
  };
  const double term = calc_term(k, size);
  const Choice same{k, term / (k + 1)};
  if (options_.fixed_order) return {up, same.estimate};
  const double below = k > 1 ? calc_term(k - 1, calc_size(k - 1)) : 0;
  const Choice down{k - 1, below / k};
  if (k == 2 && below <= 0.5 * term) return down;
  if (k > 2 && std::max(below, calc_term(k - 2, calc_size(k - 2))) <= term) return down;
  if (control_.climbs) return {up, same.estimate};
  if (up == k || steady <= k || history_.count() < k + 2) return same;
  const double above = calc_term(k + 1, calc_size(k + 1));
  if (k > 1 && below <= std::min(term, above)) return down;
  if (above < (k == 1 ? 0.5 * term : term)) return {up, above / (k + 2)};
  return same;
}

/// Order and size of the next step, whether this one is accepted or not.
void BdfIndex3::choose_next(double h, double size) {
  const int k = control_.order;
  const bool is_same = k == control_.last_order && std::abs(h / control_.last_h - 1) < kSameStep;
  const int steady = is_same ? control_.steady + 1 : 1;
  const Choice choice = choose_order(size, steady);
  accepted_ = {choice.order, k, h, steady, control_.climbs && choice.order > k};

  const double error = history_.error_constant() * size;
  if (!(error <= 1)) {
    const double factor = kSafetyAfterRejection * calc_factor(kAimAfterRejection, error, k);
    const bool is_first = failures_ == 1 && std::isfinite(factor);
    h_next_ = h * (is_first ? std::clamp(factor, kMinFactorAfterRejection, kMaxShrinking) : kMinFactorAfterRejection);
    return;
  }
  double factor = calc_factor(kAim, choice.estimate, choice.order);
  if (accepted_.climbs) {
    factor = kMaxFactor;
  } else if (factor < 1) {
    factor = std::clamp(factor, kMinFactor, kMaxShrinking);
  } else {
    factor = factor < kWorthGrowing || steady <= k ? 1 : std::min(factor, kMaxFactor);
  }
  h_next_ = h * factor;
}

void BdfIndex3::accept() {
  before_ = std::exchange(control_, accepted_);
  std::swap(across_before_, across_);
  std::swap(across_, across_next_);
  history_.add(trial_.t, stacked_);
  std::swap(begin_, state_);
  std::swap(state_, trial_);
  failures_ = 0;
  begin_is_set_ = false;
  equations_->note_accepted_step();
}

bool BdfIndex3::undo() {
  control_ = before_;
  std::swap(across_, across_before_);
  history_.remove_newest();
  std::swap(state_, begin_);
  begin_is_set_ = false;
  return true;
}

int BdfIndex3::dense_degree() const {
  // One degree more than the formula: the value before its last one costs nothing.
  return std::min(control_.last_order + 1, history_.count() - 1);
}

void BdfIndex3::interpolate(double t, State& out) {
  history_.interpolate(t, dense_degree(), work_);
  out.t = t;
  out.q = work_.head(n_v_);
  out.v = work_.segment(n_v_, n_v_);
  out.x = work_.tail(n_x_);
}

double BdfIndex3::calc_rcond(double h) {
  double sum = 0;
  for (int i = 1; i <= control_.order; ++i) sum += 1.0 / i;
  const double c = h / sum;
  return equations_->calc_rcond({c * c, c, c, 0});
}

std::string BdfIndex3::describe_trouble() {
  if (newton_failed_) return equations_->describe_trouble();
  if (trouble_ != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation_, trouble_);
  return "the largest error is that of " + context_.norm.find_worst(evaluation_.structure(), error_.head(n_v_),
                                                                    error_.segment(n_v_, n_v_), error_.tail(n_x_));
}

}  // namespace trammel::integrators
