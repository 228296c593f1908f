// The SDIRK tableaus satisfy their order conditions, at the end and inside of the step, are L-stable, and are those of
// the thesis.

#include "trammel/integrators/tableaus/sdirk.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <complex>
#include <vector>

#include "tests/order/rooted_trees.h"

namespace trammel::integrators {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::calc_violation;
using testing::make_rooted_trees;

struct Formula {
  explicit Formula(const Sdirk& t)
      : tableau(t),
        A(map(t.a, t.stages)),
        dense(map(t.dense, t.dense_degree)),
        b(map(t.b, 1)),
        c(map(t.c, 1)),
        e(map(t.e, 1)) {}

  static MatrixXd map(std::span<const double> values, int columns) {
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        values.data(), static_cast<Eigen::Index>(values.size()) / columns, columns);
  }
  VectorXd calc_dense_weights(double theta) const {
    return dense * VectorXd::LinSpaced(dense.cols(), 1, static_cast<double>(dense.cols())).unaryExpr([&](double p) {
      return std::pow(theta, p);
    });
  }

  const Sdirk& tableau;
  MatrixXd A, dense;
  VectorXd b, c, e;
};

std::vector<Formula> formulas() { return {Formula(sdirk4_16()), Formula(sdirk4_15())}; }

TEST(SdirkTableau, HasOneDiagonalElementAndEndsInTheSolution) {
  for (const Formula& f : formulas()) {
    ASSERT_EQ(f.A.rows(), f.tableau.stages);
    ASSERT_EQ(f.dense.rows(), f.tableau.stages);
    EXPECT_EQ(f.A, MatrixXd(f.A.triangularView<Eigen::Lower>()));
    EXPECT_TRUE((f.A.diagonal().array() == f.tableau.gamma).all());
    EXPECT_LT((f.A.rowwise().sum() - f.c).cwiseAbs().maxCoeff(), 4e-15);
    EXPECT_EQ(VectorXd(f.A.row(f.tableau.stages - 1)), f.b) << "stiffly accurate";
  }
  EXPECT_EQ(sdirk4_16().gamma, 4.0 / 16);
  EXPECT_EQ(sdirk4_15().gamma, 4.0 / 15);
}

TEST(SdirkTableau, SatisfiesItsOrderConditions) {
  for (const Formula& f : formulas()) {
    const auto trees = make_rooted_trees(f.A, 5);
    EXPECT_LT(calc_violation(trees, f.b, f.tableau.order), 2e-15);
    EXPECT_GT(calc_violation(trees, f.b, f.tableau.order + 1), 1e-5) << "of no higher order";
    EXPECT_LT(calc_violation(trees, f.b - f.e, f.tableau.embedded_order), 2e-15);
    EXPECT_GT(calc_violation(trees, f.b - f.e, f.tableau.embedded_order + 1), 1e-3) << "of no higher order";
  }
}

TEST(SdirkTableau, IsOfOrderThreeInsideOfTheStep) {
  for (const Formula& f : formulas()) {
    const auto trees = make_rooted_trees(f.A, 4);
    const VectorXd c3 = f.c.array().cube();
    for (const double theta : {0.0, 0.1, 0.37, 0.5, 0.8, 0.99, 1.0}) {
      const VectorXd weights = f.calc_dense_weights(theta);
      EXPECT_LT(calc_violation(trees, weights, f.tableau.dense_order, theta), 2e-14) << "at theta = " << theta;
      EXPECT_NEAR(weights.dot(c3), std::pow(theta, 4) / 4, 2e-14) << "at theta = " << theta;
    }
    EXPECT_GT(calc_violation(trees, f.calc_dense_weights(0.5), 4, 0.5), 1e-4) << "of no higher order";
  }
}

TEST(SdirkTableau, IsContinuousAndLeavesTheStepWithItsDerivative) {
  for (const Formula& f : formulas()) {
    EXPECT_EQ(f.calc_dense_weights(0).norm(), 0);
    EXPECT_LT((f.calc_dense_weights(1) - f.b).cwiseAbs().maxCoeff(), 2e-14);
    const VectorXd slope = f.dense * VectorXd::LinSpaced(f.dense.cols(), 1, static_cast<double>(f.dense.cols()));
    EXPECT_LT((slope - VectorXd::Unit(f.tableau.stages, f.tableau.stages - 1)).cwiseAbs().maxCoeff(), 4e-14);
  }
}

TEST(SdirkTableau, IsLStable) {
  for (const Formula& f : formulas()) {
    const int s = f.tableau.stages;
    const VectorXd one = VectorXd::Ones(s);
    EXPECT_NEAR(1 - f.b.dot(f.A.triangularView<Eigen::Lower>().solve(one)), 0, 1e-14);
    // The only pole of R is 1 / gamma, so that |R| <= 1 on the imaginary axis is |R| <= 1 to its left.
    for (double y = 1e-3; y < 1e6; y *= 1.1) {
      const std::complex<double> z(0, y);
      const Eigen::MatrixXcd matrix = MatrixXd::Identity(s, s) - z * f.A;
      const Eigen::VectorXcd k = matrix.partialPivLu().solve(one.cast<std::complex<double>>().eval());
      EXPECT_LE(std::abs(1.0 + z * f.b.cast<std::complex<double>>().cwiseProduct(k).sum()), 1 + 1e-14) << "at " << z;
    }
  }
}

// (4.87) and the numbers below it. Weights of z_i = Y_i - y become weights of h k_i by A.
TEST(SdirkTableau, IsThatOfTheThesisInZForm) {
  const Formula f(sdirk4_15());
  VectorXd error(5);
  error << -7752107607.0 / 11393456128, 17881415427.0 / 11470078208, -2433277665.0 / 179459416,
      96203066666797.0 / 6212571137048, 1;
  EXPECT_LT((f.A.transpose() * error - f.e).cwiseAbs().maxCoeff(), 2e-14);
  MatrixXd dense(4, 5);
  dense << 24.74416644927758, -4.325375951824688, 41.39683763286316, -61.04144619901784, -3.391332232917013,  //
      -51.98245719616925, 10.52501981094525, -154.2067922191855, 214.3082125319825, 14.71166018088679,        //
      33.14347947522142, -19.72986789558523, 230.4878502285804, -287.6629744338197, -18.99932366302254,       //
      -5.905188728329743, 13.53022403646467, -117.6778956422581, 134.3962081008550, 8.678995715052762;
  EXPECT_LT((f.A.transpose() * dense.transpose() - f.dense).cwiseAbs().maxCoeff(), 5e-13);
  // The printed numbers are good to 1e-12.
  const MatrixXd ours = f.A.transpose().triangularView<Eigen::Upper>().solve(f.dense).transpose();
  EXPECT_LT((ours - dense).cwiseAbs().maxCoeff(), 2e-12);
}

}  // namespace
}  // namespace trammel::integrators
