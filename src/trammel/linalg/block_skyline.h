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

#include <algorithm>
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
    return row.diagonal - static_cast<std::ptrdiff_t>(row.column - rows_[j].column) * calc_stride(row.size);
  }
  /// All blocks of row i become zero.
  void clear_row(int i);

  /// Block row i of R rows, when those before it are factorised. The answer is -1, or the row of the matrix whose pivot
  /// is not above `relative` times its diagonal: it depends on the rows before it.
  template <int R>
  int factor_row_of(int i, double relative);
  /// All rows, in order.
  int factor(double relative);
  /// Whether a pivot of the factorised matrix is below `relative` times its diagonal.
  bool is_below(double relative) const;
  /// Whether the diagonals of block row i were finite, after a factor_row_of() that failed there.
  bool is_finite_row(int i) const;
  /// Smallest pivot relative to the diagonal it came from, of the rows that were factorised; costs a division a row.
  double calc_smallest_pivot() const;

  /// x becomes B^-1 x: forward_row_of() for all rows in order, divide(), backward_row_of() for all rows in reverse
  /// order, which are L^-1, D^-1 and L^-T.
  void solve(double* x) const;
  /// From the right side of block row i, of R rows.
  template <int R>
  void forward_row_of(int i, Column<R> right, double* x) const;
  void divide(double* x) const;
  /// Returns the rows of x that are then known.
  template <int R>
  Column<R> backward_row_of(int i, double* x) const;

  /// Exact, of one factor() and of one solve().
  Operations calc_factor_operations() const;
  Operations calc_solve_operations() const;

 private:
  struct Row {
    int first;                ///< block
    int size;                 ///< rows
    int begin;                ///< first column of the matrix in the row
    int column;               ///< of the diagonal block, and its row
    std::ptrdiff_t diagonal;  ///< where the diagonal block stands, right behind the others
  };
  template <int R>
  void eliminate_by(const Row& row, const Row& other, double* panel, double* c) const;

  std::vector<Row> rows_;
  std::vector<double> data_;
  std::vector<double> inverse_, original_;  ///< of the pivots; diagonals before the factorisation
};

/// Block c of the row, whose columns are those of the other row.
template <int R>
inline void BlockSkyline::eliminate_by(const Row& row, const Row& other, double* panel, double* c) const {
  const int begin = std::max(row.begin, other.begin), n = other.column - begin;
  const double* a = panel + static_cast<std::ptrdiff_t>(begin - row.begin) * kStride<R>;
  const double* l = data_.data() + other.diagonal;
  if (other.size == R) {
    with_likely<0>(n, [&](auto width) { eliminate<R, R>(width, a, l - width * kStride<R>, l, c, c); });
  } else {
    with_rows(other.size, [&](auto s) { eliminate<R, s>(n, a, l - n * kStride<s>, l, c, c); });
  }
}

template <int R>
inline int BlockSkyline::factor_row_of(int i, double relative) {
  const Row& row = rows_[i];
  const int n = row.column - row.begin;
  double* c = data_.data() + row.diagonal;
  double* panel = c - static_cast<std::ptrdiff_t>(n) * kStride<R>;
  double* block = panel;
  for (const Row* other = &rows_[row.first]; other != &row; ++other) {
    eliminate_by<R>(row, *other, panel, block);
    block += other->size * kStride<R>;
  }
  // The diagonal is kept before anything is taken from it: what is left tells how far the row is from the others.
  double original[R];
  for (int k = 0; k < R; ++k) original[k] = c[k * kStride<R> + k];
  auto tile = Tile<R, R>::load(c);
  with_likely<R>(n, [&](auto width) { scale_and_add_square<-1>(width, panel, inverse_.data() + row.begin, tile); });
  tile.store(c);
  const int failed = factor_block<R>(c, relative, original, inverse_.data() + row.column);
  for (int k = 0; k < R; ++k) original_[row.column + k] = original[k];
  return failed < 0 ? -1 : row.column + failed;
}

template <int R>
inline void BlockSkyline::forward_row_of(int i, Column<R> right, double* x) const {
  const Row& row = rows_[i];
  const double* l = data_.data() + row.diagonal;
  with_likely<R>(row.column - row.begin,
                 [&](auto width) { right.template add_product<-1>(width, l - width * kStride<R>, x + row.begin); });
  right.solve_unit_lower(l);
  right.store(x + row.column);
}

template <int R>
inline Column<R> BlockSkyline::backward_row_of(int i, double* x) const {
  const Row& row = rows_[i];
  auto y = Column<R>::load(x + row.column);
  const double* l = data_.data() + row.diagonal;
  y.solve_unit_lower_transposed(l);
  y.store(x + row.column);
  with_likely<R>(row.column - row.begin,
                 [&](auto width) { y.subtract_transposed_product(width, l - width * kStride<R>, x + row.begin); });
  return y;
}

}  // namespace trammel::linalg
