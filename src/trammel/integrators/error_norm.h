#pragma once

// The measure that decides on a step, the same for every method: the root mean square of e_i / w_i over positions,
// velocities and extra states, with w_i = rtol |y_i| + atol and |y_i| the larger of the values at both ends.

#include "trammel/dae/state.h"

namespace trammel::integrators {

/// Where |y_i| is taken from.
enum class WeightRule {
  kEnds,         ///< the larger of the values at both ends of the step
  kLargestSeen,  ///< the largest value so far, at least 1, and w_i = rtol |y_i|: the weights of the HHT paper
};

class ErrorNorm {
 public:
  ErrorNorm(const dae::Structure& structure, double rtol, double atol);

  /// Takes the weights from one state, or from the two ends of a step.
  void set_weights(const dae::State& at) { set_weights(at, at); }
  void set_weights(const dae::State& begin, const dae::State& end);

  /// Other weights than the usual ones; before the first set_weights().
  void set_rule(WeightRule rule);

  double calc(linalg::VectorIn q_error, linalg::VectorIn v_error, linalg::VectorIn x_error) const;
  /// The root of the sum of the mean squares of positions, velocities and states: (2.7) of the MEXX report.
  double calc_by_parts(linalg::VectorIn q_error, linalg::VectorIn v_error, linalg::VectorIn x_error) const;
  /// The same over positions and states alone; either may be empty.
  double calc_without_velocities(linalg::VectorIn q_error, linalg::VectorIn x_error) const;
  double rtol() const { return rtol_; }
  double atol() const { return atol_; }
  const linalg::Vector& q_weights() const { return q_; }
  const linalg::Vector& v_weights() const { return v_; }
  const linalg::Vector& x_weights() const { return x_; }

  /// The component with the largest weighted error, by name.
  std::string find_worst(const dae::Structure& structure, linalg::VectorIn q_error, linalg::VectorIn v_error,
                         linalg::VectorIn x_error) const;

 private:
  double rtol_, atol_;
  WeightRule rule_ = WeightRule::kEnds;
  linalg::Vector q_, v_, x_;
};

}  // namespace trammel::integrators
