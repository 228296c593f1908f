// What every method must do, run over all methods that the build finds: a new one is tested by being there.

#include <gtest/gtest.h>

#include <atomic>

#include "cases/case.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/problems.h"
#include "tests/support/systems.h"
#include "trammel/math/lobatto.h"

namespace trammel::testing {
namespace {

using integrators::Event;
using integrators::EventAction;
using integrators::integrate;
using integrators::Observers;
using integrators::Options;
using integrators::OutputKind;
using integrators::RunResult;
using integrators::RunStatus;
using integrators::StopReason;

class Conformance : public ::testing::TestWithParam<std::string> {
 protected:
  Options options(double tolerance = 1e-6) const {
    Options o = Options::with_tolerance(tolerance);
    o.method = GetParam();
    return o;
  }
  bool can(const Problem& problem) const {
    const auto names = methods_for(problem);
    return std::find(names.begin(), names.end(), GetParam()) != names.end();
  }
};

TEST_P(Conformance, ErrorFollowsTheToleranceOnSmoothProblems) {
  for (const Problem& problem : smooth_problems()) {
    if (!can(problem)) continue;
    SCOPED_TRACE(problem.name);
    double previous = 1e300;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const RunResult result = integrate(*problem.system, problem.start, problem.t_end, options(tolerance));
      ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
      EXPECT_EQ(result.state.t, problem.t_end);
      const Errors e = calc_errors(result.state, problem.solution(problem.t_end));
      const double error = std::max({e.q, e.v, e.x});
      // Second-order methods under local error control have a global error of about tol^(2/3).
      EXPECT_LT(error, 100 * std::pow(tolerance, 2.0 / 3));
      // Where the largest step and not the error decides, a loose tolerance may be kept by far.
      EXPECT_LT(error, std::max(0.5 * previous, 3 * tolerance));
      EXPECT_LT(e.lambda, 1000 * std::pow(tolerance, 2.0 / 3));
      previous = error;
    }
  }
}

TEST_P(Conformance, ConstraintsAreKept) {
  for (const Problem& problem : smooth_problems()) {
    if (!can(problem)) continue;
    SCOPED_TRACE(problem.name);
    const RunResult result = integrate(*problem.system, problem.start, problem.t_end, options(1e-6));
    EXPECT_LT(result.drift.position, 1e-6);
    EXPECT_LT(result.drift.velocity, 1e-4);
  }
}

TEST_P(Conformance, OutputsStandAtTheGivenPointsAndAreExactThere) {
  const Problem& problem = smooth_problem("pendulum");
  Options o = options(1e-8);
  o.output.kind = OutputKind::kPoints;
  o.output.points = {0, 0.1, 0.123456789, 1.0, 1.7, 2.0};
  std::vector<dae::State> states;
  Observers observers;
  observers.output = [&](const dae::State& s) { states.push_back(s); };
  ASSERT_TRUE(integrate(*problem.system, problem.start, problem.t_end, o, {}, observers).ok());
  ASSERT_EQ(states.size(), o.output.points.size());
  Errors at_steps;
  observers.output = [&](const dae::State& s) {
    const Errors e = calc_errors(s, problem.solution(s.t));
    at_steps = {std::max(at_steps.q, e.q), std::max(at_steps.v, e.v), std::max(at_steps.lambda, e.lambda), 0};
  };
  o.output.kind = OutputKind::kSteps;
  ASSERT_TRUE(integrate(*problem.system, problem.start, problem.t_end, o, {}, observers).ok());
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_EQ(states[i].t, o.output.points[i]);
    const Errors e = calc_errors(states[i], problem.solution(states[i].t));
    EXPECT_LT(e.q, std::max(3 * at_steps.q, 1e-7)) << "at t = " << states[i].t;
    EXPECT_LT(e.v, std::max(3 * at_steps.v, 1e-6)) << "at t = " << states[i].t;
    EXPECT_LT(e.lambda, std::max(3 * at_steps.lambda, 1e-6)) << "at t = " << states[i].t;
    EXPECT_LT(std::abs(states[i].q.squaredNorm() - 1), 1e-9) << "outputs satisfy the constraint";
  }
}

TEST_P(Conformance, OutputDoesNotChangeTheSolution) {
  const Problem& problem = smooth_problem("pendulum");
  Options o = options(1e-6);
  const RunResult plain = integrate(*problem.system, problem.start, problem.t_end, o);
  o.output.kind = OutputKind::kUniform;
  o.output.interval = 0.01;
  long outputs = 0;
  Observers observers;
  observers.output = [&](const dae::State&) { ++outputs; };
  const RunResult dense = integrate(*problem.system, problem.start, problem.t_end, o, {}, observers);
  EXPECT_EQ(outputs, 201);
  EXPECT_EQ(plain.state.q, dense.state.q);
  EXPECT_EQ(plain.statistics.steps, dense.statistics.steps);
}

/// Values of a polynomial of the interval's degree through the states at its Chebyshev-Lobatto nodes.
linalg::Vector interpolate_q(const integrators::SolutionInterval& interval, double t) {
  const double length = interval.end - interval.begin;
  std::vector<double> shares(static_cast<std::size_t>(interval.degree) + 1);
  math::calc_lobatto_shares(interval.degree, (t - interval.begin) / length, shares);
  linalg::Vector q;
  for (int j = 0; j <= interval.degree; ++j) {
    const dae::State* node = interval.at(interval.begin + math::lobatto_node(interval.degree, j) * length);
    if (j == 0) q = linalg::Vector::Zero(node->q.size());
    q += shares[static_cast<std::size_t>(j)] * node->q;
  }
  return q;
}

TEST_P(Conformance, IntervalsMakeUpTheRunAndDoNotChangeIt) {
  const Problem& problem = smooth_problem("pendulum");
  const RunResult plain = integrate(*problem.system, problem.start, problem.t_end, options());
  double end = problem.start.t;
  long intervals = 0;
  Observers observers;
  observers.interval = [&](const integrators::SolutionInterval& interval) {
    EXPECT_EQ(interval.begin, end);
    EXPECT_EQ(interval.continues, intervals > 0);
    end = interval.end;
    ++intervals;
    const dae::State* middle = interval.at(0.5 * (interval.begin + interval.end));
    ASSERT_NE(middle, nullptr);
    EXPECT_LT(std::abs(middle->q.squaredNorm() - 1), 1e-9);
    EXPECT_LT(calc_errors(*middle, problem.solution(middle->t)).q, 1e-3);
  };
  const RunResult seen = integrate(*problem.system, problem.start, problem.t_end, options(), {}, observers);
  EXPECT_EQ(end, problem.t_end);
  EXPECT_EQ(intervals, seen.statistics.steps);
  EXPECT_EQ(plain.statistics.steps, seen.statistics.steps);
  EXPECT_EQ(plain.state.q, seen.state.q);
  EXPECT_EQ(plain.state.lambda, seen.state.lambda);
}

/// x'' = -x - x^3
class HardSpring final : public dae::ConstrainedSystem {
 public:
  HardSpring() : ConstrainedSystem(Structure::full({"x"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point& at, VectorOut f) const override { f[0] = -at.q[0] - std::pow(at.q[0], 3); }
};

TEST_P(Conformance, InAnIntervalTheSolutionIsAPolynomialOfTheDegreeThatIsSaid) {
  const HardSpring spring;  // without constraints nothing is moved onto them
  dae::State start = dae::State::zero(spring.structure());
  start.q << 1;
  Observers observers;
  double largest = 0;
  observers.interval = [&](const integrators::SolutionInterval& interval) {
    ASSERT_GE(interval.degree, 1);
    const double t = interval.begin + 0.3 * (interval.end - interval.begin);
    const linalg::Vector polynomial = interpolate_q(interval, t);
    largest = std::max(largest, linalg::largest_abs(polynomial - interval.at(t)->q));
  };
  const RunResult result = integrate(spring, start, 5, options(1e-4), {}, observers);
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_LT(largest, 1e-13);
}

TEST_P(Conformance, EventsAreLocatedAndReported) {
  const Problem& problem = smooth_problem("pendulum");
  Event lowest;
  lowest.name = "lowest";
  lowest.function = [](const dae::State& s) { return s.q[0]; };
  Options o = options(1e-9);
  const RunResult result = integrate(*problem.system, problem.start, 3, o, {lowest});
  // A quarter of the period is K(sin(pi/4)) sqrt(l/g); it passes the lowest point after 1, 3, 5 quarters.
  const double quarter = std::comp_ellint_1(std::sqrt(0.5)) / std::sqrt(9.81);
  ASSERT_EQ(result.events.size(), 3u);
  // A formula of order p under local error control has a global error of about tol^(p/(p+1)).
  const double p = integrators::find_method(GetParam())->order, accuracy = 3 * std::pow(o.rtol, p / (p + 1));
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(result.events[static_cast<std::size_t>(i)].t, (2 * i + 1) * quarter, accuracy);
  }
}

TEST_P(Conformance, EventsOfReactionsAreLocated) {
  const Problem& problem = smooth_problem("pendulum");
  Event event;
  event.name = "rod carries 20 N";
  event.needs_accelerations = true;
  event.function = [](const dae::State& s) { return s.lambda[0] - 20; };
  event.action = EventAction::kStop;
  const RunResult result = integrate(*problem.system, problem.start, 3, options(1e-9), {event});
  ASSERT_EQ(result.status, RunStatus::kStopped);
  EXPECT_EQ(result.stop_reason, StopReason::kEvent);
  EXPECT_NEAR(result.state.lambda[0], 20, 1e-6);
  EXPECT_LT(calc_errors(result.state, problem.solution(result.state.t)).lambda, 1e-4);
}

TEST_P(Conformance, ABouncingBallRestartsAtEveryImpact) {
  const Ball ball;
  Event impact;
  impact.name = "impact";
  impact.function = [](const dae::State& s) { return s.q[0]; };
  impact.crossing = integrators::Crossing::kFalling;
  impact.action = EventAction::kRestart;
  impact.change = [](dae::State& s) { s.v[0] *= -0.5; };
  double v_end = 0, t_end = 0;
  long jumps = -1;  // the first interval begins the run
  Observers observers;
  observers.interval = [&](const integrators::SolutionInterval& interval) {
    if (!interval.continues && ++jumps > 0) {
      EXPECT_EQ(interval.begin, t_end);
      EXPECT_NEAR(interval.at(interval.begin)->v[0], -0.5 * v_end, 1e-12);
      EXPECT_NEAR(interval.at(interval.begin)->q[0], 0, 1e-9);
    }
    t_end = interval.end;
    v_end = interval.at(interval.end)->v[0];
  };
  const RunResult result = integrate(ball, ball.start(), 2.9, options(1e-8), {impact}, observers);
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_EQ(jumps, 5);
  // Impacts at t = 1, 2, 2.5, 2.75, 2.875.
  ASSERT_EQ(result.events.size(), 5u);
  const double expected[] = {1, 2, 2.5, 2.75, 2.875};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(result.events[i].t, expected[i], 1e-6);
  EXPECT_EQ(result.statistics.restarts, 5);
}

TEST_P(Conformance, ResultsAreTheSameBitForBit) {
  for (const Problem& problem : smooth_problems()) {
    if (!can(problem)) continue;
    const RunResult a = integrate(*problem.system, problem.start, problem.t_end, options());
    const RunResult b = integrate(*problem.system, problem.start, problem.t_end, options());
    EXPECT_EQ(a.state.q, b.state.q);
    EXPECT_EQ(a.state.v, b.state.v);
    EXPECT_EQ(a.state.lambda, b.state.lambda);
    EXPECT_EQ(a.statistics.evaluations.force, b.statistics.evaluations.force);
  }
}

/// Allocations of a run of the given length.
long count_allocations(const dae::ConstrainedSystem& system, const dae::State& start, double t_end, const Options& o,
                       long& steps) {
  const long before = allocation_count();
  const RunResult result = integrate(system, start, t_end, o);
  steps = result.statistics.steps;
  EXPECT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  return allocation_count() - before;
}

TEST_P(Conformance, StepsAllocateNothing) {
  if (!kCountsAllocations) GTEST_SKIP() << "not counted under sanitizers";
  for (const auto& [name, parameters, t_end] : std::vector<std::tuple<std::string, cases::ParameterValues, double>>{
           {"pendulum", {}, 1}, {"andrews", {}, 0.01}, {"chain", {{"n", 5}}, 0.5}, {"chain", {{"n", 40}}, 0.2}}) {
    const cases::Case c = cases::build_case(*cases::find_case(name), parameters);
    Options o = options(1e-6);
    o.h_max = t_end / 100;  // the same in both runs: implicit methods limit steps by the length of a run
    long short_steps = 0, long_steps = 0;
    count_allocations(*c.system, c.start, t_end, o, short_steps);  // libraries warm up
    const long short_run = count_allocations(*c.system, c.start, t_end, o, short_steps);
    const long long_run = count_allocations(*c.system, c.start, 2 * t_end, o, long_steps);
    ASSERT_GT(long_steps, short_steps + 2);
    EXPECT_EQ(short_run, long_run) << name << ": " << long_steps - short_steps << " more steps";
  }
}

TEST_P(Conformance, FailuresSayWhatWhereAndWhy) {
  const BreaksAtOne broken;
  const RunResult result = integrate(broken, broken.start(), 2, options());
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_NE(result.reason.find("position"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("t = "), std::string::npos) << result.reason;
  EXPECT_GT(result.state.t, 0.9) << "what was computed before the failure is kept";
  EXPECT_LE(result.state.t, 1.0);

  const TwiceConstrained singular;
  const RunResult redundant = integrate(singular, singular.start(), 1, options());
  EXPECT_EQ(redundant.status, RunStatus::kFailed);
  EXPECT_NE(redundant.reason.find("'same rod' depends on 'rod'"), std::string::npos) << redundant.reason;
}

TEST_P(Conformance, LimitsAndCancellationStopTheRun) {
  const Problem& problem = smooth_problem("pendulum");
  Options o = options(1e-8);
  o.max_steps = 5;
  RunResult result = integrate(*problem.system, problem.start, 100, o);
  EXPECT_EQ(result.status, RunStatus::kStopped);
  EXPECT_EQ(result.stop_reason, StopReason::kStepLimit);
  EXPECT_LE(result.statistics.steps, 5);

  o = options(1e-8);
  o.time_limit = 1e-3;
  result = integrate(*problem.system, problem.start, 1e6, o);
  EXPECT_EQ(result.stop_reason, StopReason::kTimeLimit);

  o = options(1e-8);
  const std::atomic<bool> cancelled{true};
  o.cancel = &cancelled;
  result = integrate(*problem.system, problem.start, 1e6, o);
  EXPECT_EQ(result.stop_reason, StopReason::kCancelled);
}

TEST_P(Conformance, WhatAMethodCannotTakeIsSaidBeforeTheRun) {
  const LaggedActuator implicit(0.5, dae::StateForm::kImplicit);
  const integrators::MethodEntry& entry = *integrators::find_method(GetParam());
  const RunResult result = integrate(implicit, implicit.start(), 1, options());
  if (entry.capabilities.implicit_states) {
    EXPECT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  } else {
    EXPECT_EQ(result.failure.cause, integrators::FailureCause::kInvalidInput);
    EXPECT_NE(result.reason.find("implicit form"), std::string::npos) << result.reason;
  }
}

TEST_P(Conformance, FixedStepsAreTakenOrRefusedBeforeTheRun) {
  const Problem& problem = smooth_problem("pendulum");
  Options o = options();
  o.h_fixed = problem.t_end / 64;
  const RunResult result = integrate(*problem.system, problem.start, problem.t_end, o);
  if (integrators::find_method(GetParam())->capabilities.fixed_steps) {
    EXPECT_EQ(result.status, RunStatus::kCompleted) << result.reason;
    EXPECT_EQ(result.statistics.steps, 64);
  } else {
    EXPECT_EQ(result.failure.cause, integrators::FailureCause::kInvalidInput);
    EXPECT_NE(result.reason.find("fixed step"), std::string::npos) << result.reason;
  }
}

TEST_P(Conformance, StepsAreReportedAsTheyWereTaken) {
  const Problem& problem = smooth_problem("pendulum");
  Options o = options();
  o.h_max = 0.05;
  double t = problem.start.t;
  Observers observers;
  observers.step = [&](const integrators::StepRecord& step) {
    EXPECT_NEAR(step.t - t, step.h, 1e-14);
    EXPECT_LE(step.h, o.h_max * (1 + 1e-6));
    EXPECT_LE(step.error, 1);
    EXPECT_GE(step.order, 1);
    t = step.t;
  };
  const RunResult result = integrate(*problem.system, problem.start, problem.t_end, o, {}, observers);
  EXPECT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_EQ(t, problem.t_end);
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const integrators::MethodEntry* entry : integrators::methods()) names.push_back(entry->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, Conformance, ::testing::ValuesIn(method_names()), [](const auto& method) {
  std::string name = method.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace trammel::testing
