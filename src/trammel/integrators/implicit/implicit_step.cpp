#include "trammel/integrators/implicit/implicit_step.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using linalg::VectorIn;

namespace {
// Corrections that no longer fall count as rounding errors up to this share of the tolerance. bdf-i3 takes the four-bar
// with 40 loops through its singular positions down to a tolerance of 1e-9 by it (without: 1e-8).
constexpr double kLargestRoundOff = 0.03;
constexpr int kMaxIterationsOfFixedSteps = 50;
}  // namespace

NewtonKind read_newton_kind(const std::string& word) {
  if (word == "full") return NewtonKind::kFull;
  return word == "quasi" ? NewtonKind::kQuasi : NewtonKind::kModified;
}

ImplicitStep::ImplicitStep(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options)
    : context_(context),
      evaluation_(context.evaluation),
      norm_(norm),
      options_(options),
      n_v_(evaluation_.structure().n_v()),
      n_x_(evaluation_.structure().n_x()),
      m_(evaluation_.structure().m()),
      n_g_(evaluation_.structure().n_g),
      policy_(options.policy) {
  const dae::Structure& s = evaluation_.structure();
  trial_ = dae::State::zero(s);
  q_0_ = dq_ = Vector::Zero(s.n_q());
  displacement_ = v_known_ = dv_ = a_predicted_ = Vector::Zero(n_v_);
  x_known_ = dx_ = x_rate_predicted_ = Vector::Zero(n_x_);
  lambda_predicted_ = Vector::Zero(m_);
}

void ImplicitStep::set_known(double t, VectorIn displacement, VectorIn v, VectorIn x) {
  trial_.t = t;
  displacement_ = displacement;
  v_known_ = v;
  x_known_ = x;
}

void ImplicitStep::set_prediction(VectorIn a, VectorIn lambda, VectorIn x_rate) {
  a_predicted_ = a;
  lambda_predicted_ = lambda;
  x_rate_predicted_ = x_rate;
}

bool ImplicitStep::solve(const StepCoefficients& coefficients, const CorrectionScale& scale) {
  c_ = coefficients;
  const bool is_full = options_.newton == NewtonKind::kFull;
  std::optional<RenewalCause> cause = is_full ? RenewalCause::kEveryIteration : policy_.should_renew(c_.c_v);
  for (;; cause = RenewalCause::kFailure) {
    predict_trial();
    if (cause && !renew(*cause)) return false;
    bool is_first = true;
    const auto iterate = [&] {
      const bool renews = is_full && !std::exchange(is_first, false);
      if ((renews && !renew(RenewalCause::kEveryIteration)) || !correct(scale)) return std::nan("");
      return measure_correction();
    };
    outcome_ = math::iterate_newton(
        iterate,
        {.max_iterations = context_.has_fixed_step ? kMaxIterationsOfFixedSteps : options_.max_iterations,
         .tolerance = options_.tolerance,
         .floor = round_off(scale),
         .forecasts = options_.forecasts},
        policy_.rate());
    policy_.note_iteration(outcome_);
    context_.statistics.newton_iterations += outcome_.iterations;
    if (outcome_.converged()) return true;
    if (!policy_.is_worth_renewing()) return is_at_round_off();
  }
}

/// Near singular positions rounding errors are magnified beyond round_off(): with a matrix of this very point
/// corrections become small and stop falling. Smaller steps would make that worse.
bool ImplicitStep::is_at_round_off() const {
  return outcome_.status != math::NewtonStatus::kFailed && outcome_.rate > 0.5 &&
         outcome_.correction <= kLargestRoundOff;
}

void ImplicitStep::note_accepted_step() {
  policy_.note_accepted_step();
  context_.statistics.renewals = policy_.counts();
}

bool ImplicitStep::renew(RenewalCause cause) {
  evaluation_.set(trial_);
  values_.clear();
  eval_matrix();
  policy_.note_renewal(cause, c_.c_v);
  factors_ = solver_->factor(values_, evaluation_.jacobian());
  if (!factors_.ok) policy_.note_restart();  // what could not be factorised is not used again
  return factors_.ok;
}

/// What a correction is made of when only rounding errors are left: positions are known to their last digits, and
/// velocities to those divided by the step.
double ImplicitStep::round_off(const CorrectionScale& scale) {
  constexpr double kDigits = 4 * std::numeric_limits<double>::epsilon();
  dq_ = kDigits * scale.q * trial_.q;
  dv_.setConstant(kDigits * scale.v * c_.c_v / c_.c_q * linalg::largest_abs(trial_.q));
  dx_ = kDigits * scale.x * trial_.x;
  return norm_.calc(dq_, dv_, dx_);
}

double ImplicitStep::calc_rcond(const StepCoefficients& coefficients) {
  c_ = coefficients;
  predict_trial();
  return renew(RenewalCause::kAge) ? solver_->calc_rcond() : 0;
}

std::string ImplicitStep::describe_trouble() {
  using kkt::AccelerationStatus;
  evaluation_.set(trial_);
  const bool is_finite =
      factors_.ok ? std::isfinite(outcome_.correction) : factors_.cause != linalg::FactorCause::kNotFinite;
  if (!is_finite) return kinematics::describe_failure(evaluation_, AccelerationStatus::kNotFinite);
  if (!factors_.ok) {
    const bool is_unsuitable = factors_.cause == linalg::FactorCause::kSingularBlock;
    return kinematics::describe_failure(
        evaluation_, is_unsuitable ? AccelerationStatus::kUnsuitable : AccelerationStatus::kSingular);
  }
  return fmt::format(
      "Newton's iteration did not converge (rate {:.2g} after {} iterations); the largest correction is that of {}",
      outcome_.rate, outcome_.iterations, norm_.find_worst(evaluation_.structure(), dq_, dv_, dx_));
}

}  // namespace trammel::integrators
