#pragma once

// P A = L U of a full square matrix with partial pivoting, for systems of a few to a few hundred unknowns.
//
// The matrix is written to matrix() (column by column), factor() overwrites it, solve() may follow any number of times.
// Memory is taken by resize() only. Small matrices use loops written for them, larger ones LAPACK (dgetrf).
//
// A matrix counts as singular when a pivot is zero or cannot be told from rounding error. With z the coefficients of
// column j as a combination of the columns before it (and 1 for itself),
//   |u_jj| <= n eps max_{i >= j} (|L| |U| |z|)_i
// says that rounding of size n eps |L| |U|, which every elimination commits (Higham, Accuracy and Stability, 9.3), may
// have made the whole of the pivot. The bound scales with each row and column, so bad scaling alone is no singularity.
//
// One object serves one thread at a time: calc_rcond() uses scratch memory of the object.

#include <Eigen/Core>
#include <vector>

#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/vector.h"

namespace trammel::linalg {

class DenseLu {
 public:
  DenseLu() = default;
  explicit DenseLu(int size) { resize(size); }

  /// Sets the matrix to zero.
  void resize(int size);
  int size() const { return size_; }

  /// Column-major, size() by size(). Holds the matrix before factor() and the factors after it.
  double* data() { return matrix_.data(); }
  Eigen::Map<Eigen::MatrixXd> matrix() { return {matrix_.data(), size_, size_}; }

  /// On failure the index is the column whose pivot vanished: it depends on the columns before it.
  FactorStatus factor();

  /// b becomes A^-1 b. Needs a factor() that succeeded, as the functions below do.
  void solve(VectorOut b) const;
  /// b becomes A^-T b.
  void solve_transposed(VectorOut b) const;

  /// Estimate of 1 / (||A||_1 ||A^-1||_1), by condition.h; 1 for an empty matrix.
  double calc_rcond() const;

 private:
  const double* column(int j) const { return matrix_.data() + static_cast<std::ptrdiff_t>(j) * size_; }
  double* column(int j) { return matrix_.data() + static_cast<std::ptrdiff_t>(j) * size_; }
  // These return the first column without a good pivot, or the number of columns.
  int eliminate();
  int eliminate_by_lapack();
  int find_meaningless_pivot(int columns) const;
  bool choose_pivot(int k);
  double calc_pivot_noise(int j) const;

  int size_ = 0;
  bool factored_ = false;
  double norm1_ = 0;
  std::vector<double> matrix_;
  std::vector<int> pivots_;               ///< row exchanged with row k at step k, from 1 as LAPACK counts
  std::vector<double> inverse_diagonal_;  ///< 1 / u_kk
  mutable Vector scratch_;                ///< two vectors
};

}  // namespace trammel::linalg
