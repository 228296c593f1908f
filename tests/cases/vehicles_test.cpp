// Statements about the car and its suspension, for which there is no second formulation. The figures at rest were
// computed independently, corner by corner, from the hardpoints, springs and masses.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "cases/case.h"
#include "trammel/analyses/prepare.h"
#include "trammel/analyses/statics.h"
#include "trammel/integrators/integrate.h"

namespace trammel::cases {
namespace {

using Eigen::Vector3d;

Case build(const std::string& name, const ParameterValues& parameters = {}) {
  return build_case(*find_case(name), parameters);
}

Eigen::Quaterniond orientation_of(const BodyPose& pose) {
  return {pose.orientation[0], pose.orientation[1], pose.orientation[2], pose.orientation[3]};
}

/// Where a point of a body is, in the ground frame.
Vector3d point_of(const Case& c, const dae::State& state, const std::string& body, const Vector3d& point) {
  for (const BodyPose& pose : c.bodies(state)) {
    if (pose.name == body) return Vector3d(pose.position) + orientation_of(pose) * point;
  }
  throw std::out_of_range(body);
}

int degrees_of_freedom(const std::string& name) {
  const auto model = std::make_shared<const model::Model>(build_model(*find_case(name)));
  return analyses::prepare(model).mobility.degrees_of_freedom;
}

TEST(Hmmwv14, HasTheDegreesOfFreedomOfTheThesis) {
  EXPECT_EQ(degrees_of_freedom("hmmwv14"), 11);
  EXPECT_EQ(degrees_of_freedom("hmmwv14-bushings"), 18);
}

TEST(Hmmwv14, WeighsWhatItsPartsWeigh) {
  double mass = 0;
  for (const model::Body& body : build_model(*find_case("hmmwv14")).bodies) mass += body.mass;
  EXPECT_NEAR(mass, 2576.924, 1e-9);
}

TEST(Hmmwv14, StandsOnItsWheelsAsComputedCornerByCorner) {
  const Case c = build("hmmwv14", {{"speed", 0}});
  const analyses::StaticsResult rest = analyses::find_equilibrium(*c.system, c.start);
  ASSERT_TRUE(rest.ok) << rest.message;
  EXPECT_EQ(rest.unstable_modes, 0);
  EXPECT_LT((rest.state.q - c.start.q).cwiseAbs().maxCoeff(), 1e-6) << "it starts at rest";
  EXPECT_NEAR(point_of(c, rest.state, "chassis", {0.056, 0, 0.213}).z(), 0.7623, 0.0005);
  const Vector3d forward =
      point_of(c, rest.state, "chassis", {1, 0, 0}) - point_of(c, rest.state, "chassis", {0, 0, 0});
  EXPECT_NEAR(std::asin(-forward.z()) * 180 / std::numbers::pi, 0.982, 0.005);
  const double front =
      296325 * (0.4699 - point_of(c, rest.state, "front_left_wheel", {1.648579, 0.909701, -0.026289}).z());
  const double rear =
      296325 * (0.4699 - point_of(c, rest.state, "rear_right_wheel", {-1.653405, -0.909701, -0.026289}).z());
  EXPECT_NEAR(front, 6531, 0.005 * 6531);
  EXPECT_NEAR(rear, 6104, 0.005 * 6104);
  EXPECT_NEAR(2 * (front + rear), 2576.924 * 9.81, 1e-3);
}

TEST(Hmmwv14, MeetsTheBumpWithItsFrontWheelsAndThenWithItsRearOnes) {
  const Case c = build("hmmwv14");
  const auto result = integrate(*c.system, c.start, 3, integrators::Options::with_tolerance(1e-4), c.events);
  ASSERT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  ASSERT_EQ(result.events.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_TRUE(result.events[k].name.starts_with(k < 2 ? "front" : "rear")) << result.events[k].name;
    EXPECT_NEAR(result.events[k].t, k < 2 ? 0.4986 : 1.2372, 0.003);
  }
  // It has come to rest again, straight ahead and as fast as before.
  EXPECT_NEAR(point_of(c, result.state, "chassis", {0.056, 0, 0.213}).z(), 0.7622, 0.001);
  EXPECT_NEAR(point_of(c, result.state, "chassis", {0, 0, 0}).x(), 3 * 4.4704, 0.1);
  EXPECT_NEAR(point_of(c, result.state, "chassis", {0, 0, 0}).y(), 0, 1e-3);
}

TEST(Hmmwv14, IsStiffWithBushings) {
  const Case c = build("hmmwv14-bushings", {{"speed", 0}});
  const analyses::StaticsResult rest = analyses::find_equilibrium(*c.system, c.start);
  ASSERT_TRUE(rest.ok) << rest.message;
  EXPECT_EQ(rest.unstable_modes, 0);
  double fastest = 0;
  for (const analyses::Mode& mode : rest.modes) fastest = std::min(fastest, mode.eigenvalue.real());
  EXPECT_LT(fastest, -1e5);
  EXPECT_GT(fastest, -1e6);
}

TEST(DoubleWishbone, ShortensItsSpringByHalfOfWhatTheWheelRises) {
  const Case c = build("double-wishbone");
  const auto result = integrate(*c.system, c.start, 0.1, integrators::Options::with_tolerance(1e-6));
  ASSERT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  const auto height = [&](const dae::State& s) {
    return point_of(c, s, "wheel", {-0.040386, 0.909701, -0.026289}).z();
  };
  const auto length = [&](const dae::State& s) {
    return (point_of(c, s, "lower_arm", {0.097206, 0.543179, -0.046609}) - Vector3d(0.104013, 0.509778, 0.197485))
        .norm();
  };
  const double ratio = (length(c.start) - length(result.state)) / (height(result.state) - height(c.start));
  EXPECT_NEAR(ratio, 0.465, 0.03);
  EXPECT_EQ(degrees_of_freedom("double-wishbone"), 1);
}

}  // namespace
}  // namespace trammel::cases
