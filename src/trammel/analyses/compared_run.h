#pragma once

// One method at one tolerance: what it cost and how exact it was.

#include <optional>
#include <string>
#include <vector>

#include "trammel/analyses/reference_solution.h"
#include "trammel/analyses/run_variables.h"
#include "trammel/analyses/sampled_run.h"

namespace trammel::analyses {

enum class RunOutcome {
  kMeasured,        ///< completed, its error is known
  kBelowReference,  ///< completed; its error is too small for the reference to tell
  kNoReference,     ///< completed; there is nothing to measure it by
  kEndedEarly,      ///< an event ended it well before the reference
  kEndedLate,       ///< it missed the event that ends the reference
  kFailed,
  kTimeLimit,
  kSkipped,    ///< a looser tolerance already reached the time limit
  kCancelled,  ///< by the user; never stored
};
std::string to_string(RunOutcome outcome);

struct ComparedRun {
  std::string method;
  double tolerance = 0;
  RunOutcome outcome = RunOutcome::kFailed;
  std::string remark;    ///< in words, what is out of the ordinary; empty when nothing is
  double t_reached = 0;  ///< [s]
  TrajectoryError q,
      v;                                 ///< where the outcome is one of the first two, kEndedEarly and kEndedLate
  integrators::Statistics statistics;    ///< without the work for the samples; times are the least of the repetitions
  int repetitions = 0;                   ///< of the timing
  std::vector<StepPoint> steps;          ///< thinned
  std::vector<VariableError> variables;  ///< at the grid points of the run, where they were asked for and q and v are

  /// Whether the run stands on the work-precision curve of its method.
  bool is_ranked() const { return outcome == RunOutcome::kMeasured || outcome == RunOutcome::kBelowReference; }
  long rejected() const { return statistics.rejected_error + statistics.rejected_convergence; }
  /// Iteration matrices.
  long jacobians() const;
};

struct RunSettings {
  std::vector<double> times;                ///< of the samples
  std::optional<double> end;                ///< of the reference's run, where it is known [s]
  std::size_t step_points = 400;            ///< of the history of steps
  double timing_seconds = 0.05;             ///< processor time that is spent on timing short runs
  const RunVariables* variables = nullptr;  ///< whose errors are wanted, or null
  const ReferenceCurves* curves = nullptr;  ///< of these
};

/// Runs once for samples and steps, and again without samples for statistics and time until `timing_seconds` are spent;
/// the least time counts. A run with many more steps than samples is not repeated for its statistics. `by` may be null.
ComparedRun run_compared(const CompareProblem& problem, const integrators::Options& options,
                         const RunSettings& settings, const ErrorMeasure* by, double least_meaningful_error);

}  // namespace trammel::analyses
