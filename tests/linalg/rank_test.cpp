#include "trammel/linalg/rank.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "tests/linalg/samples.h"

namespace trammel::linalg {
namespace {

using testing::Samples;
using testing::SparseSample;

/// Both ways of the implementation must say the same: as full matrices and by sparse elimination.
class RankTest : public ::testing::TestWithParam<bool> {
 protected:
  RankOptions options() const {
    RankOptions result;
    if (GetParam()) result.dense_limit = 0;
    return result;
  }
  RankReport find(const Eigen::MatrixXd& J) const { return find_dependent_rows(J, options()); }
};
INSTANTIATE_TEST_SUITE_P(Ways, RankTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Sparse" : "Full"; });

void expect_combination(const Eigen::MatrixXd& J, const DependentRow& dependent) {
  Eigen::RowVectorXd rest = J.row(dependent.row);
  for (const RowTerm& term : dependent.terms) {
    EXPECT_LT(term.row, dependent.row);
    rest -= term.coefficient * J.row(term.row);
  }
  EXPECT_LE(rest.norm(), 1e-12 * J.row(dependent.row).norm());
}

TEST_P(RankTest, IndependentRowsAreAllKept) {
  Samples samples(1);
  for (int n = 1; n <= 30; ++n) {
    for (const int m : {1, n / 2, n}) {
      const RankReport report = find(samples.matrix(m, n));
      EXPECT_EQ(report.rank, m);
      EXPECT_TRUE(report.dependent.empty());
      EXPECT_GT(report.smallest_kept, 1e-8);
      EXPECT_EQ(report.largest_dropped, 0);
    }
  }
}

TEST_P(RankTest, NamesARedundantRowAndWhatItRepeats) {
  Samples samples(2);
  Eigen::MatrixXd J = samples.matrix(8, 12);
  J.row(5) = J.row(1) + 2 * J.row(3);
  const RankReport report = find(J);
  EXPECT_EQ(report.rank, 7);
  ASSERT_EQ(report.dependent.size(), 1u);
  EXPECT_EQ(report.dependent[0].row, 5);
  ASSERT_EQ(report.dependent[0].terms.size(), 2u);
  EXPECT_EQ(report.dependent[0].terms[0].row, 1);
  EXPECT_NEAR(report.dependent[0].terms[0].coefficient, 1, 1e-12);
  EXPECT_EQ(report.dependent[0].terms[1].row, 3);
  EXPECT_NEAR(report.dependent[0].terms[1].coefficient, 2, 1e-12);
  EXPECT_LT(report.largest_dropped, 1e-13);
  EXPECT_GT(report.smallest_kept, 1e-3);
}

TEST_P(RankTest, KeepsTheEarliestRowsWhateverTheirSize) {
  Samples samples(3);
  Eigen::MatrixXd J = samples.matrix(6, 9);
  J.row(0) *= 1e-6;
  J.row(2) = 1e9 * J.row(0);
  J.row(4) = J.row(1) - 1e-3 * J.row(2);
  const RankReport report = find(J);
  EXPECT_EQ(report.rank, 4);
  ASSERT_EQ(report.dependent.size(), 2u);
  EXPECT_EQ(report.dependent[0].row, 2);
  ASSERT_EQ(report.dependent[0].terms.size(), 1u);
  EXPECT_EQ(report.dependent[0].terms[0].row, 0);
  EXPECT_NEAR(report.dependent[0].terms[0].coefficient, 1e9, 1e-3);
  EXPECT_EQ(report.dependent[1].row, 4);
  ASSERT_EQ(report.dependent[1].terms.size(), 2u) << "kept rows only: 0 and 1, not 2";
  EXPECT_EQ(report.dependent[1].terms[0].row, 0);
  EXPECT_NEAR(report.dependent[1].terms[0].coefficient, -1e6, 1e-5);
  EXPECT_EQ(report.dependent[1].terms[1].row, 1);
}

TEST_P(RankTest, FindsTheRankOfProductsOfEveryShape) {
  Samples samples(4);
  for (const auto& [m, n] : {std::pair{5, 3}, {10, 10}, {12, 30}, {30, 12}, {40, 25}}) {
    for (const int rank : {1, 2, 3}) {
      const Eigen::MatrixXd J = samples.matrix(m, rank) * samples.matrix(rank, n);
      const RankReport report = find(J);
      EXPECT_EQ(report.rank, rank);
      ASSERT_EQ(static_cast<int>(report.dependent.size()), m - rank);
      for (int k = 0; k < m - rank; ++k) {
        EXPECT_EQ(report.dependent[static_cast<std::size_t>(k)].row, rank + k) << "the first rows span everything";
        expect_combination(J, report.dependent[static_cast<std::size_t>(k)]);
      }
    }
  }
}

TEST_P(RankTest, ZeroRowsDependOnNothing) {
  Samples samples(5);
  Eigen::MatrixXd J = samples.matrix(4, 6);
  J.row(0).setZero();
  J.row(3).setZero();
  const RankReport report = find(J);
  EXPECT_EQ(report.rank, 2);
  ASSERT_EQ(report.dependent.size(), 2u);
  EXPECT_EQ(report.dependent[0].row, 0);
  EXPECT_TRUE(report.dependent[0].terms.empty());
  EXPECT_EQ(report.dependent[1].row, 3);
  EXPECT_TRUE(report.dependent[1].terms.empty());
}

TEST_P(RankTest, TheToleranceDividesNearlyDependentRows) {
  Samples samples(6);
  RankOptions near = options();
  near.tolerance = 1e-8;
  for (const double distance : {1e-3, 1e-6, 1e-7, 1e-9, 1e-12}) {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(4, 8);
    J.leftCols(4).topRows(3) = samples.matrix(3, 4);
    J.row(3) = (J.row(0) - J.row(2)).normalized();
    J(3, 6) = distance;  // a direction of its own
    const RankReport report = find_dependent_rows(J, near);
    EXPECT_EQ(report.rank, distance > 1e-8 ? 4 : 3) << distance;
    const double found = distance > 1e-8 ? report.smallest_kept : report.largest_dropped;
    EXPECT_GT(found, 0.1 * distance);
    EXPECT_LT(found, 10 * distance);
  }
}

TEST_P(RankTest, RowsThatShareNoColumnAreJudgedApart) {
  Samples samples(7);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(9, 12);
  for (const int row : {0, 2, 4, 6, 8}) J.block(row, 0, 1, 6) = samples.matrix(1, 6);
  for (const int row : {1, 3, 5, 7}) J.block(row, 6, 1, 6) = samples.matrix(1, 6);
  J.row(8) = J.row(0) + J.row(4);
  J.row(7) = J.row(1) - J.row(3);
  const RankReport report = find(J);
  EXPECT_EQ(report.rank, 7);
  ASSERT_EQ(report.dependent.size(), 2u);
  EXPECT_EQ(report.dependent[0].row, 7);
  EXPECT_EQ(report.dependent[1].row, 8);
  for (const DependentRow& dependent : report.dependent) {
    EXPECT_EQ(dependent.terms.size(), 2u);
    expect_combination(J, dependent);
  }
}

TEST_P(RankTest, EmptyMatricesWork) {
  EXPECT_EQ(find(Eigen::MatrixXd(0, 0)).rank, 0);
  EXPECT_EQ(find(Eigen::MatrixXd(0, 5)).rank, 0);
  const RankReport report = find(Eigen::MatrixXd(3, 0));
  EXPECT_EQ(report.rank, 0);
  EXPECT_EQ(report.dependent.size(), 3u);
}

TEST_P(RankTest, EntriesOfAPatternThatShareAPlaceAddUp) {
  const Pattern pattern(2, 2, {{0, 0}, {1, 0}, {1, 0}, {1, 1}, {1, 1}});
  const double values[] = {1, 3, -1, 5, -5};  // (1 0), (2 0)
  const RankReport report = find_dependent_rows(pattern, values, options());
  ASSERT_EQ(report.dependent.size(), 1u);
  EXPECT_EQ(report.dependent[0].row, 1);
  ASSERT_EQ(report.dependent[0].terms.size(), 1u);
  EXPECT_NEAR(report.dependent[0].terms[0].coefficient, 2, 1e-15);
}

TEST(Rank, ALongChainWithClosedLoopsIsTreatedInLinearTime) {
  // Rows tie neighbours of a ring of points; the row that closes the ring repeats all others. Then a second ring.
  const int n = 20000;
  std::vector<Entry> entries;
  std::vector<double> values;
  const auto tie = [&](int row, int from, int to) {
    entries.push_back({row, from});
    entries.push_back({row, to});
    values.push_back(-1);
    values.push_back(1);
  };
  for (int i = 0; i < n; ++i) tie(i, i, (i + 1) % n);
  for (int i = 0; i < n; ++i) tie(n + i, n + i, n + (i + 1) % n);
  const RankReport report = find_dependent_rows(Pattern(2 * n, 2 * n, entries), values.data());
  EXPECT_EQ(report.rank, 2 * n - 2);
  ASSERT_EQ(report.dependent.size(), 2u);
  EXPECT_EQ(report.dependent[0].row, n - 1);
  EXPECT_EQ(report.dependent[1].row, 2 * n - 1);
  ASSERT_EQ(static_cast<int>(report.dependent[1].terms.size()), n - 1);
  for (const RowTerm& term : report.dependent[1].terms) EXPECT_NEAR(term.coefficient, -1, 1e-12);
}

TEST(Rank, SparseAndFullTreatmentAgreeOnRandomSparseMatrices) {
  Samples samples(8);
  for (int trial = 0; trial < 30; ++trial) {
    const int m = 10 + trial, n = 12 + trial;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(m, n);
    for (int k = 0; k < 4 * m; ++k) J(samples.integer(m), samples.integer(n)) = samples.number();
    for (const int row : {m / 2, m - 1}) J.row(row) = samples.number() * J.row(0) - samples.number() * J.row(row / 2);
    const SparseSample sample(J);
    const RankReport full = find_dependent_rows(sample.pattern, sample.values.data(), {.dense_limit = 1000});
    const RankReport sparse = find_dependent_rows(sample.pattern, sample.values.data(), {.dense_limit = 0});
    EXPECT_EQ(full.rank, sparse.rank);
    ASSERT_EQ(full.dependent.size(), sparse.dependent.size());
    for (std::size_t k = 0; k < full.dependent.size(); ++k) {
      EXPECT_EQ(full.dependent[k].row, sparse.dependent[k].row);
      expect_combination(J, full.dependent[k]);
      expect_combination(J, sparse.dependent[k]);
    }
  }
}

TEST(Rank, RefusesMisuse) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Ones(2, 2);
  EXPECT_THROW(find_dependent_rows(J, {.tolerance = 0}), std::invalid_argument);
  EXPECT_THROW(find_dependent_rows(J, {.coefficient_threshold = -1}), std::invalid_argument);
  EXPECT_THROW(find_dependent_rows(J, {.dense_limit = -1}), std::invalid_argument);
  J(1, 0) = std::numeric_limits<double>::infinity();
  EXPECT_THROW(find_dependent_rows(J), std::invalid_argument);
}

}  // namespace
}  // namespace trammel::linalg
