#pragma once

// The equations of a system in independent coordinates at a state, with everything that they refer to: what a run
// has around a method.

#include <memory>

#include <gtest/gtest.h>

#include "cases/case.h"
#include "tests/support/problems.h"
#include "trammel/analyses/form.h"
#include "trammel/integrators/state_space/integration_jacobian.h"
#include "trammel/integrators/state_space/reduced_equations.h"

namespace trammel::testing {

/// A system with a consistent and complete state of its motion.
struct SystemAtWork {
  std::string name;
  std::shared_ptr<const dae::ConstrainedSystem> system;
  dae::State state;
};

/// At the time t of a motion.
inline SystemAtWork move_on(const std::string& name, std::shared_ptr<const dae::ConstrainedSystem> system,
                            const dae::State& start, double t) {
  const auto result = integrate(*system, start, t, integrators::Options::with_tolerance(1e-8));
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << name << ": " << result.reason;
  return {name, std::move(system), result.state};
}
template <class System>
SystemAtWork move_on(const std::string& name, const std::shared_ptr<const System>& system, double t) {
  return move_on(name, system, system->start(), t);
}
/// A case; spatial ones in plain form.
inline SystemAtWork move_case_on(const std::string& name, const cases::ParameterValues& parameters, double t) {
  const cases::Case c = cases::build_case(*cases::find_case(name), parameters);
  if (!analyses::is_spatial(c.mechanism.get())) return move_on(name, c.system, c.start, t);
  const auto plain = std::make_shared<const system::PlainForm>(c.mechanism, c.mechanism->rotations());
  return move_on(name + " (plain form)", plain, plain->to_plain(c.start), t);
}

struct ReducedBench {
  SystemAtWork at;
  dae::Evaluation evaluation;
  kkt::AccelerationSolver accelerations;
  kinematics::Projector projector;
  integrators::ErrorNorm norm;
  integrators::Statistics statistics;
  integrators::MethodOptions options;
  double horizon = 1e9;
  integrators::MethodContext context;
  integrators::ReducedEquations equations;
  dae::State state;

  explicit ReducedBench(const SystemAtWork& system, const integrators::ChartOptions& chart = {},
                        double tolerance = 1e-8)
      : at(system),
        evaluation(*system.system),
        accelerations(evaluation),
        projector(evaluation, accelerations),
        norm(evaluation.structure(), tolerance, tolerance),
        context{evaluation, accelerations, projector, norm, statistics, options, horizon},
        equations(context, chart),
        state(system.state) {
    norm.set_weights(state);
    EXPECT_NE(equations.choose_chart(state), kinematics::ChartChoice::kSingular) << system.name;
  }
  ReducedBench(const ReducedBench&) = delete;
  ReducedBench& operator=(const ReducedBench&) = delete;

  linalg::Vector reduced() const {
    linalg::Vector y(equations.size());
    equations.reduce(state, y);
    return y;
  }
};

}  // namespace trammel::testing
