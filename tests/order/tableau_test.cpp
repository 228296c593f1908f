// Every explicit tableau satisfies the order conditions it claims, for its weights, its embedded weights and inside of
// the step; those for half-explicit stages, too, where it is made for them.

#include "trammel/integrators/tableaus/explicit_runge_kutta.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

namespace trammel::integrators {
namespace {

using Eigen::VectorXd;

struct Condition {
  int order;
  VectorXd weights;  // of the tree: b . weights = 1 / density
  double density;
};

/// All rooted trees up to order 5 (Hairer, Norsett and Wanner I, table II.2.1).
std::vector<Condition> make_conditions(const Eigen::MatrixXd& A, const VectorXd& c) {
  const VectorXd one = VectorXd::Ones(c.size()), c2 = c.cwiseProduct(c), c3 = c2.cwiseProduct(c);
  const VectorXd Ac = A * c, Ac2 = A * c2, AAc = A * Ac;
  return {
      {1, one, 1},
      {2, c, 2},
      {3, c2, 3},
      {3, Ac, 6},
      {4, c3, 4},
      {4, c.cwiseProduct(Ac), 8},
      {4, Ac2, 12},
      {4, AAc, 24},
      {5, c3.cwiseProduct(c), 5},
      {5, c2.cwiseProduct(Ac), 10},
      {5, Ac.cwiseProduct(Ac), 20},
      {5, c.cwiseProduct(Ac2), 15},
      {5, c.cwiseProduct(AAc), 30},
      {5, A * c3, 20},
      {5, A * c.cwiseProduct(Ac), 40},
      {5, A * Ac2, 60},
      {5, A * AAc, 120},
  };
}

/// Largest violation of the conditions up to the order, at theta (1 for the end of the step).
double calc_violation(const std::vector<Condition>& conditions, const VectorXd& b, int order, double theta) {
  double worst = 0;
  for (const Condition& condition : conditions) {
    if (condition.order > order) continue;
    worst = std::max(worst, std::abs(b.dot(condition.weights) - std::pow(theta, condition.order) / condition.density));
  }
  return worst;
}

/// Weights of the continuous extension at theta.
VectorXd calc_dense_weights(const ExplicitRungeKutta& t, double theta) {
  VectorXd weights = VectorXd::Zero(t.stages);
  for (int i = 0; i < t.stages; ++i) {
    for (int p = 0; p < t.dense_degree; ++p) {
      weights[i] += t.dense[static_cast<std::size_t>(i * t.dense_degree + p)] * std::pow(theta, p + 1);
    }
  }
  return weights;
}

TEST(ExplicitTableau, SatisfiesItsOrderConditions) {
  for (const ExplicitRungeKutta* t : {&dormand_prince_5(), &half_explicit_dormand_prince_5()}) {
    const int s = t->stages;
    const Eigen::MatrixXd A =
        Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(t->a.data(), s, s);
    const VectorXd b = Eigen::Map<const VectorXd>(t->b.data(), s), c = Eigen::Map<const VectorXd>(t->c.data(), s);
    const VectorXd e = Eigen::Map<const VectorXd>(t->e.data(), s);
    ASSERT_LE(t->order, 5) << "add the conditions of higher order";
    const auto conditions = make_conditions(A, c);
    EXPECT_LT((A.rowwise().sum() - c).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT(calc_violation(conditions, b, t->order, 1), 1e-15);
    EXPECT_LT(calc_violation(conditions, b - e, t->embedded_order, 1), 1e-15);
    EXPECT_GT(calc_violation(conditions, b - e, t->embedded_order + 1, 1), 1e-5)
        << "the embedded formula is of lower order";
    if (t->first_same_as_last) {
      EXPECT_LT((A.row(s - 1).transpose() - b).cwiseAbs().maxCoeff(), 1e-16);
    }
    for (const double theta : {0.1, 0.37, 0.5, 0.8, 1.0}) {
      const VectorXd weights = calc_dense_weights(*t, theta);
      EXPECT_LT(calc_violation(conditions, weights, t->dense_order, theta), 1e-14) << "at theta = " << theta;
      if (theta == 1) {
        EXPECT_LT((weights - b).cwiseAbs().maxCoeff(), 1e-14);
      }
    }
  }
}

// (4), (6), (7) and (9) of docs/theory/herk.md. Indices of stages begin at 0: the multiplier of stage 0 is explicit,
// that of stage i is found from the constraints at stage i + 1.
TEST(HalfExplicitTableau, SatisfiesTheConditionsOfIndexTwo) {
  const ExplicitRungeKutta& t = half_explicit_dormand_prince_5();
  const int s = t.stages, n = s - 2;
  const Eigen::MatrixXd A =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(t.a.data(), s, s);
  const VectorXd b = Eigen::Map<const VectorXd>(t.b.data(), s), c = Eigen::Map<const VectorXd>(t.c.data(), s);
  const VectorXd e = Eigen::Map<const VectorXd>(t.e.data(), s), one = VectorXd::Ones(s);

  // Stages beyond the second integrate quadratic polynomials, and what the second one misses has no weight.
  for (int i = 2; i < s; ++i) {
    for (int k = 1; k <= 3; ++k) {
      EXPECT_NEAR(A.row(i).dot(c.array().pow(k - 1).matrix()), std::pow(c[i], k) / k, 2e-15) << i << ", " << k;
    }
    EXPECT_GT(std::abs(A(i, i - 1)), 0.1) << "the multiplier of stage " << i - 1 << " is determined";
  }
  EXPECT_EQ(b[1], 0);
  for (const VectorXd& weights : {one, c}) EXPECT_NEAR(b.cwiseProduct(weights).dot(A.col(1)), 0, 1e-15);
  EXPECT_LT((A.transpose() * b - b.cwiseProduct(one - c)).cwiseAbs().maxCoeff(), 1e-15);

  // What stages miss of the constraints at third order.
  const Eigen::MatrixXd ahead = A.block(2, 1, n, n);
  const VectorXd next = c.tail(n);
  const VectorXd quadrature = (next.array().pow(4) / 24).matrix() - A.bottomRows(n) * c.array().pow(3).matrix() / 6;
  for (const VectorXd& missed : {next.cwiseProduct(ahead.col(0)).eval(), quadrature}) {
    VectorXd w = VectorXd::Zero(s);
    w.segment(1, n) = ahead.triangularView<Eigen::Lower>().solve(missed);
    EXPECT_NEAR(b.dot(w), 0, 3e-15);
    EXPECT_NEAR(b.cwiseProduct(c).dot(w), 0, 3e-15);
    EXPECT_GT(std::abs(e.dot(w)), 1e-4) << "the estimate needs its projection";
    for (const double theta : {0.1, 0.37, 0.5, 0.8, 1.0}) {
      EXPECT_NEAR(calc_dense_weights(t, theta).dot(w), 0, 1e-14) << "at theta = " << theta;
    }
    EXPECT_GT(std::abs(calc_dense_weights(dormand_prince_5(), 0.5).dot(w)), 1e-5) << "which needs weights of its own";
  }
}

}  // namespace
}  // namespace trammel::integrators
