#include "trammel/linalg/ordering.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "tests/linalg/samples.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

std::vector<int> identity(int size) {
  std::vector<int> result(static_cast<std::size_t>(size));
  std::iota(result.begin(), result.end(), 0);
  return result;
}

/// A matrix with the given neighbours (one way is enough), its nodes renumbered by `names`.
Pattern make_pattern(int size, const std::vector<Entry>& edges, const std::vector<int>& names) {
  std::vector<Entry> entries;
  for (int i = 0; i < size; ++i) entries.push_back({i, i});
  for (const Entry& e : edges) entries.push_back({names[e.row], names[e.column]});
  return {size, size, std::move(entries)};
}

std::vector<Entry> chain_edges(int first, int last) {
  std::vector<Entry> edges;
  for (int i = first; i < last; ++i) edges.push_back({i, i + 1});
  return edges;
}

std::vector<Entry> grid_edges(int width, int height) {
  std::vector<Entry> edges;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (x + 1 < width) edges.push_back({y * width + x, y * width + x + 1});
      if (y + 1 < height) edges.push_back({y * width + x, (y + 1) * width + x});
    }
  }
  return edges;
}

TEST(Ordering, AGraphHasNeighboursBothWaysOnceAndNotThemselves) {
  const Graph graph = make_graph(Pattern(4, 4, {{0, 0}, {2, 0}, {0, 2}, {1, 2}, {1, 2}}));
  EXPECT_EQ(graph.size(), 4);
  EXPECT_EQ(graph.offsets, (std::vector<int>{0, 1, 2, 4, 4}));
  EXPECT_EQ(graph.neighbours, (std::vector<int>{2, 2, 0, 1}));
  EXPECT_THROW(make_graph(Pattern(2, 3)), std::invalid_argument);
}

TEST(Ordering, BandwidthAndProfileFollowTheirDefinition) {
  const Graph star = make_graph(Pattern(4, 4, {{0, 1}, {0, 2}, {0, 3}}));
  EXPECT_EQ(calc_bandwidth(star, {0, 1, 2, 3}), 3);
  EXPECT_EQ(calc_profile(star, {0, 1, 2, 3}), 1 + 2 + 3);
  EXPECT_EQ(calc_bandwidth(star, {1, 0, 2, 3}), 2);
  EXPECT_EQ(calc_profile(star, {1, 2, 3, 0}), 3);
  EXPECT_EQ(calc_inverse({2, 0, 1}), (std::vector<int>{1, 2, 0}));
}

TEST(Ordering, EntriesOfFactorsAreThoseOfAnElimination) {
  Samples samples(11);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 1 + samples.integer(30);
    std::vector<Entry> edges;
    for (int k = 0; k < n; ++k) edges.push_back({samples.integer(n), samples.integer(n)});
    const Graph graph = make_graph(Pattern(n, n, edges));
    const std::vector<int> order = calc_amd_order(graph);
    // Eliminate: every node ties its later neighbours to each other.
    Eigen::MatrixXi tied = Eigen::MatrixXi::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (const int* other = graph.begin(i); other != graph.end(i); ++other) tied(i, *other) = 1;
    }
    long entries = 0;
    for (int k = 0; k < n; ++k) {
      for (int i = k + 1; i < n; ++i) {
        if (!tied(order[i], order[k])) continue;
        ++entries;
        for (int j = k + 1; j < n; ++j) {
          if (j != i && tied(order[j], order[k])) tied(order[i], order[j]) = 1;
        }
      }
    }
    EXPECT_EQ(calc_factor_entries(graph, order, n * n), entries);
    if (entries > 0) {
      EXPECT_GT(calc_factor_entries(graph, order, entries - 1), entries - 1);
    }
  }
}

TEST(Ordering, EveryOrderIsAPermutation) {
  Samples samples(1);
  for (int n = 0; n <= 40; ++n) {
    std::vector<Entry> edges;
    for (int k = 0; k < n; ++k) edges.push_back({samples.integer(n), samples.integer(n)});
    const Pattern pattern = make_pattern(n, edges, identity(n));
    const Graph graph = make_graph(pattern);
    EXPECT_TRUE(is_permutation(calc_amd_order(graph), n));
    EXPECT_TRUE(is_permutation(calc_reverse_cuthill_mckee_order(graph), n));
    EXPECT_TRUE(is_permutation(calc_colamd_order(pattern), n));
  }
  EXPECT_FALSE(is_permutation({0, 0}, 2));
  EXPECT_FALSE(is_permutation({0, 2}, 2));
  EXPECT_FALSE(is_permutation({0}, 2));
}

TEST(Ordering, ColamdOrdersTheColumnsOfRectangularMatrices) {
  EXPECT_TRUE(is_permutation(calc_colamd_order(Pattern::full(3, 7)), 7));
  EXPECT_TRUE(is_permutation(calc_colamd_order(Pattern(0, 4)), 4));
  EXPECT_TRUE(is_permutation(calc_colamd_order(Pattern(5, 2)), 2));
}

TEST(Ordering, CuthillMcKeeUntanglesAShuffledChain) {
  Samples samples(2);
  for (const int n : {2, 3, 10, 500}) {
    const Graph graph = make_graph(make_pattern(n, chain_edges(0, n - 1), samples.permutation(n)));
    const std::vector<int> order = calc_reverse_cuthill_mckee_order(graph);
    EXPECT_EQ(calc_bandwidth(graph, order), 1);
    EXPECT_EQ(calc_profile(graph, order), n - 1);
  }
}

TEST(Ordering, CuthillMcKeeTakesLeavesFirst) {
  const Graph tree = make_graph(Pattern(6, 6, {{0, 1}, {1, 2}, {1, 3}, {3, 4}, {3, 5}}));
  EXPECT_EQ(calc_bandwidth(tree, calc_reverse_cuthill_mckee_order(tree)), 2) << "3 when a branch comes before a leaf";
}

TEST(Ordering, CuthillMcKeeStartsAtTheRim) {
  // The start comes last, as the order is reversed. Its farthest node of least degree has no node farther away.
  Samples samples(7);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<Entry> edges;
    for (int k = 1; k < 60; ++k) edges.push_back({k, std::max(0, k - 1 - samples.integer(6))});
    for (int k = 0; k < 30; ++k) edges.push_back({samples.integer(60), samples.integer(60)});
    const Graph graph = make_graph(make_pattern(60, edges, samples.permutation(60)));
    const auto calc_distances = [&](int start) {
      std::vector<int> distances(60, -1), queue{start};
      distances[start] = 0;
      for (std::size_t next = 0; next < queue.size(); ++next)
        for (const int* other = graph.begin(queue[next]); other != graph.end(queue[next]); ++other)
          if (distances[*other] < 0) {
            distances[*other] = distances[queue[next]] + 1;
            queue.push_back(*other);
          }
      return distances;
    };
    const std::vector<int> from_start = calc_distances(calc_reverse_cuthill_mckee_order(graph).back());
    const int depth = *std::max_element(from_start.begin(), from_start.end());
    int farthest = -1;
    for (int node = 0; node < 60; ++node)
      if (from_start[node] == depth && (farthest < 0 || graph.degree(node) < graph.degree(farthest))) farthest = node;
    const std::vector<int> from_farthest = calc_distances(farthest);
    EXPECT_EQ(*std::max_element(from_farthest.begin(), from_farthest.end()), depth) << trial;
  }
}

TEST(Ordering, CuthillMcKeeIsNearTheOptimumOfAGrid) {
  // No numbering of a grid has a bandwidth below its shorter side.
  Samples samples(3);
  for (const auto& [width, height] : {std::pair{5, 5}, {5, 40}, {12, 30}, {20, 20}}) {
    const int n = width * height;
    for (int trial = 0; trial < 5; ++trial) {
      const Graph graph = make_graph(make_pattern(n, grid_edges(width, height), samples.permutation(n)));
      const int bandwidth = calc_bandwidth(graph, calc_reverse_cuthill_mckee_order(graph));
      EXPECT_GE(bandwidth, std::min(width, height));
      EXPECT_LE(bandwidth, std::min(width, height) + 2);
    }
  }
}

TEST(Ordering, CuthillMcKeeKeepsComponentsTogether) {
  Samples samples(4);
  std::vector<Entry> edges = chain_edges(0, 9);
  for (const Entry& e : chain_edges(10, 29)) edges.push_back(e);
  const Graph graph = make_graph(make_pattern(33, edges, samples.permutation(33)));  // and three lonely nodes
  const std::vector<int> order = calc_reverse_cuthill_mckee_order(graph);
  ASSERT_TRUE(is_permutation(order, 33));
  EXPECT_EQ(calc_bandwidth(graph, order), 1);
}

TEST(Ordering, ReversalNeverEnlargesTheProfile) {
  Samples samples(5);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Entry> edges;
    for (int k = 1; k < 60; ++k) edges.push_back({k, samples.integer(k)});  // a random tree
    const Graph graph = make_graph(make_pattern(60, edges, samples.permutation(60)));
    std::vector<int> order = calc_reverse_cuthill_mckee_order(graph);
    const long reversed = calc_profile(graph, order);
    std::reverse(order.begin(), order.end());
    EXPECT_LE(reversed, calc_profile(graph, order));
  }
}

TEST(Ordering, AmdEliminatesATreeWithoutFill) {
  Samples samples(6);
  std::vector<Entry> edges;
  for (int k = 1; k < 80; ++k) {
    const int parent = samples.integer(k);
    edges.push_back({k, parent});
    edges.push_back({parent, k});
  }
  const Pattern pattern = make_pattern(80, edges, samples.permutation(80));
  std::vector<double> values(80, 10.0);
  values.resize(static_cast<std::size_t>(pattern.size()), -1.0);
  SparseLuOptions options;
  options.ordering = SparseOrdering::kGiven;
  options.permutation = calc_amd_order(make_graph(pattern));
  SparseLu lu(pattern, options);
  ASSERT_TRUE(lu.factor(values.data()));
  EXPECT_EQ(lu.lu_nonzeros(), lu.structure().size());
}

}  // namespace
}  // namespace trammel::linalg
