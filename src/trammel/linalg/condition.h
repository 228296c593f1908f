#pragma once

// Estimate of the 1-norm of A^-1 from a few solves with A and A^T, for reciprocal condition numbers.
//
// ||A^-1|| is the maximum of the convex function ||A^-1 x||_1 over ||x||_1 <= 1, which is taken at a unit vector. Hager
// climbs from unit vector to unit vector along the subgradient A^-T sign(A^-1 x); Higham (ACM TOMS 14, 1988, alg. 4.1)
// limits the climb to five steps, stops when the signs repeat, and adds one vector of alternating sign as a second
// opinion. The result is a lower bound of the norm and rarely below a third of it.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace trammel::linalg {

/// solve(x) and solve_transposed(x) replace x, a vector of x.size() entries, by A^-1 x and A^-T x.
/// x and signs are scratch of the size of A. Zero for an empty matrix.
template <class Solve, class SolveTransposed>
double estimate_inverse_norm1(Eigen::Ref<Eigen::VectorXd> x, Eigen::Ref<Eigen::VectorXd> signs, const Solve& solve,
                              const SolveTransposed& solve_transposed) {
  const Eigen::Index n = x.size();
  if (n == 0) return 0;
  x.setConstant(1 / static_cast<double>(n));
  signs.setZero();
  double norm = 0;
  Eigen::Index best = -1;
  for (int climb = 0; climb < 5; ++climb) {
    solve(x);
    const double next = x.lpNorm<1>();
    if (climb > 0 && next <= norm) break;
    norm = next;
    bool repeated = true;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double sign = x[i] < 0 ? -1 : 1;
      repeated = repeated && sign == signs[i];
      signs[i] = sign;
    }
    if (repeated) break;
    x = signs;
    solve_transposed(x);
    const Eigen::Index previous = best;
    const double steepest = x.cwiseAbs().maxCoeff(&best);
    if (previous >= 0 && steepest <= std::abs(x[previous])) break;
    x.setZero();
    x[best] = 1;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const double size = 1 + static_cast<double>(i) / static_cast<double>(std::max<Eigen::Index>(n - 1, 1));
    x[i] = i % 2 == 0 ? size : -size;
  }
  solve(x);
  return std::max(norm, 2 * x.lpNorm<1>() / (3 * static_cast<double>(n)));
}

}  // namespace trammel::linalg
