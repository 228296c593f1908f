#pragma once

// The equations of rest and one Newton step for them.
//
//   load f(t, q, 0, lambda, x) - G^T lambda - (1 - load) k W^2 moved = 0                                          (1)
//   g(t, q) = 0                                                                                                   (2)
//   d(x' = 0, x, t, q, 0, 0, lambda) = 0                                                                          (3)
//
// load = 1 is the equilibrium; below it springs k W^2 (metric.h) tie every coordinate to where it started (`moved` is
// the way from there), so that load = 0 is solved by the start itself. The step is
//
//   [ K + shift W^2   G^T - load df/dlambda   -load df/dx ] [ delta   ]
//   [       G               -d S^2                0       ] [ dlambda ]  =  -residuals                            (4)
//   [     dd/dq           dd/dlambda        dd/dx + ...   ] [ dx      ]
//
// with K = d(G^T lambda - load f)/dq + (1 - load) k W^2. The shift keeps (4) regular where the equilibrium is not
// isolated, and makes it a step of the implicit Euler rule for W^2 q' = f - G^T lambda when it is large; d S^2
// (least_change.h) does the same for rows that depend on each other, without changing the solution. Rows of G that are
// nonholonomic restrict delta: the system is moved only where it could roll.

#include <memory>

#include "trammel/analyses/least_change.h"
#include "trammel/analyses/metric.h"

namespace trammel::analyses {

/// A position on the way to an equilibrium.
struct RestState {
  dae::State state;  ///< v = a = x' = 0
  Vector moved;      ///< from the start, n_v; exact for q' = v and right to second order in rotations otherwise
};

class EquilibriumEquations {
 public:
  /// Keeps references.
  EquilibriumEquations(dae::Evaluation& evaluation, const CoordinateMetric& metric);

  /// load and k of (1).
  void set_load(double load, double stiffness);

  /// Residuals at a state. False when some value is not a finite number.
  bool eval_residuals(const RestState& at);
  /// Of (1), n_v, at the state of the last eval_residuals(); so are all below.
  const Vector& force_residual() const { return force_; }
  /// Largest |residual_i| / w_i of (1).
  double force_error() const { return linalg::largest_abs(force_.cwiseQuotient(metric_.weights)); }
  /// Largest |term| / w_i in (1): what force_error() is judged against.
  double force_scale() const { return force_scale_; }
  /// Largest residual of (2), each row divided by its S, and of (3), each divided by its largest derivative or 1.
  double constraint_error() const { return constraint_error_; }
  double state_error() const { return state_error_; }
  /// Sum of squares of the three, forces divided by `force_unit`.
  double calc_merit(double force_unit) const;

  /// Evaluates the matrices of (4).
  void eval_matrices(const RestState& at);
  /// Largest |K_ij| / (w_i w_j), or the force scale over the length of the metric when that is larger.
  double stiffness_scale() const { return stiffness_scale_; }
  /// delta^T K delta.
  double calc_curvature(VectorIn delta) const;
  /// Factorises (4). `state_shift` adds that times dd/dx' to dd/dx.
  [[nodiscard]] linalg::FactorStatus factor(double shift, double state_shift);
  /// The step from the residuals and the factorised matrix. Where forces depend on lambda,
  /// dlambda is the shortest of those with the same G^T dlambda; elsewhere multipliers come from least squares anyway.
  void solve(Vector& delta, Vector& delta_lambda, Vector& delta_x);

  /// lambda of least squares in (1) at the position of `at`; false when G is not finite.
  bool estimate_multipliers(RestState& at);

 private:
  void eval_scales();

  dae::Evaluation& evaluation_;
  const CoordinateMetric& metric_;
  double load_ = 1, stiffness_ = 0;
  linalg::Pattern diagonal_v_, diagonal_m_, diagonal_x_;
  std::unique_ptr<kkt::Solver> solver_;
  LeastChange least_change_;
  Vector squares_;  // W^2
  Vector force_, constraint_, states_;
  double force_scale_ = 0, constraint_error_ = 0, state_error_ = 0, stiffness_scale_ = 1;
  Vector row_scales_, state_scales_, damping_;
  Vector held_;  // 1 for states that follow the position, of which (3) says nothing at rest: their dx is zero in (4)
  // Values of the derivatives of (4), in the order of the layout.
  Vector reaction_by_q_, force_by_q_, force_by_lambda_, force_by_x_;
  Vector state_by_q_, state_by_lambda_, state_by_x_, state_by_rate_, jacobian_;
  Vector upper_, lower_;
};

}  // namespace trammel::analyses
