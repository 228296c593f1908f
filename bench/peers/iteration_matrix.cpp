#include "bench/peers/iteration_matrix.h"

#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>

#include <algorithm>

namespace trammel::bench {

using linalg::Entry;

int IterationMatrix::add_block(const linalg::Pattern& pattern, int row, int column, Side side) {
  for (const Entry& e : pattern.entries()) {
    entries_.push_back(side == kPlain ? Entry{e.row + row, e.column + column} : Entry{e.column + row, e.row + column});
  }
  starts_.push_back(entries_.size());
  return static_cast<int>(starts_.size()) - 2;
}

MatrixOwner IterationMatrix::make_matrix(bool sparse) {
  if (sparse) {
    columns_ = compress(linalg::Pattern(size_, size_, entries_));
    slots_ = columns_.slots;
    return MatrixOwner(SUNSparseMatrix(size_, size_, columns_.size(), CSC_MAT, context()));
  }
  for (const Entry& e : entries_) slots_.push_back(e.row + e.column * size_);
  return MatrixOwner(SUNDenseMatrix(size_, size_, context()));
}

LinearSolverOwner IterationMatrix::make_solver(N_Vector like, SUNMatrix matrix) {
  const bool sparse = SUNMatGetID(matrix) == SUNMATRIX_SPARSE;
  return LinearSolverOwner(sparse ? SUNLinSol_KLU(like, matrix, context()) : SUNLinSol_Dense(like, matrix, context()));
}

void IterationMatrix::begin(SUNMatrix matrix) {
  if (SUNMatGetID(matrix) == SUNMATRIX_SPARSE) {
    // Zeroing made it forget the pattern, too.
    std::copy(columns_.offsets.begin(), columns_.offsets.end(), SUNSparseMatrix_IndexPointers(matrix));
    std::copy(columns_.row_indices.begin(), columns_.row_indices.end(), SUNSparseMatrix_IndexValues(matrix));
    values_ = SUNSparseMatrix_Data(matrix);
  } else {
    values_ = SUNDenseMatrix_Data(matrix);
  }
}

void IterationMatrix::add(int block, const double* values, double weight) {
  const auto b = static_cast<std::size_t>(block);
  for (std::size_t k = starts_[b]; k < starts_[b + 1]; ++k) values_[slots_[k]] += weight * *values++;
}

}  // namespace trammel::bench
