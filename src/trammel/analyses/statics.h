#pragma once

// Static equilibrium: a position at which the system stays when it is at rest,
//
//   f(t, q, 0, lambda, x) = G^T lambda,   g(t, q) = 0,   x' = 0.                                                  (1)
//
// Three ways, each tried when the one before it failed:
//   Newton         Newton's iteration on (1) with exact derivatives, step limit and line search
//   load stepping  springs hold every coordinate where it started and are taken away step by step (equilibrium.h)
//   relaxation     the overdamped motion W^2 q' = f - G^T lambda (W: metric.h) by the implicit Euler rule with growing
//                  steps (pseudo-transient continuation; Kelley and Keyes 1998), then Newton's iteration
// Equilibria that are not isolated and constraints that depend on each other are no obstacle. What was found is
// linearised (linearise.h), which tells whether it is stable. When a stable one is preferred, the one that lies
// downhill from the start is looked for by relaxation from there
//   when the equilibrium that was found is unstable,
//   when a step of Newton's iteration went against the forces: it climbed towards another equilibrium, and what lies
//   beyond is not the nearest one,
//   when the potential energy is higher than at the start, in systems that keep their energy.
// If that fails or ends in an unstable equilibrium, an unstable one is left along the mode that grows, and a stable one
// is taken as it is. Newton's iteration may still step over a barrier without climbing it; a path that must not is
// followed by relaxation alone, or by a simulation with damping.

#include <string>
#include <vector>

#include "trammel/analyses/assemble.h"
#include "trammel/analyses/modes.h"

namespace trammel::analyses {

struct StaticsOptions {
  /// Unbalanced forces, relative to the largest force in the system, at which it is in equilibrium; (0, 1).
  double tolerance = 1e-10;
  double max_rotation = 0.3;        ///< of a step in any angle [rad], > 0
  int max_newton_iterations = 60;   ///< 1 or more
  int max_relaxation_steps = 2000;  ///< 0 or more; 0: relaxation is not tried
  bool load_stepping = true;        ///< whether it is tried
  /// Go on from an unstable equilibrium, and from one that does not lie downhill, to a stable one that does. False:
  /// report the one that is found.
  bool prefer_stable = true;
  /// Most velocity coordinates for which eigenvalues are computed, >= 0; 0: never. They take n_v^3 operations: seconds
  /// for 300 coordinates with damping.
  int max_modal_size = 600;
  ModalOptions modal;
  AssemblyOptions assembly;  ///< of the first position

  /// What is wrong with the options, one message each; empty when sound.
  std::vector<std::string> validate(const dae::Structure& structure) const;
};

enum class StaticsStage { kNone, kNewton, kLoadStepping, kRelaxation };
std::string to_string(StaticsStage stage);

struct StaticsResult {
  bool ok = false;
  std::string message;                       ///< one line: what was found, or why nothing was
  dae::State state;                          ///< with lambda; v = a = x' = 0. The best one when nothing was found.
  StaticsStage stage = StaticsStage::kNone;  ///< the one that succeeded
  int iterations = 0;                        ///< linear systems solved, of all stages
  double residual = 0;                       ///< largest |f - G^T lambda|
  std::vector<std::string> notes;            ///< what the user should know besides

  std::vector<Mode> modes;  ///< by frequency; empty when stability is not known
  Stability stability = Stability::kUnknown;
  int stable_modes = 0, neutral_modes = 0, unstable_modes = 0;

  /// A few lines for a terminal.
  std::string brief_report() const;
};

/// `guess`: t, q and x; velocities are not looked at. Constraints that move at that time are refused by name.
StaticsResult find_equilibrium(const dae::ConstrainedSystem& system, const dae::State& guess,
                               const StaticsOptions& options = {});

}  // namespace trammel::analyses
