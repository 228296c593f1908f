#pragma once

// Watches over the accepted steps of a run: what they say of themselves in the result (sizes, drift), and signs that
// the motion is not the solution or that the run leads nowhere.

#include <optional>

#include "trammel/integrators/method.h"
#include "trammel/integrators/run_end.h"

namespace trammel::integrators {

class RunMonitor {
 public:
  /// Fills the drift and the sizes of steps in the result. Keeps references.
  RunMonitor(const MethodContext& context, Method& method, const Options& options, double t_end, RunResult& result);

  /// Looks at the step just accepted, of size h; leaves the evaluation at its end. The run is over when constraints
  /// that were left out have opened, or when steps have become hopelessly small.
  std::optional<RunEnd> note_step(double h);
  /// Adds notes about a run that is over when there is reason to doubt its result; the energies are in it.
  void add_doubts();

 private:
  void note_size(const dae::State& state, double h);
  void note_drift();
  std::optional<RunEnd> check_implied(const dae::State& state);
  std::optional<RunEnd> check_progress(const dae::State& state, double h);
  void doubt_energy();
  void doubt_drift();

  dae::Evaluation& evaluation_;
  const ErrorNorm& norm_;
  Method& method_;
  const Options& options_;
  double t_end_;
  RunResult& result_;
  linalg::Vector residual_;
  double energy_scale_ = 0;  // largest kinetic energy [J]
  int hopeless_steps_ = 0;   // in a row
};

}  // namespace trammel::integrators
