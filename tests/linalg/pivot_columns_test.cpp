#include "trammel/linalg/pivot_columns.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <limits>

#include "cases/case.h"
#include "tests/linalg/samples.h"
#include "trammel/dae/evaluation.h"

namespace trammel::linalg {
namespace {

using Eigen::MatrixXd;
using testing::Samples;
using testing::SparseSample;

constexpr int kAlwaysSparse = 0, kAlwaysDense = 1 << 20;

/// Full rank for sure: a permuted diagonal stands in it, with other entries around.
MatrixXd sparse_full_rank(Samples& samples, int rows, int columns, double density) {
  MatrixXd A = samples.matrix(rows, columns);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i)
      if (samples.number(0, 1) > density) A(i, j) = 0;
  const std::vector<int> places = samples.permutation(columns);
  for (int i = 0; i < rows; ++i) A(i, places[static_cast<std::size_t>(i)]) += 2;
  return A;
}

MatrixXd select(const MatrixXd& A, const std::vector<int>& columns) {
  MatrixXd part(A.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) part.col(static_cast<Eigen::Index>(k)) = A.col(columns[k]);
  return part;
}

double calc_condition(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A);
  return svd.singularValues()[0] / svd.singularValues()[svd.singularValues().size() - 1];
}

/// The largest entry of G_u^-1 G_v: by how much dependent coordinates move when an independent one does.
double calc_largest_slope(const MatrixXd& A, const PivotColumns& pivots) {
  return select(A, pivots.chosen()).partialPivLu().solve(select(A, pivots.others())).cwiseAbs().maxCoeff();
}

void expect_partition(const PivotColumns& pivots, int rows, int columns) {
  ASSERT_EQ(pivots.chosen().size(), static_cast<std::size_t>(rows));
  ASSERT_EQ(pivots.others().size(), static_cast<std::size_t>(columns - rows));
  EXPECT_TRUE(std::is_sorted(pivots.chosen().begin(), pivots.chosen().end()));
  EXPECT_TRUE(std::is_sorted(pivots.others().begin(), pivots.others().end()));
  std::vector<int> all = pivots.chosen();
  all.insert(all.end(), pivots.others().begin(), pivots.others().end());
  std::sort(all.begin(), all.end());
  for (int j = 0; j < columns; ++j) EXPECT_EQ(all[static_cast<std::size_t>(j)], j);
}

MatrixXd chain_jacobian(int n, Samples& samples) {
  const cases::Case chain = cases::build_case(*cases::find_case("chain"), {{"n", n}});
  dae::Evaluation evaluation(*chain.system);
  Vector q = chain.start.q;
  for (int i = 0; i < n; ++i) q[3 * i + 2] = samples.number(-3, 3);  // G depends on the angles alone
  evaluation.set_position(0, q);
  return chain.system->structure().jacobian.to_dense(evaluation.jacobian());
}

TEST(PivotColumns, DependentColumnsOfRandomMatricesAreWellConditioned) {
  Samples samples(3);
  for (const int dense_limit : {kAlwaysDense, kAlwaysSparse}) {
    for (const int rows : {1, 2, 5, 12, 30, 60}) {
      for (const double density : {0.05, 0.2, 1.0}) {
        const int columns = rows + 1 + samples.integer(rows + 3);
        const MatrixXd A = sparse_full_rank(samples, rows, columns, density);
        const SparseSample sample(A);
        PivotColumns pivots(sample.pattern, dense_limit);
        ASSERT_TRUE(pivots.choose(sample.values.data())) << rows << " x " << columns;
        expect_partition(pivots, rows, columns);
        // Columns cannot be better conditioned than all of them together; with rows of unit length, as pivots see them.
        const MatrixXd scaled = A.rowwise().normalized();
        EXPECT_LT(calc_condition(select(scaled, pivots.chosen())), 20 * rows * calc_condition(scaled));
        EXPECT_LT(calc_largest_slope(A, pivots), 10) << rows << " x " << columns;
      }
    }
  }
}

TEST(PivotColumns, DependentCoordinatesOfChainsMoveNoFasterThanTheChainIsLong) {
  Samples samples(4);
  for (const int n : {1, 7, 40, 120}) {
    const MatrixXd G = chain_jacobian(n, samples);
    const SparseSample sample(G);
    for (const int dense_limit : {kAlwaysDense, kAlwaysSparse}) {
      PivotColumns pivots(sample.pattern, dense_limit);
      ASSERT_TRUE(pivots.choose(sample.values.data()));
      expect_partition(pivots, 2 * n, 3 * n);
      EXPECT_LT(calc_largest_slope(G, pivots), 2 * n) << n << " rods";
    }
  }
}

TEST(PivotColumns, DenseAndSparseEliminationTakeTheSameColumns) {
  Samples samples(5);
  for (const int rows : {1, 3, 10, 40}) {
    for (const double density : {0.1, 0.5, 1.0}) {
      const SparseSample sample(sparse_full_rank(samples, rows, 2 * rows, density));
      PivotColumns dense(sample.pattern, kAlwaysDense), sparse(sample.pattern, kAlwaysSparse);
      ASSERT_TRUE(dense.choose(sample.values.data()));
      ASSERT_TRUE(sparse.choose(sample.values.data()));
      EXPECT_EQ(dense.chosen(), sparse.chosen()) << rows << " rows, density " << density;
    }
  }
}

TEST(PivotColumns, ChoiceDoesNotDependOnTheSizeOfRows) {
  Samples samples(6);
  const MatrixXd A = sparse_full_rank(samples, 12, 20, 0.4);
  const MatrixXd scaled = testing::make_scales(12, -8, 8).asDiagonal() * A;
  for (const int dense_limit : {kAlwaysDense, kAlwaysSparse}) {
    const SparseSample sample(A), other(scaled);
    PivotColumns pivots(sample.pattern, dense_limit), others(other.pattern, dense_limit);
    ASSERT_TRUE(pivots.choose(sample.values.data()));
    ASSERT_TRUE(others.choose(other.values.data()));
    EXPECT_EQ(pivots.chosen(), others.chosen());
  }
}

// x = 1 and x + y + z = 1, the second given as two contributions to each place.
TEST(PivotColumns, EntriesOfTheSamePlaceAddUp) {
  const Pattern pattern(2, 3, {{0, 0}, {1, 0}, {1, 0}, {1, 1}, {1, 1}, {1, 2}});
  const std::vector<double> values{1, 5, -4, 3, -3, 1};
  for (const int dense_limit : {kAlwaysDense, kAlwaysSparse}) {
    PivotColumns pivots(pattern, dense_limit);
    ASSERT_TRUE(pivots.choose(values.data()));
    EXPECT_EQ(pivots.chosen(), (std::vector<int>{0, 2})) << "y has dropped out";
  }
}

TEST(PivotColumns, MatricesWithoutFullRankAreRefused) {
  Samples samples(7);
  MatrixXd dependent = sparse_full_rank(samples, 6, 10, 0.5);
  dependent.row(4) = 0.3 * dependent.row(1) - 2 * dependent.row(5);
  MatrixXd zero = sparse_full_rank(samples, 6, 10, 0.5);
  zero.row(2).setZero();
  MatrixXd not_finite = sparse_full_rank(samples, 6, 10, 0.5);
  not_finite(3, 3) = std::numeric_limits<double>::quiet_NaN();
  const MatrixXd tall = samples.matrix(5, 4);
  for (const MatrixXd& A : {dependent, zero, not_finite, tall}) {
    const SparseSample sample(A);
    for (const int dense_limit : {kAlwaysDense, kAlwaysSparse}) {
      PivotColumns pivots(sample.pattern, dense_limit);
      EXPECT_FALSE(pivots.choose(sample.values.data()));
    }
  }
}

TEST(PivotColumns, ARefusedMatrixDoesNotSpoilTheNextOne) {
  Samples samples(8);
  const MatrixXd A = samples.matrix(4, 7);
  MatrixXd singular = A;
  singular.row(3) = singular.row(0);
  const SparseSample good(A), bad(singular);
  for (const int dense_limit : {kAlwaysDense, kAlwaysSparse}) {
    PivotColumns once(good.pattern, dense_limit), again(good.pattern, dense_limit);
    ASSERT_TRUE(once.choose(good.values.data()));
    EXPECT_FALSE(again.choose(bad.values.data()));
    ASSERT_TRUE(again.choose(good.values.data()));
    EXPECT_EQ(once.chosen(), again.chosen());
  }
}

}  // namespace
}  // namespace trammel::linalg
