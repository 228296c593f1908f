#pragma once

// From a model to a system that can be simulated: bodies are placed and assembled, couplings get their constants, and
// redundant constraints are found, named and left out.

#include <memory>
#include <string>
#include <vector>

#include "trammel/analyses/assemble.h"
#include "trammel/system/mechanism.h"

namespace trammel::analyses {

struct PrepareOptions {
  bool is_strict = false;           ///< refuse redundant constraints instead of leaving them out
  bool with_energy_states = false;  ///< integrate dissipated and driven energy along
  /// With dry friction, as runs want it. Analyses without time take the mechanism without it; a warning tells.
  bool with_dry_friction = true;
};

/// A constraint that others imply.
struct RedundantConstraint {
  std::string name;                     ///< "revolute 'hinge': rotation about its x axis"
  std::vector<std::string> implied_by;  ///< names of rows; empty for a row without effect
};

/// What is known of the mobility of a mechanism.
struct Mobility {
  int coordinates = 0;         ///< n_v: degrees of freedom of the bodies without constraints
  int constraints = 0;         ///< rows
  int degrees_by_count = 0;    ///< coordinates - constraints
  int degrees_of_freedom = 0;  ///< coordinates - rank
  std::vector<RedundantConstraint> redundant;
  std::vector<std::string> suggestions;  ///< joints that would do without the redundant rows
  bool is_singular_start = false;        ///< the rank is smaller at the start than close by
};

struct Prepared {
  bool ok = false;
  std::string message;                                 ///< why it failed
  std::shared_ptr<const system::Mechanism> mechanism;  ///< without the redundant rows
  dae::State start;                                    ///< consistent positions and velocities
  Mobility mobility;
  AssemblyResult assembly;
  std::vector<std::string> warnings;
};

/// Failures are values; only a model that makes no sense at all throws std::invalid_argument.
Prepared prepare(const std::shared_ptr<const model::Model>& model, const PrepareOptions& options = {});

}  // namespace trammel::analyses
