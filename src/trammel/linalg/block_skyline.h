#pragma once

// L D L^T of a symmetric positive definite matrix in blocks, stored by rows within its skyline (thesis 3.4.2.3).
//
// Row i of blocks holds its blocks (i, j) from the first nonzero one, j = first(i), to the diagonal; they stay within
// it. Zeros between are treated as numbers, so the order of the blocks decides the cost (profile_ordering.h).
// Cholesky's factorisation without roots: L has ones on its diagonal, D is diagonal,
//
//   E_ij = (B_ij - sum_k E_ik L_jk^T) L_jj^-T,   k from max(first(i), first(j)) to j - 1,   for j = first(i), ..., i -
//   1 L_ij = E_ij D_j^-1 L_ii D_i L_ii^T = B_ii - sum_j E_ij L_ij^T
//
// row after row, so that a row may be filled in right before it is factorised. Each row of the matrix takes one
// reciprocal and no root: in a chain every row waits for the one before it, and roots would lengthen that wait.

#include <span>
#include <vector>

#include "trammel/linalg/block_kernels.h"
#include "trammel/linalg/operations.h"

namespace trammel::linalg {

class BlockSkyline {
 public:
  BlockSkyline() = default;
  /// Sizes of the blocks, 1 to kMaxBlock, and for each row of blocks its first one, at most itself. Throws
  /// std::invalid_argument when they are not so.
  BlockSkyline(std::span<const int> sizes, std::span<const int> first);

  int size() const { return static_cast<int>(inverse_.size()); }  ///< of the matrix
  int blocks() const { return static_cast<int>(rows_.size()); }
  int rows_of(int i) const { return rows_[i].size; }
  int first(int i) const { return rows_[i].first; }
  /// Where the rows of block row i begin in vectors.
  int begin(int i) const { return rows_[i].column; }
  /// Numbers that are stored for L and D, without padding.
  long stored() const;

  /// Numbers of block (i, j), first(i) <= j <= i: column after column, calc_stride(rows_of(i)) apart. Of diagonal
  /// blocks the lower triangle counts. Padding is zero and stays so.
  double* block(int i, int j) { return data_.data() + place(i, j); }
  const double* block(int i, int j) const { return data_.data() + place(i, j); }
  std::ptrdiff_t place(int i, int j) const {
    const Row& row = rows_[i];
    return row.offset + static_cast<std::ptrdiff_t>(rows_[j].column - row.begin) * calc_stride(row.size);
  }
  /// All blocks of row i become zero.
  void clear_row(int i);

  /// Rows 0 to i - 1 are factorised. The answer is -1, or the row of the matrix whose pivot is not above `relative`
  /// times its diagonal: it depends on the rows before it.
  int factor_row(int i, double relative);
  /// All rows, in order.
  int factor(double relative);
  /// Whether a pivot of block row i, which was factorised, is below `relative` times its diagonal.
  bool is_below(int i, double relative) const {
    const Row& row = rows_[i];
    bool is_below = false;
    for (int k = row.column; k < row.column + row.size; ++k) is_below |= inverse_[k] * original_[k] * relative > 1;
    return is_below;
  }
  /// Whether the diagonals of block row i were finite, after a factor_row() that failed there.
  bool is_finite_row(int i) const;
  /// Smallest pivot relative to the diagonal it came from, of the rows that were factorised; costs a division a row.
  double calc_smallest_pivot() const;

  /// x becomes B^-1 x: forward_row() for all rows in order, divide(), backward_row() for all rows in reverse order,
  /// which are L^-1, D^-1 and L^-T.
  void solve(double* x) const;
  void forward_row(int i, double* x) const;
  void divide(double* x) const;
  void backward_row(int i, double* x) const;

  /// Exact, of one factor() and of one solve().
  Operations calc_factor_operations() const;
  Operations calc_solve_operations() const;

 private:
  struct Row {
    int first;              ///< block
    int size;               ///< rows
    int begin;              ///< first column of the matrix in the row
    int column;             ///< of the diagonal block, and its row
    std::ptrdiff_t offset;  ///< of the data
  };
  template <int R>
  int factor_row_of(int i, double relative);
  template <int R>
  void eliminate_by(const Row& row, const Row& other, double* panel, double* c) const;

  std::vector<Row> rows_;
  std::vector<double> data_;
  std::vector<double> inverse_, original_;  ///< of the pivots; diagonals before the factorisation
};

}  // namespace trammel::linalg
