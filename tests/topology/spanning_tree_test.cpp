// The spanning tree keeps what its header promises, tried against all trees of small graphs.

#include "trammel/topology/spanning_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "tests/support/models.h"
#include "trammel/topology/joint_motion.h"

namespace trammel::testing {
namespace {

using topology::Edge;
using topology::Graph;
using topology::SpanningTree;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Edges are numbered as joints are, in steps of two: the one is not the other.
void add_edge(Graph& graph, int a, int b, int rows = 2, bool has_coordinates = true) {
  graph.edges.push_back({2 * static_cast<int>(graph.edges.size()), a, b, rows, has_coordinates});
}

const Edge& edge_of(const Graph& graph, int joint) { return graph.edges[at(joint / 2)]; }

Graph random_graph(std::mt19937& random, int bodies, int edges, int most_rows) {
  const auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  Graph graph;
  graph.frames = bodies + 1;
  for (int k = 0; k < edges; ++k) {
    const int a = number(0, bodies), b = (a + number(1, bodies)) % graph.frames;
    add_edge(graph, a, b, number(1, most_rows), number(0, 7) > 0);
  }
  return graph;
}

/// Number of pieces that the chosen edges leave the frames in, or -1 when they close a loop.
int count_pieces(const Graph& graph, unsigned chosen) {
  std::vector<int> piece(at(graph.frames));
  std::iota(piece.begin(), piece.end(), 0);
  int pieces = graph.frames;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if ((chosen >> e & 1U) == 0) continue;
    const int a = piece[at(graph.edges[e].a)], b = piece[at(graph.edges[e].b)];
    if (a == b) return -1;
    std::replace(piece.begin(), piece.end(), a, b);
    --pieces;
  }
  return pieces;
}

int count_cut_rows(const Graph& graph, unsigned chosen) {
  int rows = 0;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if ((chosen >> e & 1U) == 0) rows += graph.edges[e].rows;
  }
  return rows;
}

/// Over all sets of edges that may form a tree: the fewest rows that stay constraints.
int find_fewest_cut_rows(const Graph& graph) {
  unsigned allowed = 0;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (graph.edges[e].has_coordinates) allowed |= 1U << e;
  }
  int fewest = std::numeric_limits<int>::max();
  for (unsigned chosen = 0; chosen < 1U << graph.edges.size(); ++chosen) {
    if ((chosen & ~allowed) == 0 && count_pieces(graph, chosen) > 0) {
      fewest = std::min(fewest, count_cut_rows(graph, chosen));
    }
  }
  return fewest;
}

unsigned chosen_edges(const Graph& graph, const SpanningTree& tree) {
  unsigned chosen = 0;
  for (std::size_t e = 0; e < graph.edges.size(); ++e) {
    if (std::find(tree.joint.begin(), tree.joint.end(), graph.edges[e].joint) != tree.joint.end()) chosen |= 1U << e;
  }
  return chosen;
}

bool is_below(const SpanningTree& tree, int frame, int top) {
  while (frame > 0 && frame != top) frame = tree.parent[at(frame)];
  return frame == top;
}

/// What holds for every tree: all frames are there once, parents first, subtrees together; depths, directions and cut
/// joints agree with the parents and joints.
void expect_sound(const Graph& graph, const SpanningTree& tree) {
  const std::size_t n = at(graph.frames);
  ASSERT_EQ(tree.parent.size(), n);
  ASSERT_EQ(tree.joint.size(), n);
  ASSERT_EQ(tree.order.size(), n);
  EXPECT_EQ(tree.parent[0], -1);
  EXPECT_EQ(tree.joint[0], -1);
  EXPECT_EQ(tree.depth[0], 0);
  std::vector<int> path;  // of the frame that comes next in the order
  std::vector<bool> seen(n, false);
  for (const int frame : tree.order) {
    EXPECT_FALSE(seen[at(frame)]);
    seen[at(frame)] = true;
    const int parent = tree.parent[at(frame)];
    while (!path.empty() && path.back() != parent) path.pop_back();
    EXPECT_EQ(path.size(), at(tree.depth[at(frame)])) << "frame " << frame << " comes too early, or is torn off";
    path.push_back(frame);
    if (frame == 0) continue;
    if (tree.joint[at(frame)] < 0) {
      EXPECT_EQ(parent, 0) << "a floating body is a child of the ground";
      EXPECT_FALSE(tree.is_reversed[at(frame)]);
      continue;
    }
    const Edge& edge = edge_of(graph, tree.joint[at(frame)]);
    EXPECT_TRUE(edge.has_coordinates);
    EXPECT_EQ(tree.is_reversed[at(frame)] ? edge.a : edge.b, frame);
    EXPECT_EQ(tree.is_reversed[at(frame)] ? edge.b : edge.a, parent);
  }
  std::vector<int> cut;
  for (const Edge& edge : graph.edges) {
    if (std::find(tree.joint.begin(), tree.joint.end(), edge.joint) == tree.joint.end()) cut.push_back(edge.joint);
  }
  EXPECT_EQ(tree.cut_joints, cut);
}

/// No body could hang by a cut joint with as many rows as its own on a body that is less deep than its parent.
void expect_no_shallower_place(const Graph& graph, const SpanningTree& tree) {
  for (const int joint : tree.cut_joints) {
    const Edge& cut = edge_of(graph, joint);
    if (!cut.has_coordinates) continue;
    for (const auto& [frame, other] : {std::pair(cut.a, cut.b), std::pair(cut.b, cut.a)}) {
      if (frame == 0 || is_below(tree, other, frame) || tree.joint[at(frame)] < 0) continue;
      if (edge_of(graph, tree.joint[at(frame)]).rows > cut.rows) continue;
      EXPECT_LE(tree.depth[at(frame)], tree.depth[at(other)] + 1) << "joint " << joint << ", frame " << frame;
    }
  }
}

/// Joints between each frame and the ground, by relaxation; -1 where there is no way.
std::vector<int> find_distances(const Graph& graph) {
  std::vector<int> distance(at(graph.frames), -1);
  distance[0] = 0;
  for (int round = 0; round < graph.frames; ++round) {
    for (const Edge& edge : graph.edges) {
      if (!edge.has_coordinates) continue;
      for (const auto& [from, to] : {std::pair(edge.a, edge.b), std::pair(edge.b, edge.a)}) {
        const int through = distance[at(from)] + 1;
        if (distance[at(from)] >= 0 && (distance[at(to)] < 0 || through < distance[at(to)])) distance[at(to)] = through;
      }
    }
  }
  return distance;
}

TEST(SpanningTree, CutJointsHaveTheFewestRowsOfAllTrees) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Graph graph = random_graph(random, 1 + trial % 7, trial % 12, 5);
    const SpanningTree tree = find_spanning_tree(graph);
    SCOPED_TRACE("trial " + std::to_string(trial));
    expect_sound(graph, tree);
    EXPECT_GT(count_pieces(graph, chosen_edges(graph, tree)), 0);
    EXPECT_EQ(count_cut_rows(graph, chosen_edges(graph, tree)), find_fewest_cut_rows(graph));
  }
}

TEST(SpanningTree, NoBodyCouldHangLessDeepByAJointWithAsManyRows) {
  std::mt19937 random(2);
  int cut = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Graph graph = random_graph(random, 2 + trial % 20, 2 * (trial % 20) + 5, 1 + trial % 4);
    const SpanningTree tree = find_spanning_tree(graph);
    SCOPED_TRACE("trial " + std::to_string(trial));
    expect_sound(graph, tree);
    expect_no_shallower_place(graph, tree);
    cut += static_cast<int>(tree.cut_joints.size());
  }
  EXPECT_GT(cut, 1000) << "the graphs have no loops, so that nothing was tried";
}

TEST(SpanningTree, WithJointsOfOneKindEveryBodyIsAsCloseToTheGroundAsItCanBe) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const Graph graph = random_graph(random, 2 + trial % 30, 3 * (trial % 30) + 5, 1);
    const SpanningTree tree = find_spanning_tree(graph);
    const std::vector<int> distance = find_distances(graph);
    for (int frame = 0; frame < graph.frames; ++frame) {
      if (distance[at(frame)] < 0) continue;
      EXPECT_EQ(tree.depth[at(frame)], distance[at(frame)]) << "trial " << trial;
    }
  }
}

TEST(SpanningTree, AFreeTreeFloatsByABodyOfLeastDepth) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 200; ++trial) {
    Graph graph;
    graph.frames = 2 + trial % 15;
    for (int frame = 2; frame < graph.frames; ++frame) {
      add_edge(graph, std::uniform_int_distribution<int>(1, frame - 1)(random), frame, 1 + trial % 3);
    }
    const SpanningTree tree = find_spanning_tree(graph);
    expect_sound(graph, tree);
    int least = graph.frames;
    for (int base = 1; base < graph.frames; ++base) {  // the same bodies, tied to the ground by that one
      Graph tied = graph;
      add_edge(tied, 0, base);
      const std::vector<int> distance = find_distances(tied);
      least = std::min(least, *std::max_element(distance.begin(), distance.end()));
    }
    EXPECT_EQ(*std::max_element(tree.depth.begin(), tree.depth.end()), least) << "trial " << trial;
  }
}

TEST(SpanningTree, AFreeChainFloatsByItsMiddle) {
  Graph graph;
  graph.frames = 6;
  for (int frame = 2; frame < 6; ++frame) add_edge(graph, frame - 1, frame);
  const SpanningTree tree = find_spanning_tree(graph);
  EXPECT_EQ(tree.parent, (std::vector<int>{-1, 2, 3, 0, 3, 4}));
  EXPECT_EQ(tree.order, (std::vector<int>{0, 3, 2, 1, 4, 5}));
  EXPECT_EQ(tree.is_reversed, (std::vector<bool>{false, true, true, false, false, false}));
}

TEST(SpanningTree, AStarIsFlat) {
  Graph graph;
  graph.frames = 5;
  for (int frame = 4; frame > 0; --frame) add_edge(graph, frame, 0);
  const SpanningTree tree = find_spanning_tree(graph);
  EXPECT_EQ(tree.depth, (std::vector<int>{0, 1, 1, 1, 1}));
  EXPECT_EQ(tree.order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(tree.cut_joints.empty());
}

// Rockers 1, 3, 5, ... stand on the ground, couplers 2, 4, ... tie them: each loop is cut at one end of its coupler.
TEST(SpanningTree, ALadderOfFourBarsStaysTwoBodiesDeep) {
  constexpr int kLoops = 50;
  Graph graph;
  graph.frames = 2 * kLoops + 2;
  for (int rocker = 1; rocker < graph.frames; rocker += 2) add_edge(graph, 0, rocker);
  for (int coupler = 2; coupler < graph.frames; coupler += 2) {
    add_edge(graph, coupler - 1, coupler);
    add_edge(graph, coupler, coupler + 1);
  }
  const SpanningTree tree = find_spanning_tree(graph);
  expect_sound(graph, tree);
  EXPECT_EQ(tree.cut_joints.size(), at(kLoops));
  EXPECT_EQ(*std::max_element(tree.depth.begin(), tree.depth.end()), 2);
}

TEST(SpanningTree, OfTwoJointsBetweenTheSameBodiesTheOneWithFewerRowsIsCut) {
  Graph graph;
  graph.frames = 2;
  add_edge(graph, 0, 1, 3);
  add_edge(graph, 1, 0, 5);
  add_edge(graph, 0, 1, 5);
  const SpanningTree tree = find_spanning_tree(graph);
  EXPECT_EQ(tree.joint, (std::vector<int>{-1, 2})) << "the first of those with the most rows";
  EXPECT_TRUE(tree.is_reversed[1]);
  EXPECT_EQ(tree.cut_joints, (std::vector<int>{0, 4}));
}

TEST(SpanningTree, JointsWithoutCoordinatesAreCut) {
  Graph graph;
  graph.frames = 3;
  add_edge(graph, 0, 1, 1, false);
  add_edge(graph, 1, 2, 1, false);
  const SpanningTree tree = find_spanning_tree(graph);
  EXPECT_EQ(tree.parent, (std::vector<int>{-1, 0, 0}));
  EXPECT_EQ(tree.joint, (std::vector<int>{-1, -1, -1}));
  EXPECT_EQ(tree.cut_joints, (std::vector<int>{0, 2}));
}

TEST(SpanningTree, AChainOfManyBodiesNeedsNoRecursion) {
  for (const bool is_tied : {true, false}) {
    Graph graph;
    graph.frames = 100001;
    for (int frame = is_tied ? 1 : 2; frame < graph.frames; ++frame) add_edge(graph, frame - 1, frame);
    const SpanningTree tree = find_spanning_tree(graph);
    EXPECT_EQ(tree.depth.back(), is_tied ? 100000 : 50001);
    EXPECT_TRUE(tree.cut_joints.empty());
  }
}

TEST(Graph, CouplingsAndJointsOfTheGroundWithItselfAreNoEdges) {
  auto model = make_model(model::Space::kPlanar);
  const int a = add_body(*model, "a", 1, Vector3d(1, 1, 1)), b = add_body(*model, "b", 1, Vector3d(1, 1, 1));
  const int first = add_joint_at(*model, "first", JointType::kRevolute, kGround, a, Vector3d::Zero());
  add_joint_at(*model, "nothing", JointType::kRevolute, kGround, kGround, Vector3d::Zero());
  const int second = add_joint_at(*model, "second", JointType::kTranslational, b, a, Vector3d::Zero());
  add_coupling(*model, "gear", JointType::kGear,
               {{1, {first, model::CoordinateKind::kAngle}}, {1, {second, model::CoordinateKind::kTravel}}});
  const int rod = add_joint_at(*model, "rod", JointType::kDistance, b, kGround, Vector3d::Zero());
  const Graph graph = topology::make_graph(*model);
  EXPECT_EQ(graph.frames, 3);
  ASSERT_EQ(graph.edges.size(), 3u);
  EXPECT_EQ(graph.edges[1].joint, second);
  EXPECT_EQ(graph.edges[1].a, b + 1);
  EXPECT_EQ(graph.edges[1].b, a + 1);
  EXPECT_TRUE(graph.edges[1].has_coordinates);
  EXPECT_EQ(graph.edges[2].joint, rod);
  EXPECT_EQ(graph.edges[2].rows, 1);
  EXPECT_FALSE(graph.edges[2].has_coordinates);
  EXPECT_EQ(topology::find_spanning_tree(graph).cut_joints, std::vector<int>{rod});
}

TEST(Graph, JointsWithDryFrictionKeepTheirConstraints) {
  auto model = make_model(model::Space::kPlanar);
  const int a = add_body(*model, "a", 1, Vector3d(1, 1, 1));
  const int hinge = add_joint_at(*model, "hinge", JointType::kRevolute, kGround, a, Vector3d::Zero());
  EXPECT_TRUE(topology::make_graph(*model).edges[0].has_coordinates);
  add_force(*model, "brake", "dry-friction").friction = model::DryFriction{{hinge, model::CoordinateKind::kAngle}};
  EXPECT_FALSE(topology::make_graph(*model).edges[0].has_coordinates);
}

TEST(Graph, JointsWhoseReactionsAnExtraStateReadsKeepTheirConstraints) {
  auto model = make_model(model::Space::kPlanar);
  const int a = add_body(*model, "a", 1, Vector3d(1, 1, 1));
  add_joint_at(*model, "read", JointType::kRevolute, kGround, a, Vector3d::Zero());
  add_joint_at(*model, "unread", JointType::kTranslational, kGround, a, Vector3d::Zero());
  model->variables.push_back({"load", "", compile(*model, "read.reaction.force")});
  model->outputs.push_back({"shown", "", compile(*model, "load")});
  model->states.push_back({"wear", false, false, compile(*model, "t")});
  EXPECT_TRUE(topology::make_graph(*model).edges[0].has_coordinates) << "what only results show is computed afterwards";
  model->states[0].function = compile(*model, "1e-3 * load");
  EXPECT_FALSE(topology::make_graph(*model).edges[0].has_coordinates) << "read through a variable";
  EXPECT_TRUE(topology::make_graph(*model).edges[1].has_coordinates);
  EXPECT_EQ(topology::find_reaction_readers(*model), (std::vector<std::string>{"state 'wear'", ""}));
}

}  // namespace
}  // namespace trammel::testing
