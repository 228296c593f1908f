#pragma once

// A function of time that drives a constraint, with the derivatives that the constraint needs.

#include <array>
#include <vector>

#include "trammel/model/expression/expression.h"

namespace trammel::system {

struct TimeValue {
  double value = 0;   ///< f
  double first = 0;   ///< f'
  double second = 0;  ///< f''
};

class TimeFunction {
 public:
  /// f is the program; its inputs are time only.
  static TimeFunction of(model::expression::Program program);
  /// f is the integral of the program from t_0, plus f_0, by adaptive quadrature to about 1e-12.
  static TimeFunction integral_of(model::expression::Program program, double t_0, double f_0);

  TimeValue calc(double t) const;
  const model::expression::Program& program() const { return program_; }

 private:
  template <class T>
  T eval(const T& t) const;
  /// `mean` is the size of the integrand over the whole way, `before` the error of the interval that was bisected.
  double integrate(double from, double to, double mean, double before, int depth) const;

  model::expression::Program program_;
  bool is_integral_ = false;
  double t_0_ = 0, f_0_ = 0;
};

}  // namespace trammel::system
