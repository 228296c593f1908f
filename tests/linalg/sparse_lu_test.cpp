#include "trammel/linalg/sparse_lu.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/linalg/samples.h"
#include "trammel/linalg/ordering.h"

namespace trammel::linalg {
namespace {

using testing::Samples;
using testing::SparseSample;

Eigen::MatrixXd sparse_matrix(Samples& samples, int n, double density) {
  Eigen::MatrixXd A = samples.matrix(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i != j && samples.number(0, 1) > density) A(i, j) = 0;
  A.diagonal().array() += 1;
  return A;
}

double calc_backward_error(const SparseLu& lu, const Eigen::MatrixXd& A, const Vector& b) {
  Vector x = b;
  lu.solve(x);
  return testing::calc_backward_error(A, x, b);
}

/// A chain of spatial bodies, the first tied to ground, with `rows` constraints a joint (3: spherical, 5: revolute).
struct Chain {
  std::vector<Entry> entries;
  std::vector<double> values;
  std::vector<int> interleaved;  ///< each body followed by the joint before it
  int size = 0;

  Chain(int bodies, int rows, double mass, Samples& samples) : size(bodies * (6 + rows)) {
    for (int body = 0; body < bodies; ++body) {
      for (int i = 0; i < 3; ++i) add(6 * body + i, 6 * body + i, mass);
      const Eigen::MatrixXd inertia = 0.1 * mass * samples.positive_definite(3);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) add(6 * body + 3 + i, 6 * body + 3 + j, inertia(i, j));
    }
    for (int joint = 0; joint < bodies; ++joint) {
      for (int i = 0; i < 6; ++i) interleaved.push_back(6 * joint + i);
      for (int r = 0; r < rows; ++r) {
        const int row = 6 * bodies + rows * joint + r;
        interleaved.push_back(row);
        for (const int body : {joint - 1, joint}) {
          for (int c = r < 3 ? r : 3; body >= 0 && c < 6; c = std::max(c + 1, 3)) {
            if (c == r + 3) continue;
            const double value = c < 3 ? (body == joint ? 1 : -1) : samples.number();
            add(row, 6 * body + c, value);
            add(6 * body + c, row, value);
          }
        }
      }
    }
  }

  Pattern pattern() const { return {size, size, entries}; }

 private:
  void add(int row, int column, double value) {
    entries.push_back({row, column});
    values.push_back(value);
  }
};

TEST(SparseLu, SolvesRandomSystemsWithEveryOrderingAndScaling) {
  Samples samples(1);
  for (int n = 1; n <= 40; ++n) {
    const Eigen::MatrixXd A = sparse_matrix(samples, n, 0.2);
    const SparseSample sample(A);
    const Vector b = samples.vector(n);
    SparseLuOptions options;
    options.permutation = samples.permutation(n);
    for (const auto ordering :
         {SparseOrdering::kAmd, SparseOrdering::kColamd, SparseOrdering::kNatural, SparseOrdering::kGiven}) {
      for (const auto scaling : {RowScaling::kNone, RowScaling::kSum, RowScaling::kMax}) {
        for (const bool block_triangular : {false, true}) {
          for (const double pivot_tolerance : {1e-3, 1.0}) {
            options.ordering = ordering;
            options.scaling = scaling;
            options.block_triangular = block_triangular;
            options.pivot_tolerance = pivot_tolerance;
            const double bound = 1e-14 / pivot_tolerance;  // multipliers may be that large, and multiply the round-off
            SparseLu lu(sample.pattern, options);
            ASSERT_TRUE(lu.factor(sample.values.data())) << n;
            EXPECT_LT(calc_backward_error(lu, A, b), bound) << n;
            Vector y = b;
            lu.solve_transposed(y);
            EXPECT_LT(testing::calc_backward_error(A.transpose(), y, b), bound) << n;
          }
        }
      }
    }
  }
}

TEST(SparseLu, SolvesSaddlePointSystems) {
  Samples samples(2);
  for (int n = 1; n <= 20; ++n) {
    for (const int m : {0, n / 2, n}) {
      const Eigen::MatrixXd A = testing::make_saddle(samples.positive_definite(n), samples.matrix(m, n));
      const SparseSample sample(A);
      SparseLu lu(sample.pattern);
      ASSERT_TRUE(lu.factor(sample.values.data()));
      const Vector b = samples.vector(n + m);
      EXPECT_LT(calc_backward_error(lu, A, b), 1e-14);
    }
  }
}

TEST(SparseLu, AddsUpEntriesThatShareAPlace) {
  const Pattern pattern(2, 2, {{1, 1}, {0, 0}, {0, 1}, {1, 1}, {0, 0}, {1, 0}});
  SparseLu lu(pattern);
  EXPECT_EQ(lu.structure().size(), 4);
  const double values[] = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(lu.factor(values));
  const Eigen::MatrixXd A = pattern.to_dense(values);
  EXPECT_EQ(A, (Eigen::MatrixXd(2, 2) << 7, 3, 6, 5).finished());
  EXPECT_LT(calc_backward_error(lu, A, Vector::Ones(2)), 1e-15);
}

TEST(SparseLu, AnAssemblerMayFillTheSlotsItself) {
  Samples samples(3);
  const Eigen::MatrixXd A = sparse_matrix(samples, 12, 0.3);
  const SparseSample sample(A);
  SparseLu by_values(sample.pattern), by_slots(sample.pattern);
  ASSERT_TRUE(by_values.factor(sample.values.data()));
  for (std::size_t k = 0; k < sample.values.size(); ++k) by_slots.values()[by_slots.slots()[k]] += sample.values[k];
  ASSERT_TRUE(by_slots.factor());
  Vector x = samples.vector(12), y = x;
  by_values.solve(x);
  by_slots.solve(y);
  EXPECT_EQ(x, y);
}

TEST(SparseLu, RefactorsAsWellAsItFactors) {
  Samples samples(4);
  SparseSample sample(sparse_matrix(samples, 30, 0.15));
  SparseLu kept(sample.pattern);
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (double& value : sample.values) value *= 1 + 0.01 * samples.number();
    SparseLu fresh(sample.pattern);
    ASSERT_TRUE(kept.factor(sample.values.data()));
    ASSERT_TRUE(fresh.factor(sample.values.data()));
    Vector x = samples.vector(30), y = x;
    kept.solve(x);
    fresh.solve(y);
    EXPECT_LT((x - y).norm(), 1e-13 * y.norm());
  }
  EXPECT_EQ(kept.counts().analyses, 1);
  EXPECT_EQ(kept.counts().full_factorisations, 1);
  EXPECT_EQ(kept.counts().refactorisations, 9);
  EXPECT_EQ(kept.counts().renewals, 0);
}

TEST(SparseLu, ChoosesNewPivotsWhenTheOldWentBad) {
  // The first diagonal entry fades: as a pivot it makes entries of 1 / fading, and digits of A are lost.
  Samples samples(5);
  SparseLuOptions careless, options;
  options.ordering = careless.ordering = SparseOrdering::kNatural;
  careless.max_error_growth = std::numeric_limits<double>::infinity();
  Eigen::MatrixXd A = sparse_matrix(samples, 20, 0.3);
  const Vector b = samples.vector(20);
  const Pattern pattern = SparseSample(A).pattern;
  SparseLu lu(pattern, options), without_check(pattern, careless);
  double worst = 0, worst_without_check = 0;
  for (double fading = 1; fading > 1e-10; fading *= 0.1) {
    A(0, 0) = fading;
    const SparseSample sample(A);
    ASSERT_TRUE(lu.factor(sample.values.data()));
    ASSERT_TRUE(without_check.factor(sample.values.data()));
    worst = std::max(worst, calc_backward_error(lu, A, b));
    worst_without_check = std::max(worst_without_check, calc_backward_error(without_check, A, b));
  }
  EXPECT_LT(worst, 1e-12);
  EXPECT_GT(worst_without_check, 1e-9);
  EXPECT_EQ(without_check.counts().renewals, 0);
  EXPECT_GE(lu.counts().renewals, 1);
  EXPECT_LE(lu.counts().renewals, 2) << "good pivots, once chosen, are kept";
  EXPECT_EQ(lu.counts().full_factorisations, 1 + lu.counts().renewals);
}

TEST(SparseLu, ChoosesNewPivotsWhenTheDamageHidesInL) {
  // Rows (t s 0), (0 s 0), (1 0 1): U stays small, 1 / t stands in L only, and the third equation is lost, also when
  // the second unknown is measured in other units.
  SparseLuOptions options;
  options.ordering = SparseOrdering::kNatural;
  options.scaling = RowScaling::kNone;
  const Pattern pattern(3, 3, {{0, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 2}});
  const auto calc_error = [&](double max_error_growth, double s) {
    options.max_error_growth = max_error_growth;
    SparseLu lu(pattern, options);
    const double first[] = {1, s, s, 1, 1}, later[] = {1e-10, s, s, 1, 1};
    EXPECT_TRUE(lu.factor(first));
    EXPECT_TRUE(lu.factor(later));
    const Vector b = (Vector(3) << 1.0 / 3, 1.0 / 3 - 1e-10 / 7, 1.0 / 9).finished();
    Vector x = b;
    lu.solve(x);
    const Eigen::MatrixXd A = pattern.to_dense(later);
    const Vector scale = A.cwiseAbs() * x.cwiseAbs() + b.cwiseAbs();
    return (b - A * x).cwiseQuotient(scale).lpNorm<Eigen::Infinity>();
  };
  for (const double s : {1.0, 1e-9}) {
    EXPECT_LT(calc_error(1e3, s), 1e-15);
    EXPECT_GT(calc_error(std::numeric_limits<double>::infinity(), s), 1e-9);
  }
}

TEST(SparseLu, NamesAColumnThatNoValuesCanMakeRegular) {
  const Pattern pattern(3, 3, {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {0, 2}});  // columns 1 and 2 share row 0
  SparseLu lu;
  const FactorStatus status = lu.analyse(pattern);
  EXPECT_EQ(status.cause, FactorCause::kStructurallySingular);
  EXPECT_TRUE(status.index == 1 || status.index == 2);
  const double values[] = {1, 2, 3, 4, 5};
  EXPECT_EQ(lu.factor(values).cause, FactorCause::kStructurallySingular);
  EXPECT_EQ(SparseLu().analyse(Pattern(2, 2, {{0, 1}, {1, 1}})).index, 0);
}

TEST(SparseLu, NamesTheColumnWhosePivotVanishes) {
  Samples samples(6);
  SparseLuOptions options;
  for (const auto ordering : {SparseOrdering::kNatural, SparseOrdering::kAmd, SparseOrdering::kColamd}) {
    options.ordering = ordering;
    for (const bool block_triangular : {false, true}) {
      options.block_triangular = block_triangular;
      Eigen::MatrixXd A = sparse_matrix(samples, 15, 0.2);
      const SparseSample sample(A);
      std::vector<double> values = sample.values;
      for (std::size_t k = 0; k < values.size(); ++k)
        if (sample.pattern[static_cast<int>(k)].column == 7) values[k] = 0;
      SparseLu lu(sample.pattern, options);
      EXPECT_EQ(lu.factor(values.data()).index, 7);
      EXPECT_TRUE(lu.factor(sample.values.data())) << "it works again after a failure";
      EXPECT_EQ(lu.factor(values.data()).index, 7) << "a refactorisation sees it too";
    }
  }
}

TEST(SparseLu, SeesAVanishedBlockOfSizeOneInARefactorisation) {
  SparseLuOptions options;
  options.block_triangular = true;
  SparseLu lu(Pattern::diagonal(4), options);
  const double regular[] = {1, 2, 3, 4}, singular[] = {1, 2, 0, 4};
  ASSERT_TRUE(lu.factor(regular));
  const FactorStatus status = lu.factor(singular);
  EXPECT_EQ(status.cause, FactorCause::kZeroPivot);
  EXPECT_EQ(status.index, 2);
}

TEST(SparseLu, NamesAMultiplierOfARedundantJoint) {
  // The last joint of a chain of revolute joints is repeated with other coefficients: its five rows say nothing new.
  Samples samples(7);
  for (const bool natural : {false, true}) {
    Chain chain(20, 5, 1, samples);
    const int n = chain.size, last = n - 5;
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 5, n + 5);
    A.topLeftCorner(n, n) = chain.pattern().to_dense(chain.values.data());
    const Eigen::MatrixXd mix = samples.matrix(5, 5);
    A.bottomRows(5) = mix * A.middleRows(last, 5);
    A.rightCols(5) = A.middleCols(last, 5) * mix.transpose();
    const SparseSample sample(A);
    SparseLuOptions options;
    options.ordering = natural ? SparseOrdering::kNatural : SparseOrdering::kColamd;
    SparseLu lu(sample.pattern, options);
    const FactorStatus status = lu.factor(sample.values.data());
    EXPECT_EQ(status.cause, FactorCause::kZeroPivot);
    if (natural)
      EXPECT_EQ(status.index, n) << "the first row that depends on earlier ones";
    else
      EXPECT_GE(status.index, 0);
  }
}

TEST(SparseLu, BadScalingIsNotSingularity) {
  Samples samples(8);
  const Vector scale = testing::make_scales(18, -9, 9);
  const Eigen::MatrixXd A = sparse_matrix(samples, 18, 0.3);
  for (const auto scaling : {RowScaling::kNone, RowScaling::kMax}) {
    SparseLuOptions options;
    options.scaling = scaling;
    for (const Eigen::MatrixXd& scaled :
         {Eigen::MatrixXd(scale.asDiagonal() * A), Eigen::MatrixXd(A * scale.asDiagonal())}) {
      const SparseSample sample(scaled);
      SparseLu lu(sample.pattern, options);
      EXPECT_TRUE(lu.factor(sample.values.data()));
    }
  }
}

TEST(SparseLu, EstimatesTheConditionWithinAFactorOfTen) {
  Samples samples(9);
  for (int n = 1; n <= 40; ++n) {
    for (const double rcond : {1.0, 1e-4, 1e-9}) {
      const Eigen::MatrixXd A = n == 1 ? samples.matrix(1, 1) : samples.conditioned(n, rcond);
      const SparseSample sample(A);
      SparseLu lu(sample.pattern);
      ASSERT_TRUE(lu.factor(sample.values.data()));
      const double ratio = lu.calc_rcond() / testing::calc_true_rcond(A);
      EXPECT_GT(ratio, 0.99) << n;
      EXPECT_LT(ratio, 10) << n;
      EXPECT_GT(lu.diagonal_rcond(), 0);
      EXPECT_LE(lu.diagonal_rcond(), 1);
    }
  }
}

TEST(SparseLu, TellsTheFillThatAnOrderingMakes) {
  Samples samples(10);
  Chain chain(200, 5, 1, samples);
  const auto factor = [&](SparseOrdering ordering) {
    SparseLuOptions options;
    options.ordering = ordering;
    options.permutation = chain.interleaved;
    SparseLu lu(chain.pattern(), options);
    EXPECT_TRUE(lu.factor(chain.values.data()));
    return lu;
  };
  const SparseLu interleaved = factor(SparseOrdering::kGiven), amd = factor(SparseOrdering::kAmd);
  EXPECT_EQ(interleaved.off_diagonal_pivots(), 0);
  EXPECT_LT(interleaved.lu_nonzeros(), 2.3 * interleaved.structure().size());
  EXPECT_GT(amd.off_diagonal_pivots(), 200) << "the trap that SparseLuOptions tells about";
  EXPECT_GT(amd.lu_nonzeros(), 1.5 * static_cast<double>(interleaved.lu_nonzeros()));
  EXPECT_GT(amd.calc_flops(), interleaved.calc_flops());

  const SparseSample full(samples.matrix(9, 9));
  SparseLu lu(full.pattern);
  ASSERT_TRUE(lu.factor(full.values.data()));
  EXPECT_EQ(lu.lu_nonzeros(), 81);
}

TEST(SparseLu, CountsEntriesAboveTheBlocksInTheFill) {
  SparseLuOptions options;
  options.block_triangular = true;
  SparseLu lu(Pattern(3, 3, {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}), options);
  const double values[] = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(lu.factor(values));
  EXPECT_EQ(lu.lu_nonzeros(), 6);
}

TEST(SparseLu, RefusesWhatIsNotFinite) {
  Samples samples(11);
  SparseSample sample(sparse_matrix(samples, 10, 0.3));
  SparseLu lu(sample.pattern);
  const std::vector<double> good = sample.values;
  sample.values[7] = std::numeric_limits<double>::quiet_NaN();
  for (int repeat = 0; repeat < 2; ++repeat) {
    const FactorStatus status = lu.factor(sample.values.data());
    EXPECT_EQ(status.cause, FactorCause::kNotFinite);
    EXPECT_EQ(status.index, sample.pattern[7].column);
    EXPECT_TRUE(lu.factor(good.data()));
  }
}

TEST(SparseLu, EmptySystemsWork) {
  SparseLu lu{Pattern(0, 0)};
  ASSERT_TRUE(lu.factor(nullptr));
  Vector empty(0);
  lu.solve(empty);
  lu.solve_transposed(empty);
  EXPECT_EQ(lu.calc_rcond(), 1);
  EXPECT_EQ(lu.lu_nonzeros(), 0);
  EXPECT_EQ(lu.calc_flops(), 0);
}

TEST(SparseLu, RefusesMisuse) {
  EXPECT_THROW(SparseLu(Pattern(2, 3)), std::invalid_argument);
  SparseLuOptions options;
  options.ordering = SparseOrdering::kGiven;
  options.permutation = {0, 0, 1};
  EXPECT_THROW(SparseLu(Pattern::diagonal(3), options), std::invalid_argument);
  options.permutation = {2, 0, 1};
  EXPECT_TRUE(options.validate(3).empty());
  options.pivot_tolerance = 0;
  options.max_error_growth = 0.5;
  EXPECT_EQ(options.validate(3).size(), 2u);
}

}  // namespace
}  // namespace trammel::linalg
