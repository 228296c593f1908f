#include "trammel/linalg/cholesky_qr.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/linalg/samples.h"

namespace trammel::linalg {
namespace {

using testing::Samples;
using Variant = CholeskyQrVariant;

FactorStatus factor(CholeskyQr& solver, const Eigen::MatrixXd& M, const Eigen::MatrixXd& G,
                    Variant variant = Variant::kHouseholder) {
  solver.resize(static_cast<int>(M.rows()), static_cast<int>(G.rows()), variant);
  solver.mass() = M;
  solver.jacobian() = G;
  solver.mass().triangularView<Eigen::StrictlyUpper>().setConstant(std::numeric_limits<double>::quiet_NaN());
  return solver.factor();
}

class CholeskyQrTest : public ::testing::TestWithParam<Variant> {};
INSTANTIATE_TEST_SUITE_P(Variants, CholeskyQrTest, ::testing::Values(Variant::kHouseholder, Variant::kCholesky),
                         [](const auto& test) {
                           return test.param == Variant::kHouseholder ? "Householder" : "Cholesky";
                         });

TEST_P(CholeskyQrTest, SolvesSaddlePointSystemsOfEverySize) {
  Samples samples(1);
  CholeskyQr solver;
  for (int n = 1; n <= 40; ++n) {
    for (const int m : {0, 1, n / 3, n / 2, n - 1, n}) {
      const Eigen::MatrixXd M = samples.positive_definite(n), G = samples.matrix(m, n);
      const Eigen::MatrixXd saddle = testing::make_saddle(M, G);
      ASSERT_TRUE(factor(solver, M, G, GetParam())) << n << ' ' << m;
      const Vector b = samples.vector(n + m), expected = testing::solve_reference(saddle, b);
      Vector w = b.head(n), lambda = b.tail(m);
      solver.solve(w, lambda);
      const Vector x = (Vector(n + m) << w, lambda).finished();
      // The normal equations lose as many digits again as the constraints are ill-conditioned.
      const double rcond = testing::calc_true_rcond(saddle);
      const double loss = GetParam() == Variant::kHouseholder ? 1 / rcond : 1 / rcond / rcond;
      EXPECT_LT((x - expected).norm(), 1e-14 * loss * expected.norm()) << n << ' ' << m;
    }
  }
}

TEST_P(CholeskyQrTest, FactorsAgainWithOtherValues) {
  Samples samples(2);
  for (const int n : {6, 7}) {
    for (const int m : {3, 4}) {
      CholeskyQr kept(n, m, GetParam()), fresh;
      for (int repeat = 0; repeat < 5; ++repeat) {
        const Eigen::MatrixXd M = samples.positive_definite(n), G = samples.matrix(m, n);
        kept.mass() = M;
        kept.jacobian() = G;
        ASSERT_TRUE(kept.factor());
        ASSERT_TRUE(factor(fresh, M, G, GetParam()));
        Vector f = samples.vector(n), g = samples.vector(m), f2 = f, g2 = g;
        kept.solve(f, g);
        fresh.solve(f2, g2);
        EXPECT_EQ(f, f2);
        EXPECT_EQ(g, g2);
      }
    }
  }
}

TEST_P(CholeskyQrTest, NamesTheRowWhereMassIsMissing) {
  Samples samples(3);
  CholeskyQr solver;
  for (int n = 1; n <= 9; ++n) {
    for (int massless = 0; massless < n; ++massless) {
      Eigen::MatrixXd M = samples.positive_definite(n);
      M.row(massless).setZero();
      M.col(massless).setZero();
      FactorStatus status = factor(solver, M, samples.matrix(n / 2, n), GetParam());
      EXPECT_EQ(status.cause, FactorCause::kNotPositiveDefinite);
      EXPECT_EQ(status.index, massless);

      M(massless, massless) = -1;
      status = factor(solver, M, samples.matrix(n / 2, n), GetParam());
      EXPECT_EQ(status.cause, FactorCause::kNotPositiveDefinite);
      EXPECT_EQ(status.index, massless);
    }
  }
}

TEST_P(CholeskyQrTest, NamesTheRowWhereASemidefiniteMassMatrixLosesRank) {
  // Euler parameters: 4 G^T J G has the null vector p, so elimination fails at the last of the four.
  Samples samples(4);
  CholeskyQr solver;
  for (int trial = 0; trial < 20; ++trial) {
    Vector p = samples.vector(4);
    p[3] = 1;  // were it small, the loss would be spread over the rows
    p.normalize();
    const Eigen::MatrixXd P = Eigen::MatrixXd::Identity(4, 4) - p * p.transpose();
    const Eigen::MatrixXd M = P * samples.positive_definite(4) * P;
    const FactorStatus status = factor(solver, M, Eigen::MatrixXd(0, 4), GetParam());
    EXPECT_EQ(status.cause, FactorCause::kNotPositiveDefinite);
    EXPECT_EQ(status.index, 3);
  }
}

TEST_P(CholeskyQrTest, NamesTheConstraintThatDependsOnEarlierOnes) {
  Samples samples(5);
  CholeskyQr solver;
  for (const int n : {6, 7, 20}) {
    for (int row = 1; row < 6; ++row) {
      Eigen::MatrixXd G = samples.matrix(6, n);
      G.row(row) = samples.vector(row).transpose() * G.topRows(row);
      FactorStatus status = factor(solver, samples.positive_definite(n), G, GetParam());
      EXPECT_EQ(status.cause, FactorCause::kDependentRow) << n << ' ' << row;
      EXPECT_EQ(status.index, row) << n;
      EXPECT_EQ(describe(status), "constraint row " + std::to_string(row) + " depends on the rows before it");

      G.row(row).setZero();
      status = factor(solver, samples.positive_definite(n), G, GetParam());
      EXPECT_EQ(status.cause, FactorCause::kDependentRow);
      EXPECT_EQ(status.index, row);
    }
  }
}

TEST_P(CholeskyQrTest, MoreConstraintsThanVelocitiesAreDependent) {
  Samples samples(6);
  CholeskyQr solver;
  for (const int n : {1, 2, 3, 4}) {
    for (const int m : {n + 1, n + 2, n + 5}) {
      const FactorStatus status = factor(solver, samples.positive_definite(n), samples.matrix(m, n), GetParam());
      EXPECT_EQ(status.cause, FactorCause::kDependentRow);
      EXPECT_EQ(status.index, n);
    }
  }
}

TEST_P(CholeskyQrTest, NearlyDependentConstraintsAreSeenInTheIndicator) {
  Samples samples(7);
  CholeskyQr solver;
  const double angle = 1e-5;
  const Eigen::MatrixXd Q = samples.orthogonal(7);
  Eigen::MatrixXd G = samples.matrix(4, 6) * Q.topRows(6);
  G.row(3) = std::cos(angle) * G.row(2).normalized() + std::sin(angle) * Q.row(6);
  ASSERT_TRUE(factor(solver, Eigen::MatrixXd::Identity(7, 7), G, GetParam()));
  EXPECT_NEAR(solver.calc_diagonal_rcond().constraints, angle, 1e-3 * angle);
}

TEST_P(CholeskyQrTest, TheIndicatorOfTheMassMatrixBoundsItsCondition) {
  Samples samples(8);
  CholeskyQr solver;
  const Vector masses = (Vector(5) << 1, 1e-6, 3, 1e4, 7).finished();
  ASSERT_TRUE(factor(solver, masses.asDiagonal(), samples.matrix(2, 5), GetParam()));
  EXPECT_NEAR(solver.calc_diagonal_rcond().mass, 1e-10, 1e-24);
  for (int n = 1; n <= 12; ++n) {
    const Eigen::MatrixXd M = samples.positive_definite(n);
    ASSERT_TRUE(factor(solver, M, samples.matrix(n / 2, n), GetParam()));
    const Vector eigenvalues = testing::calc_symmetric_eigenvalues(M);
    EXPECT_GE(solver.calc_diagonal_rcond().mass, eigenvalues.minCoeff() / eigenvalues.maxCoeff() * (1 - 1e-12));
    EXPECT_LE(solver.calc_diagonal_rcond().mass, 1);
  }
}

TEST(CholeskyQr, ReflectionsKeepTheConstraintsWhereNormalEquationsLoseThem) {
  // sine 1e-6 between two constraints: G w = g holds to round-off with Q, to about 1e-16 / sine^2 without.
  Samples samples(9);
  double worst_householder = 0, worst_cholesky = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::MatrixXd M = samples.positive_definite(9);
    Eigen::MatrixXd G = samples.matrix(5, 9);
    G.row(4) = G.row(1) + 1e-6 * samples.matrix(1, 9);
    const Vector f = samples.vector(9), g = G * samples.vector(9);
    for (const Variant variant : {Variant::kHouseholder, Variant::kCholesky}) {
      CholeskyQr solver;
      ASSERT_TRUE(factor(solver, M, G, variant));
      Vector w = f, lambda = g;
      solver.solve(w, lambda);
      double& worst = variant == Variant::kHouseholder ? worst_householder : worst_cholesky;
      worst = std::max(worst, (G * w - g).norm() / (G.norm() * w.norm()));
    }
  }
  EXPECT_LT(worst_householder, 1e-15);
  EXPECT_GT(worst_cholesky, 1e-12);
}

TEST_P(CholeskyQrTest, ValuesThatAreNotFiniteAreRefusedAndForgotten) {
  Samples samples(10);
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const int n : {6, 7}) {
      for (const int m : {4, 5}) {
        CholeskyQr solver(n, m, GetParam());
        const Eigen::MatrixXd M = samples.positive_definite(n), G = samples.matrix(m, n);
        solver.mass() = M;
        solver.jacobian() = G;
        solver.jacobian()(2, 3) = bad;
        FactorStatus status = solver.factor();
        EXPECT_EQ(status.cause, FactorCause::kNotFinite);
        EXPECT_EQ(status.index, n + 2);

        solver.mass() = M;
        solver.jacobian() = G;
        solver.mass()(4, 2) = bad;
        status = solver.factor();
        EXPECT_EQ(status.cause, FactorCause::kNotFinite);

        solver.mass() = M;
        solver.jacobian() = G;
        ASSERT_TRUE(solver.factor());
        Vector w = samples.vector(n), lambda = samples.vector(m);
        const Vector b = (Vector(n + m) << w, lambda).finished();
        solver.solve(w, lambda);
        const Vector x = (Vector(n + m) << w, lambda).finished();
        EXPECT_LT((testing::make_saddle(M, G) * x - b).norm(), 1e-12 * b.norm());
      }
    }
  }
}

TEST_P(CholeskyQrTest, EmptySystemsWork) {
  CholeskyQr solver;
  ASSERT_TRUE(factor(solver, Eigen::MatrixXd(0, 0), Eigen::MatrixXd(0, 0), GetParam()));
  Vector w(0), lambda(0);
  solver.solve(w, lambda);
  EXPECT_EQ(solver.calc_diagonal_rcond().mass, 1);
  EXPECT_EQ(solver.calc_diagonal_rcond().constraints, 1);
}

}  // namespace
}  // namespace trammel::linalg
