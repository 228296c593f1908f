// Orders 1 to 6 of bdf-i3 at fixed step and from an exact history, for q, v and lambda, in both forms of its equations;
// variable step and order against the tolerance; and what the two forms do to the condition of Newton's matrix.

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "cases/case.h"
#include "tests/order/fit_order.h"
#include "tests/support/problems.h"
#include "trammel/integrators/implicit/bdf_index3.h"

namespace trammel::testing {
namespace {

using integrators::BdfForm;
using integrators::BdfIndex3;
using integrators::BdfIndex3Options;

/// A problem that begins where its past is known.
struct Known {
  std::string name;
  const dae::ConstrainedSystem& system;
  dae::State start;
  double t_end;
  std::function<dae::State(double t)> solution;
};

Known pendulum() {
  const Problem& p = smooth_problem("pendulum");
  return {p.name, *p.system, p.start, p.t_end, p.solution};
}

/// The oscillator of the lecture from t = 1 on; its past and its reference by a tight run of an explicit method.
Known oscillator() {
  static const cases::Case c = cases::build_case(*cases::find_case("mass-spring-damper"));
  static std::map<double, dae::State> known;
  const auto solution = [](double t) {
    const auto found = known.find(t);
    if (found != known.end()) return found->second;
    integrators::Options options = integrators::Options::with_tolerance(1e-13);
    options.method = "projection";
    return known[t] = integrate(*c.system, c.start, t, options).state;
  };
  return {"mass-spring-damper", *c.system, solution(1), 2, solution};
}

/// The exercise of the lecture, whose state is y = 1/t.
Known exercise() {
  static const cases::Case c = cases::build_case(*cases::find_case("bdf-exercise"));
  const auto solution = [](double t) {
    dae::State s = c.start;
    s.t = t;
    s.q << 1 / t;
    s.v << -1 / (t * t);
    s.x << 1 / t;
    return s;
  };
  return {"bdf-exercise", *c.system, c.start, 4, solution};
}

integrators::MethodEntry bdf(const BdfIndex3Options& options, BdfIndex3** made = nullptr) {
  integrators::MethodEntry entry = *integrators::find_method("bdf-i3");
  entry.make = [options, made](const integrators::MethodContext& context) -> std::unique_ptr<integrators::Method> {
    auto method = std::make_unique<BdfIndex3>(context, options);
    if (made) *made = method.get();
    return method;
  };
  return entry;
}

/// The largest errors at eight times of a run with n steps of order k.
Errors run(const Known& problem, int k, BdfForm form, int n, dae::State* end = nullptr) {
  BdfIndex3Options settings;
  settings.max_order = k;
  settings.fixed_order = true;
  settings.form = form;
  settings.past = problem.solution;
  integrators::Options options = integrators::Options::with_tolerance(1e-11);
  options.h_fixed = (problem.t_end - problem.start.t) / n;
  options.output.kind = integrators::OutputKind::kSteps;
  Errors worst;
  int step = 0;
  integrators::Observers observers;
  observers.output = [&](const dae::State& s) {
    if (step++ % (n / 8) != 0) return;
    const double t = problem.start.t + (problem.t_end - problem.start.t) * (step - 1) / n;
    const Errors e = calc_errors(s, problem.solution(t));
    worst = {std::max(worst.q, e.q), std::max(worst.v, e.v), std::max(worst.lambda, e.lambda), std::max(worst.x, e.x)};
  };
  const auto result =
      integrate_with(bdf(settings), problem.system, problem.start, problem.t_end, options, {}, observers);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
  EXPECT_EQ(result.statistics.steps, n);
  if (end) *end = result.state;
  return worst;
}

void expect_order(const Known& problem, int k, BdfForm form, int coarsest) {
  std::vector<double> steps;
  std::map<std::string, std::vector<double>> errors;
  for (int n = coarsest; n <= 8 * coarsest; n *= 2) {
    const Errors e = run(problem, k, form, n);
    steps.push_back(1.0 / n);
    errors["q"].push_back(e.q);
    errors["v"].push_back(e.v);
    errors["lambda"].push_back(e.lambda);
    errors["x"].push_back(e.x);
  }
  for (const auto& [what, values] : errors) {
    if (values.back() == 0) continue;  // not part of the problem
    const double order = fit_order(steps, values, 3e-13);
    std::printf("[ order    ] bdf-i3 %d %-12s %-19s %-7s %.2f  (%.1e ... %.1e)\n", k,
                form == BdfForm::kFirstOrder ? "first-order" : "second-order", problem.name.c_str(), what.c_str(),
                order, values.front(), values.back());
    EXPECT_NEAR(order, k, 0.3) << problem.name << ", " << what;
  }
}

constexpr std::array kForms{BdfForm::kSecondOrder, BdfForm::kFirstOrder};

TEST(BdfOrder, IsThatOfTheFormulaUnderAConstraint) {
  constexpr std::array coarsest{640, 640, 320, 320, 160, 80};
  for (const BdfForm form : kForms) {
    for (int k = 1; k <= 6; ++k) expect_order(pendulum(), k, form, coarsest[static_cast<std::size_t>(k - 1)]);
  }
}

TEST(BdfOrder, IsThatOfTheFormulaOnTheOscillatorOfTheLecture) {
  constexpr std::array coarsest{640, 320, 160, 40, 32, 24};
  for (const BdfForm form : kForms) {
    for (int k = 1; k <= 6; ++k) expect_order(oscillator(), k, form, coarsest[static_cast<std::size_t>(k - 1)]);
  }
}

TEST(BdfOrder, IsSixOnTheExerciseOfTheLecture) {
  for (const BdfForm form : kForms) expect_order(exercise(), 6, form, 120);
}

TEST(BdfOrder, LetsTheErrorFollowTheToleranceAtVariableStepAndOrder) {
  const Problem& problem = smooth_problem("pendulum");
  std::vector<double> tolerances, errors;
  int largest_order = 0;
  for (double tolerance = 1e-4; tolerance > 0.9e-9; tolerance /= 10) {
    integrators::Options options = integrators::Options::with_tolerance(tolerance);
    options.h_max = problem.t_end;
    options.output.kind = integrators::OutputKind::kSteps;
    BdfIndex3* method = nullptr;
    double worst = 0;
    integrators::Observers observers;
    observers.output = [&](const dae::State& s) {
      worst = std::max(worst, calc_errors(s, problem.solution(s.t)).q);
      largest_order = std::max(largest_order, method->order());
    };
    const auto result =
        integrate_with(bdf({}, &method), *problem.system, problem.start, problem.t_end, options, {}, observers);
    ASSERT_EQ(result.status, integrators::RunStatus::kCompleted) << result.reason;
    EXPECT_LT(result.statistics.rejected_error, 0.1 * static_cast<double>(result.statistics.steps));
    EXPECT_LT(result.drift.velocity, 1e-12) << "velocities satisfy their constraints";
    tolerances.push_back(tolerance);
    errors.push_back(worst);
  }
  const double slope = fit_order(tolerances, errors, 0);
  std::printf("[ order    ] bdf-i3 variable: error ~ tolerance^%.2f, orders up to %d\n", slope, largest_order);
  EXPECT_GT(slope, 0.7);
  EXPECT_GT(largest_order, 3);
}

// The divided constraints of the second-order form keep the matrix well behaved; that of the first-order form gets
// worse with every decade of the step.
TEST(BdfCondition, StaysBoundedInSecondOrderForm) {
  const Problem& problem = smooth_problem("pendulum");
  for (const BdfForm form : kForms) {
    BdfIndex3Options settings;
    settings.form = form;
    BdfIndex3* method = nullptr;
    std::vector<double> rcond;
    integrators::Observers observers;
    observers.output = [&](const dae::State& s) {
      if (s.t < problem.t_end) return;
      for (double h = 1e-2; h > 0.5e-6; h /= 10) rcond.push_back(method->calc_rcond(h));
    };
    const auto result = integrate_with(bdf(settings, &method), *problem.system, problem.start, problem.t_end,
                                       integrators::Options::with_tolerance(1e-6), {}, observers);
    ASSERT_EQ(rcond.size(), 5u) << result.reason;
    std::printf("[ rcond    ] %-12s %.1e %.1e %.1e %.1e %.1e\n",
                form == BdfForm::kFirstOrder ? "first-order" : "second-order", rcond[0], rcond[1], rcond[2], rcond[3],
                rcond[4]);
    if (form == BdfForm::kSecondOrder) {
      EXPECT_GT(rcond.back(), 0.5 * rcond.front());
    } else {
      EXPECT_LT(rcond.back(), 1e-8 * rcond.front());
    }
  }
}

TEST(BdfOrder, BothFormsAreTheSameFormula) {
  for (const Known& problem : {pendulum(), oscillator(), exercise()}) {
    for (int k = 1; k <= 6; ++k) {
      dae::State second, first;
      run(problem, k, BdfForm::kSecondOrder, 400, &second);
      run(problem, k, BdfForm::kFirstOrder, 400, &first);
      const Errors e = calc_errors(first, second);
      EXPECT_LT(std::max({e.q, e.v, e.x}), 1e-9) << problem.name << ", order " << k;
      EXPECT_LT(e.lambda, 1e-8) << problem.name << ", order " << k;
    }
  }
}

}  // namespace
}  // namespace trammel::testing
