#include "trammel/analyses/statics.h"

#include <gtest/gtest.h>

#include <numbers>

#include "cases/case.h"
#include "tests/analyses/mechanisms.h"
#include "tests/support/models.h"
#include "tests/support/systems.h"
#include "trammel/system/mechanism.h"

namespace trammel::analyses {
namespace {

using dae::State;
using std::numbers::pi;
using testing::FourBar;
using testing::kOnGround;
using testing::PlanarMechanism;
using testing::SpatialLinkage;

constexpr double kGravity = 9.81;

/// A rod of length 1 and mass 2 that hangs from the origin; its centre is half a length along its own x axis.
struct Rod {
  static constexpr double kMass = 2, kInertia = 2.0 / 12;
  PlanarMechanism system{{{"rod", kMass, kInertia}}, PlanarMechanism::pin("pin", 0, {-0.5, 0}, kOnGround, {0, 0})};
  State at(double angle) const { return system.at_rest({0.5 * std::cos(angle), 0.5 * std::sin(angle), angle}); }
  /// Of small swings about the lowest position: sqrt(3 g / (2 l)).
  static double frequency() { return std::sqrt(1.5 * kGravity) / (2 * pi); }
};

TEST(Statics, ARodHangsDownFromWhereverItStarts) {
  const Rod rod;
  for (const double angle : {-1.6, -0.5, 0.0, 0.8, 1.4, 1.5, pi / 2, 1.7, 3.0}) {
    const StaticsResult result = find_equilibrium(rod.system, rod.at(angle));
    ASSERT_TRUE(result.ok) << angle << ": " << result.message;
    EXPECT_EQ(result.stability, Stability::kStable) << angle << ": " << result.message;
    EXPECT_NEAR(result.state.q[0], 0, 1e-9) << angle;
    EXPECT_NEAR(result.state.q[1], -0.5, 1e-9) << angle;
    EXPECT_NEAR(std::abs(result.state.lambda[1]), Rod::kMass * kGravity, 1e-8);
    ASSERT_EQ(result.modes.size(), 1U);
    EXPECT_NEAR(result.modes[0].frequency_hz, Rod::frequency(), 1e-7);
    EXPECT_EQ(result.modes[0].damping_ratio, 0);
  }
}

TEST(Statics, ReportsTheUpperPositionAsUnstableWhenStabilityIsNotPreferred) {
  const Rod rod;
  StaticsOptions options;
  options.prefer_stable = false;
  const StaticsResult result = find_equilibrium(rod.system, rod.at(1.5), options);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.stage, StaticsStage::kNewton);
  EXPECT_NEAR(result.state.q[1], 0.5, 1e-9);
  EXPECT_EQ(result.stability, Stability::kUnstable);
  EXPECT_EQ(result.unstable_modes, 1);
  const auto growth = std::max_element(result.modes.begin(), result.modes.end(), [](const Mode& a, const Mode& b) {
    return a.eigenvalue.real() < b.eigenvalue.real();
  });
  EXPECT_NEAR(growth->eigenvalue.real(), 2 * pi * Rod::frequency(), 1e-6);
  EXPECT_EQ(growth->damping_ratio, -1);
}

/// A rod of mass 2 on a pin, its centre at 0.6, with a torsion spring that is free at angle 0.
std::shared_ptr<const system::Mechanism> make_sprung_pendulum(double angle, double stiffness) {
  auto model = testing::make_model(model::Space::kPlanar, {0, -kGravity, 0});
  testing::add_body(*model, "rod", 2, Eigen::Vector3d(0, 0, 0.5), {0, 0, 0}, testing::turned_about_z(angle));
  model->bodies[0].centre = {0.6, 0, 0};
  model->bodies[0].angle = angle;
  const int i = testing::add_marker(*model, testing::kGround), j = testing::add_marker(*model, 0);
  const int pin = testing::add_joint(*model, "pin", model::JointType::kRevolute, i, j);
  testing::add_joint_force(*model, "spring", {pin, model::CoordinateKind::kAngle}).stiffness = stiffness;
  return std::make_shared<const system::Mechanism>(model);
}

TEST(Statics, APendulumOnASpringGoesDownhillFromWhereverItStarts) {
  for (const double stiffness : {0.3, 1.0, 4.0, 9.0}) {
    const auto torque = [&](double angle) { return -stiffness * angle - 2 * kGravity * 0.6 * std::cos(angle); };
    for (double start = -6.05; start < 6.2; start += 0.35) {
      double downhill = start;
      const double step = 1e-4 * (torque(start) > 0 ? 1 : -1);
      while (torque(downhill) * step > 0) downhill += step;
      const auto system = make_sprung_pendulum(start, stiffness);
      const StaticsResult result = find_equilibrium(*system, system->given_state());
      ASSERT_TRUE(result.ok) << result.message;
      EXPECT_EQ(result.stability, Stability::kStable) << start;
      EXPECT_NEAR(result.state.q[2], downhill, 2e-4) << "from " << start << " on a spring of " << stiffness;
    }
  }
}

TEST(Statics, AnUnstableEquilibriumGivesWayToTheOneDownhillOfTheStart) {
  const auto system = make_sprung_pendulum(0.3, 1);
  const StaticsResult result = find_equilibrium(*system, system->given_state());
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(result.state.q[2], -1.4475, 1e-4);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("downhill from the start"), std::string::npos) << result.notes[0];
}

TEST(Statics, MassesOnSpringsSinkAsTheirWeightsSay) {
  // Three masses under each other on springs: the extension of each spring carries all that is below.
  const double k = 400, free_length = 0.5;
  std::vector<testing::PlanarRow> rows;
  std::vector<testing::PlanarSpring> springs;
  std::vector<PlanarMechanism::Body> bodies;
  std::vector<double> q;
  for (int i = 0; i < 3; ++i) {
    bodies.push_back({fmt::format("mass{}", i + 1), 1.0 + i, 0.1});
    rows.push_back(PlanarMechanism::lock(fmt::format("guide{}", i + 1), 3 * i));
    rows.push_back(PlanarMechanism::lock(fmt::format("no turn{}", i + 1), 3 * i + 2));
    springs.push_back({i, i - 1, {0, 0}, {0, 0}, k, 2, free_length});
    q.insert(q.end(), {0.0, -0.6 * (i + 1), 0.0});
  }
  const PlanarMechanism system(bodies, rows, springs);
  const StaticsResult result = find_equilibrium(system, system.at_rest(q));
  ASSERT_TRUE(result.ok) << result.message;
  double height = 0, below = 6;
  for (int i = 0; i < 3; ++i) {
    height -= free_length + below * kGravity / k;
    below -= 1.0 + i;
    EXPECT_NEAR(result.state.q[3 * i + 1], height, 1e-11);
  }
  EXPECT_EQ(result.stage, StaticsStage::kNewton);
  EXPECT_EQ(result.stability, Stability::kStable);
  // Damping proportional to stiffness: mu^2 + 2 zeta omega mu + omega^2 = 0 with zeta = omega c / (2 k).
  Eigen::Matrix3d K, M = Eigen::Vector3d(1, 2, 3).asDiagonal();
  K << 2 * k, -k, 0, -k, 2 * k, -k, 0, -k, k;
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::Matrix3d> solver(K, M);
  ASSERT_EQ(result.modes.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const double omega = std::sqrt(solver.eigenvalues()[i]);
    EXPECT_NEAR(result.modes[static_cast<std::size_t>(i)].frequency_hz, omega / (2 * pi), 1e-6);
    EXPECT_NEAR(result.modes[static_cast<std::size_t>(i)].damping_ratio, omega * 2 / (2 * k), 1e-7);
  }
}

TEST(Statics, AChainOfTenRodsHangsStraightDown) {
  cases::Case chain = cases::build_case(*cases::find_case("chain"), {{"n", 10}});
  const StaticsResult result = find_equilibrium(*chain.system, chain.start);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.stability, Stability::kStable) << result.message;
  for (int i = 0; i < 10; ++i) {
    EXPECT_NEAR(result.state.q[3 * i], 0, 1e-8);
    EXPECT_NEAR(result.state.q[3 * i + 1], -(i + 0.5), 1e-8);
    EXPECT_NEAR(std::abs(result.state.lambda[2 * i + 1]), (10 - i) * kGravity, 1e-7);
  }
  EXPECT_EQ(result.modes.size(), 10U);
}

TEST(Statics, ALongChainHangsToo) {
  cases::Case chain = cases::build_case(*cases::find_case("chain"), {{"n", 300}});
  State guess = chain.start;
  for (int i = 0; i < 300; ++i) {  // a little off the vertical
    guess.q[3 * i] = 0.02 * i;
    guess.q[3 * i + 1] = -(i + 0.5);
    guess.q[3 * i + 2] = -1.5;
  }
  const StaticsResult result = find_equilibrium(*chain.system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.stability, Stability::kUnknown);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NEAR(result.state.q[3 * 299 + 1], -299.5, 1e-6);
}

TEST(Statics, TakesRedundantConstraints) {
  const testing::TwiceConstrained system;
  const StaticsResult result = find_equilibrium(system, system.start());
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(result.state.q[0], 0, 1e-9);
  EXPECT_NEAR(result.state.q[1], -1, 1e-9);
  // Which of the two rows carries the weight is not determined: both share it.
  EXPECT_NEAR(result.state.lambda[0], kGravity / 2, 1e-6);
  EXPECT_NEAR(result.state.lambda[1], kGravity / 2, 1e-6);
  EXPECT_EQ(result.stability, Stability::kStable);
  ASSERT_EQ(result.modes.size(), 1U);
  EXPECT_NEAR(result.modes[0].frequency_hz, std::sqrt(kGravity) / (2 * pi), 1e-7);
}

/// Two springs in a shallow arch, pushed down by a force in the middle (a toggle): equilibria at
/// 2 k (l0 - sqrt(1 + y^2)) y / sqrt(1 + y^2) = force.
PlanarMechanism make_toggle(double mass) {
  return {{{"joint", mass, 1}},
          {PlanarMechanism::lock("guide", 0), PlanarMechanism::lock("no turn", 2)},
          {{0, kOnGround, {0, 0}, {-1, 0}, 1000, 0, std::sqrt(1.04)},
           {0, kOnGround, {0, 0}, {1, 0}, 1000, 0, std::sqrt(1.04)}}};
}
double toggle_force(double y) { return 2 * 1000 * (std::sqrt(1.04) - std::hypot(1, y)) * y / std::hypot(1, y); }

TEST(Statics, AToggleHoldsASmallLoad) {
  const PlanarMechanism system = make_toggle(0.1);
  const StaticsResult result = find_equilibrium(system, system.at_rest({0, 0.2, 0}));
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_GT(result.state.q[1], 0.1);
  EXPECT_NEAR(toggle_force(result.state.q[1]), 0.1 * kGravity, 1e-8);
  EXPECT_EQ(result.stability, Stability::kStable);
}

TEST(Statics, AToggleSnapsThroughUnderALargeLoad) {
  // The arch carries at most about 3.0 N; under 20 N the only equilibrium is below.
  const PlanarMechanism system = make_toggle(20 / kGravity);
  const StaticsResult result = find_equilibrium(system, system.at_rest({0, 0.2, 0}));
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_LT(result.state.q[1], -0.2);
  EXPECT_NEAR(toggle_force(result.state.q[1]), 20, 1e-7);
  EXPECT_EQ(result.stability, Stability::kStable);
}

TEST(Statics, LeavesTheUnstableMiddleOfAToggle) {
  const PlanarMechanism system = make_toggle(1e-3);
  StaticsOptions options;
  options.prefer_stable = false;
  const StaticsResult middle = find_equilibrium(system, system.at_rest({0, 0.0, 0}), options);
  ASSERT_TRUE(middle.ok) << middle.message;
  EXPECT_EQ(middle.stability, Stability::kUnstable);
  EXPECT_NEAR(middle.state.q[1], 0, 1e-3);
  const StaticsResult end = find_equilibrium(system, system.at_rest({0, 0.0, 0}));
  ASSERT_TRUE(end.ok) << end.message;
  EXPECT_EQ(end.stability, Stability::kStable);
  EXPECT_EQ(end.stage, StaticsStage::kRelaxation);
  EXPECT_NEAR(std::abs(end.state.q[1]), 0.2, 1e-3);
}

/// A rigid body in space on a hinge at the origin whose axis is y; its centre is at (0.5, 0, 0) of its own frame.
SpatialLinkage make_flap() {
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  return {{{"flap", 2, {0.1, 0.2, 0.3}}}, {{"hinge", 0, kOnGround, {-0.5, 0, 0}, {0, 0, 0}, y, x, z}}, kGravity};
}

TEST(Statics, ABodyWithQuaternionsHangsDown) {
  const SpatialLinkage system = make_flap();
  State guess = State::zero(system.structure());
  guess.q << 0.5, 0.1, 0, 1, 0.05, 0.3, -0.1;
  const StaticsResult result = find_equilibrium(system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(result.state.q[0], 0, 1e-9);
  EXPECT_NEAR(result.state.q[1], 0, 1e-9);
  EXPECT_NEAR(result.state.q[2], -0.5, 1e-9);
  EXPECT_NEAR(result.state.q.tail<4>().norm(), 1, 1e-14);
  EXPECT_EQ(result.stability, Stability::kStable);
  ASSERT_EQ(result.modes.size(), 1U);
  EXPECT_NEAR(result.modes[0].frequency_hz, std::sqrt(2 * kGravity * 0.5 / (0.2 + 2 * 0.25)) / (2 * pi), 1e-6);
}

TEST(Statics, TheBricardLinkageFindsItsLowestPosition) {
  const testing::Bricard system(kGravity);
  const StaticsResult result = find_equilibrium(system, system.start());
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.stability, Stability::kStable) << result.message;
  EXPECT_EQ(result.modes.size(), 1U);
}

TEST(Statics, ANeutralEquilibriumIsFoundAndCalledSo) {
  // A disc on a pin through its centre, and a mass on a frictionless table with a spring in one direction.
  const PlanarMechanism disc({{"disc", 1, 0.1}}, PlanarMechanism::pin("pin", 0, {0, 0}, kOnGround, {0, 0}));
  const StaticsResult turned = find_equilibrium(disc, disc.at_rest({0.1, 0.2, 0.7}));
  ASSERT_TRUE(turned.ok) << turned.message;
  EXPECT_NEAR(turned.state.q[2], 0.7, 1e-9);
  EXPECT_EQ(turned.stability, Stability::kNeutral);
  EXPECT_EQ(turned.neutral_modes, 1);
  EXPECT_EQ(turned.modes.size(), 1U);

  const PlanarMechanism table(
      {{"mass", 1, 0.1}, {"carrier", 1, 0.1}},
      testing::join({{PlanarMechanism::lock("no turn", 2), PlanarMechanism::lock("floor", 4, 0),
                      PlanarMechanism::lock("level", 5, 0), PlanarMechanism::lock("table", 1, 0)}}),
      {{0, 1, {0, 0}, {0, 0}, 50, 1, 0.5}});
  const StaticsResult drifted = find_equilibrium(table, table.at_rest({1, 0, 0, 0, 0, 0}));
  ASSERT_TRUE(drifted.ok) << drifted.message;
  EXPECT_NEAR(drifted.state.q[0] - drifted.state.q[3], 0.5, 1e-9);
  EXPECT_EQ(drifted.stability, Stability::kNeutral);
  EXPECT_EQ(drifted.neutral_modes, 1);
  EXPECT_EQ(drifted.stable_modes, 1);
  EXPECT_EQ(drifted.notes.size(), 1U);
}

TEST(Statics, ExtraStatesComeToRest) {
  for (const auto form : {dae::StateForm::kExplicit, dae::StateForm::kImplicit}) {
    const testing::LaggedActuator system(0.5, form);
    State guess = system.start();
    guess.x << 3;
    const StaticsResult result = find_equilibrium(system, guess);
    ASSERT_TRUE(result.ok) << result.message;
    EXPECT_NEAR(result.state.q[0], 0, 1e-12);
    EXPECT_NEAR(result.state.x[0], 0, 1e-12);
    // mu^3 + 2 (mu^2 + mu + 1) = 0 has one real root and a pair.
    ASSERT_EQ(result.modes.size(), 2U);
    for (const Mode& mode : result.modes) {
      const auto mu = mode.eigenvalue;
      EXPECT_NEAR(std::abs(mu * mu * mu + 2.0 * (mu * mu + mu + 1.0)), 0, 1e-8);
    }
  }
}

TEST(Statics, NothingHoldsAFallingBall) {
  const testing::Ball system;
  const StaticsResult result = find_equilibrium(system, system.start());
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("-10, acts on height"), std::string::npos) << result.message;
}

TEST(Statics, RefusesMotionsThatMove) {
  const FourBar bars;
  const auto drive = PlanarMechanism::motion(
      "drive", 2, [](double t) { return 0.7 + 2 * t; }, [](double) { return 2.0; });
  const PlanarMechanism moving(FourBar::bodies(), testing::join({bars.rows(), {drive}}));
  const StaticsResult result = find_equilibrium(moving, moving.at_rest(bars.position(0.7)));
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("'drive' (rate 2) is moving"), std::string::npos) << result.message;

  // The same motion at rest is a support like any other.
  const auto rest = PlanarMechanism::motion(
      "drive", 2, [](double t) { return 0.7 + t * t; }, [](double t) { return 2 * t; });
  const PlanarMechanism resting(FourBar::bodies(), testing::join({bars.rows(), {rest}}));
  const StaticsResult held = find_equilibrium(resting, resting.at_rest(bars.position(0.7)));
  ASSERT_TRUE(held.ok) << held.message;
  EXPECT_TRUE(held.modes.empty());
  EXPECT_EQ(held.stability, Stability::kStable);
  // Virtual work: the moment of the drive is the change of the potential energy with the crank angle.
  const auto energy = [&](double phi) {
    const std::vector<double> q = bars.position(phi);
    return kGravity * (1 * q[1] + 3 * q[4] + 2 * q[7]);
  };
  EXPECT_NEAR(-held.state.lambda[8], (energy(0.7 + 1e-5) - energy(0.7 - 1e-5)) / 2e-5, 1e-7);
}

TEST(Statics, RefusesBadInput) {
  const Rod rod;
  StaticsOptions options;
  options.tolerance = 2;
  const StaticsResult result = find_equilibrium(rod.system, rod.at(0), options);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("between 0 and 1"), std::string::npos) << result.message;
}

}  // namespace
}  // namespace trammel::analyses
