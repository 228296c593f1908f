#include "trammel/math/spline.h"

#include <gtest/gtest.h>

#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>

namespace trammel::math {
namespace {

using Data = std::vector<double>;
using Maker = Spline (*)(std::span<const double>, std::span<const double>, Extrapolation);

constexpr double kPi = std::numbers::pi;

Data uniform(double from, double to, int intervals) {
  Data x;
  for (int i = 0; i <= intervals; ++i) x.push_back(from + (to - from) * i / intervals);
  return x;
}

Data map(const std::function<double(double)>& f, Data x) {
  for (double& v : x) v = f(v);
  return x;
}

/// Knots on [from, to] whose neighbouring intervals have lengths 1 : 2.
Data alternating(double from, double to, int pairs) {
  Data x{from};
  for (int i = 0; i < pairs; ++i) {
    x.push_back(from + (to - from) * (3 * i + 1) / (3 * pairs));
    x.push_back(from + (to - from) * (3 * i + 3) / (3 * pairs));
  }
  return x;
}

/// The largest error of one of the calc_ functions at many places between the knots.
double largest_error(const Spline& s, double (Spline::*calc)(const double&) const,
                     const std::function<double(double)>& f) {
  double error = 0;
  for (const double x : uniform(s.knots().front(), s.knots().back(), 7919))
    error = std::max(error, std::abs((s.*calc)(x)-f(x)));
  return error;
}

const auto kValue = &Spline::calc_value<double>;
const auto kSlope = &Spline::calc_derivative<double>;
const auto kCurvature = &Spline::calc_second_derivative<double>;

double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double minus_sine(double x) { return -std::sin(x); }

/// Checks that f throws an exception of type E with exactly this message.
template <class E>
void expect_message(const std::string& message, const std::function<void()>& f) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown, but expected: " << message;
  } catch (const E& e) {
    EXPECT_EQ(e.what(), message);
  }
}

class EverySpline : public testing::TestWithParam<Maker> {
 protected:
  Spline make(const Data& x, const Data& y, Extrapolation e = Extrapolation::kLinear) const {
    return GetParam()(x, y, e);
  }

  const Data x_{-1.0, 0.2, 0.9, 2.5, 3.0, 4.2, 6.0};
  const Data y_{2.0, -1.0, 0.5, 0.7, 4.0, 4.1, -2.0};
};

std::string kind(const testing::TestParamInfo<Maker>& p) {
  return p.param == &Spline::linear ? "Linear" : p.param == &Spline::natural ? "Natural" : "Akima";
}

INSTANTIATE_TEST_SUITE_P(AllKinds, EverySpline, testing::Values(&Spline::linear, &Spline::natural, &Spline::akima),
                         kind);

class SmoothSpline : public EverySpline {};

INSTANTIATE_TEST_SUITE_P(NaturalAndAkima, SmoothSpline, testing::Values(&Spline::natural, &Spline::akima), kind);

TEST_P(EverySpline, PassesThroughItsPoints) {
  const Spline s = make(x_, y_);
  for (std::size_t i = 0; i < x_.size(); ++i) EXPECT_NEAR(s.calc_value(x_[i]), y_[i], 2e-15);
  EXPECT_EQ(s.knots(), x_);
}

TEST_P(EverySpline, ReproducesLines) {
  const Data x{-3.0, -1.1, 0.4, 0.5, 7.0};
  const Spline s = make(x, map([](double v) { return 2.0 - 0.7 * v; }, x));
  for (const double v : uniform(-5, 9, 100)) {
    EXPECT_NEAR(s.calc_value(v), 2.0 - 0.7 * v, 4e-15);
    EXPECT_NEAR(s.calc_derivative(v), -0.7, 3e-15);
    EXPECT_NEAR(s.calc_second_derivative(v), 0.0, 5e-14);
  }
}

TEST_P(EverySpline, IsTheStraightLineThroughTwoPoints) {
  const Spline s = make({1, 3}, {5, -1});
  for (const double v : {0.0, 1.0, 1.5, 3.0, 4.0}) {
    EXPECT_EQ(s.calc_value(v), 8 - 3 * v);
    EXPECT_EQ(s.calc_derivative(v), -3);
    EXPECT_EQ(s.calc_second_derivative(v), 0);
  }
}

TEST_P(SmoothSpline, HasContinuousSlope) {
  const Spline s = make(x_, y_);
  for (std::size_t i = 1; i + 1 < x_.size(); ++i) {
    const double before = std::nextafter(x_[i], -1e9);
    EXPECT_NEAR(s.calc_value(before), s.calc_value(x_[i]), 1e-14);
    EXPECT_NEAR(s.calc_derivative(before), s.calc_derivative(x_[i]), 1e-13);
  }
}

TEST_P(EverySpline, ContinuesByItsEndSlope) {
  const Spline s = make(x_, y_, Extrapolation::kLinear);
  const double left = s.calc_derivative(-1.0), right = s.calc_derivative(6.0);
  EXPECT_DOUBLE_EQ(s.calc_value(-3.0), 2.0 - 2 * left);
  EXPECT_DOUBLE_EQ(s.calc_value(7.5), -2.0 + 1.5 * right);
  EXPECT_EQ(s.calc_derivative(-3.0), left);
  EXPECT_NEAR(s.calc_derivative(7.5), right, 1e-14);
  EXPECT_EQ(s.calc_second_derivative(-3.0), 0);
  EXPECT_EQ(s.calc_second_derivative(7.5), 0);
}

TEST_P(EverySpline, ClampsToItsEndValue) {
  const Spline s = make(x_, y_, Extrapolation::kClamp);
  EXPECT_EQ(s.calc_value(-3.0), 2.0);
  EXPECT_EQ(s.calc_value(7.5), -2.0);
  EXPECT_EQ(s.calc_derivative(-3.0), 0);
  EXPECT_EQ(s.calc_derivative(7.5), 0);
  // Inside, the end points included, nothing changes.
  const Spline linear = make(x_, y_);
  for (const double v : {-1.0, 1.0, 6.0}) EXPECT_EQ(s.calc_derivative(v), linear.calc_derivative(v));
  EXPECT_NE(s.calc_derivative(6.0), 0);
}

TEST_P(EverySpline, RefusesToExtrapolate) {
  const Spline s = make(x_, y_, Extrapolation::kRefuse);
  EXPECT_EQ(s.calc_value(-1.0), 2.0);
  EXPECT_NEAR(s.calc_value(6.0), -2.0, 2e-15);
  expect_message<std::out_of_range>("spline: 6.5 is outside of the data, which reach from -1 to 6",
                                    [&] { s.calc_value(6.5); });
  expect_message<std::out_of_range>("spline: -2 is outside of the data, which reach from -1 to 6",
                                    [&] { s.calc_derivative(-2.0); });
  EXPECT_THROW(s.calc_second_derivative(std::nan("")), std::out_of_range);
}

TEST_P(EverySpline, PassesUndefinedArgumentsOn) { EXPECT_TRUE(std::isnan(make(x_, y_).calc_value(std::nan("")))); }

TEST_P(EverySpline, DifferentiatesThroughDuals) {
  const Spline s = make(x_, y_);
  const auto f = [&](const auto& v) { return s.calc_value(v); };
  const auto slope = [&](const auto& v) { return derivative(f, v); };
  for (const double v : {-2.0, -1.0, -0.3, 0.9, 1.0, 2.7, 5.9, 6.0, 8.0}) {
    EXPECT_NEAR(derivative(f, v), s.calc_derivative(v), 2e-14) << v;
    EXPECT_NEAR(derivative(slope, v), s.calc_second_derivative(v), 1e-13) << v;
    EXPECT_NEAR(derivative([&](const auto& u) { return s.calc_derivative(u); }, v), s.calc_second_derivative(v), 1e-13)
        << v;
  }
  // Along a curve: d/du s(u^2).
  EXPECT_NEAR(derivative([&](const auto& u) { return s.calc_value(u * u); }, 1.3), 2.6 * s.calc_derivative(1.69),
              1e-14);
}

TEST_P(EverySpline, NamesWhatIsWrongWithItsData) {
  const auto check = [&](const std::string& message, const Data& x, const Data& y) {
    expect_message<std::invalid_argument>(message, [&] { make(x, y); });
  };
  check("spline: at least 2 points are needed, not 0", {}, {});
  check("spline: at least 2 points are needed, not 1", {1}, {1});
  check("spline: there are 3 x but 2 y", {1, 2, 3}, {1, 2});
  check("spline: x must increase, but x[2] = 2 comes after x[1] = 2", {1, 2, 2, 3}, {0, 0, 0, 0});
  check("spline: x must increase, but x[3] = 2.5 comes after x[2] = 4", {1, 2, 4, 2.5}, {0, 0, 0, 0});
  check("spline: x[1] is not a finite number (nan)", {1, std::nan(""), 4}, {0, 0, 0});
  check("spline: y[2] is not a finite number (inf)", {1, 2, 4}, {0, 0, HUGE_VAL});
}

TEST(LinearSpline, IsStraightBetweenItsPoints) {
  const Spline s = Spline::linear(Data{0, 1, 3, 4}, Data{1, 3, -1, -1});
  EXPECT_EQ(s.calc_value(0.25), 1.5);
  EXPECT_EQ(s.calc_value(1.5), 2);
  EXPECT_EQ(s.calc_value(3.7), -1);
  for (const double v : {-1.0, 0.5, 2.0, 3.5, 5.0}) EXPECT_EQ(s.calc_second_derivative(v), 0) << v;
}

TEST(LinearSpline, TakesTheSlopeToTheRightOfAPoint) {
  const Spline s = Spline::linear(Data{0, 1, 3}, Data{1, 3, -1});
  EXPECT_EQ(s.calc_derivative(0.0), 2);
  EXPECT_EQ(s.calc_derivative(std::nextafter(1.0, 0.0)), 2);
  EXPECT_EQ(s.calc_derivative(1.0), -2);
  EXPECT_EQ(s.calc_derivative(3.0), -2);
}

TEST(LinearSpline, ConvergesWithOrderTwo) {
  const auto error = [](int n) {
    const Data x = uniform(0, kPi, n);
    return largest_error(Spline::linear(x, map(sine, x)), kValue, sine);
  };
  EXPECT_NEAR(std::log2(error(40) / error(80)), 2, 0.01);
}

TEST(EveryKindOfSpline, KnowsHowManyDerivativesAreContinuous) {
  const Data x{0, 1, 1.5, 4, 5}, y{1, -1, 3, 0, 2};
  const auto jump = [](const Spline& s, auto calc) {
    return std::abs((s.*calc)(std::nextafter(1.5, 0.0)) - (s.*calc)(1.5));
  };
  const Spline linear = Spline::linear(x, y), akima = Spline::akima(x, y), natural = Spline::natural(x, y);
  EXPECT_EQ(linear.continuous_derivatives(), 0);
  EXPECT_GT(jump(linear, kSlope), 1);
  EXPECT_EQ(akima.continuous_derivatives(), 1);
  EXPECT_LT(jump(akima, kSlope), 1e-13);
  EXPECT_GT(jump(akima, kCurvature), 1);
  EXPECT_EQ(natural.continuous_derivatives(), 2);
  EXPECT_LT(jump(natural, kCurvature), 1e-13);
}

TEST(NaturalSpline, HasNoCurvatureAtItsEnds) {
  const Spline s = Spline::natural(Data{0, 1, 1.5, 4, 5}, Data{1, -1, 3, 0, 2});
  EXPECT_NEAR(s.calc_second_derivative(0.0), 0, 1e-14);
  EXPECT_NEAR(s.calc_second_derivative(5.0), 0, 1e-14);
  EXPECT_GT(std::abs(s.calc_second_derivative(1.0)), 1);
}

TEST(NaturalSpline, HasContinuousCurvature) {
  const Data x{0, 1, 1.5, 4, 5};
  const Spline s = Spline::natural(x, Data{1, -1, 3, 0, 2});
  for (const double knot : {1.0, 1.5, 4.0})
    EXPECT_NEAR(s.calc_second_derivative(std::nextafter(knot, 0.0)), s.calc_second_derivative(knot), 1e-13);
}

TEST(NaturalSpline, ReproducesThePiecewiseCubicThatIsNatural) {
  // y'' is the hat function with y''(0) = 0, y''(1) = 1, y''(3) = 0, and y(0) = 0, y'(0) = 1.
  const auto f = [](double v) {
    const double s = v - 1;
    return v < 1 ? v + v * v * v / 6 : 7.0 / 6 + 1.5 * s + s * s / 2 - s * s * s / 12;
  };
  const Data x{0, 0.3, 1, 1.8, 2.1, 3};
  const Spline s = Spline::natural(x, map(f, x));
  EXPECT_LT(largest_error(s, kValue, f), 3e-15);  // a few last places of f(3) = 5.5
}

TEST(NaturalSpline, ConvergesWithOrderFourWhereTheEndsAreStraight) {
  // sin'' = 0 at 0 and pi.
  const auto orders = [](auto calc, auto f) {
    const auto error = [&](int n) {
      const Data x = uniform(0, kPi, n);
      return largest_error(Spline::natural(x, map(sine, x)), calc, f);
    };
    return std::log2(error(20) / error(40));
  };
  EXPECT_NEAR(orders(kValue, sine), 4, 0.05);
  EXPECT_NEAR(orders(kSlope, cosine), 3, 0.05);
  EXPECT_NEAR(orders(kCurvature, minus_sine), 2, 0.05);
}

TEST(NaturalSpline, ConvergesWithOrderTwoWhereTheEndsAreCurved) {
  const auto error = [](int n) {
    const Data x = uniform(0, kPi / 2, n);
    return largest_error(Spline::natural(x, map(sine, x)), kValue, sine);
  };
  EXPECT_NEAR(std::log2(error(40) / error(80)), 2, 0.05);
}

TEST(NaturalSpline, OvershootsAStep) {
  const Spline s = Spline::natural(Data{0, 1, 2, 3, 4, 5}, Data{0, 0, 0, 1, 1, 1});
  EXPECT_LT(s.calc_value(1.5), -0.05);
}

TEST(AkimaSpline, HasThePublishedSlopes) {
  // The data of Akima (1970); slopes by his formula, with the chords (0 0 0 0 0) 0.5 4.5 35 10 25 and 40 55 added at
  // the end.
  const Data x = uniform(0, 10, 10), y{10, 10, 10, 10, 10, 10, 10.5, 15, 50, 60, 85};
  const Spline s = Spline::akima(x, y);
  const Data slopes{0, 0, 0, 0, 0, 0, 17.5 / 31, 252.5 / 29, 830.0 / 45.5, 775.0 / 40, 32.5};
  for (int i = 0; i <= 10; ++i) EXPECT_NEAR(s.calc_derivative(1.0 * i), slopes[i], 2e-14) << "point " << i;
  // The flat part stays flat up to its last point.
  for (const double v : uniform(0, 5, 50)) EXPECT_EQ(s.calc_value(v), 10);
}

TEST(AkimaSpline, TakesTheMeanSlopeAtACornerBetweenStraightParts) {
  // Two equal chords on either side: Akima's rule for 0 / 0.
  EXPECT_EQ(Spline::akima(Data{0, 1, 2, 3, 4}, Data{2, 1, 0, 1, 2}).calc_derivative(2.0), 0);
  EXPECT_EQ(Spline::akima(Data{0, 1, 2, 4, 5}, Data{0, 1, 2, 8, 11}).calc_derivative(2.0), 2);
}

TEST(AkimaSpline, KnowsEqualSlopesInRoundedData) {
  // As above, with numbers that are not exact in binary: the chords differ in their last digits.
  for (const double shift : {0.0, 0.7, 12.3, -1000.1}) {
    const Data x = uniform(shift + 0.1, shift + 0.9, 8);
    const Data y = map([&](double v) { return std::abs(v - x[4]) / 3 + 0.3 * v; }, x);
    EXPECT_NEAR(Spline::akima(x, y).calc_derivative(x[4]), 0.3, 1e-11) << shift;
  }
}

TEST(AkimaSpline, DoesNotOvershootAStep) {
  const Spline s = Spline::akima(uniform(0, 7, 7), Data{0, 0, 0, 0, 1, 1, 1, 1});
  double previous = 0;
  for (const double v : uniform(0, 7, 700)) {
    const double value = s.calc_value(v);
    EXPECT_GE(value, previous - 1e-15);
    EXPECT_LE(value, 1 + 1e-15);
    previous = value;
  }
  EXPECT_EQ(s.calc_value(2.5), 0);
  EXPECT_EQ(s.calc_value(4.5), 1);
}

TEST(AkimaSpline, ReproducesAParabolaOnUniformKnots) {
  const auto f = [](double v) { return 1 - 2 * v + 3 * v * v; };
  for (const int intervals : {2, 3, 4, 9}) {  // from three points on
    const Data x = uniform(-1, 2, intervals);
    EXPECT_LT(largest_error(Spline::akima(x, map(f, x)), kValue, f), 1e-14) << intervals;
  }
}

TEST(AkimaSpline, FollowsItsRuleWithThreeAndFourPoints) {
  // Chords 1, 3 of lengths 1, 2 with -1, -3 before and 5, 7 after them: all steps are equal, so all slopes are means.
  const Spline three = Spline::akima(Data{0, 1, 3}, Data{0, 1, 7});
  EXPECT_DOUBLE_EQ(three.calc_derivative(0.0), 0);
  EXPECT_DOUBLE_EQ(three.calc_derivative(1.0), 2);
  EXPECT_DOUBLE_EQ(three.calc_derivative(3.0), 4);
  // Chords 1, 0, 2 with 3, 2 before and 4, 6 after them.
  const Spline four = Spline::akima(Data{0, 1, 2, 3}, Data{0, 1, 1, 3});
  EXPECT_DOUBLE_EQ(four.calc_derivative(0.0), 1.5);
  EXPECT_DOUBLE_EQ(four.calc_derivative(1.0), 2.0 / 3);
  EXPECT_DOUBLE_EQ(four.calc_derivative(2.0), 2.0 / 3);
  EXPECT_DOUBLE_EQ(four.calc_derivative(3.0), 3);
}

TEST(AkimaSpline, FeelsAPointForThreeIntervalsOnly) {
  Data y(21, 0.0);
  const Data x = uniform(0, 20, 20);
  for (int i = 0; i <= 20; ++i) y[i] = std::sin(0.7 * i);
  const Spline before = Spline::akima(x, y);
  y[10] += 1;
  const Spline after = Spline::akima(x, y);
  for (const double v : uniform(0, 20, 400)) {
    if (v > 7 && v < 13) continue;
    EXPECT_EQ(before.calc_value(v), after.calc_value(v)) << v;
  }
  EXPECT_NE(before.calc_value(7.5), after.calc_value(7.5));
}

TEST(AkimaSpline, ConvergesWithOrderThreeOnUniformAndTwoOnUnevenKnots) {
  const auto order = [](auto knots, int n) {
    const auto error = [&](int intervals) {
      const Data x = knots(0.3, 2.8, intervals);
      return largest_error(Spline::akima(x, map(sine, x)), kValue, sine);
    };
    return std::log2(error(n) / error(2 * n));
  };
  EXPECT_NEAR(order(uniform, 80), 3, 0.1);
  EXPECT_NEAR(order(alternating, 80), 2, 0.1);
}

TEST(AkimaSpline, LastPointBelongsToTheLastInterval) {
  const Spline s = Spline::akima(Data{0, 1, 2}, Data{0, 1, 4});
  EXPECT_DOUBLE_EQ(s.calc_second_derivative(2.0), 2);
  EXPECT_DOUBLE_EQ(s.calc_second_derivative(0.0), 2);
}

}  // namespace
}  // namespace trammel::math
