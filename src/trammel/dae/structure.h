#pragma once

// What of a system never changes: sizes, names, and the places where its matrices may be nonzero.
//
// Sizes: n_q positions, n_v velocities, m constraint rows of which the first n_g are holonomic (they stand in g and in
// the velocity constraints; the others in the velocity constraints only), n_x extra states.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trammel/dae/tree.h"
#include "trammel/linalg/pattern.h"

namespace trammel::dae {

/// The derivatives that implicit methods need. "By q" always means along `retract`: d/d(delta) at retract(q, delta),
/// so that such a derivative has n_v columns; for q' = v it is the ordinary partial derivative. `s` is a direction
/// given by the caller.
enum class Derivative {
  kInertiaByQ,       ///< d(M(q) s)/dq,                    n_v x n_v, s has n_v
  kReactionByQ,      ///< d(G(q)^T s)/dq,                  n_v x n_v, s has m
  kForceByQ,         ///< df/dq,                           n_v x n_v
  kForceByV,         ///< df/dv,                           n_v x n_v
  kForceByLambda,    ///< df/dlambda,                      n_v x m; empty where no force depends on reactions
  kForceByX,         ///< df/dx,                           n_v x n_x
  kVelocityByQ,      ///< d(G v + g_t)/dq,                 m x n_v
  kAccelerationByQ,  ///< d(G(q) s - bias(t, q, v))/dq,    m x n_v, s has n_v
  kBiasByV,          ///< d bias/dv,                       m x n_v
  kStateByXRate,     ///< dd/dx',                          n_x x n_x
  kStateByX,         ///< dd/dx,                           n_x x n_x
  kStateByQ,         ///< dd/dq,                           n_x x n_v
  kStateByV,         ///< dd/dv,                           n_x x n_v
  kStateByA,         ///< dd/dv',                          n_x x n_v
  kStateByLambda,    ///< dd/dlambda,                      n_x x m
};
inline constexpr int kDerivativeCount = 15;
std::string to_string(Derivative which);

/// How the extra states are given: x' = rate(t, q, v, v', lambda, x), or 0 = d(x', x, t, q, v, v', lambda).
enum class StateForm { kExplicit, kImplicit };

struct Structure {
  /// Every matrix full, all constraints holonomic, no force that depends on lambda. Good for small systems; change the
  /// patterns for large ones, and empty those of derivatives that vanish. Velocities that are named are
  /// quasi-velocities (q' = T(q) v); without names q' = v.
  static Structure full(std::vector<std::string> positions, std::vector<std::string> constraints = {},
                        std::vector<std::string> states = {}, std::vector<std::string> velocities = {});
  /// As full(), but with the given patterns of M (n_v x n_v) and G (m x n_v). The patterns of derivatives follow from
  /// them: no wider than what forces and constraints that couple the same coordinates as M and G can produce.
  static Structure sparse(std::vector<std::string> positions, std::vector<std::string> constraints,
                          linalg::Pattern mass, linalg::Pattern jacobian);

  int n_q() const { return static_cast<int>(position_names.size()); }
  int n_v() const { return static_cast<int>(velocity_names.size()); }
  int m() const { return static_cast<int>(constraint_names.size()); }
  int n_x() const { return static_cast<int>(state_names.size()); }
  /// Whether q' = v, so that positions are advanced by plain addition.
  bool has_trivial_kinematics = true;
  /// Whether kinetic and potential energy together stay the same, so that a run can be judged by it.
  bool keeps_energy = false;
  /// Whether nothing depends on the time itself. Methods that need the time derivative of the equations save an
  /// evaluation a step where they know.
  bool is_autonomous = false;
  bool force_depends_on_lambda() const { return pattern(Derivative::kForceByLambda).size() > 0; }

  const linalg::Pattern& pattern(Derivative which) const { return derivatives[static_cast<std::size_t>(which)]; }
  linalg::Pattern& pattern(Derivative which) { return derivatives[static_cast<std::size_t>(which)]; }

  /// For each extra state, whether it occurs without its rate: a variable that its equation defines.
  std::vector<bool> algebraic_states() const;

  /// Problems of a hand-made structure (sizes that do not fit), one message each; empty when sound.
  std::vector<std::string> validate() const;

  std::vector<std::string> position_names;    ///< n_q
  std::vector<std::string> velocity_names;    ///< n_v
  std::vector<std::string> constraint_names;  ///< m, holonomic rows first
  std::vector<std::string> state_names;       ///< n_x
  /// Extra states that the position determines but for a number of turns: angles whose turns are counted. Their rate is
  /// that of the angle; analyses without time leave them out of their unknowns.
  std::vector<int> following_states;
  int n_g = 0;  ///< holonomic rows
  /// Rows, in increasing order, that the states may switch off, as friction does while it slips: a row of G that is
  /// zero in all its values, with a residual, offset and bias of zero, is no constraint, and its multiplier is zero.
  /// Only events change the states that switch.
  std::vector<int> switchable_rows;
  /// Rows r, in increasing order, with G_r M^-1 G_s^T = 0 for every other row s, whatever the position: the unit
  /// lengths of Euler parameters are such rows.
  std::vector<int> decoupled_rows;
  /// The first velocity of each body, in increasing order and beginning with 0: those up to the next one move with it.
  /// The mass matrix couples no velocities of different bodies. Empty: nothing is said, and velocities that the mass
  /// matrix couples are taken as one body.
  std::vector<int> bodies;
  /// How the velocities make a tree of bodies, where they are those of its joints: ConstrainedSystem::calc_tree() has
  /// the values.
  std::optional<TreeStructure> tree;
  /// Conditions on positions that are no rows because others imply them. They are watched: a solution that does not
  /// keep them is refused.
  std::vector<std::string> implied_names;
  StateForm state_form = StateForm::kExplicit;
  linalg::Pattern mass;      ///< n_v x n_v, both triangles
  linalg::Pattern jacobian;  ///< m x n_v
  std::array<linalg::Pattern, kDerivativeCount> derivatives;
};

/// The names of the row and of the column of a derivative, for messages.
std::string row_name(const Structure& structure, Derivative which, int row);
std::string column_name(const Structure& structure, Derivative which, int column);

/// A name as a message shows it: in quotes, unless it holds some already, as "motion 'drive'" does.
std::string quoted(const std::string& name);

}  // namespace trammel::dae
