#include "trammel/linalg/condition.h"

#include <gtest/gtest.h>

#include "tests/linalg/samples.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

double estimate(const Eigen::MatrixXd& inverse) {
  Vector x(inverse.rows()), signs(inverse.rows());
  return estimate_inverse_norm1(
      x, signs, [&](VectorOut v) { v = (inverse * v).eval(); },
      [&](VectorOut v) { v = (inverse.transpose() * v).eval(); });
}

double calc_norm1(const Eigen::MatrixXd& A) { return A.cwiseAbs().colwise().sum().maxCoeff(); }

TEST(Condition, EstimateIsALowerBoundAndSeldomFarBelow) {
  Samples samples(1);
  int exact = 0, trials = 0;
  for (int n = 1; n <= 30; ++n) {
    for (int trial = 0; trial < 10; ++trial, ++trials) {
      const Eigen::MatrixXd A = testing::calc_inverse_matrix(samples.matrix(n, n));
      const double ratio = estimate(A) / calc_norm1(A);
      EXPECT_LE(ratio, 1 + 1e-14);
      EXPECT_GE(ratio, 1.0 / 3) << n;
      exact += ratio > 1 - 1e-14;
    }
  }
  EXPECT_GT(exact, 2 * trials / 3);
}

TEST(Condition, FindsASingleLargeColumn) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Identity(50, 50);
  A.col(31) *= 1e8;
  EXPECT_NEAR(estimate(A), 1e8, 1);
}

TEST(Condition, TheAlternatingVectorSeesWhatTheClimbMisses) {
  // Every column sums to zero, so the first vector is annihilated and the climb starts blind.
  const int n = 20;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    A(i, i) = 100;
    A(i, (i + 1) % n) = -100;
  }
  EXPECT_GT(estimate(A), 200.0 / 3);
}

TEST(Condition, AnEmptyMatrixHasNormZero) { EXPECT_EQ(estimate(Eigen::MatrixXd(0, 0)), 0); }

}  // namespace
}  // namespace trammel::linalg
