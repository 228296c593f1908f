#pragma once

// The graph of a mechanism as `trammel check` shows it: the tree, the cut joints, and what couplings and motions add.

#include <string>
#include <vector>

#include "trammel/model/model.h"
#include "trammel/topology/spanning_tree.h"

namespace trammel::cli {

struct MechanismGraph {
  const model::Model* model = nullptr;
  topology::Graph graph;
  topology::SpanningTree tree;
  int depth = 0;                                  ///< of the tree
  int floating = 0;                               ///< bodies that no joint of the tree ties to others or the ground
  std::vector<std::vector<std::string>> remarks;  ///< of each joint of the model: "motion drive", "gear pair"
  std::vector<std::string> readers;               ///< of the reactions of each joint, which is cut for it; or empty
  std::vector<std::string> notes;                 ///< couplings and motions in words, a line each

  std::string frame_name(int frame) const;
  const model::Joint& joint(int index) const { return model->joints[static_cast<std::size_t>(index)]; }
  /// "revolute, 5 rows"
  std::string describe(const topology::Edge& edge) const;
  /// "7 bodies, 10 joints; tree 3 deep, 4 cut joints"
  std::string summary() const;
};

/// The model must outlive the graph.
MechanismGraph make_mechanism_graph(const model::Model& model);

/// The edge of each joint of the model, or -1.
std::vector<int> find_edges_of_joints(const MechanismGraph& mechanism);

/// For the programs of Graphviz.
std::string to_graphviz(const MechanismGraph& mechanism);

/// A picture; throws InputError when it would be too large.
std::string to_svg(const MechanismGraph& mechanism);

}  // namespace trammel::cli
