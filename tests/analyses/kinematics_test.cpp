#include "trammel/analyses/kinematics.h"

#include <gtest/gtest.h>

#include "tests/analyses/mechanisms.h"
#include "tests/support/systems.h"

namespace trammel::analyses {
namespace {

using dae::State;
using integrators::FailureCause;
using integrators::OutputKind;
using integrators::RunResult;
using integrators::RunStatus;
using testing::FourBar;
using testing::join;
using testing::kOnGround;
using testing::PlanarMechanism;

constexpr double kOmega = 3;

testing::PlanarRow turn_crank(double from = 0.7) {
  return PlanarMechanism::motion(
      "drive", 2, [=](double t) { return from + kOmega * t; }, [](double) { return kOmega; });
}

/// Angles of two states, whole turns apart or not.
double distance(const Vector& a, const Vector& b) {
  Vector d = a - b;
  for (Eigen::Index i = 2; i < d.size(); i += 3) d[i] = std::remainder(d[i], 2 * std::numbers::pi);
  return d.norm();
}

std::vector<State> collect(const PlanarMechanism& system, const State& start, const KinematicsOptions& options,
                           RunResult& result) {
  std::vector<State> states;
  integrators::Observers observers;
  observers.output = [&](const State& s) { states.push_back(s); };
  result = drive(system, start, options, observers);
  return states;
}

TEST(Kinematics, ADrivenFourBarGoesThroughItsTurns) {
  const FourBar bars;
  const PlanarMechanism system(FourBar::bodies(), join({bars.rows(), {turn_crank()}}));
  KinematicsOptions options;
  options.t_end = 5;
  options.output = {.kind = OutputKind::kUniform, .interval = 0.25, .points = {}};
  RunResult result;
  const std::vector<State> states = collect(system, system.at_rest(bars.position(0.7)), options, result);
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  ASSERT_EQ(states.size(), 21U);
  for (const State& s : states) {
    const auto exact = [&](double t) { return Vector(system.at_rest(bars.position(0.7 + kOmega * t)).q); };
    EXPECT_LT(distance(s.q, exact(s.t)), 1e-11) << s.t;
    const double h = 1e-5;
    EXPECT_LT(distance((s.v * 2 * h).eval(), exact(s.t + h) - exact(s.t - h)) / (2 * h), 1e-7);
    EXPECT_LT((s.a - (exact(s.t + 1e-4) - 2 * exact(s.t) + exact(s.t - 1e-4)) / 1e-8).norm() / (1 + s.a.norm()), 1e-4);
  }
  EXPECT_LT(result.drift.position, 1e-12);
  EXPECT_LT(result.drift.velocity, 1e-11);
  EXPECT_EQ(states.back().t, 5);
  EXPECT_EQ(result.statistics.outputs, 21);
}

TEST(Kinematics, ReactionsBalanceInertiaAndForces) {
  // Power: what the drive feeds in is the change of kinetic energy and the work against gravity.
  const FourBar bars;
  const PlanarMechanism system(FourBar::bodies(), join({bars.rows(), {turn_crank()}}));
  KinematicsOptions options;
  options.t_end = 1;
  options.output = {.kind = OutputKind::kUniform, .interval = 0.1, .points = {}};
  RunResult result;
  const std::vector<double> masses{1, 1, 0.02, 3, 3, 0.4, 2, 2, 0.15};
  for (const State& s : collect(system, system.at_rest(bars.position(0.7)), options, result)) {
    double power = 0;
    for (int i = 0; i < 9; ++i) power += masses[static_cast<std::size_t>(i)] * s.a[i] * s.v[i];
    power += 9.81 * (1 * s.v[1] + 3 * s.v[4] + 2 * s.v[7]);
    EXPECT_NEAR(-s.lambda[8] * kOmega, power, 1e-9 * (1 + std::abs(power)));
  }
  EXPECT_TRUE(result.ok()) << result.reason;
}

/// Crank r, rod l, a slider on the x axis; the crank is driven, or the slider.
struct SliderCrank {
  double r = 0.3, l = 0.8;
  static std::vector<PlanarMechanism::Body> bodies() {
    return {{"crank", 1, 0.01}, {"rod", 1, 0.05}, {"slider", 1, 0.01}};
  }
  std::vector<testing::PlanarRow> rows() const {
    using P = PlanarMechanism;
    return join({P::pin("bearing", 0, {0, 0}, kOnGround, {0, 0}),
                 P::pin("crank pin", 0, {r, 0}, 1, {-l / 2, 0}),
                 P::pin("wrist pin", 1, {l / 2, 0}, 2, {0, 0}),
                 {P::lock("guide", 7), P::lock("no turn", 8)}});
  }
  std::vector<double> position(double phi) const {
    const double beta = -std::asin(r * std::sin(phi) / l), x = r * std::cos(phi) + l * std::cos(beta);
    return {0, 0, phi, r * std::cos(phi) + l / 2 * std::cos(beta), r * std::sin(phi) + l / 2 * std::sin(beta), beta,
            x, 0, 0};
  }
};

TEST(Kinematics, ASliderCrankFollowsItsClosedForm) {
  const SliderCrank mechanism;
  const PlanarMechanism system(SliderCrank::bodies(), join({mechanism.rows(), {turn_crank(0.2)}}));
  KinematicsOptions options;
  options.t_end = 4;
  options.output = {.kind = OutputKind::kPoints, .interval = 0, .points = {1, 2.5, 4}};
  RunResult result;
  const std::vector<State> states = collect(system, system.at_rest(mechanism.position(0.2)), options, result);
  ASSERT_TRUE(result.ok()) << result.reason;
  ASSERT_EQ(states.size(), 3U);
  for (const State& s : states) {
    EXPECT_LT(distance(s.q, system.at_rest(mechanism.position(0.2 + kOmega * s.t)).q), 1e-11);
  }
}

TEST(Kinematics, StartsFromRest) {
  // Nothing moves for a second, then the crank accelerates.
  const SliderCrank mechanism;
  const auto angle = [](double t) { return t < 1 ? 0.2 : 0.2 + 4 * (t - 1) * (t - 1) * (t - 1); };
  const auto rate = [](double t) { return t < 1 ? 0.0 : 12 * (t - 1) * (t - 1); };
  const PlanarMechanism system(SliderCrank::bodies(),
                               join({mechanism.rows(), {PlanarMechanism::motion("drive", 2, angle, rate)}}));
  KinematicsOptions options;
  options.t_end = 3;
  const RunResult result = drive(system, system.at_rest(mechanism.position(0.2)), options);
  ASSERT_TRUE(result.ok()) << result.reason;
  EXPECT_LT(distance(result.state.q, system.at_rest(mechanism.position(0.2 + 32)).q), 1e-11);
}

TEST(Kinematics, RefusesAMechanismThatIsNotDriven) {
  const SliderCrank mechanism;
  const PlanarMechanism system(SliderCrank::bodies(), mechanism.rows());
  const RunResult result = drive(system, system.at_rest(mechanism.position(0.2)), {});
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_EQ(result.failure.cause, FailureCause::kInvalidInput);
  EXPECT_NE(result.reason.find("1 degree of freedom is left"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("give a motion to crank.angle"), std::string::npos) << result.reason;
}

TEST(Kinematics, StopsAndKeepsWhatItHasWhereTheMechanismLocks) {
  // A crank longer than its rod locks when the rod stands across the guide, sin(phi) = l / r.
  const SliderCrank mechanism{.r = 0.5, .l = 0.4};
  const PlanarMechanism system(SliderCrank::bodies(), join({mechanism.rows(), {turn_crank(0.2)}}));
  KinematicsOptions options;
  options.t_end = 1;
  options.output = {.kind = OutputKind::kUniform, .interval = 0.05, .points = {}};
  RunResult result;
  const std::vector<State> states = collect(system, system.at_rest(mechanism.position(0.2)), options, result);
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_EQ(result.failure.cause, FailureCause::kEquations);
  const double lock = (std::asin(0.8) - 0.2) / kOmega;
  EXPECT_NEAR(result.state.t, lock, 1e-6);
  EXPECT_LE(result.state.t, lock);
  EXPECT_GE(states.size(), 5U);
  EXPECT_NE(result.reason.find("depend"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("rod.angle"), std::string::npos) << result.reason;
}

TEST(Kinematics, NamesADeadCentre) {
  // Driven by its slider, the crank does not know where to go when it is stretched.
  const SliderCrank mechanism;
  const auto place = [](double) { return 1.1; };
  const PlanarMechanism system(
      SliderCrank::bodies(),
      join({mechanism.rows(), {PlanarMechanism::motion("drive", 6, place, [](double) { return 0.0; })}}));
  const RunResult result = drive(system, system.at_rest(mechanism.position(0)), {});
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_NE(result.reason.find("1 degree of freedom is left"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("start from another position"), std::string::npos) << result.reason;
}

TEST(Kinematics, RedundantRowsShareReactions) {
  // Two equal guides: each takes half.
  const SliderCrank mechanism;
  auto rows = join({mechanism.rows(), {PlanarMechanism::lock("second guide", 7), turn_crank(0.2)}});
  const PlanarMechanism redundant(SliderCrank::bodies(), rows);
  const PlanarMechanism plain(SliderCrank::bodies(), join({mechanism.rows(), {turn_crank(0.2)}}));
  KinematicsOptions options;
  options.t_end = 1.3;
  const RunResult twice = drive(redundant, redundant.at_rest(mechanism.position(0.2)), options);
  const RunResult once = drive(plain, plain.at_rest(mechanism.position(0.2)), options);
  ASSERT_TRUE(twice.ok()) << twice.reason;
  ASSERT_TRUE(once.ok()) << once.reason;
  EXPECT_LT((twice.state.q - once.state.q).norm(), 1e-12);
  EXPECT_NEAR(twice.state.lambda[6], once.state.lambda[6] / 2, 1e-4);
  EXPECT_NEAR(twice.state.lambda[6] + twice.state.lambda[8], once.state.lambda[6], 1e-9);
  EXPECT_NEAR(twice.state.lambda[9], once.state.lambda[8], 1e-9);
  ASSERT_EQ(twice.notes.size(), 1U);
  EXPECT_NE(twice.notes[0].find("'second guide' depends on 'guide'"), std::string::npos) << twice.notes[0];
}

TEST(Kinematics, GivesTheStepsItTook) {
  const FourBar bars;
  const PlanarMechanism system(FourBar::bodies(), join({bars.rows(), {turn_crank()}}));
  KinematicsOptions options;
  options.t_end = 1;
  options.output.kind = OutputKind::kSteps;
  RunResult result;
  const std::vector<State> states = collect(system, system.at_rest(bars.position(0.7)), options, result);
  EXPECT_EQ(static_cast<long>(states.size()), result.statistics.steps + 1);
  options.output = {.kind = OutputKind::kMaximalInterval, .interval = 0.01, .points = {}};
  EXPECT_GE(collect(system, system.at_rest(bars.position(0.7)), options, result).size(), 101U);
  options.output = {};
  EXPECT_EQ(collect(system, system.at_rest(bars.position(0.7)), options, result).size(), 2U);
}

TEST(Kinematics, RefusesBadInput) {
  const FourBar bars;
  const PlanarMechanism system(FourBar::bodies(), join({bars.rows(), {turn_crank()}}));
  KinematicsOptions options;
  options.t_end = -1;
  const RunResult result = drive(system, system.at_rest(bars.position(0.7)), options);
  EXPECT_EQ(result.failure.cause, FailureCause::kInvalidInput);
  EXPECT_NE(result.reason.find("lies before the start"), std::string::npos) << result.reason;

  const testing::KnifeEdge blade(9.81, 1);
  const RunResult refused = drive(blade, blade.start(), {});
  EXPECT_NE(refused.reason.find("nonholonomic"), std::string::npos) << refused.reason;
}

}  // namespace
}  // namespace trammel::analyses
