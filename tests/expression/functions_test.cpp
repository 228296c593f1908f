// Every function of the language against a formula written down here, and its derivatives by both modes against each
// other and against difference quotients.

#include "trammel/model/expression/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>
#include <set>

#include "tests/expression/sample_scope.h"

namespace trammel::model::expression {
namespace {

using Point = std::vector<double>;

struct Sample {
  std::string function;
  std::string text;  ///< of x, y, z in this order of first use
  std::function<double(const Point&)> formula;
  double low = -3.0, high = 3.0;  ///< where the inputs are taken from
};

double cubic_step(double x, double x0, double h0, double x1, double h1) {
  if (x <= x0) return h0;
  if (x >= x1) return h1;
  const double a = h1 - h0, d = (x - x0) / (x1 - x0);
  return h0 + a * d * d * (3 - 2 * d);
}

double impact_force(double x, double v, double x1, double k, double e, double c, double d) {
  if (x >= x1) return 0.0;
  return std::max(0.0, k * std::pow(x1 - x, e) - c * v * cubic_step(x, x1 - d, 1, x1, 0));
}

double bistop_force(double x, double v, double x1, double x2, double k, double e, double c, double d) {
  if (x > x2) return std::min(0.0, -k * std::pow(x - x2, e) - c * v * cubic_step(x, x2, 0, x2 + d, 1));
  return impact_force(x, v, x1, k, e, c, d);
}

const math::Spline& curve(const std::string& name) {
  static const SampleScope scope;
  return scope.curve(name);
}

std::vector<Sample> elementary_samples() {
  return {
      {"sin", "sin(2*x)", [](const Point& p) { return std::sin(2 * p[0]); }},
      {"cos", "cos(x*y)", [](const Point& p) { return std::cos(p[0] * p[1]); }},
      {"tan", "tan(x)", [](const Point& p) { return std::tan(p[0]); }, -1.4, 1.4},
      {"asin", "asin(x)", [](const Point& p) { return std::asin(p[0]); }, -0.95, 0.95},
      {"acos", "acos(x)", [](const Point& p) { return std::acos(p[0]); }, -0.95, 0.95},
      {"atan", "atan(x/y)", [](const Point& p) { return std::atan(p[0] / p[1]); }, 0.2, 3},
      {"atan2", "atan2(x, y)", [](const Point& p) { return std::atan2(p[0], p[1]); }},
      {"sinh", "sinh(x)", [](const Point& p) { return std::sinh(p[0]); }},
      {"cosh", "cosh(x)", [](const Point& p) { return std::cosh(p[0]); }},
      {"tanh", "tanh(x)", [](const Point& p) { return std::tanh(p[0]); }},
      {"exp", "exp(-x)", [](const Point& p) { return std::exp(-p[0]); }},
      {"log", "log(x)", [](const Point& p) { return std::log(p[0]); }, 0.1, 9},
      {"log10", "log10(x)", [](const Point& p) { return std::log10(p[0]); }, 0.1, 9},
      {"sqrt", "sqrt(x + y)", [](const Point& p) { return std::sqrt(p[0] + p[1]); }, 0.1, 9},
      {"pow", "pow(x, y)", [](const Point& p) { return std::pow(p[0], p[1]); }, 0.1, 3},
      {"pow", "x^3", [](const Point& p) { return p[0] * p[0] * p[0]; }},
      {"pow", "x^-1.5", [](const Point& p) { return 1 / (p[0] * std::sqrt(p[0])); }, 0.3, 3},
      {"pow", "x^2 * 2^x", [](const Point& p) { return p[0] * p[0] * std::exp2(p[0]); }},
      {"hypot", "hypot(x, y)", [](const Point& p) { return std::sqrt(p[0] * p[0] + p[1] * p[1]); }},
      {"abs", "abs(x)", [](const Point& p) { return std::abs(p[0]); }},
      {"sign", "sign(x)*y", [](const Point& p) { return p[0] > 0 ? p[1] : -p[1]; }},
      {"min", "min(x, y, z)",
       [](const Point& p) {
         return std::min({p[0], p[1], p[2]});
       }},
      {"max", "max(x, y, z, 0.5)",
       [](const Point& p) {
         return std::max({p[0], p[1], p[2], 0.5});
       }},
      {"mod", "mod(x, y)", [](const Point& p) { return std::fmod(p[0], p[1]); }, 0.3, 3},
      {"mod", "mod(x, 2)", [](const Point& p) { return std::fmod(p[0] + 20, 2); }},
      {"floor", "floor(x) + y", [](const Point& p) { return std::floor(p[0]) + p[1]; }},
      {"ceil", "ceil(x)*y", [](const Point& p) { return std::ceil(p[0]) * p[1]; }},
      {"round", "round(x) - y", [](const Point& p) { return std::floor(p[0] + 0.5) - p[1]; }},
      {"if", "if(x > y, sin(x), y^2)", [](const Point& p) { return p[0] > p[1] ? std::sin(p[0]) : p[1] * p[1]; }},
      {"poly", "poly(x, 1, 2, -3, y, 0.5)",
       [](const Point& p) {
         const double s = p[0] - 1;
         return 2 - 3 * s + p[1] * s * s + 0.5 * s * s * s;
       }},
  };
}

std::vector<Sample> mechanical_samples() {
  return {
      {"step", "step(x, -1, 2, 2, y)", [](const Point& p) { return cubic_step(p[0], -1, 2, 2, p[1]); }},
      {"step", "step(x, y, 1, y + 2, 3)", [](const Point& p) { return cubic_step(p[0], p[1], 1, p[1] + 2, 3); }},
      {"step5", "step5(x, -1, 2, 2, -4)",
       [](const Point& p) {
         const double d = std::clamp((p[0] + 1) / 3, 0.0, 1.0);
         return 2 - 6 * (10 * std::pow(d, 3) - 15 * std::pow(d, 4) + 6 * std::pow(d, 5));
       }},
      {"haversine", "haversine(x, -1, 2, 2, -4)",
       [](const Point& p) {
         const double d = std::clamp((p[0] + 1) / 3, 0.0, 1.0);
         return -1 - 3 * std::sin(std::numbers::pi * (d - 0.5));
       }},
      {"smooth_abs", "smooth_abs(x, y)", [](const Point& p) { return std::sqrt(p[0] * p[0] + p[1] * p[1]); }, 0.1, 2},
      {"smooth_sign", "smooth_sign(x, 0.5)", [](const Point& p) { return 1 - 2 / (std::exp(4 * p[0]) + 1); }},
      {"smooth_min", "smooth_min(x, y, 0.3)",
       [](const Point& p) { return 0.5 * (p[0] + p[1] - std::sqrt(std::pow(p[0] - p[1], 2) + 0.09)); }},
      {"smooth_max", "smooth_max(x, y, 0.3)",
       [](const Point& p) { return 0.5 * (p[0] + p[1] + std::sqrt(std::pow(p[0] - p[1], 2) + 0.09)); }},
      {"deadband", "deadband(x, 0.7)",
       [](const Point& p) { return p[0] > 0.7    ? p[0] - 0.7
                                   : p[0] < -0.7 ? p[0] + 0.7
                                                 : 0.0; }},
      {"impact", "impact(x, y, 0.8, 100, 1.5, 20, 0.9)",
       [](const Point& p) { return impact_force(p[0], p[1], 0.8, 100, 1.5, 20, 0.9); }},
      {"impact", "impact(x, y, z, 100, 2.2, 30, 0.9)",
       [](const Point& p) { return impact_force(p[0], p[1], p[2], 100, 2.2, 30, 0.9); }},
      {"bistop", "bistop(x, y, -0.5, 0.8, 100, 1.3, 40, 0.9)",
       [](const Point& p) { return bistop_force(p[0], p[1], -0.5, 0.8, 100, 1.3, 40, 0.9); }},
      {"spline", "spline(road, x)", [](const Point& p) { return curve("road").calc_value(p[0]); }},
      {"spline", "spline(hill, x*y)", [](const Point& p) { return curve("hill").calc_value(p[0] * p[1]); }},
      {"spline", "spline(hill, x, 0)", [](const Point& p) { return curve("hill").calc_value(p[0]); }},
      {"spline", "spline(plateau, x, 1)", [](const Point& p) { return curve("plateau").calc_derivative(p[0]); }},
      {"spline", "spline(hill, x, 2)", [](const Point& p) { return curve("hill").calc_second_derivative(p[0]); }},
  };
}

std::vector<Sample> samples() {
  std::vector<Sample> all = elementary_samples();
  for (Sample& sample : mechanical_samples()) all.push_back(sample);
  return all;
}

/// Calls a function with each sample, its program and many places.
void for_random_points(const std::function<void(const Sample&, const Program&, const Point&)>& check) {
  std::mt19937 random(20240711);
  for (const Sample& sample : samples()) {
    const Program program = compile_sample(sample.text);
    ASSERT_LE(program.inputs().size(), 3u);
    for (std::size_t i = 0; i < program.inputs().size(); ++i) EXPECT_EQ(program.inputs()[i], 10 + static_cast<int>(i));
    std::uniform_real_distribution<double> between(sample.low, sample.high);
    for (int n = 0; n < 60; ++n) {
      Point p(program.inputs().size());
      for (double& number : p) number = between(random);
      check(sample, program, p);
    }
  }
}

TEST(Functions, HaveTheirValues) {
  for_random_points([](const Sample& sample, const Program& program, const Point& p) {
    const double wanted = sample.formula(p);
    EXPECT_NEAR(eval(program, p), wanted, 4e-14 * (1 + std::abs(wanted))) << sample.text << " at " << p[0];
  });
}

TEST(Functions, HaveTheSameDerivativesBackwardsAndForwards) {
  for_random_points([](const Sample& sample, const Program& program, const Point& p) {
    const ValueAndGradient backward = eval_backward(program, p), forward = eval_forward(program, p);
    EXPECT_EQ(backward.value, forward.value) << sample.text;
    for (std::size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(backward.gradient[i], forward.gradient[i], 1e-13 * (1 + std::abs(forward.gradient[i])))
          << sample.text << " at " << p[0];
    }
  });
}

TEST(Functions, HaveTheDerivativesOfTheirFormulas) {
  for_random_points([](const Sample& sample, const Program& program, const Point& p) {
    const std::vector<double> gradient = eval_backward(program, p).gradient;
    for (std::size_t i = 0; i < p.size(); ++i) {
      constexpr double kStep = 1e-6;
      Point above = p, below = p;
      above[i] += kStep;
      below[i] -= kStep;
      const double quotient = (sample.formula(above) - sample.formula(below)) / (2 * kStep);
      EXPECT_NEAR(gradient[i], quotient, 2e-7 * (1 + std::abs(quotient) + std::abs(sample.formula(p))))
          << sample.text << " by input " << i << " at " << p[0];
    }
  });
}

TEST(Functions, AreAllSampled) {
  std::set<std::string> sampled, listed;
  for (const Sample& sample : samples()) sampled.insert(sample.function);
  for (const Function& function : functions()) listed.insert(std::string(function.name));
  EXPECT_EQ(sampled, listed);
}

TEST(Functions, AreListedWithSignatureAndHelp) {
  for (const Function& function : functions()) {
    const std::string opening = std::string(function.name) + "(";
    EXPECT_EQ(function.signature.substr(0, opening.size()), opening);
    EXPECT_EQ(function.signature.back(), ')');
    EXPECT_FALSE(function.help.empty());
    EXPECT_LE(function.fewest_arguments, function.most_arguments);
    const auto commas = std::count(function.signature.begin(), function.signature.end(), ',');
    if (function.most_arguments == kMostArguments) continue;
    EXPECT_EQ(commas + 1, function.most_arguments) << function.name;
  }
}

TEST(Functions, KeepTheirHeightsOutsideOfAStep) {
  for (const std::string name : {"step", "step5", "haversine"}) {
    const Program program = compile_sample(name + "(x, 1, 0, 2, 8)");
    EXPECT_EQ(eval<double>(program, {0.9}), 0.0) << name;
    EXPECT_EQ(eval<double>(program, {1.0}), 0.0) << name;
    EXPECT_DOUBLE_EQ(eval<double>(program, {1.5}), 4.0) << name;
    EXPECT_EQ(eval<double>(program, {2.0}), 8.0) << name;
    EXPECT_EQ(eval<double>(program, {1e300}), 8.0) << name;
    // A step may also go backwards.
    EXPECT_EQ(eval<double>(compile_sample(name + "(x, 2, 8, 1, 0)"), {0.5}), 0.0) << name;
  }
}

TEST(Functions, WholeNumbersAtTheirEdges) {
  EXPECT_EQ(constant_of("floor(-1.5)"), -2);
  EXPECT_EQ(constant_of("ceil(-1.5)"), -1);
  EXPECT_EQ(constant_of("round(-1.5)"), -2);
  EXPECT_EQ(constant_of("round(2.5)"), 3);
  EXPECT_EQ(constant_of("mod(-0.5, 2)"), 1.5);
  EXPECT_EQ(constant_of("mod(0.5, -2)"), -1.5);
  EXPECT_EQ(constant_of("sign(0)"), 0);
  EXPECT_EQ(constant_of("log10(1000)"), 3);
}

TEST(Functions, StopsDoNotPull) {
  // Deep enough for the whole damper, opening fast: 100 * 1 - 1000 * 1 < 0.
  EXPECT_EQ(value_of_text("impact(x, y, 1, 100, 1, 1000, 0.1)", {0.0, 1.0}), 0.0);
  EXPECT_EQ(value_of_text("impact(x, y, 1, 100, 1, 1000, 0.1)", {0.0, -1.0}), 1100.0);
  EXPECT_EQ(value_of_text("bistop(x, y, 1, 2, 100, 1, 1000, 0.1)", {3.0, -1.0}), 0.0);
  EXPECT_EQ(value_of_text("bistop(x, y, 1, 2, 100, 1, 1000, 0.1)", {3.0, 1.0}), -1100.0);
}

TEST(Functions, TakeTheOneSidedDerivativesOfDualNumbersAtCorners) {
  const auto slope = [](const std::string& text, double x) {
    const Program program = compile_sample(text);
    const double backward = eval_backward(program, {x}).gradient[0];
    EXPECT_EQ(backward, eval_forward(program, {x}).gradient[0]) << text;
    return backward;
  };
  EXPECT_EQ(slope("abs(x)", 0), 0);
  EXPECT_EQ(slope("min(2*x, 3*x)", 0), 2);
  EXPECT_EQ(slope("max(2*x, 3*x)", 0), 2);
  EXPECT_EQ(slope("hypot(x, 0*x)", 0), 0);
  EXPECT_EQ(slope("sqrt(x)", 0), HUGE_VAL);
  EXPECT_EQ(slope("sqrt(x^2)", 0), 0);
  EXPECT_EQ(slope("sqrt(0*x)", 2), 0);
  EXPECT_EQ(slope("x^1.5", 0), 0);
  EXPECT_EQ(slope("impact(x, 0, 1, 50, 1, 10, 0.1)", 1), 0);
  EXPECT_EQ(slope("spline(road, x)", 1), -1);
}

}  // namespace
}  // namespace trammel::model::expression
