#pragma once

// The mass matrix M of a tree of bodies in joint coordinates, factorised without being formed, at a cost proportional
// to the number of bodies (articulated bodies; docs/theory/joint-coordinate-solvers.md).
//
// Going from the leaves to the roots each velocity j of each joint is eliminated in turn, as if it were a joint of its
// own, with the inertia I of all that hangs on it and may still move:
//
//   U_j = I S_j,   D_j = S_j^T U_j,   I := I - U_j U_j^T / D_j,                                                 (1)
//
// and what is left goes to the parent as X^T I X. In all M = L D L^T, where L is never formed either:
//
//   y = L^-1 r:   from the leaves,   y_j = r_j - S_j^T p,             p := p + U_j y_j / D_j                      (2)
//   u = L^-T z:   from the roots,    u_j = z_j - U_j^T V / D_j,       V := V + S_j u_j                            (3)
//
// with the force p passed to the parent as X^T p and the twist V taken from it as X V.
//
// The velocities have places in this order of elimination, from the last to the first: node by node.

#include <cstddef>
#include <span>
#include <vector>

#include "trammel/dae/tree.h"
#include "trammel/kkt/rigid_inertia.h"
#include "trammel/linalg/factor_status.h"

namespace trammel::kkt {

template <int kWidth>
class ArticulatedFactors {
 public:
  explicit ArticulatedFactors(const dae::TreeStructure& tree);

  /// Fails with kNotPositiveDefinite or kNotFinite at a velocity whose pivot D is not positive. Keeps a copy of what it
  /// needs of the values.
  linalg::FactorStatus factor(const dae::TreeValues& values);
  int size() const { return static_cast<int>(inverse_pivots_.size()); }
  int node_count() const { return static_cast<int>(nodes_.size()); }
  /// Of the velocity at a place.
  const std::vector<int>& velocities() const { return velocities_; }
  /// Reciprocals of D, by place.
  const double* inverse_pivots() const { return inverse_pivots_.data(); }
  /// Smallest pivot relative to what inertia without the freedom of other joints would give: 1 at best.
  double pivot_ratio() const { return pivot_ratio_; }

  /// Of a right side r: its values by velocity, or wrenches W by node of which it is the sum J_k^T W_k.
  enum class Source { kVelocities, kWrenches };

  /// y = D^-1 L^-1 r when kScales, else L^-1 r; y by place.
  template <bool kScales, Source kSource>
  void sweep_to_roots(const double* r, double* y);
  /// u = L^-T z: z by place, u by velocity.
  void sweep_to_leaves(const double* z, double* u);
  /// L^-1 r at the nodes of a list that decreases and holds the parents of its nodes, r being zero elsewhere; y holds
  /// the places of these nodes one after the other, increasing.
  void sweep_nodes(std::span<const int> nodes, const double* r, double* y_end);
  /// sum J_k^T W_k, by velocity.
  void project(const dae::TreeValues& values, const double* wrenches, double* sum);
  /// product = M u by the recursion of the tree, for residuals; by velocity.
  void multiply(const dae::TreeValues& values, const double* u, double* product);

 private:
  using Inertia = RigidInertia<kWidth>;
  struct Node {
    int parent;  ///< 0 is the ground, k + 1 is node k
    int first;
    int count;
    int place;
    std::ptrdiff_t axes;
    std::ptrdiff_t record;
    // The next node is handed over without a detour through memory where it is the parent or a child.
    bool has_next;       ///< the next node is a child
    bool has_others;     ///< there are children besides
    bool is_next;        ///< the parent is the node before
    bool is_last_other;  ///< the first of the others to reach its parent
  };
  static constexpr int kShift = shift_size(kWidth);

  bool eliminate(const double* S, double linear_trace, double angular_trace, Inertia& inertia, double* U,
                 double* inverse);
  linalg::FactorStatus blame(int velocity, const double* S, const Inertia& inertia) const;
  template <bool kScales, bool kHasForce>
  void release(const Node& node, const double* r, double* y, double* p);
  void collect(const dae::TreeValues& values, double* sum);
  double* force(int slot) { return forces_.data() + static_cast<std::ptrdiff_t>(slot) * kWidth; }
  double* twist(int slot) { return twists_.data() + static_cast<std::ptrdiff_t>(slot) * kWidth; }

  std::vector<Node> nodes_;
  std::vector<int> velocities_;
  std::vector<Inertia> joined_;        ///< from children that are not the next node, by 1 + node
  std::vector<double> joined_traces_;  ///< their angular traces before the elimination, the same
  /// Node by node: d, then S_j and U_j / D_j of each velocity; U_0 as the parent sees it, X^T U_0.
  std::vector<double> records_;
  std::vector<double> inverse_pivots_;
  std::vector<double> forces_;  ///< p by 1 + node, zero between calls
  std::vector<double> twists_;  ///< V by 1 + node, where there are other children
  double pivot_ratio_ = 1;
  double largest_ratio_ = 0;
};

extern template class ArticulatedFactors<3>;
extern template class ArticulatedFactors<6>;

}  // namespace trammel::kkt
