#include "trammel/math/newton.h"

#include <gtest/gtest.h>

namespace trammel::math {
namespace {

TEST(Newton, FindsASquareRootAndStopsWhenItIsNearEnough) {
  double x = 1;
  const auto correct = [&] {
    const double step = (2 - x * x) / (2 * x);
    x += step;
    return std::abs(step);
  };
  const NewtonOutcome outcome = iterate_newton(correct, {.max_iterations = 20, .tolerance = 1e-10});
  EXPECT_TRUE(outcome.converged());
  EXPECT_NEAR(x, std::sqrt(2.0), 1e-10);
  EXPECT_LE(outcome.iterations, 6);
}

TEST(Newton, EstimatesTheDistanceFromTheRateOfALinearIteration) {
  // Corrections 2^-k: the distance after k of them is 2^-k, and the test must not stop before it is 1e-3.
  double x = 0, step = 1;
  const auto correct = [&] {
    x += step *= 0.5;
    return step;
  };
  const NewtonOutcome outcome = iterate_newton(correct, {.max_iterations = 30, .tolerance = 1e-3});
  EXPECT_TRUE(outcome.converged());
  EXPECT_LE(1 - x, 1e-3);
  EXPECT_GE(1 - x, 1e-4) << "iterated further than asked";
  EXPECT_DOUBLE_EQ(outcome.rate, 0.5);
}

TEST(Newton, GivesUpEarlyWhenTheForecastIsBad) {
  int calls = 0;
  double step = 1;
  const auto slow = [&] {
    ++calls;
    return step *= 0.8;
  };
  EXPECT_EQ(iterate_newton(slow, {.max_iterations = 10, .tolerance = 1e-6}).status, NewtonStatus::kTooSlow);
  EXPECT_EQ(calls, 2);
}

TEST(Newton, TellsDivergenceFromFailure) {
  double step = 1;
  EXPECT_EQ(iterate_newton([&] { return step *= 3; }, {}).status, NewtonStatus::kDiverged);
  EXPECT_EQ(iterate_newton([] { return std::nan(""); }, {}).status, NewtonStatus::kFailed);
}

TEST(Newton, AKnownRateAllowsToStopAfterOneIteration) {
  const NewtonOutcome outcome = iterate_newton([] { return 0.05; }, {.max_iterations = 5, .tolerance = 0.01}, 0.1);
  EXPECT_TRUE(outcome.converged());
  EXPECT_EQ(outcome.iterations, 1);
}

TEST(Newton, AVerySmallKnownRateDoesNotExcuseALargeFirstCorrection) {
  double step = 100;
  const auto correct = [&] { return step *= 0.01; };
  const NewtonOutcome outcome = iterate_newton(correct, {.max_iterations = 5, .tolerance = 1e-3}, 1e-9);
  EXPECT_TRUE(outcome.converged());
  EXPECT_GE(outcome.iterations, 2);
}

}  // namespace
}  // namespace trammel::math
