#pragma once

// Linear constraints satisfied with the least change, also where their rows depend on each other:
//
//   minimise ||W (u - pull)||^2  subject to  G u = r,                                                             (1)
//
// by the regular, quasi-definite system (Vanderbei; Friedlander and Orban)
//
//   [ W^2    G^T   ] [ u ]   [ W^2 pull ]
//   [  G   -d S^2  ] [ w ] = [    r     ],     S_i = ||row i of G W^-1||,                                          (2)
//
// whose solution minimises ||W (u - pull)||^2 + ||S^-1 (G u - r)||^2 / d: a step of Levenberg and Marquardt with the
// relative damping d. With the least d, repeated corrections of the residuals of (1) (the method of multipliers) make
// G u = r hold to round-off where that is possible; where rows contradict each other, u is their least-squares
// solution. Directions in which G is smaller than about sqrt(d) of its rows are left alone.

#include <vector>

#include "trammel/dae/structure.h"
#include "trammel/kkt/solver.h"

namespace trammel::analyses {

using linalg::Vector;
using linalg::VectorIn;
using linalg::VectorOut;

class LeastChange {
 public:
  /// Small enough to be no damping: positions are assembled to 1e-12, so rows that depend on each other leave singular
  /// values of about 1e-12; large enough that (2) can be solved in double precision.
  static constexpr double kLeastDamping = 1e-10;

  /// `weights` are W, n_v of them; u vanishes in the `held` components. Keeps a reference to the structure.
  LeastChange(const dae::Structure& structure, VectorIn weights, const std::vector<int>& held = {});

  /// Takes the first `rows` rows of G; the others count as zero. Fails only for values that are not finite.
  [[nodiscard]] linalg::FactorStatus factor(const double* jacobian, int rows, double damping = kLeastDamping);

  /// (1): r has m components, of which those beyond `rows` are not looked at.
  void solve(VectorIn r, VectorIn pull, VectorOut u);
  void solve(VectorIn r, VectorOut u);
  /// The shortest w (in the norm S) that minimises ||W^-1 (b - G^T w)||, held components left out.
  void solve_transposed(VectorIn b, VectorOut w);

  /// S of (2), m of them; 1 for a row of zeros.
  const Vector& row_scales() const { return scales_; }
  const kkt::SolverCounts& counts() const { return solver_->counts(); }

 private:
  void refine(VectorIn upper, VectorIn lower);

  const dae::Structure& structure_;
  linalg::Pattern diagonal_v_, diagonal_m_;
  std::unique_ptr<kkt::Solver> solver_;
  std::vector<bool> is_held_;
  Vector weights_, squares_;  // W, W^2
  Vector jacobian_;           // with held columns and unused rows zero
  Vector scales_, damping_;   // S, -d S^2
  double relative_damping_ = kLeastDamping;
  int rows_ = 0;
  Vector u_, w_, upper_, lower_;
};

}  // namespace trammel::analyses
