#include "trammel/linalg/dense_symmetric.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/linalg/samples.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

FactorStatus factor(DenseSymmetric& ldl, const Eigen::MatrixXd& A) {
  ldl.resize(static_cast<int>(A.rows()));
  ldl.matrix() = A.triangularView<Eigen::Lower>();  // what stands above must not matter
  return ldl.factor();
}

void expect_solves(const Eigen::MatrixXd& A, Samples& samples) {
  DenseSymmetric ldl;
  ASSERT_TRUE(factor(ldl, A)) << A.rows();
  const Vector b = samples.vector(static_cast<int>(A.rows()));
  Vector x = b;
  ldl.solve(x);
  EXPECT_LT(testing::calc_backward_error(A, x, b), 1e-14) << A.rows();
  EXPECT_LT((x - testing::solve_reference(A, b)).norm(), 1e-13 / testing::calc_true_rcond(A) * x.norm()) << A.rows();
  const Vector eigenvalues = testing::calc_symmetric_eigenvalues(A);
  const Inertia inertia = ldl.calc_inertia();
  EXPECT_EQ(inertia.negative, (eigenvalues.array() < 0).count());
  EXPECT_EQ(inertia.positive, (eigenvalues.array() > 0).count());
}

TEST(DenseSymmetric, SolvesRandomSystemsAndCountsEigenvaluesBySign) {
  Samples samples(1);
  for (int n = 1; n <= 40; ++n) expect_solves(samples.symmetric(n), samples);
  for (const int n : {70, 130}) expect_solves(samples.symmetric(n), samples);
}

TEST(DenseSymmetric, ASaddlePointMatrixHasOneNegativeEigenvalueAConstraint) {
  Samples samples(2);
  DenseSymmetric ldl;
  for (int n = 1; n <= 20; ++n) {
    for (const int m : {0, n / 2, n}) {
      const Eigen::MatrixXd saddle = testing::make_saddle(samples.positive_definite(n), samples.matrix(m, n));
      expect_solves(saddle, samples);
      ASSERT_TRUE(factor(ldl, saddle));
      EXPECT_EQ(ldl.calc_inertia().negative, m);
      EXPECT_EQ(ldl.calc_inertia().positive, n);
    }
  }
}

TEST(DenseSymmetric, AMasslessButConstrainedCoordinateIsFine) {
  Eigen::MatrixXd A(3, 3);
  A << 0, 0, 1, 0, 2, 1, 1, 1, 0;
  Samples samples(3);
  expect_solves(A, samples);
}

TEST(DenseSymmetric, NamesAMasslessUnconstrainedCoordinate) {
  Samples samples(4);
  DenseSymmetric ldl;
  for (const int massless : {0, 3, 6}) {
    Eigen::MatrixXd M = samples.positive_definite(7), G = samples.matrix(4, 7);
    M.row(massless).setZero();
    M.col(massless).setZero();
    G.col(massless).setZero();
    const FactorStatus status = factor(ldl, testing::make_saddle(M, G));
    EXPECT_EQ(status.cause, FactorCause::kZeroPivot);
    EXPECT_EQ(status.index, massless);
  }
}

TEST(DenseSymmetric, NamesOneOfTwoConstraintsThatSayTheSame) {
  Samples samples(5);
  DenseSymmetric ldl;
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd G = samples.matrix(6, 7);
    const int first = trial % 5, second = first + 1 + trial % (5 - first);
    G.row(second) = samples.number(0.5, 2) * G.row(first);
    const FactorStatus status = factor(ldl, testing::make_saddle(samples.positive_definite(7), G));
    EXPECT_EQ(status.cause, FactorCause::kZeroPivot);
    EXPECT_TRUE(status.index == 7 + first || status.index == 7 + second) << status.index;
  }
}

TEST(DenseSymmetric, BadScalingIsNotSingularity) {
  Samples samples(6);
  const Vector scale = testing::make_scales(10, -10, 8);
  const Eigen::MatrixXd A = scale.asDiagonal() * samples.symmetric(10) * scale.asDiagonal();
  DenseSymmetric ldl;
  EXPECT_TRUE(factor(ldl, A));
}

TEST(DenseSymmetric, EstimatesTheConditionWithinAFactorOfTen) {
  Samples samples(7);
  DenseSymmetric ldl;
  for (int n = 2; n <= 40; ++n) {
    for (const double rcond : {1e-1, 1e-5, 1e-10}) {
      const Eigen::MatrixXd A = samples.symmetric_conditioned(n, rcond);
      ASSERT_TRUE(factor(ldl, A));
      const double ratio = ldl.calc_rcond() / testing::calc_true_rcond(A);
      EXPECT_GT(ratio, 0.99) << n;
      EXPECT_LT(ratio, 10) << n;
    }
  }
}

TEST(DenseSymmetric, AnswersForEmptyAndForNotFiniteMatrices) {
  DenseSymmetric ldl;
  ASSERT_TRUE(factor(ldl, Eigen::MatrixXd(0, 0)));
  Vector empty(0);
  ldl.solve(empty);
  EXPECT_EQ(ldl.calc_rcond(), 1);
  EXPECT_EQ(ldl.calc_inertia().negative, 0);

  Samples samples(8);
  Eigen::MatrixXd A = samples.symmetric(5);
  A(4, 2) = std::numeric_limits<double>::quiet_NaN();
  const FactorStatus status = factor(ldl, A);
  EXPECT_EQ(status.cause, FactorCause::kNotFinite);
  EXPECT_EQ(status.index, 2);
}

}  // namespace
}  // namespace trammel::linalg
