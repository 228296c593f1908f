// What names in expressions mean.

#include "trammel/model/model_scope.h"

#include "tests/model_files/reading.h"
#include "trammel/model/expression/expression.h"
#include "trammel/model/joint_types.h"

namespace trammel::io {
namespace {

using model::Signal;
using model::SignalKind;
using enum model::SignalKind;

const std::string kSpatial = R"(
parameters: {r: 2}
ground: {markers: {wall: [1, 0, 0]}}
bodies:
  a: {mass: 1, inertia: [1, 1, 1], markers: {tip: [1, 0, 0]}}
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  hinge: {type: revolute, between: [ground, a]}
  tube: {type: cylindrical, between: [a, b]}
  cross: {type: universal, between: [ground, b]}
forces:
  spring: {type: spring-damper, between: [ground, a]}
  pad: {type: bushing, between: [ground, a], stiffness: [1, 1, 1, 1, 1, 1]}
states: {p: {derivative: 0}}
variables: {v: t}
outputs: {o: )";

const std::string kPlanar = R"(
space: planar
bodies: {a: {mass: 1, inertia: 1, markers: {tip: [1, 0]}}}
joints: {hinge: {type: revolute, between: [ground, a]}, slide: {type: translational, between: [ground, a]}}
forces: {push: {type: point-force, at: a, force: [1, 0]}}
outputs: {o: )";

// Kind, index, component and the names of the markers a, b, c, d ("" for the ground frame) of the only signal.
struct Meant {
  SignalKind kind;
  int index;
  int component;
  std::string a = {}, b = {}, c = {}, d = {};
  bool operator==(const Meant&) const = default;
};
void PrintTo(const Meant& m, std::ostream* out) {  // NOLINT(readability-identifier-naming): googletest looks for it
  *out << "kind " << static_cast<int>(m.kind) << " index " << m.index << " component " << m.component << " markers "
       << m.a << "," << m.b << "," << m.c << "," << m.d;
}

Meant meaning(const std::string& before, const std::string& expression) {
  const model::Model m = read(before + "\"" + expression + "\"}\n");
  const Signal& s = signal_of(m, m.outputs.at(0).function);
  const auto name = [&](int k) { return k < 0 ? "" : m.markers.at(static_cast<std::size_t>(k)).name; };
  return {s.kind, s.index, s.component, name(s.a), name(s.b), name(s.c), name(s.d)};
}

TEST(Scope, TimeStatesVariablesAndParameters) {
  EXPECT_EQ(meaning(kSpatial, "t"), (Meant{kTime, -1, 0}));
  EXPECT_EQ(meaning(kSpatial, "time"), (Meant{kTime, -1, 0}));
  EXPECT_EQ(meaning(kSpatial, "p"), (Meant{kState, 0, 0}));
  EXPECT_EQ(meaning(kSpatial, "v"), (Meant{kVariable, 0, 0}));
  EXPECT_EQ(value(read(kSpatial + "3*r}\n").outputs[0].function), 6);
}

TEST(Scope, CoordinatesAndRatesOfJoints) {
  const auto kind = [](model::CoordinateKind k) { return static_cast<int>(k); };
  EXPECT_EQ(meaning(kSpatial, "hinge.angle"), (Meant{kJointCoordinate, 0, kind(model::CoordinateKind::kAngle)}));
  EXPECT_EQ(meaning(kSpatial, "hinge.angle_rate"), (Meant{kJointRate, 0, kind(model::CoordinateKind::kAngle)}));
  EXPECT_EQ(meaning(kSpatial, "hinge.rate"), (Meant{kJointRate, 0, kind(model::CoordinateKind::kAngle)}));
  EXPECT_EQ(meaning(kSpatial, "tube.travel_rate"), (Meant{kJointRate, 1, kind(model::CoordinateKind::kTravel)}));
  EXPECT_EQ(meaning(kSpatial, "cross.angle_2"),
            (Meant{kJointCoordinate, 2, kind(model::CoordinateKind::kSecondAngle)}));
  EXPECT_NE(mistakes(kSpatial + "tube.rate}\n"), "") << "of which coordinate?";
  EXPECT_EQ(meaning(kPlanar, "slide.travel"), (Meant{kJointCoordinate, 1, kind(model::CoordinateKind::kTravel)}));
}

TEST(Scope, ReactionsAndForces) {
  EXPECT_EQ(meaning(kSpatial, "hinge.reaction.fy"), (Meant{kReactionForce, 0, 1}));
  EXPECT_EQ(meaning(kSpatial, "hinge.reaction.tz"), (Meant{kReactionTorque, 0, 2}));
  EXPECT_EQ(meaning(kSpatial, "hinge.reaction.force"), (Meant{kReactionForce, 0, 3}));
  EXPECT_EQ(meaning(kSpatial, "hinge.reaction.torque"), (Meant{kReactionTorque, 0, 3}));
  EXPECT_EQ(meaning(kSpatial, "spring.value"), (Meant{kForceValue, 0, 0}));
  EXPECT_EQ(meaning(kSpatial, "pad.fz"), (Meant{kForceValue, 1, 2}));
  EXPECT_EQ(meaning(kSpatial, "pad.tx"), (Meant{kForceValue, 1, 3}));
  EXPECT_EQ(meaning(kPlanar, "push.tz"), (Meant{kForceValue, 0, 5}));
  EXPECT_NE(mistakes(kPlanar + "push.fz}\n"), "") << "there is none in the plane";
  EXPECT_NE(mistakes(kPlanar + "hinge.reaction.tx}\n"), "");
  EXPECT_NE(mistakes(kSpatial + "spring.fx}\n"), "") << "a scalar force has a value";
}

TEST(Scope, CoordinatesOfBodiesAndMarkers) {
  EXPECT_EQ(meaning(kSpatial, "a.x"), (Meant{kDisplacement, -1, 0, "a"}));
  EXPECT_EQ(meaning(kSpatial, "a.vz"), (Meant{kVelocity, -1, 2, "a"}));
  EXPECT_EQ(meaning(kSpatial, "a.wy"), (Meant{kAngularVelocity, -1, 1, "a", "", "a"})) << "in the body's axes";
  EXPECT_EQ(meaning(kSpatial, "a.tip.y"), (Meant{kDisplacement, -1, 1, "a.tip"}));
  EXPECT_EQ(meaning(kSpatial, "a.tip.vx"), (Meant{kVelocity, -1, 0, "a.tip"}));
  EXPECT_EQ(meaning(kSpatial, "ground.wall.x"), (Meant{kDisplacement, -1, 0, "ground.wall"}));
  EXPECT_EQ(meaning(kPlanar, "a.angle"), (Meant{kAngle, -1, 2, "a"}));
  EXPECT_EQ(meaning(kPlanar, "a.angle_rate"), (Meant{kAngularVelocity, -1, 2, "a"}));
  EXPECT_NE(mistakes(kPlanar + "a.z}\n"), "");
  EXPECT_NE(mistakes(kSpatial + "a.angle}\n"), "") << "a body in space has no one angle";
}

TEST(Scope, MeasuresBetweenMarkers) {
  EXPECT_EQ(meaning(kSpatial, "dx(a)"), (Meant{kDisplacement, -1, 0, "a"}));
  EXPECT_EQ(meaning(kSpatial, "dy(a.tip, b, ground.wall)"), (Meant{kDisplacement, -1, 1, "a.tip", "b", "ground.wall"}));
  EXPECT_EQ(meaning(kSpatial, "dm(a.tip, ground)"), (Meant{kDistance, -1, 0, "a.tip"}));
  EXPECT_EQ(meaning(kSpatial, "vz(a, b, a, b)"), (Meant{kVelocity, -1, 2, "a", "b", "a", "b"}));
  EXPECT_EQ(meaning(kSpatial, "vm(a, b, a)"), (Meant{kSpeed, -1, 0, "a", "b", "", "a"}));
  EXPECT_EQ(meaning(kSpatial, "vr(a, b)"), (Meant{kSeparationRate, -1, 0, "a", "b"}));
  EXPECT_EQ(meaning(kSpatial, "az(a, b)"), (Meant{kAngle, -1, 2, "a", "b"}));
  EXPECT_EQ(meaning(kSpatial, "wx(a, b, a)"), (Meant{kAngularVelocity, -1, 0, "a", "b", "a"}));
  EXPECT_EQ(meaning(kSpatial, "wm(a)"), (Meant{kAngularSpeed, -1, 0, "a"}));
  EXPECT_EQ(meaning(kSpatial, "accy(a, b, a, b)"), (Meant{kAcceleration, -1, 1, "a", "b", "a", "b"}));
  EXPECT_EQ(meaning(kSpatial, "accm(a)"), (Meant{kAccelerationSize, -1, 0, "a"}));
  EXPECT_EQ(meaning(kSpatial, "wdtz(a)"), (Meant{kAngularAcceleration, -1, 2, "a"}));
}

TEST(Scope, EqualSignalsAreOne) {
  const model::Model m = read(kSpatial + "\"a.x + dx(a) + dx(a, ground) + sin(a.x)\"}\n");
  EXPECT_EQ(m.outputs[0].function.inputs().size(), 1u);
}

TEST(Scope, EverythingThatIsSuggestedIsFound) {
  for (const std::string& text : {kSpatial + "0}\n", kPlanar + "0}\n"}) {
    model::Model m = read(text);
    model::ModelIndex index(m);
    model::ModelScope scope(index);
    const std::vector<std::string> names = scope.names();
    EXPECT_GT(names.size(), 20u);
    for (const std::string& name : names) EXPECT_TRUE(scope.find(name)) << name;
    for (const std::string& name : scope.marker_names()) EXPECT_GE(scope.find_marker(name), 0) << name;
    for (const std::string& name : scope.measures()) EXPECT_TRUE(scope.is_measure(name)) << name;
  }
}

TEST(Scope, ServesModelsBuiltInCode) {
  model::Model m;
  model::ModelIndex index(m);
  model::ModelScope scope(index);
  EXPECT_FALSE(scope.find("late.x"));
  m.bodies.emplace_back().name = "late";
  const model::Program program = model::expression::compile("2*late.x", scope);
  EXPECT_EQ(signal_of(m, program).text, "late.x");
}

}  // namespace
}  // namespace trammel::io
