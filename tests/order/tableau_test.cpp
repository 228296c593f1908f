// Every explicit tableau satisfies the order conditions it claims, for its weights, its embedded weights and inside of
// the step; those for half-explicit stages, too, where it is made for them.

#include "trammel/integrators/tableaus/explicit_runge_kutta.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "tests/order/fit_order.h"
#include "tests/order/rooted_trees.h"

namespace trammel::integrators {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::VectorXd;
using testing::calc_violation;
using testing::fit_order;
using testing::make_rooted_trees;

/// Weights of the continuous extension at theta.
VectorXd calc_dense_weights(const ExplicitRungeKutta& t, double theta) {
  VectorXd weights = VectorXd::Zero(t.all_stages());
  for (int i = 0; i < t.all_stages(); ++i) {
    for (int p = 0; p < t.dense_degree; ++p) {
      weights[i] += t.dense[static_cast<std::size_t>(i * t.dense_degree + p)] * std::pow(theta, p + 1);
    }
  }
  return weights;
}

MatrixXd map_a(const ExplicitRungeKutta& t) {
  const int s = t.all_stages();
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(t.a.data(), s, s);
}

/// Weights of the step, with zeros for the stages behind it.
VectorXd map_weights(const ExplicitRungeKutta& t, std::span<const double> weights) {
  VectorXd all = VectorXd::Zero(t.all_stages());
  all.head(t.stages) = Eigen::Map<const VectorXd>(weights.data(), t.stages);
  return all;
}

TEST(RootedTrees, AreAsManyAsThereAre) {
  // Numbers of rooted trees: 1, 1, 2, 4, 9, 20, 48, 115.
  EXPECT_EQ(make_rooted_trees(MatrixXd::Zero(1, 1), 8).size(), 200u);
}

TEST(ExplicitTableau, SatisfiesItsOrderConditions) {
  for (const ExplicitRungeKutta* t : {&dormand_prince_5(), &half_explicit_dormand_prince_5(), &dormand_prince_8()}) {
    const auto stages = static_cast<std::size_t>(t->stages), all = static_cast<std::size_t>(t->all_stages());
    ASSERT_EQ(t->a.size(), all * all);
    ASSERT_EQ(t->b.size(), stages);
    ASSERT_EQ(t->c.size(), all);
    ASSERT_EQ(t->e.size(), stages);
    ASSERT_TRUE(t->e3.empty() || t->e3.size() == stages);
    ASSERT_EQ(t->dense.size(), all * static_cast<std::size_t>(t->dense_degree));
    const MatrixXd A = map_a(*t);
    const VectorXd b = map_weights(*t, t->b), c = Eigen::Map<const VectorXd>(t->c.data(), t->all_stages());
    const VectorXd e = map_weights(*t, t->e);
    const auto trees = make_rooted_trees(A, t->order + 1);
    // Coefficients of the formula of order 8 are as large as 43, and those of its continuous extension 550.
    const double round_off = t->order > 5 ? 1e-14 : 1e-15, dense_round_off = t->order > 5 ? 3e-13 : 1e-14;
    EXPECT_EQ(A, MatrixXd(A.triangularView<Eigen::StrictlyLower>()));
    EXPECT_LT((A.rowwise().sum() - c).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT(calc_violation(trees, b, t->order), round_off);
    EXPECT_GT(calc_violation(trees, b, t->order + 1), 1e-7) << "of no higher order";
    EXPECT_LT(calc_violation(trees, b - e, t->embedded_order), round_off);
    EXPECT_GT(calc_violation(trees, b - e, t->embedded_order + 1), 1e-5) << "the embedded formula is of lower order";
    if (!t->e3.empty()) {
      const VectorXd b3 = b - map_weights(*t, t->e3);
      EXPECT_LT(calc_violation(trees, b3, t->e3_order), round_off);
      EXPECT_GT(calc_violation(trees, b3, t->e3_order + 1), 1e-5) << "of no higher order";
    }
    if (t->first_same_as_last) {
      EXPECT_LT((A.row(t->stages - 1).transpose() - b).cwiseAbs().maxCoeff(), 1e-16);
    }
    for (const double theta : {0.0, 0.1, 0.37, 0.5, 0.8, 1.0}) {
      const VectorXd weights = calc_dense_weights(*t, theta);
      EXPECT_LT(calc_violation(trees, weights, t->dense_order, theta), dense_round_off) << "at theta = " << theta;
      if (theta == 1) {
        EXPECT_LT((weights - b).cwiseAbs().maxCoeff(), dense_round_off);
      }
    }
    EXPECT_GT(calc_violation(trees, calc_dense_weights(*t, 0.4), t->dense_order + 1, 0.4), 1e-7)
        << "of no higher order";
  }
}

TEST(ExplicitTableau, JoinsStepsWithTheirDerivatives) {
  for (const ExplicitRungeKutta* t : {&dormand_prince_5(), &half_explicit_dormand_prince_5(), &dormand_prince_8()}) {
    const double round_off = t->order > 5 ? 2e-12 : 1e-14;
    for (int i = 0; i < t->all_stages(); ++i) {
      const auto powers = t->dense.subspan(static_cast<std::size_t>(i * t->dense_degree));
      double slope = 0;
      for (int p = 0; p < t->dense_degree; ++p) slope += (p + 1) * powers[static_cast<std::size_t>(p)];
      EXPECT_NEAR(powers[0], i == 0 ? 1 : 0, 1e-15) << i;
      EXPECT_NEAR(slope, i == t->stages - 1 ? 1 : 0, round_off) << i;
    }
  }
}

/// Rates at the stages of a step of y' = z + 0.3 sin(t + y), z' = -sin y (1 + 0.5 z), a column each.
MatrixXd calc_rates(const ExplicitRungeKutta& t, double time, const Vector2d& y, double h) {
  const MatrixXd A = map_a(t);
  MatrixXd k = MatrixXd::Zero(2, t.all_stages());
  for (int i = 0; i < t.all_stages(); ++i) {
    const Vector2d Y = y + h * k * A.row(i).transpose();
    k.col(i) << Y[1] + 0.3 * std::sin(time + t.c[static_cast<std::size_t>(i)] * h + Y[0]),
        -std::sin(Y[0]) * (1 + 0.5 * Y[1]);
  }
  return k;
}

const Vector2d kBegin{0.3, 0.9};

Vector2d integrate(const ExplicitRungeKutta& t, double duration, int steps) {
  Vector2d y = kBegin;
  const double h = duration / steps;
  for (int n = 0; n < steps; ++n) y += h * calc_rates(t, n * h, y, h) * map_weights(t, t.b);
  return y;
}

TEST(ExplicitTableau, ReachesItsOrderAtTheEndOfSteps) {
  const Vector2d exact = integrate(dormand_prince_8(), 3, 300);
  for (const ExplicitRungeKutta* t : {&dormand_prince_5(), &dormand_prince_8()}) {
    std::vector<double> steps, errors;
    for (const int n : {4, 6, 8, 12, 16, 24}) {
      steps.push_back(3.0 / n);
      errors.push_back((integrate(*t, 3, n) - exact).norm());
    }
    EXPECT_GT(fit_order(steps, errors, 1e-14), t->order - 0.2) << ::testing::PrintToString(errors);
  }
}

TEST(ExplicitTableau, ReachesItsOrderInsideOfTheStepAndInItsEstimate) {
  const std::vector<double> steps{0.25, 0.2, 0.15, 0.12, 0.1};
  for (const ExplicitRungeKutta* t : {&dormand_prince_5(), &dormand_prince_8()}) {
    std::vector<double> errors, estimates;
    for (const double h : steps) {
      const MatrixXd k = calc_rates(*t, 0, kBegin, h);
      double worst = 0;
      for (const double theta : {0.2, 0.4, 0.6, 0.8}) {
        const Vector2d inside = kBegin + h * k * calc_dense_weights(*t, theta);
        worst = std::max(worst, (inside - integrate(dormand_prince_8(), theta * h, 10)).norm());
      }
      errors.push_back(worst);
      const double estimate = (h * k * map_weights(*t, t->e)).norm();
      const double second = t->e3.empty() ? 0 : (h * k * map_weights(*t, t->e3)).norm();
      estimates.push_back(estimate * estimate / std::sqrt(estimate * estimate + 0.01 * second * second));
    }
    EXPECT_NEAR(fit_order(steps, errors, 0), t->dense_order + 1, 0.3) << ::testing::PrintToString(errors);
    EXPECT_NEAR(fit_order(steps, estimates, 0), t->error_order() + 1, 0.3) << ::testing::PrintToString(estimates);
  }
  EXPECT_EQ(dormand_prince_5().error_order(), 4);
  EXPECT_EQ(dormand_prince_8().error_order(), 7);
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
