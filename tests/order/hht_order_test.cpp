// The order of hht at fixed step for every alpha, and of newmark with damping, for q, v, the accelerations and the
// multipliers that users are given; where the mass matrix depends on the position, too.

#include <gtest/gtest.h>

#include "tests/order/fit_order.h"
#include "tests/support/problems.h"

namespace trammel::testing {
namespace {

struct Orders {
  double q, v, lambda;
};

Orders measure(const Problem& problem, const std::string& method, const integrators::MethodOptions& settings) {
  std::vector<double> steps, q, v, lambda;
  for (int n = 320; n <= 5120; n *= 2) {
    integrators::Options options;
    options.method = method;
    options.method_options = settings;
    options.h_fixed = problem.t_end / n;
    options.output.kind = integrators::OutputKind::kSteps;
    Errors worst;
    int step = 0;
    integrators::Observers observers;
    observers.output = [&](const dae::State& s) {
      if (step++ % (n / 16) != 0) return;
      const Errors e = calc_errors(s, problem.solution(s.t));
      worst = {std::max(worst.q, e.q), std::max(worst.v, e.v), std::max(worst.lambda, e.lambda), 0};
    };
    const auto result = integrate(*problem.system, problem.start, problem.t_end, options, {}, observers);
    EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
    steps.push_back(options.h_fixed);
    q.push_back(worst.q);
    v.push_back(worst.v);
    lambda.push_back(worst.lambda);
  }
  const auto fit = [&](const std::vector<double>& errors) { return fit_order(steps, errors, 1e-11); };
  return {fit(q), fit(v), fit(lambda)};
}

TEST(HhtOrder, IsTwoForEveryAlpha) {
  for (const char* name : {"pendulum", "bead on turning line", "knife edge", "polar point"}) {
    for (const char* alpha : {"-0.3333333", "-0.3", "-0.2", "-0.1", "-0.05", "0"}) {
      const Orders order = measure(smooth_problem(name), "hht", {{"alpha", alpha}});
      std::printf("[ order    ] hht %-10s %-22s q %.2f v %.2f lambda %.2f\n", alpha, name, order.q, order.v,
                  order.lambda);
      EXPECT_NEAR(order.q, 2, 0.1) << name << ", alpha = " << alpha;
      EXPECT_NEAR(order.v, 2, 0.1) << name << ", alpha = " << alpha;
      EXPECT_NEAR(order.lambda, 2, 0.1) << name << ", alpha = " << alpha;
    }
  }
}

// Without the projection the velocities across the constraints ring; alpha must damp them.
TEST(HhtOrder, IsTwoWithConsistentAccelerationsAloneWhereAlphaDamps) {
  for (const char* name : {"pendulum", "polar point"}) {
    const Orders order = measure(smooth_problem(name), "hht", {{"alpha", "-0.3"}, {"after_step", "accelerations"}});
    EXPECT_NEAR(order.q, 2, 0.1) << name;
    EXPECT_NEAR(order.v, 2, 0.1) << name;
    EXPECT_NEAR(order.lambda, 2, 0.1) << name;
  }
}

TEST(HhtOrder, OfTheBareSchemeIsTwoWhereTheMassIsConstant) {
  const Orders order = measure(smooth_problem("pendulum"), "hht", {{"after_step", "nothing"}});
  std::printf("[ order    ] hht bare: q %.2f v %.2f lambda %.2f\n", order.q, order.v, order.lambda);
  EXPECT_NEAR(order.q, 2, 0.1);
  EXPECT_NEAR(order.v, 2, 0.1);
}

TEST(NewmarkOrder, IsTwoForTheTrapezoidalRuleAndOneWithDamping) {
  for (const char* name : {"pendulum", "polar point"}) {
    EXPECT_NEAR(measure(smooth_problem(name), "newmark", {}).q, 2, 0.1) << name;
    EXPECT_NEAR(measure(smooth_problem(name), "newmark", {{"gamma", "0.7"}}).q, 1, 0.1) << name;
  }
}

}  // namespace
}  // namespace trammel::testing
