// Models from their text to their motion: edges and events on the way, starts that must be refused, turns that count.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/model_files/reading.h"
#include "trammel/analyses/kinematics.h"
#include "trammel/analyses/model_events.h"
#include "trammel/analyses/prepare.h"
#include "trammel/analyses/statics.h"
#include "trammel/integrators/integrate.h"
#include "trammel/system/probe.h"

namespace trammel::analyses {
namespace {

using integrators::Options;
using integrators::RunResult;
using integrators::RunStatus;
using integrators::StopReason;
using model::CoordinateKind;
using model::JointCoordinate;
using system::Probe;

constexpr double kPi = std::numbers::pi;

Prepared prepare_text(const std::string& text) { return prepare(std::make_shared<const model::Model>(io::read(text))); }

/// A model that can be prepared, and its run.
struct Ready {
  explicit Ready(const std::string& text) : prepared(prepare_text(text)) {
    EXPECT_TRUE(prepared.ok) << prepared.message;
  }
  RunResult run(double t_end, double tolerance = 1e-9) const {
    return integrators::integrate(*prepared.mechanism, prepared.start, t_end, Options::with_tolerance(tolerance),
                                  make_events(prepared.mechanism));
  }
  RunResult drive(double t_end) const {
    KinematicsOptions options;
    options.t_end = t_end;
    return analyses::drive(*prepared.mechanism, prepared.start, options);
  }
  double coordinate(const dae::State& state, int joint, CoordinateKind kind = CoordinateKind::kAngle) const {
    Probe probe(*prepared.mechanism);
    probe.set(state);
    return probe.calc_joint_coordinate({joint, kind});
  }
  /// Of the only motion.
  double drive_force(const dae::State& state) const {
    return -state.lambda[prepared.mechanism->constraints().motion_rows().front().front()];
  }
  Prepared prepared;
};

std::string pushed_mass(const std::string& force) {
  return "space: planar\nbodies: { a: { mass: 1, inertia: 1 } }\n"
         "forces: { f: { type: point-force, at: a, force: ['" +
         force + "', 0] } }\n";
}

// --- edges ----------------------------------------------------------------------------------------------------------

// Nothing else makes the steps short: every pulse must be stepped on.
TEST(Edges, InTimeAreAllSteppedOn) {
  const RunResult sine = Ready(pushed_mass("if(sin(2*pi*50*t) > 0.9, 100, 0)")).run(1);
  EXPECT_EQ(sine.status, RunStatus::kCompleted) << sine.reason;
  EXPECT_EQ(sine.statistics.restarts, 100);
  EXPECT_NEAR(sine.state.v[0], 100 * (kPi - 2 * std::asin(0.9)) / (2 * kPi), 1e-8);
  const RunResult mod = Ready(pushed_mass("if(mod(t, 0.02) < 0.001, 1000, 0)")).run(1);
  EXPECT_NEAR(mod.state.v[0], 50, 1e-7);
  const RunResult pulse = Ready(pushed_mass("if(t > 0.3 and t <= 0.3001, 1e4, 0)")).run(1);
  EXPECT_EQ(pulse.statistics.restarts, 2);
  EXPECT_NEAR(pulse.state.v[0], 1, 1e-11);
  EXPECT_NEAR(pulse.state.q[0], 1e4 * (0.5 * 1e-8 + 1e-4 * 0.6999), 1e-9);
}

TEST(Edges, OfEqualTextsInTwoSubmodelsAreTwo) {
  const std::string text =
      "space: planar\n"
      "bodies: { left: { mass: 1, inertia: 1 }, right: { mass: 1, inertia: 1 } }\n"
      "states: { u: { derivative: 0, initial: 0.5 }, w: { derivative: 0, initial: 0.777 } }\n"
      "variables: { p: t - u, r: t - w }\n"
      "forces:\n"
      "  f: { type: point-force, at: left, force: ['if(p < 0, 1, 0)', 0] }\n"
      "  g: { type: point-force, at: right, force: ['if(r < 0, 1, 0)', 0] }\n";
  const RunResult result = Ready(text).run(1);
  EXPECT_EQ(result.statistics.restarts, 2);
  EXPECT_NEAR(result.state.v[0], 0.5, 1e-9);
  EXPECT_NEAR(result.state.v[3], 0.777, 1e-9);
}

std::string driven_slider(const std::string& motion) {
  return "space: planar\nbodies: { b: { mass: 2, inertia: 1 } }\n"
         "joints: { rail: { type: translational, between: [ground, b] } }\n"
         "motions: { d: { joint: rail, " +
         motion + " } }\nsimulation: { t_end: 3 }\n";
}

TEST(Motions, WithPulsesAndCornersAreFollowedExactly) {
  struct Sample {
    std::string motion;
    double x, v;
    int restarts;
  };
  const std::vector<Sample> samples{
      {"acceleration: 'if(t < 0.777, 1, 0)'", 0.5 * 0.777 * 0.777 + 0.777 * 2.223, 0.777, 1},
      {"acceleration: 'if(t > 1 and t < 1.002, 50, 0)'", 50 * 0.5 * 4e-6 + 0.1 * 1.998, 0.1, 2},
      {"velocity: 'max(0, t - 1)'", 2, 2, 1},
      {"velocity: 'if(t < 1, 0, 2)'", 4, 2, 1},  // a blow
      {"travel: 'abs(t - 2)'", 1, 1, 1},
  };
  for (const Sample& sample : samples) {
    const Ready ready(driven_slider(sample.motion));
    for (const bool dynamic : {true, false}) {
      const RunResult result = dynamic ? ready.run(3) : ready.drive(3);
      ASSERT_EQ(result.status, RunStatus::kCompleted) << sample.motion << ": " << result.reason;
      EXPECT_NEAR(result.state.q[0], sample.x, 1e-9) << sample.motion;
      EXPECT_NEAR(result.state.v[0], sample.v, 1e-9) << sample.motion;
      if (dynamic) {
        EXPECT_EQ(result.statistics.restarts, sample.restarts) << sample.motion;
      }
    }
  }
}

TEST(Motions, ThatJumpAreRefused) {
  const Prepared prepared = prepare_text(driven_slider("travel: 'if(t < 0.5, 0, 0.2)'"));
  EXPECT_FALSE(prepared.ok);
  EXPECT_NE(prepared.message.find("motion 'd' jumps from 0 to 0.2 at t = 0.5"), std::string::npos) << prepared.message;
}

TEST(Edges, ThatChatterEndTheRunWithAReason) {
  const std::string text =
      "space: planar\nbodies: { a: { mass: 1, inertia: 1, velocity: [1, 0] } }\n"
      "forces: { f: { type: point-force, at: a, force: ['-5*sign(a.vx)', 0] } }\n";
  const RunResult result = Ready(text).run(1);
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_NE(result.reason.find("chatters"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("a.vx"), std::string::npos) << result.reason;
  EXPECT_NEAR(result.state.t, 0.2, 1e-3);
}

// --- events ---------------------------------------------------------------------------------------------------------

std::string falling(const std::string& events) {
  return "space: planar\ngravity: [0, -10]\n"
         "bodies: { a: { mass: 1, inertia: 1, position: [0, 1.25] } }\nevents: { " +
         events + " }\n";
}

TEST(ModelEvents, HappenAtTheirThreshold) {
  const RunResult level = Ready(falling("hit: { when: a.y, threshold: 0.45, then: stop }")).run(2);
  EXPECT_EQ(level.status, RunStatus::kStopped);
  EXPECT_NEAR(level.state.t, 0.4, 1e-9);
  EXPECT_NEAR(Ready(falling("hit: { when: t, threshold: 0.3, then: stop }")).run(2).state.t, 0.3, 1e-9);
}

TEST(ModelEvents, OfConditionsHappenWhenTheyBecomeTrue) {
  const RunResult both = Ready(falling("e: { when: 'a.y < 0.45 and t > 0.1', then: stop }")).run(2);
  EXPECT_EQ(both.status, RunStatus::kStopped);
  EXPECT_NEAR(both.state.t, 0.4, 1e-9);
  const RunResult reported = Ready(falling("e: { when: a.y > 0.45 }")).run(2);
  EXPECT_TRUE(reported.events.empty());
  const RunResult falls = Ready(falling("e: { when: a.y > 0.45, direction: falling }")).run(2);
  ASSERT_EQ(falls.events.size(), 1u);
  EXPECT_NEAR(falls.events[0].t, 0.4, 1e-9);
}

TEST(ModelEvents, MayBeCausedByOthers) {
  const std::string text =
      "space: planar\ngravity: [0, -9.81]\n"
      "bodies: { bob: { mass: 1, inertia: 0.1, centre_of_mass: [1, 0] } }\n"
      "joints: { hinge: { type: revolute, between: [ground, bob], initial: { angle: 0 } } }\n"
      "states: { swings: { derivative: 0 } }\n"
      "events:\n"
      "  low: { when: hinge.angle, threshold: -90 deg, then: { set: { swings: swings + 1 } } }\n"
      "  end: { when: swings >= 3, then: stop }\n";
  const RunResult result = Ready(text).run(100);
  EXPECT_EQ(result.stop_reason, StopReason::kEvent);
  ASSERT_EQ(result.events.size(), 4u);
  EXPECT_EQ(result.events[3].name, "end");
  EXPECT_EQ(result.events[3].t, result.events[2].t);
  EXPECT_EQ(result.state.x[0], 3);
  EXPECT_NEAR(result.events[1].t - result.events[0].t, 2 * result.events[0].t, 1e-6);
}

// --- starts that must be refused ------------------------------------------------------------------------------------

std::string flat_bars(const std::string& more) {
  return "space: planar\ngravity: [0, -9.81]\n"
         "bodies:\n"
         "  b: { mass: 1, inertia: 0.1, position: [2, 0], markers: { l: [-1, 0], r: [1, 0] } }\n"
         "  c: { mass: 1, inertia: 0.1, position: [2.5, 0], markers: { l: [-0.5, 0], r: [0.5, 0] } }\n" +
         more;
}

TEST(SingularStart, OfARigidFoldedFrameIsRefused) {
  const Prepared prepared =
      prepare_text(flat_bars("joints:\n"
                             "  j2: { type: revolute, between: [{ body: ground, position: [1, 0] }, b.l] }\n"
                             "  j3: { type: revolute, between: [b.r, c.r] }\n"
                             "  j4: { type: revolute, between: [{ body: ground, position: [2, 0] }, c.l] }\n"));
  EXPECT_FALSE(prepared.ok);
  EXPECT_TRUE(prepared.mobility.is_singular_start);
  EXPECT_NE(prepared.message.find("revolute 'j4'"), std::string::npos) << prepared.message;
}

TEST(SingularStart, OfADrivenFlatLinkageIsRefused) {
  const Prepared prepared = prepare_text(
      flat_bars("  a: { mass: 1, inertia: 0.1, position: [0.5, 0], markers: { l: [-0.5, 0], r: [0.5, 0] } }\n"
                "joints:\n"
                "  j1: { type: revolute, between: [ground, a.l] }\n"
                "  j2: { type: revolute, between: [a.r, b.l] }\n"
                "  j3: { type: revolute, between: [b.r, c.r] }\n"
                "  j4: { type: revolute, between: [{ body: ground, position: [2, 0] }, c.l] }\n"
                "motions: { m: { joint: j1, angle: 0.5*t^2 } }\n"));
  EXPECT_FALSE(prepared.ok);
  EXPECT_TRUE(prepared.mobility.is_singular_start);
}

TEST(Motions, OnWhatIsDeterminedAlreadyAreRefused) {
  const std::string pendulum =
      "space: planar\nbodies: { a: { mass: 2, inertia: 0.5, markers: { tip: [1, 0] } } }\n"
      "joints: { j: { type: revolute, between: [ground, a] } }\n";
  for (const char* motions : {"m: { joint: j, angle: t }, n: { joint: j, angle: t + t^3 }",
                              "m: { joint: j, velocity: t }, n: { joint: j, velocity: t^2 }",
                              "m: { joint: j, acceleration: t }, n: { marker: a.tip, y: t^3/6 }"}) {
    const Prepared prepared = prepare_text(pendulum + "motions: { " + motions + " }\n");
    EXPECT_FALSE(prepared.ok) << motions;
    EXPECT_NE(prepared.message.find("motion 'n'"), std::string::npos) << prepared.message;
  }
}

TEST(ImpliedConstraints, ThatOpenEndTheRun) {
  // Told, wrongly, that the second point of a hinge at rest above its first is implied.
  auto model = std::make_shared<const model::Model>(
      io::read("space: planar\nbodies: { a: { mass: 1, inertia: 1, velocity: [0.5, 0] } }\n"
               "joints: { j: { type: revolute, between: [ground, a] } }\n"));
  system::CompileOptions options;
  options.constraints.implied = {"revolute 'j': translation along x"};
  const system::Mechanism mechanism(model, options);
  EXPECT_EQ(mechanism.structure().m(), 1);
  ASSERT_EQ(mechanism.structure().implied_names.size(), 1u);
  const RunResult result = integrators::integrate(mechanism, mechanism.given_state(), 1, Options::with_tolerance(1e-6));
  EXPECT_EQ(result.status, RunStatus::kFailed);
  EXPECT_NE(result.reason.find("revolute 'j': translation along x is open by"), std::string::npos) << result.reason;
  EXPECT_LT(result.state.t, 0.5);
}

// --- turns ----------------------------------------------------------------------------------------------------------

std::string wheel(const std::string& space, const std::string& more) {
  const std::string inertia = space == "planar" ? "1" : "[1, 1, 1]";
  return "space: " + space + "\nbodies: { a: { mass: 1, inertia: " + inertia + " } }\n" + more;
}

TEST(Turns, OfTheStartCount) {
  for (const char* space : {"planar", "spatial"}) {
    // A spring that is free where the wheel starts, beyond half a turn.
    for (const double angle : {200 * kPi / 180, 7.0, -40.0}) {
      const std::string value = fmt::format("{:.17g}", angle);
      const Ready rest(wheel(
          space, "joints: { j: { type: revolute, between: [ground, a], initial: { angle: " + value +
                     " } } }\nforces: { s: { type: torsion-spring, joint: j, stiffness: 20, free_angle: " + value +
                     " } }\n"));
      const RunResult result = rest.run(1);
      EXPECT_NEAR(rest.coordinate(result.state, 0), angle, 1e-9) << space;
      EXPECT_LT(result.state.v.norm(), 1e-9) << space;
    }
    // A drive against a spring.
    const Ready driven(wheel(space,
                             "joints: { j: { type: revolute, between: [ground, a] } }\n"
                             "motions: { m: { joint: j, angle: 4 + 3*t } }\n"
                             "forces: { s: { type: torsion-spring, joint: j, stiffness: 2 } }\n"));
    EXPECT_NEAR(driven.coordinate(driven.prepared.start, 0), 4, 1e-12) << space;
    for (const RunResult& result : {driven.run(5), driven.drive(5)}) {
      ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
      EXPECT_NEAR(driven.coordinate(result.state, 0), 19, 1e-8) << space;
      EXPECT_NEAR(driven.drive_force(result.state), 38, 1e-6) << space;
    }
  }
}

TEST(Turns, OfBodiesThatStandSomewhereFollowTheJoint) {
  const Ready ready(
      "space: planar\nbodies: { a: { mass: 1, inertia: 1, position: [0, 0], angle: 0.5 } }\n"
      "joints: { j: { type: revolute, between: [ground, a], initial: { angle: 6.7831853071795865 } } }\n");
  EXPECT_NEAR(ready.coordinate(ready.prepared.start, 0), 0.5 + 2 * kPi, 1e-12);
}

TEST(Turns, OfGearsCountInEveryAnalysisAndForm) {
  const std::string text =
      "space: spatial\n"
      "bodies: { a: { mass: 1, inertia: [1, 1, 1] }, b: { mass: 1, inertia: [1, 1, 1], position: [1, 0, 0] } }\n"
      "joints:\n"
      "  p: { type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], initial: { angle: 9 } }\n"
      "  r: { type: revolute, between: [ground, b], at: [1, 0, 0], axis: [0, 1, 0] }\n"
      "  mesh: { type: gear, of: [p, r], ratio: 0.7 }\n";
  const Ready free(text +
                   "forces: { s: { type: torsion-spring, joint: p, stiffness: 1, free_angle: 30, damping: 1 } }\n");
  EXPECT_NEAR(free.coordinate(free.prepared.start, 0), 9, 1e-12);
  const double offset = free.coordinate(free.prepared.start, 1) - 0.7 * 9;
  const StaticsResult rest = find_equilibrium(*free.prepared.mechanism, free.prepared.start);
  ASSERT_TRUE(rest.ok) << rest.message;
  EXPECT_EQ(rest.stability, Stability::kStable);
  EXPECT_NEAR(free.coordinate(rest.state, 0), 30, 1e-8);
  EXPECT_NEAR(free.coordinate(rest.state, 1), 0.7 * 30 + offset, 1e-8);

  const Ready driven(text + "motions: { m: { joint: p, velocity: 5 } }\n");
  for (const RunResult& result : {driven.run(4), driven.drive(4)}) {
    ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
    EXPECT_NEAR(driven.coordinate(result.state, 0), 29, 1e-8);
    EXPECT_NEAR(driven.coordinate(result.state, 1), 0.7 * 29 + offset, 1e-8);
  }

  const system::PlainForm plain(driven.prepared.mechanism, driven.prepared.mechanism->rotations());
  const RunResult result =
      integrators::integrate(plain, plain.to_plain(driven.prepared.start), 4, Options::with_tolerance(1e-9));
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_NEAR(driven.coordinate(plain.to_quasi(result.state), 1), 0.7 * 29 + offset, 1e-7);
}

// What only lists an angle must not change what is found.
TEST(Turns, ThatAreCountedDoNotDisturbStatics) {
  const std::string text =
      "space: spatial\ngravity: [0, -9.81, 0]\n"
      "bodies: { a: { mass: 1, inertia: [0.1, 0.1, 0.1], centre_of_mass: [1, 0, 0] } }\n"
      "joints: { j: { type: revolute, between: [ground, a], initial: { angle: -80 deg } } }\n";
  for (const char* more : {"", "outputs: { w: j.angle }\n"}) {
    const Ready ready(text + more);
    const StaticsResult rest = find_equilibrium(*ready.prepared.mechanism, ready.prepared.start);
    ASSERT_TRUE(rest.ok) << rest.message;
    EXPECT_EQ(rest.stability, Stability::kStable);
    EXPECT_EQ(rest.modes.size(), 1u);
    EXPECT_NEAR(ready.coordinate(rest.state, 0), -kPi / 2, 1e-8);
  }
}

}  // namespace
}  // namespace trammel::analyses
