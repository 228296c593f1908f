#pragma once

// One run of integrate(), from its start to its result: what happens between the steps, and at events.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/endless_events.h"
#include "trammel/integrators/event_locator.h"
#include "trammel/integrators/horizon.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/interruption.h"
#include "trammel/integrators/method.h"
#include "trammel/integrators/run_end.h"
#include "trammel/integrators/run_monitor.h"
#include "trammel/integrators/run_output.h"
#include "trammel/integrators/stepper.h"
#include "trammel/integrators/stopwatch.h"

namespace trammel::integrators {

class Run {
 public:
  /// The input is sound (find_input_problems()), the vectors of the start state have their sizes. Keeps references.
  Run(const MethodEntry& entry, const dae::ConstrainedSystem& system, const dae::State& start, double t_end,
      const Options& options, const std::vector<Event>& events, const Observers& observers);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() = default;

  /// Once.
  RunResult execute();

 private:
  using End = std::optional<RunEnd>;  // nothing while the run goes on

  double time() const { return has_begun_ ? method_->state().t : start_.t; }

  End begin();
  std::string settle_start(dae::State& state);
  void note_start(const dae::State& state);
  void restart(const dae::State& state);
  void note_end(const End& end);
  void finish();

  End advance();
  bool retake_to_edge(double begin, double end);
  End note_step();
  End end_step(double begin, double end);
  End pass_edge();
  End check_interruption();

  std::optional<Root> find_cut() const;
  std::optional<Root> record_events(double begin, double end);
  End cut_step(double begin, const Root& cut);
  End change_and_restart(dae::State state, const std::string& name);
  End restart_consistently(dae::State& state, const std::string& what);
  End handle_caused_events();
  End stop_if_wanted(double t) const;
  End note_crossing(std::size_t edge, double t);

  const dae::State& start_;
  double t_end_;
  const Options& options_;
  const std::vector<Event>& events_;
  const Observers& observers_;
  RunResult result_;
  Horizon horizon_;
  dae::Evaluation evaluation_;
  kkt::AccelerationSolver accelerations_;
  kinematics::Projector projector_;
  ErrorNorm norm_;
  MethodContext context_;
  std::unique_ptr<Method> method_;
  ContinuousSolution solution_;
  EventLocator locator_;
  EndlessEvents endless_;
  Stopwatch stopwatch_;
  Interruption interruption_;
  Stepper stepper_;
  RunMonitor monitor_;
  RunOutput output_;
  std::vector<std::size_t> fired_;  // the events at the time where a step was cut
  bool has_begun_ = false;
};

}  // namespace trammel::integrators
