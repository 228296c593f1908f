// The history of a backward differentiation formula: polynomials are reproduced, the coefficients at constant step are
// those of the textbooks, and a step that is taken back leaves no trace.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "trammel/integrators/implicit/bdf_history.h"

namespace trammel::integrators {
namespace {

using linalg::Vector;

// Times of unequal distance, the oldest first, and the end of the next step.
constexpr std::array kTimes{0.0, 0.11, 0.17, 0.30, 0.38, 0.45, 0.60};
constexpr double kEnd = 0.69;

/// 1 + s + ... + s^degree with s = t - 0.2, and its derivatives.
double calc_polynomial(double t, int degree, int derivative = 0) {
  double sum = 0;
  for (int i = derivative; i <= degree; ++i) {
    double factor = 1;
    for (int j = 0; j < derivative; ++j) factor *= i - j;
    sum += factor * std::pow(t - 0.2, i - derivative);
  }
  return sum;
}

/// Two components: the polynomial, and a constant far from zero.
Vector sample(double t, int degree) { return Vector{{calc_polynomial(t, degree), 1e6}}; }

BdfHistory make_history(int degree) {
  BdfHistory history(2);
  history.restart(kTimes[0], sample(kTimes[0], degree));
  for (std::size_t i = 1; i < kTimes.size(); ++i) history.add(kTimes[i], sample(kTimes[i], degree));
  return history;
}

TEST(BdfHistory, ReproducesPolynomialsUpToItsOrderAtAnySteps) {
  for (int k = 1; k <= BdfHistory::kLargestOrder; ++k) {
    BdfHistory history = make_history(k);
    history.set_step(kEnd, k);
    Vector y(2), rate(2), e(2), inside(2), derivative(2);
    history.predict(y);
    history.predict_rate(rate);
    EXPECT_NEAR(y[0], calc_polynomial(kEnd, k), 1e-12) << k;
    EXPECT_NEAR(rate[0], calc_polynomial(kEnd, k, 1), 1e-10) << k;
    EXPECT_EQ(y[1], 1e6) << "constants are reproduced to the last bit";
    EXPECT_EQ(rate[1], 0);
    history.calc_deviation(k, sample(kEnd, k), e);
    EXPECT_NEAR(e[0], 0, 1e-12) << k;
    history.interpolate(0.51, k, inside);
    EXPECT_NEAR(inside[0], calc_polynomial(0.51, k), 1e-12) << k;
    history.calc_derivative(k, sample(kEnd, k), derivative);
    EXPECT_NEAR(derivative[0] / calc_polynomial(kEnd, k, k), 1, 1e-9) << k;
  }
}

TEST(BdfHistory, HasTheCoefficientsOfTheTextbooksAtConstantStep) {
  // alpha_0 / beta_0 of the formulas of order 1 to 6.
  constexpr std::array leading{1.0, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60, 147.0 / 60};
  constexpr double h = 0.1;
  for (int k = 1; k <= 6; ++k) {
    BdfHistory history(1);
    // The formula y' = sum of weights times values: what each value contributes to y'_p - c_j y_p.
    const auto calc_weight = [&](int i) {
      history.restart(0, Vector{{i == 0 ? 1.0 : 0.0}});
      for (int j = 1; j <= k; ++j) history.add_before(-h * j, Vector{{i == j ? 1.0 : 0.0}});
      history.set_step(h, k);
      Vector y(1), rate(1);
      history.predict(y);
      history.predict_rate(rate);
      return rate[0] - history.leading_coefficient() * y[0];
    };
    // BDF of order k does not look at the oldest of the k + 1 values.
    EXPECT_NEAR(calc_weight(k), 0, 1e-9) << k;
    for (int i = 0; i < k; ++i) {
      // sum over j = i+1..k of (1/j) (-1)^(i+1) (j over i+1)
      double expected = 0;
      for (int j = i + 1; j <= k; ++j) {
        double binomial = 1;
        for (int l = 1; l <= i + 1; ++l) binomial *= static_cast<double>(j - l + 1) / l;
        expected += (i % 2 == 0 ? -1 : 1) * binomial / j;
      }
      EXPECT_NEAR(calc_weight(i) * h, expected, 1e-11) << "order " << k << ", value " << i;
    }
    EXPECT_NEAR(history.leading_coefficient() * h, leading[static_cast<std::size_t>(k - 1)], 1e-14);
    EXPECT_NEAR(history.error_constant(), 1.0 / (k + 1), 1e-14);
    EXPECT_NEAR(history.calc_term_factor(k), 1.0 / (k + 1), 1e-14);
    EXPECT_NEAR(history.defect() * (k + 1) / std::pow(h, k), -1, 1e-9);
  }
}

TEST(BdfHistory, KnowsByHowMuchTheFormulaIsWrong) {
  // On a polynomial of one degree more, the formula misses the rate by its defect and the derivative, at any steps.
  for (int k = 1; k < BdfHistory::kLargestOrder; ++k) {
    BdfHistory history = make_history(k + 1);
    history.set_step(kEnd, k);
    Vector y(2), rate(2), e(2);
    history.predict(y);
    history.predict_rate(rate);
    const Vector exact = sample(kEnd, k + 1);
    const double formula = rate[0] + history.leading_coefficient() * (exact[0] - y[0]);
    const double derivative = calc_polynomial(kEnd, k + 1, k + 1);
    EXPECT_NEAR(formula - calc_polynomial(kEnd, k + 1, 1), history.defect() * derivative, 1e-9) << k;
    history.calc_deviation(k, exact, e);
    const double h = kEnd - history.time(0);
    EXPECT_NEAR(history.calc_term_factor(k) * e[0] * (k + 1) / (std::pow(h, k + 1) * derivative), 1, 1e-6) << k;
  }
}

TEST(BdfHistory, TakesAStepBackToTheLastBit) {
  BdfHistory history = make_history(6), untouched = make_history(6);
  history.add(kEnd, sample(kEnd, 6));
  EXPECT_EQ(history.count(), untouched.count()) << "the oldest value fell out";
  history.remove_newest();
  ASSERT_EQ(history.count(), untouched.count());
  for (int i = 0; i < history.count(); ++i) {
    EXPECT_EQ(history.time(i), untouched.time(i));
    EXPECT_EQ(Vector(history.value(i)), Vector(untouched.value(i)));
  }
  history.set_step(kEnd, 6);
  untouched.set_step(kEnd, 6);
  Vector a(2), b(2);
  history.predict(a);
  untouched.predict(b);
  EXPECT_EQ(a, b);
}

TEST(BdfHistory, BeginsAnewWithOneValue) {
  BdfHistory history = make_history(3);
  history.restart(1, Vector{{4.0, 5.0}});
  EXPECT_EQ(history.count(), 1);
  EXPECT_THROW(history.remove_newest(), std::logic_error);
  history.add_before(0.9, Vector{{3.0, 5.0}});
  EXPECT_THROW(history.add_before(0.95, Vector{{3.0, 5.0}}), std::logic_error) << "older values come from before";
  history.set_step(1.1, 1);
  Vector y(2);
  history.predict(y);
  EXPECT_NEAR(y[0], 5, 1e-12);
}

}  // namespace
}  // namespace trammel::integrators
