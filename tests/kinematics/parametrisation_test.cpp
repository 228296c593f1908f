// Charts of independent coordinates: [G; Y^T]^-1 = [Z P] to round-off, also away from where they were chosen, and P is
// the derivative of the positions that the constraints leave.

#include "trammel/kinematics/parametrisation.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "cases/case.h"
#include "tests/support/problems.h"
#include "trammel/analyses/form.h"
#include "trammel/kinematics/partitioning.h"

namespace trammel::kinematics {
namespace {

using Eigen::MatrixXd;

constexpr ParametrisationKind kKinds[] = {ParametrisationKind::kPartitioning, ParametrisationKind::kTangentPlane};

/// A system with two consistent positions, some time apart.
struct Bench {
  std::string name;
  std::shared_ptr<const dae::ConstrainedSystem> system;
  dae::State first, second;
};

Bench make_bench(const std::string& name, std::shared_ptr<const dae::ConstrainedSystem> system, const dae::State& start,
                 double t_first, double t_second) {
  Bench b{name, std::move(system), {}, {}};
  integrators::Options options = integrators::Options::with_tolerance(1e-8);
  options.output.kind = integrators::OutputKind::kPoints;
  options.output.points = {t_first, t_second};
  integrators::Observers observers;
  observers.output = [&](const dae::State& state) { (state.t == t_first ? b.first : b.second) = state; };
  const auto result = integrate(*b.system, start, t_second, options, {}, observers);
  EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << name << ": " << result.reason;
  return b;
}

Bench bench_of_case(const std::string& name, const cases::ParameterValues& parameters, double t_first,
                    double t_second) {
  const cases::Case c = cases::build_case(*cases::find_case(name), parameters);
  if (!analyses::is_spatial(c.mechanism.get())) return make_bench(name, c.system, c.start, t_first, t_second);
  const auto plain = std::make_shared<const system::PlainForm>(c.mechanism, c.mechanism->rotations());
  return make_bench(name, plain, plain->to_plain(c.start), t_first, t_second);
}

const std::vector<Bench>& benches() {
  static const std::vector<Bench> all{
      bench_of_case("pendulum", {}, 0.1, 0.15),
      bench_of_case("andrews", {}, 0.01, 0.011),
      bench_of_case("chain", {{"n", 40}}, 0.1, 0.12),
      bench_of_case("chain", {{"n", 60}}, 0.1, 0.12),  // more constraints than are factorised as a full matrix
      bench_of_case("spatial-slider-crank", {}, 0.2, 0.22),
      bench_of_case("heavy-top", {}, 0.01, 0.0105),
      bench_of_case("mass-spring-damper", {}, 0.1, 0.2),  // no constraints
      bench_of_case("slider-crank", {}, 0.1, 0.11),       // no freedom
  };
  return all;
}

/// [Z P] and Y as matrices, by the operations of a chart.
struct Matrices {
  MatrixXd Z, P, Y, Z_transposed, P_transposed;

  Matrices(Parametrisation& chart, const double* jacobian) {
    const int n = chart.n(), m = chart.m(), d = chart.dimension();
    Z = MatrixXd::Zero(n, m);
    P = Y = MatrixXd::Zero(n, d);
    Z_transposed = MatrixXd::Zero(m, n);
    P_transposed = MatrixXd::Zero(d, n);
    for (int k = 0; k < m; ++k) chart.solve(Vector::Unit(m, k), Z.col(k));
    for (int k = 0; k < d; ++k) {
      chart.extend_along(jacobian, Vector::Unit(d, k), P.col(k));
      chart.add_extended(Vector::Unit(d, k), Y.col(k));
    }
    for (int k = 0; k < n; ++k) {
      chart.solve_transposed(Vector::Unit(n, k), Z_transposed.col(k));
      chart.reduce_along(jacobian, Vector::Unit(n, k), P_transposed.col(k));
    }
  }
};

double largest(const MatrixXd& A) { return A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff(); }

TEST(Parametrisation, CoordinatesAndConstraintsTogetherAreInvertible) {
  for (const Bench& b : benches()) {
    for (const ParametrisationKind kind : kKinds) {
      SCOPED_TRACE(b.name + (kind == ParametrisationKind::kPartitioning ? ", partition" : ", tangent plane"));
      dae::Evaluation evaluation(*b.system);
      const dae::Structure& s = evaluation.structure();
      const auto chart = make_parametrisation(kind, s.jacobian);
      const int n = s.n_v(), m = s.m(), d = n - m;
      ASSERT_EQ(chart->n(), n);
      ASSERT_EQ(chart->m(), m);
      ASSERT_EQ(chart->dimension(), d);
      for (const dae::State* at : {&b.first, &b.second}) {
        evaluation.set(*at);
        if (at == &b.first) {
          ASSERT_EQ(chart->choose(evaluation.jacobian()), ChartChoice::kAnother);
        } else {
          ASSERT_TRUE(chart->factor(evaluation.jacobian()).ok);
        }
        const MatrixXd G = s.jacobian.to_dense(evaluation.jacobian());
        const Matrices x(*chart, evaluation.jacobian());
        // Round-off grows with the condition.
        const double limit = 4e-15 * std::max(chart->calc_condition(), 1.0);
        EXPECT_LT(largest(G * x.Z - MatrixXd::Identity(m, m)), limit);
        EXPECT_LT(largest(x.Y.transpose() * x.Z), limit);
        EXPECT_LT(largest(G * x.P), limit);
        EXPECT_LT(largest(x.Y.transpose() * x.P - MatrixXd::Identity(d, d)), limit);
        EXPECT_LT(largest(x.Y.transpose() * x.Y - MatrixXd::Identity(d, d)), 1e-14);
        EXPECT_LT(largest(x.Z_transposed - x.Z.transpose()), limit * (1 + largest(x.Z)));
        EXPECT_LT(largest(x.P_transposed - x.P.transpose()), limit * (1 + largest(x.P)));
        Vector w(d);
        chart->reduce(at->q, w);
        EXPECT_LT(largest(w - x.Y.transpose() * at->q), 1e-14 * (1 + linalg::largest_abs(at->q)));
        EXPECT_LT(chart->calc_condition(), 1e6);
      }
    }
  }
}

/// The position near `guess` with g(t, q) = 0 and Y^T q = w.
Vector recover(Parametrisation& chart, dae::Evaluation& evaluation, double t, const Vector& w, Vector guess) {
  Vector step(chart.n()), of_guess(chart.dimension());
  chart.reduce(guess, of_guess);
  chart.add_extended(w - of_guess, guess);
  for (int k = 0; k < 30; ++k) {
    evaluation.set_position(t, guess);
    chart.solve(evaluation.constraint(), step);
    guess -= step;
  }
  return guess;
}

TEST(Parametrisation, TangentsAreTheDerivativesOfPositions) {
  for (const Bench& b : benches()) {
    for (const ParametrisationKind kind : kKinds) {
      SCOPED_TRACE(b.name + (kind == ParametrisationKind::kPartitioning ? ", partition" : ", tangent plane"));
      dae::Evaluation evaluation(*b.system);
      const auto chart = make_parametrisation(kind, evaluation.structure().jacobian);
      evaluation.set(b.first);
      ASSERT_EQ(chart->choose(evaluation.jacobian()), ChartChoice::kAnother);
      evaluation.set(b.second);
      ASSERT_TRUE(chart->factor(evaluation.jacobian()).ok);
      const int d = chart->dimension();
      const Matrices x(*chart, evaluation.jacobian());
      Vector w(d);
      chart->reduce(b.second.q, w);
      const Vector centre = recover(*chart, evaluation, b.second.t, w, b.second.q);
      EXPECT_LT(largest(centre - b.second.q), 1e-12) << "the position itself lies on the constraints";
      const double h = 1e-4;
      for (int k = 0; k < d; ++k) {
        const auto moved = [&](double by) -> Vector {
          return recover(*chart, evaluation, b.second.t, w + by * Vector::Unit(d, k), centre);
        };
        const Vector coarse = (moved(h) - moved(-h)) / (2 * h), fine = (moved(h / 2) - moved(-h / 2)) / h;
        EXPECT_LT(largest((4 * fine - coarse) / 3 - x.P.col(k)), 1e-9 * (1 + largest(x.P))) << "coordinate " << k;
      }
    }
  }
}

// Their P spans the same motions, but they are other coordinates.
TEST(Parametrisation, BothKindsDescribeTheSameMotions) {
  for (const Bench& b : benches()) {
    dae::Evaluation evaluation(*b.system);
    const dae::Structure& s = evaluation.structure();
    if (s.m() == 0 || s.m() == s.n_v()) continue;
    evaluation.set(b.first);
    const auto partition = make_parametrisation(kKinds[0], s.jacobian),
               plane = make_parametrisation(kKinds[1], s.jacobian);
    ASSERT_EQ(partition->choose(evaluation.jacobian()), ChartChoice::kAnother);
    ASSERT_EQ(plane->choose(evaluation.jacobian()), ChartChoice::kAnother);
    const MatrixXd P = Matrices(*partition, evaluation.jacobian()).P, Q = Matrices(*plane, evaluation.jacobian()).P;
    // The plane's P is orthonormal where it was chosen.
    EXPECT_LT(largest(Q.transpose() * Q - MatrixXd::Identity(Q.cols(), Q.cols())), 1e-12) << b.name;
    EXPECT_LT(largest(P - Q * (Q.transpose() * P)), 1e-11 * (1 + largest(P))) << b.name;
  }
}

TEST(Partitioning, KeepsThePartitionThatIsGiven) {
  const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"));
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  Partitioning free(evaluation.structure().jacobian, {}), fixed(evaluation.structure().jacobian, {5, 2});
  ASSERT_EQ(free.choose(evaluation.jacobian()), ChartChoice::kAnother);
  EXPECT_EQ(free.choose(evaluation.jacobian()), ChartChoice::kSame);
  EXPECT_NE(free.independent(), (std::vector<int>{2, 5})) << "pivots would have taken others";
  ASSERT_EQ(fixed.choose(evaluation.jacobian()), ChartChoice::kAnother);
  EXPECT_EQ(fixed.choose(evaluation.jacobian()), ChartChoice::kSame);
  EXPECT_EQ(fixed.independent(), (std::vector<int>{2, 5}));
  EXPECT_EQ(fixed.dependent(), (std::vector<int>{0, 1, 3, 4}));
  EXPECT_EQ(fixed.describe(evaluation.structure()), "2 of 6 coordinates are independent (body1.angle, body2.angle)");
  // The joint angles carry everything: rods move as fast as they are long.
  const Matrices x(fixed, evaluation.jacobian());
  EXPECT_NEAR(largest(x.P), 2, 1e-14);
}

TEST(Partitioning, RefusesAWrongNumberOfCoordinates) {
  const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"));
  EXPECT_THROW(Partitioning(c.system->structure().jacobian, {2}), std::invalid_argument);
  EXPECT_THROW(Partitioning(c.system->structure().jacobian, {2, 5, 0}), std::invalid_argument);
}

// A pendulum's x is no coordinate where the rod lies along x: dy/dx is infinite.
TEST(Partitioning, GivenCoordinatesThatDescribeNothingAreSingular) {
  const cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  dae::Evaluation evaluation(*c.system);
  evaluation.set_position(0, Vector{{1, 0}});
  Partitioning by_x(evaluation.structure().jacobian, {0}), by_y(evaluation.structure().jacobian, {1});
  EXPECT_EQ(by_x.choose(evaluation.jacobian()), ChartChoice::kSingular);
  EXPECT_EQ(by_y.choose(evaluation.jacobian()), ChartChoice::kAnother);
}

// A chart that was chosen at one end of a quarter turn is singular at the other; its condition tells on the way.
TEST(Parametrisation, ConditionGrowsAsTheChartWears) {
  const cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  dae::Evaluation evaluation(*c.system);
  for (const ParametrisationKind kind : kKinds) {
    const auto chart = make_parametrisation(kind, evaluation.structure().jacobian);
    evaluation.set_position(0, Vector{{0, -1}});
    ASSERT_EQ(chart->choose(evaluation.jacobian()), ChartChoice::kAnother);
    // |Z| |G| is max(|x|, |y|) / |y|: from half of the way on it grows.
    double last = chart->calc_condition();
    EXPECT_NEAR(last, 1, 1e-14);
    for (const double angle : {0.8, 1.0, 1.2, 1.5}) {
      evaluation.set_position(0, Vector{{std::sin(angle), -std::cos(angle)}});
      ASSERT_TRUE(chart->factor(evaluation.jacobian()).ok);
      const double condition = chart->calc_condition();
      EXPECT_GT(condition, last) << "at " << angle;
      last = condition;
    }
    EXPECT_GT(last, 10);
    EXPECT_EQ(chart->choose(evaluation.jacobian()), ChartChoice::kAnother);
    EXPECT_LT(chart->calc_condition(), 2);
  }
}

TEST(Parametrisation, ConstraintsWithoutFullRankAreSingular) {
  const cases::Case c = cases::build_case(*cases::find_case("pendulum"), {{"rods", 2}});
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  for (const ParametrisationKind kind : kKinds) {
    EXPECT_EQ(make_parametrisation(kind, evaluation.structure().jacobian)->choose(evaluation.jacobian()),
              ChartChoice::kSingular);
  }
}

}  // namespace
}  // namespace trammel::kinematics
