// After the first factorisation, factoring, solving and estimating conditions again take no memory.

#include <gtest/gtest.h>

#include "tests/linalg/samples.h"
#include "tests/support/allocation_counter.h"
#include "trammel/linalg/cholesky_qr.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/dense_symmetric.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

class Allocation : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!trammel::testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  }

  /// Allocations of `work` after it ran once.
  template <class Work>
  long count(const Work& work) {
    work();
    const long before = trammel::testing::allocation_count();
    for (int repeat = 0; repeat < 5; ++repeat) work();
    return trammel::testing::allocation_count() - before;
  }
};

TEST_F(Allocation, TheCounterCounts) {
  Vector x;
  EXPECT_EQ(count([&] { x = Vector::Zero(x.size() + 1); }), 5);
}

TEST_F(Allocation, DenseLuTakesNone) {
  Samples samples(1);
  for (const int n : {1, 13, 40, 320}) {
    const Eigen::MatrixXd A = samples.matrix(n, n);
    DenseLu lu(n);
    Vector x = samples.vector(n);
    EXPECT_EQ(count([&] {
                lu.matrix() = A;
                ASSERT_TRUE(lu.factor());
                lu.solve(x);
                lu.solve_transposed(x);
                ASSERT_GT(lu.calc_rcond(), 0);
              }),
              0);
  }
}

TEST_F(Allocation, DenseLuTakesNoneWhenItFails) {
  DenseLu lu(13);
  EXPECT_EQ(count([&] {
              lu.matrix().setOnes();
              ASSERT_FALSE(lu.factor());
            }),
            0);
}

TEST_F(Allocation, DenseSymmetricTakesNone) {
  Samples samples(2);
  for (const int n : {1, 13, 150}) {
    const Eigen::MatrixXd A = samples.symmetric(n);
    DenseSymmetric ldl(n);
    Vector x = samples.vector(n);
    EXPECT_EQ(count([&] {
                ldl.matrix() = A;
                ASSERT_TRUE(ldl.factor());
                ldl.solve(x);
                ASSERT_GT(ldl.calc_rcond(), 0);
              }),
              0);
  }
}

TEST_F(Allocation, CholeskyQrTakesNone) {
  Samples samples(3);
  for (const auto variant : {CholeskyQrVariant::kHouseholder, CholeskyQrVariant::kCholesky}) {
    const Eigen::MatrixXd M = samples.positive_definite(7), G = samples.matrix(6, 7);
    CholeskyQr solver(7, 6, variant);
    Vector w = samples.vector(7), lambda = samples.vector(6);
    EXPECT_EQ(count([&] {
                solver.mass() = M;
                solver.jacobian() = G;
                ASSERT_TRUE(solver.factor());
                solver.solve(w, lambda);
              }),
              0);
  }
}

TEST_F(Allocation, SparseLuTakesNoneWhilePivotsStayGood) {
  Samples samples(4);
  for (const bool badly_scaled : {false, true}) {
    Eigen::MatrixXd A = testing::make_saddle(samples.positive_definite(20), samples.matrix(10, 20));
    if (badly_scaled) A.col(3) *= 1e-12;  // looks suspicious every time
    const testing::SparseSample sample(A);
    for (const auto scaling : {RowScaling::kNone, RowScaling::kMax}) {
      SparseLuOptions options;
      options.scaling = scaling;
      SparseLu lu(sample.pattern, options);
      Vector x = samples.vector(30);
      EXPECT_EQ(count([&] {
                  ASSERT_TRUE(lu.factor(sample.values.data()));
                  lu.solve(x);
                  lu.solve_transposed(x);
                  ASSERT_GT(lu.calc_rcond(), 0);
                }),
                0);
      EXPECT_EQ(lu.counts().full_factorisations, 1);
    }
  }
}

}  // namespace
}  // namespace trammel::linalg
