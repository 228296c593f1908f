#pragma once

// Small motions about a state of rest (v = 0, a = 0) on the constraint manifold, and small deviations from a motion.
//
// With the null spaces
//   G_h N_q = 0 (holonomic rows),   G N = 0 (all rows),   (G - (df/dlambda)^T) P = 0,
// displacements delta = N_q y and velocities N z satisfy the constraints to first order, and multiplying the equations
// of motion by P^T takes the multipliers out of them (P = N unless forces depend on reactions):
//
//   y' = N_q^T N z                                                                                                (1)
//   M_r z' + D_r z + K_r y - F_r x = 0                                                                            (2)
//   M_r = P^T M N,   D_r = -P^T df/dv N,   K_r = P^T d(G^T lambda - f)/dq N_q,   F_r = P^T df/dx
//
// and the extra states add the linearised rows of d = 0, the multipliers in them expressed by (y, z, z', x). The
// curving of the manifold is in K_r, by the reactions. All together is E s' = A s with s = (y, z, x). Dense: some
// hundred coordinates. Bases are orthonormal; G may have dependent rows.
//
// About a state in motion deviations obey the constraints on velocities and accelerations, too. With
// C = d(G v + g_t)/dq, A_q = d(G a - bias)/dq, b_v = d bias/dv, and bases that are carried along without turning in
// their own plane (N' = -G^+ C N), they are
//
//   dq = N_q y,   dv = N z + S y,   S = -G^+ C N_q                                                                (3)
//   da = N z' + Q_y y + Q_z z,   Q_y = G^+ (b_v S - A_q N_q) - N S^T S,   Q_z = G^+ b_v N                         (4)
//
// which put into d(M a + G^T lambda - f) = 0 and multiplied by P^T give (2) with
//
//   K_r = P^T (d(M a + G^T lambda - f)/dq N_q - df/dv S + M Q_y),   D_r = P^T (M Q_z - df/dv N)                   (5)
//
// and y' = N_q^T (N z + S y). For v = 0, a = 0 it is the same as above. (3) and (4) are exact where all rows are
// holonomic and q' = v; with nonholonomic rows or quasi-velocities terms of the size of the velocity are missing, so
// that spatial models should be in plain form.

#include <Eigen/Core>

#include "trammel/dae/evaluation.h"

namespace trammel::analyses {

/// An orthonormal basis of { u : A u = 0 }, one column a vector. Rows are scaled to unit length first; what is left of
/// a row below `tolerance` counts as zero. For A without rows it is the identity.
Eigen::MatrixXd calc_null_space(const Eigen::Ref<const Eigen::MatrixXd>& A, double tolerance = 1e-8);

/// The full matrices at a state of rest, each n_v x n_v.
struct StiffnessParts {
  Eigen::MatrixXd K;           ///< d(G^T lambda - f)/dq
  Eigen::MatrixXd magnitudes;  ///< |d(G^T lambda)/dq| + |df/dq|, entry by entry: what may have cancelled in K
};
/// The evaluation stands at (q, v = 0, lambda, x).
StiffnessParts calc_stiffness(dae::Evaluation& evaluation);

struct Linearisation {
  Eigen::MatrixXd N_q, N, P;
  Eigen::MatrixXd M, D, K, F;  ///< M_r, D_r, K_r, F_r of (2)
  Eigen::MatrixXd K_noise;     ///< |P|^T magnitudes |N_q|: what cancelled in K_r, to judge its zeros by
  Eigen::MatrixXd E, A;        ///< E s' = A s
  int n_y = 0, n_z = 0, n_x = 0;
};

/// The evaluation stands at a state of rest with its lambda and x. n_v^3 operations.
Linearisation linearise(dae::Evaluation& evaluation);

/// The evaluation stands at any complete state (a, lambda, x and x' fit q and v): (3) to (5).
Linearisation linearise_motion(dae::Evaluation& evaluation);

}  // namespace trammel::analyses
