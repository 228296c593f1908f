// What is said about models that are sound but cannot be integrated, or do not start as they say.

#include <gtest/gtest.h>

#include "trammel/analyses/model_notes.h"
#include "trammel/io/model_reader.h"

namespace trammel::analyses {
namespace {

using Notes = std::vector<std::string>;

std::shared_ptr<const model::Model> read(const std::string& text) {
  return std::make_shared<const model::Model>(io::read_model_text(text, "test.yaml"));
}

Notes massless_bodies(const std::string& text) {
  const Prepared prepared = prepare(read(text));
  EXPECT_TRUE(prepared.ok) << prepared.message;
  return find_massless_bodies(*prepared.mechanism, prepared.start);
}

const std::string kTurns =
    "body 'a' has no inertia where the joints leave its rotation free, so that its accelerations are not determined: "
    "give it inertia, or hold its rotation by joints";

TEST(MasslessBodies, ThatNothingCarriesAreNamed) {
  EXPECT_EQ(massless_bodies("space: planar\nbodies: {a: {mass: 0, inertia: 0}}"),
            Notes{"body 'a' has no mass and no inertia where the joints leave its motion free, so that its "
                  "accelerations are not determined: give it mass and inertia, or hold its motion by joints"});
  EXPECT_EQ(massless_bodies("space: planar\nbodies: {a: {mass: 1, inertia: 0}}"), Notes{kTurns});
  EXPECT_EQ(massless_bodies("bodies: {a: {mass: 1, inertia: [0, 0, 0]}}"), Notes{kTurns});
  EXPECT_EQ(massless_bodies("bodies: {a: {mass: 0, inertia: [1, 1, 1]}}"),
            Notes{"body 'a' has no mass where the joints leave its position free, so that its accelerations are not "
                  "determined: give it mass, or hold its position by joints"});
}

TEST(MasslessBodies, OfAPointOnAStickMayTurnAboutTheStick) {
  EXPECT_EQ(massless_bodies(R"(
bodies: {a: {mass: 1, inertia: [0, 0, 0], markers: {tip: [1, 0, 0]}}}
joints: {ball: {type: spherical, between: [ground, a.tip]}}
)"),
            Notes{kTurns});
}

TEST(MasslessBodies, ThatOthersCarryAreFine) {
  const std::string link = R"(
space: planar
bodies:
  a: {mass: 0, inertia: 0, markers: {tip: [1, 0]}}
  b: {mass: 1, inertia: 0.1, position: [1, 0]}
joints:
  bearing: {type: revolute, between: [ground, a]}
)";
  EXPECT_EQ(massless_bodies(link + "  pin: {type: revolute, between: [a.tip, b]}"), Notes{});
  EXPECT_EQ(massless_bodies(link + "  weld: {type: fixed, between: [a.tip, b]}"), Notes{});
  EXPECT_EQ(massless_bodies(link), Notes{kTurns});
  // A mass point whose rotation is held, and one that a hinge carries off its centre.
  EXPECT_EQ(massless_bodies(R"(
bodies: {a: {mass: 1, inertia: [0, 0, 0]}}
joints: {hold: {type: orientation, between: [ground, a]}}
)"),
            Notes{});
  EXPECT_EQ(massless_bodies(R"(
bodies: {a: {mass: 1, inertia: [0, 0, 0], markers: {pin: [1, 0, 0]}}}
joints: {hinge: {type: revolute, between: [ground, a.pin]}}
)"),
            Notes{});
}

TEST(ImplicitStates, AreNamedWithTheCirclesOfVariables) {
  EXPECT_EQ(
      find_implicit_states(*read(R"(
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
states:
  z: {residual: z^2 - 4, initial: 1}
  y: {derivative: z}
  w: {residual: der(w) + w}
variables: {first: second + 1, second: 2*first, own: 0.5*cos(own), plain: first + y}
)")),
      (Notes{"'second', 'first' refer to each other in a circle, which makes one of them a state in implicit form",
             "variable 'own' refers to itself, which makes it a state in implicit form",
             "states in implicit form (by a residual): 'z', 'w'"}));
  EXPECT_EQ(find_implicit_states(*read("states: {y: {derivative: 1}}\nvariables: {a: y, b: a + y}")), Notes{});
}

TEST(OverruledVelocities, AreSaid) {
  const auto notes = [](const std::string& velocity, const std::string& initial) {
    const auto model = read("space: planar\nbodies: {a: {mass: 1, inertia: 1" + velocity +
                            "}}\njoints: {j: {type: revolute, between: [ground, a], initial: {" + initial + "}}}");
    return find_overruled_velocities(*prepare(model).mechanism);
  };
  EXPECT_EQ(notes(", angular_velocity: 3", "angle_rate: 1"),
            Notes{"joint 'j': its initial angle_rate 1 is used; the velocities of its bodies would give 3"});
  EXPECT_EQ(notes(", angular_velocity: 3", "angle_rate: 3"), Notes{});
  EXPECT_EQ(notes("", "angle_rate: 3"), Notes{});
  EXPECT_EQ(notes(", angular_velocity: 3", "angle: 1"), Notes{});
}

}  // namespace
}  // namespace trammel::analyses
