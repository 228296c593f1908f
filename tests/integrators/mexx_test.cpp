// The method mexx: what it counts, finds and refuses, on the problems of the MEXX report.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cases/case.h"
#include "cases/reference.h"
#include "tests/support/problems.h"
#include "tests/support/systems.h"
#include "trammel/analyses/joint_coordinates.h"
#include "trammel/integrators/extrapolation/order_control.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"

namespace trammel::integrators {
namespace {

cases::Case build(const std::string& name, const cases::ParameterValues& parameters = {}) {
  return cases::build_case(*cases::find_case(name), parameters);
}

Options mexx(double tolerance, const MethodOptions& settings = {}) {
  Options options = Options::with_tolerance(tolerance);
  options.method = "mexx";
  options.method_options = settings;
  return options;
}

/// With the first step of the report.
Options as_in_the_report(double tolerance, const MethodOptions& settings = {}) {
  Options options = mexx(tolerance, settings);
  options.h_initial = 1e-3;
  return options;
}

/// Evaluations of (M, G, g_t) by the rules of the report: small steps, and velocity projections with the first one.
long count_evaluations(const RunResult& run) { return run.statistics.substeps + run.statistics.steps + 1; }

cases::Reference load(const std::string& name) {
  return cases::load_reference(std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases" / "reference" / (name + ".json"));
}

/// The row at which a step ends whose error begins with `error` at row 2 and is divided by ten from row to row.
std::pair<int, OrderControl::Verdict> end_of_step(OrderControl& control, double error) {
  control.begin(0.1);
  for (int rows = 2;; ++rows, error /= 10) {
    const OrderControl::Verdict verdict = control.judge(rows, error);
    if (verdict != OrderControl::Verdict::kGoOn) return {rows, verdict};
  }
}

TEST(OrderControl, AStepEndsInAWindowOfRowsOrIsGivenUpAsSoonAsItWillNot) {
  OrderControl control({.rtol = 1e-6});
  ASSERT_EQ(control.rows(), 5);
  EXPECT_EQ(end_of_step(control, 500), std::pair(5, OrderControl::Verdict::kAccept));
  EXPECT_EQ(end_of_step(control, 5000), std::pair(4, OrderControl::Verdict::kReject)) << "50 cannot become 1 by row 6";
  EXPECT_EQ(end_of_step(control, 5), std::pair(3, OrderControl::Verdict::kAccept)) << "the first step may end early";

  OrderControl second({.rtol = 1e-6});
  end_of_step(second, 500);
  second.finish(5, true);                                // no longer the first
  const double scale = std::pow(10, second.rows() - 3);  // an error of 1 in the row before the target
  EXPECT_EQ(end_of_step(second, 0.5 * scale), std::pair(second.rows(), OrderControl::Verdict::kAccept));
  EXPECT_EQ(end_of_step(second, 0.05 * scale), std::pair(second.rows() - 1, OrderControl::Verdict::kAccept));
}

TEST(Mexx, FixedStepsHaveTheirRowsHoweverLargeTheErrors) {
  const testing::Problem& problem = testing::smooth_problem("pendulum");
  Options options = mexx(1e-6);
  options.h_fixed = problem.t_end / 25;
  std::vector<int> orders;
  Observers observers;
  observers.step = [&](const StepRecord& step) { orders.push_back(step.order); };
  const RunResult run = integrate(*problem.system, problem.start, problem.t_end, options, {}, observers);
  ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
  for (const int order : orders) EXPECT_GE(order, 3);
  EXPECT_LT(testing::calc_errors(run.state, problem.solution(problem.t_end)).q, 1e-3);
}

TEST(OrderControl, AHopelessStepIsGivenUpEarlyAndShrinks) {
  OrderControl control({.rtol = 1e-6});
  control.begin(0.1);
  for (int rows = 2; rows < control.rows() - 1; ++rows)
    EXPECT_EQ(control.judge(rows, 1e6), OrderControl::Verdict::kGoOn);
  const int last = control.rows() - 1;
  EXPECT_EQ(control.judge(last, 1e6), OrderControl::Verdict::kReject);
  control.finish(last, false);
  EXPECT_LT(control.next_step(), 0.05);
  EXPECT_GT(control.next_step(), 0);
}

TEST(OrderControl, NeitherZeroNorNotANumberBreaksIt) {
  for (const double error : {0.0, std::nan(""), HUGE_VAL}) {
    OrderControl control({.rtol = 1e-6});
    control.begin(0.1);
    int rows = 2;
    OrderControl::Verdict verdict = control.judge(rows, error);
    while (verdict == OrderControl::Verdict::kGoOn) verdict = control.judge(++rows, error);
    EXPECT_EQ(verdict == OrderControl::Verdict::kAccept, error == 0) << error;
    control.finish(rows, error == 0);
    EXPECT_TRUE(std::isfinite(control.next_step()) && control.next_step() > 0) << error;
    EXPECT_EQ(control.next_step() > 0.1, error == 0) << error;
  }
}

TEST(OrderControl, CheapRowsRaiseTheOrder) {
  // Errors as of a very smooth solution: rows gain a lot, so more of them pay.
  OrderControl control({.rtol = 1e-4});
  double h = 1e-3;
  const int first = control.rows();
  for (int step = 0; step < 20; ++step) {
    control.begin(h);
    int rows = 2;
    const auto error = [&] { return 1e4 * std::pow(h, rows); };
    OrderControl::Verdict verdict = control.judge(rows, error());
    while (verdict == OrderControl::Verdict::kGoOn) {
      ++rows;
      verdict = control.judge(rows, error());
    }
    control.finish(rows, verdict == OrderControl::Verdict::kAccept);
    h = control.next_step();
  }
  EXPECT_GE(control.rows(), first + 3);
}

/// A unit mass, pushed by a force that sets in within a thousandth of a second.
class LatePush final : public dae::ConstrainedSystem {
 public:
  LatePush() : ConstrainedSystem(dae::Structure::full({"x"})) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override {
    const double s = std::clamp((at.t - 1) / 1e-3, 0.0, 1.0);
    f[0] = 10 * s * s * (3 - 2 * s);
  }
};

TEST(Mexx, AForceThatSetsInAtTheEndOfAStepIsNotMissed) {
  const LatePush system;
  for (const char* accelerations : {"solved", "extrapolated"}) {
    for (const double tolerance : {1e-6, 1e-9}) {
      const RunResult run = integrate(system, dae::State::zero(system.structure()), 3,
                                      mexx(tolerance, {{"accelerations", accelerations}}));
      ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
      EXPECT_NEAR(run.state.v[0], 10 * (2 - 0.5e-3), 100 * tolerance) << accelerations << ' ' << tolerance;
    }
  }
}

TEST(Mexx, ALimitedOrderDoesNotCollapseTheSteps) {
  const cases::Case c = build("andrews");
  for (const char* order : {"3", "4", "5", "6"}) {
    const RunResult limited = integrate(*c.system, c.start, c.t_end, mexx(1e-6, {{"max_order", order}}));
    const RunResult fixed = integrate(*c.system, c.start, c.t_end, mexx(1e-6, {{"fixed_order", order}}));
    ASSERT_TRUE(limited.ok() && fixed.ok()) << order;
    // Giving up steps by the error of two rows took 30 to 200 times the steps of a fixed order; now it is at most 3.5.
    EXPECT_LT(limited.statistics.substeps, 5 * fixed.statistics.substeps) << order;
  }
}

TEST(Mexx, SevenBodiesTakeTheEvaluationsOfTheReportAndKeepTheTolerance) {
  const cases::Case c = build("andrews");
  const double exact = load("andrews").points.back().values.at("beta");
  const std::vector<std::tuple<double, long, double>> rows{
      {1e-3, 488, 1.5}, {1e-5, 925, 1.5}, {1e-7, 1530, 1.5}, {1e-9, 2533, 1.5}, {1e-11, 3554, 1.75}};
  for (const auto& [tolerance, report, allowed] : rows) {
    SCOPED_TRACE(tolerance);
    const RunResult run = integrate(*c.system, c.start, c.t_end, as_in_the_report(tolerance));
    ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
    EXPECT_LT(static_cast<double>(count_evaluations(run)), allowed * static_cast<double>(report));
    EXPECT_LT(std::abs(run.state.q[0] - exact), 300 * tolerance);
  }
}

TEST(Mexx, RootsOfTheCranksAccelerationAreFoundWithAndWithoutAccelerationConstraints) {
  const cases::Case c = build("andrews");
  const std::vector<double> exact = load("andrews").event_times.at(c.events.front().name);
  ASSERT_EQ(exact.size(), 5u);
  for (const auto& [accelerations, tolerance] :
       std::vector<std::pair<std::string, double>>{{"solved", 1e-5}, {"extrapolated", 1e-7}}) {
    SCOPED_TRACE(accelerations);
    const Options options = as_in_the_report(tolerance, {{"accelerations", accelerations}});
    const RunResult run = integrate(*c.system, c.start, c.t_end, options, c.events);
    ASSERT_EQ(run.events.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(run.events[i].t, exact[i], 1e-6);
  }
}

TEST(Mexx, TakesForcesWhereItTakesMassesInJointCoordinates) {
  const cases::Case c = build("spatial-chain", {{"hinges", 1}, {"n", 50}});
  const auto form = analyses::make_joint_form(c.mechanism, c.start);
  const auto run = [&](const MethodOptions& settings) {
    return integrate(*form, form->from_quasi(c.start), c.t_end, mexx(1e-5, settings));
  };
  const RunResult chosen = run({}), begin = run({{"forces", "begin"}}), end = run({{"forces", "end"}});
  EXPECT_EQ(chosen.state.q, end.state.q);
  // What a small step changes in M is magnified by the condition of M.
  EXPECT_LT(end.statistics.substeps, 0.6 * static_cast<double>(begin.statistics.substeps));
  const RunResult in_bodies = integrate(*c.system, c.start, c.t_end, mexx(1e-10));
  EXPECT_LT(linalg::largest_abs(form->to_quasi(end.state).q - in_bodies.state.q), 1e-4);
  EXPECT_EQ(integrate(*c.system, c.start, c.t_end, mexx(1e-5)).state.q,
            integrate(*c.system, c.start, c.t_end, mexx(1e-5, {{"forces", "begin"}})).state.q);
}

TEST(Mexx, NeedsNoAccelerationConstraints) {
  // These give their bias; nobody asks for it.
  for (const char* name : {"andrews", "chain", "cable-drum"}) {
    SCOPED_TRACE(name);
    const cases::Case c = build(name);
    const RunResult run =
        integrate(*c.system, c.start, 0.1 * c.t_end, mexx(1e-6, {{"accelerations", "extrapolated"}}), c.events);
    ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
    EXPECT_EQ(run.statistics.evaluations.bias, 0);
  }
}

TEST(Mexx, AccelerationsAndReactionsOfTheStartAreExtrapolated) {
  for (const char* name : {"andrews", "chain", "cable-drum", "insulator-chain", "heavy-top"}) {
    SCOPED_TRACE(name);
    const cases::Case c = build(name);
    std::vector<dae::State> states;
    Observers observers;
    observers.output = [&](const dae::State& s) { states.push_back(s); };
    for (const char* how : {"extrapolated", "solved"}) {
      integrate(*c.system, c.start, 1e-6, mexx(1e-8, {{"accelerations", how}}), {}, observers);
    }
    ASSERT_EQ(states.size(), 4u);  // start and end of either run
    const dae::State &extrapolated = states[0], &solved = states[2];
    EXPECT_LT(linalg::largest_abs(extrapolated.a - solved.a), 1e-8 * (1 + linalg::largest_abs(solved.a)));
    EXPECT_LT(linalg::largest_abs(extrapolated.lambda - solved.lambda),
              1e-8 * (1 + linalg::largest_abs(solved.lambda)));
  }
}

TEST(Mexx, DenseOutputHasTheAccuracyOfTheStepsForAllComponents) {
  const testing::Problem& problem = testing::smooth_problem("pendulum");
  for (const char* how : {"extrapolated", "solved"}) {
    SCOPED_TRACE(how);
    Options options = mexx(1e-9, {{"accelerations", how}});
    options.output.kind = OutputKind::kUniform;
    options.output.interval = 0.0137;
    double q = 0, v = 0, lambda = 0;
    Observers observers;
    observers.output = [&](const dae::State& s) {
      const testing::Errors e = testing::calc_errors(s, problem.solution(s.t));
      q = std::max(q, e.q);
      v = std::max(v, e.v);
      lambda = std::max(lambda, e.lambda);
    };
    const RunResult run = integrate(*problem.system, problem.start, problem.t_end, options, {}, observers);
    EXPECT_LT(run.statistics.steps, 40) << "so that outputs lie inside of steps";
    EXPECT_LT(q, 1e-8);
    EXPECT_LT(v, 1e-7);
    EXPECT_LT(lambda, std::string_view(how) == "solved" ? 1e-7 : 1e-5);
  }
}

TEST(Mexx, TheDegreeOfDenseOutputCanBeLimited) {
  const testing::Problem& problem = testing::smooth_problem("pendulum");
  std::vector<double> errors;
  for (const char* degree : {"3", "5", "15"}) {
    Options options = mexx(1e-10, {{"dense_order", degree}});
    options.output.kind = OutputKind::kPoints;
    options.output.points = {0.512345};
    double error = 0;
    Observers observers;
    // A position off the circle is moved onto it, but not along it.
    observers.output = [&](const dae::State& s) { error = testing::calc_errors(s, problem.solution(s.t)).q; };
    integrate(*problem.system, problem.start, problem.t_end, options, {}, observers);
    errors.push_back(error);
  }
  EXPECT_GT(errors[0], 5 * errors[1]);
  EXPECT_GT(errors[1], 5 * errors[2]);
}

TEST(Mexx, ModifiedSchemeIsFlatInTheFrictionCoefficient) {
  const std::vector<std::pair<double, long>> rows{{0, 99},     {0.125, 99}, {0.25, 99},  {0.5, 99},
                                                  {0.75, 105}, {1, 87},     {1.25, 149}, {1.5, 114}};
  for (const char* friction : {"modified", "automatic"}) {
    for (const auto& [mu, report] : rows) {
      SCOPED_TRACE(friction + std::string(", mu = ") + std::to_string(mu));
      const cases::Case c = build("cable-drum", {{"mu", mu}});
      const RunResult run = integrate(*c.system, c.start, c.t_end, as_in_the_report(1e-5, {{"friction", friction}}));
      ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
      EXPECT_LT(static_cast<double>(count_evaluations(run)), 1.3 * static_cast<double>(report));
      const double exact = load(fmt::format("cable-drum-mu{:g}", mu)).points.back().values.at("load.y");
      EXPECT_LT(std::abs(run.state.q[0] - exact), 1e-6);
    }
  }
}

TEST(Mexx, StandardSchemeDegradesWithFrictionAndFailsWithAdviceBeyondTheSingularCoefficient) {
  const MethodOptions standard{{"friction", "standard"}};
  double previous = 0;
  for (const double mu : {0.25, 0.5, 1.0}) {
    const cases::Case c = build("cable-drum", {{"mu", mu}});
    const RunResult run = integrate(*c.system, c.start, c.t_end, mexx(1e-5, standard));
    ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
    const double exact = load(fmt::format("cable-drum-mu{:g}", mu)).points.back().values.at("load.y");
    const double error = std::abs(run.state.q[0] - exact);
    EXPECT_GT(error, 5 * previous);
    previous = error;
    ASSERT_EQ(run.notes.size(), 1u);
    EXPECT_NE(run.notes.front().find("friction=automatic"), std::string::npos) << run.notes.front();
  }
  const cases::Case c = build("cable-drum", {{"mu", 1.25}});
  const RunResult run = integrate(*c.system, c.start, c.t_end, mexx(1e-5, standard));
  EXPECT_EQ(run.failure.cause, FailureCause::kStepTooSmall);
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_NE(run.notes.front().find("friction=automatic"), std::string::npos) << run.notes.front();
}

TEST(Mexx, InsulatorChainTurnsWhenTheReportSays) {
  const std::vector<std::tuple<int, double, long>> rows{{16, 1e-3, 583}, {16, 1e-5, 846}, {16, 1e-7, 1396},
                                                        {32, 1e-3, 473}, {32, 1e-5, 759}, {32, 1e-7, 1204},
                                                        {64, 1e-3, 444}, {64, 1e-5, 890}, {64, 1e-7, 1164}};
  for (const auto& [n, tolerance, report] : rows) {
    SCOPED_TRACE(std::to_string(n) + " links, " + std::to_string(tolerance));
    const cases::Case c = build("insulator-chain", {{"n", n}});
    const RunResult run = integrate(*c.system, c.start, 0.1, as_in_the_report(tolerance));
    ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
    EXPECT_LT(static_cast<double>(count_evaluations(run)), 1.3 * static_cast<double>(report));
  }
  const cases::Case c = build("insulator-chain", {{"n", 32}});
  const RunResult run = integrate(*c.system, c.start, 0.2, as_in_the_report(1e-5), c.events);
  ASSERT_FALSE(run.events.empty());
  EXPECT_NEAR(run.events.front().t, 0.1283, 5e-5);
}

TEST(Mexx, ConstraintsAreKeptOverManySteps) {
  const cases::Case c = build("pendulum");
  Options options = mexx(1e-6);
  options.max_steps = 50'000;
  const RunResult run = integrate(*c.system, c.start, 1e9, options);
  EXPECT_EQ(run.stop_reason, StopReason::kStepLimit);
  EXPECT_LT(run.drift.position, 1e-8);
  EXPECT_LT(run.drift.velocity, 1e-13);
}

TEST(Mexx, EveryLinearSolverGivesTheSameMotion) {
  for (const auto& [name, solvers] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"andrews", {"automatic", "lu", "symmetric", "cholesky-qr", "sparse"}},
           {"insulator-chain", {"automatic", "lu", "symmetric", "sparse"}},
           {"mixed-chain", {"automatic", "lu", "symmetric", "sparse", "block"}},
           {"cable-drum", {"automatic", "lu", "symmetric", "cholesky-qr", "sparse"}}}) {
    const cases::Case c = build(name);
    const double t_end = 0.3 * c.t_end;
    const RunResult first = integrate(*c.system, c.start, t_end, mexx(1e-9));
    ASSERT_EQ(first.status, RunStatus::kCompleted) << name << first.reason;
    for (const std::string& solver : solvers) {
      SCOPED_TRACE(name + ", " + solver);
      const RunResult run = integrate(*c.system, c.start, t_end, mexx(1e-9, {{"linear_solver", solver}}));
      ASSERT_EQ(run.status, RunStatus::kCompleted) << run.reason;
      EXPECT_LT(linalg::largest_abs(run.state.q - first.state.q), 1e-7 * (1 + linalg::largest_abs(first.state.q)));
    }
  }
}

}  // namespace
}  // namespace trammel::integrators
