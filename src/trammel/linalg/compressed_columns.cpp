#include "trammel/linalg/compressed_columns.h"

#include <numeric>

namespace trammel::linalg {
namespace {

/// The order of `entries` after a stable counting sort by key(entry) in 0 .. keys - 1.
template <class Key>
std::vector<int> sort_by(const std::vector<int>& entries, int keys, const Key& key) {
  std::vector<int> next(static_cast<std::size_t>(keys) + 1, 0);
  for (const int entry : entries) ++next[key(entry) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<int> sorted(entries.size());
  for (const int entry : entries) sorted[next[key(entry)]++] = entry;
  return sorted;
}

}  // namespace

CompressedColumns compress(const Pattern& pattern) {
  CompressedColumns result;
  result.rows = pattern.rows();
  result.columns = pattern.columns();
  result.offsets.assign(static_cast<std::size_t>(pattern.columns()) + 1, 0);
  result.slots.resize(static_cast<std::size_t>(pattern.size()));

  std::vector<int> order(static_cast<std::size_t>(pattern.size()));
  std::iota(order.begin(), order.end(), 0);
  order = sort_by(order, pattern.rows(), [&](int k) { return pattern[k].row; });
  order = sort_by(order, pattern.columns(), [&](int k) { return pattern[k].column; });

  Entry last{-1, -1};
  for (const int k : order) {
    const Entry& entry = pattern[k];
    if (entry.row != last.row || entry.column != last.column) {
      result.row_indices.push_back(entry.row);
      ++result.offsets[entry.column + 1];
      last = entry;
    }
    result.slots[k] = result.size() - 1;
  }
  std::partial_sum(result.offsets.begin(), result.offsets.end(), result.offsets.begin());
  return result;
}

}  // namespace trammel::linalg
