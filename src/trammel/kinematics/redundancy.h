#pragma once

// Which constraint rows depend on others at a position, by name; and in words why the equations of motion could not be
// solved there. For messages and checks, not for speed.

#include <string>
#include <vector>

#include "trammel/dae/evaluation.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::kinematics {

/// A constraint row that the earlier rows imply (at this position, at the level of velocities).
struct RedundantRow {
  int row = 0;
  std::string name;
  std::vector<std::string> implied_by;  ///< empty for a row of zeros
};

struct RedundancyReport {
  int rows = 0;
  int rank = 0;
  int degrees_of_freedom = 0;  ///< n_v - rank
  std::vector<RedundantRow> redundant;

  std::string brief_report() const;
};

/// Numerical rank of G at the evaluation's position; rows that come first are kept, and those that the states have
/// switched off are not counted.
RedundancyReport find_redundancy(dae::Evaluation& evaluation);

/// Which rows are close to depending on others at the evaluation's position, where the mechanism may branch; an empty
/// string when none is.
std::string describe_near_singularity(dae::Evaluation& evaluation);

/// The implied constraint with the largest residual at the evaluation's position.
struct OpenConstraint {
  double residual = 0;  ///< its size; 0 when there are no implied constraints
  int index = -1;       ///< into Structure::implied_names
};
OpenConstraint find_open_implied(dae::Evaluation& evaluation);
/// What it means that an implied constraint has opened.
std::string describe_open_implied(const dae::Structure& structure, const OpenConstraint& open);

/// Why accelerations could not be computed at the evaluation's point, with the names of rows and coordinates.
std::string describe_failure(dae::Evaluation& evaluation, kkt::AccelerationStatus status);

}  // namespace trammel::kinematics
