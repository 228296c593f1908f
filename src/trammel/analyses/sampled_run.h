#pragma once

// One run of one method for a comparison: what is asked of every run is the motion at given times, the sizes of the
// steps, and what it cost.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/analyses/form.h"
#include "trammel/analyses/trajectory_error.h"
#include "trammel/integrators/integrate.h"

namespace trammel::analyses {

/// What is to be integrated. The events keep working memory, so that a problem serves one run at a time.
struct CompareProblem {
  std::shared_ptr<const dae::ConstrainedSystem> system;
  std::shared_ptr<const system::Mechanism> mechanism = nullptr;  ///< the same, of a model; null for equations
  dae::State start;
  double t_end = 1;                             ///< [s]
  std::vector<integrators::Event> events = {};  ///< all are looked for
  std::optional<FormKind> form = std::nullopt;  ///< in which it is integrated; otherwise what the method can take
};

/// Makes a problem for one thread; called from several threads at once.
using ProblemFactory = std::function<CompareProblem()>;

/// The end of an accepted step and its size [s].
struct StepPoint {
  double t;
  double h;
};

/// At most `most` (>= 2) of the points: of neighbours the smallest and the largest step are kept.
std::vector<StepPoint> thin_steps(const std::vector<StepPoint>& steps, std::size_t most);

struct SampledRun {
  std::string obstacle;           ///< why the method cannot take the problem; nothing was run then
  integrators::RunResult result;  ///< with quasi-velocities
  Trajectory trajectory;          ///< at the sample times that were reached
  std::vector<dae::State> states;
  std::vector<StepPoint> steps;
};

struct SamplingOptions {
  std::vector<double> times;    ///< [s], increasing, after the start; empty: the run is only timed
  int states = 0;               ///< complete states to keep, at about even distances among the samples
  std::size_t step_points = 0;  ///< at most so many; 0 for no history of steps
  /// Gets the intervals of the solution, whose states have quasi-velocities; may be empty.
  std::function<void(const integrators::SolutionInterval&)> interval = {};
};

SampledRun run_sampled(const CompareProblem& problem, const integrators::Options& options,
                       const SamplingOptions& sampling);

/// Why the method cannot take the problem, in one line; empty when it can.
std::string find_obstacle(const CompareProblem& problem, const integrators::MethodEntry& method,
                          const integrators::MethodOptions& options = {});

}  // namespace trammel::analyses
