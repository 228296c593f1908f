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
  std::vector<int> order;         ///< all frames, parents before their children, the ground first
  std::vector<int> cut_joints;    ///< edges outside of the tree, in the order of the model
};

/// The tree of least depth among those whose cut joints have the fewest rows; ties go to the joint that comes first in
/// the model.
SpanningTree find_spanning_tree(const Graph& graph);

}  // namespace trammel::topology
