// Conjugate gradients with an earlier factorisation solve the present system as a direct solver does, and factorise
// where the matrix has moved away and not where it has not.

#include "trammel/kkt/iterative_solver.h"

#include <gtest/gtest.h>
#include <Eigen/LU>

#include <array>
#include <cmath>
#include <random>

#include "cases/case.h"
#include "tests/support/allocation_counter.h"
#include "trammel/integrators/integrate.h"
#include "trammel/kkt/solver.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::Pattern;

/// A planar chain of n rods of 1 kg and 1 m, hanging from the ground by pins, at given angles; its mass matrix is full
/// but for its values.
class Chain {
 public:
  explicit Chain(int n) : n_(n), mass_(Pattern::full(3 * n, 3 * n)) {
    std::vector<Entry> entries;
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 2; ++k) {
        entries.push_back({2 * i + k, 3 * i + k});
        entries.push_back({2 * i + k, 3 * i + 2});
        if (i > 0) entries.push_back({2 * i + k, 3 * i - 3 + k});
        if (i > 0) entries.push_back({2 * i + k, 3 * i - 1});
      }
    }
    jacobian_ = Pattern(2 * n, 3 * n, std::move(entries));
    mass_values = Vector::Zero(9 * n * n);
    for (int i = 0; i < 3 * n; ++i) set_mass(i, i % 3 == 2 ? 1.0 / 12 : 1);
    jacobian_values = Vector::Zero(jacobian_.size());
  }

  void set_mass(int i, double mass) { mass_values[i * (3 * n_ + 1)] = mass; }

  void place(const Vector& angles) {
    double* out = jacobian_values.data();
    for (int i = 0; i < n_; ++i) {
      for (int k = 0; k < 2; ++k) {
        const auto arm = [&](int rod) { return 0.5 * (k == 0 ? std::sin(angles[rod]) : -std::cos(angles[rod])); };
        *out++ = 1;
        *out++ = arm(i);
        if (i > 0) *out++ = -1;
        if (i > 0) *out++ = arm(i - 1);
      }
    }
  }

  Layout layout() const {
    Layout layout;
    layout.upper = 3 * n_;
    layout.lower = 2 * n_;
    layout.blocks = {{&mass_}};
    layout.jacobian = &jacobian_;
    layout.switchable_rows = switchable;
    layout.is_mass_only = true;
    return layout;
  }
  Eigen::MatrixXd whole() const {
    const int n = 3 * n_, m = 2 * n_;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
    const Eigen::MatrixXd G = jacobian_.to_dense(jacobian_values.data());
    A.topLeftCorner(n, n) = mass_.to_dense(mass_values.data());
    A.topRightCorner(n, m) = G.transpose();
    A.bottomLeftCorner(m, n) = G;
    for (const int row : switchable) A(n + row, n + row) = G.row(row).isZero(0) ? 1 : 0;
    return A;
  }
  const Pattern& jacobian() const { return jacobian_; }

  Vector mass_values, jacobian_values;
  std::vector<int> switchable;

 private:
  int n_;
  Pattern mass_, jacobian_;
};

class Iteration : public ::testing::Test {
 protected:
  bool factor() {
    const std::array values{BlockValues{chain_.mass_values.data()}};
    return solver().factor(values, chain_.jacobian_values.data()).ok;
  }
  /// Distance from the solution by full pivoting, for right sides of both parts, of forces, and of constraints in turn.
  double solve_and_compare() {
    const int kind = turn_++ % 3;
    const Vector b = Vector::NullaryExpr(
        5 * kRods, [&](Eigen::Index i) { return kind == (i < 3 * kRods ? 2 : 1) ? 0.0 : uniform_(generator_); });
    const Vector expected = chain_.whole().fullPivLu().solve(b);
    Vector upper = b.head(3 * kRods), lower = b.tail(2 * kRods);
    solver().solve(upper, lower);
    return (linalg::largest_abs(upper - expected.head(3 * kRods)) +
            linalg::largest_abs(lower - expected.tail(2 * kRods))) /
           linalg::largest_abs(expected);
  }
  Vector random_angles(double size) {
    return Vector::NullaryExpr(kRods, [&](Eigen::Index) { return size * uniform_(generator_); });
  }
  Solver& solver() {
    if (!solver_) solver_.emplace(chain_.layout(), SolverOptions{.back_end = BackEnd::kIterative});
    return *solver_;
  }
  long factorizations() { return solver().counts().factorizations; }

  static constexpr int kRods = 30;
  std::mt19937 generator_{7};
  std::uniform_real_distribution<double> uniform_{-1, 1};
  Chain chain_{kRods};
  int turn_ = 0;

 private:
  std::optional<Solver> solver_;
};

TEST_F(Iteration, FollowsASlowPathWithFewFactorisationsAndAJumpWithOne) {
  EXPECT_EQ(solver().back_end(), BackEnd::kIterative);
  const Vector rate = random_angles(1);
  Vector angles = random_angles(1);
  constexpr int kMatrices = 60;
  for (int k = 0; k < kMatrices; ++k) {
    angles += 1e-5 * rate;
    chain_.place(angles);
    ASSERT_TRUE(factor());
    EXPECT_LT(solve_and_compare(), 1e-12) << k;
  }
  EXPECT_LE(factorizations(), kMatrices / 4);
  EXPECT_GE(solver().counts().refinements, kMatrices - factorizations())
      << "solutions are not those of the earlier matrix";
  for (int jump = 0; jump < 3; ++jump) {
    const long before = factorizations();
    chain_.place(random_angles(3));
    ASSERT_TRUE(factor());
    EXPECT_LT(solve_and_compare(), 1e-12) << jump;
    EXPECT_EQ(factorizations(), before + 1);
  }
}

TEST_F(Iteration, AMatrixThatStaysIsFactorisedOnce) {
  chain_.place(random_angles(1));
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(factor());
    EXPECT_LT(solve_and_compare(), 1e-12);
  }
  EXPECT_EQ(factorizations(), 1);
  EXPECT_EQ(solver().counts().solves, 10);
  EXPECT_EQ(solver().counts().refinements, 0);
}

TEST_F(Iteration, MatricesThatAreFarApartAreFactorisedEachTime) {
  for (int k = 0; k < 10; ++k) {
    chain_.place(random_angles(3));
    ASSERT_TRUE(factor());
    EXPECT_LT(solve_and_compare(), 1e-12);
  }
  EXPECT_EQ(factorizations(), 10);
}

TEST_F(Iteration, RowsThatBecomeRedundantAreAFailureAndAreForgottenAfterwards) {
  const Vector angles = random_angles(1);
  chain_.place(angles);
  ASSERT_TRUE(factor());
  ASSERT_LT(solve_and_compare(), 1e-12);
  // The pins of the last rod hold the same point of it, so that two rows are those of the one before.
  for (int k = 0; k < chain_.jacobian().size(); ++k) {
    const Entry& e = chain_.jacobian()[k];
    if (e.row >= 2 * kRods - 2) chain_.jacobian_values[k] = 0;
  }
  bool is_ok = factor();
  if (is_ok) {
    Vector upper = Vector::Ones(3 * kRods), lower = Vector::Ones(2 * kRods);
    solver().solve(upper, lower);
    EXPECT_FALSE(solver().is_factored());
    EXPECT_TRUE(std::isnan(upper.sum() + lower.sum())) << "no solution may pass for one";
    is_ok = factor();
  }
  EXPECT_FALSE(is_ok);
  EXPECT_FALSE(solver().is_factored());
  EXPECT_EQ(solver().find_dependent_rows().dependent.size(), 2u);
  chain_.place(angles);
  ASSERT_TRUE(factor());
  EXPECT_LT(solve_and_compare(), 1e-12);
}

TEST_F(Iteration, CoordinatesWithoutMassAreTaken) {
  // The first rod has no mass but is held by the pins on either side.
  chain_.set_mass(0, 0);
  chain_.set_mass(1, 0);
  Vector angles = random_angles(1);
  for (int k = 0; k < 20; ++k) {
    angles.array() += 1e-5 * (k % 3);
    chain_.place(angles);
    ASSERT_TRUE(factor());
    EXPECT_LT(solve_and_compare(), 1e-12);
  }
  EXPECT_LE(factorizations(), 8);
}

TEST_F(Iteration, RowsMayBeSwitchedOffAndOn) {
  chain_.switchable = {2 * kRods - 2, 2 * kRods - 1};
  const Vector angles = random_angles(1);
  for (int k = 0; k < 6; ++k) {
    chain_.place(angles);
    if (k % 2 == 1) chain_.jacobian_values.tail(8).setZero();
    ASSERT_TRUE(factor());
    EXPECT_LT(solve_and_compare(), 1e-12) << k;
    EXPECT_EQ(factorizations(), k + 1);
  }
}

TEST_F(Iteration, ValuesThatAreNoNumbersAreAFailure) {
  chain_.place(random_angles(1));
  ASSERT_TRUE(factor());
  chain_.jacobian_values[3] = std::nan("");
  EXPECT_FALSE(factor());
}

TEST_F(Iteration, AllocatesNothing) {
  if (!trammel::testing::kCountsAllocations) GTEST_SKIP();
  Vector angles = random_angles(1), upper = Vector::Ones(3 * kRods), lower = Vector::Ones(2 * kRods);
  const Vector rate = random_angles(1);
  long before = 0;
  for (int k = 0; k < 30; ++k) {
    if (k == 3) before = trammel::testing::allocation_count();
    angles += (k == 20 ? 1 : 1e-3) * rate;
    chain_.place(angles);
    ASSERT_TRUE(factor());
    solver().solve(upper, lower);
    upper.setOnes();
    lower.setOnes();
  }
  EXPECT_EQ(trammel::testing::allocation_count(), before);
  EXPECT_GT(factorizations(), 1);
}

TEST(IterativeSolver, NeedsASymmetricMatrix) {
  Chain chain(2);
  Layout layout = chain.layout();
  layout.is_mass_only = false;
  EXPECT_THROW(Solver(layout, {.back_end = BackEnd::kIterative}), std::invalid_argument);
}

struct Sample {
  const char* method;
  const char* name;
  cases::ParameterValues parameters;
  double t_end;
  double tolerance;
  double least_gain;  ///< factorisations of the direct solver for one of the iteration
};

TEST(IterativeSolver, RunsAreThoseOfTheDirectSolverWithFewerFactorisations) {
  const std::vector<Sample> samples{{"mexx", "hmmwv14", {}, 0.2, 1e-5, 3},
                                    {"projection", "hmmwv14", {}, 0.2, 1e-5, 3},
                                    {"projection", "insulator-bodies", {{"n", 32}}, 0.05, 1e-6, 1.5},
                                    {"explicit-rk", "seven-body", {}, 0.01, 1e-6, 1},
                                    {"mexx", "insulator-chain", {{"n", 32}}, 0.02, 1e-6, 1}};
  for (const Sample& sample : samples) {
    const cases::Case c = cases::build_case(*cases::find_case(sample.name), sample.parameters);
    const auto run = [&](const char* mode) {
      integrators::Options options;
      options.method = sample.method;
      options.rtol = options.atol = sample.tolerance;
      options.method_options = {{"linear_solver", mode}};
      return integrators::integrate(*c.system, c.start, sample.t_end, options);
    };
    // What it takes its factors from.
    const integrators::RunResult direct = run("sparse"), iterative = run("iterative");
    const std::string what = std::string(sample.method) + " on " + sample.name;
    ASSERT_TRUE(direct.ok() && iterative.ok()) << what << ": " << iterative.reason;
    const auto distance = [](const Vector& a, const Vector& b) {
      return linalg::largest_abs(a - b) / (1 + linalg::largest_abs(b));
    };
    // Steps may differ where round-off decides; what remains is of the size of the error.
    EXPECT_LT(distance(iterative.state.q, direct.state.q), 10 * sample.tolerance) << what;
    EXPECT_LT(distance(iterative.state.v, direct.state.v), 100 * sample.tolerance) << what;
    EXPECT_LE(std::abs(iterative.statistics.steps - direct.statistics.steps), 2) << what;
    EXPECT_LT(iterative.drift.position, 10 * direct.drift.position + 1e-12) << what;
    const double gain = static_cast<double>(direct.statistics.linear.factorizations) /
                        static_cast<double>(iterative.statistics.linear.factorizations);
    EXPECT_GE(gain, sample.least_gain) << what;
  }
}

}  // namespace
}  // namespace trammel::kkt
