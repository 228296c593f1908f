// Errors of single variables against data whose errors are known by hand.

#include "trammel/analyses/error_analysis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "cases/case.h"
#include "trammel/analyses/run_variables.h"
#include "trammel/math/lobatto.h"

namespace trammel::analyses {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<double> list_times(double from, double to, int count) {
  std::vector<double> times;
  for (int k = 0; k <= count; ++k) times.push_back(from + (to - from) * k / count);
  return times;
}

std::vector<double> values_of(const std::function<double(double)>& f, const std::vector<double>& times) {
  std::vector<double> values;
  for (const double t : times) values.push_back(f(t));
  return values;
}

double cubic(double t) { return 2 - t + 0.5 * t * t - 3 * t * t * t; }

SampledCurve sampled(const std::function<double(double)>& f, const std::vector<double>& times) {
  return {times, values_of(f, times)};
}

/// Pieces of the same length and degree.
PolynomialCurve polynomials(const std::function<double(double)>& f, double end, int count, int degree) {
  std::vector<CurvePiece> pieces;
  std::vector<double> nodes{f(0)};
  for (int k = 0; k < count; ++k) {
    const double begin = end * k / count, length = end / count;
    pieces.push_back({begin, begin + length, degree, nodes.size() - 1});
    for (int j = 1; j <= degree; ++j) nodes.push_back(f(begin + math::lobatto_node(degree, j) * length));
  }
  return {std::make_shared<const std::vector<CurvePiece>>(pieces), nodes};
}

TEST(SampledCurve, IsExactForCubicsOnAnyGridUpToItsEnds) {
  const SampledCurve curve = sampled(cubic, {0, 0.1, 0.35, 0.4, 0.8, 1, 1.5});
  for (double t = 0; t <= 1.5; t += 0.0625) {
    EXPECT_NEAR(curve.calc(t).value, cubic(t), 1e-14) << t;
    EXPECT_LT(curve.calc(t).uncertainty, 1e-12) << t;
  }
}

TEST(SampledCurve, TakesTheFourPointsAroundATime) {
  // A peak at 0.4 bends the cubics of the three intervals to either side, of no others.
  std::vector<double> values(11, 0.0);
  values[4] = 1;
  const SampledCurve curve(list_times(0, 1, 10), values);
  EXPECT_EQ(curve.calc(0.15).value, 0);
  EXPECT_NEAR(curve.calc(0.25).value, -0.0625, 1e-14);
  EXPECT_NEAR(curve.calc(0.35).value, 0.5625, 1e-14);
  EXPECT_NEAR(curve.calc(0.45).value, 0.5625, 1e-14);
  EXPECT_NEAR(curve.calc(0.55).value, -0.0625, 1e-14);
  EXPECT_EQ(curve.calc(0.65).value, 0);
  EXPECT_EQ(curve.calc(0.4).value, 1);
}

TEST(SampledCurve, KnowsItsErrorOfInterpolation) {
  const auto f = [](double t) { return std::sin(5 * t); };
  for (const int count : {20, 40, 160}) {
    const SampledCurve curve = sampled(f, list_times(0, 2, count));
    double error = 0, estimate = 0;
    for (double t = 0.0137; t < 2; t += 0.0101) {
      error = std::max(error, std::abs(curve.calc(t).value - f(t)));
      estimate = std::max(estimate, curve.calc(t).uncertainty);
    }
    EXPECT_GT(estimate, 0.9 * error) << count;
    EXPECT_LT(estimate, (count > 100 ? 1.5 : 10) * error) << count;
  }
}

TEST(SampledCurve, IsUncertainWhereATransientHidesBetweenItsPoints) {
  // Down to -0.35 within 1e-4, and slowly on: rows every 0.01 show the start and nothing of how it goes on.
  const auto f = [](double t) { return -0.35 * (1 - std::exp(-1e5 * t)) - t; };
  const SampledCurve curve = sampled(f, list_times(0, 1, 100));
  const CurveValue at = curve.calc(1e-4);
  EXPECT_GT(std::abs(at.value - f(1e-4)), 0.3);
  EXPECT_GT(at.uncertainty, 0.3);
  EXPECT_LT(curve.calc(0.505).uncertainty, 1e-12);  // far from it, all is well
}

TEST(SampledCurve, IsNotInterpolatedAcrossJumps) {
  // A slope of one that falls to -5 and -4 at t = 1 and 2.
  const SampledCurve curve({0, 0.5, 1, 1, 1.25, 1.5, 1.75, 2, 2}, {0, 0.5, 1, -5, -4.75, -4.5, -4.25, -4, 7});
  EXPECT_NEAR(curve.calc(0.9).value, 0.9, 1e-14);
  EXPECT_NEAR(curve.calc(1.1).value, -4.9, 1e-14);
  EXPECT_EQ(curve.calc(1, CurveSide::kBefore).value, 1);
  EXPECT_EQ(curve.calc(1, CurveSide::kAfter).value, -5);
  EXPECT_EQ(curve.calc(2, CurveSide::kBefore).value, -4);
  EXPECT_EQ(curve.calc(2).value, 7);
}

TEST(SampledCurve, OfFewPointsIsUncertain) {
  const SampledCurve line({0, 1}, {0, 2});
  EXPECT_NEAR(line.calc(0.25).value, 0.5, 1e-15);
  EXPECT_GT(line.calc(0.25).uncertainty, 0.1);
  EXPECT_EQ(line.calc(1).uncertainty, 0);
  const SampledCurve square = sampled([](double t) { return t * t; }, {0, 0.5, 2});
  EXPECT_NEAR(square.calc(1).value, 1, 1e-15);
  EXPECT_GT(square.calc(1).uncertainty, 0);
}

TEST(SampledCurve, RefusesDataThatAreNoCurve) {
  EXPECT_THROW(SampledCurve({}, {}), std::invalid_argument);
  EXPECT_THROW(SampledCurve({0, 1}, {0}), std::invalid_argument);
  EXPECT_THROW(SampledCurve({0, 2, 1}, {0, 0, 0}), std::invalid_argument);
  EXPECT_THROW(SampledCurve({0, kNaN, 1}, {0, 0, 0}), std::invalid_argument);
}

TEST(PolynomialCurve, IsItsPolynomials) {
  const PolynomialCurve curve = polynomials(cubic, 2, 5, 3);
  for (double t = 0; t <= 2; t += 0.03125) EXPECT_NEAR(curve.calc(t).value, cubic(t), 1e-13) << t;
}

TEST(PolynomialCurve, NeverKnowsItselfBetterThanItIs) {
  const auto f = [](double t) { return std::sin(5 * t); };
  for (const int degree : {2, 3, 5, 8}) {
    const PolynomialCurve curve = polynomials(f, 2, 8, degree);
    double error = 0, estimate = 0;
    for (double t = 0.0137; t < 2; t += 0.0101) {
      error = std::max(error, std::abs(curve.calc(t).value - f(t)));
      estimate = std::max(estimate, curve.calc(t).uncertainty);
    }
    EXPECT_GT(estimate, error) << degree;
    EXPECT_LT(estimate, 100 * error) << degree;
  }
}

TEST(PolynomialCurve, HasTwoValuesWhereItJumps) {
  const auto pieces = std::make_shared<const std::vector<CurvePiece>>(
      std::vector<CurvePiece>{{0, 1, 1, 0}, {1, 2, 1, 2}, {2, 3, 0, 4}});
  const PolynomialCurve curve(pieces, {0, 1, 5, 6, kNaN});
  EXPECT_EQ(curve.calc(1, CurveSide::kBefore).value, 1);
  EXPECT_EQ(curve.calc(1, CurveSide::kAfter).value, 5);
  EXPECT_NEAR(curve.calc(1.5).value, 5.5, 1e-15);
  EXPECT_TRUE(std::isnan(curve.calc(2.5).value));
  EXPECT_THROW(PolynomialCurve(pieces, {0, 1, 5}), std::invalid_argument);
}

TEST(ErrorAnalysis, FiguresAreThoseOfTheThesis) {
  const ErrorAnalysis analysis(std::make_shared<SampledCurve>(sampled(cubic, list_times(0, 2, 40))));
  const std::vector<double> times{0, 0.3, 0.77, 1.234, 2};
  std::vector<double> values = values_of(cubic, times);
  values[1] += 3e-3;
  values[2] -= 4e-3;
  values[3] += 12e-3;
  const VariableError error = analysis.calc(times, values);
  EXPECT_EQ(error.points, 5);
  EXPECT_NEAR(error.largest, 12e-3, 1e-13);
  EXPECT_EQ(error.t, 1.234);
  EXPECT_NEAR(error.reference, cubic(1.234), 1e-13);
  EXPECT_NEAR(error.value, cubic(1.234) + 12e-3, 1e-13);
  ASSERT_TRUE(error.relative.has_value());
  EXPECT_NEAR(*error.relative, 100 * 12e-3 / std::abs(cubic(1.234)), 1e-11);
  EXPECT_NEAR(error.mean, 13e-3 / 5, 1e-13);  // 3, 4 and 12 are sides of a box of diagonal 13
  EXPECT_NEAR(error.rms, 13e-3 / std::sqrt(5), 1e-13);
  EXPECT_NEAR(error.scale, std::abs(cubic(2)), 1e-12);
  EXPECT_FALSE(error.is_doubtful());
}

TEST(ErrorAnalysis, HasNoRelativeErrorNearZero) {
  const ErrorAnalysis analysis(
      std::make_shared<SampledCurve>(sampled([](double t) { return 1 - t; }, list_times(0, 2, 20))));
  const auto relative_at = [&](double t) {
    return analysis.calc(std::vector{0.0, t}, std::vector{1.0, 1 - t + 1e-3}).relative;
  };
  EXPECT_FALSE(relative_at(1).has_value());
  EXPECT_FALSE(relative_at(0.9995).has_value());
  ASSERT_TRUE(relative_at(0.98).has_value());
  EXPECT_NEAR(*relative_at(0.98), 5, 1e-9);
  const ErrorAnalysis of_zero(std::make_shared<SampledCurve>(SampledCurve({0, 1, 2}, {0, 0, 0})));
  EXPECT_FALSE(of_zero.calc(std::vector{1.0}, std::vector{1e-5}).relative.has_value());
}

TEST(ErrorAnalysis, SaysWhenItMeasuresItsOwnInterpolation) {
  const auto f = [](double t) { return std::sin(10 * t); };
  const auto coarse = std::make_shared<SampledCurve>(sampled(f, list_times(0, 2, 40)));
  const auto fine = std::make_shared<SampledCurve>(sampled(f, list_times(0, 2, 4000)));
  const std::vector<double> times = list_times(0, 2, 37);
  const std::vector<double> exact = values_of(f, times);
  std::vector<double> wrong = exact;
  for (double& value : wrong) value += 1e-5;
  // The interpolation of the coarse one is wrong by 1e-3; an exact run then seems wrong by as much.
  const VariableError by_coarse = ErrorAnalysis(coarse).calc(times, wrong);
  EXPECT_GT(by_coarse.largest, 5e-4);
  EXPECT_TRUE(by_coarse.is_doubtful());
  EXPECT_TRUE(ErrorAnalysis(coarse).calc(times, exact).is_doubtful());
  const VariableError by_fine = ErrorAnalysis(fine).calc(times, wrong);
  EXPECT_NEAR(by_fine.largest, 1e-5, 1e-9);
  EXPECT_FALSE(by_fine.is_doubtful());
}

TEST(ErrorAnalysis, LeavesOutWhatHasNoValue) {
  const ErrorAnalysis analysis(
      std::make_shared<SampledCurve>(sampled([](double t) { return t; }, list_times(1, 2, 10))));
  const std::vector<double> times{0.5, 1, 1.5, 2 + 1e-13, 2.5}, values{9, 1, kNaN, 2.25, 9};
  const VariableError error = analysis.calc(times, values);
  EXPECT_EQ(error.points, 2);
  EXPECT_EQ(error.left_out, 3);
  EXPECT_NEAR(error.largest, 0.25, 1e-12);
  const VariableError none = analysis.calc(std::vector{0.0}, std::vector{0.0});
  EXPECT_FALSE(none.exists());
  EXPECT_FALSE(none.is_doubtful());
  EXPECT_THROW(analysis.calc(times, std::vector{1.0}), std::invalid_argument);
}

TEST(ErrorAnalysis, ComparesBothSidesOfAJump) {
  const ErrorAnalysis analysis(std::make_shared<SampledCurve>(SampledCurve({0, 1, 1, 2}, {0, 1, -1, 0})));
  EXPECT_EQ(analysis.calc(std::vector<double>{0, 1, 1, 2}, std::vector<double>{0, 1, -1, 0}).largest, 0);
}

/// Angle and angular velocity of a pendulum that is given by x and y.
RunVariables pendulum_variables() {
  return {{"x", "y'"}, [] {
            return [](const dae::State& state, std::span<double> values) {
              values[0] = state.q[0];
              values[1] = state.v[1];
            };
          }};
}

TEST(RunErrors, FallWithTheToleranceAndAreTakenAtTheStepsOfTheRun) {
  const cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  const CompareProblem problem{c.system, nullptr, c.start, 1, {}};
  const RunVariables variables = pendulum_variables();
  const auto options_for = [](const char* method, double tolerance) {
    integrators::Options options = integrators::Options::with_tolerance(tolerance);
    options.method = method;
    return options;
  };
  const RecordedCurves reference = record_curves(problem, options_for("projection", 1e-11), variables, 1);
  ASSERT_TRUE(reference.obstacle.empty()) << reference.obstacle;
  ASSERT_EQ(reference.curves.size(), 2U);
  EXPECT_EQ(reference.curves[0]->begin(), 0);
  EXPECT_EQ(reference.curves[0]->end(), 1);
  double last = 1;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    RunErrors errors(variables, reference.curves);
    SamplingOptions sampling;
    sampling.interval = [&](const integrators::SolutionInterval& interval) { errors.add(interval); };
    const SampledRun run = run_sampled(problem, options_for("hht", tolerance), sampling);
    const std::vector<VariableError> found = errors.list();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].name, "x");
    EXPECT_EQ(found[0].points, run.result.statistics.steps + 1);
    EXPECT_LT(found[0].largest, 0.5 * last);
    EXPECT_GT(found[0].largest, 0.001 * tolerance);
    EXPECT_FALSE(found[0].is_doubtful());
    last = found[0].largest;
  }
}

TEST(RunErrors, EndWithTheReference) {
  const cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  const CompareProblem problem{c.system, nullptr, c.start, 1, {}};
  const RunVariables variables = pendulum_variables();
  const integrators::Options options = integrators::Options::with_tolerance(1e-8);
  const RecordedCurves half = record_curves(problem, options, variables, 0.5);
  ASSERT_FALSE(half.curves.empty());
  EXPECT_LE(half.curves[0]->end(), 0.5);
  EXPECT_GT(half.curves[0]->end(), 0.4);
  EXPECT_FALSE(record_curves(problem, options, variables, 1e-9).obstacle.empty());
  EXPECT_THROW(RunErrors(variables, {}), std::invalid_argument);
  RunErrors errors(variables, half.curves);
  SamplingOptions sampling;
  sampling.interval = [&](const integrators::SolutionInterval& interval) { errors.add(interval); };
  run_sampled(problem, options, sampling);
  EXPECT_GT(errors.list()[0].left_out, 0);
  EXPECT_EQ(errors.list()[0].largest, 0);  // the same run
}

}  // namespace
}  // namespace trammel::analyses
