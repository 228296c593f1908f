#pragma once

// A matrix of SUNDIALS that is a sum of blocks with patterns of their own; a block's values are added place by place.

#include <vector>

#include "bench/peers/sundials.h"
#include "trammel/linalg/compressed_columns.h"

namespace trammel::bench {

class IterationMatrix {
 public:
  enum Side { kPlain, kTransposed };

  explicit IterationMatrix(int size) : size_(size) {}

  /// Places a block with its corner at (row, column) and returns its number.
  int add_block(const linalg::Pattern& pattern, int row, int column, Side side = kPlain);
  /// After the last block: a matrix that holds them all.
  MatrixOwner make_matrix(bool sparse);
  static LinearSolverOwner make_solver(N_Vector like, SUNMatrix matrix);

  /// Blocks are added to a matrix that SUNDIALS has set to zero.
  void begin(SUNMatrix matrix);
  void add(int block, const double* values, double weight = 1);

 private:
  int size_;
  std::vector<linalg::Entry> entries_;  // of all blocks
  std::vector<std::size_t> starts_{0};  // of the blocks among them
  linalg::CompressedColumns columns_;   // of a sparse matrix
  std::vector<int> slots_;              // of the entries in the values of the matrix
  double* values_ = nullptr;
};

}  // namespace trammel::bench
