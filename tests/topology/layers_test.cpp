// Layers of a drawing: every line leads to the next layer, few of them cross, and nothing overlaps.

#include "trammel/topology/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

namespace trammel::testing {
namespace {

using topology::Extent;
using topology::Graph;
using topology::LayerItem;
using topology::LayerItemKind;
using topology::Layers;
using topology::SpanningTree;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

Layers layers_of(const Graph& graph) { return make_layers(graph, find_spanning_tree(graph)); }

Graph chain(int bodies) {
  Graph graph;
  graph.frames = bodies + 1;
  for (int k = 0; k < bodies; ++k) graph.edges.push_back({k, k, k + 1, 2, true});
  return graph;
}

Graph random_graph(std::mt19937& random, int frames, int edges) {
  Graph graph;
  graph.frames = frames;
  std::uniform_int_distribution<int> frame(0, frames - 1);
  for (int k = 0; k < edges; ++k) {
    const int a = frame(random), b = (a + 1 + frame(random) % (frames - 1)) % frames;
    graph.edges.push_back({k, a, b, 2, true});
  }
  return graph;
}

/// Pairs of lines that cross, one by one.
long count_pairs(const Layers& layers) {
  std::vector<std::array<int, 3>> lines;  // layer, place of its beginning, place of its end
  for (std::size_t k = 0; k + 1 < layers.order.size(); ++k) {
    const std::vector<int>& next = layers.order[k + 1];
    for (std::size_t n = 0; n < layers.order[k].size(); ++n) {
      for (const int end : layers.items[at(layers.order[k][n])].behind) {
        const auto place = std::find(next.begin(), next.end(), end) - next.begin();
        lines.push_back({static_cast<int>(k), static_cast<int>(n), static_cast<int>(place)});
      }
    }
  }
  long crossings = 0;
  for (const auto& a : lines) {
    for (const auto& b : lines) crossings += a[0] == b[0] && a[1] < b[1] && a[2] > b[2] ? 1 : 0;
  }
  return crossings;
}

TEST(Layers, EveryLineLeadsToTheNextLayerAndCutJointsHaveTwo) {
  std::mt19937 random(6);
  for (int trial = 0; trial < 100; ++trial) {
    const Graph graph = random_graph(random, 3 + trial % 20, 2 * (3 + trial % 20));
    const SpanningTree tree = find_spanning_tree(graph);
    const Layers layers = make_layers(graph, tree);
    EXPECT_EQ(static_cast<long>(layers.items.size()), count_layer_items(graph, tree));
    std::size_t placed = 0, cut = 0;
    for (std::size_t k = 0; k < layers.order.size(); ++k) {
      for (const int index : layers.order[k]) {
        const LayerItem& item = layers.items[at(index)];
        ++placed;
        EXPECT_EQ(item.layer, static_cast<int>(k));
        for (const int next : item.behind) EXPECT_EQ(layers.items[at(next)].layer, item.layer + 1);
        if (item.kind != LayerItemKind::kCutJoint) continue;
        ++cut;
        EXPECT_EQ(item.before.size(), 2u);
        std::vector<int> ends;  // of both lines, followed back to the frames
        for (int end : item.before) {
          while (layers.items[at(end)].kind == LayerItemKind::kBend) end = layers.items[at(end)].before.front();
          ends.push_back(end);
        }
        std::sort(ends.begin(), ends.end());
        const topology::Edge& edge = graph.edges[at(item.index)];
        EXPECT_EQ(ends, (std::vector<int>{std::min(edge.a, edge.b), std::max(edge.a, edge.b)}));
      }
    }
    EXPECT_EQ(placed, layers.items.size());
    EXPECT_EQ(cut, tree.cut_joints.size());
  }
}

TEST(Layers, CrossingsAreCountedAsPairsOfLines) {
  std::mt19937 random(7);
  long all = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Layers layers = layers_of(random_graph(random, 12, 20 + trial % 10));
    EXPECT_EQ(count_crossings(layers), count_pairs(layers));
    all += count_crossings(layers);
  }
  EXPECT_GT(all, 100);
}

TEST(Layers, TreesAndLaddersHaveNoCrossings) {
  Graph tree;
  tree.frames = 40;
  std::mt19937 random(8);
  for (int k = 1; k < 40; ++k)
    tree.edges.push_back({k, std::uniform_int_distribution<int>(0, k - 1)(random), k, 2, true});
  EXPECT_EQ(count_crossings(layers_of(tree)), 0);

  Graph ladder;
  ladder.frames = 22;
  for (int rocker = 1; rocker < 22; rocker += 2) ladder.edges.push_back({0, 0, rocker, 2, true});
  for (int k = 1; k < 21; ++k) ladder.edges.push_back({0, k, k + 1, 2, true});
  for (std::size_t e = 0; e < ladder.edges.size(); ++e) ladder.edges[e].joint = static_cast<int>(e);
  EXPECT_EQ(count_crossings(layers_of(ladder)), 0);
}

TEST(Layers, NothingOverlapsAndTheOrderIsKept) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> size(1, 30);
  for (int trial = 0; trial < 50; ++trial) {
    const Layers layers = layers_of(random_graph(random, 15, 22));
    std::vector<Extent> extents(layers.items.size());
    for (Extent& extent : extents) extent = {size(random), size(random)};
    const std::vector<double> places = place_across(layers, extents);
    double least = 1e300;
    for (std::size_t k = 0; k < places.size(); ++k) least = std::min(least, places[k] - extents[k].before);
    EXPECT_NEAR(least, 0, 1e-9);
    for (const std::vector<int>& layer : layers.order) {
      for (std::size_t k = 1; k < layer.size(); ++k) {
        const std::size_t a = at(layer[k - 1]), b = at(layer[k]);
        EXPECT_GE(places[b] - extents[b].before, places[a] + extents[a].behind - 1e-9);
      }
    }
  }
}

TEST(Layers, AChainIsDrawnStraight) {
  const Layers layers = layers_of(chain(200));
  std::vector<Extent> extents(layers.items.size(), {5, 20});
  extents[7] = {40, 3};
  const std::vector<double> places = place_across(layers, extents);
  for (const double place : places) EXPECT_NEAR(place, 40, 1e-9);
}

TEST(Layers, ABodyStandsInTheMiddleOfThoseThatHangOnIt) {
  const Graph star{4, {{0, 0, 1, 2, true}, {1, 0, 2, 2, true}, {2, 0, 3, 2, true}}};
  const std::vector<double> places = place_across(layers_of(star), std::vector<Extent>(4, {10, 10}));
  EXPECT_NEAR(places[0], 30, 1e-9);
  EXPECT_NEAR(places[1], 10, 1e-9);
  EXPECT_NEAR(places[2], 30, 1e-9);
  EXPECT_NEAR(places[3], 50, 1e-9);
}

}  // namespace
}  // namespace trammel::testing
