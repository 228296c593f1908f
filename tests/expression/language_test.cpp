// What texts mean.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/expression/sample_scope.h"

namespace trammel::model::expression {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(Language, ReadsNumbers) {
  EXPECT_EQ(constant_of("42"), 42);
  EXPECT_EQ(constant_of(".5"), 0.5);
  EXPECT_EQ(constant_of("1."), 1);
  EXPECT_EQ(constant_of("1e-3"), 1e-3);
  EXPECT_EQ(constant_of("2.5E+2"), 250);
  EXPECT_EQ(constant_of("0.1"), 0.1);
  EXPECT_EQ(constant_of(" \t\n 7 \r\n"), 7);
}

TEST(Language, BindsOperatorsAsInMathematics) {
  EXPECT_EQ(constant_of("2 + 3*4"), 14);
  EXPECT_EQ(constant_of("(2 + 3)*4"), 20);
  EXPECT_EQ(constant_of("7 - 4 - 2"), 1);
  EXPECT_EQ(constant_of("16/4/2"), 2);
  EXPECT_EQ(constant_of("16/4*2"), 8);
  EXPECT_EQ(constant_of("2^3^2"), 512);
  EXPECT_EQ(constant_of("2**3**2"), 512);
  EXPECT_EQ(constant_of("2*3^2"), 18);
  EXPECT_EQ(constant_of("-2^2"), -4);
  EXPECT_EQ(constant_of("(-2)^2"), 4);
  EXPECT_EQ(constant_of("2^-1"), 0.5);
  EXPECT_EQ(constant_of("2^-2^2"), 0.0625);
  EXPECT_EQ(constant_of("3 - -2"), 5);
  EXPECT_EQ(constant_of("+3 * -2"), -6);
  EXPECT_EQ(constant_of("--3"), 3);
}

TEST(Language, ComparesAndDecides) {
  EXPECT_EQ(constant_of("1 < 2"), 1);
  EXPECT_EQ(constant_of("2 < 2"), 0);
  EXPECT_EQ(constant_of("2 <= 2"), 1);
  EXPECT_EQ(constant_of("2 > 2"), 0);
  EXPECT_EQ(constant_of("3 > 2"), 1);
  EXPECT_EQ(constant_of("2 >= 2"), 1);
  EXPECT_EQ(constant_of("2 == 2"), 1);
  EXPECT_EQ(constant_of("2 != 2"), 0);
  EXPECT_EQ(constant_of("1 + 1 > 2 - 1"), 1);
  EXPECT_EQ(constant_of("1 or 0 and 0"), 1);
  EXPECT_EQ(constant_of("(1 or 0) and 0"), 0);
  EXPECT_EQ(constant_of("1 || 0 && 0"), 1);
  EXPECT_EQ(constant_of("not 1 > 2"), 1);
  EXPECT_EQ(constant_of("!0 and !0"), 1);
  EXPECT_EQ(constant_of("not not 5"), 1);
  EXPECT_EQ(constant_of("if(-0.1, 10, 20)"), 10);
  EXPECT_EQ(constant_of("if(0, 10, 20)"), 20);
}

TEST(Language, DecidesAmongSignals) {
  const std::string text = "if(x > 0 and not (y >= 2 or x == 3), 1, -1)";
  EXPECT_EQ(value_of_text(text, {1, 1}), 1);
  EXPECT_EQ(value_of_text(text, {-1, 1}), -1);
  EXPECT_EQ(value_of_text(text, {1, 2}), -1);
  EXPECT_EQ(value_of_text(text, {3, 1}), -1);
  EXPECT_EQ(value_of_text("x <= y", {1, 1}), 1);
  EXPECT_EQ(value_of_text("x < y", {1, 1}), 0);
  EXPECT_EQ(value_of_text("x != y", {1, 1}), 0);
  EXPECT_EQ(value_of_text("x >= y", {0, 1}), 0);
}

TEST(Language, KnowsUnitsOfAngle) {
  EXPECT_DOUBLE_EQ(constant_of("30 deg"), kPi / 6);
  EXPECT_DOUBLE_EQ(constant_of("30deg"), kPi / 6);
  EXPECT_DOUBLE_EQ(constant_of("(20 + 10) deg"), kPi / 6);
  EXPECT_DOUBLE_EQ(constant_of("k deg"), kPi / 60);
  EXPECT_DOUBLE_EQ(constant_of("sqrt(900) deg"), kPi / 6);
  EXPECT_DOUBLE_EQ(constant_of("-30 deg^2"), -std::pow(kPi / 6, 2));
  EXPECT_DOUBLE_EQ(constant_of("2 * 30 deg + 1 rad"), kPi / 3 + 1);
  EXPECT_DOUBLE_EQ(value_of_text("x deg", {180}), kPi);
}

TEST(Language, KnowsConstantsUnlessTheScopeDoes) {
  EXPECT_EQ(constant_of("pi"), kPi);
  EXPECT_EQ(constant_of("e"), std::numbers::e);
  ParameterScope scope({{"e", 0.8}, {"rad", 7.0}});
  EXPECT_EQ(evaluate("e", scope), 0.8);
  EXPECT_EQ(evaluate("2*rad", scope), 14);
}

TEST(Language, ReadsDottedAndQuotedNames) {
  EXPECT_EQ(compile_sample("hinge.angle").inputs()[0], 20);
  for (const std::string text :
       {"'upper-arm'.angle", "`upper-arm`.angle", "'upper-arm.angle'", "'upper-arm'.'angle'"}) {
    const Program program = compile_sample(text);
    ASSERT_EQ(program.inputs().size(), 1u) << text;
    EXPECT_EQ(program.inputs()[0], 21) << text;
  }
  EXPECT_EQ(value_of_text("x-y", {5, 3}), 2);
}

TEST(Language, AsksTheScopeForMeasures) {
  EXPECT_EQ(compile_sample("dx(wheel.hub)").inputs()[0], 100);
  EXPECT_EQ(compile_sample("2*vx( wheel.hub , 'upper-arm'.tip )").inputs()[0], 200);
  // Only names can stand there, so a hyphen needs no quotes.
  EXPECT_EQ(compile_sample("dx(upper-arm.tip)").inputs()[0], 101);
  EXPECT_EQ(constant_of("dx(wheel.hub, wheel.hub) + 1"), 1);
}

TEST(Language, EvaluatesCurvesByName) {
  SampleScope scope;
  EXPECT_EQ(constant_of("spline(hill, 0.7)"), scope.curve("hill").calc_value(0.7));
  EXPECT_EQ(constant_of("spline('hill', 0.7, 1)"), scope.curve("hill").calc_derivative(0.7));
  EXPECT_EQ(constant_of("spline(short-ramp, 0.25)"), 0.25);
}

TEST(Language, KeepsCurvesBeyondTheScope) {
  EXPECT_EQ(eval<double>(compile_sample("spline(road, x)"), {-2.0}), 1.0);  // the scope is gone
}

TEST(Language, ListsInputsInTheOrderOfFirstUse) {
  const Program program = compile_sample("y*z + x*y + dx(wheel.hub)*z");
  EXPECT_EQ(std::vector<int>(program.inputs().begin(), program.inputs().end()), (std::vector<int>{11, 12, 10, 100}));
  EXPECT_EQ(eval<double>(program, {2, 3, 5, 7}), 2 * 3 + 5 * 2 + 7 * 3);
  // > becomes < with the sides exchanged, which must not show.
  EXPECT_EQ(compile_sample("x > y").inputs()[0], 10);
}

TEST(Language, DropsInputsThatDoNotMatter) {
  EXPECT_TRUE(compile_sample("if(k > 5, x, 2)").is_constant());
  EXPECT_TRUE(compile_sample("zero and x > 1").is_constant());
  EXPECT_TRUE(compile_sample("x > 1 or k").is_constant());
  EXPECT_EQ(compile_sample("if(k > 2, x, y)").inputs().size(), 1u);
}

TEST(Language, FoldsConstants) {
  const Program program = compile_sample("2*k^2 - sqrt(81)");
  EXPECT_TRUE(program.is_constant());
  EXPECT_EQ(program.constant(), 9);
  EXPECT_EQ(program.work_size(), 0);
  // One number, one input, one product.
  EXPECT_EQ(compile_sample("(2*k^2 - sqrt(81))*x").work_size(), 3);
  EXPECT_EQ(compile_sample("0 + 1*x^1 - 0").work_size(), 1);
}

TEST(Language, ComputesEqualPartsOnce) {
  // x, y, x + y, its sine, the square.
  EXPECT_EQ(compile_sample("sin(x + y)*sin(y + x)").work_size(), 5);
}

TEST(Language, KeepsTheText) { EXPECT_EQ(compile_sample(" 2 * x").text(), " 2 * x"); }

TEST(Language, EvaluatesParameterArithmetic) {
  ParameterScope scope({{"length", 2.0}, {"crank.radius", 0.25}});
  scope.set("ratio", 4.0);
  EXPECT_EQ(evaluate("length/crank.radius - ratio", scope), 4.0);
  EXPECT_EQ(scope.names(), (std::vector<std::string>{"crank.radius", "length", "ratio"}));
}

TEST(Language, IgnoresWhatHasNoValueInBranchesThatAreNeverTaken) {
  EXPECT_EQ(constant_of("if(zero > 0, 1/zero, 5)"), 5);
  EXPECT_EQ(constant_of("zero > 0 and 1/zero > 3"), 0);
  EXPECT_EQ(constant_of("zero <= 0 or log(zero) > 3"), 1);
  EXPECT_EQ(constant_of("if(zero > 0, smooth_abs(2, zero), abs(2))"), 2);
}

TEST(Language, BranchesThatAreNotTakenPoisonNothing) {
  const Program program = compile_sample("if(x > 0, sqrt(x) + log(x), y/(x - x) + x)");
  const ValueAndGradient backward = eval_backward(program, {4.0, 1.0}), forward = eval_forward(program, {4.0, 1.0});
  EXPECT_DOUBLE_EQ(backward.value, 2 + std::log(4.0));
  EXPECT_EQ(backward.gradient, forward.gradient);
  EXPECT_DOUBLE_EQ(backward.gradient[0], 0.25 + 0.25);
  EXPECT_EQ(backward.gradient[1], 0);
  // The other way round: sqrt and log of a negative number are not taken.
  const Program guarded = compile_sample("if(x > 0, sqrt(x)*log(x), 3*x)");
  for (const double x : {-2.0, 0.0}) {
    EXPECT_EQ(eval_backward(guarded, {x}).gradient[0], 3) << x;
    EXPECT_EQ(eval_forward(guarded, {x}).gradient[0], 3) << x;
  }
}

TEST(Language, GivesNaNOutsideOfADomain) {
  EXPECT_TRUE(std::isnan(value_of_text("1 + sqrt(x)", {-1})));
  EXPECT_TRUE(std::isnan(value_of_text("spline(rail, x)", {3.5})));
  EXPECT_TRUE(std::isnan(value_of_text("spline(rail, x, 1)", {-2.5})));
  EXPECT_FALSE(std::isnan(value_of_text("spline(rail, x)", {3.0})));
  EXPECT_TRUE(std::isnan(eval_backward(compile_sample("sqrt(x)*y"), {-1, 2}).value));
}

TEST(Language, PassesNaNOn) {
  const double nan = std::nan("");
  for (const std::string text : {"x > 1", "x == 1", "x != 1", "not x", "if(x > 1, 2, 3)", "min(x, 1)", "min(1, x)",
                                 "max(x, 1)", "max(1, x)", "sign(x)", "step(x, 0, 0, 1, 1)", "x > 1 and 1 < 2",
                                 "spline(road, x)", "impact(x, 0, 1, 1, 1, 1, 1)", "deadband(x, 1)", "mod(x, 2)"}) {
    EXPECT_TRUE(std::isnan(value_of_text(text, {nan}))) << text;
  }
  EXPECT_EQ(value_of_text("x > 1 and y > 1", {nan, 0}), 0);
  EXPECT_EQ(value_of_text("x > 1 or y > 1", {nan, 2}), 1);
}

}  // namespace
}  // namespace trammel::model::expression
