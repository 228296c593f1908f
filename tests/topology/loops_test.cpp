// Loops lead from the one end of a cut joint through the tree to its other end.

#include "trammel/topology/loops.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace trammel::testing {
namespace {

using topology::Graph;
using topology::Loop;
using topology::SpanningTree;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

TEST(Loops, AFourBarIsClosedByItsThreeOtherJoints) {
  // ground - crank - coupler - rocker - ground; the last two joints meet in the rocker.
  const Graph graph{4, {{0, 0, 1, 2, true}, {1, 1, 2, 2, true}, {2, 2, 3, 2, true}, {3, 3, 0, 2, true}}};
  const SpanningTree tree = find_spanning_tree(graph);
  const std::vector<Loop> loops = find_loops(graph, tree);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].cut_joint, 2);
  EXPECT_EQ(loops[0].frames, (std::vector<int>{3, 0, 1, 2}));
  EXPECT_EQ(loops[0].joints, (std::vector<int>{3, 0, 1}));
  EXPECT_EQ(loops[0].top, 1);
}

TEST(Loops, OfTwoJointsBetweenTheSameBodiesTheOneClosesTheOther) {
  const Graph graph{3, {{0, 0, 1, 5, true}, {1, 1, 2, 5, true}, {2, 2, 1, 3, true}}};
  const std::vector<Loop> loops = find_loops(graph, find_spanning_tree(graph));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].cut_joint, 2);
  EXPECT_EQ(loops[0].frames, (std::vector<int>{1, 2}));
  EXPECT_EQ(loops[0].joints, std::vector<int>{1});
  EXPECT_EQ(loops[0].top, 0);
}

TEST(Loops, LeadThroughTheFreeMotionOfFloatingBodies) {
  const Graph graph{3, {{7, 1, 2, 1, false}}};
  const std::vector<Loop> loops = find_loops(graph, find_spanning_tree(graph));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].frames, (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(loops[0].joints, (std::vector<int>{-1, -1}));
  EXPECT_EQ(loops[0].top, 1);
}

TEST(Loops, PassEveryFrameOnceAndEveryStepIsAJointOfTheTree) {
  std::mt19937 random(5);
  int passed = 0;
  for (int trial = 0; trial < 200; ++trial) {
    Graph graph;
    graph.frames = 2 + trial % 25;
    std::uniform_int_distribution<int> frame(0, graph.frames - 1), rows(1, 5);
    for (int k = 0; k < 2 * graph.frames; ++k) {
      const int a = frame(random), b = (a + 1 + frame(random) % (graph.frames - 1)) % graph.frames;
      graph.edges.push_back({k, a, b, rows(random), rows(random) > 1});
    }
    const SpanningTree tree = find_spanning_tree(graph);
    const std::vector<Loop> loops = find_loops(graph, tree);
    ASSERT_EQ(loops.size(), tree.cut_joints.size());
    for (std::size_t k = 0; k < loops.size(); ++k) {
      const Loop& loop = loops[k];
      EXPECT_EQ(loop.cut_joint, tree.cut_joints[k]);
      const topology::Edge& cut = graph.edges[at(loop.cut_joint)];
      EXPECT_EQ(loop.frames.front(), cut.b);
      EXPECT_EQ(loop.frames.back(), cut.a);
      EXPECT_EQ(std::set<int>(loop.frames.begin(), loop.frames.end()).size(), loop.frames.size());
      ASSERT_EQ(loop.joints.size() + 1, loop.frames.size());
      for (std::size_t step = 0; step < loop.joints.size(); ++step) {
        const bool is_up = static_cast<int>(step) < loop.top;
        const int child = loop.frames[is_up ? step : step + 1], parent = loop.frames[is_up ? step + 1 : step];
        EXPECT_EQ(tree.parent[at(child)], parent);
        EXPECT_EQ(tree.joint[at(child)], loop.joints[step]);
        ++passed;
      }
    }
  }
  EXPECT_GT(passed, 1000);
}

}  // namespace
}  // namespace trammel::testing
