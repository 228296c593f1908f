// The block skyline factorises what a dense factorisation does, and its counts are those of the plain algorithm on
// numbers.

#include "trammel/linalg/block_skyline.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <limits>
#include <numeric>
#include <stdexcept>

#include "tests/linalg/samples.h"
#include "tests/support/allocation_counter.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

/// A random positive definite matrix whose blocks before the first ones are zero.
struct Sample {
  std::vector<int> sizes, first, begin;
  Eigen::MatrixXd B;

  Sample(Samples& samples, int blocks, int most) {
    int n = 0;
    for (int i = 0; i < blocks; ++i) {
      sizes.push_back(1 + samples.integer(most));
      first.push_back(samples.integer(3) == 0 ? i : samples.integer(i + 1));
      begin.push_back(n);
      n += sizes.back();
    }
    B = samples.symmetric(n);
    for (int i = 0; i < blocks; ++i) {
      B.block(begin[i], 0, sizes[i], begin[first[i]]).setZero();
      B.block(0, begin[i], begin[first[i]], sizes[i]).setZero();
    }
    B.diagonal().array() += 1 + B.cwiseAbs().rowwise().sum().maxCoeff();
  }

  BlockSkyline fill() const {
    BlockSkyline skyline(sizes, first);
    refill(skyline);
    return skyline;
  }
  void refill(BlockSkyline& skyline) const {
    for (int i = 0; i < skyline.blocks(); ++i) {
      skyline.clear_row(i);
      for (int j = first[i]; j <= i; ++j) {
        for (int c = 0; c < sizes[j]; ++c) {
          for (int r = 0; r < sizes[i]; ++r)
            skyline.block(i, j)[r + c * calc_stride(sizes[i])] = B(begin[i] + r, begin[j] + c);
        }
      }
    }
  }
};

TEST(BlockSkyline, SolvesWithBlocksOfAllSizes) {
  Samples samples(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Sample sample(samples, 1 + samples.integer(12), kMaxBlock);
    BlockSkyline skyline = sample.fill();
    ASSERT_EQ(skyline.factor(1e-14), -1);
    const Vector b = samples.vector(skyline.size());
    Vector x = b;
    skyline.solve(x.data());
    EXPECT_LT((x - sample.B.fullPivLu().solve(b)).norm(), 1e-13 * b.norm()) << trial;
  }
}

TEST(BlockSkyline, EveryPairOfSizesMeets) {
  Samples samples(2);
  for (int r = 1; r <= kMaxBlock; ++r) {
    for (int s = 1; s <= kMaxBlock; ++s) {
      Sample sample(samples, 3, 1);
      sample.sizes = {s, r, s};
      sample.first = {0, 0, 0};
      sample.begin = {0, s, s + r};
      sample.B = samples.positive_definite(2 * s + r);
      BlockSkyline skyline = sample.fill();
      ASSERT_EQ(skyline.factor(1e-14), -1);
      const Vector b = samples.vector(skyline.size());
      Vector x = b;
      skyline.solve(x.data());
      EXPECT_LT((sample.B * x - b).norm(), 1e-12 * (1 + sample.B.norm() * x.norm())) << r << " by " << s;
    }
  }
}

TEST(BlockSkyline, NamesTheRowThatDependsOnThoseBefore) {
  // Row 3 is the sum of rows 0 and 1 of a matrix G G^T.
  Samples samples(3);
  Eigen::MatrixXd G = samples.matrix(6, 8);
  G.row(3) = G.row(0) + G.row(1);
  Sample sample(samples, 3, 1);
  sample.sizes = {2, 3, 1};
  sample.first = {0, 0, 0};
  sample.begin = {0, 2, 5};
  sample.B = G * G.transpose();
  BlockSkyline skyline = sample.fill();
  EXPECT_EQ(skyline.factor(1e-14), 3);
  EXPECT_TRUE(skyline.is_finite_row(1));
  sample.B(4, 4) = std::numeric_limits<double>::quiet_NaN();
  sample.refill(skyline);
  EXPECT_NE(skyline.factor(1e-14), -1);
  EXPECT_FALSE(skyline.is_finite_row(1));
}

TEST(BlockSkyline, SmallestPivotIsTheSquaredSineOfTheAngleBetweenRows) {
  for (const double sine : {0.5, 1e-3, 1e-6}) {
    const double cosine = std::sqrt(1 - sine * sine);
    const std::vector<int> sizes{1, 1}, first{0, 0};
    BlockSkyline skyline(sizes, first);
    *skyline.block(0, 0) = 4;
    *skyline.block(1, 0) = 2 * 3 * cosine;
    *skyline.block(1, 1) = 9;
    ASSERT_EQ(skyline.factor(1e-14), -1);
    EXPECT_NEAR(skyline.calc_smallest_pivot() / (sine * sine), 1, 1e-15 / (sine * sine));
    EXPECT_TRUE(skyline.is_below(2 * sine * sine));
    EXPECT_FALSE(skyline.is_below(0.5 * sine * sine));
  }
}

/// L D L^T by rows within a skyline of numbers, each operation counted as it is done.
Operations count_plainly(const Sample& sample) {
  const int n = static_cast<int>(sample.B.rows());
  std::vector<int> begin_of(n);
  for (std::size_t i = 0; i < sample.sizes.size(); ++i) {
    for (int r = 0; r < sample.sizes[i]; ++r) begin_of[sample.begin[i] + r] = sample.begin[sample.first[i]];
  }
  Eigen::MatrixXd E = sample.B, L = Eigen::MatrixXd::Identity(n, n);
  Vector d(n), inverse(n);
  Operations count;
  for (int i = 0; i < n; ++i) {
    d[i] = sample.B(i, i);
    for (int j = begin_of[i]; j < i; ++j) {
      for (int k = std::max(begin_of[i], begin_of[j]); k < j; ++k) {
        E(i, j) -= E(i, k) * L(j, k);
        count += {.multiplications = 1, .additions = 1};
      }
    }
    for (int j = begin_of[i]; j < i; ++j) {
      L(i, j) = E(i, j) * inverse[j];
      d[i] -= L(i, j) * E(i, j);
      count += {.multiplications = 2, .additions = 1};
    }
    inverse[i] = 1 / d[i];
    count += {.divisions = 1};
  }
  EXPECT_LT((L * d.asDiagonal() * L.transpose() - sample.B).norm(), 1e-13 * sample.B.norm());
  return count;
}

TEST(BlockSkyline, CountsAreThoseOfThePlainAlgorithm) {
  Samples samples(4);
  for (int trial = 0; trial < 50; ++trial) {
    const Sample sample(samples, 1 + samples.integer(9), kMaxBlock);
    const BlockSkyline skyline(sample.sizes, sample.first);
    EXPECT_EQ(skyline.calc_factor_operations(), count_plainly(sample));
    Operations solve{.multiplications = skyline.size()};
    const long off = skyline.stored() - skyline.size();
    solve += {.multiplications = 2 * off, .additions = 2 * off};
    EXPECT_EQ(skyline.calc_solve_operations(), solve);
  }
}

TEST(BlockSkyline, ChecksItsSizes) {
  const auto make = [](std::vector<int> sizes, std::vector<int> first) { return BlockSkyline(sizes, first); };
  EXPECT_THROW(make({2, 7}, {0, 0}), std::invalid_argument);
  EXPECT_THROW(make({2, 0}, {0, 0}), std::invalid_argument);
  EXPECT_THROW(make({2, 2}, {0, 2}), std::invalid_argument);
  EXPECT_THROW(make({2, 2}, {0}), std::invalid_argument);
  EXPECT_EQ(make({}, {}).size(), 0);
}

TEST(BlockSkyline, FactoringAndSolvingTakeNoMemory) {
  if (!trammel::testing::kCountsAllocations) GTEST_SKIP();
  Samples samples(5);
  const Sample sample(samples, 12, kMaxBlock);
  BlockSkyline skyline = sample.fill();
  Vector x = samples.vector(skyline.size());
  const long before = trammel::testing::allocation_count();
  for (int k = 0; k < 3; ++k) {
    sample.refill(skyline);
    ASSERT_EQ(skyline.factor(1e-14), -1);
    skyline.solve(x.data());
  }
  EXPECT_EQ(trammel::testing::allocation_count(), before);
}

}  // namespace
}  // namespace trammel::linalg
