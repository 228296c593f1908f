#pragma once

// Kinematic analysis: a mechanism whose motions leave no freedom (rank G = n_v) goes where its constraints say.
//
//   g(t, q) = 0,    G v = -g_t,    G a = bias(t, q, v)                                                            (1)
//   G^T lambda = f(t, q, v, lambda, x) - M a                                                                      (2)
//
// No differential equation is solved: at every time positions are found by Newton's iteration from a prediction with v
// and a, then velocities, accelerations, and by (2) the reactions and the forces of the drives (inverse dynamics).
// Steps are short enough that the prediction stays close, so that no other branch is taken: a correction that is large,
// or an iteration that fails, halves the step. Where rows of G depend on each other, lambda is the shortest (in the
// norm of the row sizes) of those that satisfy (2), and a note says so. A position in which G loses rank ends the
// analysis.

#include <atomic>
#include <string>
#include <vector>

#include "trammel/analyses/assemble.h"
#include "trammel/integrators/integrate.h"

namespace trammel::analyses {

struct KinematicsOptions {
  double t_end = 1;  ///< [s], not before the start
  /// kSteps and kMaximalInterval give the steps that were needed to follow the motion.
  integrators::OutputOptions output;
  AssemblyOptions assembly;  ///< of the first position, and tolerance and metric of all
  /// Largest predicted way of a step: angles [rad], other coordinates in `length` of the metric; > 0. The error of the
  /// prediction goes with its third power.
  double max_way = 0.2;
  double h_max = std::numeric_limits<double>::infinity();  ///< [s], > 0
  long max_steps = 100'000'000;                            ///< > 0
  /// Set to true by another thread to end the analysis after the present step.
  const std::atomic<bool>* cancel = nullptr;

  /// What is wrong with the options, one message each; empty when sound.
  std::vector<std::string> validate(const dae::Structure& structure, double t_start) const;
};

/// From `start` (t, q; assembled first) to t_end. The result is that of a run by the method "kinematics": states are
/// complete (q, v, a, lambda), extra states keep the values of the start. A mechanism that is not fully driven is
/// refused, with the number of freedoms that are left and coordinates whose motion would take them.
integrators::RunResult drive(const dae::ConstrainedSystem& system, const dae::State& start,
                             const KinematicsOptions& options, const integrators::Observers& observers = {});

}  // namespace trammel::analyses
