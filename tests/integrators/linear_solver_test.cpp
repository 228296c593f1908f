// The option linear_solver of every method that has it: the linear algebra changes neither motion nor reactions, and a
// choice that does not suit the equations is refused in words.

#include <gtest/gtest.h>

#include <algorithm>

#include "cases/case.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"

namespace trammel::integrators {
namespace {

using dae::MatrixValues;
using dae::Point;
using dae::State;
using dae::Structure;
using dae::VectorOut;

std::vector<const MethodEntry*> methods_with_option() {
  std::vector<const MethodEntry*> found;
  for (const MethodEntry* entry : methods()) {
    if (integrators::has_option(*entry, "linear_solver")) found.push_back(entry);
  }
  return found;
}

struct Sample {
  const char* name;
  cases::ParameterValues parameters;
  double t_end;
  int steps;
  int suitable;  ///< modes that must serve
};

TEST(LinearSolver, EveryModeGivesTheSameTrajectory) {
  // Steps are given, because round-off in the errors of the first ones would change them.
  const std::vector<Sample> samples{{"andrews", {}, 0.02, 400, 9},
                                    {"chain", {}, 0.8, 100, 9},
                                    {"mixed-chain", {}, 0.8, 100, 6},
                                    {"insulator-chain", {{"n", 4}}, 0.02, 400, 5},
                                    {"cable-drum", {{"mu", 0.5}}, 1, 50, 9}};
  ASSERT_FALSE(methods_with_option().empty());
  for (const MethodEntry* method : methods_with_option()) {
    if (!method->capabilities.fixed_steps) continue;
    for (const Sample& sample : samples) {
      const cases::Case c = cases::build_case(*cases::find_case(sample.name), sample.parameters);
      if (!find_obstacles(*method, c.system->structure(), {}).empty()) continue;
      Options options;
      options.method = method->name;
      options.h_fixed = sample.t_end / sample.steps;
      // Newton's iteration of a step ends at a tolerance.
      if (!has_option(*method, "condition_growth")) options.rtol = options.atol = 1e-10;
      State expected;
      int served = 0;
      for (const std::string& mode : linear_solver_option().values) {
        options.method_options = {{"linear_solver", mode}};
        // Other coordinates are another discretisation, and an estimated condition decides on them.
        if (integrators::has_option(*method, "condition_growth")) options.method_options["condition_growth"] = "1e12";
        if (!find_obstacles(*method, c.system->structure(), options.method_options).empty()) continue;
        const RunResult result = integrate(*c.system, c.start, sample.t_end, options);
        ASSERT_TRUE(result.ok()) << sample.name << ", " << mode << ": " << result.reason;
        if (served++ == 0) expected = result.state;
        const auto distance = [](const linalg::Vector& a, const linalg::Vector& b) {
          return linalg::largest_abs(a - b) / (1 + linalg::largest_abs(b));
        };
        const std::string what = method->name + " on " + sample.name + " by " + mode;
        EXPECT_LT(distance(result.state.q, expected.q), 1e-9) << what;
        EXPECT_LT(distance(result.state.v, expected.v), 1e-9) << what;
        EXPECT_LT(distance(result.state.a, expected.a), 1e-8) << what;
        EXPECT_LT(distance(result.state.lambda, expected.lambda), 1e-8) << what;
      }
      EXPECT_EQ(served, sample.suitable) << method->name << " on " << sample.name;
    }
  }
}

RunResult run(const dae::ConstrainedSystem& system, const State& start, const std::string& mode) {
  Options options;
  options.method_options = {{"linear_solver", mode}};
  return integrate(system, start, 0.5, options);
}

TEST(LinearSolver, WhatTheStructureRulesOutIsRefusedBeforeTheRun) {
  const auto reason = [](const char* name, const char* mode) {
    const cases::Case c = cases::build_case(*cases::find_case(name));
    const RunResult result = run(*c.system, c.start, mode);
    EXPECT_EQ(result.failure.cause, FailureCause::kInvalidInput);
    EXPECT_EQ(result.statistics.steps, 0);
    return result.reason;
  };
  EXPECT_EQ(reason("chain", "block"),
            "option 'linear_solver' of method 'projection' is 'block', but block elimination needs coordinates without "
            "mass, such as joint coordinates beside those of the bodies, and every coordinate has an entry in the mass "
            "matrix");
  EXPECT_EQ(reason("insulator-chain", "cholesky-qr"),
            "option 'linear_solver' of method 'projection' is 'cholesky-qr', but Cholesky needs a positive definite "
            "mass matrix, and these coordinates have no mass: load.x, load.y");
  EXPECT_EQ(
      reason("chain", "cholesky"),
      "option 'linear_solver' of method 'projection' is 'cholesky', but must be one of: automatic, lu, symmetric, "
      "cholesky-qr, block, sparse, reduced, recursive, branches, articulated, iterative");
}

/// A bead on the parabola y = x^2 / 2 whose mass counts along x only: M is singular, though its pattern is full.
class HalfMassive final : public dae::ConstrainedSystem {
 public:
  HalfMassive() : ConstrainedSystem(Structure::full({"x", "y"}, {"parabola"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point&, VectorOut f) const override { f[1] = -9.81; }
  void calc_constraint(const Point& at, VectorOut g) const override { g[0] = at.q[1] - 0.5 * at.q[0] * at.q[0]; }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G(0, 0) = -at.q[0];
    G(0, 1) = 1;
  }
  State start() const {
    State s = State::zero(structure());
    s.q << 1, 0.5;
    return s;
  }
};

/// The same with a pattern that says so: the constraint can be solved for x, the coordinate with mass, unless x = 0.
class MasslessHeight final : public dae::ConstrainedSystem {
 public:
  MasslessHeight() : ConstrainedSystem(make_structure()) {}
  void calc_mass(const Point&, MatrixValues M) const override { M[0] = 1; }
  void calc_force(const Point&, VectorOut f) const override { f[1] = -9.81; }
  void calc_constraint(const Point& at, VectorOut g) const override { g[0] = at.q[1] - 0.5 * at.q[0] * at.q[0]; }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G(0, 0) = -at.q[0];
    G(0, 1) = 1;
  }
  State at(double x, double rate) const {
    State s = State::zero(structure());
    s.q << x, 0.5 * x * x;
    s.v << rate, x * rate;
    return s;
  }

 private:
  static Structure make_structure() {
    Structure s = Structure::full({"x", "y"}, {"parabola"});
    s.mass = linalg::Pattern(2, 2, {{0, 0}});
    return s;
  }
};

TEST(LinearSolver, AMassMatrixThatTurnsOutSingularIsSaid) {
  const HalfMassive system;
  // x'' = -9.81 x: a quarter period brings the bead down.
  for (const char* mode : {"automatic", "lu", "symmetric", "sparse"}) {
    const RunResult result = run(system, system.start(), mode);
    ASSERT_TRUE(result.ok()) << mode << ": " << result.reason;
    EXPECT_NEAR(result.state.q[0], std::cos(std::sqrt(9.81) * 0.5), 1e-4) << mode;
  }
  const RunResult result = run(system, system.start(), "cholesky-qr");
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.reason.find("Cholesky needs a positive definite mass matrix"), std::string::npos) << result.reason;
}

TEST(LinearSolver, APositionThatBlockEliminationCannotTakeIsSaid) {
  const MasslessHeight system;
  const RunResult aside = run(system, system.at(1, 0), "block");
  ASSERT_TRUE(aside.ok()) << aside.reason;
  EXPECT_NEAR(aside.state.q[0], std::cos(std::sqrt(9.81) * 0.5), 1e-4);
  const RunResult below = run(system, system.at(0, 1), "block");
  ASSERT_FALSE(below.ok());
  EXPECT_NE(below.reason.find("solved for the coordinates with mass"), std::string::npos) << below.reason;
  EXPECT_TRUE(run(system, system.at(0, 1), "lu").ok());
}

}  // namespace
}  // namespace trammel::integrators
