#pragma once

// The graph of a mechanism and a tree that spans it.
//
// Frames are the nodes: 0 is the ground, k + 1 the body k of the model. Joints between two different frames are the
// edges; couplings of other joints' coordinates (gear, coupler) and motions are none.

#include <vector>

#include "trammel/model/model.h"

namespace trammel::topology {

/// A joint between two frames.
struct Edge {
  int joint;             ///< of the model
  int a;                 ///< frame of its marker I
  int b;                 ///< frame of its marker J
  int rows;              ///< constraints that it imposes
  bool has_coordinates;  ///< whether the motion that it leaves free has coordinates of its own, so that it may be in
                         ///< the tree
};

struct Graph {
  int frames = 1;
  std::vector<Edge> edges;
};

Graph make_graph(const model::Model& model);

/// A tree with the ground as its root. A body that no tree joint reaches floats: its parent is the ground, without a
/// joint.
struct SpanningTree {
  std::vector<int> parent;        ///< of each frame; -1 for the ground
  std::vector<int> joint;         ///< that ties a frame to its parent; -1 for the ground and for floating frames
  std::vector<bool> is_reversed;  ///< whether the frame carries marker I of that joint, and its parent marker J
  std::vector<int> depth;         ///< number of frames between a frame and the ground, itself counted
  std::vector<int> order;         ///< all frames, the ground first, every frame followed by its whole subtree
  std::vector<int> cut_joints;    ///< edges outside of the tree, in the order of the model
};

/// A tree whose cut joints have the fewest rows that are possible. Among such trees a shallow one:
///  - no body could hang, by another joint with as many rows as its own, on a body that is less deep than its parent;
///  - hence, where all joints that may be in the tree have equally many rows, every body that they tie to the ground is
///    as close to it as it can be;
///  - of bodies tied together, but not to the ground, one floats: one that is central.
/// The least depth of all cannot be promised: to find it is NP-hard (docs/decisions/0024-spanning-tree.md). Ties go to
/// the joint that comes first in the model. Takes time E log E, without recursion.
SpanningTree find_spanning_tree(const Graph& graph);

}  // namespace trammel::topology
