// Comparisons of methods: errors, references, stiffness, rankings and advice. Costs are counted in evaluations here,
// not in seconds, so that the machine does not matter.

#include "trammel/analyses/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cases/reference.h"
#include "tests/support/systems.h"
#include "trammel/analyses/linearise.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::analyses {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ProblemFactory case_factory(const std::string& name, double t_end, const cases::ParameterValues& parameters = {}) {
  return [=] {
    const cases::Case c = cases::build_case(*cases::find_case(name), parameters);
    return CompareProblem{c.system, c.mechanism, c.start, t_end, {}};
  };
}

/// A force evaluation counts 1, an iteration matrix 10.
double count_work(const ComparedRun& run) {
  return static_cast<double>(run.statistics.evaluations.force + 10 * run.jacobians());
}

CompareOptions few_tolerances(std::vector<double> tolerances) {
  CompareOptions options;
  options.tolerances = std::move(tolerances);
  options.timing_seconds = 0;
  options.jobs = 2;
  return options;
}

Advice advise_by_work(const Comparison& c) {
  return advise(c.runs, rank_by_decades(c.runs, c.reference.least_meaningful_error(), count_work), c.stiffness,
                c.facts);
}

TEST(TrajectoryError, IsRelativeToTheLargestValueOfEachCoordinate) {
  Trajectory reference{{1, 2}, MatrixXd(2, 3), MatrixXd::Zero(2, 1)};
  reference.q << 10, 1, 0, -20, 2, 1e-6;  // scales 20, 2, and for the last one the floor 0.2
  Trajectory other = reference;
  other.q(0, 0) += 2;     // 0.1
  other.q(1, 1) -= 0.4;   // 0.2
  other.q(1, 2) += 0.06;  // 0.3
  other.v(1, 0) = 0.5;    // the reference is zero: scale 1
  const ErrorMeasure measure(reference, {"a", "b", "c"}, {"d"});
  const TrajectoryError error = measure.calc_position_error(other);
  EXPECT_NEAR(error.rms, std::sqrt((0.01 + 0.04 + 0.09) / 6), 1e-14);
  EXPECT_NEAR(error.largest, 0.3, 1e-14);
  EXPECT_EQ(error.name, "c");
  EXPECT_EQ(error.t, 2);
  EXPECT_NEAR(measure.calc_velocity_error(other).rms, 0.5 / std::sqrt(2), 1e-14);
  other.cut(1);
  EXPECT_NEAR(measure.calc_position_error(other).rms, 0.1 / std::sqrt(3), 1e-14);
}

TEST(ThinSteps, KeepsTheSmallestAndTheLargest) {
  std::vector<StepPoint> steps;
  for (int k = 0; k < 10'000; ++k) steps.push_back({0.1 * k, 1 + 0.001 * (k % 7)});
  steps[1234].h = 1e-6;
  steps[8765].h = 50;
  const std::vector<StepPoint> thinned = thin_steps(steps, 400);
  EXPECT_LE(thinned.size(), 400U);
  EXPECT_TRUE(std::any_of(thinned.begin(), thinned.end(), [](StepPoint p) { return p.h == 1e-6; }));
  EXPECT_TRUE(std::any_of(thinned.begin(), thinned.end(), [](StepPoint p) { return p.h == 50; }));
  EXPECT_TRUE(
      std::is_sorted(thinned.begin(), thinned.end(), [](const StepPoint& a, const StepPoint& b) { return a.t < b.t; }));
}

TEST(FindReference, MeetsTheClosedSolutionOfThePendulum) {
  const cases::Reference known =
      cases::load_reference(std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases/reference/pendulum.json");
  const cases::ReferencePoint& point =
      *std::find_if(known.points.begin(), known.points.end(), [](const cases::ReferencePoint& p) { return p.t >= 1; });
  const ProblemFactory factory = case_factory("pendulum", point.t);
  const ReferenceSolution found = find_reference(factory, {}, {}, 20, {});
  ASSERT_EQ(found.trajectory.size(), 20);
  EXPECT_EQ(found.trajectory.t.back(), point.t);
  EXPECT_NE(found.method, found.other_method);
  EXPECT_LT(found.disagreement, 1e-9);
  EXPECT_TRUE(found.warnings.empty());
  EXPECT_NEAR(found.trajectory.q(19, 0), point.values.at("x"), 10 * found.disagreement + 1e-10);
  EXPECT_NEAR(found.trajectory.v(19, 1), point.values.at("y'"), 100 * found.disagreement + 1e-9);
}

TEST(FindReference, EndsWhereAnEventStopsTheRun) {
  const ProblemFactory plain = case_factory("pendulum", 5);
  const ProblemFactory factory = [&] {
    CompareProblem problem = plain();
    integrators::Event lowest;
    lowest.name = "lowest point";
    lowest.function = [](const dae::State& s) { return s.q[0]; };
    lowest.action = integrators::EventAction::kStop;
    problem.events.push_back(lowest);
    return problem;
  };
  const Comparison c = compare(factory, few_tolerances({1e-5}));
  ASSERT_TRUE(c.reference.exists());
  // A quarter of the period: K(1/sqrt 2) sqrt(l/g).
  EXPECT_NEAR(*c.reference.t_end, 1.8540746773013719 / std::sqrt(9.81), 1e-6);
  EXPECT_LT(c.reference.trajectory.t.back(), *c.reference.t_end);
  for (const ComparedRun& run : c.runs) {
    EXPECT_TRUE(run.is_ranked()) << run.method << ": " << run.remark;
    EXPECT_LT(run.q.rms, 1e-2) << run.method;
  }
}

/// m q'' + c q' + k q = 0.
class Oscillator final : public dae::ConstrainedSystem {
 public:
  Oscillator(double c, double k) : ConstrainedSystem(dae::Structure::full({"q"})), c_(c), k_(k) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override { f = -c_ * at.v - k_ * at.q; }

 private:
  double c_, k_;
};

TEST(Stiffness, IsThatOfTheEigenvalues) {
  // mu = -1 and -1000.
  CompareProblem problem{std::make_shared<Oscillator>(1001, 1000), nullptr, {}, 1, {}};
  problem.start = dae::State::zero(problem.system->structure());
  problem.start.q[0] = 1;
  const Stiffness overdamped = measure_stiffness(problem, {problem.start}, 3.3);
  ASSERT_TRUE(overdamped.is_measured()) << overdamped.why_not;
  EXPECT_NEAR(overdamped.decay, 1000, 1e-6);
  EXPECT_EQ(overdamped.frequency, 0);
  EXPECT_NEAR(overdamped.stability_steps, 1000, 1e-6);
  // mu = -0.1 +- 20i
  problem.system = std::make_shared<Oscillator>(0.2, 400.01);
  const Stiffness swinging = measure_stiffness(problem, {problem.start}, 1);
  EXPECT_NEAR(swinging.frequency, 20, 1e-6);
  EXPECT_NEAR(swinging.decay, 0.1, 1e-6);
}

TEST(Stiffness, OfAPendulumThatMovesIsThatOfItsAngle) {
  const CompareProblem problem = case_factory("pendulum", 1)();
  dae::State state = problem.start;
  for (const double angle : {0.3, 1.2}) {
    for (const double rate : {0.0, 3.0, 20.0}) {
      state.q << std::sin(angle), -std::cos(angle);
      state.v << rate * std::cos(angle), rate * std::sin(angle);
      const Stiffness s = measure_stiffness(problem, {state}, 1);
      EXPECT_NEAR(s.frequency, std::sqrt(9.81 * std::cos(angle)), 1e-6) << angle << " " << rate;
      EXPECT_NEAR(s.decay, 0, 1e-6);
    }
  }
}

TEST(Stiffness, OfTheStiffDoublePendulumIsItsDamper) {
  const Stiffness s = [] {
    const CompareProblem problem = case_factory("double-pendulum", 2)();
    return measure_stiffness(problem, {problem.start}, 2);
  }();
  EXPECT_GT(s.decay, 0.9e5);  // eigenvalues near -1e5 (docs/studies/hht.md)
  EXPECT_LT(s.decay, 1.1e5);
}

/// Accelerations at (q + delta, v + velocity), from the equations themselves.
VectorXd accelerations_at(const dae::ConstrainedSystem& system, dae::State state, const VectorXd& delta,
                          const VectorXd& velocity) {
  state.q += delta;
  state.v += velocity;
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  kkt::AccelerationSolver solver(evaluation);
  EXPECT_EQ(solver.factor_position(), kkt::AccelerationStatus::kSolved);
  EXPECT_EQ(solver.solve(state), kkt::AccelerationStatus::kSolved);
  return evaluation.point().a;
}

TEST(LineariseMotion, IsTheDerivativeOfTheAccelerations) {
  for (const char* name : {"andrews", "double-pendulum", "chain"}) {
    const CompareProblem problem = case_factory(name, 0.02)();
    const integrators::RunResult run =
        integrators::integrate(*problem.system, problem.start, 0.02, integrators::Options::with_tolerance(1e-8));
    const dae::Structure& s = problem.system->structure();
    dae::Evaluation evaluation(*problem.system);
    evaluation.set(run.state);
    const Linearisation linear = linearise_motion(evaluation);
    const MatrixXd G = s.jacobian.to_dense(evaluation.jacobian());
    const MatrixXd C =
        s.pattern(dae::Derivative::kVelocityByQ).to_dense(evaluation.derivative(dae::Derivative::kVelocityByQ));
    const MatrixXd S = -G.completeOrthogonalDecomposition().pseudoInverse() * C * linear.N_q;
    const MatrixXd A_y = -linear.M.partialPivLu().solve(linear.K) - S.transpose() * S;
    const MatrixXd A_z = -linear.M.partialPivLu().solve(linear.D);
    for (Eigen::Index j = 0; j < linear.n_y; ++j) {
      const double h = 1e-6;
      const VectorXd zero = VectorXd::Zero(s.n_v());
      const VectorXd by_y = (accelerations_at(*problem.system, run.state, h * linear.N_q.col(j), h * S.col(j)) -
                             accelerations_at(*problem.system, run.state, -h * linear.N_q.col(j), -h * S.col(j))) /
                            (2 * h);
      const VectorXd by_z = (accelerations_at(*problem.system, run.state, zero, h * linear.N.col(j)) -
                             accelerations_at(*problem.system, run.state, zero, -h * linear.N.col(j))) /
                            (2 * h);
      const double size = 1 + by_y.norm(), rate = 1 + by_z.norm();
      EXPECT_LT((linear.N.transpose() * by_y - A_y.col(j)).norm(), 1e-5 * size) << name << ", y " << j;
      EXPECT_LT((linear.N.transpose() * by_z - A_z.col(j)).norm(), 1e-5 * rate) << name << ", z " << j;
    }
  }
}

ComparedRun made_up_run(const std::string& method, double tolerance, double error, double seconds) {
  ComparedRun run;
  run.method = method;
  run.tolerance = tolerance;
  run.outcome = RunOutcome::kMeasured;
  run.q.rms = error;
  run.statistics.cpu_seconds = seconds;
  return run;
}

TEST(Ranking, ReadsCurvesBetweenRuns) {
  const std::vector<ComparedRun> runs{made_up_run("a", 1e-3, 1e-2, 1), made_up_run("a", 1e-5, 1e-4, 100),
                                      made_up_run("b", 1e-3, 1e-3, 5), made_up_run("b", 1e-5, 1e-5, 6)};
  const Ranking at = rank_methods(runs, 1e-3, 0);
  ASSERT_EQ(at.methods.size(), 2U);
  EXPECT_EQ(at.methods[0].method, "b");
  EXPECT_NEAR(at.methods[0].cost, 5, 1e-9);
  EXPECT_NEAR(at.methods[1].cost, 10, 1e-9);  // half way of 1 and 100
  EXPECT_NEAR(at.methods[1].ratio, 2, 1e-9);
  EXPECT_EQ(at.methods[1].tolerance, 1e-5);  // the run that kept the error
  EXPECT_EQ(rank_methods(runs, 1e-1, 0).methods[0].method, "a");
  const Ranking tight = rank_methods(runs, 1e-5, 0);
  EXPECT_EQ(tight.not_reached, std::vector<std::string>{"a"});
  EXPECT_TRUE(rank_methods(runs, 1e-6, 0).methods.empty());
  // What the reference cannot resolve is not ranked.
  const std::vector<Ranking> decades = rank_by_decades(runs, 1e-4);
  ASSERT_FALSE(decades.empty());
  EXPECT_NEAR(decades.back().error, 1e-4, 1e-12);
}

TEST(Compare, FindsTheSevenBodyMechanismNotStiff) {
  const Comparison c = compare(case_factory("andrews", 0.015), few_tolerances({1e-3, 1e-5, 1e-7}));
  EXPECT_FALSE(c.is_cancelled);
  EXPECT_EQ(c.runs.size(), 3 * integrators::methods().size() - 3 * c.unfit.size());
  EXPECT_EQ(c.facts.degrees_of_freedom, 1);
  EXPECT_LT(c.reference.disagreement, 1e-8);
  for (const ComparedRun& run : c.runs) {
    EXPECT_TRUE(run.is_ranked()) << run.method << " " << run.tolerance << ": " << run.remark;
    EXPECT_LE(run.steps.size(), 400U);
    EXPECT_FALSE(run.steps.empty());
  }
  const Advice advice = advise_by_work(c);
  ASSERT_FALSE(advice.choices.empty());
  EXPECT_FALSE(is_implicit(*integrators::find_method(advice.choices.front().method))) << advice.text();
  EXPECT_FALSE(advice.is_stiff) << advice.text();
}

TEST(Compare, FindsTheStiffDoublePendulumStiff) {
  const Comparison c = compare(case_factory("double-pendulum", 0.2), few_tolerances({1e-3, 1e-5}));
  const Advice advice = advise_by_work(c);
  ASSERT_FALSE(advice.choices.empty());
  EXPECT_TRUE(is_implicit(*integrators::find_method(advice.choices.front().method))) << advice.text();
  EXPECT_TRUE(advice.is_stiff) << advice.text();
  const auto run =
      std::find_if(c.runs.begin(), c.runs.end(), [](const ComparedRun& r) { return r.method == "projection"; });
  ASSERT_NE(run, c.runs.end());
  // The steps that stability needs are those that were taken.
  EXPECT_NEAR(static_cast<double>(run->statistics.steps) / c.stiffness.stability_steps, 1, 0.1);
}

TEST(Compare, GoesOnWhereItWasInterrupted) {
  std::atomic<bool> cancel{false};
  CompareOptions options = few_tolerances({1e-3, 1e-4, 1e-5});
  options.methods = {"projection", "bdf-i3"};
  options.jobs = 1;
  options.cancel = &cancel;
  CompareStart kept;
  CompareObserver observer;
  observer.reference = [&](const ReferenceSolution& r) { kept.reference = r; };
  observer.stiffness = [&](const Stiffness& s) { kept.stiffness = s; };
  observer.run = [&](const ComparedRun& run) {
    kept.runs.push_back(run);
    if (kept.runs.size() == 2) cancel = true;
  };
  const ProblemFactory factory = case_factory("pendulum", 1);
  const Comparison part = compare(factory, options, observer);
  EXPECT_TRUE(part.is_cancelled);
  EXPECT_EQ(part.runs.size(), 2U);

  cancel = false;
  int runs = 0;
  CompareObserver counter;
  counter.run = [&](const ComparedRun&) { ++runs; };
  counter.reference = [](const ReferenceSolution&) { ADD_FAILURE() << "the reference was there already"; };
  const Comparison whole = compare(factory, options, counter, kept);
  EXPECT_FALSE(whole.is_cancelled);
  EXPECT_EQ(whole.runs.size(), 6U);
  EXPECT_EQ(runs, 4);
  EXPECT_FALSE(whole.advice.choices.empty());
}

TEST(Compare, SaysWhichMethodsCannotTakeTheProblemAndWhichFail) {
  const ProblemFactory factory = [] {
    const auto system = std::make_shared<testing::LaggedActuator>(0.1, dae::StateForm::kImplicit);
    return CompareProblem{system, nullptr, system->start(), 0.5, {}};
  };
  const Comparison c = compare(factory, few_tolerances({1e-4}));
  std::vector<std::string> unable, unfit;
  for (const integrators::MethodEntry* method : integrators::methods()) {
    if (!method->capabilities.implicit_states) unable.push_back(method->name);
  }
  for (const auto& [method, reason] : c.unfit) {
    unfit.push_back(method);
    EXPECT_NE(reason.find("implicit form"), std::string::npos);
  }
  EXPECT_EQ(unfit, unable);
  EXPECT_TRUE(c.has_completed_run());

  const ProblemFactory breaking = [] {
    const auto system = std::make_shared<testing::BreaksAtOne>();
    return CompareProblem{system, nullptr, system->start(), 2, {}};
  };
  const Comparison broken = compare(breaking, few_tolerances({1e-4}));
  EXPECT_FALSE(broken.has_completed_run());
  EXPECT_FALSE(broken.reference.exists());
  for (const ComparedRun& run : broken.runs) {
    EXPECT_EQ(run.outcome, RunOutcome::kFailed);
    EXPECT_FALSE(run.remark.empty());
  }
}

TEST(Compare, RefusesOptionsThatMakeNoSense) {
  CompareOptions options;
  options.tolerances = {1e-3, -1};
  options.samples = 0;
  options.time_limit = 0;
  EXPECT_EQ(options.validate().size(), 3U);
  EXPECT_THROW(compare(case_factory("pendulum", 1), options), std::invalid_argument);
  CompareOptions unknown;
  unknown.methods = {"nonsense"};
  EXPECT_THROW(compare(case_factory("pendulum", 1), unknown), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::analyses
