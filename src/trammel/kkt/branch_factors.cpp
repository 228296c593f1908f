#include "trammel/kkt/branch_factors.h"

#include <numeric>

namespace trammel::kkt {

using linalg::Entry;
using linalg::Pattern;

BranchRows::BranchRows(const Pattern& mass, std::vector<int> order) : velocities(std::move(order)) {
  const std::size_t n = velocities.size();
  places.resize(n);
  for (std::size_t k = 0; k < n; ++k) places[static_cast<std::size_t>(velocities[k])] = static_cast<int>(k);
  std::vector<std::vector<int>> rows(n);
  for (std::size_t k = 0; k < n; ++k) rows[k].push_back(static_cast<int>(k));
  for (const Entry& e : mass.entries()) {
    const int i = places[static_cast<std::size_t>(e.row)], j = places[static_cast<std::size_t>(e.column)];
    if (i != j) rows[static_cast<std::size_t>(std::max(i, j))].push_back(std::min(i, j));
  }
  begins.push_back(0);
  for (std::vector<int>& row : rows) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    columns.insert(columns.end(), row.begin(), row.end());
    begins.push_back(static_cast<int>(columns.size()));
    // The row of the last place it is coupled with has the same places, and so on along the branch.
    bool same = true;
    if (row.size() > 1) {
      const auto parent = static_cast<std::size_t>(row[row.size() - 2]);
      same = is_branch[parent] && std::equal(row.begin(), row.end() - 1, rows[parent].begin(), rows[parent].end());
    }
    is_branch.push_back(same);
  }
}

std::optional<BranchRows::Fill> BranchRows::find_fill() const {
  for (int k = 0; k < size(); ++k) {
    if (is_branch[static_cast<std::size_t>(k)]) continue;
    const int* own = row(k);
    const int parent = own[row_length(k) - 2];
    const int* others = row(parent);
    for (int t = 0; t < row_length(k) - 2; ++t) {
      if (std::binary_search(others, others + row_length(parent), own[t])) continue;
      const auto velocity = [&](int place) { return velocities[static_cast<std::size_t>(place)]; };
      return Fill{velocity(k), velocity(parent), velocity(own[t])};
    }
  }
  return std::nullopt;
}

std::optional<BranchRows> BranchRows::make(const Pattern& mass, const dae::TreeStructure* tree) {
  std::vector<int> order;
  const auto n = static_cast<std::size_t>(mass.rows());
  if (tree) {
    for (const dae::TreeStructure::Node& node : tree->nodes) {
      for (int j = 0; j < node.count; ++j) order.push_back(node.first + j);
    }
    if (order.size() == n) {
      BranchRows rows(mass, order);
      if (!rows.find_fill()) return rows;
    }
  }
  order.resize(n);
  std::iota(order.begin(), order.end(), 0);
  BranchRows natural(mass, order);
  if (!natural.find_fill()) return natural;
  BranchRows backwards(mass, {order.rbegin(), order.rend()});
  if (!backwards.find_fill()) return backwards;
  // A body is coupled with all that its descendants are coupled with, so it comes first; but for the places above.
  std::vector<int> coupled(n, 0);
  for (int k = 0; k < natural.size(); ++k) {
    const auto velocity = static_cast<std::size_t>(k);
    coupled[velocity] += natural.row_length(k) - 1;
    for (int t = 0; t < natural.row_length(k) - 1; ++t) ++coupled[static_cast<std::size_t>(natural.row(k)[t])];
  }
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return coupled[static_cast<std::size_t>(a)] > coupled[static_cast<std::size_t>(b)];
  });
  BranchRows by_number(mass, order);
  if (!by_number.find_fill()) return by_number;
  return std::nullopt;
}

}  // namespace trammel::kkt
