// The edges that an integrator should step on.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/expression/sample_scope.h"

namespace trammel::model::expression {
namespace {

double eval_switch(const Switch& edge, const std::vector<double>& inputs) { return eval(edge.function, inputs); }

/// Texts and orders of the switches of an expression.
std::vector<std::string> list(const std::string& text) {
  std::vector<std::string> found;
  const Program program = compile_sample(text);
  for (const Switch& edge : program.switches()) found.push_back(edge.text + ", order " + std::to_string(edge.order));
  return found;
}

using Texts = std::vector<std::string>;

TEST(Switches, OfComparisonsAreTheDifferencesOfTheirSides) {
  EXPECT_EQ(list("if(x > y, 1, 2)"), Texts{"x > y, order 0"});
  const Program program = compile_sample("if(x > y, 1, 2)");
  EXPECT_EQ(eval_switch(program.switches()[0], {5, 2}), 3);
  EXPECT_EQ(list("x < 1 or y >= 2 and x <= 3"), (Texts{"x < 1, order 0", "y >= 2, order 0", "x <= 3, order 0"}));
}

TEST(Switches, OfFunctionsNameTheCallAndThePlace) {
  EXPECT_EQ(list("abs(x)"), Texts{"abs(x) at x = 0, order 1"});
  EXPECT_EQ(list("sign(x - 1)"), Texts{"sign(x - 1) at x = 0, order 0"});
  EXPECT_EQ(list("floor(x)"), Texts{"floor(x) at an integer, order 0"});
  EXPECT_EQ(list("ceil(x)"), Texts{"ceil(x) at an integer, order 0"});
  EXPECT_EQ(list("round(x)"), Texts{"round(x) at a half, order 0"});
  EXPECT_EQ(list("mod(x, 2)"), Texts{"mod(x, 2) at a multiple of y, order 0"});
  EXPECT_EQ(list("min(x, y)"), Texts{"min(x, y) at equal arguments, order 1"});
  EXPECT_EQ(list("step(x, 0, 1, 2, y)"),
            (Texts{"step(x, 0, 1, 2, y) at x = x0, order 2", "step(x, 0, 1, 2, y) at x = x1, order 2"}));
  EXPECT_EQ(list("step5(x, 0, 1, 2, 3)"),
            (Texts{"step5(x, 0, 1, 2, 3) at x = x0, order 3", "step5(x, 0, 1, 2, 3) at x = x1, order 3"}));
  EXPECT_EQ(list("haversine(x, 0, 1, 2, 3)").size(), 2u);
  EXPECT_EQ(list("deadband(x, 2)"),
            (Texts{"deadband(x, 2) at x = width, order 1", "deadband(x, 2) at x = -width, order 1"}));
}

TEST(Switches, OfSmoothExpressionsDoNotExist) {
  EXPECT_EQ(list("x^2*sin(y)/z + smooth_abs(x, 0.1) + smooth_sign(y, 1) + smooth_min(x, y, 1)"), Texts{});
  EXPECT_EQ(list("spline(hill, x)"), Texts{});
}

TEST(Switches, DependOnSignals) {
  EXPECT_EQ(list("abs(k)*x"), Texts{});
  EXPECT_EQ(list("if(k > 2, x, y)"), Texts{});
  EXPECT_EQ(list("step(k, 0, x, 10, y)"), Texts{});
  EXPECT_EQ(list("max(2, k) + x"), Texts{});
}

TEST(Switches, OfPartsThatDoNotMatterAreDropped) {
  EXPECT_EQ(list("if(k > 5, abs(x), x)"), Texts{});
  EXPECT_EQ(list("x + (zero and y > 1)"), Texts{});
}

TEST(Switches, OfPiecewiseConstantPartsFollowFromTheirOwn) {
  EXPECT_EQ(list("x == y"), Texts{});
  EXPECT_EQ(list("x != y"), Texts{});
  EXPECT_EQ(list("(x > 1) + (y > 2) > 1"), (Texts{"x > 1, order 0", "y > 2, order 0"}));
  EXPECT_EQ(list("abs(floor(x))"), Texts{"floor(x) at an integer, order 0"});
}

TEST(Switches, ThatAreTheSameAreListedOnceWithTheLowestOrder) {
  EXPECT_EQ(list("abs(x) + sign(x) + abs(-x) + (0 < x)"), Texts{"sign(x) at x = 0, order 0"});
  EXPECT_EQ(list("min(x, y) + max(y, x)"), Texts{"min(x, y) at equal arguments, order 1"});
}

TEST(Switches, HaveNoneOfTheirOwnAndOnlyInputsOfTheProgram) {
  const Program program = compile_sample("z*abs(y - abs(x))");
  ASSERT_EQ(program.switches().size(), 2u);
  for (const Switch& edge : program.switches()) EXPECT_TRUE(edge.function.switches().empty());
  const std::span<const int> inputs = program.switches()[1].function.inputs();
  EXPECT_EQ(std::vector<int>(inputs.begin(), inputs.end()), (std::vector<int>{11, 10}));
}

TEST(Switches, OfWholeNumbersAreZeroExactlyThereAndAlternate) {
  const Program program = compile_sample("floor(x)"), round = compile_sample("round(x)");
  for (int n = -5; n <= 5; ++n) {
    EXPECT_EQ(eval_switch(program.switches()[0], {1.0 * n}), 0.0);
    const double sign = n % 2 == 0 ? 1.0 : -1.0;
    EXPECT_EQ(eval_switch(program.switches()[0], {n + 0.25}), sign * 0.25);
    EXPECT_EQ(eval_switch(program.switches()[0], {n - 0.25}), -sign * 0.25);
    EXPECT_EQ(eval_switch(program.switches()[0], {n + 0.5}), sign * 0.5);
    EXPECT_EQ(eval_switch(round.switches()[0], {n + 0.5}), 0.0);
  }
}

TEST(Switches, OfLinearCurvesAreZeroExactlyAtTheKnotsAndAlternate) {
  const Program program = compile_sample("spline(road, x)");
  ASSERT_EQ(list("spline(road, x)"), Texts{"spline(road, x) at a knot, order 1"});
  const Switch& edge = program.switches()[0];
  SampleScope scope;
  const std::vector<double>& knots = scope.curve("road").knots();
  double sign = 1.0;
  for (const double knot : knots) {
    EXPECT_EQ(eval_switch(edge, {knot}), 0.0);
    EXPECT_EQ(eval_switch(edge, {knot + 0.125}), sign * 0.125);
    EXPECT_EQ(eval_switch(edge, {knot - 0.125}), -sign * 0.125);
    sign = -sign;
  }
  EXPECT_EQ(eval_switch(edge, {-10.0}), -8.0);
  EXPECT_EQ(eval_switch(edge, {10.0}), 7.0);
  // Continuous, with slope +-1.
  for (double x = -4; x < 5; x += 0.01)
    EXPECT_NEAR(std::abs(eval_switch(edge, {x + 1e-3}) - eval_switch(edge, {x})), 1e-3, 1.001e-3) << x;
}

TEST(Switches, OfCurvesFollowFromTheirSmoothness) {
  EXPECT_EQ(list("spline(road, x, 1)"), Texts{"spline(road, x, 1) at a knot, order 0"});
  EXPECT_EQ(list("spline(road, x, 2)"), Texts{});
  EXPECT_EQ(list("spline(hill, x, 1)"), Texts{"spline(hill, x, 1) at a knot, order 1"});
  EXPECT_EQ(list("spline(hill, x, 2)"), Texts{"spline(hill, x, 2) at a knot, order 0"});
  EXPECT_EQ(list("spline(plateau, x)"),
            (Texts{"spline(plateau, x) at the first knot, order 1", "spline(plateau, x) at the last knot, order 1"}));
}

TEST(Switches, OfAStopAreContactAndTheEndOfTheForce) {
  const std::string text = "impact(x, y, 1, 100, 1, 10, 0.1)";
  EXPECT_EQ(list(text), (Texts{text + " at x = x1, order 1", text + " at zero force near x1, order 1"}));
  const Program program = compile_sample(text);
  const Switch &contact = program.switches()[0], &force = program.switches()[1];
  EXPECT_EQ(eval_switch(contact, {0.5}), -0.5);
  EXPECT_EQ(eval_switch(contact, {1.5}), 0.5);
  // The second is positive exactly where there is a force, and continuous.
  EXPECT_DOUBLE_EQ(eval_switch(force, {0.5, 0.0}), 50.0);
  EXPECT_DOUBLE_EQ(eval_switch(force, {0.5, 5.0}), 0.0);
  EXPECT_DOUBLE_EQ(eval_switch(force, {0.5, 6.0}), -10.0);
  EXPECT_EQ(eval_switch(force, {1.0, 3.0}), 0.0);
  EXPECT_EQ(eval_switch(force, {1.5, 3.0}), -0.5);
  // Without a damper the force ends at contact only.
  EXPECT_EQ(list("impact(x, y, 1, 100, 1.5, 0, 0.1)").size(), 1u);
  EXPECT_EQ(list("bistop(x, y, 1, 2, 100, 1.5, 10, 0.1)").size(), 4u);
}

TEST(Switches, ExplainEveryJumpOfValueAndSlope) {
  // Walks along x; wherever the value or the slope changes more than a smooth function could on this grid, a switch
  // must have changed its sign (or touched zero).
  constexpr double kGrid = 1e-4;
  for (const std::string text :
       {"abs(x - 0.3)", "x*sign(sin(3*x))", "floor(2*x) + ceil(x)", "round(x)*x", "mod(x, 0.7)", "mod(-x, 0.7)",
        "min(x, 1 - x, x^2)", "max(sin(x), cos(x), 0.5)", "if(x > 1 and x < 2, x, -x)", "deadband(x, 0.8)",
        "spline(road, x)", "spline(road, x, 1)", "spline(hill, x, 1)", "spline(plateau, 2*x)",
        "impact(x, 3*cos(5*x), 1, 10, 1, 3, 0.5)", "bistop(x, 2*sin(3*x), -1, 1, 10, 1, 3, 0.5)", "abs(1 - abs(x))",
        "if(not x >= 0.5, 0, spline(road, x))"}) {
    const Program program = compile_sample(text);
    int jumps = 0;
    for (double x = -3.00005; x < 3; x += kGrid) {
      const ValueAndGradient before = eval_backward(program, {x}), behind = eval_backward(program, {x + kGrid});
      const double value_change = std::abs(behind.value - before.value);
      const double slope_change = std::abs(behind.gradient[0] - before.gradient[0]);
      if (value_change < 0.1 && slope_change < 0.35) continue;
      ++jumps;
      bool explained = false;
      for (const Switch& edge : program.switches())
        explained = explained || eval_switch(edge, {x}) * eval_switch(edge, {x + kGrid}) <= 0;
      EXPECT_TRUE(explained) << text << " jumps near x = " << x;
    }
    EXPECT_GT(jumps, 0) << text;
    EXPECT_LT(jumps, 30) << text;
  }
}

}  // namespace
}  // namespace trammel::model::expression
