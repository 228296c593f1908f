#include "trammel/integrators/result.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel::integrators {

std::string to_string(RunStatus status) {
  switch (status) {
    case RunStatus::kCompleted: return "completed";
    case RunStatus::kStopped: return "stopped";
    case RunStatus::kFailed: break;
  }
  return "failed";
}

std::string RunResult::brief_report() const {
  const Statistics& s = statistics;
  std::string text = fmt::format("{} by method {}: {}\n", to_string(status), method, reason);
  if (failure.cause == FailureCause::kInvalidInput) return text;
  for (const std::string& note : notes) text += fmt::format("note: {}\n", note);
  text += fmt::format("  end of run     t = {:.10g} s\n", state.t);
  text += fmt::format("  steps          {} accepted, {} rejected for their error, {} for equations not solved\n",
                      s.steps, s.rejected_error, s.rejected_convergence);
  if (s.steps > 0) text += fmt::format("  step size      {:.3g} to {:.3g} s\n", s.smallest_step, s.largest_step);
  text += fmt::format("  evaluations    {} of forces, {} of constraints; {} factorisations, {} solves\n",
                      s.evaluations.force, s.evaluations.constraint, s.linear.factorizations, s.linear.solves);
  text += fmt::format("  linear algebra {}{}\n", s.linear_solver,
                      s.step_solver.empty() ? "" : fmt::format("; {} for the matrix of a step", s.step_solver));
  text += fmt::format("  drift          {:.2g} in positions, {:.2g} in velocities\n", drift.position, drift.velocity);
  if (initial_energy && final_energy) {
    text +=
        fmt::format("  energy         {:.8g} J at the start, {:.8g} J at the end\n", *initial_energy, *final_energy);
  }
  for (const EventRecord& event : events)
    text += fmt::format("  event          {} at t = {:.10g} s\n", event.name, event.t);
  text += fmt::format("  time           {:.3g} s\n", s.wall_seconds);
  return text;
}

}  // namespace trammel::integrators
