// Loops of a user's own on the reduced equations. What stands between the lines "example" is the code of
// docs/guide/reduced-equations.md, and a test compares the two.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/pendulum_solution.h"
#include "tests/support/systems.h"
#include "trammel/trammel.h"

namespace trammel::testing {
namespace {

// example
using namespace trammel;
using integrators::ReducedEquations;
using linalg::Vector;

class Pendulum final : public dae::ConstrainedSystem {
 public:
  Pendulum() : ConstrainedSystem(dae::Structure::full({"x", "y"}, {"rod"})) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const dae::Point&, dae::VectorOut f) const override { f[1] = -9.81; }
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override { g[0] = (at.q.squaredNorm() - 1) / 2; }
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override { G.dense() = at.q.transpose(); }
};

/// One step of the classical Runge-Kutta formula: state becomes that at t + h. False when it cannot be computed.
bool step_runge_kutta(ReducedEquations& equations, double h, dae::State& state) {
  Vector y(equations.size()), k1 = y, k2 = y, k3 = y, k4 = y;
  dae::State stage = state;  // its dependent coordinates, and reactions, are where the next ones are looked for
  const double t = state.t;
  equations.reduce(state, y);  // y = (w, w', x) in the present chart
  equations.calc_rate(state, k1);
  const auto eval = [&](double ahead, const Vector& at, Vector& rate) {
    if (!equations.eval(t + ahead, at, stage)) return false;
    equations.calc_rate(stage, rate);
    return true;
  };
  return eval(h / 2, y + h / 2 * k1, k2) && eval(h / 2, y + h / 2 * k2, k3) && eval(h, y + h * k3, k4) &&
         equations.eval(t + h, y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), state, ReducedEquations::Recovery::kTight);
}

/// Steps from the state to t_end. What went wrong, or an empty string.
std::string run_runge_kutta(integrators::ReducedProblem& problem, double t_end, int steps, dae::State& state,
                            const std::function<void(const dae::State&)>& output) {
  ReducedEquations& equations = problem.equations();
  if (std::string trouble = problem.begin(state); !trouble.empty()) return trouble;
  const double t_begin = state.t, h = (t_end - t_begin) / steps;
  for (int i = 1; i <= steps; ++i) {
    if (!step_runge_kutta(equations, t_begin + i * h - state.t, state)) return equations.describe_trouble();
    output(state);  // complete: q, v, a, reactions lambda, x and x'
    // Another chart is another y: a formula with a memory would forget it here, or begin anew.
    if (equations.is_chart_worn() && equations.choose_chart(state) == kinematics::ChartChoice::kSingular) {
      return equations.describe_trouble();
    }
  }
  return "";
}

/// One step of the implicit Euler formula, y_1 = y_0 + h F(t_1, y_1), by Newton's iteration with I - h dF/dy.
bool step_implicit_euler(ReducedEquations& equations, integrators::IntegrationJacobian& jacobian, double h,
                         dae::State& state) {
  Vector y0(equations.size()), y = y0, residual = y0;
  equations.reduce(state, y0);
  // Here dF/dy is evaluated at the begin of every step; it may as well be kept for several of them.
  if (!jacobian.eval(state) || !jacobian.factor(integrators::StageWeights::of_first_order(h))) return false;
  equations.calc_rate(state, residual);
  y = y0 + h * residual;
  const double t = state.t + h;
  for (int k = 0; k < 10; ++k) {
    if (!equations.eval(t, y, state)) return false;
    equations.calc_rate(state, residual);
    residual = y0 + h * residual - y;
    jacobian.solve_shifted(residual);  // residual becomes (I - h dF/dy)^-1 residual
    y += residual;
    if (residual.lpNorm<Eigen::Infinity>() < 1e-12) break;
  }
  return equations.eval(t, y, state, ReducedEquations::Recovery::kTight);
}
// example

/// A pendulum of length 1 that starts at the lowest point with the angular velocity rate, enough to go over the top:
///   sin(theta/2) = sn(rate t/2, k),  theta' = rate dn(rate t/2, k),  k = 2 sqrt(g) / rate < 1.
dae::State turning_pendulum(double rate, double t) {
  const double g = 9.81;
  const JacobiFunctions j = calc_jacobi(rate * t / 2, 2 * std::sqrt(g) / rate);
  const double sine = 2 * j.sn * j.cn, cosine = j.cn * j.cn - j.sn * j.sn, speed = rate * j.dn;
  dae::State s;
  s.t = t;
  s.q.resize(2);
  s.v.resize(2);
  s.lambda.resize(1);
  s.q << sine, -cosine;
  s.v << speed * cosine, speed * sine;
  s.lambda << speed * speed + g * cosine;
  return s;
}

struct Worst {
  double q = 0, v = 0, lambda = 0, position_drift = 0, velocity_drift = 0;

  void look(const dae::State& s, const dae::State& exact) {
    const auto raise = [](double& largest, double value) { largest = std::max(largest, value); };
    raise(q, linalg::largest_abs(s.q - exact.q));
    raise(v, linalg::largest_abs(s.v - exact.v));
    raise(lambda, linalg::largest_abs(s.lambda - exact.lambda));
    raise(position_drift, std::abs(s.q.squaredNorm() - 1));
    raise(velocity_drift, std::abs(s.q.dot(s.v)));
  }
};

constexpr double kRate = 8, kEnd = 10;  // eleven turns

dae::State start_of(const dae::ConstrainedSystem& system) {
  dae::State start = dae::State::zero(system.structure());
  const dae::State exact = turning_pendulum(kRate, 0);
  start.q = exact.q;
  start.v = exact.v;
  return start;
}

Worst run_rk4(int steps, integrators::ChartOptions chart, long& chart_changes) {
  const Pendulum pendulum;
  integrators::ReducedProblem problem(pendulum, {.chart = chart});
  dae::State state = start_of(pendulum);
  Worst worst;
  EXPECT_EQ(run_runge_kutta(problem, kEnd, steps, state,
                            [&](const dae::State& s) { worst.look(s, turning_pendulum(kRate, s.t)); }),
            "");
  EXPECT_NEAR(state.t, kEnd, 1e-12);
  chart_changes = problem.equations().chart_changes();
  EXPECT_GE(problem.statistics().evaluations.force, 4 * steps);
  return worst;
}

TEST(ReducedEquations, ALoopOfOnesOwnFollowsAPendulumOverManyTurnsWithoutDrift) {
  for (const auto kind :
       {kinematics::ParametrisationKind::kPartitioning, kinematics::ParametrisationKind::kTangentPlane}) {
    long changes = 0;
    const Worst coarse = run_rk4(10'000, {.kind = kind}, changes), fine = run_rk4(20'000, {.kind = kind}, changes);
    EXPECT_GT(changes, 40) << "four charts a turn";
    EXPECT_LT(fine.q, 2e-7);
    EXPECT_LT(fine.v, 2e-6);
    EXPECT_LT(fine.lambda, 2e-5);
    EXPECT_GT(coarse.q / fine.q, 14) << "of order four: halved steps have a sixteenth of the error";
    EXPECT_GT(coarse.v / fine.v, 14);
    EXPECT_GT(coarse.lambda / fine.lambda, 14);
    EXPECT_LT(fine.position_drift, 1e-14);
    EXPECT_LT(fine.velocity_drift, 1e-13);
  }
}

TEST(ReducedEquations, AnImplicitLoopTakesItsDerivativesFromTheIntegrationJacobian) {
  const Pendulum pendulum;
  const auto run = [&](int steps) {
    integrators::ReducedProblem problem(pendulum);
    integrators::IntegrationJacobian jacobian(problem.context(), problem.equations(),
                                              integrators::JacobianKind::kAutomatic);
    dae::State state = start_of(pendulum);
    EXPECT_EQ(problem.begin(state), "");
    Worst worst;
    for (int i = 0; i < steps; ++i) {
      EXPECT_TRUE(step_implicit_euler(problem.equations(), jacobian, 0.5 / steps, state));
      worst.look(state, turning_pendulum(kRate, state.t));
      if (problem.equations().is_chart_worn()) {
        EXPECT_NE(problem.equations().choose_chart(state), kinematics::ChartChoice::kSingular);
      }
    }
    return worst;
  };
  const Worst coarse = run(1000), fine = run(2000);
  EXPECT_LT(fine.q, 0.02);
  EXPECT_NEAR(coarse.q / fine.q, 2, 0.1);
  EXPECT_LT(fine.position_drift, 1e-14);
  EXPECT_LT(fine.velocity_drift, 1e-13);
}

TEST(ReducedEquations, DerivativesOfTheRatesAreThoseOfDifferences) {
  const Pendulum pendulum;
  const LaggedActuator actuator(0.5);
  const auto check = [](const dae::ConstrainedSystem& system, dae::State state) {
    integrators::ReducedProblem problem(system);
    ReducedEquations& equations = problem.equations();
    ASSERT_EQ(problem.begin(state), "");
    integrators::IntegrationJacobian jacobian(problem.context(), equations, integrators::JacobianKind::kAutomatic);
    ASSERT_TRUE(jacobian.eval(state));
    const int n = equations.size();
    Eigen::MatrixXd J(n, n);
    jacobian.calc_rate_derivative(J);
    Vector y(n), ahead(n), behind(n);
    equations.reduce(state, y);
    const double step = 1e-5;
    for (int k = 0; k < n; ++k) {
      dae::State probe = state;
      Vector moved = y;
      moved[k] = y[k] + step;
      ASSERT_TRUE(equations.eval(state.t, moved, probe, ReducedEquations::Recovery::kTight));
      equations.calc_rate(probe, ahead);
      moved[k] = y[k] - step;
      ASSERT_TRUE(equations.eval(state.t, moved, probe, ReducedEquations::Recovery::kTight));
      equations.calc_rate(probe, behind);
      // The bias of the pendulum is a difference itself.
      EXPECT_LT(linalg::largest_abs(J.col(k) - (ahead - behind) / (2 * step)), 1e-4) << "column " << k;
    }
  };
  dae::State turning = dae::State::zero(pendulum.structure());
  turning.q << 0.6, -0.8;
  turning.v << 4, 3;
  check(pendulum, turning);
  check(actuator, actuator.start());
}

TEST(ReducedEquations, SystemsThatHaveNoSuchEquationsAreRefused) {
  const KnifeEdge nonholonomic(2, 1.5);
  try {
    const integrators::ReducedProblem problem(nonholonomic);
    FAIL() << "it has a nonholonomic constraint";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("nonholonomic"), std::string::npos) << error.what();
  }
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(ReducedEquations, TheGuideShowsThisCode) {
  const std::filesystem::path root(TRAMMEL_SOURCE_DIR);
  const std::string code = read_text(root / "tests" / "integrators" / "reduced_equations_test.cpp");
  const std::string mark = "\n// example\n";
  const std::size_t begin = code.find(mark) + mark.size(), end = code.find(mark, begin) + 1;
  const std::string example = code.substr(begin, end - begin);
  EXPECT_GT(example.size(), 1000u);
  EXPECT_NE(read_text(root / "docs" / "guide" / "reduced-equations.md").find(example), std::string::npos)
      << "copy the example of this file into docs/guide/reduced-equations.md";
}

}  // namespace
}  // namespace trammel::testing
