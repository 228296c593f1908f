#pragma once

// P A P^T = L D L^T of a full symmetric indefinite matrix, D with blocks of size 1 and 2 (Bunch and Kaufman, LAPACK).
//
// It is the method of MEXX report 3.1 for saddle-point systems [H G^T; G 0] with a symmetric H that need not be
// positive definite, and it counts eigenvalues by sign: a regular saddle-point matrix with m independent constraints
// and H positive definite on their null space has exactly m negative ones.
//
// The lower triangle is written to matrix(), factor() overwrites it. Memory is taken by resize() only.
// A pivot counts as vanished when it is zero or not above its rounding error, as in dense_lu.h. One object serves one
// thread at a time: calc_rcond() uses scratch memory of the object.

#include <Eigen/Core>
#include <vector>

#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/vector.h"

namespace trammel::linalg {

struct Inertia {
  int positive = 0;
  int negative = 0;
};

class DenseSymmetric {
 public:
  DenseSymmetric() = default;
  explicit DenseSymmetric(int size) { resize(size); }

  /// Sets the matrix to zero.
  void resize(int size);
  int size() const { return size_; }

  /// Column-major; the lower triangle is read.
  double* data() { return matrix_.data(); }
  Eigen::Map<Eigen::MatrixXd> matrix() { return {matrix_.data(), size_, size_}; }

  /// On failure the index is a row of the matrix that depends on the others.
  FactorStatus factor();

  /// b becomes A^-1 b. Needs a factor() that succeeded, as the functions below do.
  void solve(VectorOut b) const;

  /// Estimate of 1 / (||A||_1 ||A^-1||_1); 1 for an empty matrix.
  double calc_rcond() const;

  /// Numbers of positive and negative eigenvalues, from D by Sylvester's law.
  Inertia calc_inertia() const;

 private:
  double at(int i, int j) const { return matrix_[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * size_]; }
  bool is_block(int k) const { return pivots_[k] < 0; }
  FactorStatus eval_norm();
  int find_meaningless_pivot(int columns);
  double calc_pivot_noise(int row, int columns) const;
  int calc_original_row(int k) const;

  int size_ = 0;
  bool factored_ = false;
  double norm1_ = 0;
  std::vector<double> matrix_;
  std::vector<int> pivots_;            ///< as dsytrf gives them: negative pairs mark blocks of size 2
  mutable std::vector<double> work_;   ///< scratch, also of dsytrf and dsycon
  mutable std::vector<int> int_work_;  ///< scratch
};

}  // namespace trammel::linalg
