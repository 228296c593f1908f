#pragma once

// Accelerations and multipliers at a state, by a dense solution of [M, G^T - F; G, 0] (a, lambda) = (f - F lambda,
// bias) with F = df/dlambda: independent of the solvers of the library. Once for forces that are at most linear in
// lambda, again and again for others.

#include <Eigen/LU>

#include "trammel/dae/evaluation.h"

namespace trammel::cases {

inline void solve_accelerations(const dae::ConstrainedSystem& system, dae::State& state) {
  const dae::Structure& s = system.structure();
  const int n = s.n_v(), m = s.m();
  dae::Evaluation evaluation(system);
  state.lambda.setZero();
  const int iterations = s.switchable_rows.empty() ? 1 : 30;
  for (int k = 0; k < iterations; ++k) {
    evaluation.set(state);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
    const Eigen::MatrixXd G = s.jacobian.to_dense(evaluation.jacobian());
    A.topLeftCorner(n, n) = s.mass.to_dense(evaluation.mass());
    A.bottomLeftCorner(m, n) = G;
    A.topRightCorner(n, m) = G.transpose();
    dae::Vector b(n + m);
    b << evaluation.force(), evaluation.acceleration_bias();
    if (s.force_depends_on_lambda()) {
      const dae::Derivative which = dae::Derivative::kForceByLambda;
      const Eigen::MatrixXd F = s.pattern(which).to_dense(evaluation.derivative(which));
      A.topRightCorner(n, m) -= F;
      b.head(n) -= F * state.lambda;
    }
    const dae::Vector solution = A.fullPivLu().solve(b);
    state.a = solution.head(n);
    state.lambda = solution.tail(m);
  }
}

}  // namespace trammel::cases
