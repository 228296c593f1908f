#pragma once

// A system in quasi-velocity form, lifted to the plain form v = q'.
//
// The inner system describes each rotation by Euler parameters p (4 positions) and by the body-frame angular velocity w
// (3 velocities); its other positions have q' = v one to one, in order. Here the velocities are u = q', 4 for each
// rotation. With L(p) of quaternion.h and the block-diagonal matrix B(q), the identity but for 2 L(p)/|p|^2 on each
// rotation, the quasi-velocities and their derivatives are
//
//   xi = B(q) u,   xi' = B(q) u' + c(q, u),   c = -(2 p.p'/|p|^2) w on each rotation, as L(p') p' = 0,           (1)
//
// and the equations of the inner system (M, f, G, g_t, bias) at (q, xi) become
//
//   (B^T M B + sigma p p^T) u' + B^T G^T lambda + p mu = B^T (f - M c) - sigma p (p'.p')                          (2)
//   0 = g,   0 = G B u + g_t,   G B u' = bias - G c                                                               (3)
//   0 = (p.p - 1)/2,   0 = p.p',   p.p'' = -p'.p'                     for each rotation                           (4)
//   0 = d(x', x, t, q, B u, B u' + c, lambda)                                                                     (5)
//
// The inner system sees p/|p|, so that a change of p turns its body by B dp whatever the length of p: (1) to (5) and
// all derivatives are exact for every p other than zero, also where p' is not orthogonal to p. Derivatives by q are
// those of the inner system along its retract, times B, and terms with the derivatives of B and c. Where the inner
// system does not give one, those that need it are not given here either.
//
// B p = 0, so without sigma the mass matrix would be singular along p. The two terms with sigma in (2) cancel by (4),
// which fixes p.p'': the motion and lambda do not depend on sigma, and mu = 0. Like 4 J, which stands beside it, sigma
// is an inertia [kg m^2]: 4 times the mean of the three moments of inertia that the inner mass matrix shows when time
// and positions are zero and p = (1, 0, 0, 0), so that M is as well conditioned as before. It is at least 1e-9 of the
// largest sigma (a rotation without inertia), and 4 where no rotation has inertia.
//
// Order of the rows: holonomic rows of the inner system, unit lengths, nonholonomic rows of the inner system.

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "trammel/dae/constrained_system.h"
#include "trammel/system/lifted_matrix.h"

namespace trammel::system {

/// Where a rotation of the inner system stands.
struct RotationSlot {
  int q;  ///< the first of its 4 Euler parameters among the positions, scalar first
  int v;  ///< the first of its 3 angular velocities among the velocities
};

class PlainForm final : public dae::ConstrainedSystem {
 public:
  /// Throws std::invalid_argument when the slots do not fit the inner system, or when its q' is not what they say.
  PlainForm(const std::shared_ptr<const dae::ConstrainedSystem>& inner, std::vector<RotationSlot> rotations);

  const dae::ConstrainedSystem& inner() const { return *inner_; }
  const std::vector<RotationSlot>& rotations() const { return layout_.rotations; }
  /// The row of (4) that belongs to a rotation.
  int unit_length_row(int rotation) const { return inner_->structure().n_g + rotation; }
  /// sigma of (2) [kg m^2].
  double regularisation(int rotation) const { return layout_.sigma[rotation]; }

  /// The same state in the other form. Euler parameters are given unit length; to_plain() gives p' and p'' that satisfy
  /// (4), and mu = 0.
  dae::State to_plain(const dae::State& quasi) const;
  dae::State to_quasi(const dae::State& plain) const;

  void calc_mass(const dae::Point& at, dae::MatrixValues M) const override;
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override;
  void calc_implied(const dae::Point& at, dae::VectorOut residuals) const override;
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override;
  void calc_velocity_offset(const dae::Point& at, dae::VectorOut g_t) const override;
  void calc_force(const dae::Point& at, dae::VectorOut f) const override;
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override;
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
  /// A position with q' = v.
  struct PlainSlot {
    int q;
    int v;
  };
  /// What follows from the inner system once and for all.
  struct Layout {
    dae::Structure structure;  ///< moved on to the base class by the constructor
    std::vector<RotationSlot> rotations;
    std::vector<PlainSlot> others;
    std::vector<double> sigma;
    LiftedMatrix mass, jacobian;
    std::array<LiftedMatrix, dae::kDerivativeCount> derivatives;

    const LiftedMatrix& derivative(dae::Derivative which) const { return derivatives[static_cast<std::size_t>(which)]; }
  };
  class Room;
  class Sum;

  PlainForm(Layout layout, std::shared_ptr<const dae::ConstrainedSystem> inner);
  static Layout make_layout(const dae::ConstrainedSystem* inner, std::vector<RotationSlot> rotations);
  static void add_matrices(const dae::Structure& inner, Layout& layout);

  int rotation_count() const { return static_cast<int>(layout_.rotations.size()); }
  /// xi = B u.
  void lower(const RotationBlocks& B, dae::VectorIn u, dae::VectorOut xi) const;
  /// out += B^T z.
  void add_lifted(const RotationBlocks& B, dae::VectorIn z, dae::VectorOut out) const;
  /// Between the rows of the inner system and those here; the rows of (4) are left as they are.
  void spread_rows(dae::VectorIn inner, dae::VectorOut rows) const;
  void gather_rows(dae::VectorIn rows, dae::VectorOut inner) const;

  const double* eval_inner_mass(Room& room) const;
  const double* eval_inner_jacobian(Room& room) const;
  /// f - M c, into room.z.
  void calc_inner_force(const dae::Point& at, Room& room) const;
  /// What is set on the point after its velocity: lambda, x, and where there are extra states a and x'.
  void pass_on(const dae::Point& at, Room& room) const;
  void pass_on_states(const dae::Point& at, Room& room) const;

  bool calc_inertia_by_q(Sum& sum, dae::VectorIn s) const;
  bool calc_reaction_by_q(Sum& sum, dae::VectorIn s) const;
  bool calc_force_by_q(Sum& sum, const dae::Point& at) const;
  bool calc_force_by_v(Sum& sum) const;
  bool calc_velocity_by_q(Sum& sum) const;
  bool calc_acceleration_by_q(Sum& sum, dae::VectorIn s) const;
  bool calc_bias_by_v(Sum& sum) const;
  bool calc_state_by_q(Sum& sum, dae::VectorIn a) const;
  bool calc_state_by_v(Sum& sum) const;

  std::shared_ptr<const dae::ConstrainedSystem> inner_;
  Layout layout_;
};

}  // namespace trammel::system
