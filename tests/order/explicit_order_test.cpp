// Orders of the methods with explicit Runge-Kutta formulas where the suite over all methods does not look: systems of
// several loops, between the steps, and parameters of a stabilisation that depend on the step.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <filesystem>

#include "cases/reference.h"
#include "tests/order/fit_order.h"
#include "tests/support/problems.h"

namespace trammel::testing {
namespace {

using integrators::integrate;
using integrators::Options;
using integrators::RunResult;

RunResult run(const Problem& problem, const std::string& method, const integrators::MethodOptions& settings, int steps,
              const std::vector<integrators::Event>& events = {}) {
  Options options;
  options.method = method;
  options.method_options = settings;
  options.h_fixed = problem.t_end / steps;
  RunResult result = integrate(*problem.system, problem.start, problem.t_end, options, events);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  return result;
}

/// Seven bodies in three loops, M and G change with the position.
Problem seven_bodies() {
  const cases::Case c = cases::build_case(*cases::find_case("andrews"));
  const cases::Reference reference =
      cases::load_reference(std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases" / "reference" / "andrews.json");
  const dae::State exact = cases::to_state(c.system->structure(), reference.points.back());
  return {"andrews", c.system, c.start, exact.t, [exact](double) { return exact; }};
}

struct Orders {
  double q, v, lambda;
};

Orders measure_at_end(const Problem& problem, const std::string& method, const integrators::MethodOptions& settings,
                      int fewest) {
  std::vector<double> steps, q, v, lambda;
  const dae::State exact = problem.solution(problem.t_end);
  const double q_size = linalg::largest_abs(exact.q), v_size = linalg::largest_abs(exact.v);
  const double lambda_size = linalg::largest_abs(exact.lambda);
  for (int n = fewest; n <= 8 * fewest; n *= 2) {
    const Errors e = calc_errors(run(problem, method, settings, n).state, exact);
    steps.push_back(problem.t_end / n);
    q.push_back(e.q / q_size);
    v.push_back(e.v / v_size);
    lambda.push_back(e.lambda / lambda_size);
  }
  const auto fit = [&](const std::vector<double>& errors) { return fit_order(steps, errors, 1e-13); };
  return {fit(q), fit(v), fit(lambda)};
}

TEST(HalfExplicitOrder, IsFiveInSeveralLoopsWithAChangingMassMatrix) {
  const Problem problem = seven_bodies();
  for (const char* project : {"yes", "no"}) {
    const Orders order = measure_at_end(problem, "herk", {{"project", project}}, 150);
    std::printf("[ order    ] herk, andrews, project = %s: q %.2f v %.2f lambda %.2f\n", project, order.q, order.v,
                order.lambda);
    EXPECT_GT(order.q, 4.75);
    EXPECT_GT(order.v, 4.75);
    EXPECT_GT(order.lambda, 4.75);
  }
}

/// Order of the largest error of q and v that a switching function sees between the steps: nothing is projected there.
Orders measure_between_steps(const Problem& problem, const std::string& method) {
  std::vector<double> steps, q, v;
  for (int n = 100; n <= 800; n *= 2) {
    Errors worst;
    integrators::Event watcher;
    watcher.name = "watcher";
    watcher.function = [&](const dae::State& s) {
      const Errors e = calc_errors(s, problem.solution(s.t));
      worst.q = std::max(worst.q, e.q);
      worst.v = std::max(worst.v, e.v);
      return 1.0;
    };
    run(problem, method, {}, n, {watcher});
    steps.push_back(problem.t_end / n);
    q.push_back(worst.q);
    v.push_back(worst.v);
  }
  return {fit_order(steps, q, 2e-13), fit_order(steps, v, 2e-13), 0};
}

TEST(HalfExplicitOrder, BetweenTheStepsIsThatOfTheFormula) {
  for (const char* name : {"pendulum", "polar point"}) {
    const Orders order = measure_between_steps(smooth_problem(name), "herk");
    std::printf("[ order    ] herk between steps, %s: q %.2f v %.2f\n", name, order.q, order.v);
    EXPECT_GT(order.q, 4.75) << name;
    EXPECT_GT(order.v, 4.75) << name;
  }
}

// Feedback in every stage with alpha = beta = c/h: stages miss the constraints by O(h^2), which beta^2 makes O(1).
TEST(BaumgarteOrder, IsLostWhenStagesFeedBackWithParametersThatGrowLikeOneOverTheStep) {
  const Problem& problem = smooth_problem("pendulum");
  std::vector<double> steps, tied, in_stages;
  for (int n = 40; n <= 640; n *= 2) {
    const double h = problem.t_end / n;
    steps.push_back(h);
    const auto error = [&](const integrators::MethodOptions& settings) {
      return calc_errors(run(problem, "baumgarte", settings, n).state, problem.solution(problem.t_end)).q;
    };
    tied.push_back(error({{"c", "0.5"}}));
    in_stages.push_back(error({{"alpha", fmt::format("{}", 0.5 / h)}}));
  }
  const double kept = fit_order(steps, tied, 2e-13), lost = fit_order(steps, in_stages, 0);
  std::printf("[ order    ] baumgarte, pendulum: held through the step %.2f, in every stage %.2f\n", kept, lost);
  EXPECT_GT(kept, 4.75);
  EXPECT_LT(lost, 2.5);
}

TEST(BaumgarteOrder, OfFixedParametersIsThatOfTheFormula) {
  const Orders order = measure_at_end(smooth_problem("pendulum"), "baumgarte", {{"alpha", "5"}, {"beta", "5"}}, 40);
  std::printf("[ order    ] baumgarte, alpha = beta = 5: q %.2f v %.2f lambda %.2f\n", order.q, order.v, order.lambda);
  EXPECT_GT(order.q, 4.75);
  EXPECT_GT(order.v, 4.75);
  EXPECT_GT(order.lambda, 4.75);
}

}  // namespace
}  // namespace trammel::testing
