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
// panels: single products w_r w_s of their own are cheaper there than the zeros of panels. All W, panels and singles,
// are one array of numbers.

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
  /// Columns of W of one joint, and the numbers of their velocities.
  struct Panel {
    int width;
    int values;  ///< where it begins in W; the panels of a joint follow one another
    int z;
  };
  /// The panel of a coupled group that is to be divided by its L.
  struct Division {
    int width;
    int values;
    int z;
    int factors;  ///< of the group
  };
  /// A value that is added from one array to another.
  struct Move {
    int from;
    int to;
  };
  /// An entry of G that goes to W, times the scale of its velocity.
  struct ScaledMove {
    int from;
    int to;
    int z;
  };
  /// A row of B and a velocity that is in no panel.
  struct Single {
    int row;  ///< of B
    int z;
    int value;  ///< in W
  };
  /// Block (i, other) of B gets the product of two panels, or a place of B that of two singles.
  struct PanelProduct {
    int width;
    int left, right;  ///< values
    int rows;         ///< of the other joint
    int to;           ///< in the data of B
    bool adds;        ///< the block has got another product before
  };
  struct SingleProduct {
    int to;
    int left, right;
  };
  /// A row of B that may be switched off, its entries of G in `switch_entries`.
  struct Switch {
    int row;
    int to;  ///< its diagonal in the data of B
    int begin, end;
  };
  /// Where the numbers of a vector stand in another one.
  struct Order {
    std::vector<int> places;
    bool is_natural = true;  ///< 0, 1, 2, ...

    int size() const { return static_cast<int>(places.size()); }
    void add(int place) {
      is_natural = is_natural && place == size();
      places.push_back(place);
    }
  };
  struct Range {
    int begin = 0;
    int end = 0;
  };
  struct Joint {
    int size;
    int first_row;      ///< in `rows`
    int values, width;  ///< of all its panels together
    bool has_gaps;      ///< before the diagonal there are blocks without a product of panels
    Range panels, divisions, panel_products, single_products, switches;
  };

  /// `layout` as make_reduced_solver() takes it.
  explicit ReducedStructure(const Layout& layout);

  Bodies bodies;
  Order velocities;  ///< z to velocity
  std::vector<Group> groups;
  std::vector<Move>
      mass_moves;  ///< entries of M to the array of all L, both triangles; diagonal ones to that of masses
  std::vector<Move> diagonal_moves;
  int factor_count = 0;  ///< numbers of all L

  std::vector<Joint> joints;  ///< in the order of elimination
  Order rows;                 ///< of G, joint by joint
  std::vector<Panel> panels;  ///< those of neighbouring groups are one
  std::vector<Division> divisions;
  std::vector<ScaledMove> moves;        ///< from G to W
  std::vector<ScaledMove> added_moves;  ///< the same for places that were listed before: to be added
  std::vector<int> zeros;               ///< places of panels of coupled groups where G has no entry
  std::vector<Single> singles;
  std::vector<PanelProduct> panel_products;
  std::vector<SingleProduct> single_products;
  std::vector<Switch> switches;
  std::vector<int> switch_entries;
  int value_count = 0;  ///< numbers of W

  const char* ordering = "";      ///< that was chosen
  linalg::Graph graph;            ///< of the joints as found, before they were numbered anew
  std::vector<int> sizes;         ///< of those joints
  std::vector<int> joint_of_row;  ///< of G, in the order of elimination
  linalg::BlockSkyline skyline;
};

}  // namespace trammel::kkt
