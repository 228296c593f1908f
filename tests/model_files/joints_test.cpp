// Joints, their markers, and motions.

#include <numbers>

#include "tests/model_files/reading.h"
#include "trammel/math/quaternion.h"
#include "trammel/model/joint_types.h"

namespace trammel::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using model::CoordinateKind;
using model::JointType;

const std::string kTwoBodies = R"(
ground: {markers: {wall: [5, 0, 0]}}
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], markers: {tip: [0.5, 0, 0]}}
  b: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0], orientation: {axis: [0, 0, 1], angle: 90 deg}}
)";

model::Model read_joints(const std::string& joints) { return read(kTwoBodies + "joints:\n" + joints); }

const model::Marker& marker_i(const model::Model& m, const model::Joint& joint) {
  return m.markers.at(static_cast<std::size_t>(joint.i));
}
const model::Marker& marker_j(const model::Model& m, const model::Joint& joint) {
  return m.markers.at(static_cast<std::size_t>(joint.j));
}

TEST(ReadJoints, MarkersAreNamedOrMadeOnTheSpot) {
  const model::Model m = read_joints(R"(
  j1: {type: revolute, between: [ground.wall, a.tip]}
  j2: {type: spherical, between: [a, ground]}
  j3: {type: fixed, between: [a, {body: b, position: [1, 2, 3], orientation: {axis: [1, 0, 0], angle: 90 deg}}]}
)");
  ASSERT_EQ(m.joints.size(), 3u);
  EXPECT_EQ(m.joints[0].type, JointType::kRevolute);
  EXPECT_EQ(marker_i(m, m.joints[0]).name, "ground.wall");
  EXPECT_EQ(marker_i(m, m.joints[0]).body, model::kGround);
  EXPECT_EQ(marker_j(m, m.joints[0]).name, "a.tip");
  EXPECT_EQ(marker_i(m, m.joints[1]).name, "a");
  EXPECT_EQ(marker_j(m, m.joints[1]).name, "ground");
  const model::Marker& made = marker_j(m, m.joints[2]);
  EXPECT_EQ(made.name, "j3/j");
  EXPECT_EQ(made.body, 1);
  expect_near(made.position, Vector3d(1, 2, 3));
  expect_near(made.orientation, math::rotation_about_x(std::numbers::pi / 2));
}

TEST(ReadJoints, EveryTypeCanBeRead) {
  const std::map<JointType, std::string> more{
      {JointType::kScrew, ", pitch: 0.01"},
      {JointType::kRolling, ", radius: 0.3"},
      {JointType::kRevoluteSpherical, ", length: 2"},
  };
  for (const auto& type : model::joint_types()) {
    if (type.type == JointType::kGear || type.type == JointType::kCoupler || type.type == JointType::kRackAndPinion ||
        !type.in_space) {
      continue;
    }
    const auto found = more.find(type.type);
    const model::Model m = read_joints("  j: {type: " + type.name + ", between: [ground, b]" +
                                       (found == more.end() ? "" : found->second) + "}\n");
    ASSERT_EQ(m.joints.size(), 1u) << type.name;
    EXPECT_EQ(m.joints[0].type, type.type) << type.name;
    EXPECT_GE(m.joints[0].j, 0);
  }
}

TEST(ReadJoints, ParametersOfJoints) {
  const model::Model m = read_joints(R"(
  rod: {type: distance, between: [ground, a], length: 1.5}
  link: {type: distance, between: [ground, a]}
  bar: {type: distance, between: [ground, a], points: [[0, 0, 0], [3, 4, 0]]}
  arm: {type: revolute-spherical, between: [a, b], points: [[0, 0, 0], [0, 0, 2]], axis: [1, 0, 0]}
  nut: {type: screw, between: [ground, a], pitch: -0.01}
  disc: {type: rolling, between: [ground, a], radius: 0.3}
)");
  EXPECT_EQ(m.joints[0].parameter, 1.5);
  EXPECT_LT(m.joints[1].parameter, 0) << "that of the start";
  EXPECT_EQ(m.joints[2].parameter, 5);
  EXPECT_EQ(m.joints[3].parameter, 2);
  EXPECT_EQ(m.joints[4].parameter, -0.01);
  EXPECT_EQ(m.joints[5].parameter, 0.3);
}

TEST(ReadJoints, AtAndAxisMakeMarkersOnBothBodiesThatCoincide) {
  const model::Model m = read_joints(R"(
  j: {type: revolute, between: [a, b], at: [1.5, 1, 0], axis: [0, 2, 0], x_axis: [0, 1, 1]}
  u: {type: universal, between: [a, b], at: [0, 0, 0], axis: [0, 1, 0], second_axis: [1, 0, 0]}
)");
  const auto in_ground = [&](const model::Marker& marker) {
    const model::Body& body = m.bodies.at(static_cast<std::size_t>(marker.body));
    const Matrix3d R = math::rotation_from_quaternion(body.orientation);
    return std::pair<Vector3d, Matrix3d>(body.position + R * marker.position, R * marker.orientation);
  };
  Matrix3d axes;
  axes.col(0) = Vector3d(0, 0, 1);
  axes.col(1) = Vector3d(1, 0, 0);
  axes.col(2) = Vector3d(0, 1, 0);
  for (const model::Marker& marker : {marker_i(m, m.joints[0]), marker_j(m, m.joints[0])}) {
    expect_near(in_ground(marker).first, Vector3d(1.5, 1, 0));
    expect_near(in_ground(marker).second, axes);
  }
  EXPECT_EQ(marker_i(m, m.joints[0]).name, "j/i");
  expect_near(in_ground(marker_i(m, m.joints[1])).second.col(2), Vector3d(0, 1, 0));
  expect_near(in_ground(marker_j(m, m.joints[1])).second.col(2), Vector3d(1, 0, 0));
  EXPECT_TRUE(m.bodies[0].has_orientation) << "its joints say how the body stands";
}

TEST(ReadJoints, AtInThePlane) {
  const model::Model m = read(R"(
space: planar
bodies: {a: {mass: 1, inertia: 1, position: [1, 0], angle: 90 deg}}
joints: {j: {type: translational, between: [ground, a], at: [2, 3], x_axis: [1, 1]}}
)");
  expect_near(marker_j(m, m.joints[0]).position, Vector3d(3, -1, 0));
  expect_near(marker_i(m, m.joints[0]).position, Vector3d(2, 3, 0));
  expect_near(marker_i(m, m.joints[0]).orientation, math::rotation_about_z(std::numbers::pi / 4));
}

TEST(ReadJoints, CouplingsOfCoordinates) {
  const model::Model m = read_joints(R"(
  hinge: {type: revolute, between: [ground, a]}
  tube: {type: cylindrical, between: [ground, b]}
  g: {type: gear, of: [hinge, {joint: tube, coordinate: angle}], ratio: -3}
  c: {type: coupler, terms: [{joint: hinge, factor: 2}, {joint: tube, coordinate: travel, factor: 5}]}
  r: {type: rack-and-pinion, rack: {joint: tube, coordinate: travel}, pinion: hinge, radius: 0.1}
)");
  ASSERT_EQ(m.joints[2].terms.size(), 2u);
  EXPECT_EQ(m.joints[2].terms[0].weight, -3) << "ratio * first - second = constant";
  EXPECT_EQ(m.joints[2].terms[0].coordinate, (model::JointCoordinate{0, CoordinateKind::kAngle}));
  EXPECT_EQ(m.joints[2].terms[1].weight, -1);
  EXPECT_EQ(m.joints[2].terms[1].coordinate, (model::JointCoordinate{1, CoordinateKind::kAngle}));
  EXPECT_EQ(m.joints[3].terms[1].weight, 5);
  EXPECT_EQ(m.joints[3].terms[1].coordinate, (model::JointCoordinate{1, CoordinateKind::kTravel}));
  EXPECT_EQ(m.joints[4].terms[0].coordinate, (model::JointCoordinate{1, CoordinateKind::kTravel}));
  EXPECT_EQ(m.joints[4].terms[1].weight, -0.1) << "travel - radius * angle = constant";
}

TEST(ReadJoints, PointOnCurve) {
  const model::Model m = read(R"(
space: planar
curves: {profile: {points: [[0, 1], [1, 2], [2, 2]], kind: natural, extrapolate: clamp}}
bodies: {a: {mass: 1, inertia: 1}}
joints: {cam: {type: point-on-curve, between: [ground, a], curve: profile, polar: true}}
)");
  EXPECT_EQ(m.joints[0].curve, 0);
  EXPECT_TRUE(m.joints[0].curve_is_polar);
  EXPECT_EQ(m.curves[0].name, "profile");
  EXPECT_EQ(m.curves[0].spline.calc_value(1.0), 2);
  EXPECT_EQ(m.curves[0].spline.calc_value(5.0), 2);
}

TEST(ReadJoints, CurvesOfEachKind) {
  const model::Model m = read(R"(
parameters: {h: 2}
curves:
  a: {x: [0, 1, h], y: [0, 1, 0], kind: linear}
  b: {x: [0, 1, h], y: [0, 1, 0], kind: akima, extrapolate: refuse}
  c: {x: [0, 1, h], y: [0, 1, 0]}
)");
  EXPECT_EQ(m.curves[0].spline.calc_value(0.25), 0.25);
  EXPECT_EQ(m.curves[0].spline.calc_value(3.0), -1) << "straight on";
  EXPECT_EQ(m.curves[1].spline.extrapolation(), math::Extrapolation::kRefuse);
  EXPECT_EQ(m.curves[2].spline.calc_value(0.25), m.curves[1].spline.calc_value(0.25)) << "akima without saying";
}

TEST(ReadJoints, InitialCoordinates) {
  const model::Model m =
      read_joints("  tube: {type: cylindrical, between: [ground, a], initial: {angle: 750 deg, travel_rate: 2}}\n");
  const auto& initial = m.joints[0].initial;
  ASSERT_EQ(initial.size(), 2u);
  EXPECT_EQ(initial[0].kind, CoordinateKind::kAngle);
  EXPECT_NEAR(initial[0].value.value(), 750 * std::numbers::pi / 180, 1e-13);
  EXPECT_FALSE(initial[0].rate);
  EXPECT_EQ(initial[1].kind, CoordinateKind::kTravel);
  EXPECT_EQ(initial[1].rate, 2);
}

TEST(ReadMotions, OfJointsAndMarkers) {
  const model::Model m = read(kTwoBodies + R"(
parameters: {omega: 3}
joints:
  hinge: {type: revolute, between: [ground, a]}
  tube: {type: cylindrical, between: [ground, b]}
motions:
  m1: {joint: hinge, angle: omega*t}
  m2: {joint: tube, coordinate: travel, velocity: 2}
  m3: {joint: tube, coordinate: angle, acceleration: sin(t), initial_rate: 4}
  m4: {marker: a.tip, x: 0.1*t}
  m5: {marker: a.tip, from: b, coordinate: length, position: 1}
  m6: {marker: b, angle: 2*t}
)");
  ASSERT_EQ(m.motions.size(), 6u);
  EXPECT_EQ(m.motions[0].coordinate, (model::JointCoordinate{0, CoordinateKind::kAngle}));
  EXPECT_EQ(m.motions[0].level, model::MotionLevel::kPosition);
  EXPECT_EQ(value(m.motions[0].function, {2}), 6);
  EXPECT_EQ(m.motions[1].coordinate, (model::JointCoordinate{1, CoordinateKind::kTravel}));
  EXPECT_EQ(m.motions[1].level, model::MotionLevel::kVelocity);
  EXPECT_EQ(m.motions[2].level, model::MotionLevel::kAcceleration);
  EXPECT_EQ(m.motions[2].initial_rate, 4);
  EXPECT_LT(m.motions[3].coordinate.joint, 0);
  EXPECT_EQ(m.markers.at(static_cast<std::size_t>(m.motions[3].i)).name, "a.tip");
  EXPECT_EQ(m.markers.at(static_cast<std::size_t>(m.motions[3].j)).name, "ground");
  EXPECT_EQ(m.motions[3].kind, CoordinateKind::kX);
  EXPECT_EQ(m.motions[4].kind, CoordinateKind::kDistance);
  EXPECT_EQ(m.motions[5].kind, CoordinateKind::kAngle);
}

}  // namespace
}  // namespace trammel::io
