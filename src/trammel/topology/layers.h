#pragma once

// Where the parts of a mechanism's graph stand in a drawing: frames in layers by their depth in the tree, each cut
// joint in the layer behind the deeper of its two frames, and bends where a line passes a layer, so that all lines lead
// from one layer to the next.

#include <vector>

#include "trammel/topology/spanning_tree.h"

namespace trammel::topology {

enum class LayerItemKind { kFrame, kCutJoint, kBend };

struct LayerItem {
  LayerItemKind kind;
  int index;                ///< frame; edge of the graph for a cut joint and the bends of its lines
  int layer;                ///< 0 for the ground
  std::vector<int> before;  ///< items of the layer before that lines lead to
  std::vector<int> behind;  ///< items of the layer behind
};

struct Layers {
  std::vector<LayerItem> items;         ///< frame k is item k
  std::vector<std::vector<int>> order;  ///< items of each layer, from the first place across to the last
};

/// How many items make_layers would make.
long count_layer_items(const Graph& graph, const SpanningTree& tree);

/// With few crossings of lines: from the order of the tree, in which no two of its own lines cross, by sweeps that sort
/// each layer by the mean place of its neighbours and then move single items to where they cross least.
Layers make_layers(const Graph& graph, const SpanningTree& tree);

long count_crossings(const Layers& layers);

/// How far an item reaches across, before and behind its place.
struct Extent {
  double before = 0, behind = 0;
};

/// Places across, in the order of each layer and without overlap, such that lines are as straight as that allows:
/// layer by layer the least squares of the distances to the neighbours' places, in sweeps to and fro. The least end of
/// any extent is at 0.
std::vector<double> place_across(const Layers& layers, const std::vector<Extent>& extents);

}  // namespace trammel::topology
