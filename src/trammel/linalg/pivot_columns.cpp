#include "trammel/linalg/pivot_columns.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <utility>

namespace trammel::linalg {

namespace {
// Sizes that differ by less are the same, and the first of them is taken: rounding does not choose between coordinates.
constexpr double kSame = 1e-6;
}  // namespace

PivotColumns::PivotColumns(const Pattern& pattern, int dense_limit)
    : pattern_(pattern),
      is_dense_(pattern.rows() <= dense_limit),
      has_pivot_(static_cast<std::size_t>(pattern.columns()), false) {
  if (is_dense_) matrix_.setZero(pattern.rows(), pattern.columns());
  chosen_.reserve(static_cast<std::size_t>(pattern.rows()));
  others_.reserve(static_cast<std::size_t>(pattern.columns()));
}

bool PivotColumns::choose(const double* values, double tolerance) {
  std::fill(has_pivot_.begin(), has_pivot_.end(), false);
  const bool is_regular = pattern_.rows() <= pattern_.columns() &&
                          (is_dense_ ? choose_dense(values, tolerance) : choose_sparse(values, tolerance));
  list_columns();
  return is_regular;
}

void PivotColumns::list_columns() {
  chosen_.clear();
  others_.clear();
  for (int j = 0; j < pattern_.columns(); ++j)
    (has_pivot_[static_cast<std::size_t>(j)] ? chosen_ : others_).push_back(j);
}

bool PivotColumns::choose_dense(const double* values, double tolerance) {
  const Eigen::Index m = matrix_.rows();
  matrix_.setZero();
  for (int k = 0; k < pattern_.size(); ++k) matrix_(pattern_[k].row, pattern_[k].column) += values[k];
  for (Eigen::Index i = 0; i < m; ++i) {
    const double length = matrix_.row(i).norm();
    if (!(length > 0) || !std::isfinite(length)) return false;
    matrix_.row(i) /= length;
  }
  // Rows above k have had their pivots; columns with pivots are zero in those below.
  for (Eigen::Index k = 0; k < m; ++k) {
    Eigen::Index row = k, column = 0;
    double largest = -1;
    for (Eigen::Index i = k; i < m; ++i) {
      const double size = matrix_.row(i).cwiseAbs().maxCoeff();
      if (size > (1 + kSame) * largest) {
        largest = size;
        row = i;
      }
    }
    if (!(largest > tolerance)) return false;
    while (std::abs(matrix_(row, column)) < (1 - kSame) * largest) ++column;
    has_pivot_[static_cast<std::size_t>(column)] = true;
    matrix_.row(row).swap(matrix_.row(k));
    const double pivot = matrix_(k, column);
    for (Eigen::Index i = k + 1; i < m; ++i) {
      const double factor = matrix_(i, column) / pivot;
      if (factor == 0) continue;
      matrix_.row(i) -= factor * matrix_.row(k);
      matrix_(i, column) = 0;
    }
  }
  return true;
}

bool PivotColumns::choose_sparse(const double* values, double tolerance) {
  std::vector<std::map<int, double>> rows(static_cast<std::size_t>(pattern_.rows()));
  std::vector<std::set<int>> rows_of_column(static_cast<std::size_t>(pattern_.columns()));
  for (int k = 0; k < pattern_.size(); ++k)
    rows[static_cast<std::size_t>(pattern_[k].row)][pattern_[k].column] += values[k];
  const auto find_largest = [&](int i) {
    std::pair<double, int> found{-1, -1};
    for (const auto& [column, value] : rows[static_cast<std::size_t>(i)]) {
      if (std::abs(value) > (1 + kSame) * found.first) found = {std::abs(value), column};
    }
    return found;
  };
  // Entries of the heap grow stale as rows change; a row is looked at again when it comes up with another size.
  std::priority_queue<std::pair<double, int>> heap;
  for (int i = 0; i < pattern_.rows(); ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    double square = 0;
    for (const auto& [column, value] : row) square += value * value;
    if (!(square > 0) || !std::isfinite(square)) return false;
    for (auto& [column, value] : row) {
      value /= std::sqrt(square);
      rows_of_column[static_cast<std::size_t>(column)].insert(i);
    }
    heap.emplace(find_largest(i).first, -i);
  }
  std::vector<bool> is_done(rows.size(), false);
  while (!heap.empty()) {
    const auto [size, negative] = heap.top();
    heap.pop();
    const int i = -negative;
    if (is_done[static_cast<std::size_t>(i)]) continue;
    const auto [largest, column] = find_largest(i);
    if (largest != size) {
      heap.emplace(largest, -i);
      continue;
    }
    if (!(largest > tolerance)) return false;
    is_done[static_cast<std::size_t>(i)] = true;
    has_pivot_[static_cast<std::size_t>(column)] = true;
    const auto& pivot_row = rows[static_cast<std::size_t>(i)];
    for (const auto& [c, value] : pivot_row) rows_of_column[static_cast<std::size_t>(c)].erase(i);
    const std::set<int> below = rows_of_column[static_cast<std::size_t>(column)];
    for (const int k : below) {
      auto& row = rows[static_cast<std::size_t>(k)];
      const double factor = row.at(column) / pivot_row.at(column);
      for (const auto& [c, value] : pivot_row) {
        row[c] -= factor * value;
        rows_of_column[static_cast<std::size_t>(c)].insert(k);
      }
      row.erase(column);
      rows_of_column[static_cast<std::size_t>(column)].erase(k);
      heap.emplace(find_largest(k).first, -k);
    }
  }
  return true;
}

}  // namespace trammel::linalg
