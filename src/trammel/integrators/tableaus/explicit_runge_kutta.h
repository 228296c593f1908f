#pragma once

// Explicit Runge-Kutta formulas as data:
//   Y_i = y + h sum_{j<i} a_ij k_j,  k_i = f(t + c_i h, Y_i),  y_1 = y + h sum b_i k_i,  error = h sum e_i k_i,
// and inside of the step  y(theta) = y + h sum_i b_i(theta) k_i  with  b_i(theta) = sum_{p>=1} dense_ip theta^p.

#include <span>

namespace trammel::integrators {

struct ExplicitRungeKutta {
  int stages;          ///< of the step
  int order;           ///< of y_1
  int embedded_order;  ///< of y_1 - error
  int dense_order;
  int dense_degree;
  std::span<const double> a;      ///< all_stages x all_stages, row by row, strictly lower
  std::span<const double> b;      ///< stages
  std::span<const double> c;      ///< all_stages
  std::span<const double> e;      ///< stages: b minus the embedded weights
  std::span<const double> dense;  ///< all_stages x dense_degree, row by row
  /// Whether the last stage of the step is the derivative at y_1, so that it serves as the first of the next step.
  bool first_same_as_last;
  /// Stages behind those of the step, for y(theta) only.
  int extra_stages = 0;
  /// A second estimate, of lower order, as b minus its weights; empty where there is none. With |.| the norm of the
  /// error test and E = h sum e_i k_i, E3 = h sum e3_i k_i the error is then |E|^2 / sqrt(|E|^2 + 0.01 |E3|^2), 0 where
  /// E = 0.
  std::span<const double> e3 = {};
  int e3_order = 0;

  constexpr int all_stages() const { return stages + extra_stages; }
  /// The error of a step goes like h^(error_order + 1).
  constexpr int error_order() const { return e3.empty() ? embedded_order : 2 * embedded_order - e3_order; }
};

/// Dormand and Prince 1980, order 5 with embedded order 4 and Shampine's continuous extension of order 4
/// (Hairer, Norsett and Wanner I, table II.5.2 and II.6). Seven stages, the last one shared with the next step.
const ExplicitRungeKutta& dormand_prince_5();

/// The same formula with a continuous extension that keeps its order 4 when the accelerations of stages come from
/// velocity constraints at the next stage (docs/theory/herk.md). The embedded order 4 is that of the estimate put onto
/// the velocity constraints.
const ExplicitRungeKutta& half_explicit_dormand_prince_5();

/// The formula of order 8 in the code DOP853 of Hairer, Norsett and Wanner (I, II.5 and II.6), after Dormand and
/// Prince: twelve stages and the derivative at y_1, estimates of orders 5 and 3, and a continuous extension of order 7
/// that takes three more stages. Its powers of theta cancel: b_i(theta) is good to about 1e-13.
const ExplicitRungeKutta& dormand_prince_8();

}  // namespace trammel::integrators
