#pragma once

// The places of a matrix that may be nonzero, fixed once, and values written into those places again and again.
//
// A pattern is a list of entries (row, column) in the order of its author. Values are a flat array in the same order.
// The same place may be listed more than once: the entries add up, as contributions of elements to a matrix do.
// A full pattern lists every place column by column, so its values are an ordinary column-major matrix.

#include <vector>

#include "trammel/linalg/vector.h"

namespace trammel::linalg {

struct Entry {
  int row;
  int column;
};

class Pattern {
 public:
  /// A matrix without entries: zero everywhere.
  Pattern() = default;
  Pattern(int rows, int columns) : Pattern(rows, columns, {}) {}
  /// Throws std::invalid_argument when an entry lies outside of the matrix.
  Pattern(int rows, int columns, std::vector<Entry> entries);

  static Pattern full(int rows, int columns);
  static Pattern diagonal(int size);

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  int size() const { return static_cast<int>(entries_.size()); }
  bool is_full() const { return full_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const Entry& operator[](int k) const { return entries_[static_cast<std::size_t>(k)]; }

  /// out += scale * A x, where A has this pattern and the given values (size() of them).
  void add_product(const double* values, VectorIn x, double scale, VectorOut out) const;
  /// out += scale * A^T y.
  void add_transposed_product(const double* values, VectorIn y, double scale, VectorOut out) const;
  /// The pattern of A^T, entry by entry: the same values serve.
  Pattern transposed() const;
  /// The matrix as a full one; entries that share a place are added.
  Eigen::MatrixXd to_dense(const double* values) const;

 private:
  int rows_ = 0;
  int columns_ = 0;
  bool full_ = false;
  std::vector<Entry> entries_;
};

/// Some rows or columns of a matrix: their pattern, and their values taken out of those of the whole.
class PatternPart {
 public:
  /// The part that begins at the given row, of the columns those with `has_column` (all when it is empty).
  PatternPart(const Pattern& whole, int first_row, const std::vector<bool>& has_column = {});
  /// The rows from first_row on and before end_row.
  PatternPart(const Pattern& whole, int first_row, int end_row);

  const Pattern& pattern() const { return pattern_; }
  /// The values of the part; valid until the next call.
  const double* select(const double* whole);

 private:
  PatternPart(const Pattern& whole, int first_row, int end_row, const std::vector<bool>& has_column);

  std::vector<int> entries_;
  Pattern pattern_;
  Vector values_;
};

/// Where the author of a matrix writes its values. They are zero beforehand.
class MatrixValues {
 public:
  MatrixValues(const Pattern& pattern, double* data) : pattern_(&pattern), data_(data) {}

  const Pattern& pattern() const { return *pattern_; }
  double* data() { return data_; }
  /// The k-th entry of the pattern.
  double& operator[](int k) { return data_[k]; }
  /// Entry (row, column) of a full pattern; a pattern with chosen entries is written by operator[]. Throws
  /// std::logic_error when the pattern is not full.
  double& operator()(int row, int column) {
    if (!pattern_->is_full()) throw_not_full();
    return data_[row + static_cast<std::ptrdiff_t>(column) * pattern_->rows()];
  }
  /// A full pattern as an Eigen matrix.
  Eigen::Map<Eigen::MatrixXd> dense() {
    if (!pattern_->is_full()) throw_not_full();
    return {data_, pattern_->rows(), pattern_->columns()};
  }

 private:
  [[noreturn]] static void throw_not_full();

  const Pattern* pattern_;
  double* data_;
};

}  // namespace trammel::linalg
