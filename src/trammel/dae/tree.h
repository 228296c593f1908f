#pragma once

// A forest of rigid bodies whose coordinates are those of their joints, as recursive solvers want it.
//
// The twist of a body k is the velocity of its reference point and its angular velocity, both in ground axes: width 6
// in space, (vx, vy, vz, wx, wy, wz), width 3 in the plane, (vx, vy, w). With the body p = parent(k) that it hangs on,
//
//   V_k = X_k V_p + S_k u_k,    X_k V_p = (v_p + w_p x d_k, w_p),    d_k = point of k - point of p,              (1)
//
// where u_k are the velocities of its joint, and the mass matrix of the system is that of sum_k V_k^T M_k V_k / 2.

#include <cstddef>
#include <vector>

namespace trammel::dae {

/// Of a tree at a position. Matrices by columns.
struct TreeValues {
  std::vector<double> inertia;  ///< M_k, width x width numbers a node [kg, kg m, kg m^2]
  std::vector<double> axes;     ///< S_k, width x count, at TreeStructure::Node::axes, one after the other
  std::vector<double> shift;    ///< d_k, 2 or 3 numbers a node [m]
};

struct TreeStructure {
  struct Node {
    int parent = -1;          ///< node, smaller than its own number; -1: the ground
    int first = 0;            ///< of its velocities u_k among those of the system
    int count = 0;            ///< how many there are, 0 (a weld) to width
    std::ptrdiff_t axes = 0;  ///< place of S_k in TreeValues::axes
  };

  int width = 6;            ///< 3 or 6
  std::vector<Node> nodes;  ///< parents before their children

  int shift_size() const { return width == 3 ? 2 : 3; }
  /// Zeros of the right sizes.
  TreeValues make_values() const {
    TreeValues values;
    values.inertia.resize(nodes.size() * static_cast<std::size_t>(width * width));
    values.axes.resize(nodes.empty() ? 0 : static_cast<std::size_t>(nodes.back().axes + width * nodes.back().count));
    values.shift.resize(nodes.size() * static_cast<std::size_t>(shift_size()));
    return values;
  }
};

}  // namespace trammel::dae
