#include "trammel/integrators/implicit/bdf_method.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::State;
using kkt::AccelerationStatus;
using linalg::Vector;

namespace {

// Steps whose sizes differ by less count as equal: the clock rounds them.
constexpr double kSameStep = 1e-6;
constexpr double kAimAfterRejection = 2, kSafetyAfterRejection = 0.9;
constexpr double kMaxFactor = 2, kMinFactor = 0.5, kMaxShrinking = 0.9, kMinFactorAfterRejection = 0.25;
// Attempts in a row that came to nothing before the state is no longer trusted, and before its past is not and the
// method begins anew at order 1.
constexpr int kFailuresBeforePolish = 2, kFailuresBeforeRestart = 3;

double calc_factor(double aim, double error, int order) { return std::pow(aim * error + 1e-4, -1.0 / (order + 1)); }

}  // namespace

BdfRules BdfRules::dassl() {
  return {.aim = 2, .worth_growing = 2, .grows_in_steady_state_only = false, .lowers_order_after_rejection = true};
}

BdfMethod::BdfMethod(const MethodContext& context, const BdfOptions& options, std::unique_ptr<ImplicitStep> equations,
                     int more)
    : context_(context),
      evaluation_(context.evaluation),
      n_v_(evaluation_.structure().n_v()),
      n_x_(evaluation_.structure().n_x()),
      m_(evaluation_.structure().m()),
      n_g_(evaluation_.structure().n_g),
      n_y_(2 * n_v_ + n_x_),
      n_more_(more),
      equations_(std::move(equations)),
      history_(n_y_ + n_v_ + m_ + n_x_ + more),
      options_(options) {
  const dae::Structure& s = evaluation_.structure();
  const std::vector<bool> is_algebraic = s.algebraic_states();
  for (int i = 0; i < n_x_; ++i) {
    if (is_algebraic[static_cast<std::size_t>(i)]) algebraic_.push_back(i);
  }
  begin_ = state_ = trial_ = State::zero(s);
  predicted_ = stacked_ = Vector::Zero(n_y_ + n_v_ + m_ + n_x_ + more);
  rate_ = error_ = work_ = Vector::Zero(n_y_);
  known_v_ = Vector::Zero(n_v_);
  known_x_ = Vector::Zero(n_x_);
}

void BdfMethod::start(const State& state) {
  state_ = state;
  control_ = {};
  h_next_.reset();
  failures_ = 0;
  begin_is_new_ = true;
  equations_->note_restart();
}

/// Puts the state onto its constraints to the last digits: close to positions where they lose rank, what Newton's
/// iteration leaves of their residual can make velocities jump that no smaller step would let pass the error test.
void BdfMethod::polish_state() {
  trial_ = state_;
  const auto on_constraints = [&] {
    return context_.projector
        .project_position(trial_.t, trial_.q, context_.norm.q_weights(), kinematics::MetricUse::kRenew)
        .ok();
  };
  if (n_g_ == 0 || !on_constraints() || !complete_trial()) return;
  state_ = trial_;
  begin_is_new_ = true;
  stacked_ = history_.value(0);
  stacked_.head(n_y_) << state_.q, state_.v, state_.x;
  history_.replace_newest(stacked_);
}

/// The past of a method that has none: one step before the state what its rates let expect there.
void BdfMethod::begin_history(double h) {
  stacked_.head(n_y_ + n_v_ + m_ + n_x_) << state_.q, state_.v, state_.x, state_.a, state_.lambda, state_.x_rate;
  stacked_.tail(n_more_).setZero();
  history_.restart(state_.t, stacked_);
  if (options_.past) {
    fill_from_past(h);
  } else {
    stacked_.head(n_v_) += (0.5 * h * h) * state_.a - h * state_.v;
    stacked_.segment(n_v_, n_v_) -= h * state_.a;
    stacked_.segment(2 * n_v_, n_x_) -= h * state_.x_rate;
    history_.add_before(state_.t - h, stacked_);
  }
  note_begin();
}

void BdfMethod::fill_from_past(double h) {
  for (int i = 1; i <= options_.max_order; ++i) {
    const State past = options_.past(state_.t - i * h);
    stacked_.head(n_y_) << past.q, past.v, past.x;
    history_.add_before(state_.t - i * h, stacked_);
  }
  control_.order = options_.max_order;
  control_.climbs = false;
}

/// Prediction and known parts of v and x.
void BdfMethod::predict() {
  history_.predict(predicted_);
  history_.predict_rate(rate_);
  const double c = 1 / history_.leading_coefficient();
  known_v_ = predicted_v() - c * rate_.segment(n_v_, n_v_);
  known_x_ = predicted_x() - c * rate_.tail(n_x_);
  for (const int i : algebraic_) {
    known_x_[i] = state_.x[i];
    predicted_x_rate()[i] = (predicted_x()[i] - state_.x[i]) / c;
  }
}

StepOutcome BdfMethod::attempt(double h) {
  if (failures_ == kFailuresBeforePolish) polish_state();
  if (failures_ == kFailuresBeforeRestart) control_ = {};
  if (control_.last_order == 0) begin_history(h);
  ++failures_;  // until it is accepted
  trial_.t = context_.end_of_step(state_.t, h);
  history_.set_step(trial_.t, control_.order);
  predict();
  trouble_ = AccelerationStatus::kSolved;
  newton_failed_ = !solve();
  if (newton_failed_) return {StepStatus::kNotSolved};
  trial_ = equations_->trial();
  for (const int i : algebraic_) trial_.x_rate[i] = (trial_.x[i] - state_.x[i]) / h;
  context_.norm.set_weights(state_, trial_);
  if (!complete_trial()) return {StepStatus::kNotSolved};
  const State& solved = equations_->trial();
  stacked_.head(n_y_ + n_v_ + m_ + n_x_) << trial_.q, trial_.v, trial_.x, solved.a, solved.lambda, solved.x_rate;
  store_more(stacked_.tail(n_more_));
  const double size = calc_size(control_.order);
  error_ = work_;
  choose_next(h, size);
  note_judged();
  return {StepStatus::kSolved, history_.error_constant() * size};
}

bool BdfMethod::complete_trial() {
  evaluation_.set_position(trial_.t, trial_.q);
  evaluation_.set_x(trial_.x);
  trial_.x = evaluation_.follow_position();
  return complete();
}

/// Weighted size of the deviation from the prediction of an order; leaves it in work_.
double BdfMethod::calc_size(int order) {
  history_.calc_deviation(order, stacked_.head(n_y_), work_);
  for (const int i : algebraic_) work_[2 * n_v_ + i] = 0;
  return measure(work_);
}

/// The rule of DASSL: the order goes where the terms h^(k+1) y^(k+1) of the Taylor series are smallest, up only after
/// enough steps of the same kind, and by itself while the method climbs.
BdfMethod::Choice BdfMethod::choose_order(double size, int steady) {
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
void BdfMethod::choose_next(double h, double size) {
  const int k = control_.order;
  const bool is_same = k == control_.last_order && std::abs(h / control_.last_h - 1) < kSameStep;
  const int steady = is_same ? control_.steady + 1 : 1;
  const Choice choice = choose_order(size, steady);
  accepted_ = {choice.order, k, h, steady, control_.climbs && choice.order > k};

  const double error = history_.error_constant() * size;
  if (!(error <= 1)) {
    h_next_ = choose_after_rejection(h, error, choice);
    return;
  }
  const BdfRules& rules = options_.rules;
  double factor = calc_factor(rules.aim, choice.estimate, choice.order);
  if (accepted_.climbs) {
    factor = kMaxFactor;
  } else if (factor < 1) {
    factor = std::clamp(factor, kMinFactor, kMaxShrinking);
  } else {
    const bool waits = rules.grows_in_steady_state_only && steady <= k;
    factor = factor < rules.worth_growing || waits ? 1 : std::min(factor, kMaxFactor);
  }
  h_next_ = h * factor;
}

/// The size of the next attempt, and its order where the rules let it fall.
double BdfMethod::choose_after_rejection(double h, double error, const Choice& choice) {
  const int k = control_.order;
  Choice next{k, error};
  if (options_.rules.lowers_order_after_rejection) {
    control_.climbs = false;
    if (choice.order <= k) next = choice;
    control_.order = next.order;
  }
  const double factor = kSafetyAfterRejection * calc_factor(kAimAfterRejection, next.estimate, next.order);
  const bool is_first = failures_ == 1 && std::isfinite(factor);
  return h * (is_first ? std::clamp(factor, kMinFactorAfterRejection, kMaxShrinking) : kMinFactorAfterRejection);
}

void BdfMethod::accept() {
  before_ = std::exchange(control_, accepted_);
  history_.add(trial_.t, stacked_);
  std::swap(begin_, state_);
  std::swap(state_, trial_);
  failures_ = 0;
  begin_is_new_ = true;
  equations_->note_accepted_step();
}

bool BdfMethod::undo() {
  control_ = before_;
  history_.remove_newest();
  std::swap(state_, begin_);
  begin_is_new_ = true;
  return true;
}

int BdfMethod::dense_degree() const {
  // One degree more than the formula: the value before its last one costs nothing.
  return std::min(control_.last_order + 1, history_.count() - 1);
}

void BdfMethod::interpolate(double t, State& out) {
  history_.interpolate(t, dense_degree(), work_);
  out.t = t;
  out.q = work_.head(n_v_);
  out.v = work_.segment(n_v_, n_v_);
  out.x = work_.tail(n_x_);
}

double BdfMethod::calc_rcond(double h) {
  double sum = 0;
  for (int i = 1; i <= control_.order; ++i) sum += 1.0 / i;
  const double c = h / sum;
  return equations_->calc_rcond({c * c, c, c, 0});
}

std::string BdfMethod::describe_trouble() {
  if (newton_failed_) return equations_->describe_trouble();
  if (trouble_ != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation_, trouble_);
  return "the largest error is that of " + context_.norm.find_worst(evaluation_.structure(), error_.head(n_v_),
                                                                    error_.segment(n_v_, n_v_), error_.tail(n_x_));
}

}  // namespace trammel::integrators
