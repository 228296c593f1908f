// Event location and the step loop around it, with the first method.

#include <gtest/gtest.h>

#include "cases/case.h"
#include "tests/support/problems.h"
#include "tests/support/systems.h"

namespace trammel::integrators {
namespace {

using trammel::testing::Ball;
using trammel::testing::smooth_problem;

Event event_on(std::function<double(const dae::State&)> function, std::string name = "event") {
  Event event;
  event.name = std::move(name);
  event.function = std::move(function);
  return event;
}

TEST(Events, OnlyTheWantedDirectionIsSeen) {
  const auto& pendulum = smooth_problem("pendulum");
  Event rising = event_on([](const dae::State& s) { return s.q[0]; }, "rising");
  rising.crossing = Crossing::kRising;
  Event falling = rising;
  falling.name = "falling";
  falling.crossing = Crossing::kFalling;
  const RunResult result =
      integrate(*pendulum.system, pendulum.start, 3, Options::with_tolerance(1e-8), {rising, falling});
  ASSERT_EQ(result.events.size(), 3u);
  EXPECT_EQ(result.events[0].name, "falling");
  EXPECT_EQ(result.events[1].name, "rising");
  EXPECT_EQ(result.events[2].name, "falling");
}

TEST(Events, SeveralRootsInOneStepAreAllFoundInOrder) {
  const Ball ball;  // the polynomial motion lets the method take very long steps
  const RunResult result =
      integrate(ball, ball.start(), 3, Options::with_tolerance(1e-3),
                {event_on([](const dae::State& s) { return s.t - 0.7; }, "b"),
                 event_on([](const dae::State& s) { return s.t - 0.3; }, "a"),
                 event_on([](const dae::State& s) { return s.q[0] - 3.75; }, "height 3.75 at t = 0.5")});
  ASSERT_EQ(result.events.size(), 3u);
  EXPECT_NEAR(result.events[0].t, 0.3, 1e-10);
  EXPECT_NEAR(result.events[1].t, 0.5, 1e-10);
  EXPECT_NEAR(result.events[2].t, 0.7, 1e-10);
}

TEST(Events, WhatLiesBehindTheRootThatCutsAStepHasNotHappenedYet) {
  const Ball ball;  // long steps: both roots lie in one
  for (const char* method : {"projection", "mexx"}) {
    Event cut = event_on([](const dae::State& s) { return s.t - 0.5; }, "cut");
    cut.action = EventAction::kRestart;
    const Event later = event_on([](const dae::State& s) { return s.t - 0.6; }, "later");
    Event never = later;
    never.name = "never";
    never.crossing = Crossing::kFalling;
    never.action = EventAction::kStop;
    Options options = Options::with_tolerance(1e-3);
    options.method = method;
    const RunResult result = integrate(ball, ball.start(), 1, options, {cut, later, never});
    ASSERT_EQ(result.events.size(), 2u) << method;
    EXPECT_NEAR(result.events[0].t, 0.5, 1e-10);
    EXPECT_EQ(result.events[1].name, "later");
    EXPECT_NEAR(result.events[1].t, 0.6, 1e-10);
    EXPECT_EQ(result.status, RunStatus::kCompleted);
  }
}

TEST(Events, NoiseBelowTheThresholdIsNoRoot) {
  const Ball ball;
  // Wiggles of size 0.01 around zero until t = 0.5, then a real crossing at t = 0.8.
  const auto function = [](const dae::State& s) {
    return s.t < 0.5 ? 0.01 * std::sin(300 * s.t) + (s.t < 0.1 ? -1 : 0) : (s.t - 0.8);
  };
  Event plain = event_on(function), careful = event_on(function);
  careful.threshold = 0.05;
  Options options = Options::with_tolerance(1e-6);
  options.h_max = 0.01;
  EXPECT_GT(integrate(ball, ball.start(), 1, options, {plain}).events.size(), 3u);
  const RunResult result = integrate(ball, ball.start(), 1, options, {careful});
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_NEAR(result.events[0].t, 0.8, 1e-9);
}

TEST(Events, ACrossingThatPassesItsThresholdSlowlyIsStillFound) {
  // Steps of 0.01 see this function below its threshold for several steps around its root at t = 0.5.
  const Ball ball;
  Event event = event_on([](const dae::State& s) { return s.t - 0.5; });
  event.threshold = 0.045;
  Options options = Options::with_tolerance(1e-6);
  options.h_max = 0.01;
  options.event_checks = 1;
  const RunResult reported = integrate(ball, ball.start(), 1, options, {event});
  ASSERT_EQ(reported.events.size(), 1u);
  EXPECT_NEAR(reported.events[0].t, 0.5, 1e-9);

  event.action = EventAction::kStop;
  const RunResult stopped = integrate(ball, ball.start(), 1, options, {event});
  ASSERT_EQ(stopped.events.size(), 1u);
  EXPECT_NEAR(stopped.state.t, 0.5, 0.045 + 0.01) << "to within the threshold";
  EXPECT_NEAR(stopped.state.q[0], 5 - 5 * stopped.state.t * stopped.state.t, 1e-9);
}

TEST(Events, AStopDropsWhatLiesBehindItAndOutputEndsThere) {
  const Ball ball;
  Event stop = event_on([](const dae::State& s) { return s.t - 0.5; }, "stop");
  stop.action = EventAction::kStop;
  Options options = Options::with_tolerance(1e-6);
  options.output = {OutputKind::kUniform, 0.2, {}};
  std::vector<double> times;
  Observers observers;
  observers.output = [&](const dae::State& s) { times.push_back(s.t); };
  const RunResult result =
      integrate(ball, ball.start(), 3, options,
                {event_on([](const dae::State& s) { return s.t - 0.7; }, "later"), stop}, observers);
  EXPECT_EQ(result.status, RunStatus::kStopped);
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_NEAR(result.state.t, 0.5, 1e-12);
  EXPECT_NEAR(result.state.q[0], 5 - 5 * 0.25, 1e-9);
  ASSERT_EQ(times.size(), 4u);  // 0, 0.2, 0.4 and the stop
  EXPECT_EQ(times.back(), result.state.t);
}

TEST(Events, ABallThatComesToRestEndsWithAMessageInsteadOfHanging) {
  const Ball ball;
  Event impact = event_on([](const dae::State& s) { return s.q[0]; }, "impact");
  impact.crossing = Crossing::kFalling;
  impact.action = EventAction::kRestart;
  Options options = Options::with_tolerance(1e-8);
  for (const double restitution : {0.5, 0.9}) {
    impact.change = [restitution](dae::State& s) { s.v[0] *= -restitution; };
    const RunResult result = integrate(ball, ball.start(), 40, options, {impact});
    EXPECT_EQ(result.status, RunStatus::kFailed);
    EXPECT_NE(result.reason.find("event 'impact' happens faster and faster"), std::string::npos) << result.reason;
    // Bounces add up: 1 + 2 e/(1 - e) seconds.
    EXPECT_NEAR(result.state.t, 1 + 2 * restitution / (1 - restitution), 1e-6);
    EXPECT_GT(result.state.q[0], -1e-9) << "it fell through the floor";
  }
}

TEST(Events, ARootExactlyAtTheEndOfAStepActsThere) {
  const Ball ball;
  Options options;
  options.h_fixed = 0.25;
  Event half = event_on([](const dae::State& s) { return s.t - 0.5; }, "half");
  half.action = EventAction::kStop;
  const RunResult stopped = integrate(ball, ball.start(), 1, options, {half});
  EXPECT_EQ(stopped.status, RunStatus::kStopped);
  EXPECT_NEAR(stopped.state.t, 0.5, 1e-12);
  EXPECT_NEAR(stopped.state.q[0], 3.75, 1e-12);

  half.action = EventAction::kRestart;
  half.change = [](dae::State& s) { s.v[0] = 0; };  // falls from 3.75 once more
  const RunResult restarted = integrate(ball, ball.start(), 1, options, {half});
  ASSERT_EQ(restarted.events.size(), 1u);
  EXPECT_NEAR(restarted.state.q[0], 3.75 - 5 * 0.25, 1e-12);
}

TEST(Events, RootsAtTheSameTimeAsARestartAreReportedOnce) {
  const auto& pendulum = smooth_problem("pendulum");
  for (int k = 0; k < 50; ++k) {
    const double level = -0.9 + 0.035 * k;
    Event restart = event_on([level](const dae::State& s) { return s.q[0] - level; }, "restart");
    restart.action = EventAction::kRestart;
    // The same root by another formula.
    Event report = event_on(
        [level](const dae::State& s) { return 3 * s.q[0] * s.q[0] * s.q[0] - 3 * level * level * level; }, "report");
    const RunResult result =
        integrate(*pendulum.system, pendulum.start, 3, Options::with_tolerance(1e-6), {restart, report});
    long restarts = 0, reports = 0;
    for (const EventRecord& event : result.events) ++(event.name == "restart" ? restarts : reports);
    EXPECT_EQ(restarts, reports) << "level " << level;
    EXPECT_EQ(restarts, result.statistics.restarts);
  }
}

TEST(Events, AStopAmongSeveralEventsIsTheOneThatIsNamed) {
  const Ball ball;
  Event restart = event_on([](const dae::State& s) { return s.t - 0.5; }, "restart");
  restart.action = EventAction::kRestart;
  Event stop = event_on([](const dae::State& s) { return 2 * s.t - 1; }, "stop");
  stop.action = EventAction::kStop;
  const RunResult result = integrate(ball, ball.start(), 1, {}, {restart, stop});
  EXPECT_EQ(result.status, RunStatus::kStopped);
  EXPECT_NE(result.reason.find("'stop'"), std::string::npos) << result.reason;
}

TEST(Events, AChangeThatSpoilsTheStateIsAFailureWithAMessage) {
  const Ball ball;
  Event event = event_on([](const dae::State& s) { return s.t - 0.5; }, "spoil");
  event.action = EventAction::kRestart;
  event.change = [](dae::State& s) { s.q.resize(3); };
  const RunResult sized = integrate(ball, ball.start(), 1, {}, {event});
  EXPECT_EQ(sized.status, RunStatus::kFailed);
  EXPECT_NE(sized.reason.find("'spoil'"), std::string::npos) << sized.reason;
  event.change = [](dae::State& s) { s.v[0] = std::nan(""); };
  EXPECT_NE(integrate(ball, ball.start(), 1, {}, {event}).reason.find("height' is not a finite"), std::string::npos);
}

TEST(Failures, AnExceptionOfAUserFunctionKeepsWhatWasComputed) {
  const Ball ball;
  Event event = event_on([](const dae::State& s) -> double {
    if (s.t > 0.5) throw std::runtime_error("table ends at 0.5");
    return 1;
  });
  Options options = Options::with_tolerance(1e-6);
  options.h_max = 0.1;
  const RunResult result = integrate(ball, ball.start(), 1, options, {event});
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_NE(result.reason.find("table ends at 0.5"), std::string::npos);
  EXPECT_GT(result.state.t, 0.4);
}

TEST(Failures, WritingASparseMatrixByRowAndColumnIsAMessageNotACrash) {
  class Wrong final : public dae::ConstrainedSystem {
   public:
    Wrong()
        : ConstrainedSystem(
              dae::Structure::sparse({"a", "b"}, {}, linalg::Pattern::diagonal(2), linalg::Pattern(0, 2))) {}
    void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
    void calc_force(const dae::Point&, dae::VectorOut) const override {}
  };
  const Wrong wrong;
  const RunResult result = integrate(wrong, dae::State::zero(wrong.structure()), 1);
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_NE(result.reason.find("entry by entry"), std::string::npos) << result.reason;
}

TEST(Steps, AFixedStepThatDividesTheSpanLeavesNoSliver) {
  const Ball ball;
  for (const long n : {1000L, 10000L, 100000L}) {
    Options options;
    options.h_fixed = 10.0 / static_cast<double>(n);
    EXPECT_EQ(integrate(ball, ball.start(), 10, options).statistics.steps, n);
  }
}

TEST(Steps, LateTimesAreIntegratedByWhatTheyResolve) {
  const Ball ball;
  dae::State late = ball.start();
  late.t = 1e8;
  Options options;
  options.h_fixed = 1e-5;
  const RunResult result = integrate(ball, late, 1e8 + 0.01, options);
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_NEAR(result.state.v[0], -10 * ((1e8 + 0.01) - 1e8), 1e-12);
  options.h_fixed = 1e-9;
  EXPECT_EQ(integrate(ball, late, 1e8 + 0.01, options).failure.cause, FailureCause::kInvalidInput);
}

TEST(Steps, TolerancesNearRoundOffEndWithAMessageOrAResult) {
  const auto& pendulum = smooth_problem("pendulum");
  for (const double tolerance : {1e-12, 1e-13}) {
    const RunResult result = integrate(*pendulum.system, pendulum.start, 0.5, Options::with_tolerance(tolerance));
    if (!result.ok()) {
      EXPECT_EQ(result.failure.cause, FailureCause::kStepTooSmall) << result.reason;
    }
  }
  EXPECT_EQ(integrate(*pendulum.system, pendulum.start, 0.5, Options::with_tolerance(1e-15)).failure.cause,
            FailureCause::kInvalidInput);
}

TEST(Friction, OutputDoesNotChangeReactionsOrMotion) {
  const cases::Case c = cases::build_case(*cases::find_case("cable-drum"), {{"mu", 0.75}});
  Options options = Options::with_tolerance(1e-6);
  const RunResult plain = integrate(*c.system, c.start, 4, options);
  options.output = {OutputKind::kUniform, 0.01, {}};
  Observers observers;
  observers.output = [](const dae::State&) {};
  const RunResult with_output = integrate(*c.system, c.start, 4, options, {}, observers);
  EXPECT_EQ(plain.state.q, with_output.state.q);
  EXPECT_EQ(plain.state.lambda, with_output.state.lambda);
}

TEST(Events, AreRefusedWithoutAFunction) {
  const Ball ball;
  Event empty;
  empty.name = "nothing";
  const RunResult result = integrate(ball, ball.start(), 1, {}, {empty});
  EXPECT_EQ(result.failure.cause, FailureCause::kInvalidInput);
  EXPECT_NE(result.reason.find("'nothing'"), std::string::npos);
}

TEST(Start, AnInconsistentStateIsAssembledAndSaid) {
  const auto& pendulum = smooth_problem("pendulum");
  dae::State off = pendulum.start;
  off.q << 3, -0.5;
  off.v << 0.3, 0.2;
  const RunResult result = integrate(*pendulum.system, off, 0.1);
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  ASSERT_EQ(result.notes.size(), 2u);
  EXPECT_LT(std::abs(result.state.q.norm() - 1), 1e-9);
}

TEST(Start, WrongSizesAndValuesAreNamed) {
  const auto& pendulum = smooth_problem("pendulum");
  dae::State bad = pendulum.start;
  bad.v.resize(3);
  EXPECT_NE(integrate(*pendulum.system, bad, 1).reason.find("3 velocities"), std::string::npos);
  bad = pendulum.start;
  bad.q[1] = std::nan("");
  EXPECT_NE(integrate(*pendulum.system, bad, 1).reason.find("y is not a finite number"), std::string::npos);
  Options options;
  options.method = "nosuch";
  EXPECT_NE(integrate(*pendulum.system, pendulum.start, 1, options).reason.find("projection"), std::string::npos);
  options = {};
  options.method_options["project"] = "maybe";
  EXPECT_NE(integrate(*pendulum.system, pendulum.start, 1, options).reason.find("yes, no"), std::string::npos);
}

TEST(Projection, WithoutItTheBareFormulaDrifts) {
  const auto& pendulum = smooth_problem("pendulum");
  Options options = Options::with_tolerance(1e-6);
  const RunResult kept = integrate(*pendulum.system, pendulum.start, 10, options);
  options.method_options["project"] = "no";
  const RunResult drifting = integrate(*pendulum.system, pendulum.start, 10, options);
  EXPECT_LT(kept.drift.position, 1e-9);
  EXPECT_GT(drifting.drift.position, 1e-7);
}

TEST(Projection, QuaternionsStayNormalisedAndEnergyIsKept) {
  const trammel::testing::FreeBody body;
  const RunResult result = integrate(body, body.start(), 20, Options::with_tolerance(1e-9));
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_NEAR(result.state.q.norm(), 1, 1e-14);
  const auto twice_energy = [](const linalg::Vector& w) { return w[0] * w[0] + 2 * w[1] * w[1] + 3 * w[2] * w[2]; };
  EXPECT_NEAR(twice_energy(result.state.v), twice_energy(body.start().v), 1e-6);
}

}  // namespace
}  // namespace trammel::integrators
