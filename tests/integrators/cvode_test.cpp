// CVODE attached to the reduced equations: what it does inside of a step must be seen from outside, and what goes wrong
// in its calls must come out whole.

#include <gtest/gtest.h>

#include <stdexcept>

#include "cases/case.h"
#include "tests/support/problems.h"
#include "tests/support/systems.h"

namespace trammel::testing {
namespace {

using integrators::integrate;
using integrators::Options;
using integrators::RenewalCause;
using integrators::RunResult;
using integrators::RunStatus;

class Cvode : public ::testing::TestWithParam<const char*> {
 protected:
  Options options(double tolerance) const {
    Options o = Options::with_tolerance(tolerance);
    o.method = GetParam();
    return o;
  }
  bool is_bdf() const { return std::string(GetParam()) == "for-cvode"; }
};

/// Falls freely, and its force throws below.
class Thrower final : public dae::ConstrainedSystem {
 public:
  Thrower() : ConstrainedSystem(Structure::full({"x"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point& at, VectorOut f) const override {
    if (at.q[0] < -1) throw std::runtime_error("the ground is not modelled");
    f[0] = -1;
  }
};

TEST_P(Cvode, WhatAFunctionOfTheUserThrowsComesThrough) {
  const Thrower thrower;
  const RunResult result = integrate(thrower, dae::State::zero(thrower.structure()), 3, options(1e-6));
  EXPECT_EQ(result.failure.cause, integrators::FailureCause::kException);
  EXPECT_NE(result.reason.find("the ground is not modelled"), std::string::npos) << result.reason;
  EXPECT_GT(result.state.t, 0.1) << "what was computed is kept";
}

TEST_P(Cvode, FailuresAreToldOnceAndNotOnTheTerminal) {
  const BreaksAtOne broken;
  ::testing::internal::CaptureStderr();
  const RunResult result = integrate(broken, broken.start(), 2, options(1e-6));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(result.status, RunStatus::kFailed);
}

TEST_P(Cvode, ItsWorkIsCounted) {
  const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"), {{"k2", 300}, {"c2", 50}});
  long rejected = 0, iterations = 0;
  int largest_order = 0;
  integrators::Observers observers;
  observers.step = [&](const integrators::StepRecord& step) {
    rejected += step.rejected;
    iterations += step.newton_iterations;
    largest_order = std::max(largest_order, step.order);
  };
  const RunResult result = integrate(*c.system, c.start, 2, options(1e-8), {}, observers);
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  const integrators::Statistics& s = result.statistics;
  EXPECT_GT(s.rejected_error, 0);
  EXPECT_EQ(rejected, s.rejected_error + s.rejected_convergence);
  EXPECT_GT(largest_order, is_bdf() ? 3 : 5);
  EXPECT_LE(largest_order, integrators::find_method(GetParam())->order);
  EXPECT_EQ(iterations, s.newton_iterations);
  if (!is_bdf()) {
    EXPECT_EQ(s.newton_iterations, 0) << "its iteration is not Newton's";
    return;
  }
  EXPECT_GE(s.newton_iterations, s.steps);
  EXPECT_EQ(s.renewals[static_cast<std::size_t>(RenewalCause::kFirst)], 1);
  EXPECT_GT(s.renewals[static_cast<std::size_t>(RenewalCause::kRestart)], 0) << "charts have changed";
  EXPECT_GT(s.renewals[static_cast<std::size_t>(RenewalCause::kAge)], 0);
  EXPECT_LT(s.renewals[static_cast<std::size_t>(RenewalCause::kAge)], s.steps / 5) << "kept while it serves";
}

TEST_P(Cvode, TheLargestOrderIsKept) {
  const Problem& problem = smooth_problem("pendulum");
  Options o = options(1e-6);
  o.method_options = {{"max_order", "2"}};
  integrators::Observers observers;
  observers.step = [&](const integrators::StepRecord& step) { EXPECT_LE(step.order, 2); };
  EXPECT_EQ(integrate(*problem.system, problem.start, problem.t_end, o, {}, observers).status, RunStatus::kCompleted);
}

/// x'' = 1 where x < 1, and 0 beyond.
class PushedToOne final : public dae::ConstrainedSystem {
 public:
  PushedToOne() : ConstrainedSystem(Structure::full({"x"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point& at, VectorOut f) const override { f[0] = at.q[0] < 1 ? 1 : 0; }
};

TEST_P(Cvode, StepsAcrossAnEdgeAreTakenBack) {
  const PushedToOne pushed;
  integrators::Event edge;
  edge.name = "edge";
  edge.is_edge = true;
  edge.action = integrators::EventAction::kRestart;
  edge.function = [](const dae::State& s) { return s.q[0] - 1; };
  const RunResult result = integrate(pushed, dae::State::zero(pushed.structure()), 3, options(1e-9), {edge});
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_EQ(result.statistics.restarts, 1);
  EXPECT_NEAR(result.state.v[0], std::sqrt(2.0), 1e-7);
  EXPECT_NEAR(result.state.q[0], 1 + std::sqrt(2.0) * (3 - std::sqrt(2.0)), 1e-7);
  EXPECT_LT(result.statistics.rejected_error, 30) << "no step looked for the edge by its error";
}

/// A point that is moved to and fro: there is nothing to integrate.
class Driven final : public dae::ConstrainedSystem {
 public:
  Driven() : ConstrainedSystem(Structure::full({"x"}, {"motion"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point&, VectorOut) const override {}
  void calc_constraint(const Point& at, VectorOut g) const override { g[0] = at.q[0] - std::sin(at.t); }
  void calc_jacobian(const Point&, MatrixValues G) const override { G(0, 0) = 1; }
  void calc_velocity_offset(const Point& at, VectorOut g_t) const override { g_t[0] = -std::cos(at.t); }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    bias[0] = -std::sin(at.t);
    return true;
  }
};

TEST_P(Cvode, ASystemWithoutFreedomFollowsItsConstraints) {
  const Driven driven;
  const RunResult result = integrate(driven, dae::State::zero(driven.structure()), 2, options(1e-6));
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_NEAR(result.state.q[0], std::sin(2.0), 1e-12);
  EXPECT_NEAR(result.state.v[0], std::cos(2.0), 1e-12);
  EXPECT_NEAR(result.state.lambda[0], std::sin(2.0), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Methods, Cvode, ::testing::Values("for-cvode", "explicit-adams"),
                         [](const auto& method) { return std::string(method.param) == "for-cvode" ? "bdf" : "adams"; });

}  // namespace
}  // namespace trammel::testing
