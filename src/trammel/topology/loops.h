#pragma once

// The loops that cut joints close.

#include <vector>

#include "trammel/topology/spanning_tree.h"

namespace trammel::topology {

/// The one way through the tree between the two frames of a cut joint, which closes it. Where a floating frame is
/// passed, the way leads through its free motion, with -1 for the joint.
struct Loop {
  int cut_joint;            ///< of the model
  std::vector<int> frames;  ///< from the one of the cut joint's marker J to that of its marker I
  std::vector<int> joints;  ///< of the model; joints[k] ties frames[k] to frames[k + 1]
  int top;                  ///< place in `frames` of the one that is nearest to the ground
};

/// One for each cut joint, in their order. Time and memory are the sum of the loops' lengths.
std::vector<Loop> find_loops(const Graph& graph, const SpanningTree& tree);

}  // namespace trammel::topology
