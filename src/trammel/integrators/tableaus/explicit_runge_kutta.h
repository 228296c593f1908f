#pragma once

// Explicit Runge-Kutta formulas as data:
//   Y_i = y + h sum_{j<i} a_ij k_j,  k_i = f(t + c_i h, Y_i),  y_1 = y + h sum b_i k_i,  error = h sum e_i k_i,
// and inside of the step  y(theta) = y + h sum_i b_i(theta) k_i  with  b_i(theta) = sum_{p>=1} dense_ip theta^p.

#include <span>

namespace trammel::integrators {

struct ExplicitRungeKutta {
  int stages;
  int order;           ///< of y_1
  int embedded_order;  ///< of y_1 - error
  int dense_order;
  int dense_degree;
  std::span<const double> a;      ///< stages x stages, row by row, strictly lower
  std::span<const double> b;      ///< stages
  std::span<const double> c;      ///< stages
  std::span<const double> e;      ///< b minus the embedded weights
  std::span<const double> dense;  ///< stages x dense_degree, row by row
  /// Whether the last stage is the derivative at y_1, so that it serves as the first of the next step.
  bool first_same_as_last;
};

/// Dormand and Prince 1980, order 5 with embedded order 4 and Shampine's continuous extension of order 4
/// (Hairer, Norsett and Wanner I, table II.5.2 and II.6). Seven stages, the last one shared with the next step.
const ExplicitRungeKutta& dormand_prince_5();

/// The same formula with a continuous extension that keeps its order 4 when the accelerations of stages come from
/// velocity constraints at the next stage (docs/theory/herk.md). The embedded order 4 is that of the estimate put onto
/// the velocity constraints.
const ExplicitRungeKutta& half_explicit_dormand_prince_5();

}  // namespace trammel::integrators
