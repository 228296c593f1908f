// Measured orders of convergence at fixed step, for q, v and lambda separately, against closed solutions.

#include <gtest/gtest.h>

#include <map>

#include "tests/order/fit_order.h"
#include "tests/support/problems.h"

namespace trammel::testing {
namespace {

class Order : public ::testing::TestWithParam<std::string> {};

TEST_P(Order, OfPositionsVelocitiesAndMultipliersIsThatOfTheFormula) {
  const integrators::MethodEntry& entry = *integrators::find_method(GetParam());
  if (entry.changes_order) GTEST_SKIP() << "its order is measured formula by formula elsewhere";
  std::map<std::string, double> lowest;
  for (const Problem& problem : smooth_problems()) {
    if (!find_obstacles(entry, problem.system->structure(), {}).empty()) continue;
    std::vector<double> steps, q, v, lambda, x;
    for (int k = 0; k < 5; ++k) {
      const int n = 40 << k;
      integrators::Options options;
      options.method = entry.name;
      // Parameters that are tied to the step divide the round-off of the constraints by it, and soon it is all that is
      // left; explicit_order_test.cpp looks at them.
      if (entry.name == "baumgarte") options.method_options["alpha"] = "2";
      options.h_fixed = problem.t_end / n;
      options.output.kind = integrators::OutputKind::kSteps;
      // The largest error at eight times: at a single one, errors that change their sign spoil the slope.
      Errors worst;
      int step = 0;
      integrators::Observers observers;
      observers.output = [&](const dae::State& s) {
        if (step++ % (n / 8) != 0) return;
        const Errors e = calc_errors(s, problem.solution(s.t));
        worst = {std::max(worst.q, e.q), std::max(worst.v, e.v), std::max(worst.lambda, e.lambda),
                 std::max(worst.x, e.x)};
      };
      const integrators::RunResult result =
          integrate(*problem.system, problem.start, problem.t_end, options, {}, observers);
      ASSERT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
      ASSERT_EQ(result.statistics.steps, n);
      steps.push_back(options.h_fixed);
      q.push_back(worst.q);
      v.push_back(worst.v);
      lambda.push_back(worst.lambda);
      x.push_back(worst.x);
    }
    const auto note = [&](const std::vector<double>& errors, const char* what) {
      if (errors.back() == 0) return;  // not part of the problem
      const double order = fit_order(steps, errors, 2e-13);
      std::printf("[ order    ] %-12s %-22s %-7s %.2f\n", entry.name.c_str(), problem.name.c_str(), what, order);
      EXPECT_GT(order, entry.order - 0.25) << problem.name << ", " << what;
      const auto known = lowest.try_emplace(what, order).first;
      known->second = std::min(known->second, order);
    };
    note(q, "q");
    note(v, "v");
    note(lambda, "lambda");
    note(x, "x");
  }
  // A single problem may be kind to a formula, not all of them: what the formula claims is also what it has.
  for (const auto& [what, order] : lowest) EXPECT_LT(order, entry.order + 0.25) << what;
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const integrators::MethodEntry* entry : integrators::methods()) names.push_back(entry->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, Order, ::testing::ValuesIn(method_names()), [](const auto& method) {
  std::string name = method.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace trammel::testing
