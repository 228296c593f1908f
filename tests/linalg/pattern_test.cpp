#include "trammel/linalg/pattern.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/linalg/samples.h"
#include "trammel/linalg/compressed_columns.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

TEST(Pattern, ProductsFollowTheDenseMatrix) {
  Samples samples(1);
  for (const Pattern& pattern :
       {Pattern::full(3, 5), Pattern::diagonal(4), Pattern(3, 5, {{2, 1}, {0, 4}, {2, 1}, {1, 0}}), Pattern(2, 0)}) {
    const Vector values = samples.vector(pattern.size());
    const Eigen::MatrixXd A = pattern.to_dense(values.data());
    const Vector x = samples.vector(pattern.columns()), y = samples.vector(pattern.rows());
    Vector Ax = y, ATy = x;
    pattern.add_product(values.data(), x, 3, Ax);
    pattern.add_transposed_product(values.data(), y, -2, ATy);
    EXPECT_LT((Ax - y - 3 * A * x).norm(), 1e-14);
    EXPECT_LT((ATy - x + 2 * A.transpose() * y).norm(), 1e-14);
  }
}

TEST(Pattern, RefusesEntriesOutsideOfTheMatrix) {
  EXPECT_THROW(Pattern(2, 2, {{0, 2}}), std::invalid_argument);
  EXPECT_THROW(Pattern(2, 2, {{-1, 0}}), std::invalid_argument);
}

TEST(CompressedColumns, ListEveryPlaceOnceAndKnowWhereEntriesGo) {
  const Pattern pattern(3, 4, {{2, 3}, {0, 0}, {1, 3}, {2, 3}, {2, 0}, {0, 0}});
  const CompressedColumns columns = compress(pattern);
  EXPECT_EQ(columns.offsets, (std::vector<int>{0, 2, 2, 2, 4}));
  EXPECT_EQ(columns.row_indices, (std::vector<int>{0, 2, 1, 2}));
  EXPECT_EQ(columns.slots, (std::vector<int>{3, 0, 2, 3, 1, 0}));
}

TEST(CompressedColumns, RebuildTheMatrix) {
  Samples samples(2);
  for (int trial = 0; trial < 20; ++trial) {
    const int rows = 1 + trial % 5, columns = 1 + trial % 7;
    std::vector<Entry> entries;
    for (int k = 0; k < 2 * trial; ++k) entries.push_back({samples.integer(rows), samples.integer(columns)});
    const Pattern pattern(rows, columns, entries);
    const Vector values = samples.vector(pattern.size());
    const CompressedColumns compressed = compress(pattern);
    Vector sums = Vector::Zero(compressed.size());
    for (int k = 0; k < pattern.size(); ++k) sums[compressed.slots[static_cast<std::size_t>(k)]] += values[k];
    Eigen::MatrixXd rebuilt = Eigen::MatrixXd::Zero(rows, columns);
    for (int j = 0; j < columns; ++j)
      for (int s = compressed.offsets[static_cast<std::size_t>(j)];
           s < compressed.offsets[static_cast<std::size_t>(j) + 1]; ++s)
        rebuilt(compressed.row_indices[static_cast<std::size_t>(s)], j) = sums[s];
    EXPECT_LT((rebuilt - pattern.to_dense(values.data())).norm(), 1e-14);
  }
}

TEST(CompressedColumns, MayBeEmpty) {
  EXPECT_EQ(compress(Pattern()).offsets, (std::vector<int>{0}));
  EXPECT_EQ(compress(Pattern(3, 2)).offsets, (std::vector<int>{0, 0, 0}));
}

}  // namespace
}  // namespace trammel::linalg
