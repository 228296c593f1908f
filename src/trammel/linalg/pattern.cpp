#include "trammel/linalg/pattern.h"

#include <fmt/format.h>

#include <stdexcept>

namespace trammel::linalg {

Pattern::Pattern(int rows, int columns, std::vector<Entry> entries)
    : rows_(rows), columns_(columns), entries_(std::move(entries)) {
  for (const Entry& e : entries_) {
    if (e.row < 0 || e.row >= rows_ || e.column < 0 || e.column >= columns_) {
      throw std::invalid_argument(
          fmt::format("pattern entry ({}, {}) lies outside of a {} by {} matrix", e.row, e.column, rows_, columns_));
    }
  }
}

Pattern Pattern::full(int rows, int columns) {
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) entries.push_back({i, j});
  Pattern pattern(rows, columns, std::move(entries));
  pattern.full_ = true;
  return pattern;
}

Pattern Pattern::diagonal(int size) {
  std::vector<Entry> entries;
  for (int i = 0; i < size; ++i) entries.push_back({i, i});
  return {size, size, std::move(entries)};
}

void Pattern::add_product(const double* values, VectorIn x, double scale, VectorOut out) const {
  eigen_assert(x.size() == columns_ && out.size() == rows_);
  if (full_) {
    for (int j = 0; j < columns_; ++j) {
      const double factor = scale * x[j];
      const double* column = values + static_cast<std::ptrdiff_t>(j) * rows_;
      for (int i = 0; i < rows_; ++i) out[i] += factor * column[i];
    }
    return;
  }
  const double* value = values;
  for (const Entry& e : entries_) out[e.row] += scale * *value++ * x[e.column];
}

void Pattern::add_transposed_product(const double* values, VectorIn y, double scale, VectorOut out) const {
  eigen_assert(y.size() == rows_ && out.size() == columns_);
  if (full_) {
    for (int j = 0; j < columns_; ++j) {
      const double* column = values + static_cast<std::ptrdiff_t>(j) * rows_;
      double sum = 0;
      for (int i = 0; i < rows_; ++i) sum += column[i] * y[i];
      out[j] += scale * sum;
    }
    return;
  }
  const double* value = values;
  for (const Entry& e : entries_) out[e.column] += scale * *value++ * y[e.row];
}

Pattern Pattern::transposed() const {
  std::vector<Entry> entries;
  entries.reserve(entries_.size());
  for (const Entry& e : entries_) entries.push_back({e.column, e.row});
  return {columns_, rows_, std::move(entries)};
}

Eigen::MatrixXd Pattern::to_dense(const double* values) const {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(rows_, columns_);
  for (int k = 0; k < size(); ++k) dense((*this)[k].row, (*this)[k].column) += values[k];
  return dense;
}

void MatrixValues::throw_not_full() {
  throw std::logic_error("a matrix with a sparse pattern is written entry by entry, values[k], not by row and column");
}

PatternPart::PatternPart(const Pattern& whole, int first_row, const std::vector<bool>& has_column)
    : PatternPart(whole, first_row, whole.rows(), has_column) {}

PatternPart::PatternPart(const Pattern& whole, int first_row, int end_row)
    : PatternPart(whole, first_row, end_row, {}) {}

PatternPart::PatternPart(const Pattern& whole, int first_row, int end_row, const std::vector<bool>& has_column) {
  std::vector<Entry> entries;
  for (int k = 0; k < whole.size(); ++k) {
    const Entry& e = whole[k];
    if (e.row < first_row || e.row >= end_row) continue;
    if (!has_column.empty() && !has_column[static_cast<std::size_t>(e.column)]) continue;
    entries_.push_back(k);
    entries.push_back({e.row - first_row, e.column});
  }
  pattern_ = Pattern(end_row - first_row, whole.columns(), std::move(entries));
  values_ = Vector::Zero(pattern_.size());
}

const double* PatternPart::select(const double* whole) {
  double* out = values_.data();
  for (const int k : entries_) *out++ = whole[k];
  return values_.data();
}

}  // namespace trammel::linalg
