#pragma once

// The saddle-point system of mechanics with a positive definite mass matrix,
//
//   M w + G^T lambda = f,    G w = g      (M: n x n, G: m x n, m <= n; MEXX report (3.1), (3.2)),
//
// by M = L L^T and W = L^-1 G^T = Q R. It is the method for small mechanisms: full matrices, loops written for a dozen
// unknowns (n = 7, m = 6: see the measurements in the source file), no memory taken after resize().
//
// Two ways to R:
//   kHouseholder  W = Q R by reflections. With Q^T L^-1 f = (c1, c2) and y = R^-T g:
//                 lambda = R^-1 (c1 - y), w = L^-T Q (y, c2). Errors grow with cond(W); G w = g holds to round-off.
//   kCholesky     R^T R = W^T W. With u = L^-1 f: R^T R lambda = W^T u - g, w = L^-T (u - W lambda).
//                 A tenth faster, but errors grow with cond(W)^2 and rows that are dependent to within 1e-7 cannot
//                 be told from dependent ones.
//
// Dependence is judged relative to the row itself: |R_cc| / ||W e_c|| is the sine of the angle between constraint c and
// the span of the constraints before it, measured in the kinetic metric M^-1, hence free of units.
//
// One object serves one thread at a time: solve() uses scratch memory of the object.

#include <Eigen/Core>
#include <vector>

#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/vector.h"

namespace trammel::linalg {

enum class CholeskyQrVariant { kHouseholder, kCholesky };

/// Ratios of the diagonals of the factors: upper bounds of reciprocal condition numbers, at no cost.
struct DiagonalRcond {
  double mass = 1;         ///< (min L_ii / max L_ii)^2, at least 1 / cond(M)
  double constraints = 1;  ///< smallest sine of the angle between a constraint and those before it
};

class CholeskyQr {
 public:
  using StridedMatrix = Eigen::Map<Eigen::MatrixXd, Eigen::Unaligned, Eigen::OuterStride<>>;

  CholeskyQr() = default;
  CholeskyQr(int velocities, int constraints, CholeskyQrVariant variant = CholeskyQrVariant::kHouseholder) {
    resize(velocities, constraints, variant);
  }

  /// Sets both matrices to zero. With more constraints than velocities factor() fails, as it must.
  void resize(int velocities, int constraints, CholeskyQrVariant variant = CholeskyQrVariant::kHouseholder);
  int velocities() const { return n_; }
  int constraints() const { return m_; }

  /// M and G are written here, the lower triangle of M is read, and factor() overwrites both: write them again, all of
  /// them, before the next factor(). They share one array, so columns are further apart than they are long.
  StridedMatrix mass() { return {panel_.data(), n_, n_, Eigen::OuterStride<>(stride_)}; }
  StridedMatrix jacobian() { return {panel_.data() + even_n_, m_, n_, Eigen::OuterStride<>(stride_)}; }

  /// Fails with kNotPositiveDefinite (row of M), kDependentRow (row of G) or kNotFinite (row of M, or n + row of G).
  FactorStatus factor();

  /// (f, g) becomes (w, lambda). Needs a factor() that succeeded, as calc_diagonal_rcond() does.
  void solve(VectorOut top, VectorOut bottom) const;

  DiagonalRcond calc_diagonal_rcond() const;

 private:
  double* column(int j) { return panel_.data() + static_cast<std::ptrdiff_t>(j) * stride_; }
  const double* column(int j) const { return panel_.data() + static_cast<std::ptrdiff_t>(j) * stride_; }
  double* w(int c) { return w_.data() + static_cast<std::ptrdiff_t>(c) * even_n_; }
  const double* w(int c) const { return w_.data() + static_cast<std::ptrdiff_t>(c) * even_n_; }
  double* r(int c) { return r_.data() + static_cast<std::ptrdiff_t>(c) * even_m_; }

  FactorStatus factor_by_reflections();
  FactorStatus factor_by_normal_equations();
  FactorStatus make_reflector(int c, double squared_norm);
  void apply_reflector(int c, double* x) const;
  void apply_two_reflectors(int c, double* x) const;
  void apply_two_reflectors_backwards(int c, double* x) const;
  void solve_by_reflections(double* x, double* y) const;
  void solve_by_normal_equations(double* x, double* y) const;
  void clear_padding();

  // Everything is padded to even sizes, by a velocity of unit mass without constraints and by zero rows, so that
  // vectors of two numbers have no remainder.
  int n_ = 0;
  int m_ = 0;
  int even_n_ = 0;
  int even_m_ = 0;
  int stride_ = 0;
  bool factored_ = false;
  CholeskyQrVariant variant_ = CholeskyQrVariant::kHouseholder;
  std::vector<double> panel_;          ///< M over G, then L over W^T
  std::vector<double> inverse_l_;      ///< reciprocals of the diagonal of L
  std::vector<double> w_;              ///< kHouseholder: W, then the vectors of the reflections, column by column
  std::vector<double> r_;              ///< R above the diagonal (kHouseholder) or R^T below it (kCholesky)
  std::vector<double> inverse_r_;      ///< reciprocals of the diagonal of R
  std::vector<double> squared_norms_;  ///< of the columns of W
  std::vector<double> weights_;        ///< reflection c is I - weight v v^T
  std::vector<double> couplings_;  ///< of reflections c and c + 1 applied together, c even: both weights times v0 . v1
  mutable std::vector<double> scratch_;  ///< right side, padded
};

}  // namespace trammel::linalg
