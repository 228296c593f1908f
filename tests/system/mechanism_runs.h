#pragma once

// Accelerations, runs and the energy of compiled mechanisms, for tests.

#include <gtest/gtest.h>

#include "trammel/integrators/integrate.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/system/mechanism.h"
#include "trammel/system/probe.h"

namespace trammel::testing {

/// a, lambda and x' at a state; fails the test where there are none.
inline dae::State with_accelerations(const dae::ConstrainedSystem& system, const dae::State& state) {
  dae::Evaluation evaluation(system);
  kkt::AccelerationSolver solver(evaluation);
  evaluation.set(state);
  EXPECT_EQ(solver.factor_position(), kkt::AccelerationStatus::kSolved);
  EXPECT_EQ(solver.solve(state), kkt::AccelerationStatus::kSolved);
  return evaluation.point();
}

inline integrators::RunResult run(const dae::ConstrainedSystem& system, const dae::State& start, double t_end,
                                  double tolerance = 1e-10) {
  integrators::Options options = integrators::Options::with_tolerance(tolerance);
  options.method = "projection";
  integrators::RunResult result = integrators::integrate(system, start, t_end, options);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.brief_report();
  return result;
}
inline integrators::RunResult run(const system::Mechanism& system, double t_end, double tolerance = 1e-10) {
  return run(system, system.given_state(), t_end, tolerance);
}

inline double energy_of(const system::Mechanism& system, const dae::State& state) {
  system::Probe probe(system);
  probe.set(state);
  return probe.calc_kinetic_energy() + probe.calc_energy().potential;
}

}  // namespace trammel::testing
