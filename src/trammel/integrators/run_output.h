#pragma once

// Hands the solution of a run to its observers: states at the output points, and the intervals that it consists of.

#include <string>
#include <vector>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/interruption.h"
#include "trammel/integrators/output_schedule.h"

namespace trammel::integrators {

class RunOutput {
 public:
  /// Keeps references.
  RunOutput(const OutputSchedule& schedule, const Observers& observers, const Method& method,
            ContinuousSolution& solution, const Interruption& interruption, Statistics& statistics);

  void write_start(const dae::State& state);
  /// The output points in (begin, end] of the last accepted step.
  void write_points(double begin, double end);
  /// The state after a restart.
  void write_change(const dae::State& state);
  /// The last state of the run, unless it was written.
  void write_last(const dae::State& state);

  /// The last accepted step is final in [begin, end].
  void hand_over_interval(double begin, double end);
  /// The next interval does not begin where the last one has ended.
  void break_intervals() { continues_ = false; }

  /// Which output is missing, if any.
  void add_notes(std::vector<std::string>& notes) const;

 private:
  void write(const dae::State& state);

  OutputSchedule schedule_;
  const Observers& observers_;
  const Method& method_;
  ContinuousSolution& solution_;
  const Interruption& interruption_;
  Statistics& statistics_;
  bool continues_ = false;
  long lost_points_ = 0;
  double first_lost_point_ = 0;  // [s]
};

}  // namespace trammel::integrators
