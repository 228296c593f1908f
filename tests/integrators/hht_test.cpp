// What hht and newmark promise beyond the conformance suite: figures of their iteration, reactions that do not ring,
// stiff systems, states in implicit form, a matrix that stays regular.

#include <gtest/gtest.h>

#include <cmath>

#include "cases/case.h"
#include "tests/support/problems.h"
#include "tests/support/systems.h"
#include "trammel/integrators/implicit/newmark_family.h"
#include "trammel/integrators/integrate.h"
#include "trammel/io/model_reader.h"

namespace trammel::integrators {
namespace {

using dae::State;
using trammel::testing::Problem;

Options hht(double tolerance, const MethodOptions& settings = {}) {
  Options options = Options::with_tolerance(tolerance);
  options.method = "hht";
  options.method_options = settings;
  return options;
}

cases::Case build(const std::string& name, const cases::ParameterValues& parameters = {}) {
  return cases::build_case(*cases::find_case(name), parameters);
}

long renewals(const RunResult& result) {
  long sum = 0;
  for (const long count : result.statistics.renewals) sum += count;
  return sum;
}

TEST(Hht, NeedsFewIterationsAndFewMatrices) {
  for (const auto& [name, t_end] : std::vector<std::pair<std::string, double>>{{"pendulum", 2}, {"andrews", 0.03}}) {
    const cases::Case c = build(name);
    for (const double tolerance : {1e-5, 1e-6, 1e-8}) {
      const RunResult result = integrate(*c.system, c.start, t_end, hht(tolerance));
      const Statistics& s = result.statistics;
      const auto steps = static_cast<double>(s.steps);
      SCOPED_TRACE(::testing::Message() << name << ", tolerance " << tolerance);
      EXPECT_LT(static_cast<double>(renewals(result)) / steps, tolerance > 1e-8 ? 0.3 : 0.05);
      if (tolerance > 1e-6) continue;
      EXPECT_LT(static_cast<double>(s.newton_iterations) / steps, tolerance > 1e-8 ? 2 : 1.3);
      EXPECT_LE(static_cast<double>(s.rejected_error), 0.05 * steps);
      EXPECT_EQ(s.rejected_convergence, 0);
    }
  }
}

TEST(Hht, APredictorThatLooksFartherSavesIterations) {
  const cases::Case c = build("andrews");
  long previous = 1L << 60;
  for (const char* degree : {"0", "1", "3"}) {
    const RunResult result = integrate(*c.system, c.start, 0.03, hht(1e-6, {{"predictor", degree}}));
    EXPECT_LT(result.statistics.newton_iterations, 0.9 * static_cast<double>(previous)) << "degree " << degree;
    previous = result.statistics.newton_iterations;
  }
}

TEST(Hht, AnOldMatrixChangesTheCostAndNotTheResult) {
  const cases::Case c = build("slider-crank", {{"driven", 0}});
  const auto run = [&](const char* newton) {
    Options options = hht(1e-9, {{"newton", newton}});
    options.h_fixed = 1e-3;
    RunResult result = integrate(*c.system, c.start, 1, options);
    EXPECT_TRUE(result.ok()) << result.reason;
    return result;
  };
  const RunResult kept = run("modified"), full = run("full"), quasi = run("quasi");
  // Newton's iteration leaves 1e-3 of the tolerance a step, and there are a thousand.
  EXPECT_LT(linalg::largest_abs(kept.state.q - full.state.q), 2e-8);
  EXPECT_LT(linalg::largest_abs(quasi.state.q - full.state.q), 2e-8);
  EXPECT_EQ(renewals(full), full.statistics.newton_iterations);
  EXPECT_LT(renewals(kept), kept.statistics.steps / 5);
}

TEST(Hht, ReactionsDoNotRing) {
  const Problem& problem = trammel::testing::smooth_problem("pendulum");
  const auto largest_error = [&](const char* alpha, const char* after_step) {
    Options options = hht(1e-5, {{"alpha", alpha}, {"after_step", after_step}});
    options.output.kind = OutputKind::kSteps;
    double largest = 0;
    Observers observers;
    observers.output = [&](const State& s) {
      largest = std::max(largest, trammel::testing::calc_errors(s, problem.solution(s.t)).lambda / 29.43);
    };
    EXPECT_TRUE(integrate(*problem.system, problem.start, 2, options, {}, observers).ok());
    return largest;
  };
  for (const char* alpha : {"-0.3", "-0.05", "0"}) {
    const double cured = largest_error(alpha, "project"), bare = largest_error(alpha, "nothing");
    EXPECT_LT(cured, 3e-3) << "of the order of the error of q, alpha = " << alpha;
    EXPECT_GT(bare, 5 * cured) << alpha;
  }
}

// Without damping and projection the bare scheme leaves the solution. It must not do so in silence.
TEST(Hht, ALargeFixedStepIsIteratedOn) {
  const cases::Case c = build("pendulum");
  Options options = hht(1e-8);
  options.h_fixed = 0.2;
  const RunResult result = integrate(*c.system, c.start, 1, options);
  EXPECT_EQ(result.status, RunStatus::kCompleted) << result.reason;
}

TEST(Hht, OptionsThatAreNoNumberAreRefused) {
  const cases::Case c = build("pendulum");
  for (const char* value : {"nan", "inf", "-1", "0.1"}) {
    EXPECT_EQ(integrate(*c.system, c.start, 1, hht(1e-6, {{"alpha", value}})).failure.cause,
              FailureCause::kInvalidInput);
  }
}

TEST(Hht, TheBareUndampedSchemeIsDoubted) {
  const cases::Case c = build("pendulum");
  const RunResult result = integrate(*c.system, c.start, 2, hht(1e-5, {{"alpha", "0"}, {"after_step", "nothing"}}));
  ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
    return note.find("velocities violated their constraints") != std::string::npos;
  }));
}

TEST(Hht, TheStiffDoublePendulumComesOutRightOrFailsAtEveryAlphaAndTolerance) {
  const cases::Case c = build("double-pendulum");
  Options tight = Options::with_tolerance(1e-10);
  const RunResult reference = integrate(*c.system, c.start, 2, tight);
  ASSERT_TRUE(reference.ok());
  for (const char* alpha : {"0", "-0.05", "-0.3", "-0.3333333"}) {
    for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      const RunResult result = integrate(*c.system, c.start, 2, hht(tolerance, {{"alpha", alpha}}));
      if (!result.ok()) {
        EXPECT_LT(tolerance, 1e-6) << result.reason;
        continue;
      }
      EXPECT_LT(linalg::largest_abs(result.state.q - reference.state.q), 10 * std::pow(tolerance, 2.0 / 3))
          << "alpha = " << alpha << ", tolerance " << tolerance;
    }
  }
}

TEST(Hht, ControlPerUnitStepMakesTheErrorProportionalToTheTolerance) {
  const Problem& problem = trammel::testing::smooth_problem("pendulum");
  double previous = 0;
  for (const double tolerance : {1e-4, 1e-5, 1e-6}) {
    const RunResult result =
        integrate(*problem.system, problem.start, 2, hht(tolerance, {{"control", "per-unit-step"}}));
    const double error = trammel::testing::calc_errors(result.state, problem.solution(2)).q;
    if (previous > 0) {
      EXPECT_NEAR(std::log10(previous / error), 1, 0.1) << tolerance;
    }
    previous = error;
  }
}

TEST(Hht, TakesThePapersWeightsAndItsFormulaForStates) {
  const Problem& problem = trammel::testing::smooth_problem("lagged actuator");
  for (const MethodOptions& settings : {MethodOptions{{"error", "paper"}}, MethodOptions{{"rho", "0.6"}},
                                        MethodOptions{{"error", "paper"}, {"rho", "0.6"}, {"after_step", "nothing"}}}) {
    double previous = 1;
    for (const double tolerance : {1e-4, 1e-6}) {
      const RunResult result = integrate(*problem.system, problem.start, 3, hht(tolerance, settings));
      ASSERT_TRUE(result.ok()) << result.reason;
      const trammel::testing::Errors e = trammel::testing::calc_errors(result.state, problem.solution(3));
      EXPECT_LT(std::max(e.q, e.x), 30 * std::sqrt(tolerance));
      EXPECT_LT(std::max(e.q, e.x), 0.3 * previous);
      previous = std::max(e.q, e.x);
    }
  }
}

// The work of the drive, whose rate is that of a reaction, is zero after a whole turn of the driven slider-crank.
TEST(Hht, StatesLedByReactionsAreOfSecondOrder) {
  const auto model = std::make_shared<const model::Model>(cases::build_model(*cases::find_case("slider-crank")));
  analyses::PrepareOptions with_energy;
  with_energy.with_energy_states = true;
  const cases::Case c = cases::make_case(analyses::prepare(model, with_energy));
  const auto work_after_a_turn = [&](double h) {
    Options options = hht(1e-8);
    options.h_fixed = h;
    const RunResult result = integrate(*c.system, c.start, 0.5, options);
    EXPECT_TRUE(result.ok()) << result.reason;
    return std::abs(result.state.x[result.state.x.size() - 1]);
  };
  const double coarse = work_after_a_turn(2e-3), fine = work_after_a_turn(1e-3);
  EXPECT_LT(fine, 1e-2);
  EXPECT_GT(std::log2(coarse / fine), 1.8);  // over a whole period it may be more
}

TEST(Hht, StatesInImplicitFormGiveTheSameMotion) {
  const trammel::testing::LaggedActuator implicit(0.5, dae::StateForm::kImplicit);
  const Eigen::Vector3d exact = implicit.solution(3);
  const RunResult result = integrate(implicit, implicit.start(), 3, hht(1e-8));
  ASSERT_TRUE(result.ok()) << result.reason;
  EXPECT_NEAR(result.state.q[0], exact[0], 1e-5);
  EXPECT_NEAR(result.state.x[0], exact[2], 1e-5);
}

// p = 0.3 w + c and w = sin t - 0.2 p refer to each other: 1.06 p = 0.3 sin t + c. The figures are those of an
// explicit integration of x'' = c + 0.1 p, 0.5 c' = -(c + x + x') with p eliminated by hand (DOP853, tolerance 1e-12).
TEST(Hht, VariablesThatReferToEachOtherAreSolvedWithTheMotion) {
  const std::string text = R"(
model: circle
space: planar
bodies: { mass: { mass: 1, inertia: 1, position: [1, 0] } }
joints: { guide: { type: translational, between: [ground, mass] } }
states: { c: { residual: 0.5*der(c) + c + mass.x + mass.vx, initial: 0 } }
variables: { p: 0.3*w + c, w: sin(t) - 0.2*p }
forces: { pull: { type: point-force, at: mass, force: [c + 0.1*p, 0] } }
)";
  const auto model = std::make_shared<const model::Model>(io::read_model_text(text, "circle"));
  const analyses::Prepared prepared = analyses::prepare(model);
  ASSERT_TRUE(prepared.ok) << prepared.message;
  const cases::Case c = cases::make_case(prepared);
  for (const char* method : {"hht", "newmark"}) {
    Options options = hht(1e-8);
    options.method = method;
    const RunResult result = integrate(*c.system, c.start, 3, options);
    ASSERT_TRUE(result.ok()) << result.reason;
    EXPECT_NEAR(result.state.q[0], -0.32605008, 5e-6) << method;
    EXPECT_NEAR(result.state.v[0], -0.19059735, 1e-5) << method;
    EXPECT_NEAR(result.state.x[0], 0.53598488, 1e-5) << method;
    EXPECT_LT(static_cast<double>(result.statistics.newton_iterations),
              2.5 * static_cast<double>(result.statistics.steps));
  }
}

// A disc on a torsion spring turns five times before the spring stops it.
TEST(Hht, ATorsionSpringCountsTheTurns) {
  const std::string text = R"(
model: wound up
bodies: { disc: { mass: 1, inertia: [1, 1, 2], angular_velocity: [0, 0, 30] } }
joints: { hinge: { type: revolute, between: [ground, disc] } }
forces: { spring: { type: torsion-spring, joint: hinge, stiffness: 2 } }
)";
  const auto model = std::make_shared<const model::Model>(io::read_model_text(text, "wound-up"));
  const analyses::Prepared prepared = analyses::prepare(model);
  ASSERT_TRUE(prepared.ok) << prepared.message;
  const cases::Case c = cases::make_case(prepared);
  const RunResult result = integrate(*c.system, c.start, 2, hht(1e-7));
  ASSERT_TRUE(result.ok()) << result.reason;
  EXPECT_NEAR(result.state.v[5], 30 * std::cos(2.0), 2e-3);  // omega = 30 cos t
}

TEST(Hht, TheMatrixStaysRegularAsTheStepGoesToZero) {
  const cases::Case c = build("andrews");
  double largest = 0, smallest = 1;
  for (const double h : {1e-3, 1e-5, 1e-7, 1e-9}) {
    dae::Evaluation evaluation(*c.system);
    kkt::AccelerationSolver accelerations(evaluation);
    kinematics::Projector projector(evaluation, accelerations);
    ErrorNorm norm(c.system->structure(), 1e-6, 1e-6);
    Statistics statistics;
    const MethodOptions none;
    const double horizon = 1;
    StepEquations equations({evaluation, accelerations, projector, norm, statistics, none, horizon}, norm, {});
    const linalg::Vector zero = linalg::Vector::Zero(c.system->structure().n_v());
    equations.set_begin(c.start);
    equations.set_known(h, zero, c.start.v, c.start.x);
    const double rcond = equations.calc_rcond({0.4 * h * h, 0.8 * h, 0.8 * h, 0.4});
    largest = std::max(largest, rcond);
    smallest = std::min(smallest, rcond);
  }
  EXPECT_GT(smallest, 0.5 * largest);
}

}  // namespace
}  // namespace trammel::integrators
