// Programs as values, their derivatives of higher order, and their memory.

#include "trammel/model/expression/program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/expression/sample_scope.h"
#include "tests/support/allocation_counter.h"

namespace trammel::model::expression {
namespace {

using First = math::Dual<double, 1>;
using Second = math::Dual<First, 1>;
using Third = math::Dual<Second, 1>;

/// x with unit derivatives on all levels.
Third seed(double x) { return Third::variable(Second::variable(First::variable(x, 0), 0), 0); }

/// y, y', y'', y''' of an expression of one signal.
std::array<double, 4> derivatives(const std::string& text, double x) {
  const Third y = eval<Third>(compile_sample(text), {seed(x)});
  return {y.value.value.value, y.value.value.derivative[0], y.value.derivative[0].derivative[0],
          y.derivative[0].derivative[0].derivative[0]};
}

void expect_derivatives(const std::string& text, double x, const std::array<double, 4>& wanted) {
  const std::array<double, 4> found = derivatives(text, x);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(found[i], wanted[i], 1e-12 * (1 + std::abs(wanted[i]))) << text << " " << i;
}

TEST(Program, IsZeroByDefault) {
  const Program program;
  EXPECT_TRUE(program.is_constant());
  EXPECT_EQ(program.constant(), 0.0);
  EXPECT_EQ(program.work_size(), 0);
  EXPECT_EQ(program.text(), "0");
  EXPECT_TRUE(program.inputs().empty());
  EXPECT_TRUE(program.switches().empty());
  EXPECT_EQ(program.eval<double>({}, {}), 0.0);
}

TEST(Program, MayBeAGivenConstant) {
  const Program program = Program::constant(2.5);
  EXPECT_TRUE(program.is_constant());
  EXPECT_EQ(program.constant(), 2.5);
  EXPECT_EQ(program.text(), "2.5");
  EXPECT_EQ(program.eval<First>({}, {}).value, 2.5);
  EXPECT_EQ(program.eval_gradient({}, {}, {}), 2.5);
}

TEST(Program, HasNoConstantWhenItDependsOnSignals) {
  const Program program = compile_sample("2*x");
  EXPECT_FALSE(program.is_constant());
  EXPECT_TRUE(std::isnan(program.constant()));
}

TEST(Program, CopiesShareTheirContents) {
  Program copy;
  {
    const Program original = compile_sample("2*x + abs(y)");
    copy = original;
    EXPECT_EQ(&copy.text(), &original.text());
  }
  EXPECT_EQ(eval<double>(copy, {3, -4}), 10);
  const Program moved = std::move(copy);
  EXPECT_EQ(moved.switches().size(), 1u);
}

TEST(Program, RefusesMemoryOfTheWrongSize) {
  const Program program = compile_sample("x*y");
  std::vector<double> two(2), three(3), work(100);
  EXPECT_THROW(program.eval<double>(three, work), std::invalid_argument);
  EXPECT_THROW(program.eval<double>(two, two), std::invalid_argument);
  EXPECT_NO_THROW(program.eval<double>(two, three));
  EXPECT_THROW(program.eval_gradient(two, three, two), std::invalid_argument);
  EXPECT_THROW(program.eval_gradient(two, work, three), std::invalid_argument);
}

TEST(Program, GivesRatesForMotions) {
  // A motion and its velocity and acceleration by t.
  expect_derivatives("5*sin(2*time)", 0.3,
                     {5 * std::sin(0.6), 10 * std::cos(0.6), -20 * std::sin(0.6), -40 * std::cos(0.6)});
  // step(t, 0, 0, 1, 2) = 2 t^2 (3 - 2 t) = 6 t^2 - 4 t^3.
  expect_derivatives("step(time, 0, 0, 1, 2)", 0.25, {0.3125, 2.25, 6, -24});
  expect_derivatives("step(time, 0, 0, 1, 2)", 1.25, {2, 0, 0, 0});
  // 10 t^3 - 15 t^4 + 6 t^5.
  expect_derivatives("step5(time, 0, 0, 1, 1)", 0.5, {0.5, 1.875, 0, -30});
  expect_derivatives("poly(time, 1, 1, 2, 3, 4)", 2, {10, 20, 30, 24});
  expect_derivatives("time^3", 2, {8, 12, 12, 6});
  expect_derivatives("time^2", 0, {0, 0, 2, 0});
  expect_derivatives("log10(time)", 1, {0, 1 / std::log(10), -1 / std::log(10), 2 / std::log(10)});
  expect_derivatives("exp(time)*if(time > 0, time, sqrt(time))", 1,
                     {std::exp(1), 2 * std::exp(1), 3 * std::exp(1), 4 * std::exp(1)});
}

TEST(Program, DifferentiatesCurvesThroughNestedDuals) {
  SampleScope scope;
  const math::Spline& hill = scope.curve("hill");
  const std::array<double, 4> found = derivatives("spline(hill, time)", 0.6);
  EXPECT_NEAR(found[0], hill.calc_value(0.6), 1e-14);
  EXPECT_NEAR(found[1], hill.calc_derivative(0.6), 1e-13);
  EXPECT_NEAR(found[2], hill.calc_second_derivative(0.6), 1e-12);
  EXPECT_NEAR(derivatives("spline(hill, time, 1)", 0.6)[1], found[2], 1e-12);
  EXPECT_NEAR(derivatives("spline(hill, time, 2)", 0.6)[1], found[3], 1e-12);
}

TEST(Program, DifferentiatesInSeveralDirectionsAtOnce) {
  using Number = math::Dual<double, 3>;
  const Program program = compile_sample("x*y^2 + sin(z)");
  const Number value =
      eval<Number>(program, {Number::variable(2, 0), Number::variable(3, 1), Number::variable(0.5, 2)});
  EXPECT_EQ(value.derivative[0], 9);
  EXPECT_EQ(value.derivative[1], 12);
  EXPECT_DOUBLE_EQ(value.derivative[2], std::cos(0.5));
}

TEST(Program, SumsTheGradientOverEveryUseOfAnInput) {
  const ValueAndGradient found = eval_backward(compile_sample("x*y + x/y - x^y + x*x"), {2, 3});
  EXPECT_DOUBLE_EQ(found.value, 6 + 2.0 / 3 - 8 + 4);
  EXPECT_DOUBLE_EQ(found.gradient[0], 3 + 1.0 / 3 - 12 + 4);
  EXPECT_DOUBLE_EQ(found.gradient[1], 2 - 2.0 / 9 - 8 * std::log(2.0));
}

TEST(Program, EvaluatesWithoutAllocation) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  const Program program = compile_sample(
      "impact(x, y, 0.4, 1e6, 1.5, 1e3, 1e-3) + spline(road, x) + spline(hill, y, 1) + if(z > 0, sqrt(z), log(z)) + "
      "step5(z, 0, 0, 1, 30 deg)*mod(x, 2) + max(x, y, z)^2.5 + atan2(x, y)*bistop(x, y, -1, 1, 1e4, 2, 10, 0.1)");
  const std::vector<double> inputs{0.1, -0.2, 0.3};
  const std::vector<Second> seeded{0.1, -0.2, 0.3};
  std::vector<double> work(program.gradient_work_size()), gradient(3);
  std::vector<Second> dual_work(program.work_size());
  Program copy;  // the first constant ever is made here
  const long before = testing::allocation_count();
  double sum = program.eval<double>(inputs, work);
  sum += program.eval_gradient(inputs, work, gradient);
  sum += program.eval<Second>(seeded, dual_work).value.value;
  for (const Switch& edge : program.switches()) {
    const std::size_t count = edge.function.inputs().size();
    sum += edge.function.eval<double>(std::span(inputs).first(count), work);
  }
  copy = program;
  copy = Program();
  EXPECT_EQ(testing::allocation_count(), before);
  EXPECT_TRUE(std::isfinite(sum));
}

TEST(AllocationCounter, Counts) {
  if (!testing::kCountsAllocations) GTEST_SKIP();
  const long before = testing::allocation_count();
  const std::vector<double> some(100);
  EXPECT_GT(testing::allocation_count(), before) << some.size();
}

TEST(Program, FaultsAreTracedToTheOperationThatMakesThem) {
  SampleScope scope;
  const auto fault = [&](const std::string& text, double x) {
    const Program program = compile(text, scope);
    const std::vector<double> inputs(program.inputs().size(), x);
    std::vector<double> work(static_cast<std::size_t>(program.work_size()));
    const Fault found = program.find_fault(inputs, work);
    return found.input >= 0 ? "input " + std::to_string(found.input) : found.text;
  };
  EXPECT_EQ(fault("2 + 3*sqrt(x)", 4), "");
  EXPECT_EQ(fault("2 + 3*sqrt(x)", -4), "sqrt(-4)");
  EXPECT_EQ(fault("1 + 1/x", 0), "1 / 0");
  EXPECT_EQ(fault("-x^2", 1e200), "1e+200^2");
  EXPECT_EQ(fault("x^0.5", -2), "(-2)^0.5");
  EXPECT_EQ(fault("if(x < 0, log(-1 - x), log(x - 3))", 2), "log(-1)");
  EXPECT_EQ(fault("2*x", std::nan("")), "input 0");
}

}  // namespace
}  // namespace trammel::model::expression
