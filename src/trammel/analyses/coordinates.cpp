#include "trammel/analyses/coordinates.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "trammel/analyses/joint_coordinates.h"

namespace trammel::analyses {

namespace {

// In space, from this many times fewer unknowns on: at 3.9 (double-wishbone) joint coordinates take 1.1 to 1.4 times
// the time of body coordinates, at 5 (spatial-slider-crank) 0.5 to 1. In the plane they gain a little with few methods.
constexpr double kWorthwhileShare = 4.5;
// Bodies between a body and the ground, on average, up to which they pay with implicit methods: every pair has an entry
// in derivatives. Binary trees of 1000 (9) and chains of 10 (5.5) take 0.2 to 0.5 of the time, chains of 30 (15.5) 0.9
// to 1.5 times the time.
constexpr double kLargestMeanDepth = 10;
// With explicit methods they pay at any depth, 0.4 to 0.6 of the time, but for the set-up, whose time is that of all
// pairs: 3 ms for a chain of 100 (50.5), 0.3 s for one of 1000.
constexpr double kLargestExplicitMeanDepth = 60;

std::string count(int number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace

TreeSizes calc_tree_sizes(const system::Mechanism& mechanism) {
  const dae::Structure& s = mechanism.structure();
  const topology::SpanningTree tree = choose_tree(mechanism);
  TreeSizes sizes;
  sizes.is_planar = mechanism.bodies().is_planar();
  sizes.bodies = mechanism.bodies().frames() - 1;
  sizes.loops = static_cast<int>(tree.cut_joints.size());
  sizes.depth = *std::max_element(tree.depth.begin(), tree.depth.end());
  sizes.mean_depth = std::accumulate(tree.depth.begin(), tree.depth.end(), 0.0) / std::max(1, sizes.bodies);
  sizes.body_unknowns = s.n_v() + s.m();
  // A joint takes as many velocities from its body as it has rows, those that others imply included.
  int velocities = (sizes.is_planar ? 3 : 6) * sizes.bodies, rows = s.m();
  const std::set<int> in_tree(tree.joint.begin(), tree.joint.end());
  for (const topology::Edge& edge : topology::make_graph(mechanism.model()).edges) {
    if (!in_tree.contains(edge.joint)) continue;
    velocities -= edge.rows;
    rows -= static_cast<int>(mechanism.constraints().joint_rows()[static_cast<std::size_t>(edge.joint)].size());
  }
  sizes.joint_unknowns = velocities + rows;
  return sizes;
}

CoordinateAdvice advise_coordinates(const TreeSizes& sizes, bool is_implicit) {
  const std::string tree =
      fmt::format("a tree of {} {}", count(sizes.bodies, "body", "bodies"),
                  sizes.loops == 0 ? "without loops" : "with " + count(sizes.loops, "joint cut", "joints cut"));
  if (sizes.is_planar) return {false, tree + " in the plane, where joint coordinates do not pay"};
  const std::string unknowns =
      fmt::format("{} in place of {}", count(sizes.joint_unknowns, "unknown", "unknowns"), sizes.body_unknowns);
  if (sizes.body_unknowns < kWorthwhileShare * sizes.joint_unknowns) {
    return {false, fmt::format("{}; those of the joints would leave {}: too many to pay", tree, unknowns)};
  }
  if (sizes.mean_depth > (is_implicit ? kLargestMeanDepth : kLargestExplicitMeanDepth)) {
    return {false, fmt::format("{}, {} deep: too deep for joint coordinates to pay{}", tree, sizes.depth,
                               is_implicit ? " with an implicit method" : "")};
  }
  return {true, fmt::format("{}, {}", tree, unknowns)};
}

}  // namespace trammel::analyses
