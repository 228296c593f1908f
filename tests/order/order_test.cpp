// Measured orders of convergence at fixed step, for q, v and lambda separately, against closed solutions.

#include "tests/support/problems.h"

namespace trammel::testing {
namespace {

/// Slope of log(error) against log(h) over halved steps, by least squares; errors at round-off are left out.
double fit_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (errors[i] <= floor) continue;
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return n < 3 ? std::nan("") : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

class Order : public ::testing::TestWithParam<std::string> {};

TEST_P(Order, OfPositionsVelocitiesAndMultipliersIsThatOfTheFormula) {
  const integrators::MethodEntry& entry = *integrators::find_method(GetParam());
  for (const Problem& problem : smooth_problems()) {
    if (!find_obstacles(entry, problem.system->structure(), {}).empty()) continue;
    std::vector<double> steps, q, v, lambda, x;
    for (int k = 0; k < 6; ++k) {
      integrators::Options options;
      options.method = entry.name;
      options.h_fixed = problem.t_end / (30 << k);
      const integrators::RunResult result = integrate(*problem.system, problem.start, problem.t_end, options);
      ASSERT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
      ASSERT_EQ(result.statistics.steps, 30 << k);
      const Errors e = calc_errors(result.state, problem.solution(problem.t_end));
      steps.push_back(options.h_fixed);
      q.push_back(e.q);
      v.push_back(e.v);
      lambda.push_back(e.lambda);
      x.push_back(e.x);
    }
    const auto expect_order = [&](const std::vector<double>& errors, const char* what) {
      if (errors.front() == 0) return;  // not part of the problem
      const double order = fit_order(steps, errors, 2e-13);
      EXPECT_NEAR(order, entry.order, 0.25) << problem.name << ", " << what;
      std::printf("[ order    ] %-12s %-22s %-7s %.2f\n", entry.name.c_str(), problem.name.c_str(), what, order);
    };
    expect_order(q, "q");
    expect_order(v, "v");
    expect_order(lambda, "lambda");
    expect_order(x, "x");
  }
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const integrators::MethodEntry* entry : integrators::methods()) names.push_back(entry->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, Order, ::testing::ValuesIn(method_names()), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace trammel::testing
