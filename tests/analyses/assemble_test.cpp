#include "trammel/analyses/assemble.h"

#include <gtest/gtest.h>

#include "cases/case.h"
#include "tests/analyses/mechanisms.h"
#include "tests/support/models.h"
#include "tests/support/systems.h"
#include "trammel/kinematics/redundancy.h"
#include "trammel/model/placement.h"
#include "trammel/system/mechanism.h"

namespace trammel::analyses {
namespace {

using dae::State;
using testing::Bricard;
using testing::FourBar;
using testing::PlanarMechanism;

/// Numbers between -1 and 1 that are the same at every run.
Vector scatter(Eigen::Index size, double phase = 0) {
  Vector s(size);
  for (Eigen::Index i = 0; i < size; ++i) s[i] = std::sin(3.1 + phase + 2.7 * static_cast<double>(i));
  return s;
}

/// Which side of the line from knee to foot the elbow is on.
double side_of_elbow(const State& s, const FourBar& bars) {
  const Eigen::Vector2d knee = PlanarMechanism::point(s, 0, {bars.a / 2, 0});
  const Eigen::Vector2d elbow = PlanarMechanism::point(s, 2, {bars.c / 2, 0});
  const Eigen::Vector2d way = Eigen::Vector2d(bars.d, 0) - knee, up = elbow - knee;
  return way[0] * up[1] - way[1] * up[0];
}

class AssembleFourBar : public ::testing::Test {
 protected:
  FourBar bars_;
  PlanarMechanism system_{FourBar::bodies(), bars_.rows()};
};

TEST_F(AssembleFourBar, FindsWhichCoordinatesAreAngles) {
  dae::Evaluation evaluation(system_);
  evaluation.set(system_.at_rest(bars_.position(0.7)));
  EXPECT_EQ(find_rotations(evaluation), (std::vector<int>{2, 5, 8}));
  EXPECT_EQ(evaluation.point().q, system_.at_rest(bars_.position(0.7)).q);
  const CoordinateMetric metric = make_metric(evaluation, {});
  EXPECT_GT(metric.length, 0.2);
  EXPECT_LT(metric.length, 1.0);
}

TEST_F(AssembleFourBar, DoesNotMoveAConsistentState) {
  const State start = system_.at_rest(bars_.position(0.7));
  const AssemblyResult result = assemble(system_, start);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.state.q, start.q);
  EXPECT_EQ(result.state.v, start.v);
  EXPECT_EQ(result.moved, 0);
}

TEST_F(AssembleFourBar, ClosesAGuessOnItsOwnSide) {
  for (const double phi : {-2.0, 0.3, 0.7, 1.5, 3.0}) {
    for (const double side : {1.0, -1.0}) {
      for (const double error : {0.01, 0.1, 0.2}) {
        State guess = system_.at_rest(bars_.position(phi, side));
        guess.q += error * scatter(9, phi);
        const AssemblyResult result = assemble(system_, guess);
        ASSERT_TRUE(result.ok) << result.message;
        EXPECT_LT(result.largest_violation, 1e-14);
        EXPECT_GT(side * side_of_elbow(result.state, bars_), 0) << phi << ' ' << error;
        EXPECT_LT((result.state.q - guess.q).norm(), 2.5 * error * 3);
      }
    }
  }
}

TEST_F(AssembleFourBar, FindsTheNearestPosition) {
  State guess = system_.at_rest(bars_.position(0.7));
  guess.q += 0.15 * scatter(9);
  AssemblyOptions options;
  options.metric.length_scale = 0.5;
  const AssemblyResult result = assemble(system_, guess, options);
  ASSERT_TRUE(result.ok) << result.message;
  const auto distance = [&](const State& s) {
    Vector d = s.q - guess.q;
    for (const int i : {2, 5, 8}) d[i] *= 0.5;
    return d.norm();
  };
  const double phi = result.state.q[2], least = distance(result.state);
  EXPECT_NEAR(result.moved, least, 1e-12);
  // Along the one motion that the linkage has, the distance is stationary and least.
  const auto along = [&](double angle) { return distance(system_.at_rest(bars_.position(angle))); };
  EXPECT_NEAR(along(phi), least, 1e-12);
  EXPECT_NEAR((along(phi + 1e-4) - along(phi - 1e-4)) / 2e-4, 0, 1e-6);
  for (const double step : {-0.3, -0.1, -0.01, 0.01, 0.1, 0.3}) EXPECT_GT(along(phi + step), least);
}

TEST_F(AssembleFourBar, HoldsCoordinates) {
  State guess = system_.at_rest(bars_.position(0.7));
  guess.q += 0.1 * scatter(9);
  guess.q[2] = 1.1;
  guess.v[2] = 3;
  AssemblyOptions options;
  options.fixed_velocities = {2};
  const AssemblyResult result = assemble(system_, guess, options);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.state.q[2], 1.1);
  EXPECT_EQ(result.state.v[2], 3);
  const State exact = system_.at_rest(bars_.position(1.1));
  EXPECT_LT((result.state.q - exact.q).norm(), 1e-12);
  // The velocities are those of the one motion with crank rate 3.
  const State ahead = system_.at_rest(bars_.position(1.1 + 3e-5)), behind = system_.at_rest(bars_.position(1.1 - 3e-5));
  EXPECT_LT((result.state.v - (ahead.q - behind.q) / 2e-5).norm(), 1e-7);
}

TEST_F(AssembleFourBar, NamesRowsThatDoNotClose) {
  const FourBar short_bars{.a = 0.2, .b = 0.3, .c = 0.3, .d = 1.0};
  const PlanarMechanism system(FourBar::bodies(), short_bars.rows());
  State guess = system.at_rest({0.1, 0, 0, 0.3, 0.1, 0.3, 0.8, 0.1, 2.8});
  const AssemblyResult result = assemble(system, guess);
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.open.empty());
  // A gap of 0.2, shared between four pins in least squares.
  EXPECT_EQ(result.open.size(), 4U);
  for (const AssemblyResult::Open& open : result.open) {
    EXPECT_EQ(open.name.substr(open.name.size() - 2), ".x") << open.name;
    EXPECT_GT(open.violation, 0.02);
    EXPECT_LT(open.violation, 0.1);
  }
  EXPECT_EQ(result.largest_violation, result.open.front().violation);
  EXPECT_NE(result.message.find("'" + result.open.front().name + "' by 0.0"), std::string::npos) << result.message;
}

TEST_F(AssembleFourBar, SaysWhatIsHeldWhenThatIsWhyItDoesNotClose) {
  State guess = system_.at_rest(bars_.position(0.7));
  guess.q[3] += 0.1;
  AssemblyOptions options;
  options.fixed_velocities = {0, 1, 2, 3};
  const AssemblyResult result = assemble(system_, guess, options);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("while crank.x, crank.y, crank.angle and coupler.x are held"), std::string::npos)
      << result.message;
}

TEST_F(AssembleFourBar, NamesVelocitiesThatContradict) {
  State guess = system_.at_rest(bars_.position(0.7));
  guess.v[2] = 3;
  guess.v[8] = -5;
  AssemblyOptions options;
  options.fixed_velocities = {2, 8};
  const AssemblyResult result = assemble(system_, guess, options);
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.open.empty());
  EXPECT_EQ(result.largest_violation, 0 * result.moved + result.largest_violation);
  EXPECT_NE(result.message.find("no velocities"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("crank.angle and rocker.angle are held"), std::string::npos) << result.message;
}

TEST_F(AssembleFourBar, RefusesBadInput) {
  State guess = system_.at_rest(bars_.position(0.7));
  guess.q[4] = std::nan("");
  AssemblyOptions options;
  options.fixed_velocities = {9};
  options.tolerance = 0;
  const AssemblyResult result = assemble(system_, guess, options);
  EXPECT_FALSE(result.ok);
  for (const char* part : {"coupler.y is not a finite number", "fixed coordinate 9", "must be positive"}) {
    EXPECT_NE(result.message.find(part), std::string::npos) << result.message;
  }
}

TEST(Assemble, TakesRowsThatRepeatEachOther) {
  const testing::TwiceConstrained system;
  State guess = system.start();
  guess.q << 0.9, 1.2;
  guess.v << 1, 1;
  const AssemblyResult result = assemble(system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(result.state.q[0], 0.6, 1e-12);  // the nearest point of the circle
  EXPECT_NEAR(result.state.q[1], 0.8, 1e-12);
  EXPECT_NEAR(result.state.v[0], 0.16, 1e-12);
  EXPECT_NEAR(result.state.v[1], -0.12, 1e-12);
}

TEST(Assemble, LeavesASingularGuess) {
  const testing::TwiceConstrained system;
  State guess = system.start();
  guess.q << 0, 0;  // the centre of the circle: G = 0
  const AssemblyResult result = assemble(system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(result.state.q.norm(), 1, 1e-12);
}

TEST(Assemble, ClosesTheBricardLinkage) {
  const Bricard system;
  const State exact = system.start();
  dae::Evaluation evaluation(system);
  evaluation.set(exact);
  ASSERT_EQ(kinematics::find_redundancy(evaluation).rank, 29);
  EXPECT_LT(linalg::largest_abs(evaluation.constraint()), 1e-15);
  for (const double error : {1e-6, 1e-3, 0.05, 0.15}) {
    State guess = exact;
    system.retract(exact.q, error * scatter(30), guess.q);
    guess.v = scatter(30, 1);
    const AssemblyResult result = assemble(system, guess);
    ASSERT_TRUE(result.ok) << error << ": " << result.message;
    EXPECT_LT(result.largest_violation, 1e-12);
    EXPECT_LT(result.largest_velocity_violation, 1e-11);
    EXPECT_LT(result.moved, 6 * error);
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(result.state.q.segment<4>(7 * i + 3).norm(), 1, 1e-14);
    evaluation.set(result.state);
    EXPECT_EQ(kinematics::find_redundancy(evaluation).rank, 29);
  }
}

TEST(Assemble, NormalisesQuaternions) {
  const Bricard system;
  State guess = system.start();
  guess.q.segment<4>(3) *= 1.5;
  const AssemblyResult result = assemble(system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_LT((result.state.q - system.start().q).norm(), 1e-14);
}

TEST(Assemble, LetsNonholonomicRowsConcernVelocitiesOnly) {
  const testing::KnifeEdge system(9.81, 1);
  State guess = system.start();
  guess.q << 1, 2, std::numbers::pi / 2;
  guess.v << 1, 1, 5;
  const AssemblyResult result = assemble(system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_EQ(result.state.q, guess.q);
  EXPECT_NEAR(result.state.v[0], 0, 1e-15);
  EXPECT_NEAR(result.state.v[1], 1, 1e-15);
  EXPECT_NEAR(result.state.v[2], 5, 1e-15);
}

TEST(Assemble, FollowsConstraintsThatMoveWithTime) {
  const testing::BeadOnTurningLine system(2);
  State guess = system.start();
  guess.t = 0.3;
  guess.v.setZero();
  const AssemblyResult result = assemble(system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_NEAR(std::atan2(result.state.q[1], result.state.q[0]), 0.6, 1e-14);
  EXPECT_LT(result.largest_velocity_violation, 1e-14);
}

TEST(Assemble, ClosesAChainOfAThousandRods) {
  cases::Case chain = cases::build_case(*cases::find_case("chain"), {{"n", 1000}});
  State guess = chain.start;
  guess.q += 0.05 * scatter(guess.q.size());
  guess.v = scatter(guess.v.size(), 2);
  const AssemblyResult result = assemble(*chain.system, guess);
  ASSERT_TRUE(result.ok) << result.message;
  EXPECT_LT(result.largest_violation, 1e-11);
  EXPECT_LT(result.iterations, 100);
  EXPECT_LT(linalg::largest_abs(result.state.q - guess.q), 2);
}

/// A planar body on a rod from the ground point (1, 2), whose marker is turned by 0.5.
std::shared_ptr<testing::Model> make_body_on_rod(double length) {
  auto model = testing::make_model(model::Space::kPlanar);
  testing::add_body(*model, "a", 1, Eigen::Vector3d(0, 0, 1), {1, 2, 0});
  const int i = testing::add_marker(*model, testing::kGround, {1, 2, 0}, testing::turned_about_z(0.5));
  testing::add_joint(*model, "rod", model::JointType::kDistance, i, testing::add_marker(*model, 0), length);
  return model;
}

TEST(Placement, ARodPlacesABodyThatNothingElsePlaces) {
  auto model = make_body_on_rod(3);
  model->bodies[0].position.setZero();
  model::place_bodies(*model);
  EXPECT_LT((model->bodies[0].position - Eigen::Vector3d(1 + 3 * std::cos(0.5), 2 + 3 * std::sin(0.5), 0)).norm(),
            1e-14);

  // A hinge says more, whatever the order of the joints.
  auto hinged = make_body_on_rod(3);
  const int i = testing::add_marker(*hinged, testing::kGround, {4, 0, 0}), j = testing::add_marker(*hinged, 0);
  testing::add_joint(*hinged, "hinge", model::JointType::kRevolute, i, j);
  model::place_bodies(*hinged);
  EXPECT_EQ(hinged->bodies[0].position, Eigen::Vector3d(4, 0, 0));
}

TEST(Assemble, ARodLeavesThePositionInWhichItsPointsCoincide) {
  for (const auto space : {model::Space::kPlanar, model::Space::kSpatial}) {
    auto model = make_body_on_rod(3);
    model->space = space;
    const system::Mechanism mechanism(model);
    const AssemblyResult result = assemble(mechanism, mechanism.given_state());
    ASSERT_TRUE(result.ok) << result.message;
    EXPECT_NEAR((result.state.q.head<2>() - Eigen::Vector2d(1, 2)).norm(), 3, 1e-10);
  }
}

TEST(Assemble, ARodWithoutLengthIsRefusedByName) {
  for (const double length : {-1.0, 0.0}) {
    try {
      const system::Mechanism mechanism(make_body_on_rod(length));
      ADD_FAILURE() << "a length of " << length << " was accepted";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'rod' has no length"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace trammel::analyses
