// Orders of mexx: of the columns of its tableau for q, v, a and lambda over one step, and of the whole method with a
// fixed number of rows at fixed step.

#include <gtest/gtest.h>

#include <vector>

#include "tests/order/fit_order.h"
#include "tests/support/problems.h"
#include "trammel/integrators/extrapolation/half_explicit_euler.h"
#include "trammel/integrators/extrapolation/step_sequence.h"

namespace trammel::testing {
namespace {

using integrators::ForcePlace;
using integrators::FrictionScheme;
using integrators::HalfExplicitEuler;
using integrators::step_number;

/// What a method works with, around one system.
struct Workplace {
  explicit Workplace(const dae::ConstrainedSystem& system)
      : evaluation(system),
        accelerations(evaluation),
        projector(evaluation, accelerations),
        norm(system.structure(), 1e-6, 1e-6),
        context{evaluation, accelerations, projector, norm, statistics, options, horizon} {}

  dae::Evaluation evaluation;
  kkt::AccelerationSolver accelerations;
  kinematics::Projector projector;
  integrators::ErrorNorm norm;
  integrators::Statistics statistics;
  integrators::MethodOptions options;
  double horizon = 1e300;
  integrators::MethodContext context;
};

constexpr int kColumns = 4;

/// T_kk, k = 1 ... kColumns, after one step of size H, by weights instead of the recursion of the method.
std::vector<dae::State> calc_diagonal(Workplace& at, HalfExplicitEuler& euler, const dae::State& start, double H) {
  const dae::Structure& s = at.evaluation.structure();
  const integrators::StackLayout layout(s);
  EXPECT_EQ(euler.begin(start), kkt::AccelerationStatus::kSolved);
  std::vector<linalg::Vector> ends;
  for (int row = 0; row < kColumns; ++row) {
    const int n = step_number(row);
    Eigen::MatrixXd steps(layout.size(), n + 1);
    EXPECT_EQ(euler.integrate(H / n, n, start.t + H, steps), kkt::AccelerationStatus::kSolved);
    ends.emplace_back(steps.col(n));
  }
  std::vector<dae::State> diagonal;
  for (int k = 0; k < kColumns; ++k) {
    const auto weights = integrators::calc_limit_weights(0, k);
    linalg::Vector value = linalg::Vector::Zero(layout.size());
    for (int row = 0; row <= k; ++row)
      value += weights[static_cast<std::size_t>(row)] * ends[static_cast<std::size_t>(row)];
    dae::State state = dae::State::zero(s);
    state.t = start.t + H;
    layout.unstack(value, state);
    diagonal.push_back(state);
  }
  return diagonal;
}

struct Case {
  std::string problem;
  double begin;  // share of the run
  double H;      // the largest step
  double floor;  // round-off
  ForcePlace place;
};

class TableauOrder : public ::testing::TestWithParam<Case> {};

TEST_P(TableauOrder, EachColumnGainsOneForPositionsVelocitiesAccelerationsAndReactions) {
  const Problem& problem = smooth_problem(GetParam().problem);
  Workplace at(*problem.system);
  HalfExplicitEuler euler(at.context, FrictionScheme::kStandard, GetParam().place);
  // Begin inside of the motion, where nothing is special.
  dae::State start = problem.solution(GetParam().begin * problem.t_end);
  dae::State complete = dae::State::zero(problem.system->structure());
  complete.t = start.t;
  complete.q = start.q;
  complete.v = start.v;
  if (start.x.size() == complete.x.size()) complete.x = start.x;
  ASSERT_EQ(euler.complete(complete), kkt::AccelerationStatus::kSolved);

  std::vector<double> steps;
  std::vector<std::vector<double>> q(kColumns), v(kColumns), a(kColumns), lambda(kColumns);
  for (double H = GetParam().H; steps.size() < 5; H /= 1.5) {
    steps.push_back(H);
    const std::vector<dae::State> diagonal = calc_diagonal(at, euler, complete, H);
    // Accelerations and reactions of the exact motion, from the index-1 equations there.
    dae::State exact = complete;
    const dae::State known = problem.solution(start.t + H);
    exact.t = known.t;
    exact.q = known.q;
    exact.v = known.v;
    if (known.x.size() == exact.x.size()) exact.x = known.x;
    at.evaluation.set(exact);
    ASSERT_EQ(at.accelerations.factor_position(), kkt::AccelerationStatus::kSolved);
    ASSERT_EQ(at.accelerations.solve(exact), kkt::AccelerationStatus::kSolved);
    for (std::size_t k = 0; k < kColumns; ++k) {
      q[k].push_back((diagonal[k].q - exact.q).norm());
      v[k].push_back((diagonal[k].v - exact.v).norm());
      a[k].push_back((diagonal[k].a - at.evaluation.point().a).norm());
      lambda[k].push_back((diagonal[k].lambda - at.evaluation.point().lambda).norm());
    }
  }
  const double floor = GetParam().floor;
  for (int k = 1; k <= kColumns; ++k) {
    SCOPED_TRACE("column " + std::to_string(k));
    const auto i = static_cast<std::size_t>(k - 1);
    // The error of one step: h^(k+1) for what is integrated, h^k for what follows from it.
    EXPECT_NEAR(fit_order(steps, q[i], floor), k + 1, 0.35);
    EXPECT_NEAR(fit_order(steps, v[i], floor), k + 1, 0.35);
    EXPECT_NEAR(fit_order(steps, a[i], 100 * floor), k, 0.35);
    if (lambda[i].front() > 0) {
      EXPECT_NEAR(fit_order(steps, lambda[i], 100 * floor), k, 0.35);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Problems, TableauOrder,
                         ::testing::Values(Case{"pendulum", 0.45, 0.02, 1e-14, ForcePlace::kBegin},
                                           Case{"polar point", 0.6, 0.02, 1e-14, ForcePlace::kBegin},
                                           Case{"pendulum", 0.45, 0.02, 1e-14, ForcePlace::kEnd},
                                           Case{"polar point", 0.6, 0.02, 1e-14, ForcePlace::kEnd}),
                         [](const auto& problem) { return "Problem" + std::to_string(problem.index); });

TEST(MexxOrder, OfTheWholeMethodIsTheNumberOfRows) {
  const Problem& problem = smooth_problem("pendulum");
  for (int rows = 2; rows <= 5; ++rows) {
    SCOPED_TRACE(rows);
    integrators::Options options = integrators::Options::with_tolerance(1e-9);  // for the projections
    options.method = "mexx";
    options.method_options = {{"fixed_order", std::to_string(rows)}};
    std::vector<double> steps, q, v, lambda;
    for (int n = 24; n <= 130; n = n * 3 / 2) {
      options.h_fixed = problem.t_end / n;
      options.output.kind = integrators::OutputKind::kSteps;
      Errors worst;  // over the run: at single times errors change their sign
      integrators::Observers observers;
      observers.output = [&](const dae::State& s) {
        const Errors e = calc_errors(s, problem.solution(s.t));
        worst = {std::max(worst.q, e.q), std::max(worst.v, e.v), std::max(worst.lambda, e.lambda), 0};
      };
      const auto result = integrate(*problem.system, problem.start, problem.t_end, options, {}, observers);
      ASSERT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
      steps.push_back(options.h_fixed);
      q.push_back(worst.q);
      v.push_back(worst.v);
      lambda.push_back(worst.lambda);
    }
    EXPECT_NEAR(fit_order(steps, q, 1e-11), rows, 0.35);
    EXPECT_NEAR(fit_order(steps, v, 1e-11), rows, 0.35);
    EXPECT_NEAR(fit_order(steps, lambda, 1e-10), rows, 0.35);
  }
}

}  // namespace
}  // namespace trammel::testing
