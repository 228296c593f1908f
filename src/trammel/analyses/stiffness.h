#pragma once

// How stiff a problem is along a motion: eigenvalues mu of the equations linearised about states of the motion
// (linearise.h), frozen at their times. An explicit method of the size of `projection` is stable while h |mu| is below
// about 3.3, so that it needs
//
//   n = 1/3.3 * integral of max |mu| dt                                                                           (1)
//
// steps whatever the tolerance. A problem is stiff for it when accuracy alone would need far fewer.

#include <string>
#include <vector>

#include "trammel/analyses/sampled_run.h"

namespace trammel::analyses {

/// The part of the negative real axis on which the pair of Dormand and Prince is stable, of which `projection` is made.
inline constexpr double kExplicitStability = 3.3;

struct StiffnessPoint {
  double t = 0;          ///< [s]
  double decay = 0;      ///< max -Re mu, or 0 [1/s]
  double growth = 0;     ///< max Re mu, or 0 [1/s]
  double frequency = 0;  ///< max |Im mu| [rad/s]
  double size = 0;       ///< max |mu| [1/s]
};

struct Stiffness {
  std::string why_not;                                    ///< it was not measured; empty when it was
  std::vector<StiffnessPoint> points;                     ///< by time
  double decay = 0, growth = 0, frequency = 0, size = 0;  ///< the largest of all points
  double span = 0;                                        ///< of the run [s]
  double stability_steps = 0;                             ///< n of (1)
  bool is_measured() const { return why_not.empty(); }
};

/// The states are complete and have quasi-velocities; those of spatial models are looked at in plain form.
Stiffness measure_stiffness(const CompareProblem& problem, const std::vector<dae::State>& states, double span);

/// What else of a problem bears on the choice of a method.
struct ProblemFacts {
  int coordinates = 0;         ///< velocities n_v
  int constraints = 0;         ///< rows
  int degrees_of_freedom = 0;  ///< coordinates - rank of the constraints at the start (- rows, for large systems)
  int states = 0;              ///< extra ones
  int stops = 0;               ///< events that stop the run
  int changes = 0;             ///< events that change values
  int edges = 0;               ///< where the equations or their slopes jump
  bool is_spatial = false;
  bool has_nonholonomic_rows = false;
  bool has_implicit_states = false;
  bool has_reaction_forces = false;  ///< forces that depend on reactions
};
ProblemFacts collect_facts(const CompareProblem& problem);

}  // namespace trammel::analyses
