#pragma once

// The equations that Trammel solves:
//
//   q' = T(q) v                                          (1)  positions and velocities
//   M(q) v' + G(q)^T lambda = f(t, q, v, lambda, x)      (2)  motion
//   0 = g(t, q)                                          (3)  holonomic constraints
//   0 = G(q) v + g_t(t, q)                               (4)  constraints on velocities; rows beyond those of g are
//                                                             nonholonomic
//   0 = d(x', x, t, q, v, v', lambda)                    (5)  extra states
//
// Differentiating (4) gives G a = bias(t, q, v). SI units and radians. A system is constant once built and may be
// shared between threads; whatever changes lives in the Point and its workspace.
//
// A small system overrides calc_mass, calc_force, calc_constraint and calc_jacobian. What it does not give (the bias
// and all derivatives) is supplied by finite differences; check_derivatives() tells which of those it gives are wrong.

#include <optional>
#include <string>

#include "trammel/dae/state.h"
#include "trammel/dae/structure.h"

namespace trammel::dae {

using linalg::MatrixValues;
using linalg::Vector;
using linalg::VectorIn;
using linalg::VectorOut;

class ConstrainedSystem {
 public:
  virtual ~ConstrainedSystem() = default;
  ConstrainedSystem(const ConstrainedSystem&) = delete;
  ConstrainedSystem& operator=(const ConstrainedSystem&) = delete;

  const Structure& structure() const { return structure_; }

  // --- position stage: may read t, q. All outputs are zero beforehand.
  virtual void calc_mass(const Point& at, MatrixValues M) const = 0;
  /// n_g residuals of (3). May read x to choose between branches that differ by a constant, such as the turns of an
  /// angle; a method therefore sets x before it projects positions.
  virtual void calc_constraint(const Point& at, VectorOut g) const;
  /// May read x for one thing: which of Structure::switchable_rows are zero.
  virtual void calc_jacobian(const Point& at, MatrixValues G) const;
  /// Residuals of Structure::implied_names; may read x like calc_constraint.
  virtual void calc_implied(const Point& at, VectorOut residuals) const;
  /// g_t of (4), m rows: the explicit time derivative of g, or the inhomogeneity of a nonholonomic row. Default: zero.
  virtual void calc_velocity_offset(const Point& at, VectorOut g_t) const;
  /// Overridden by systems with a Structure::tree; the arrays have their sizes, and are not zero beforehand.
  virtual void calc_tree(const Point& at, TreeValues& values) const;

  // --- velocity stage: may read t, q, v (and x, lambda where f depends on them).
  virtual void calc_force(const Point& at, VectorOut f) const = 0;
  /// The same force as wrenches on the nodes of Structure::tree, about their reference points, in the order of (1) in
  /// tree.h: f = sum_k J_k^T W_k, with V_k = J_k u. The array has its size and is not zero beforehand. Return false to
  /// have calc_force() called instead.
  virtual bool calc_tree_force(const Point& at, std::vector<double>& wrenches) const;
  /// bias = -d/dt(G v + g_t) at constant v. Return false to have it supplied by finite differences.
  virtual bool calc_acceleration_bias(const Point& at, VectorOut bias) const;

  // --- kinematics. Override both when q' is not v.
  /// T(q) v.
  virtual void calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const;
  /// The position reached from q by the displacement `delta` (n_v): result = q + T(q) delta + O(delta^2), exact and
  /// normalised (unit quaternions) whatever the length of delta. `result` may be the same vector as q.
  virtual void retract(VectorIn q, VectorIn delta, VectorOut result) const;

  // --- extra states: may read everything. A system of explicit form overrides the first, of implicit form the second.
  virtual void calc_state_rate(const Point& at, VectorOut rate) const;
  virtual void calc_state_residual(const Point& at, VectorOut d) const;
  /// Writes the states that follow the position, Structure::following_states, with the turns nearest to at.x; leaves
  /// the others of x alone. May read t, q, x.
  virtual void calc_following_states(const Point& at, VectorOut x) const;

  /// One derivative in closed form, written into the pattern of structure(). `s` is the direction of those that have
  /// one. Return false for what is not given: it is supplied by coloured finite differences.
  virtual bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const;

  /// Potential energy [J] of a system that has one; the kinetic part v^T M v / 2 is added by the caller.
  virtual std::optional<double> calc_potential_energy(const Point& at) const;

  /// For messages, in words: what of the system has values at the point that are not finite numbers, such as a force or
  /// an expression. Default: empty, nothing to say. Both stages are prepared; may read everything.
  virtual std::string find_trouble(const Point& at) const;

  // --- work shared within a stage, done once per new position (t, q) and once per new velocity.
  virtual std::unique_ptr<Workspace> make_workspace() const;
  virtual void prepare_position(Point& at) const;
  virtual void prepare_velocity(Point& at) const;

 protected:
  /// Throws std::invalid_argument when the structure is not sound.
  explicit ConstrainedSystem(Structure structure);

 private:
  Structure structure_;
};

}  // namespace trammel::dae
