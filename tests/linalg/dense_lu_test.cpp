#include "trammel/linalg/dense_lu.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/linalg/samples.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

FactorStatus factor(DenseLu& lu, const Eigen::MatrixXd& A) {
  lu.resize(static_cast<int>(A.rows()));
  lu.matrix() = A;
  return lu.factor();
}

void expect_solves(const Eigen::MatrixXd& A, Samples& samples) {
  DenseLu lu;
  ASSERT_TRUE(factor(lu, A)) << A.rows();
  const Vector b = samples.vector(static_cast<int>(A.rows()));
  Vector x = b, y = b;
  lu.solve(x);
  lu.solve_transposed(y);
  EXPECT_LT(testing::calc_backward_error(A, x, b), 1e-15) << A.rows();
  EXPECT_LT(testing::calc_backward_error(A.transpose(), y, b), 1e-15) << A.rows();
  const double rcond = testing::calc_true_rcond(A);
  EXPECT_LT((x - testing::solve_reference(A, b)).norm(), 1e-14 / rcond * x.norm()) << A.rows();
}

TEST(DenseLu, SolvesRandomSystemsOfEverySize) {
  Samples samples(1);
  for (int n = 1; n <= 40; ++n) expect_solves(samples.matrix(n, n), samples);
}

TEST(DenseLu, SolvesLargeSystemsWithLapack) {
  Samples samples(2);
  for (const int n : {299, 300, 330}) expect_solves(samples.matrix(n, n), samples);
}

TEST(DenseLu, SolvesSaddlePointSystems) {
  Samples samples(3);
  for (int n = 1; n <= 20; ++n)
    for (const int m : {0, n / 2, n})
      expect_solves(testing::make_saddle(samples.positive_definite(n), samples.matrix(m, n)), samples);
}

TEST(DenseLu, SolvesPermutationsAndEmptySystems) {
  DenseLu lu;
  EXPECT_TRUE(factor(lu, Eigen::MatrixXd(0, 0)));
  Vector empty(0);
  lu.solve(empty);
  lu.solve_transposed(empty);
  EXPECT_EQ(lu.calc_rcond(), 1);

  Eigen::MatrixXd cycle = Eigen::MatrixXd::Zero(5, 5);
  for (int i = 0; i < 5; ++i) cycle(i, (i + 1) % 5) = 1;
  ASSERT_TRUE(factor(lu, cycle));
  Vector x = Vector::LinSpaced(5, 1, 5);
  lu.solve(x);
  EXPECT_EQ(x, (Vector(5) << 5, 1, 2, 3, 4).finished());
}

TEST(DenseLu, NamesTheColumnThatDependsOnEarlierOnes) {
  Samples samples(4);
  DenseLu lu;
  for (const int n : {2, 5, 13, 40, 310}) {
    for (const int column : {1, n / 2, n - 1}) {
      Eigen::MatrixXd A = samples.matrix(n, n);
      A.col(column) = A.leftCols(column) * samples.vector(column);
      const FactorStatus status = factor(lu, A);
      EXPECT_EQ(status.cause, FactorCause::kZeroPivot) << n;
      EXPECT_EQ(status.index, column) << n;
    }
  }
}

TEST(DenseLu, SeesDependenceThroughNearlyDependentColumns) {
  // Columns 0 and 1 differ by 1e-5, so rounding in them is magnified in whatever is made of their difference.
  Samples samples(12);
  DenseLu lu;
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd A = samples.matrix(8, 8);
    A.col(1) = A.col(0) + 1e-5 * A.col(2);
    A.col(5) = 1e5 * (A.col(1) - A.col(0)) + A.col(3);
    A.col(2) = samples.vector(8);
    const FactorStatus status = factor(lu, A);
    EXPECT_EQ(status.cause, FactorCause::kZeroPivot);
    EXPECT_EQ(status.index, 5);
  }
}

TEST(DenseLu, NamesTheMultiplierOfARepeatedConstraint) {
  Samples samples(5);
  DenseLu lu;
  for (const int repeated : {2, 3, 5}) {
    Eigen::MatrixXd G = samples.matrix(6, 7);
    G.row(repeated) = -3 * G.row(1);
    const FactorStatus status = factor(lu, testing::make_saddle(samples.positive_definite(7), G));
    EXPECT_FALSE(status);
    EXPECT_EQ(status.index, 7 + repeated) << describe(status);
  }
}

TEST(DenseLu, NamesZeroRowsAndColumns) {
  Samples samples(6);
  DenseLu lu;
  Eigen::MatrixXd A = samples.matrix(6, 6);
  A.col(3).setZero();
  EXPECT_EQ(factor(lu, A).index, 3);
  EXPECT_EQ(factor(lu, Eigen::MatrixXd::Zero(3, 3)).index, 0);
  EXPECT_EQ(factor(lu, 1e-310 * Eigen::MatrixXd::Identity(3, 3)).index, 0) << "its inverse cannot be written";
}

TEST(DenseLu, BadScalingIsNotSingularity) {
  DenseLu lu;
  Eigen::MatrixXd A(2, 2);
  A << 1e9, 1e9, 0, 1e-9;
  ASSERT_TRUE(factor(lu, A));
  Vector x = (Vector(2) << 2e9, 1e-9).finished();
  lu.solve(x);
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 1, 1e-15);

  Samples samples(7);
  const Vector rows = testing::make_scales(12, -18, 15);
  const Eigen::MatrixXd regular = samples.matrix(12, 12);
  EXPECT_TRUE(factor(lu, rows.asDiagonal() * regular));
  EXPECT_TRUE(factor(lu, regular * rows.asDiagonal()));
}

TEST(DenseLu, IllConditionedSystemsAreSolvedAndToldFromSingularOnes) {
  Samples samples(8);
  for (const double rcond : {1e-4, 1e-8, 1e-12}) {
    const Eigen::MatrixXd A = samples.conditioned(20, rcond);
    DenseLu lu;
    ASSERT_TRUE(factor(lu, A)) << rcond;
    const Vector b = samples.vector(20);
    Vector x = b;
    lu.solve(x);
    EXPECT_LT(testing::calc_backward_error(A, x, b), 1e-15);
  }
}

TEST(DenseLu, EstimatesTheConditionWithinAFactorOfTen) {
  Samples samples(9);
  DenseLu lu;
  for (int n = 1; n <= 40; ++n) {
    for (const double rcond : {1.0, 1e-3, 1e-6, 1e-10}) {
      const Eigen::MatrixXd A = n == 1 ? samples.matrix(1, 1) : samples.conditioned(n, rcond);
      ASSERT_TRUE(factor(lu, A));
      const double ratio = lu.calc_rcond() / testing::calc_true_rcond(A);
      EXPECT_GT(ratio, 0.99) << n;
      EXPECT_LT(ratio, 10) << n;
    }
  }
}

TEST(DenseLu, RefusesWhatIsNotFinite) {
  Samples samples(10);
  DenseLu lu;
  for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    Eigen::MatrixXd A = samples.matrix(9, 9);
    A(6, 4) = bad;
    const FactorStatus status = factor(lu, A);
    EXPECT_EQ(status.cause, FactorCause::kNotFinite);
    EXPECT_EQ(status.index, 4);
    EXPECT_EQ(describe(status), "column 4 of the matrix holds a value that is not finite");
  }
}

TEST(DenseLu, WorksAgainAfterAFailure) {
  Samples samples(11);
  DenseLu lu(8);
  lu.matrix().setZero();
  EXPECT_FALSE(lu.factor());
  const Eigen::MatrixXd A = samples.matrix(8, 8);
  lu.matrix() = A;
  ASSERT_TRUE(lu.factor());
  const Vector b = samples.vector(8);
  Vector x = b;
  lu.solve(x);
  EXPECT_LT(testing::calc_backward_error(A, x, b), 1e-15);
}

}  // namespace
}  // namespace trammel::linalg
