#pragma once

// When an iteration matrix is renewed: rarely, but before the step size has to pay for an old one.
//
// A matrix depends on the state it was evaluated at and on a coefficient (the weight of the step size in it). It is
// kept while Newton's iteration converges well and the coefficient has changed little; renewals are counted by cause.

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "trammel/math/newton.h"

namespace trammel::integrators {

enum class RenewalCause { kFirst, kRestart, kCoefficient, kSlowConvergence, kFailure, kAge, kEveryIteration };
inline constexpr int kRenewalCauses = 7;
using RenewalCounts = std::array<long, kRenewalCauses>;
std::string to_string(RenewalCause cause);

struct JacobianPolicyOptions {
  double max_rate = 0.3;                ///< convergence slower than this asks for a new matrix at the next step
  double max_coefficient_change = 0.3;  ///< relative change of the coefficient that a matrix survives;
                                        ///< infinite: what is kept does not depend on it
  int max_age = 50;                     ///< accepted steps
};

class JacobianPolicy {
 public:
  explicit JacobianPolicy(const JacobianPolicyOptions& options = {}) : options_(options) {}

  /// Whether the next iteration, with this coefficient, should start with a new matrix, and why.
  std::optional<RenewalCause> should_renew(double coefficient) const;
  /// After a failed iteration: a matrix that is not from this very point is worth renewing before the step is cut.
  bool is_worth_renewing() const { return has_matrix_ && !is_current_; }

  void note_renewal(RenewalCause cause, double coefficient);
  void note_iteration(const math::NewtonOutcome& outcome);
  /// The state has moved on.
  void note_accepted_step();
  void note_restart();

  /// Last measured rate, the starting guess for the next iteration with the same matrix.
  double rate() const { return rate_; }
  const RenewalCounts& counts() const { return counts_; }

 private:
  JacobianPolicyOptions options_;
  bool has_matrix_ = false;
  bool restarted_ = false;
  bool is_current_ = false;
  double coefficient_ = 0;
  double rate_ = 1;
  int age_ = 0;
  bool slow_ = false;
  RenewalCounts counts_{};
};

}  // namespace trammel::integrators
