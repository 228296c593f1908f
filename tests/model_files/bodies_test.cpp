// Bodies, markers, numbers and orientations.

#include <numbers>

#include "tests/model_files/reading.h"
#include "trammel/math/quaternion.h"

namespace trammel::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using std::numbers::pi;

model::Body read_body(const std::string& keys, const std::string& before = "") {
  return read(before + "bodies:\n  b: {" + keys + "}\n").bodies.at(0);
}

Matrix3d read_orientation(const std::string& orientation) {
  const model::Body body = read_body("mass: 1, inertia: [1, 1, 1], orientation: {" + orientation + "}");
  EXPECT_TRUE(body.has_orientation);
  EXPECT_FALSE(body.has_position);
  return math::rotation_from_quaternion(body.orientation);
}

TEST(ReadBodies, PlanarBodyHasPositionAngleAndVelocity) {
  const model::Model m = read(R"(
model: one body
summary: for a test
space: planar
gravity: [0, -9.81]
bodies:
  b: {mass: 2, inertia: 0.5, position: [1, 2], angle: 400 deg, velocity: [3, 4], angular_velocity: 5,
      centre_of_mass: [0.1, 0.2], hold: true, markers: {tip: [1, 0], turned: {position: [0, 1], angle: 90 deg}}}
)");
  EXPECT_EQ(m.name, "one body");
  EXPECT_EQ(m.summary, "for a test");
  EXPECT_TRUE(m.is_planar());
  expect_near(m.gravity, Vector3d(0, -9.81, 0));
  const model::Body& b = m.bodies.at(0);
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.mass, 2);
  EXPECT_EQ(b.inertia(2, 2), 0.5);
  expect_near(b.centre, Vector3d(0.1, 0.2, 0));
  expect_near(b.position, Vector3d(1, 2, 0));
  expect_near(b.velocity, Vector3d(3, 4, 0));
  expect_near(b.angular_velocity, Vector3d(0, 0, 5));
  EXPECT_NEAR(b.angle, 400 * pi / 180, 1e-14) << "turns are kept";
  expect_near(math::rotation_from_quaternion(b.orientation), math::rotation_about_z(40 * pi / 180), 1e-14);
  EXPECT_TRUE(b.has_position && b.has_orientation && b.is_held);
  ASSERT_EQ(m.markers.size(), 2u);
  EXPECT_EQ(m.markers[0].name, "b.tip");
  EXPECT_EQ(m.markers[0].body, 0);
  expect_near(m.markers[0].position, Vector3d(1, 0, 0));
  EXPECT_EQ(m.markers[1].name, "b.turned");
  expect_near(m.markers[1].orientation, math::rotation_about_z(pi / 2));
}

TEST(ReadBodies, NumbersMayBeExpressionsOfParametersInAnyOrder) {
  const model::Model m = read(R"(
space: planar
parameters:
  area: pi*r^2
  r: {value: d/2, meaning: radius}
  d: 4
bodies:
  b: {mass: area, inertia: "2 * r", position: [-r, 1e-3], angle: 30 deg}
)");
  EXPECT_NEAR(m.bodies[0].mass, 4 * pi, 1e-14);
  EXPECT_EQ(m.bodies[0].inertia(2, 2), 4);
  expect_near(m.bodies[0].position, Vector3d(-2, 1e-3, 0));
  ASSERT_EQ(m.parameters.size(), 3u);
  EXPECT_EQ(m.parameters[1].name, "r");
  EXPECT_EQ(m.parameters[1].value, 2);
  EXPECT_EQ(m.parameters[1].meaning, "radius");
}

TEST(ReadBodies, ParametersCanBeReplacedFromOutside) {
  ModelReadOptions options;
  options.parameters = {{"d", 10}};
  const std::string text = "space: planar\nparameters: {r: d/2, d: 4}\nbodies: {b: {mass: r, inertia: 1}}\n";
  EXPECT_EQ(read(text, options).bodies[0].mass, 5);
  options.parameters = {{"dd", 1}, {"r", std::numeric_limits<double>::infinity()}};
  EXPECT_EQ(mistakes(text, options),
            "test.yaml: there is no parameter 'dd'; did you mean d?\n"
            "test.yaml: the parameter 'r' is given as inf");
}

TEST(ReadBodies, InertiaInItsThreeForms) {
  EXPECT_EQ(read_body("mass: 1, inertia: [2, 3, 4]").inertia, Matrix3d(Vector3d(2, 3, 4).asDiagonal()));
  Matrix3d I;
  I << 2, 0.1, 0.3, 0.1, 3, 0.2, 0.3, 0.2, 4;
  EXPECT_EQ(read_body("mass: 1, inertia: [2, 3, 4, 0.1, 0.2, 0.3]").inertia, I);
  EXPECT_EQ(read_body("mass: 1, inertia: [[2, 0.1, 0.3], [0.1, 3, 0.2], [0.3, 0.2, 4]]").inertia, I);
  EXPECT_EQ(read_body("mass: 1, inertia: [0, 0, 0]").inertia, Matrix3d(Matrix3d::Zero())) << "a mass point";
}

TEST(ReadBodies, InertiaAboutAnotherPointAndInOtherAxes) {
  // A rod of length 2 along x, given about its end.
  const std::string rod = "mass: 3, centre_of_mass: [1, 0, 0], inertia: [0.01, 4, 4], ";
  expect_near(read_body(rod + "inertia_point: [0, 0, 0]").inertia, Matrix3d(Vector3d(0.01, 1, 1).asDiagonal()));
  expect_near(read_body(rod + "inertia_point: end, markers: {end: [2, 0, 0]}").inertia,
              Matrix3d(Vector3d(0.01, 1, 1).asDiagonal()));
  expect_near(read_body("mass: 1, inertia: [1, 2, 2.5], inertia_axes: {axis: [0, 0, 1], angle: 90 deg}").inertia,
              Matrix3d(Vector3d(2, 1, 2.5).asDiagonal()));
  EXPECT_NEAR(
      read_body("mass: 3, inertia: 4, centre_of_mass: [1, 0], inertia_point: [0, 0]", "space: planar\n").inertia(2, 2),
      1, 1e-14);
}

TEST(ReadBodies, OrientationsInAllForms) {
  const Matrix3d R = math::rotation_from_vector(Vector3d(0.3, -0.4, 1.2));
  const Vector4d p = math::quaternion_from_rotation(R);
  const auto list = [](const auto& v) {
    std::string text = "[";
    for (int k = 0; k < v.size(); ++k) text += (k ? ", " : "") + std::to_string(v[k]);
    return text + "]";
  };
  // std::to_string has six decimals.
  expect_near(read_orientation("quaternion: " + list(2 * p)), R, 3e-6);
  expect_near(read_orientation("rotation_vector: [0.3, -0.4, 1.2]"), R, 1e-14);
  expect_near(read_orientation("axis: [0.3, -0.4, 1.2], angle: 1.3"), R, 1e-14);
  expect_near(read_orientation("directions: {x: " + list(R.col(0)) + ", y: " + list(R.col(1)) + "}"), R, 3e-6);
}

TEST(ReadBodies, EulerAnglesTurnAboutTheTurnedAxes) {
  const Matrix3d zxz = math::rotation_about_z(0.1) * math::rotation_about_x(0.2) * math::rotation_about_z(0.3);
  expect_near(read_orientation("euler: {sequence: zxz, angles: [0.1, 0.2, 0.3]}"), zxz, 1e-14);
  const Matrix3d yzx = math::rotation_about_y(0.1) * math::rotation_about_z(0.2) * math::rotation_about_x(0.3);
  expect_near(read_orientation("euler: {sequence: yzx, angles: [0.1, 0.2, 0.3]}"), yzx, 1e-14);
}

TEST(ReadBodies, DirectionsKeepZOrElseTheFirst) {
  const Matrix3d by_z = read_orientation("directions: {x: [1, 0, 1], z: [0, 0, 2]}");
  expect_near(by_z.col(2), Vector3d(0, 0, 1));
  expect_near(by_z.col(0), Vector3d(1, 0, 0));
  const Matrix3d by_x = read_orientation("directions: {x: [1, 0, 1], y: [0, 1, 1]}");
  expect_near(by_x.col(0), Vector3d(1, 0, 1).normalized());
  for (const auto& R : {by_z, by_x}) {
    expect_near(R.transpose() * R, Matrix3d::Identity());
    EXPECT_NEAR(R.determinant(), 1, 1e-14);
  }
}

TEST(ReadBodies, AngularVelocityInBodyAndGroundAxes) {
  const std::string turned = "mass: 1, inertia: [1, 1, 1], orientation: {axis: [0, 0, 1], angle: 90 deg}, ";
  expect_near(read_body(turned + "angular_velocity: [1, 2, 3]").angular_velocity, Vector3d(1, 2, 3));
  expect_near(read_body(turned + "angular_velocity_ground: [1, 2, 3]").angular_velocity, Vector3d(2, -1, 3));
}

TEST(ReadBodies, SectionsMayBeEmpty) {
  const model::Model m = read("bodies:\njoints:\nforces: {}\n");
  EXPECT_TRUE(m.bodies.empty());
  EXPECT_EQ(m.name, "test") << "from the name of the file";
  EXPECT_EQ(m.source, "bodies:\njoints:\nforces: {}\n");
}

TEST(ReadBodies, AliasesStandForWhatTheyName) {
  const model::Model m = read(R"(
bodies:
  a: &block {mass: 2, inertia: [1, 1, 1]}
  b: *block
)");
  EXPECT_EQ(m.bodies.at(1).name, "b");
  EXPECT_EQ(m.bodies.at(1).mass, 2);
}

}  // namespace
}  // namespace trammel::io
