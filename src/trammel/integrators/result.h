#pragma once

// What a run leaves: its last state, what happened on the way, what it cost, and when it failed, why.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trammel/dae/evaluation.h"
#include "trammel/integrators/event.h"
#include "trammel/integrators/jacobian_policy.h"
#include "trammel/kkt/solver.h"

namespace trammel::integrators {

struct Statistics {
  long steps = 0;                 ///< accepted
  long rejected_error = 0;        ///< attempts whose error was too large
  long rejected_convergence = 0;  ///< attempts whose equations could not be solved
  long newton_iterations = 0;
  long substeps = 0;  ///< small steps of methods that extrapolate, in all attempts
  long restarts = 0;
  long outputs = 0;
  double smallest_step = 0;  ///< [s], accepted; the last one, cut to hit the end, left out
  double largest_step = 0;   ///< [s]
  dae::EvaluationCounts evaluations;
  kkt::SolverCounts linear;
  RenewalCounts renewals{};   ///< of the iteration matrix, by cause
  std::string linear_solver;  ///< what factorised the matrix of accelerations and projections, in words
  std::string step_solver;    ///< the same for the matrix of an implicit step; empty where there is none
  double wall_seconds = 0;
  double cpu_seconds = 0;
};

enum class RunStatus { kCompleted, kStopped, kFailed };
std::string to_string(RunStatus status);

enum class StopReason { kNone, kEvent, kCancelled, kStepLimit, kTimeLimit };

enum class FailureCause {
  kNone,
  kInvalidInput,       ///< options, start state or method do not fit; nothing was computed
  kInconsistentStart,  ///< no consistent state near the start
  kEquations,          ///< singular or not finite
  kStepTooSmall,
  kException,  ///< thrown by a function of the user
  kMethod,
};

struct Failure {
  FailureCause cause = FailureCause::kNone;
  double t = 0;         ///< [s]
  double h = 0;         ///< [s], the last step that was tried; 0 when none was
  std::string message;  ///< what happened, where, and what can be done
};

/// Largest constraint residuals over all accepted steps.
struct Drift {
  double position = 0;  ///< max |g|
  double velocity = 0;  ///< max |G v + g_t|
};

struct RunResult {
  std::string method;
  RunStatus status = RunStatus::kFailed;
  StopReason stop_reason = StopReason::kNone;
  std::string reason;  ///< one line for the user: "reached the end time", "event 'x'", the failure's message
  Failure failure;
  dae::State state;  ///< the last one computed
  std::vector<EventRecord> events;
  std::vector<std::string> notes;  ///< what the user should know though the run went well
  Drift drift;
  std::optional<double> initial_energy;  ///< [J]
  std::optional<double> final_energy;
  Statistics statistics;

  bool ok() const { return status != RunStatus::kFailed; }
  /// A few lines for a terminal.
  std::string brief_report() const;
};

}  // namespace trammel::integrators
