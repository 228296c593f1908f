// Every back end solves the same saddle-point systems and answers instead of crashing when they are singular.

#include "trammel/kkt/solver.h"

#include <gtest/gtest.h>

#include <random>

#include "cases/case.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/systems.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::Pattern;

constexpr BackEnd kAll[] = {BackEnd::kCholeskyQr, BackEnd::kDenseSymmetric, BackEnd::kDenseLu, BackEnd::kSparse};

/// A random system with a positive definite H and full-rank G.
struct Sample {
  Pattern mass, jacobian;
  Vector mass_values, jacobian_values;
  Eigen::MatrixXd whole;

  Sample(int n, int m, unsigned seed) : mass(Pattern::full(n, n)), jacobian(Pattern::full(m, n)) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto random = [&](int rows, int columns) {
      return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(generator); }).eval();
    };
    const Eigen::MatrixXd R = random(n, n), G = random(m, n);
    const Eigen::MatrixXd M = R * R.transpose() + Eigen::MatrixXd::Identity(n, n);
    mass_values = Eigen::Map<const Vector>(M.data(), M.size());
    jacobian_values = Eigen::Map<const Vector>(G.data(), G.size());
    whole = Eigen::MatrixXd::Zero(n + m, n + m);
    whole << M, G.transpose(), G, Eigen::MatrixXd::Zero(m, m);
  }
  Layout layout() const {
    Layout l;
    l.upper = mass.rows();
    l.lower = jacobian.rows();
    l.blocks = {{&mass}};
    l.jacobian = &jacobian;
    l.is_mass_only = true;
    return l;
  }
};

TEST(KktSolver, AllBackEndsAgreeWithADenseSolve) {
  for (const auto& [n, m] : {std::pair{1, 0}, {1, 1}, {3, 1}, {7, 6}, {12, 5}, {40, 25}}) {
    const Sample sample(n, m, static_cast<unsigned>(100 * n + m));
    for (const BackEnd back_end : kAll) {
      Solver solver(sample.layout(), {.back_end = back_end});
      const std::array values{BlockValues{sample.mass_values.data()}};
      ASSERT_TRUE(solver.factor(values, sample.jacobian_values.data()).ok) << to_string(back_end);
      EXPECT_EQ(solver.back_end(), back_end);
      const Vector b = Vector::LinSpaced(n + m, -1, 2);
      const Vector expected = sample.whole.fullPivLu().solve(b);
      Vector upper = b.head(n), lower = b.tail(m);
      solver.solve(upper, lower);
      EXPECT_LT((upper - expected.head(n)).norm() + (lower - expected.tail(m)).norm(), 1e-11 * (1 + expected.norm()))
          << to_string(back_end) << " n = " << n << ", m = " << m;
    }
  }
}

TEST(KktSolver, WeighsAndPlacesBlocks) {
  // [2 A + 3 B at (0, 0), C at (0, 2); G at (2, 0)] with a 2 x 2 upper part and one constraint.
  const Pattern A = Pattern::full(2, 2), B = Pattern::diagonal(2), G = Pattern::full(1, 2), C(2, 1, {{1, 0}});
  const Vector a = Vector{{4, 1, 1, 5}}, b = Vector{{1, 2}}, g = Vector{{1, 1}}, c = Vector{{0.5}};
  Layout layout;
  layout.upper = 2;
  layout.lower = 1;
  layout.blocks = {{&A}, {&B}, {&C, 0, 2}};
  layout.jacobian = &G;
  Eigen::Matrix3d whole;
  whole << 2 * 4 + 3, 2, 1, 2, 2 * 5 + 6, 1 - 0.5, 1, 1, 0;
  for (const BackEnd back_end : {BackEnd::kDenseLu, BackEnd::kSparse, BackEnd::kAutomatic}) {
    Solver solver(layout, {.back_end = back_end});
    const std::array values{BlockValues{a.data(), 2}, BlockValues{b.data(), 3}, BlockValues{c.data(), -1}};
    ASSERT_TRUE(solver.factor(values, g.data()).ok);
    Vector upper = Vector{{1, 2}}, lower = Vector{{3}};
    solver.solve(upper, lower);
    const Eigen::Vector3d expected = whole.fullPivLu().solve(Eigen::Vector3d(1, 2, 3));
    EXPECT_NEAR(upper[0], expected[0], 1e-14);
    EXPECT_NEAR(upper[1], expected[1], 1e-14);
    EXPECT_NEAR(lower[0], expected[2], 1e-14);
  }
}

TEST(KktSolver, ASingularMatrixIsAnAnswerThatNamesTheRows) {
  const trammel::testing::TwiceConstrained system;
  dae::Evaluation evaluation(system);
  evaluation.set(system.start());
  for (const BackEnd back_end : kAll) {
    Solver solver(Layout::mass(system.structure()), {.back_end = back_end});
    const std::array values{BlockValues{evaluation.mass()}};
    ASSERT_FALSE(solver.factor(values, evaluation.jacobian()).ok) << to_string(back_end);
    const linalg::RankReport report = solver.find_dependent_rows();
    EXPECT_EQ(report.rank, 1);
    ASSERT_EQ(report.dependent.size(), 1u);
    EXPECT_EQ(report.dependent[0].row, 1);
  }
}

TEST(KktSolver, AutomaticChoiceFollowsSizeAndCopesWithMasslessCoordinates) {
  const auto chosen = [](const char* name, cases::ParameterValues parameters) {
    const cases::Case c = cases::build_case(*cases::find_case(name), parameters);
    dae::Evaluation evaluation(*c.system);
    evaluation.set(c.start);
    AccelerationSolver accelerations(evaluation);
    EXPECT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
    return accelerations.metric().back_end();
  };
  EXPECT_EQ(chosen("andrews", {}), BackEnd::kCholeskyQr);
  EXPECT_EQ(chosen("chain", {{"n", 2}}), BackEnd::kCholeskyQr);
  EXPECT_EQ(chosen("chain", {{"n", 100}}), BackEnd::kReduced);
  EXPECT_EQ(chosen("seven-body", {}), BackEnd::kReduced);
  EXPECT_EQ(chosen("insulator-chain", {{"n", 1}}), BackEnd::kDenseLu) << "the force application point has no mass";
  EXPECT_EQ(chosen("insulator-chain", {{"n", 32}}), BackEnd::kSparse);
}

TEST(KktSolver, RefinementKeepsSolutionsAccurateWhenTheMatrixIsBadlyConditioned) {
  // Masses from 1e-6 to 1e6 in a chain of point masses on rods.
  Sample sample(30, 20, 7);
  const int n = 30;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const double scale = std::pow(10.0, (i + j) % 13 - 6);
      sample.mass_values[i + j * n] *= i == j ? std::pow(10.0, 12.0 * i / n - 6) * 100 : 1e-6 * std::min(scale, 1.0);
    }
  }
  const Pattern mass = sample.mass;
  sample.whole.topLeftCorner(n, n) = mass.to_dense(sample.mass_values.data());
  const Vector b = Vector::LinSpaced(50, 1, 2);
  for (const BackEnd back_end : {BackEnd::kDenseLu, BackEnd::kSparse}) {
    Solver solver(sample.layout(), {.back_end = back_end});
    const std::array values{BlockValues{sample.mass_values.data()}};
    ASSERT_TRUE(solver.factor(values, sample.jacobian_values.data()).ok);
    Vector x = b;
    solver.solve(x.head(n), x.tail(20));
    const double residual = (sample.whole * x - b).lpNorm<Eigen::Infinity>();
    EXPECT_LT(residual, 1e-13 * sample.whole.lpNorm<Eigen::Infinity>() * x.lpNorm<Eigen::Infinity>())
        << to_string(back_end);
  }
}

TEST(KktSolver, FactoringAgainAllocatesNothing) {
  if (!trammel::testing::kCountsAllocations) GTEST_SKIP();
  for (const char* name : {"andrews", "chain", "insulator-chain"}) {
    const cases::Case c = cases::build_case(*cases::find_case(name));
    dae::Evaluation evaluation(*c.system);
    AccelerationSolver accelerations(evaluation);
    dae::State state = c.start;
    long before = 0;
    for (int k = 0; k < 12; ++k) {
      if (k == 2) before = trammel::testing::allocation_count();
      state.q[0] += 1e-3;
      evaluation.set(state);
      ASSERT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
      ASSERT_EQ(accelerations.solve(state), AccelerationStatus::kSolved);
    }
    EXPECT_EQ(trammel::testing::allocation_count(), before) << name;
  }
}

TEST(Accelerations, FrictionThatDependsOnReactionsIsSolved) {
  // Cable drum at rest: lambda_1 = -mu lambda_2 by the equation of x_2.
  const cases::Case c = cases::build_case(*cases::find_case("cable-drum"), {{"mu", 0.5}});
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  AccelerationSolver accelerations(evaluation);
  ASSERT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
  ASSERT_EQ(accelerations.solve(c.start), AccelerationStatus::kSolved);
  EXPECT_NEAR(evaluation.point().lambda[0], 1.75, 1e-12);
  EXPECT_NEAR(evaluation.point().lambda[1], -3.5, 1e-12);
  EXPECT_NEAR(evaluation.point().a[0], -0.75, 1e-12);
}

TEST(Accelerations, FrictionWithoutASolutionIsSaid) {
  const cases::Case c = cases::build_case(*cases::find_case("cable-drum"), {{"mu", 1.1}});
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  AccelerationSolver accelerations(evaluation);
  ASSERT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
  EXPECT_EQ(accelerations.solve(c.start), AccelerationStatus::kNoReactions);
}

}  // namespace
}  // namespace trammel::kkt
