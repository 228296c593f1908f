#include "trammel/linalg/rank.h"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include "trammel/linalg/compressed_columns.h"

namespace trammel::linalg {
namespace {

struct RowEntry {
  int column;
  double value;
};

/// J by rows, each scaled to unit length, zeros left out.
struct ScaledRows {
  int columns = 0;
  std::vector<int> offsets;
  std::vector<RowEntry> entries;
  std::vector<double> lengths;

  int size() const { return static_cast<int>(lengths.size()); }
  const RowEntry* begin(int row) const { return entries.data() + offsets[row]; }
  const RowEntry* end(int row) const { return entries.data() + offsets[row + 1]; }
};

ScaledRows scale_rows(const Pattern& pattern, const double* values) {
  std::vector<Entry> transposed;
  transposed.reserve(pattern.entries().size());
  for (const Entry& entry : pattern.entries()) transposed.push_back({entry.column, entry.row});
  const CompressedColumns by_rows = compress({pattern.columns(), pattern.rows(), std::move(transposed)});
  std::vector<double> sums(static_cast<std::size_t>(by_rows.size()), 0.0);
  for (const int slot : by_rows.slots) sums[slot] += *values++;

  ScaledRows rows;
  rows.columns = pattern.columns();
  rows.offsets.push_back(0);
  for (int row = 0; row < pattern.rows(); ++row) {
    const int first = by_rows.offsets[row], last = by_rows.offsets[row + 1];
    const double length = Eigen::Map<const Vector>(sums.data() + first, last - first).stableNorm();
    if (!std::isfinite(length)) throw std::invalid_argument(fmt::format("row {} of the matrix is not finite", row));
    rows.lengths.push_back(length);
    for (int slot = first; slot < last; ++slot)
      if (sums[slot] != 0) rows.entries.push_back({by_rows.row_indices[slot], sums[slot] / length});
    rows.offsets.push_back(static_cast<int>(rows.entries.size()));
  }
  return rows;
}

/// Rows that share columns, directly or through others; rows in increasing order, rows of zeros left out.
std::vector<std::vector<int>> split_into_parts(const ScaledRows& rows) {
  std::vector<int> parent(static_cast<std::size_t>(rows.columns));
  std::iota(parent.begin(), parent.end(), 0);
  const auto find_root = [&](int column) {
    while (parent[column] != column) column = parent[column] = parent[parent[column]];
    return column;
  };
  for (int row = 0; row < rows.size(); ++row)
    for (const RowEntry* e = rows.begin(row); e != rows.end(row); ++e)
      parent[find_root(e->column)] = find_root(rows.begin(row)->column);

  std::vector<int> part_of_root(static_cast<std::size_t>(rows.columns), -1);
  std::vector<std::vector<int>> parts;
  for (int row = 0; row < rows.size(); ++row) {
    if (rows.begin(row) == rows.end(row)) continue;
    int& part = part_of_root[find_root(rows.begin(row)->column)];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[part].push_back(row);
  }
  return parts;
}

/// Collects what the parts find, in terms of the rows as given.
class Collector {
 public:
  Collector(const ScaledRows& rows, const RankOptions& options) : rows_(rows), options_(options) {
    result_.rank = rows.size();
  }

  void note_drop(double kept, double dropped) {
    result_.smallest_kept = std::min(result_.smallest_kept, kept);
    result_.largest_dropped = std::max(result_.largest_dropped, dropped);
  }

  /// Terms refer to rows of unit length.
  void add(int row, std::vector<RowTerm> terms) {
    std::erase_if(terms, [&](const RowTerm& s) { return std::abs(s.coefficient) <= options_.coefficient_threshold; });
    std::sort(terms.begin(), terms.end(), [](const RowTerm& a, const RowTerm& b) { return a.row < b.row; });
    for (RowTerm& term : terms) term.coefficient *= rows_.lengths[row] / rows_.lengths[term.row];
    result_.dependent.push_back({row, std::move(terms)});
    --result_.rank;
  }

  RankReport take() {
    std::sort(result_.dependent.begin(), result_.dependent.end(),
              [](const DependentRow& a, const DependentRow& b) { return a.row < b.row; });
    return std::move(result_);
  }

 private:
  const ScaledRows& rows_;
  const RankOptions& options_;
  RankReport result_;
};

/// J^T of one part, with the columns of J that it uses only.
Eigen::MatrixXd gather_transposed(const ScaledRows& rows, const std::vector<int>& part) {
  std::vector<int> columns;
  for (const int row : part)
    for (const RowEntry* e = rows.begin(row); e != rows.end(row); ++e) columns.push_back(e->column);
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());

  Eigen::MatrixXd dense =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(columns.size()), static_cast<Eigen::Index>(part.size()));
  for (std::size_t k = 0; k < part.size(); ++k)
    for (const RowEntry* e = rows.begin(part[k]); e != rows.end(part[k]); ++e)
      dense(std::lower_bound(columns.begin(), columns.end(), e->column) - columns.begin(),
            static_cast<Eigen::Index>(k)) = e->value;
  return dense;
}

void name_dependent_rows(const Eigen::MatrixXd& dense, const std::vector<int>& part, double threshold,
                         Collector& collector) {
  Eigen::MatrixXd Q(dense.rows(), std::min(dense.rows(), dense.cols()));
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(Q.cols(), Q.cols());
  std::vector<int> kept;
  Vector rest(dense.rows()), projection(Q.cols());
  for (Eigen::Index k = 0; k < dense.cols(); ++k) {
    const auto count = static_cast<Eigen::Index>(kept.size());
    const auto basis = Q.leftCols(count);
    rest = dense.col(k);
    projection.head(count).setZero();
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Vector step = basis.transpose() * rest;
      rest.noalias() -= basis * step;
      projection.head(count) += step;
    }
    const double distance = rest.norm();
    if (distance > threshold && count < Q.cols()) {
      R.col(count).head(count) = projection.head(count);
      R(count, count) = distance;
      Q.col(count) = rest / distance;
      kept.push_back(part[static_cast<std::size_t>(k)]);
    } else {
      const Vector weights = R.topLeftCorner(count, count).triangularView<Eigen::Upper>().solve(projection.head(count));
      std::vector<RowTerm> terms;
      for (Eigen::Index i = 0; i < count; ++i) terms.push_back({kept[static_cast<std::size_t>(i)], weights[i]});
      collector.add(part[static_cast<std::size_t>(k)], std::move(terms));
    }
  }
}

void treat_as_full(const ScaledRows& rows, const std::vector<int>& part, double tolerance, Collector& collector) {
  const Eigen::MatrixXd dense = gather_transposed(rows, part);
  const Vector diagonal = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(dense).matrixQR().diagonal().cwiseAbs();
  const auto rank = std::count_if(diagonal.begin(), diagonal.end(), [=](double d) { return d > tolerance; });
  const double kept = diagonal[rank - 1];
  const double dropped = rank < diagonal.size() ? diagonal[rank] : 0;
  collector.note_drop(kept, dropped);
  if (rank == dense.cols()) return;
  const double floor = std::numeric_limits<double>::epsilon();
  name_dependent_rows(dense, part, std::sqrt(kept * std::max(dropped, floor)), collector);
}

/// Elimination of rows in order: row_i = sum_k multiplier_ik u_k + remainder, where u_k is what kept row k left over.
class SparseElimination {
 public:
  SparseElimination(const ScaledRows& rows, double tolerance, Collector& collector)
      : rows_(rows),
        tolerance_(tolerance),
        collector_(collector),
        pivot_of_column_(static_cast<std::size_t>(rows.columns), -1),
        column_counts_(static_cast<std::size_t>(rows.columns), 0),
        work_(static_cast<std::size_t>(rows.columns), 0.0),
        touched_(static_cast<std::size_t>(rows.columns), 0) {
    for (const RowEntry& entry : rows.entries) ++column_counts_[entry.column];
  }

  void treat(const std::vector<int>& part) {
    for (const int row : part) {
      eliminate(row);
      double largest = 0;
      for (const RowEntry& entry : remainder_) largest = std::max(largest, std::abs(entry.value));
      if (largest > tolerance_) {
        collector_.note_drop(largest, 0);
        keep(row, largest);
      } else {
        collector_.note_drop(1, largest);
        collector_.add(row, trace_back());
      }
    }
  }

 private:
  struct Multiplier {
    int pivot;
    double value;
  };
  struct KeptRow {
    int row;
    int pivot_column;
    std::vector<RowEntry> rest;  ///< the pivot first
    std::vector<Multiplier> multipliers;
  };

  void touch(int column) {
    if (touched_[column]) return;
    touched_[column] = 1;
    columns_.push_back(column);
    if (pivot_of_column_[column] >= 0) pending_.push(-pivot_of_column_[column]);
  }

  /// Fills multipliers_ and remainder_. Pivots are applied in the order in which they were kept.
  void eliminate(int row) {
    multipliers_.clear();
    remainder_.clear();
    columns_.clear();
    for (const RowEntry* e = rows_.begin(row); e != rows_.end(row); ++e) {
      work_[e->column] = e->value;
      touch(e->column);
    }
    while (!pending_.empty()) {
      const int pivot = -pending_.top();
      pending_.pop();
      const KeptRow& kept = kept_[pivot];
      const double multiplier = work_[kept.pivot_column] / kept.rest.front().value;
      work_[kept.pivot_column] = 0;
      if (multiplier == 0) continue;
      multipliers_.push_back({pivot, multiplier});
      for (auto e = kept.rest.begin() + 1; e != kept.rest.end(); ++e) {
        touch(e->column);
        work_[e->column] -= multiplier * e->value;
      }
    }
    for (const int column : columns_) {
      if (work_[column] != 0) remainder_.push_back({column, work_[column]});
      work_[column] = 0;
      touched_[column] = 0;
    }
  }

  void keep(int row, double largest) {
    // Entries of rounding size would only spread; a pivot may be ten times smaller than the largest entry.
    std::erase_if(remainder_, [&](const RowEntry& e) { return std::abs(e.value) < kDropped * largest; });
    auto best = remainder_.begin();
    for (auto e = remainder_.begin(); e != remainder_.end(); ++e) {
      const bool fit = std::abs(e->value) >= 0.1 * largest, best_fit = std::abs(best->value) >= 0.1 * largest;
      if (fit && (!best_fit || column_counts_[e->column] < column_counts_[best->column])) best = e;
    }
    std::iter_swap(remainder_.begin(), best);
    const int column = remainder_.front().column;
    pivot_of_column_[column] = static_cast<int>(kept_.size());
    kept_.push_back({row, column, remainder_, multipliers_});
  }

  /// multipliers_ of the u_k as coefficients of the rows themselves.
  std::vector<RowTerm> trace_back() {
    std::vector<RowTerm> terms;
    std::priority_queue<int> pending;
    weights_.resize(kept_.size(), 0.0);
    const auto add = [&](int pivot, double value) {
      if (weights_[pivot] == 0) pending.push(pivot);
      weights_[pivot] += value;
    };
    for (const Multiplier& m : multipliers_) add(m.pivot, m.value);
    while (!pending.empty()) {
      const int pivot = pending.top();
      pending.pop();
      const double weight = std::exchange(weights_[pivot], 0.0);
      if (weight == 0) continue;
      terms.push_back({kept_[pivot].row, weight});
      for (const Multiplier& m : kept_[pivot].multipliers) add(m.pivot, -weight * m.value);
    }
    return terms;
  }

  static constexpr double kDropped = 1e-15;

  const ScaledRows& rows_;
  double tolerance_;
  Collector& collector_;
  std::vector<KeptRow> kept_;
  std::vector<int> pivot_of_column_;
  std::vector<int> column_counts_;
  std::vector<double> work_;
  std::vector<char> touched_;
  std::vector<int> columns_;
  std::priority_queue<int> pending_;  ///< negated, so that the earliest pivot comes first
  std::vector<Multiplier> multipliers_;
  std::vector<RowEntry> remainder_;
  std::vector<double> weights_;  ///< zero between calls of trace_back()
};

}  // namespace

std::vector<std::string> RankOptions::validate() const {
  std::vector<std::string> messages;
  if (!(tolerance > 0 && tolerance < 1))
    messages.push_back(fmt::format("tolerance is {} but must lie in (0, 1)", tolerance));
  if (!(coefficient_threshold >= 0 && coefficient_threshold < 1))
    messages.push_back(fmt::format("coefficient_threshold is {} but must lie in [0, 1)", coefficient_threshold));
  if (dense_limit < 0) messages.push_back(fmt::format("dense_limit is {} but must not be negative", dense_limit));
  return messages;
}

RankReport find_dependent_rows(const Pattern& pattern, const double* values, const RankOptions& options) {
  if (const auto messages = options.validate(); !messages.empty()) throw std::invalid_argument(messages.front());
  const ScaledRows rows = scale_rows(pattern, values);
  Collector collector(rows, options);
  for (int row = 0; row < rows.size(); ++row)
    if (rows.begin(row) == rows.end(row)) collector.add(row, {});
  SparseElimination elimination(rows, options.tolerance, collector);
  for (const std::vector<int>& part : split_into_parts(rows)) {
    if (static_cast<int>(part.size()) <= options.dense_limit) {
      treat_as_full(rows, part, options.tolerance, collector);
    } else {
      elimination.treat(part);
    }
  }
  return collector.take();
}

RankReport find_dependent_rows(const Eigen::Ref<const Eigen::MatrixXd>& matrix, const RankOptions& options) {
  const auto pattern = Pattern::full(static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()));
  const Eigen::MatrixXd values = matrix;
  return find_dependent_rows(pattern, values.data(), options);
}

}  // namespace trammel::linalg
