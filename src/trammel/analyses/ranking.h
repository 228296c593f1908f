#pragma once

// Methods by what they need to reach an error: work-precision curves, read at given errors.
//
// A curve joins the runs of a method by straight lines in the logarithms of error and cost. A run whose error a tighter
// tolerance exceeds was lucky; it counts with the larger one. Errors that the reference cannot resolve count as what it
// can. A method whose loosest run is more exact than asked for costs what that run costs.

#include <functional>
#include <string>
#include <vector>

#include "trammel/analyses/compared_run.h"

namespace trammel::analyses {

/// What a run costs: processor time, or something that does not depend on the machine.
using Cost = std::function<double(const ComparedRun&)>;
double cost_in_seconds(const ComparedRun& run);

struct RankedMethod {
  std::string method;
  double cost = 0;                ///< on the curve, at the error asked for
  double ratio = 1;               ///< of that to the cost of the first
  double tolerance = 0;           ///< the loosest that was run and kept the error
  double run_error = 0;           ///< the error of that run
  double run_velocity_error = 0;  ///< and that of its velocities
  double run_cost = 0;            ///< its cost
  long run_steps = 0;
};

struct Ranking {
  double error = 0;                      ///< relative, of positions
  std::vector<RankedMethod> methods;     ///< cheapest first
  std::vector<std::string> not_reached;  ///< that have runs but none this exact
};

/// Within this factor costs count as equal: what times of equal runs differ by on a machine that does other things.
inline constexpr double kTie = 1.3;

Ranking rank_methods(const std::vector<ComparedRun>& runs, double error, double least_meaningful_error,
                     const Cost& cost = cost_in_seconds);

/// One ranking a decade, for the errors that some method reached; nothing that the reference cannot resolve.
std::vector<Ranking> rank_by_decades(const std::vector<ComparedRun>& runs, double least_meaningful_error,
                                     const Cost& cost = cost_in_seconds);

}  // namespace trammel::analyses
