#pragma once

// Newton's iteration that knows neither time nor mechanics: an object offers one correction after the other, this says
// when they are small enough, or that they will not be.
//
// With d_k the norm of the k-th correction and the rate theta = d_k / d_{k-1}, the distance to the solution is about
// theta/(1 - theta) d_k. The iteration has converged when that is at most `tolerance`, and is given up as soon as the
// forecast theta^(k_max - k)/(1 - theta) d_k says that it will not in the iterations that are left.

#include <algorithm>
#include <cmath>

namespace trammel::math {

struct NewtonOptions {
  int max_iterations = 8;   ///< 1 or more
  double tolerance = 1e-2;  ///< of the distance to the solution, in the norm of the corrections
  double max_rate = 0.9;    ///< a larger rate counts as divergence
  double floor = 0;         ///< corrections of this size are rounding errors: nothing is left to gain
  bool forecasts = true;    ///< gives up early; otherwise only after the last iteration, or at a rate above max_rate
};

enum class NewtonStatus { kConverged, kTooSlow, kDiverged, kFailed };

struct NewtonOutcome {
  NewtonStatus status = NewtonStatus::kFailed;
  int iterations = 0;
  double rate = 1;        ///< last measured theta; the rate given when only one iteration was made
  double correction = 0;  ///< norm of the last correction

  bool converged() const { return status == NewtonStatus::kConverged; }
};

inline constexpr double kLeastFirstRate = 0.01;

/// Runs `correct()`, which makes one correction and returns its norm (anything not finite: it could not be made).
/// `last_rate` is the rate seen in an earlier solve with the same matrix; it allows to stop after one iteration.
template <class Correct>
NewtonOutcome iterate_newton(Correct&& correct, const NewtonOptions& options, double last_rate = 1) {
  NewtonOutcome outcome;
  outcome.rate = last_rate;
  double previous = 0;
  for (int k = 1; k <= options.max_iterations; ++k) {
    const double norm = correct();
    outcome.iterations = k;
    outcome.correction = norm;
    if (!std::isfinite(norm)) {
      outcome.status = NewtonStatus::kFailed;
      return outcome;
    }
    if (k > 1 && previous > 0) outcome.rate = norm / previous;
    previous = norm;
    // A rate from an earlier solve is not trusted blindly: the first correction is often far from the linear regime.
    const double rate = k == 1 ? std::max(outcome.rate, kLeastFirstRate) : outcome.rate;
    // A correction far below the tolerance, or at round-off, has no meaningful rate.
    if (norm <= std::max(options.floor, 1e-6 * options.tolerance) ||
        (rate < 1 && rate / (1 - rate) * norm <= options.tolerance)) {
      outcome.status = NewtonStatus::kConverged;
      return outcome;
    }
    if (k == 1) continue;
    if (rate > options.max_rate) {
      outcome.status = NewtonStatus::kDiverged;
      return outcome;
    }
    if (options.forecasts && std::pow(rate, options.max_iterations - k) / (1 - rate) * norm > options.tolerance) break;
  }
  outcome.status = NewtonStatus::kTooSlow;
  return outcome;
}

}  // namespace trammel::math
