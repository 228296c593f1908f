// Dry friction by the load of joints: rows that are switched off, derivatives in all modes, and runs that stick, slip
// and stay stuck at the times of closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "cases/case.h"
#include "cases/reference.h"
#include "trammel/analyses/form.h"
#include "trammel/analyses/linearise.h"
#include "trammel/analyses/model_events.h"
#include "trammel/analyses/prepare.h"
#include "trammel/analyses/statics.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/integrators/integrate.h"
#include "trammel/io/model_reader.h"
#include "trammel/kinematics/redundancy.h"
#include "trammel/kkt/solver.h"
#include "trammel/system/plain_form.h"
#include "trammel/system/probe.h"

namespace trammel {
namespace {

using linalg::Vector;

std::shared_ptr<const model::Model> read(const std::string& text) {
  return std::make_shared<const model::Model>(io::read_model_text(text, "test.yaml"));
}

struct Observed {
  integrators::RunResult result;
  std::vector<dae::State> states;
};

Observed run(const cases::Case& c, double t_end, const std::string& method, double tolerance) {
  integrators::Options options;
  options.method = method;
  options.rtol = options.atol = tolerance;
  options.output.kind = integrators::OutputKind::kUniform;
  options.output.interval = t_end / 400;
  Observed observed;
  integrators::Observers observers;
  observers.output = [&](const dae::State& state) { observed.states.push_back(state); };
  observed.result = integrators::integrate(*c.system, c.start, t_end, options, c.events, observers);
  return observed;
}

cases::Case prepare(const std::string& text, bool with_energy = false) {
  analyses::PrepareOptions options;
  options.with_energy_states = with_energy;
  return cases::make_case(analyses::prepare(read(text), options));
}

std::vector<std::string> names_of(const integrators::RunResult& result) {
  std::vector<std::string> names;
  for (const auto& event : result.events) names.push_back(event.name);
  return names;
}

// --- rows that are switched off
// -----------------------------------------------------------------------------------------

TEST(SwitchableRows, AreLeftOutByEveryBackEndThatTakesThem) {
  const linalg::Pattern M = linalg::Pattern::diagonal(3), G = linalg::Pattern::full(2, 3);
  const Vector mass = Vector{{2, 3, 4}};
  const Vector on = Vector{{1, 0, 0, 1, 1, 1}}, off = Vector{{1, 0, 0, 0, 1, 0}};
  const std::vector<int> rows{1};
  kkt::Layout layout;
  layout.upper = 3;
  layout.lower = 2;
  layout.blocks = {{&M}};
  layout.jacobian = &G;
  layout.switchable_rows = rows;
  layout.is_mass_only = true;
  for (const kkt::BackEnd back_end :
       {kkt::BackEnd::kDenseSymmetric, kkt::BackEnd::kDenseLu, kkt::BackEnd::kSparse, kkt::BackEnd::kAutomatic}) {
    kkt::Solver solver(layout, {.back_end = back_end});
    const std::array values{kkt::BlockValues{mass.data()}};
    for (const Vector* jacobian : {&on, &off, &on, &off}) {
      ASSERT_TRUE(solver.factor(values, jacobian->data()).ok) << to_string(back_end);
      EXPECT_EQ(solver.switched_off()[0], jacobian == &off);
      Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(5, 5);
      whole.topLeftCorner(3, 3) = mass.asDiagonal();
      whole.bottomLeftCorner(2, 3) = G.to_dense(jacobian->data());
      whole.topRightCorner(3, 2) = G.to_dense(jacobian->data()).transpose();
      if (jacobian == &off) whole(4, 4) = 1;
      Vector x = Vector{{1, 2, 3, 4, 0}};
      const Vector expected = whole.fullPivLu().solve(x);
      solver.solve(x.head(3), x.tail(2));
      EXPECT_LT((x - expected).norm(), 1e-14) << to_string(back_end);
      if (jacobian == &off) {
        EXPECT_EQ(x[4], 0);
      }
    }
  }
  EXPECT_THROW(kkt::Solver(layout, {.back_end = kkt::BackEnd::kCholeskyQr}), std::invalid_argument);
}

// --- derivatives
// --------------------------------------------------------------------------------------------------------

constexpr const char* kPlanar = R"yaml(
space: planar
gravity: [0, -9.81]
bodies:
  sled: { mass: 2, inertia: 0.3, centre_of_mass: [0.1, 0.05] }
  arm: { mass: 1, inertia: 0.1, centre_of_mass: [0.3, -0.1], position: [0.2, 0.1] }
joints:
  way: { type: translational, between: [{ body: ground, angle: 0.3 }, { body: sled, angle: 0.3, position: [0.1, 0.2] }] }
  pin: { type: revolute, between: [{ body: sled, position: [0.2, 0.1] }, arm] }
forces:
  slide: { type: dry-friction, joint: way, mu: 0.3, static: 0.5, length: 0.4, preload: 5, viscous: 0.7 }
  bearing: { type: dry-friction, joint: pin, mu: 0.2, radius: 0.1, preload: 3, viscous: 0.2 }
)yaml";
constexpr const char* kSpatial = R"yaml(
gravity: [1, 2, -9.81]
bodies:
  sled: { mass: 2, inertia: [0.3, 0.4, 0.5], centre_of_mass: [0.1, 0.05, -0.1] }
  arm: { mass: 1, inertia: [0.1, 0.12, 0.15], centre_of_mass: [0.3, -0.1, 0.2] }
joints:
  way: { type: translational, between: [ground, sled], at: [0.1, 0.2, 0.3], axis: [1, 0.3, 0.2] }
  pin: { type: revolute, between: [sled, arm], at: [0.2, 0.1, 0], axis: [0.1, 1, 0.3] }
forces:
  slide: { type: dry-friction, joint: way, mu: 0.3, static: 0.5, length: 0.4, preload: 5, viscous: 0.7 }
  bearing: { type: dry-friction, joint: pin, mu: 0.2, radius: 0.1, thrust_radius: 0.15, length: 0.2, viscous: 0.2 }
)yaml";

TEST(DryFriction, HasRightDerivativesInAllModesAndForms) {
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const char* text : {kPlanar, kSpatial}) {
    const auto mechanism = std::make_shared<const system::Mechanism>(read(text));
    EXPECT_GT(mechanism->structure().pattern(dae::Derivative::kForceByLambda).size(), 0);
    for (const auto& [first, second] : {std::pair{1, -1}, {-1, 1}, {0, 1}, {0, 0}, {2, 3}, {-2, 0}}) {
      dae::State state = mechanism->given_state();
      const Vector delta = Vector::NullaryExpr(mechanism->structure().n_v(), [&] { return 0.4 * uniform(generator); });
      const Vector q = state.q;
      mechanism->retract(q, delta, state.q);
      for (double& v : state.v) v = uniform(generator);
      for (double& a : state.a) a = uniform(generator);
      for (double& lambda : state.lambda) lambda = 20 * uniform(generator);
      state.x[0] = first;
      state.x[1] = 0.1;
      state.x[2] = second;
      state.x[3] = -0.2;
      const dae::DerivativeReport report = dae::check_derivatives(*mechanism, state);
      EXPECT_TRUE(report.is_right()) << first << ' ' << second << '\n' << to_string(report);
      if (mechanism->bodies().is_planar()) continue;
      const system::PlainForm plain(mechanism, mechanism->rotations());
      const dae::DerivativeReport lifted = dae::check_derivatives(plain, plain.to_plain(state));
      EXPECT_TRUE(lifted.is_right()) << first << ' ' << second << '\n' << to_string(lifted);
    }
  }
}

TEST(DryFriction, LoadOfASpatialBearingIsThatOfItsReaction) {
  const auto mechanism = std::make_shared<const system::Mechanism>(read(kSpatial));
  dae::State state = mechanism->given_state();
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& lambda : state.lambda) lambda = 10 * uniform(generator);
  system::Probe probe(*mechanism);
  probe.set(state);
  const system::Wrench reaction = probe.calc_reaction(1);
  const Eigen::Vector3d axis = Eigen::Vector3d(0.1, 1, 0.3).normalized(), F = reaction.head<3>(),
                        M = reaction.tail<3>();
  const double thrust = F.dot(axis), bend = M.dot(axis);
  const double expected =
      0.1 * (F - thrust * axis).norm() + 0.15 * std::abs(thrust) + 0.1 * 2 / 0.2 * (M - bend * axis).norm();
  EXPECT_NEAR(probe.calc_friction_load(1), expected, 1e-12 * expected);
}

// --- runs
// ---------------------------------------------------------------------------------------------------------------

struct Tried {
  const char* method;
  double tolerance, error;  // of the run, and of times of events [s]
};
constexpr Tried kTried[] = {{"projection", 1e-9, 1e-7},
                            {"mexx", 1e-9, 1e-7},
                            {"herk", 1e-9, 1e-6},
                            {"hht", 1e-7, 1e-4},
                            {"bdf-i3", 1e-8, 1e-5}};

void expect_events(const integrators::RunResult& result, const std::vector<integrators::EventRecord>& expected,
                   double error) {
  ASSERT_TRUE(result.ok()) << result.reason;
  ASSERT_EQ(result.events.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    EXPECT_EQ(result.events[k].name, expected[k].name);
    EXPECT_NEAR(result.events[k].t, expected[k].t, error) << expected[k].name;
  }
}

TEST(DryFriction, ABlockOnABeltSticksAndSlipsAtTheTimesOfTheClosedForm) {
  const double v = 0.2, k = 25, slip = 0.3 * 9.81 / k, stick = 0.5 * 9.81 / k, omega = 5;
  std::vector<integrators::EventRecord> expected;
  double t = 0, x = 0;
  for (;;) {
    t += (stick - x) / v;
    if (t > 10) break;
    expected.push_back({"sole slips", t});
    t += 2 * (std::numbers::pi - std::atan((stick - slip) * omega / v)) / omega;
    if (t > 10) break;
    expected.push_back({"sole sticks", t});
    x = 2 * slip - stick;
  }
  ASSERT_EQ(expected.size(), 12u);
  const cases::Case c = cases::build_case(*cases::find_case("belt-oscillator"));
  for (const Tried& tried : kTried) {
    SCOPED_TRACE(tried.method);
    const Observed observed = run(c, 10, tried.method, tried.tolerance);
    expect_events(observed.result, expected, 10 * tried.error);
    for (const dae::State& state : observed.states) {
      if (state.x[0] == 0) {
        EXPECT_NEAR(state.q[3] - state.q[0], state.x[1], 1e-12 * (1 + state.q[0]));
      }
      if (state.x[0] != 0) {
        EXPECT_EQ(state.lambda[c.system->structure().switchable_rows[0]], 0);
      }
    }
  }
}

TEST(DryFriction, CasesReachTheirReferences) {
  for (const char* name : {"incline-block", "belt-oscillator", "brake"}) {
    const cases::Reference reference = cases::load_reference(std::filesystem::path(TRAMMEL_SOURCE_DIR) /
                                                             "cases/reference" / (std::string(name) + ".json"));
    const cases::Case c = cases::build_case(*cases::find_case(name));
    const dae::Structure& s = c.system->structure();
    for (const Tried& tried : kTried) {
      for (const cases::ReferencePoint& point : reference.points) {
        if (point.t == 0) continue;
        const Observed observed = run(c, point.t, tried.method, tried.tolerance);
        ASSERT_TRUE(observed.result.ok()) << observed.result.reason;
        const dae::State expected = cases::to_state(s, point);
        EXPECT_LT((observed.result.state.q - expected.q).cwiseAbs().maxCoeff(), 20 * tried.error)
            << name << ' ' << tried.method << " t = " << point.t;
        EXPECT_EQ(observed.result.state.x[0], expected.x[0]) << name << ' ' << tried.method << " t = " << point.t;
      }
    }
  }
}

TEST(DryFriction, WhatSticksStaysWhereItIs) {
  // The pull stays below the limit for a long time, on a platform that shakes; then friction must hold all the same.
  const cases::Case c = prepare(R"yaml(
space: planar
gravity: [0, -9.81]
bodies:
  platform: { mass: 5, inertia: 1 }
  block: { mass: 2, inertia: 0.1, angle: 0.2 }
joints:
  guide: { type: translational, between: [ground, platform] }
  slope: { type: translational, between: [{ body: platform, angle: 0.2 }, block] }
motions: { shaker: { joint: guide, travel: "0.05*(1 - cos(3*t))"
}
}
forces:
  rope: { type: joint-force, joint: slope, force: "3*sin(7*t)" }
  sole: { type: dry-friction, joint: slope, mu: 0.6 }
)yaml");
  for (const Tried& tried : kTried) {
    SCOPED_TRACE(tried.method);
    const Observed observed = run(c, 60, tried.method, 1e-5);
    ASSERT_TRUE(observed.result.ok()) << observed.result.reason;
    EXPECT_TRUE(observed.result.events.empty());
    for (const dae::State& state : observed.states) {
      const double travel = (state.q[3] - state.q[0]) * std::cos(0.2) + (state.q[4] - state.q[1]) * std::sin(0.2);
      EXPECT_NEAR(travel, 0, 1e-12);
    }
  }
}

TEST(DryFriction, TakesOutTheEnergyThatIsMissing) {
  analyses::PrepareOptions options;
  options.with_energy_states = true;
  for (const char* name : {"incline-block", "belt-oscillator", "brake"}) {
    const cases::Case c = cases::make_case(
        analyses::prepare(std::make_shared<const model::Model>(cases::build_model(*cases::find_case(name))), options));
    const Observed observed = run(c, c.t_end, "projection", 1e-9);
    ASSERT_TRUE(observed.result.ok()) << observed.result.reason;
    const int energy = c.mechanism->energy_states();
    const Vector& x = observed.result.state.x;
    EXPECT_GT(x[energy], 0.1) << name;
    EXPECT_NEAR(*observed.result.final_energy + x[energy] - x[energy + 1], *observed.result.initial_energy,
                1e-6 * (1 + x[energy]))
        << name;
  }
}

constexpr const char* kFourBar = R"yaml(
space: planar
gravity: [0, -9.81]
bodies:
  crank: { mass: 1, inertia: 0.02, centre_of_mass: [0.1, 0], position: [0, 0], angle: 1.2, angular_velocity: 8 }
  coupler: { mass: 2, inertia: 0.1, centre_of_mass: [0.3, 0], position: [0.0725, 0.1864], angle: 0.3 }
  rocker: { mass: 1.5, inertia: 0.05, centre_of_mass: [0.2, 0], position: [0.5, 0], angle: 1.5 }
joints:
  a: { type: revolute, between: [ground, crank] }
  b: { type: revolute, between: [{ body: crank, position: [0.2, 0] }, coupler] }
  c: { type: revolute, between: [{ body: coupler, position: [0.6, 0] }, { body: rocker, position: [0.4, 0] }] }
  d: { type: revolute, between: [{ body: ground, position: [0.5, 0] }, rocker] }
forces:
  fa: { type: dry-friction, joint: a, mu: 0.3, static: 0.35, radius: 0.05 }
  fb: { type: dry-friction, joint: b, mu: 0.3, static: 0.35, radius: 0.05 }
  fc: { type: dry-friction, joint: c, mu: 0.3, static: 0.35, radius: 0.05 }
  fd: { type: dry-friction, joint: d, mu: 0.3, static: 0.35, radius: 0.05 }
)yaml";

TEST(DryFriction, ALoopWithFrictionInEveryJointComesToRestAtOnce) {
  const cases::Case c = prepare(kFourBar);
  for (const char* method : {"projection", "mexx", "hht"}) {
    SCOPED_TRACE(method);
    const Observed observed = run(c, 20, method, 1e-7);
    ASSERT_TRUE(observed.result.ok()) << observed.result.reason;
    // All joints rest at the end, one lock holds, and nothing happened for the last seconds.
    int locks = 0;
    for (int k = 0; k < 8; k += 2) {
      const auto mode = system::to_friction_mode(observed.result.state.x[k]);
      EXPECT_FALSE(system::is_slipping(mode));
      locks += mode == system::FrictionMode::kStuck ? 1 : 0;
    }
    EXPECT_EQ(locks, 1);
    EXPECT_LT(observed.result.state.v.cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_EQ(observed.result.events.size(), 20u) << "turns of single joints, of all, and rest; no chatter";
    EXPECT_LT(observed.result.events.back().t, 15);
    const dae::State& last = observed.states.back();
    for (const dae::State& state : observed.states) {
      if (state.t > 15) {
        EXPECT_LT((state.q - last.q).cwiseAbs().maxCoeff(), 1e-12);
      }
    }
  }
}

TEST(DryFriction, StartsByTheLoadWhereNothingMoves) {
  const auto mode_after = [](double pull) {
    const cases::Case c = cases::build_case(*cases::find_case("incline-block"), {{"pull", pull}, {"alpha", 0.4}});
    return run(c, 1e-3, "projection", 1e-8).result.state.x[0];
  };
  EXPECT_EQ(mode_after(0), 0) << "tan 0.4 is below 0.6";
  const auto steep = [](double alpha) {
    const cases::Case c = cases::build_case(*cases::find_case("incline-block"), {{"alpha", alpha}});
    return run(c, 1e-3, "projection", 1e-8).result.state.x[0];
  };
  EXPECT_EQ(steep(0.6), -1) << "tan 0.6 is above 0.6: down at once";
  EXPECT_EQ(steep(-0.6), 1);
}

TEST(DryFriction, AShortPushAfterALongRestIsNotSteppedOver) {
  const cases::Case c = prepare(R"yaml(
space: planar
gravity: [0, -10]
bodies: { block: { mass: 1, inertia: 0.1 } }
joints: { way: { type: translational, between: [ground, block] } }
forces:
  push: { type: joint-force, joint: way, force: "10*exp(-((t - 5)/0.05)^2)" }
  sole: { type: dry-friction, joint: way, mu: 0.2, static: 0.3 }
)yaml");
  // It slips when the push exceeds 3 N, and until its impulse is used up by 2 N of friction.
  const double reach = std::sqrt(std::log(10.0 / 3)), begin = 5 - 0.05 * reach;
  const double end = begin + 0.5 * 0.05 * 10 * 0.5 * std::sqrt(std::numbers::pi) * (1 + std::erf(reach));
  for (const char* method : {"projection", "mexx", "herk"}) {
    SCOPED_TRACE(method);
    expect_events(run(c, 10, method, 1e-8).result, {{"sole slips", begin}, {"sole sticks", end}}, 1e-6);
  }
}

TEST(DryFriction, OfADrivenJointThatRestsInBetweenTurnsWhenTheMotionDoes) {
  const cases::Case c = prepare(R"yaml(
space: planar
gravity: [0, -9.81]
bodies: { block: { mass: 2, inertia: 0.1 } }
joints: { way: { type: translational, between: [ground, block] } }
motions: { drive: { joint: way, travel: "step(t, 1, 0, 2, 0.1) - step(t, 3, 0, 4, 0.1)" } }
forces: { sole: { type: dry-friction, joint: way, mu: 0.2, static: 0.3 } }
)yaml");
  for (const char* method : {"projection", "mexx"}) {
    SCOPED_TRACE(method);
    // The rate leaves zero quadratically: it is seen at 1e-6, the limit of what counts as held.
    expect_events(run(c, 5, method, 1e-8).result, {{"sole slips", 1}, {"sole reverses", 3}}, 2e-3);
  }
}

TEST(DryFriction, OfZeroIsNone) {
  const cases::Case c = cases::build_case(*cases::find_case("belt-oscillator"), {{"mu", 0}, {"static", 0}});
  for (const char* method : {"projection", "mexx"}) {
    SCOPED_TRACE(method);
    const Observed observed = run(c, 10, method, 1e-8);
    ASSERT_TRUE(observed.result.ok()) << observed.result.reason;
    EXPECT_TRUE(observed.result.events.empty());
    // 1 kg on 25 N/m, started with 0.2 m/s.
    EXPECT_NEAR(observed.result.state.q[3], 0.04 * std::sin(5 * 10.0), 1e-6);
  }
}

TEST(DryFriction, OfADrivenJointFollowsTheMotion) {
  const cases::Case c = prepare(R"yaml(
space: planar
gravity: [0, -9.81]
bodies: { block: { mass: 2, inertia: 0.1 } }
joints: { way: { type: translational, between: [ground, block] } }
motions: { drive: { joint: way, travel: "sin(t)"
}
}
forces: { sole: { type: dry-friction, joint: way, mu: 0.5 } }
)yaml");
  const Observed observed = run(c, 10, "projection", 1e-8);
  ASSERT_TRUE(observed.result.ok()) << observed.result.reason;
  EXPECT_EQ(names_of(observed.result), (std::vector<std::string>(3, "sole reverses")));
  for (std::size_t k = 0; k < observed.result.events.size(); ++k) {
    EXPECT_NEAR(observed.result.events[k].t, (static_cast<double>(k) + 0.5) * std::numbers::pi, 1e-7);
  }
}

TEST(DryFriction, IsSeenAsNoConstraintByChecksAndIsRefusedByAnalysesWithoutTime) {
  const analyses::Prepared prepared = analyses::prepare(read(kFourBar));
  ASSERT_TRUE(prepared.ok) << prepared.message;
  EXPECT_EQ(prepared.mobility.degrees_of_freedom, 1);
  EXPECT_TRUE(prepared.mobility.redundant.empty());
  dae::Evaluation evaluation(*prepared.mechanism);
  evaluation.set(prepared.start);
  EXPECT_TRUE(kinematics::find_redundancy(evaluation).redundant.empty());
  EXPECT_FALSE(analyses::find_equilibrium(*prepared.mechanism, prepared.start).ok);
  analyses::PrepareOptions without;
  without.with_dry_friction = false;
  const analyses::Prepared smooth = analyses::prepare(read(kFourBar), without);
  EXPECT_FALSE(smooth.warnings.empty());
  EXPECT_TRUE(analyses::find_equilibrium(*smooth.mechanism, smooth.start).ok);
}

TEST(DryFriction, NeedsTheEventsThatSwitchIt) {
  const cases::Case c = cases::build_case(*cases::find_case("brake"));
  integrators::Options options;
  const integrators::RunResult result = integrators::integrate(*c.system, c.start, 1, options);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.reason.find("make_events"), std::string::npos) << result.reason;
}

TEST(DryFriction, RunsInSpaceInBothForms) {
  const cases::Case c = prepare(R"yaml(
gravity: [0, 0, -9.81]
bodies:
  arm: { mass: 3, inertia: [0.2, 0.2, 0.02], centre_of_mass: [0, 0, -0.4], angular_velocity: [0, 9, 0] }
joints: { pin: { type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0] } }
forces: { brake: { type: dry-friction, joint: pin, mu: 0.4, static: 0.5, radius: 0.08, preload: 60 } }
)yaml");
  const cases::Case planar = cases::build_case(*cases::find_case("brake"));
  const Observed expected = run(planar, 6, "projection", 1e-9);
  ASSERT_TRUE(expected.result.ok());
  const Observed observed = run(c, 6, "projection", 1e-9);
  expect_events(observed.result, expected.result.events, 1e-6);
  const analyses::Form form = analyses::choose_form(c.mechanism, c.start, *integrators::find_method("bdf-i3"));
  ASSERT_TRUE(form.plain);
  integrators::Options options;
  options.method = "bdf-i3";
  options.rtol = options.atol = 1e-8;
  const integrators::RunResult plain = integrators::integrate(*form.plain, form.from_quasi(c.start), 6, options,
                                                              analyses::events_in_form(c.events, form));
  expect_events(plain, expected.result.events, 1e-4);
}

}  // namespace
}  // namespace trammel
