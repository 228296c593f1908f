#pragma once

// Singly diagonally implicit Runge-Kutta formulas as data, in k-form:
//   Y_i = y + h sum_{j<=i} a_ij k_j  with a_ii = gamma,  k_i = f(t + c_i h, Y_i),  y_1 = y + h sum b_i k_i,
//   error = h sum e_i k_i,
// and inside of the step  y(theta) = y + h sum_i b_i(theta) k_i  with  b_i(theta) = sum_{p>=1} dense_ip theta^p.
// Weights x of z_i = Y_i - y are weights x A of h k_i.
//
// Both formulas are stiffly accurate (the last stage is y_1) and L-stable. Their continuous extension is of order 3,
// satisfies the quadrature condition of order 4, and has the derivative k_5 = f(t_1, y_1) at theta = 1. Its
// derivative at theta = 0 is not f(t, y).

#include <span>

namespace trammel::integrators {

struct Sdirk {
  int stages;
  int order;           ///< of y_1
  int embedded_order;  ///< of y_1 - error
  int dense_order;
  int dense_degree;
  double gamma;                   ///< the diagonal of a
  std::span<const double> a;      ///< stages x stages, row by row, lower
  std::span<const double> b;      ///< stages, the last row of a
  std::span<const double> c;      ///< stages
  std::span<const double> e;      ///< b minus the embedded weights
  std::span<const double> dense;  ///< stages x dense_degree, row by row
};

/// gamma = 4/16, five stages, order 4 with embedded order 3: table 13 and (4.12) of D. Negrut's thesis (1998), after
/// Hairer and Wanner II, IV.6.
const Sdirk& sdirk4_16();

/// gamma = 4/15, five stages, order 4 with embedded order 3: section 4.5.1 of D. Negrut's thesis (1998), the formula of
/// Hairer and Wanner's code SDIRK4.
const Sdirk& sdirk4_15();

}  // namespace trammel::integrators
