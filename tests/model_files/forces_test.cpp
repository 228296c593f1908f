// Forces of every type.

#include "tests/model_files/reading.h"
#include "trammel/model/force_types.h"

namespace trammel::io {
namespace {

using Eigen::Vector3d;
using model::CoordinateKind;

const std::string kBefore = R"(
curves: {soft: {x: [-1, 0, 1], y: [-1, 0, 5]}}
bodies:
  a: {mass: 1, inertia: [1, 1, 1], markers: {tip: [0.5, 0, 0]}}
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  hinge: {type: revolute, between: [ground, a]}
  slide: {type: translational, between: [ground, b]}
forces:
)";

model::Model read_forces(const std::string& forces) { return read(kBefore + forces); }

const model::ForceLaw& law(const model::Model& m, std::size_t k = 0) { return m.forces.at(k).scalar.value().law; }
std::string marker_name(const model::Model& m, int k) { return m.markers.at(static_cast<std::size_t>(k)).name; }

TEST(ReadForces, SpringDamper) {
  const model::Model m = read_forces(R"(
  f: {type: spring-damper, between: [ground, a.tip], stiffness: 400, damping: 3, free_length: 0.1, preload: 7,
      stiffness_curve: soft, damping_curve: soft, force: 2*a.x}
)");
  EXPECT_EQ(m.forces[0].name, "f");
  EXPECT_EQ(m.forces[0].type, "spring-damper");
  EXPECT_EQ(marker_name(m, m.forces[0].scalar->i), "ground");
  EXPECT_EQ(marker_name(m, m.forces[0].scalar->j), "a.tip");
  EXPECT_EQ(law(m).stiffness, 400);
  EXPECT_EQ(law(m).damping, 3);
  EXPECT_EQ(law(m).reference, 0.1);
  EXPECT_EQ(law(m).preload, 7);
  EXPECT_EQ(law(m).stiffness_curve, 0);
  EXPECT_EQ(law(m).damping_curve, 0);
  EXPECT_EQ(inputs_of(m, law(m).expression.value()), std::vector<std::string>{"a.x"});
}

TEST(ReadForces, SpringBetweenPointsOfTheGroundFrame) {
  const model::Model m =
      read_forces("  f: {type: spring-damper, between: [ground, a], points: [[1, 0, 0], [0, 2, 0]]}\n");
  expect_near(m.markers.at(static_cast<std::size_t>(m.forces[0].scalar->j)).position, Vector3d(0, 2, 0));
}

TEST(ReadForces, OnJointCoordinates) {
  const model::Model m = read_forces(R"(
  s1: {type: torsion-spring, joint: hinge, stiffness: 5, free_angle: 1, torque: 2}
  s2: {type: torsion-spring, joint: slide, coordinate: travel, stiffness: 5, free_length: 1, force: 2}
  f1: {type: joint-force, joint: hinge, torque: -2*hinge.rate}
  f2: {type: joint-force, joint: slide, force: 3}
)");
  EXPECT_EQ(m.forces[0].scalar->coordinate, (model::JointCoordinate{0, CoordinateKind::kAngle}));
  EXPECT_EQ(law(m, 0).reference, 1);
  EXPECT_EQ(value(*law(m, 0).expression), 2);
  EXPECT_EQ(m.forces[1].scalar->coordinate, (model::JointCoordinate{1, CoordinateKind::kTravel}));
  EXPECT_EQ(law(m, 1).reference, 1);
  EXPECT_EQ(value(*law(m, 2).expression, {3}), -6);
  EXPECT_EQ(value(*law(m, 3).expression), 3);
}

TEST(ReadForces, FrictionAndStops) {
  const model::Model m = read_forces(R"(
  f: {type: friction, joint: hinge, coulomb: 2, breakaway: 3, stribeck_velocity: 0.1, smoothing_velocity: 0.01, viscous: 4}
  s1: {type: stop, joint: hinge, lower: -1, upper: 2, stiffness: 1e5, exponent: 2, damping: 10, depth: 0.01}
  s2: {type: stop, between: [a, b], upper: 2, stiffness: 1e5}
)");
  EXPECT_EQ(law(m, 0).coulomb, 2);
  EXPECT_EQ(law(m, 0).breakaway, 3);
  EXPECT_EQ(law(m, 0).stribeck_velocity, 0.1);
  EXPECT_EQ(law(m, 0).smoothing_velocity, 0.01);
  EXPECT_EQ(law(m, 0).damping, 4);
  const model::Stop stop = law(m, 1).stop.value();
  EXPECT_EQ(stop.lower, -1);
  EXPECT_EQ(stop.upper, 2);
  EXPECT_EQ(stop.stiffness, 1e5);
  EXPECT_EQ(stop.exponent, 2);
  EXPECT_EQ(stop.damping, 10);
  EXPECT_EQ(stop.depth, 0.01);
  EXPECT_LT(law(m, 2).stop->lower, -1e200) << "no lower end";
  EXPECT_EQ(m.forces[2].scalar->coordinate.joint, -1);
}

TEST(ReadForces, VectorForces) {
  const model::Model m = read_forces(R"(
  p: {type: point-force, at: a.tip, force: [1, -9.81*t, 0], in: b}
  q: {type: torque, on: a, torque: [0, 0, sin(t)]}
  v: {type: vector-force, on: a, reaction: b, force: [1, 2, 3], torque: [4, 5, 6]}
)");
  const model::VectorForce& p = m.forces[0].vector.value();
  EXPECT_EQ(marker_name(m, p.i), "a.tip");
  EXPECT_EQ(p.j, -1);
  EXPECT_EQ(marker_name(m, p.frame), "b");
  EXPECT_EQ(value(*p.force[1], {2}), -19.62);
  EXPECT_FALSE(p.torque[0]);
  const model::VectorForce& q = m.forces[1].vector.value();
  EXPECT_EQ(q.frame, -1) << "the ground's axes";
  EXPECT_FALSE(q.force[0]);
  EXPECT_EQ(inputs_of(m, *q.torque[2]), std::vector<std::string>{"t"});
  const model::VectorForce& v = m.forces[2].vector.value();
  EXPECT_EQ(marker_name(m, v.j), "b");
  EXPECT_EQ(value(*v.force[2]), 3);
  EXPECT_EQ(value(*v.torque[2]), 6);
}

TEST(ReadForces, BushingByDiagonalOrRows) {
  const model::Model m = read_forces(R"(
  d: {type: bushing, between: [a, b], stiffness: [1, 2, 3, 4, 5, 6], preload: [1, 2, 3, 4, 5, 6]}
  r: {type: bushing, between: [a, b], at: [0, 0, 1], axis: [1, 0, 0], stiffness: [1, 1, 1, 1, 1, 1],
      damping: [[1, 2, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],
                [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 7]]}
)");
  const model::Bushing& d = m.forces[0].bushing.value();
  EXPECT_EQ(d.stiffness(5, 5), 6);
  EXPECT_EQ(d.stiffness(0, 1), 0);
  EXPECT_EQ(d.preload[5], 6);
  const model::Bushing& r = m.forces[1].bushing.value();
  EXPECT_EQ(r.damping(0, 1), 2);
  EXPECT_EQ(r.damping(5, 5), 7);
  expect_near(m.markers.at(static_cast<std::size_t>(r.i)).orientation.col(2), Vector3d(1, 0, 0));
}

TEST(ReadForces, InThePlane) {
  const model::Model m = read(R"(
space: planar
bodies: {a: {mass: 1, inertia: 1}}
forces:
  p: {type: point-force, at: a, force: [1, 2]}
  q: {type: torque, on: a, torque: 5}
  b: {type: bushing, between: [ground, a], stiffness: [1, 2, 3], damping: [[1, 0, 4], [0, 1, 0], [4, 0, 1]], preload: [0, 0, 9]}
)");
  EXPECT_EQ(value(*m.forces[0].vector->force[1]), 2);
  EXPECT_FALSE(m.forces[0].vector->force[2]);
  EXPECT_EQ(value(*m.forces[1].vector->torque[2]), 5);
  EXPECT_EQ(m.forces[2].bushing->stiffness(1, 1), 2);
  EXPECT_EQ(m.forces[2].bushing->stiffness(5, 5), 3) << "about z";
  EXPECT_EQ(m.forces[2].bushing->damping(0, 5), 4);
  EXPECT_EQ(m.forces[2].bushing->preload[5], 9);
}

}  // namespace
}  // namespace trammel::io
