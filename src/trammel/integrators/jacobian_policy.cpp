#include "trammel/integrators/jacobian_policy.h"

namespace trammel::integrators {

std::string to_string(RenewalCause cause) {
  switch (cause) {
    case RenewalCause::kFirst: return "first";
    case RenewalCause::kRestart: return "restart";
    case RenewalCause::kCoefficient: return "step size";
    case RenewalCause::kSlowConvergence: return "slow convergence";
    case RenewalCause::kFailure: return "failure";
    case RenewalCause::kAge: return "age";
    case RenewalCause::kEveryIteration: break;
  }
  return "every iteration";
}

std::optional<RenewalCause> JacobianPolicy::should_renew(double coefficient) const {
  if (restarted_) return RenewalCause::kRestart;
  if (!has_matrix_) return RenewalCause::kFirst;
  const bool is_of_any_coefficient = std::isinf(options_.max_coefficient_change);
  if (is_current_ && (is_of_any_coefficient || coefficient == coefficient_)) return std::nullopt;
  if (slow_) return RenewalCause::kSlowConvergence;
  if (std::abs(coefficient / coefficient_ - 1) > options_.max_coefficient_change) return RenewalCause::kCoefficient;
  if (age_ >= options_.max_age) return RenewalCause::kAge;
  return std::nullopt;
}

void JacobianPolicy::note_renewal(RenewalCause cause, double coefficient) {
  ++counts_[static_cast<std::size_t>(cause)];
  has_matrix_ = is_current_ = true;
  restarted_ = slow_ = false;
  coefficient_ = coefficient;
  rate_ = 1;
  age_ = 0;
}

void JacobianPolicy::note_iteration(const math::NewtonOutcome& outcome) {
  if (outcome.iterations > 1) rate_ = outcome.rate;
  slow_ = !outcome.converged() || (outcome.iterations > 1 && outcome.rate > options_.max_rate);
}

void JacobianPolicy::note_accepted_step() {
  is_current_ = false;
  ++age_;
}

void JacobianPolicy::note_restart() {
  restarted_ = has_matrix_;
  is_current_ = false;
}

}  // namespace trammel::integrators
