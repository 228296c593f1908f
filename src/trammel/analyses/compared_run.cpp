#include "trammel/analyses/compared_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace trammel::analyses {

using integrators::RunStatus;
using integrators::StopReason;

namespace {

constexpr int kMostRepetitions = 1000;
// A sample costs about as much as a step or two; with so many steps a sample its work does not show.
constexpr long kStepsPerSample = 50;
// A run that an event ends counts as complete when it has this share of the samples.
constexpr double kCompleteShare = 0.95;

/// Repeats a completed run without samples; the least time.
void time_run(const CompareProblem& problem, const integrators::Options& options, const RunSettings& settings,
              ComparedRun& run) {
  double spent = 0;
  const bool has_cheap_samples =
      !settings.variables && run.statistics.steps >= kStepsPerSample * static_cast<long>(settings.times.size());
  if (has_cheap_samples) {
    spent = run.statistics.cpu_seconds;
    run.repetitions = 1;
  }
  while (run.repetitions == 0 || (spent < settings.timing_seconds && run.repetitions < kMostRepetitions)) {
    const integrators::RunResult again = run_sampled(problem, options, {}).result;
    if (again.stop_reason == StopReason::kCancelled) {
      run.outcome = RunOutcome::kCancelled;
      return;
    }
    if (again.stop_reason == StopReason::kTimeLimit || !again.ok()) return;  // keep what the first run told
    spent += again.statistics.cpu_seconds;
    if (run.repetitions++ == 0 || again.statistics.cpu_seconds < run.statistics.cpu_seconds) {
      run.statistics = again.statistics;
    }
  }
}

void note_errors(const SampledRun& sampled, const RunSettings& settings, double t_begin, const ErrorMeasure* by,
                 double least_meaningful_error, ComparedRun& run) {
  run.outcome = RunOutcome::kNoReference;
  if (!by) return;
  run.q = by->calc_position_error(sampled.trajectory);
  run.v = by->calc_velocity_error(sampled.trajectory);
  const auto wanted = static_cast<double>(by->reference().size());
  if (static_cast<double>(sampled.trajectory.size()) < kCompleteShare * wanted) {
    run.outcome = RunOutcome::kEndedEarly;
    run.remark =
        fmt::format("ended at t = {:.6g} s ({}), where the reference goes on", run.t_reached, sampled.result.reason);
  } else if (settings.end && run.t_reached - t_begin > (*settings.end - t_begin) / kCompleteShare) {
    run.outcome = RunOutcome::kEndedLate;
    run.remark = fmt::format("went on to t = {:.6g} s ({}), where the reference ends at {:.6g} s", run.t_reached,
                             sampled.result.reason, *settings.end);
  } else if (run.q.rms < least_meaningful_error) {
    run.outcome = RunOutcome::kBelowReference;
    run.remark = "as exact as the reference";
  } else {
    run.outcome = RunOutcome::kMeasured;
    if (sampled.result.stop_reason == StopReason::kEvent) run.remark = sampled.result.reason;
  }
}

}  // namespace

std::string to_string(RunOutcome outcome) {
  switch (outcome) {
    case RunOutcome::kMeasured: return "measured";
    case RunOutcome::kBelowReference: return "below-reference";
    case RunOutcome::kNoReference: return "no-reference";
    case RunOutcome::kEndedEarly: return "ended-early";
    case RunOutcome::kEndedLate: return "ended-late";
    case RunOutcome::kFailed: return "failed";
    case RunOutcome::kTimeLimit: return "time-limit";
    case RunOutcome::kSkipped: return "skipped";
    case RunOutcome::kCancelled: break;
  }
  return "cancelled";
}

long ComparedRun::jacobians() const {
  return std::accumulate(statistics.renewals.begin(), statistics.renewals.end(), 0L);
}

ComparedRun run_compared(const CompareProblem& problem, const integrators::Options& options,
                         const RunSettings& settings, const ErrorMeasure* by, double least_meaningful_error) {
  ComparedRun run;
  run.method = options.method;
  run.tolerance = options.rtol;
  SamplingOptions sampling{settings.times, 0, settings.step_points};
  std::optional<RunErrors> errors;
  if (settings.variables) {
    errors.emplace(*settings.variables, *settings.curves);
    sampling.interval = [&](const integrators::SolutionInterval& interval) { errors->add(interval); };
  }
  SampledRun sampled = run_sampled(problem, options, sampling);
  const integrators::RunResult& result = sampled.result;
  run.statistics = result.statistics;
  run.t_reached = result.state.t;
  run.steps = std::move(sampled.steps);
  if (!sampled.obstacle.empty()) {
    run.remark = sampled.obstacle;
  } else if (result.stop_reason == StopReason::kCancelled) {
    run.outcome = RunOutcome::kCancelled;
  } else if (result.stop_reason == StopReason::kTimeLimit) {
    run.outcome = RunOutcome::kTimeLimit;
    run.remark = fmt::format("stopped: time limit of {:g} s at t = {:.4g} s", options.time_limit, run.t_reached);
  } else if (!result.ok()) {
    run.remark = result.reason;
  } else if (!sampled.trajectory.q.allFinite() || !sampled.trajectory.v.allFinite()) {
    run.remark = "the solution has values that are not finite numbers";
  } else {
    note_errors(sampled, settings, problem.start.t, by, least_meaningful_error, run);
    if (errors) run.variables = errors->list();
    time_run(problem, options, settings, run);
  }
  return run;
}

}  // namespace trammel::analyses
