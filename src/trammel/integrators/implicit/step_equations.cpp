#include "trammel/integrators/implicit/step_equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::Derivative;
using linalg::Pattern;
using linalg::VectorIn;

namespace {
// Corrections that no longer fall count as rounding errors up to this share of the tolerance. bdf-i3 takes the four-bar
// with 40 loops through its singular positions down to a tolerance of 1e-9 by it (without: 1e-8).
constexpr double kLargestRoundOff = 0.03;
}  // namespace

NewtonKind read_newton_kind(const std::string& word) {
  if (word == "full") return NewtonKind::kFull;
  return word == "quasi" ? NewtonKind::kQuasi : NewtonKind::kModified;
}

StepEquations::StepEquations(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options)
    : context_(context),
      evaluation_(context.evaluation),
      norm_(norm),
      options_(options),
      n_v_(evaluation_.structure().n_v()),
      n_x_(evaluation_.structure().n_x()),
      m_(evaluation_.structure().m()),
      n_g_(evaluation_.structure().n_g),
      constant_mass_(evaluation_.structure().pattern(Derivative::kInertiaByQ).size() == 0),
      nonholonomic_(evaluation_.structure().pattern(Derivative::kVelocityByQ), n_g_),
      terms_(make_terms()),
      solver_(make_layout()),
      policy_(options.policy) {
  const dae::Structure& s = evaluation_.structure();
  trial_ = dae::State::zero(s);
  q_0_ = dq_ = Vector::Zero(s.n_q());
  mass_0_ = Vector::Zero(s.mass.size());
  balance_0_ = displacement_ = v_known_ = delta_ = dv_ = a_predicted_ = Vector::Zero(n_v_);
  x_known_ = dx_ = x_rate_predicted_ = Vector::Zero(n_x_);
  lambda_predicted_ = lower_ = Vector::Zero(m_);
  upper_ = Vector::Zero(n_v_ + n_x_);
  values_.reserve(terms_.size() + 2);
}

std::vector<StepEquations::Term> StepEquations::make_terms() const {
  const dae::Structure& s = evaluation_.structure();
  const int x = n_v_, lambda = n_v_ + n_x_;
  std::vector<Term> terms;
  const auto add = [&](Derivative which, int row, int column) {
    const Pattern& pattern = which == Derivative::kVelocityByQ ? nonholonomic_.pattern() : s.pattern(which);
    if (pattern.size() > 0) terms.push_back({which, row, column, &pattern});
  };
  add(Derivative::kForceByV, 0, 0);
  add(Derivative::kForceByQ, 0, 0);
  if (options_.newton != NewtonKind::kQuasi) {
    add(Derivative::kInertiaByQ, 0, 0);
    add(Derivative::kReactionByQ, 0, 0);
  }
  add(Derivative::kForceByLambda, 0, lambda);
  add(Derivative::kForceByX, 0, x);
  add(Derivative::kVelocityByQ, lambda + n_g_, 0);
  add(Derivative::kStateByXRate, x, x);
  add(Derivative::kStateByX, x, x);
  add(Derivative::kStateByA, x, 0);
  add(Derivative::kStateByV, x, 0);
  add(Derivative::kStateByQ, x, 0);
  add(Derivative::kStateByLambda, x, lambda);
  return terms;
}

kkt::Layout StepEquations::make_layout() const {
  const dae::Structure& s = evaluation_.structure();
  kkt::Layout layout;
  layout.upper = n_v_ + n_x_;
  layout.lower = m_;
  layout.jacobian = &s.jacobian;
  layout.blocks.push_back({&s.mass});
  if (!constant_mass_) layout.blocks.push_back({&s.mass});
  for (const Term& term : terms_) layout.blocks.push_back({term.pattern, term.row, term.column});
  return layout;
}

void StepEquations::set_begin(const dae::State& begin) {
  const dae::Structure& s = evaluation_.structure();
  q_0_ = begin.q;
  evaluation_.set(begin);
  balance_0_ = -evaluation_.force();
  if (m_ > 0) s.jacobian.add_transposed_product(evaluation_.jacobian(), begin.lambda, 1, balance_0_);
  if (!constant_mass_) std::copy_n(evaluation_.mass(), mass_0_.size(), mass_0_.data());
}

void StepEquations::set_known(double t, VectorIn displacement, VectorIn v, VectorIn x) {
  trial_.t = t;
  displacement_ = displacement;
  v_known_ = v;
  x_known_ = x;
}

void StepEquations::set_prediction(VectorIn a, VectorIn lambda, VectorIn x_rate) {
  a_predicted_ = a;
  lambda_predicted_ = lambda;
  x_rate_predicted_ = x_rate;
}

void StepEquations::update_trial() {
  delta_ = displacement_ + c_.c_q * trial_.a;
  evaluation_.system().retract(q_0_, delta_, trial_.q);
  trial_.v = v_known_ + c_.c_v * trial_.a;
  trial_.x = x_known_ + c_.c_x * trial_.x_rate;
}

bool StepEquations::solve(const StepCoefficients& coefficients, const CorrectionScale& scale) {
  c_ = coefficients;
  const bool is_full = options_.newton == NewtonKind::kFull;
  std::optional<RenewalCause> cause = is_full ? RenewalCause::kEveryIteration : policy_.should_renew(c_.c_v);
  for (;; cause = RenewalCause::kFailure) {
    trial_.a = a_predicted_;
    trial_.lambda = lambda_predicted_;
    trial_.x_rate = x_rate_predicted_;
    update_trial();
    if (cause && !renew(*cause)) return false;
    bool is_first = true;
    const auto iterate = [&] {
      const bool renews = is_full && !std::exchange(is_first, false);
      return renews && !renew(RenewalCause::kEveryIteration) ? std::nan("") : correct(scale);
    };
    outcome_ = math::iterate_newton(
        iterate,
        {.max_iterations = options_.max_iterations, .tolerance = options_.tolerance, .floor = round_off(scale)},
        policy_.rate());
    policy_.note_iteration(outcome_);
    context_.statistics.newton_iterations += outcome_.iterations;
    if (outcome_.converged()) return true;
    if (!policy_.is_worth_renewing()) return is_at_round_off();
  }
}

/// Near singular positions rounding errors are magnified beyond round_off(): with a matrix of this very point
/// corrections become small and stop falling. Smaller steps would make that worse.
bool StepEquations::is_at_round_off() const {
  return outcome_.status != math::NewtonStatus::kFailed && outcome_.rate > 0.5 &&
         outcome_.correction <= kLargestRoundOff;
}

void StepEquations::note_accepted_step() {
  policy_.note_accepted_step();
  context_.statistics.renewals = policy_.counts();
}

kkt::BlockValues StepEquations::eval_term(const Term& term) {
  switch (term.which) {
    case Derivative::kForceByV: return {evaluation_.derivative(term.which), -c_.c_v};
    case Derivative::kForceByQ: return {evaluation_.derivative(term.which), -c_.c_q};
    case Derivative::kInertiaByQ: return {evaluation_.derivative(term.which, trial_.a), c_.c_q};
    case Derivative::kReactionByQ: return {evaluation_.derivative(term.which, trial_.lambda), c_.c_q};
    case Derivative::kForceByLambda: return {evaluation_.derivative(term.which), -1};
    case Derivative::kForceByX: return {evaluation_.derivative(term.which), -c_.c_x};
    case Derivative::kStateByX: return {evaluation_.derivative(term.which), c_.c_x};
    case Derivative::kStateByV: return {evaluation_.derivative(term.which), c_.c_v};
    case Derivative::kStateByQ: return {evaluation_.derivative(term.which), c_.c_q};
    case Derivative::kVelocityByQ: return {nonholonomic_.select(evaluation_.derivative(term.which)), c_.c_q / c_.c_v};
    default: return {evaluation_.derivative(term.which), 1};
  }
}

bool StepEquations::renew(RenewalCause cause) {
  evaluation_.set(trial_);
  values_.clear();
  values_.push_back({evaluation_.mass(), constant_mass_ ? 1 + c_.w : 1});
  if (!constant_mass_) values_.push_back({mass_0_.data(), c_.w});
  for (const Term& term : terms_) values_.push_back(eval_term(term));
  policy_.note_renewal(cause, c_.c_v);
  factors_ = solver_.factor(values_, evaluation_.jacobian());
  if (!factors_.ok) policy_.note_restart();  // what could not be factorised is not used again
  return factors_.ok;
}

/// One correction; the trial has moved by it. Returns its norm.
double StepEquations::correct(const CorrectionScale& scale) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set(trial_);
  auto balance = upper_.head(n_v_);
  balance = evaluation_.force() - c_.w * balance_0_;
  s.mass.add_product(evaluation_.mass(), trial_.a, constant_mass_ ? -(1 + c_.w) : -1, balance);
  if (!constant_mass_ && c_.w != 0) s.mass.add_product(mass_0_.data(), trial_.a, -c_.w, balance);
  if (m_ > 0) s.jacobian.add_transposed_product(evaluation_.jacobian(), trial_.lambda, -1, balance);
  if (m_ > n_g_) {
    evaluation_.calc_velocity_residual(lower_);
    lower_ /= -c_.c_v;
  }
  lower_.head(n_g_) = evaluation_.constraint() / -c_.c_q;
  if (n_x_ > 0) upper_.tail(n_x_) = -evaluation_.state_residual();
  solver_.solve(upper_, lower_);
  trial_.a += upper_.head(n_v_);
  trial_.lambda += lower_;
  trial_.x_rate += upper_.tail(n_x_);
  update_trial();
  delta_ = (scale.q * c_.c_q) * upper_.head(n_v_);
  if (s.has_trivial_kinematics) {
    dq_ = delta_;
  } else {
    evaluation_.system().calc_position_rate(trial_.q, delta_, dq_);
  }
  dv_ = (scale.v * c_.c_v) * upper_.head(n_v_);
  dx_ = (scale.x * c_.c_x) * upper_.tail(n_x_);
  const double norm = norm_.calc(dq_, dv_, dx_);
  return std::isfinite(lower_.sum()) ? norm : std::nan("");
}

/// What a correction is made of when only rounding errors are left: positions are known to their last digits, and
/// velocities to those divided by the step.
double StepEquations::round_off(const CorrectionScale& scale) {
  constexpr double kDigits = 4 * std::numeric_limits<double>::epsilon();
  dq_ = kDigits * scale.q * trial_.q;
  dv_.setConstant(kDigits * scale.v * c_.c_v / c_.c_q * linalg::largest_abs(trial_.q));
  dx_ = kDigits * scale.x * trial_.x;
  return norm_.calc(dq_, dv_, dx_);
}

void StepEquations::filter(Vector& r) {
  upper_.head(n_v_) = r;
  upper_.tail(n_x_).setZero();
  lower_.setZero();
  solver_.solve(upper_, lower_);
  r = upper_.head(n_v_);
}

double StepEquations::calc_rcond(const StepCoefficients& coefficients) {
  c_ = coefficients;
  update_trial();
  return renew(RenewalCause::kAge) ? solver_.calc_rcond() : 0;
}

std::string StepEquations::describe_trouble() {
  using kkt::AccelerationStatus;
  evaluation_.set(trial_);
  const bool is_finite =
      factors_.ok ? std::isfinite(outcome_.correction) : factors_.cause != linalg::FactorCause::kNotFinite;
  if (!is_finite) return kinematics::describe_failure(evaluation_, AccelerationStatus::kNotFinite);
  if (!factors_.ok) return kinematics::describe_failure(evaluation_, AccelerationStatus::kSingular);
  return fmt::format(
      "Newton's iteration did not converge (rate {:.2g} after {} iterations); the largest correction is that of {}",
      outcome_.rate, outcome_.iterations, norm_.find_worst(evaluation_.structure(), dq_, dv_, dx_));
}

}  // namespace trammel::integrators
