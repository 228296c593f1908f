#pragma once

// A compiled model in joint coordinates (docs/theory/joint-coordinates.md).
//
// A spanning tree (joint_tree.h) gives the velocities of the bodies by those of its joints,
//
//   xi = J(q) u,    xi' = J(q) u' + c(q, u),                                                                       (1)
//
// so that the constraints of its joints hold by themselves. What remains of the model is the inner system: the same
// bodies and forces in body coordinates, with the rows of all but the tree's joints. Its equations (M, f, G, g_t, bias)
// at the bodies' positions and at xi become
//
//   (J^T M J) u' + (G J)^T lambda = J^T (f - M c)                                                                  (2)
//   0 = g,   0 = G J u + g_t,   G J u' = bias - G c                                                                (3)
//   0 = d(x', x, t, q, J u, J u' + c, lambda)                                                                      (4)
//
// The force is summed along the tree, J^T M J is that of composite bodies: neither takes J. All derivatives are exact
// where those of the inner system are.

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "trammel/dae/constrained_system.h"
#include "trammel/system/joint_tree.h"
#include "trammel/system/mechanism.h"
#include "trammel/system/tree_matrix.h"

namespace trammel::system {

class JointForm final : public dae::ConstrainedSystem {
 public:
  /// `full` is the model with all its rows, for to_quasi(); `inner` the same without those of the joints in the tree,
  /// and with the same or fewer extra states. Throws std::invalid_argument when they do not belong together.
  JointForm(std::shared_ptr<const Mechanism> full, const std::shared_ptr<const Mechanism>& inner,
            const std::shared_ptr<const JointTree>& tree);

  const Mechanism& full() const { return *full_; }
  const Mechanism& inner() const { return *inner_; }
  const JointTree& tree() const { return *tree_; }

  /// The same state with the coordinates of all bodies and the multipliers of all constraints. Those of the joints in
  /// the tree follow from the balance of each body, from the leaves to the root; where they are not asked for, they are
  /// zero.
  dae::State to_quasi(const dae::State& joint, bool with_reactions = true) const;
  /// The state of the tree nearest to one of all bodies. Angles have the turns nearest to those that the model gives;
  /// multipliers of constraints that the other system has left out are zero.
  dae::State from_quasi(const dae::State& quasi) const;

  void calc_mass(const dae::Point& at, dae::MatrixValues M) const override;
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override;
  void calc_implied(const dae::Point& at, dae::VectorOut residuals) const override;
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override;
  void calc_velocity_offset(const dae::Point& at, dae::VectorOut g_t) const override;
  void calc_tree(const dae::Point& at, dae::TreeValues& values) const override;
  void calc_force(const dae::Point& at, dae::VectorOut f) const override;
  bool calc_tree_force(const dae::Point& at, std::vector<double>& wrenches) const override;
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override;
  void calc_position_rate(dae::VectorIn q, dae::VectorIn v, dae::VectorOut q_rate) const override;
  void retract(dae::VectorIn q, dae::VectorIn delta, dae::VectorOut result) const override;
  void calc_state_rate(const dae::Point& at, dae::VectorOut rate) const override;
  void calc_state_residual(const dae::Point& at, dae::VectorOut d) const override;
  void calc_following_states(const dae::Point& at, dae::VectorOut x) const override;
  bool calc_derivative(dae::Derivative which, const dae::Point& at, dae::VectorIn s,
                       dae::MatrixValues values) const override;
  std::optional<double> calc_potential_energy(const dae::Point& at) const override;
  std::string find_trouble(const dae::Point& at) const override;

  std::unique_ptr<dae::Workspace> make_workspace() const override;
  void prepare_position(dae::Point& at) const override;
  void prepare_velocity(dae::Point& at) const override;

 private:
  /// What follows from the inner system once and for all.
  struct Layout {
    dae::Structure structure;  ///< moved on to the base class by the constructor
    TreeMatrix mass, jacobian;
    std::array<TreeMatrix, dae::kDerivativeCount> derivatives;

    const TreeMatrix& derivative(dae::Derivative which) const { return derivatives[static_cast<std::size_t>(which)]; }
  };
  class Room;
  class Sum;
  /// An extra state of the full system: that of the inner one, or an angle of the tree that counts its turns by itself.
  struct StateSource {
    int x = -1;
    int q = -1, v = -1;
  };

  JointForm(Layout layout, std::shared_ptr<const Mechanism> full, std::shared_ptr<const Mechanism> inner,
            std::shared_ptr<const JointTree> tree);
  static Layout make_layout(const Mechanism& inner, const JointTree& tree);
  static void add_matrices(const dae::Structure& inner, const JointTree& tree, Layout& layout);
  void match_states();
  void match_rows();
  void find_tree_entries();

  /// Velocities of bodies, as the inner system has them.
  void write_velocities(const std::vector<BodyFrame>& frames, const std::vector<Screw>& twists,
                        dae::VectorOut xi) const;
  /// J x.
  void lower(Room& room, dae::VectorIn x, dae::VectorOut xi) const;
  /// J x + c at the velocities of the present point, by way of the field `A`.
  void lower_rate(const dae::Point& at, Room& room, dae::VectorIn x, TreeField& A, dae::VectorOut xi_rate) const;
  /// Generalised forces on bodies as wrenches in ground axes.
  void write_wrenches(const std::vector<BodyFrame>& frames, dae::VectorIn z, std::vector<Screw>& wrenches) const;
  /// Positions of bodies, as the full system has them, at the places of the positions of the tree.
  void write_positions(const linalg::Vector& joint_q, const TreePlaces& places, dae::VectorOut q) const;
  /// Accelerations of bodies, as the inner system has them: a rate field has the derivatives of velocities seen from
  /// fixed points, not those of the centres.
  void write_accelerations(const std::vector<BodyFrame>& frames, const std::vector<Screw>& V,
                           const std::vector<Screw>& rates, dae::VectorOut xi_rate) const;
  // Once a position or velocity.
  /// The inner system at the position, with t and x, and ...
  const dae::Point& eval_inner_position(Room& room) const;
  /// ... at the velocity, with all of pass_on().
  const dae::Point& eval_inner_velocity(const dae::Point& at, Room& room) const;
  void eval_inertias(Room& room) const;
  const PathMatrix& eval_J(Room& room) const;
  void eval_motion(const dae::Point& at, Room& room) const;
  void eval_fields(const dae::Point& at, Room& room) const;
  const linalg::Vector& eval_c(const dae::Point& at, Room& room) const;
  const PathMatrix& eval_velocity_by_q(const dae::Point& at, Room& room) const;
  const PathMatrix& eval_c_by_q(const dae::Point& at, Room& room) const;
  const PathMatrix& eval_c_by_v(const dae::Point& at, Room& room) const;
  const double* eval_inner_jacobian(Room& room) const;
  /// f - M c of the inner system as wrenches on its bodies, into room.wrenches.
  void calc_wrenches(const dae::Point& at, Room& room) const;
  /// What is set on the point after its velocity: lambda, x, and where there are extra states a and x'.
  void pass_on(const dae::Point& at, Room& room) const;
  void pass_on_states(const dae::Point& at, Room& room) const;

  bool calc_inertia_by_q(Sum& sum, dae::VectorIn s) const;
  bool calc_reaction_by_q(Sum& sum, dae::VectorIn s) const;
  bool calc_force_by_q(Sum& sum) const;
  bool calc_force_by_v(Sum& sum) const;
  bool calc_velocity_by_q(Sum& sum) const;
  bool calc_acceleration_by_q(Sum& sum, dae::VectorIn s) const;
  bool calc_bias_by_v(Sum& sum) const;
  bool calc_state_by_q(Sum& sum) const;
  bool calc_state_by_v(Sum& sum) const;

  void recover_reactions(dae::Point& quasi) const;
  void recover_along_tree(const linalg::Vector& G, linalg::Vector load, linalg::Vector& lambda) const;
  void recover_all(const linalg::Vector& G, const linalg::Vector& load, linalg::Vector& lambda) const;

  std::shared_ptr<const Mechanism> full_, inner_;
  std::shared_ptr<const JointTree> tree_;
  Layout layout_;
  linalg::Vector inner_mass_;                   // values of M, which is constant
  std::vector<StateSource> state_sources_;      // of each state of the full system
  std::vector<int> full_row_;                   // of each row of the inner system; -1: the full system has left it out
  std::vector<std::vector<int>> tree_entries_;  // of each frame: those of its joint in the Jacobian of the full system
  /// Whether the full system has the rows of the inner one and all of the tree's joints.
  bool rows_match_ = true;
};

}  // namespace trammel::system
