#pragma once

// Where everything is in the reduced matrix B = G M^-1 G^T (docs/theory/reduced-matrix.md): found once.
//
// Bodies have their velocities in groups: a group is coupled by the mass matrix, or its mass is diagonal. Rows of G
// that touch the same bodies are a joint, in blocks of at most kMaxBlock rows. A joint has a panel W for each group it
// touches: its columns of G, times L^-T of the group's mass L L^T. Joints that have a panel of the same group are
// neighbours, and
//
//   B_ij = sum over the groups of both of W_i W_j^T.
//
// Velocities whose mass is coupled with no other and that few rows touch, as those along the axes, are kept out of the
// panels: single products w_r w_s of their own are cheaper there than the zeros of panels.

#include <vector>

#include "trammel/kkt/bodies.h"
#include "trammel/kkt/solver.h"
#include "trammel/linalg/block_skyline.h"
#include "trammel/linalg/ordering.h"

namespace trammel::kkt {

struct ReducedStructure {
  /// Velocities are numbered anew, those of a group together: z.
  struct Group {
    int z;  ///< first
    int width;
    int factors;  ///< where L begins in the array of all, width x width column by column; -1: M is diagonal
  };
  struct Panel {
    int group;
    int width;
    int values;  ///< where it begins in the array of all panels
    int z;       ///< of the group
  };
  /// A value that is copied, or added, from one array to another.
  struct Move {
    int from;
    int to;
  };
  /// A row of a joint and a velocity that is in no panel.
  struct Single {
    int row;  ///< of the block
    int z;
    int from;   ///< entry of G
    bool adds;  ///< the place was listed before: the value is added to the one at `value`
    int value;  ///< in the array of singles
  };
  /// Block (i, other) of B gets the product of two panels, or a place of B that of two singles.
  struct PanelProduct {
    int width;
    int left, right;  ///< values
    int rows;         ///< of the other joint
    int to;           ///< in the data of B
  };
  struct SingleProduct {
    int to;
    int left, right;
  };
  /// A row that may be switched off: block row `row`, entries of G in `switch_entries`.
  struct Switch {
    int row;
    int to;  ///< its diagonal in the data of B
    int begin, end;
  };
  struct Range {
    int begin = 0;
    int end = 0;
  };
  struct Joint {
    int size;
    int first_row;  ///< in `rows`
    Range panels, moves, added_moves, singles, panel_products, single_products, switches;
  };

  /// `layout` as make_reduced_solver() takes it.
  explicit ReducedStructure(const Layout& layout);

  Bodies bodies;
  std::vector<int> velocities;  ///< z to velocity
  std::vector<Group> groups;
  std::vector<Move>
      mass_moves;  ///< entries of M to the array of all L, both triangles; diagonal ones to that of masses
  std::vector<Move> diagonal_moves;
  int factor_count = 0;  ///< numbers of all L

  std::vector<Joint> joints;  ///< in the order of elimination
  std::vector<int> rows;      ///< of G, joint by joint
  std::vector<Panel> panels;
  std::vector<Move> moves, added_moves;  ///< from G to panels
  std::vector<Single> singles;
  std::vector<PanelProduct> panel_products;
  std::vector<SingleProduct> single_products;
  std::vector<Switch> switches;
  std::vector<int> switch_entries;
  int panel_count = 0;   ///< numbers of all panels
  int single_count = 0;  ///< values of singles

  const char* ordering = "";      ///< that was chosen
  linalg::Graph graph;            ///< of the joints as found, before they were numbered anew
  std::vector<int> sizes;         ///< of those joints
  std::vector<int> joint_of_row;  ///< of G, in the order of elimination
  linalg::BlockSkyline skyline;
};

}  // namespace trammel::kkt
