#pragma once

// Which columns of a full-rank matrix J (m x n, m <= n) make a well-conditioned square one: Gaussian elimination with
// full pivoting, where the m columns that pivots were taken from are the answer (thesis (3.1)).
//
// Rows are scaled to unit length first: a constraint may be multiplied by any number. Up to dense_limit rows J is
// treated as a full matrix, at a cost of m^2 n and without taking memory after resize(). Above, rows are kept sparse
// and the largest entries of rows in a heap; the cost is that of the fill.

#include <Eigen/Core>
#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel::linalg {

class PivotColumns {
 public:
  /// Keeps a reference to the pattern.
  explicit PivotColumns(const Pattern& pattern, int dense_limit = 300);

  /// True when the matrix has full row rank: all pivots above `tolerance`, rows having unit length.
  bool choose(const double* values, double tolerance = 1e-10);

  /// The columns with pivots, m of them, and the others, n - m, both in increasing order.
  const std::vector<int>& chosen() const { return chosen_; }
  const std::vector<int>& others() const { return others_; }

 private:
  bool choose_dense(const double* values, double tolerance);
  bool choose_sparse(const double* values, double tolerance);
  void list_columns();

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  const Pattern& pattern_;
  bool is_dense_;
  RowMajor matrix_;
  std::vector<bool> has_pivot_;
  std::vector<int> chosen_, others_;
};

}  // namespace trammel::linalg
