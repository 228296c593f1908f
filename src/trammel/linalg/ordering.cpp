#include "trammel/linalg/ordering.h"

#include <amd.h>
#include <colamd.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "trammel/linalg/compressed_columns.h"

namespace trammel::linalg {
namespace {

/// Breadth-first walks over one component, with the memory they need.
class LevelWalk {
 public:
  explicit LevelWalk(const Graph& graph) : graph_(graph), level_(static_cast<std::size_t>(graph.size()), kUnseen) {}

  /// Appends the component of `start` to `order`, each node's neighbours by increasing degree; returns the depth.
  int walk(int start, std::vector<int>& order) {
    std::size_t next = order.size();
    order.push_back(start);
    level_[start] = 0;
    while (next < order.size()) {
      const int node = order[next++];
      const std::size_t first = order.size();
      for (const int* other = graph_.begin(node); other != graph_.end(node); ++other) {
        if (level_[*other] != kUnseen) continue;
        level_[*other] = level_[node] + 1;
        order.push_back(*other);
      }
      std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                       [this](int a, int b) { return graph_.degree(a) < graph_.degree(b); });
    }
    return level_[order.back()];
  }

  /// Forgets what was walked from position `first` of `order` on.
  void undo(std::vector<int>& order, std::size_t first) {
    for (std::size_t i = first; i < order.size(); ++i) level_[order[i]] = kUnseen;
    order.resize(first);
  }

  bool seen(int node) const { return level_[node] != kUnseen; }
  int level(int node) const { return level_[node]; }

 private:
  static constexpr int kUnseen = -1;
  const Graph& graph_;
  std::vector<int> level_;
};

/// Appends one component to `order`, walked from a node such that its farthest node of least degree has none farther.
void walk_from_rim(const Graph& graph, int start, LevelWalk& levels, std::vector<int>& order) {
  const std::size_t first = order.size();
  int depth = levels.walk(start, order);
  while (true) {
    int farthest = order.back();
    for (std::size_t i = order.size(); i-- > first && levels.level(order[i]) == depth;) {
      const int node = order[i];
      const int gain = graph.degree(farthest) - graph.degree(node);
      if (gain > 0 || (gain == 0 && node < farthest)) farthest = node;
    }
    levels.undo(order, first);
    const int next_depth = levels.walk(farthest, order);
    if (next_depth == depth) break;
    depth = next_depth;
    start = farthest;
  }
  levels.undo(order, first);
  levels.walk(start, order);
}

}  // namespace

Graph make_graph(const Pattern& pattern) {
  if (pattern.rows() != pattern.columns()) throw std::invalid_argument("a graph needs the pattern of a square matrix");
  std::vector<Entry> both_ways;
  both_ways.reserve(2 * pattern.entries().size());
  for (const Entry& entry : pattern.entries()) {
    if (entry.row == entry.column) continue;
    both_ways.push_back(entry);
    both_ways.push_back({entry.column, entry.row});
  }
  CompressedColumns columns = compress({pattern.rows(), pattern.columns(), std::move(both_ways)});
  return {std::move(columns.offsets), std::move(columns.row_indices)};
}

std::vector<int> calc_amd_order(const Graph& graph) {
  std::vector<int> permutation(static_cast<std::size_t>(graph.size()));
  std::iota(permutation.begin(), permutation.end(), 0);
  if (graph.neighbours.empty()) return permutation;
  if (amd_order(graph.size(), graph.offsets.data(), graph.neighbours.data(), permutation.data(), nullptr, nullptr) < 0)
    throw std::runtime_error("AMD could not order the graph");
  return permutation;
}

std::vector<int> calc_colamd_order(const Pattern& pattern) {
  CompressedColumns matrix = compress(pattern);
  if (matrix.columns == 0) return {};
  const std::size_t length = colamd_recommended(matrix.size(), matrix.rows, matrix.columns);
  if (length == 0 || length > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw std::runtime_error("the matrix is too large for COLAMD");
  matrix.row_indices.resize(length);
  int statistics[COLAMD_STATS];
  if (!colamd(matrix.rows, matrix.columns, static_cast<int>(length), matrix.row_indices.data(), matrix.offsets.data(),
              nullptr, statistics))
    throw std::runtime_error("COLAMD could not order the columns");
  matrix.offsets.pop_back();
  return std::move(matrix.offsets);
}

std::vector<int> calc_reverse_cuthill_mckee_order(const Graph& graph) {
  std::vector<int> order;
  order.reserve(static_cast<std::size_t>(graph.size()));
  LevelWalk levels(graph);
  for (int node = 0; node < graph.size(); ++node)
    if (!levels.seen(node)) walk_from_rim(graph, node, levels, order);
  std::reverse(order.begin(), order.end());
  return order;
}

bool is_permutation(const std::vector<int>& permutation, int size) {
  if (static_cast<int>(permutation.size()) != size) return false;
  std::vector<char> seen(permutation.size(), 0);
  return std::all_of(permutation.begin(), permutation.end(),
                     [&](int i) { return i >= 0 && i < size && !std::exchange(seen[i], 1); });
}

std::vector<int> calc_inverse(const std::vector<int>& permutation) {
  std::vector<int> inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) inverse[permutation[i]] = static_cast<int>(i);
  return inverse;
}

int calc_bandwidth(const Graph& graph, const std::vector<int>& permutation) {
  const std::vector<int> place = calc_inverse(permutation);
  int bandwidth = 0;
  for (int node = 0; node < graph.size(); ++node)
    for (const int* other = graph.begin(node); other != graph.end(node); ++other)
      bandwidth = std::max(bandwidth, place[node] - place[*other]);
  return bandwidth;
}

long calc_profile(const Graph& graph, const std::vector<int>& permutation) {
  const std::vector<int> place = calc_inverse(permutation);
  long profile = 0;
  for (int node = 0; node < graph.size(); ++node) {
    int first = place[node];
    for (const int* other = graph.begin(node); other != graph.end(node); ++other)
      first = std::min(first, place[*other]);
    profile += place[node] - first;
  }
  return profile;
}

long calc_factor_entries(const Graph& graph, const std::vector<int>& permutation, long limit) {
  const std::vector<int> place = calc_inverse(permutation);
  // The parent of a column is the first row below its diagonal. Row i of L holds the columns on the ways from the
  // entries of row i of A upwards to i.
  std::vector<int> parent(permutation.size(), -1), seen_by(permutation.size(), -1);
  long entries = 0;
  for (int i = 0; i < graph.size(); ++i) {
    seen_by[i] = i;
    const int node = permutation[i];
    for (const int* other = graph.begin(node); other != graph.end(node); ++other) {
      for (int j = place[*other]; j < i && seen_by[j] != i; j = parent[j]) {
        if (parent[j] < 0) parent[j] = i;
        seen_by[j] = i;
        ++entries;
      }
    }
    if (entries > limit) break;
  }
  return entries;
}

}  // namespace trammel::linalg
