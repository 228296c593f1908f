#pragma once

// Assembly: a consistent state from one that is not, with the least change.
//
//   positions:   minimise ||W (q - q0)||  subject to  g(t, q) = 0                                                  (1)
//   velocities:  minimise ||W (v - v0)||  subject to  G v + g_t = 0                                                (2)
//
// W weighs angles against lengths (metric.h); masses are not looked at, since they may be zero. (1) is approached in
// small steps (position_solver.h), so the solution is the one that belongs to the guess and not its mirror image, and a
// guess that is consistent stays as it is. Redundant constraints are no obstacle as long as they do not contradict each
// other. Chosen coordinates can be held.

#include <string>
#include <vector>

#include "trammel/analyses/position_solver.h"
#include "trammel/dae/constrained_system.h"

namespace trammel::analyses {

struct AssemblyOptions {
  /// Indices in v of the coordinates whose position and velocity are held.
  std::vector<int> fixed_velocities;
  /// A row is closed when |g| is at most this, in its own unit (round-off allowed for); > 0.
  double tolerance = 1e-12;
  /// The same for G v + g_t, relative to the largest term of the row or 1; > 0.
  double velocity_tolerance = 1e-9;
  double max_rotation = 0.3;  ///< of a step in any angle [rad], > 0
  int max_iterations = 200;   ///< 1 or more, for each attempt
  /// Whether to look for the nearest position after a closed one was found. What is found without is near, too.
  bool nearest = true;
  bool with_velocities = true;  ///< otherwise they stay as they are
  MetricOptions metric;

  /// What is wrong with the options, one message each; empty when sound.
  std::vector<std::string> validate(const dae::Structure& structure) const;
};

struct AssemblyResult {
  /// A constraint that is not satisfied.
  struct Open {
    int row;
    std::string name;
    double violation;  ///< |g|, or |G v + g_t| when only the velocities contradict each other
  };

  bool ok = false;
  std::string message;  ///< one line: what was done, or which rows do not close and by how much
  /// The assembled state, or the best one that was found. Accelerations and multipliers are those of the guess.
  dae::State state;
  double largest_violation = 0;           ///< max |g|
  double largest_velocity_violation = 0;  ///< max |G v + g_t|
  int iterations = 0;
  double moved = 0;             ///< ||W (q - q0)|| [m], approximately for large rotations
  double velocity_changed = 0;  ///< ||W (v - v0)|| [m/s]
  std::vector<Open> open;       ///< worst first; those below a hundredth of the worst are left out
};

/// `guess`: t, q, v and x. Failures are values: nothing is thrown but what the system itself throws.
AssemblyResult assemble(const dae::ConstrainedSystem& system, const dae::State& guess,
                        const AssemblyOptions& options = {});

}  // namespace trammel::analyses
