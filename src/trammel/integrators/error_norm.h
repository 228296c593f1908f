#pragma once

// The measure that decides on a step, the same for every method: the root mean square of e_i / w_i over positions,
// velocities and extra states, with w_i = rtol |y_i| + atol and |y_i| the larger of the values at both ends.

#include "trammel/dae/state.h"

namespace trammel::integrators {

class ErrorNorm {
 public:
  ErrorNorm(const dae::Structure& structure, double rtol, double atol);

  /// Takes the weights from one state, or from the two ends of a step.
  void set_weights(const dae::State& at) { set_weights(at, at); }
  void set_weights(const dae::State& begin, const dae::State& end);

  double calc(linalg::VectorIn q_error, linalg::VectorIn v_error, linalg::VectorIn x_error) const;
  const linalg::Vector& q_weights() const { return q_; }
  const linalg::Vector& v_weights() const { return v_; }
  const linalg::Vector& x_weights() const { return x_; }

  /// The component with the largest weighted error, by name.
  std::string find_worst(const dae::Structure& structure, linalg::VectorIn q_error, linalg::VectorIn v_error,
                         linalg::VectorIn x_error) const;

 private:
  double rtol_, atol_;
  linalg::Vector q_, v_, x_;
};

}  // namespace trammel::integrators
