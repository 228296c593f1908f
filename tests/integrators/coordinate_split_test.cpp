// The family of bdf-ggl: which of its iterations solve the equations of the model and which does not, that two of them
// are one, what the report of Yen and Petzold (1996) prints, and what is wrong in it.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "cases/case.h"
#include "cases/reference.h"
#include "tests/support/problems.h"
#include "tests/support/systems.h"
#include "trammel/analyses/form.h"
#include "trammel/integrators/integrate.h"
#include "trammel/kinematics/parametrisation.h"

namespace trammel::integrators {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;
using trammel::testing::MatrixValues;
using trammel::testing::Point;
using trammel::testing::State;
using trammel::testing::Structure;
using trammel::testing::Vector;
using trammel::testing::VectorOut;

/// A method with its settings, and whether it solves the equations of the model.
struct Iteration {
  std::string name;
  MethodOptions settings;
};
const std::vector<Iteration> kConsistent{{"bdf-ggl", {}},
                                         {"bdf-ggl-star", {}},
                                         {"bdf-cs", {}},
                                         {"bdf-cs", {{"split", "qr"}}},
                                         {"bdf-cm", {{"projector", "current"}}},
                                         {"bdf-cm", {{"projector", "predictor"}}}};

RunResult run(const dae::ConstrainedSystem& system, const State& start, double t_end, double tolerance,
              const Iteration& iteration) {
  Options options = Options::with_tolerance(tolerance);
  options.method = iteration.name;
  options.method_options = iteration.settings;
  return integrate(system, start, t_end, options);
}

/// A point with unequal masses along x and y on the unit circle, drawn down by a constant force. The angle from the
/// lowest point obeys (cos^2 + 3 sin^2) phi'' + 2 sin cos phi'^2 = -F sin.
class HeavySideways final : public dae::ConstrainedSystem {
 public:
  static constexpr double kForce = 30, kMassY = 3;

  HeavySideways() : ConstrainedSystem(Structure::full({"x", "y"}, {"circle"})) {}
  void calc_mass(const Point&, MatrixValues M) const override {
    M(0, 0) = 1;
    M(1, 1) = kMassY;
  }
  void calc_force(const Point&, VectorOut f) const override { f[1] = -kForce; }
  void calc_constraint(const Point& at, VectorOut g) const override { g[0] = 0.5 * (at.q.squaredNorm() - 1); }
  void calc_jacobian(const Point& at, MatrixValues G) const override { G.dense() = at.q.transpose(); }

  static State at_angle(double phi, double rate) {
    State s;
    s.q = Vector2d(std::sin(phi), -std::cos(phi));
    s.v = rate * Vector2d(std::cos(phi), std::sin(phi));
    s.x = Vector();
    return s;
  }
  /// From rest at phi = 1, by Runge-Kutta steps of a ten-thousandth of the time: exact to 1e-13.
  static State solution(double t) {
    constexpr int kSteps = 10'000;
    const double h = t / kSteps;
    const auto rate = [](const Vector2d& y) {
      const double s = std::sin(y[0]), c = std::cos(y[0]);
      return Vector2d(y[1], -(kForce * s + (kMassY - 1) * s * c * y[1] * y[1]) / (c * c + kMassY * s * s));
    };
    Vector2d y(1, 0);
    for (int i = 0; i < kSteps; ++i) {
      const Vector2d k1 = rate(y), k2 = rate(y + 0.5 * h * k1), k3 = rate(y + 0.5 * h * k2), k4 = rate(y + h * k3);
      y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return at_angle(y[0], y[1]);
  }
};

double calc_error(const State& a, const State& b) {
  return std::max(linalg::largest_abs(a.q - b.q), linalg::largest_abs(a.v - b.v));
}

TEST(CoordinateSplit, ConsistentIterationsConvergeWithUnequalMasses) {
  const HeavySideways system;
  const State exact = HeavySideways::solution(2);
  for (const Iteration& iteration : kConsistent) {
    double previous = 1e300;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const RunResult result = run(system, HeavySideways::at_angle(1, 0), 2, tolerance, iteration);
      ASSERT_TRUE(result.ok()) << iteration.name << ": " << result.reason;
      const double error = calc_error(result.state, exact);
      EXPECT_LT(error, previous / 5) << iteration.name << " at " << tolerance;
      previous = error;
    }
    EXPECT_LT(previous, 1e-4) << iteration.name;
  }
}

TEST(CoordinateSplit, ConsistentIterationsConvergeOnSpatialModels) {
  const cases::Reference reference =
      cases::load_reference(std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases/reference/spatial-double-pendulum.json");
  const cases::Case c = cases::build_case(*cases::find_case("spatial-double-pendulum"));
  const cases::ReferencePoint& last = reference.points.back();
  for (const Iteration& iteration : kConsistent) {
    const analyses::Form form = analyses::choose_form(c.mechanism, c.start, *find_method(iteration.name));
    ASSERT_NE(form.plain, nullptr);
    double previous = 1e300;
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
      const RunResult result = run(*form.plain, form.from_quasi(c.start), last.t, tolerance, iteration);
      ASSERT_TRUE(result.ok()) << iteration.name << ": " << result.reason;
      const State end = form.to_quasi(result.state);
      double error = 0;
      for (const auto& [name, value] : last.values) {
        error = std::max(error, std::abs(cases::named_value(c.system->structure(), end, name) - value));
      }
      EXPECT_LT(error, previous / 5) << iteration.name << " at " << tolerance;
      previous = error;
    }
  }
}

TEST(CoordinateSplit, AFrozenProjectorDoesNotConverge) {
  const testing::Problem& problem = testing::smooth_problem("pendulum");
  const State exact = problem.solution(problem.t_end);
  // With the rules of DASSL, as in the report: the matrix, and the projector with it, is kept while Newton's iteration
  // converges. Our own rules renew it after 50 steps at the latest, and the error falls, slowly.
  const Iteration frozen{"bdf-cm", {{"projector", "frozen"}, {"rules", "dassl"}, {"error", "positions"}}};
  for (const double tolerance : {1e-5, 1e-6, 1e-7}) {
    const RunResult result = run(*problem.system, problem.start, problem.t_end, tolerance, frozen);
    ASSERT_TRUE(result.ok()) << result.reason;
    EXPECT_GT(calc_error(result.state, exact), 0.1) << "at " << tolerance;
    const auto says = [](const std::string& note) { return note.find("frozen projector") != std::string::npos; };
    EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), says)) << "users are told";
  }
}

TEST(CoordinateSplit, SplittingAndResettingTheMultipliersIsOneIteration) {
  struct Sample {
    std::string name;
    cases::ParameterValues parameters;
    double t_end, tolerance;
  };
  for (const Sample& sample : {Sample{"point-mass-spring", {{"eps", 1e-4}}, 0.05, 1e-4},
                               Sample{"pendulum", {}, 2, 1e-5}, Sample{"andrews", {}, 0.03, 1e-5}}) {
    const cases::Case c = cases::build_case(*cases::find_case(sample.name), sample.parameters);
    for (const char* judged : {"all", "independent"}) {
      for (const char* error : {"all", "positions"}) {
        const MethodOptions settings{{"judged", judged}, {"error", error}, {"max_order", "2"}};
        const auto steps = [&](const char* method) {
          const RunResult result = run(*c.system, c.start, sample.t_end, sample.tolerance, {method, settings});
          EXPECT_TRUE(result.ok()) << result.reason;
          return static_cast<double>(result.statistics.steps);
        };
        const double split = steps("bdf-cs"), reset = steps("bdf-ggl-star");
        EXPECT_NEAR(split / reset, 1, 0.05) << sample.name << ", " << judged << ", " << error;
      }
    }
  }
}

/// As in the report: DASSL's rules, order 2 at most, an error of positions. First step 0: found by the program.
RunResult run_as_in_report(const std::string& name, double eps, double tolerance, const Iteration& iteration,
                           double first_step = 0) {
  const cases::Case c = cases::build_case(*cases::find_case(name), {{"eps", eps}});
  Options options = Options::with_tolerance(tolerance);
  options.method = iteration.name;
  options.method_options = {{"rules", "dassl"}, {"max_order", "2"}, {"error", "positions"}};
  options.method_options.insert(iteration.settings.begin(), iteration.settings.end());
  options.h_max = c.t_end;
  options.h_initial = first_step;
  RunResult result = integrate(*c.system, c.start, c.t_end, options);
  EXPECT_EQ(result.status, RunStatus::kCompleted) << result.reason;
  return result;
}

/// Steps on the spring, the median over first steps from 1e-11 to 1e-4 s: at 1e-3 a step more or less of the first ones
/// makes a quarter more or less of them all, and the report does not say what its first step was.
double count_steps_on_spring(double eps, double tolerance, const Iteration& iteration) {
  std::vector<long> steps;
  for (double exponent = -11; exponent <= -4; exponent += 0.25) {
    const double first = std::pow(10.0, exponent);
    steps.push_back(run_as_in_report("point-mass-spring", eps, tolerance, iteration, first).statistics.steps);
  }
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return static_cast<double>(*middle);
}

TEST(CoordinateSplit, TakesTheStepsOfTheReportOnTheSpring) {
  struct Row {
    double tolerance, eps;
    double ggl, ggl_star, cs;  // steps of table 5.2
    double deviation;          // from them, relative
    double frozen;             // the largest share of the steps of CS
  };
  for (const Row& row : {Row{1e-3, 1e-4, 109, 109, 150, 0.25, 0.75}, Row{1e-3, 1e-5, 105, 105, 135, 0.15, 0.75},
                         Row{1e-4, 1e-4, 822, 818, 943, 0.15, 0.35}}) {
    SCOPED_TRACE(::testing::Message() << "TOL = " << row.tolerance << ", eps = " << row.eps);
    const auto steps = [&](const Iteration& iteration) {
      return count_steps_on_spring(row.eps, row.tolerance, iteration);
    };
    const double cs = steps({"bdf-cs", {}});
    EXPECT_NEAR(steps({"bdf-ggl", {}}) / row.ggl, 1, row.deviation);
    EXPECT_NEAR(steps({"bdf-ggl-star", {}}) / row.ggl_star, 1, row.deviation);
    EXPECT_NEAR(cs / row.cs, 1, row.deviation);
    EXPECT_LE(steps({"bdf-cm", {{"projector", "frozen"}}}), row.frozen * cs);
  }
}

TEST(CoordinateSplit, MultipliersAsUnknownsMakeNewtonsIterationFail) {
  long previous = 0;
  for (const double eps : {1e-4, 1e-5, 1e-6}) {
    const auto failures = [&](const char* method) {
      return run_as_in_report("point-mass-linear", eps, 1e-3, {method, {}}).statistics.rejected_convergence;
    };
    const long ggl = failures("bdf-ggl");
    EXPECT_GT(ggl, std::max(previous, 3L)) << "eps = " << eps;
    EXPECT_LE(failures("bdf-ggl-star"), 3) << "eps = " << eps;
    EXPECT_LE(failures("bdf-cs"), 3) << "eps = " << eps;
    previous = ggl;
  }
}

// The formulas of the report, by themselves. ------------------------------------------------------------------------

/// P, Q and (G Y)^-1 of the split of the seven-body mechanism at its start.
struct Formulas {
  cases::Case c = cases::build_case(*cases::find_case("chain"), {{"n", 3}});
  dae::Evaluation evaluation{*c.system};
  const Structure& s = c.system->structure();
  std::unique_ptr<kinematics::Parametrisation> chart =
      kinematics::make_parametrisation(kinematics::ParametrisationKind::kPartitioning, s.jacobian);
  Vector q = c.start.q + Vector::LinSpaced(s.n_q(), 0.01, 0.2);

  /// P r at a position, with the split that was chosen at the first one.
  Vector project(const Vector& position, const Vector& r) {
    evaluation.set_position(0, position);
    EXPECT_TRUE(chart->factor(evaluation.jacobian()).ok);
    Vector w(chart->dimension());
    chart->reduce_along(evaluation.jacobian(), r, w);
    return w;
  }
  Formulas() {
    evaluation.set_position(0, q);
    EXPECT_NE(chart->choose(evaluation.jacobian()), kinematics::ChartChoice::kSingular);
  }
};

TEST(CoordinateSplitFormulas, TheProjectorIsDifferentiatedByTheReactionsAlone) {
  Formulas f;
  const int n = f.s.n_v();
  const Vector r = Vector::LinSpaced(n, -1, 2).array().cos();
  Vector s(f.s.m());
  f.project(f.q, r);
  f.chart->solve_transposed(r, s);
  s = -s;  // lemma 2.2: d(P r)/dq = P d(G^T s)/dq
  const Eigen::MatrixXd reactions =
      f.s.pattern(dae::Derivative::kReactionByQ).to_dense(f.evaluation.derivative(dae::Derivative::kReactionByQ, s));
  constexpr double kStep = 1e-5;
  for (int j = 0; j < n; ++j) {
    const Vector exact = f.project(f.q, reactions.col(j));
    const Vector e = kStep * Vector::Unit(n, j);
    const Vector difference = (f.project(f.q + e, r) - f.project(f.q - e, r)) / (2 * kStep);
    EXPECT_LT(linalg::largest_abs(difference - exact), 1e-8 * (1 + linalg::largest_abs(exact))) << "column " << j;
  }
}

TEST(CoordinateSplitFormulas, RowsOfTheProjectorAreNotOrthonormal) {
  Formulas f;
  const int n = f.s.n_v(), d = f.chart->dimension();
  Eigen::MatrixXd P(d, n);
  for (int j = 0; j < n; ++j) P.col(j) = f.project(f.q, Vector::Unit(n, j));
  const Eigen::MatrixXd G = f.s.jacobian.to_dense(f.evaluation.jacobian());
  EXPECT_LT((P * G.transpose()).cwiseAbs().maxCoeff(), 1e-13);
  const Eigen::MatrixXd gram = P * P.transpose() - Eigen::MatrixXd::Identity(d, d);  // Q^T Q, and not zero
  EXPECT_GT(gram.norm(), 0.1);
  // (2.23) with its signs and its matrix: u of P u = a, G u = b by u_x = (I + Q^T Q)^-1 (a + Q^T (G Y)^-1 b).
  Eigen::MatrixXd both(n, n), X(n, d);
  both << P, G;
  for (int k = 0; k < d; ++k) {
    Vector column = Vector::Zero(n);
    f.chart->add_extended(Vector::Unit(d, k), column);
    X.col(k) = column;
  }
  const Vector a = Vector::LinSpaced(d, 1, 2), b = Vector::LinSpaced(f.s.m(), -1, 1);
  Vector right(n), z(n);
  right << a, b;
  f.chart->solve(b, z);  // Y (G Y)^-1 b, and P of it is -Q^T (G Y)^-1 b
  const Vector u = both.lu().solve(right);
  const Vector u_x = (P * P.transpose()).lu().solve(a - P * z);
  EXPECT_LT(linalg::largest_abs(X.transpose() * u - u_x), 1e-12);
  EXPECT_GT(linalg::largest_abs(X.transpose() * u - (a - P * z)), 0.01) << "(2.25) leaves the matrix out";
}

/// Implicit Euler on HeavySideways with mass 1 and `mass_y`, its equations solved by the decoupled iteration (2.17) of
/// the report or by the coupled one.
double calc_error_of_euler(double mass_y, bool is_decoupled, bool by_inverse_mass, int steps) {
  const Matrix2d M = Vector2d(1, mass_y).asDiagonal(), I = Matrix2d::Identity();
  const Vector2d force(0, -HeavySideways::kForce);
  const double t_end = 0.5, h = t_end / steps, cj = 1 / h;
  Vector2d q(std::sin(1), -std::cos(1)), v(0, 0);
  for (int i = 0; i < steps; ++i) {
    const Vector2d q_0 = q, v_0 = v;
    for (int k = 0; k < 200; ++k) {
      const Matrix2d N = by_inverse_mass ? Matrix2d(M.inverse()) : I;  // remark 3.1 multiplies r2 by M^-1
      const Vector2d r1 = cj * (q - q_0) - v, r2 = N * (M * (cj * (v - v_0)) - force);
      const Vector2d G = q;
      const int y = std::abs(G[0]) > std::abs(G[1]) ? 0 : 1, x = 1 - y;
      Vector2d P;  // the one row X^T - Q^T Y^T
      P[x] = 1;
      P[y] = -G[x] / G[y];
      const double s1 = -r1[y] / G[y], s2 = -r2[y] / G[y], g = 0.5 * (q.squaredNorm() - 1), velocity = G.dot(v);
      Eigen::Matrix4d J1;  // d(G^T s)/dq = s I
      J1 << (cj + s1) * I, -I, s2 * I, cj * N * M;
      Eigen::Vector4d r, change;
      r << r1, r2;
      Matrix2d both;
      both << P.transpose(), G.transpose();
      if (is_decoupled) {
        const Eigen::Vector4d hat = -J1.lu().solve(r);
        change.head<2>() = both.lu().solve(Vector2d(P.dot(hat.head<2>()), -g));
        change.tail<2>() = both.lu().solve(Vector2d(P.dot(hat.tail<2>()), -velocity - v.dot(change.head<2>())));
      } else {
        Eigen::Matrix4d J = Eigen::Matrix4d::Zero();
        J.row(0) = P.transpose() * J1.topRows<2>();
        J.row(1) = P.transpose() * J1.bottomRows<2>();
        J.row(2) << v.transpose(), G.transpose();
        J.row(3).head<2>() = G.transpose();
        change = J.lu().solve(Eigen::Vector4d(-P.dot(r1), -P.dot(r2), -velocity, -g));
      }
      q += change.head<2>();
      v += change.tail<2>();
      if (change.norm() < 1e-13) break;
    }
  }
  return (q - HeavySideways::solution(t_end).q).norm();
}

TEST(CoordinateSplitFormulas, TheDecoupledIterationOfTheReportSolvesOtherEquations) {
  const auto gain = [](bool is_decoupled, bool by_inverse_mass) {
    return calc_error_of_euler(HeavySideways::kMassY, is_decoupled, by_inverse_mass, 100) /
           calc_error_of_euler(HeavySideways::kMassY, is_decoupled, by_inverse_mass, 1000);
  };
  EXPECT_NEAR(gain(false, false), 10, 1.5) << "the coupled iteration is of first order";
  EXPECT_LT(gain(true, false), 1.5) << "the error of the decoupled one does not fall with the step";
  EXPECT_LT(gain(true, true), 1.5) << "nor with the residual of remark 3.1";
}

}  // namespace
}  // namespace trammel::integrators
