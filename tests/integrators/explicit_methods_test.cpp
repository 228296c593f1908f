// What distinguishes the methods with explicit Runge-Kutta formulas: where constraints hold, and what drifts.

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/case.h"
#include "tests/support/problems.h"
#include "tests/support/systems.h"
#include "trammel/integrators/explicit/half_explicit_solver.h"

namespace trammel::testing {
namespace {

using integrators::integrate;
using integrators::MethodOptions;
using integrators::Options;
using integrators::RunResult;

RunResult run(const Problem& problem, double t_end, const std::string& method, const MethodOptions& settings = {},
              double tolerance = 1e-6) {
  Options options = Options::with_tolerance(tolerance);
  options.method = method;
  options.method_options = settings;
  RunResult result = integrate(*problem.system, problem.start, t_end, options);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  return result;
}

TEST(HalfExplicitSolver, ReactionsAreThoseOfTheStageAndConstraintsThoseOfTheNext) {
  const cases::Case c = cases::build_case(*cases::find_case("andrews"));
  dae::Evaluation here(*c.system), next(*c.system);
  const dae::Structure& s = c.system->structure();
  here.set(c.start);
  next.set_position(0.1, (c.start.q.array() + 0.05).matrix());
  integrators::HalfExplicitSolver solver(s);
  const linalg::Vector target = linalg::Vector::LinSpaced(s.m(), -1, 3);
  linalg::Vector a, lambda;
  ASSERT_EQ(solver.solve(here, next.jacobian(), target, a, lambda), kkt::AccelerationStatus::kSolved);
  linalg::Vector balance = here.force(), rate = -target;
  s.mass.add_product(here.mass(), a, -1, balance);
  s.jacobian.add_transposed_product(here.jacobian(), lambda, -1, balance);
  s.jacobian.add_product(next.jacobian(), a, 1, rate);
  EXPECT_LT(linalg::largest_abs(balance), 1e-12 * (1 + linalg::largest_abs(lambda)));
  EXPECT_LT(linalg::largest_abs(rate), 1e-12 * (1 + linalg::largest_abs(a)));
  EXPECT_EQ(here.point().a, a);
  EXPECT_EQ(here.point().lambda, lambda);
}

TEST(HalfExplicit, KeepsVelocityConstraintsToRoundOffWithoutProjectingThem) {
  for (const char* project : {"yes", "no"}) {
    const RunResult result = run(smooth_problem("pendulum"), 20, "herk", {{"project", project}});
    EXPECT_LT(result.drift.velocity, 1e-13) << project;
  }
}

TEST(HalfExplicit, PositionsDriftOnlyWithoutProjection) {
  const RunResult kept = run(smooth_problem("pendulum"), 100, "herk");
  const RunResult bare = run(smooth_problem("pendulum"), 100, "herk", {{"project", "no"}});
  EXPECT_LT(kept.drift.position, 1e-8);
  EXPECT_GT(bare.drift.position, 100 * kept.drift.position);
}

TEST(HalfExplicit, NeedsTheBiasOfAccelerationsOnceAStep) {
  const RunResult result = run(smooth_problem("pendulum"), 2, "herk");
  const auto& n = result.statistics;
  EXPECT_LE(n.evaluations.bias, n.steps + n.rejected_error + 10);
  EXPECT_GE(n.evaluations.force, 6 * n.steps);
}

TEST(HalfExplicit, ForcesMayDependOnReactions) {
  const cases::Case c = cases::build_case(*cases::find_case("cable-drum"));
  ASSERT_TRUE(c.system->structure().force_depends_on_lambda());
  Options options = Options::with_tolerance(1e-9);
  const RunResult expected = integrate(*c.system, c.start, c.t_end, options);
  options.method = "herk";
  const RunResult result = integrate(*c.system, c.start, c.t_end, options);
  ASSERT_TRUE(result.ok()) << result.reason;
  const Errors e = calc_errors(result.state, expected.state);
  EXPECT_LT(e.q, 1e-6 * (1 + linalg::largest_abs(expected.state.q)));
  EXPECT_LT(e.v, 1e-6 * (1 + linalg::largest_abs(expected.state.v)));
  EXPECT_LT(e.lambda, 1e-5 * (1 + linalg::largest_abs(expected.state.lambda)));
}

TEST(Baumgarte, HoldsTheDriftDownWhereTheBareFormulaLetsItGrow) {
  const Problem& problem = smooth_problem("pendulum");
  const double short_drift = run(problem, 20, "baumgarte").drift.position;
  const double long_drift = run(problem, 400, "baumgarte").drift.position;
  const double short_bare = run(problem, 20, "projection", {{"project", "no"}}).drift.position;
  const double long_bare = run(problem, 400, "projection", {{"project", "no"}}).drift.position;
  EXPECT_LT(long_drift, 2 * short_drift);
  EXPECT_LT(long_drift, 1e-5);
  EXPECT_GT(long_bare, 10 * short_bare);
  EXPECT_GT(long_bare, 100 * long_drift);
}

TEST(Baumgarte, LargerShareDampsFaster) {
  const Problem& problem = smooth_problem("pendulum");
  const double slow = run(problem, 50, "baumgarte", {{"c", "0.05"}}).drift.position;
  const double fast = run(problem, 50, "baumgarte", {{"c", "0.8"}}).drift.position;
  EXPECT_LT(fast, 0.5 * slow);
}

TEST(Baumgarte, LargeParametersMakeTheEquationsStiff) {
  const Problem& problem = smooth_problem("pendulum");
  const double alpha = 1e4;
  const RunResult free = run(problem, 2, "baumgarte"), stiff = run(problem, 2, "baumgarte", {{"alpha", "1e4"}});
  EXPECT_LT(free.statistics.steps, 200);
  // The real interval of stability of the formula ends at 3.31.
  EXPECT_GT(static_cast<double>(stiff.statistics.steps), 2 * alpha / 3.31 * 0.9);
}

TEST(Baumgarte, ViolationsOfVelocityConstraintsAreFedBackInNonholonomicRows) {
  const Problem& problem = smooth_problem("knife edge");
  ASSERT_LT(problem.system->structure().n_g, problem.system->structure().m());
  const double damped = run(problem, 300, "baumgarte").drift.velocity;
  const double bare = run(problem, 300, "projection", {{"project", "no"}}).drift.velocity;
  EXPECT_LT(damped, 0.1 * bare);
}

TEST(Baumgarte, RunsSayWhatTheStabilisationCannotDo) {
  const auto has_note = [](const RunResult& result, const char* text) {
    return std::any_of(result.notes.begin(), result.notes.end(),
                       [&](const std::string& note) { return note.find(text) != std::string::npos; });
  };
  EXPECT_TRUE(has_note(run(smooth_problem("pendulum"), 1, "baumgarte"), "beta = 0.5/h"));
  EXPECT_TRUE(has_note(run(smooth_problem("pendulum"), 1, "baumgarte", {{"beta", "7"}}), "alpha = 7 1/s"));
  EXPECT_TRUE(run(smooth_problem("pendulum"), 1, "projection").notes.empty());
}

}  // namespace
}  // namespace trammel::testing
