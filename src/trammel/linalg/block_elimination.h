#pragma once

// Block elimination of saddle-point systems whose constraints determine the coordinates p that have mass by coordinates
// q that have none (report on MEXX, (3.3) and (3.4); docs/decisions/0016-block-elimination.md):
//
//   [ M  0  K^T ] [ p ]   [ r ]
//   [ 0  0  J^T ] [ q ] = [ c ]     M m x m, K m x m invertible, J m x k.
//   [ K  J   0  ] [ w ]   [ s ]
//
// With Z = K^-1 J and y = K^-1 s,
//   A q = c - Z^T (r - M y),   A = Z^T M Z,                                                                       (1)
//   p = y - Z q,                                                                                                  (2)
//   w = K^-T (r - M p).                                                                                           (3)
// A is the mass matrix of the system in the minimal coordinates q. K is factorised by LU, A by Cholesky. The whole is
// singular if and only if A is, provided that K is regular.
//
// One object serves one thread at a time: solve() uses scratch memory of the object. Memory is taken by resize() only.

#include <Eigen/Core>

#include "trammel/linalg/cholesky_qr.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/pattern.h"

namespace trammel::linalg {

class BlockElimination {
 public:
  /// The pattern of M, and k. Sets K and J to zero.
  void resize(const Pattern& mass, int massless);

  /// K and J are written here, all of them before every factor(), which overwrites both.
  Eigen::Map<Eigen::MatrixXd> K() { return K_.matrix(); }
  Eigen::MatrixXd& J() { return Z_; }

  /// From the values of M in the order of its pattern. Fails with kSingularBlock (column of K), kZeroPivot (a column of
  /// J that adds no motion with inertia) or kNotFinite.
  FactorStatus factor(const double* mass);

  /// (r, c, s) becomes (p, q, w). Needs a factor() that succeeded, as calc_rcond() does.
  void solve(VectorOut p, VectorOut q, VectorOut w) const;

  /// The smaller of the reciprocal condition estimates of K and A.
  double calc_rcond() const;

 private:
  Pattern mass_;
  Vector mass_values_;
  DenseLu K_;
  Eigen::MatrixXd Z_;    ///< J, then K^-1 J
  CholeskyQr reduced_;   ///< A, without constraints
  mutable Vector y_;     ///< right sides of K
  mutable Vector work_;  ///< products with M
};

}  // namespace trammel::linalg
