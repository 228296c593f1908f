// The formula 8(5,3) of explicit-rk: its order at the steps and between them.

#include <gtest/gtest.h>

#include "tests/order/fit_order.h"
#include "tests/support/problems.h"

namespace trammel::testing {
namespace {

// Errors below are round-off: positions are recovered and accelerations solved for to a few units of it.
constexpr double kFloor = 3e-14;

Errors measure(const Problem& problem, int steps, integrators::OutputOptions output) {
  integrators::Options options;
  options.method = "explicit-rk";
  options.method_options = {{"formula", "8(5,3)"}};
  options.h_fixed = problem.t_end / steps;
  options.output = std::move(output);
  Errors worst;
  integrators::Observers observers;
  observers.output = [&](const dae::State& s) {
    const Errors e = calc_errors(s, problem.solution(s.t));
    worst = {std::max(worst.q, e.q), std::max(worst.v, e.v), std::max(worst.lambda, e.lambda), 0};
  };
  const auto result = integrate(*problem.system, problem.start, problem.t_end, options, {}, observers);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  EXPECT_EQ(result.statistics.steps, steps);
  return worst;
}

struct Orders {
  double q, v, lambda;
};

Orders measure_orders(const Problem& problem, int fewest, const integrators::OutputOptions& output, const char* where) {
  std::vector<double> h, q, v, lambda;
  for (const double factor : {1.0, 1.25, 1.6, 2.0, 2.5, 3.2}) {
    const int steps = static_cast<int>(std::lround(fewest * factor));
    const Errors e = measure(problem, steps, output);
    h.push_back(problem.t_end / steps);
    q.push_back(e.q);
    v.push_back(e.v);
    lambda.push_back(e.lambda);
  }
  const Orders orders{fit_order(h, q, kFloor), fit_order(h, v, kFloor), fit_order(h, lambda, kFloor)};
  std::printf("[ order    ] explicit-rk 8(5,3) %s, %s: q %.2f v %.2f lambda %.2f\n", where, problem.name.c_str(),
              orders.q, orders.v, orders.lambda);
  return orders;
}

TEST(ExplicitRungeKuttaOrder, Of853IsEightForPositionsVelocitiesAndMultipliers) {
  for (const auto& [name, fewest] : {std::pair{"pendulum", 40}, std::pair{"polar point", 12}}) {
    const Orders orders =
        measure_orders(smooth_problem(name), fewest, {integrators::OutputKind::kSteps, 0, {}}, "at steps");
    EXPECT_GT(orders.q, 7.7) << name;
    EXPECT_GT(orders.v, 7.7) << name;
    EXPECT_GT(orders.lambda, 7.7) << name;
  }
}

TEST(ExplicitRungeKuttaOrder, Of853BetweenTheStepsIsThatOfTheContinuousExtension) {
  for (const auto& [name, fewest] : {std::pair{"pendulum", 40}, std::pair{"polar point", 12}}) {
    const Problem& problem = smooth_problem(name);
    const Orders orders =
        measure_orders(problem, fewest, {integrators::OutputKind::kUniform, problem.t_end / 997, {}}, "between steps");
    EXPECT_GT(orders.q, 7.5) << name;  // an error of one step: one order more than the 7 of the polynomial
    EXPECT_GT(orders.v, 7.5) << name;
    EXPECT_GT(orders.lambda, 7.5) << name;
  }
}

}  // namespace
}  // namespace trammel::testing
