// Block elimination solves what dense LU solves where coordinates with mass follow from those without, says what it
// cannot take, and takes no memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "cases/case.h"
#include "tests/support/allocation_counter.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/kkt/solver.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::FactorCause;
using linalg::FactorStatus;
using linalg::Pattern;

/// A random matrix (3.3) of the report on MEXX: m coordinates with a full mass matrix and k without, shuffled.
struct Mixed {
  Pattern mass, jacobian;
  Vector mass_values, jacobian_values;
  Eigen::MatrixXd M, G;
  std::vector<int> massive, massless;

  Mixed(int m, int k, unsigned seed) : jacobian(Pattern::full(m, m + k)) {
    std::mt19937 generator(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<int> order(static_cast<std::size_t>(m + k));
    for (int i = 0; i < m + k; ++i) order[static_cast<std::size_t>(i)] = i;
    std::shuffle(order.begin(), order.end(), generator);
    massive.assign(order.begin(), order.begin() + m);
    massless.assign(order.begin() + m, order.end());
    const auto random = [&](int rows, int columns) {
      return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(generator); }).eval();
    };
    const Eigen::MatrixXd R = random(m, m), definite = R * R.transpose() + Eigen::MatrixXd::Identity(m, m);
    G = random(m, m + k);
    M = Eigen::MatrixXd::Zero(m + k, m + k);
    std::vector<Entry> entries;
    std::vector<double> values;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) {
        entries.push_back({massive[static_cast<std::size_t>(i)], massive[static_cast<std::size_t>(j)]});
        values.push_back(definite(i, j));
        M(entries.back().row, entries.back().column) = definite(i, j);
      }
    }
    mass = Pattern(m + k, m + k, std::move(entries));
    mass_values = Eigen::Map<Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
  }

  Layout layout() const {
    Layout l;
    l.upper = mass.rows();
    l.lower = jacobian.rows();
    l.blocks = {{&mass}};
    l.jacobian = &jacobian;
    l.is_mass_only = true;
    return l;
  }
  Eigen::MatrixXd whole() const {
    const Eigen::Index n = M.rows(), m = G.rows();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
    A << M, G.transpose(), G, Eigen::MatrixXd::Zero(m, m);
    return A;
  }
  FactorStatus factor(Solver& solver) {
    jacobian_values = Eigen::Map<const Vector>(G.data(), G.size());
    const std::array values{BlockValues{mass_values.data()}};
    return solver.factor(values, jacobian_values.data());
  }
};

constexpr SolverOptions kBlock{.back_end = BackEnd::kBlockElimination};
constexpr SolverOptions kBare{.back_end = BackEnd::kBlockElimination, .max_refinements = 0};

TEST(BlockElimination, AgreesWithADenseSolveForAnyRightSide) {
  for (const auto& [m, k] : {std::pair{1, 1}, {3, 1}, {3, 3}, {7, 2}, {12, 5}, {30, 10}}) {
    Mixed mixed(m, k, static_cast<unsigned>(100 * m + k));
    for (const SolverOptions& options : {kBlock, kBare}) {
      Solver solver(mixed.layout(), options);
      ASSERT_TRUE(mixed.factor(solver).ok);
      EXPECT_EQ(solver.back_end(), BackEnd::kBlockElimination);
      // Every component is different from zero: forces on coordinates without mass, too.
      const Vector b = Vector::LinSpaced(2 * m + k, -1, 2.1);
      const Vector expected = mixed.whole().fullPivLu().solve(b);
      Vector upper = b.head(m + k), lower = b.tail(m);
      solver.solve(upper, lower);
      const double error = (upper - expected.head(m + k)).norm() + (lower - expected.tail(m)).norm();
      EXPECT_LT(error, 1e-10 * (1 + expected.norm())) << "m = " << m << ", k = " << k;
      EXPECT_GT(solver.calc_rcond(), 1e-8);
    }
  }
}

TEST(BlockElimination, TakesAWeightedMass) {
  Mixed mixed(5, 3, 17);
  Solver solver(mixed.layout(), kBlock);
  mixed.jacobian_values = Eigen::Map<const Vector>(mixed.G.data(), mixed.G.size());
  const std::array values{BlockValues{mixed.mass_values.data(), 4}};
  ASSERT_TRUE(solver.factor(values, mixed.jacobian_values.data()).ok);
  Vector x = Vector::LinSpaced(13, 1, 2);
  Eigen::MatrixXd whole = mixed.whole();
  whole.topLeftCorner(8, 8) *= 4;
  const Vector expected = whole.fullPivLu().solve(x);
  solver.solve(x.head(8), x.tail(5));
  EXPECT_LT((x - expected).norm(), 1e-11 * (1 + expected.norm()));
}

TEST(BlockElimination, AMotionWithoutInertiaIsSingular) {
  // Two joint coordinates that do the same.
  Mixed mixed(6, 3, 3);
  mixed.G.col(mixed.massless[2]) = 2 * mixed.G.col(mixed.massless[0]);
  Solver solver(mixed.layout(), kBlock);
  const FactorStatus status = mixed.factor(solver);
  EXPECT_FALSE(status.ok);
  EXPECT_EQ(status.cause, FactorCause::kZeroPivot);
  EXPECT_FALSE(solver.is_factored());
}

TEST(BlockElimination, ASingularKIsToldApartFromASingularMatrix) {
  // The constraints no longer determine the coordinates with mass, but the whole stays regular: LU goes on.
  Mixed mixed(4, 2, 5);
  mixed.G.col(mixed.massive[1]) = mixed.G.col(mixed.massive[0]);
  Solver block(mixed.layout(), kBlock), lu(mixed.layout(), {.back_end = BackEnd::kDenseLu});
  EXPECT_EQ(mixed.factor(block).cause, FactorCause::kSingularBlock);
  EXPECT_TRUE(mixed.factor(lu).ok);
  // Afterwards a regular matrix is factorised as if nothing had been.
  Mixed regular(4, 2, 6);
  mixed.G = regular.G;
  EXPECT_TRUE(mixed.factor(block).ok);
}

TEST(BlockElimination, DependentConstraintsAreNamed) {
  Mixed mixed(4, 2, 8);
  mixed.G.row(3) = mixed.G.row(0) + mixed.G.row(1);
  Solver solver(mixed.layout(), kBlock);
  ASSERT_FALSE(mixed.factor(solver).ok);
  const linalg::RankReport report = solver.find_dependent_rows();
  ASSERT_EQ(report.dependent.size(), 1u);
  EXPECT_EQ(report.dependent[0].row, 3);
}

TEST(BlockElimination, ValuesThatAreNotFiniteAreSaid) {
  for (int place = 0; place < 3; ++place) {
    Mixed mixed(4, 2, 9);
    double& value = place == 0   ? mixed.mass_values[5]
                    : place == 1 ? mixed.G(1, mixed.massive[2])
                                 : mixed.G(1, mixed.massless[1]);
    value = std::numeric_limits<double>::quiet_NaN();
    Solver solver(mixed.layout(), kBlock);
    EXPECT_EQ(mixed.factor(solver).cause, FactorCause::kNotFinite) << place;
  }
}

TEST(BlockElimination, IsRefusedWhereTheMatrixHasAnotherForm) {
  const auto obstacle = [](const char* name, BackEnd back_end) {
    return find_obstacle(back_end, cases::build_case(*cases::find_case(name)).system->structure());
  };
  const BackEnd block = BackEnd::kBlockElimination;
  EXPECT_EQ(obstacle("mixed-chain", block), "");
  EXPECT_NE(obstacle("chain", block).find("needs coordinates without mass"), std::string::npos);
  EXPECT_NE(obstacle("insulator-chain", block).find("68 constraints and 99 coordinates with mass"), std::string::npos);
  EXPECT_NE(obstacle("mixed-chain", BackEnd::kCholeskyQr).find("joint1, joint2, joint3, joint4 and 6 more"),
            std::string::npos);
  EXPECT_EQ(obstacle("chain", BackEnd::kCholeskyQr), "");
  for (const BackEnd any : {BackEnd::kAutomatic, BackEnd::kDenseLu, BackEnd::kDenseSymmetric, BackEnd::kSparse}) {
    EXPECT_EQ(obstacle("insulator-chain", any), "");
  }
  const cases::Case chain = cases::build_case(*cases::find_case("chain"));
  EXPECT_THROW(Solver(Layout::mass(chain.system->structure()), kBlock), std::invalid_argument);
  const cases::Case drum = cases::build_case(*cases::find_case("cable-drum"));
  EXPECT_THROW(Solver(Layout::mass_with_friction(drum.system->structure()), kBlock), std::invalid_argument);
}

TEST(BlockElimination, GivesTheAccelerationsOfTheChainInBothFormulations) {
  // The same position and rates, in coordinates of bodies and in those of bodies and joints.
  const int n = 7;
  const cases::Case plain = cases::build_case(*cases::find_case("chain"), {{"n", n}});
  const cases::Case mixed = cases::build_case(*cases::find_case("mixed-chain"), {{"n", n}});
  dae::State p = plain.start, q = mixed.start;
  double x = 0, y = 0, vx = 0, vy = 0, before = 0, rate_before = 0;
  for (int i = 0; i < n; ++i) {
    const double angle = 0.3 * i - 1, rate = 2 - 0.7 * i, c = std::cos(angle) / 2, s = std::sin(angle) / 2;
    q.q.segment(4 * i, 4) << x + c, y + s, angle, angle - before;
    q.v.segment(4 * i, 4) << vx - s * rate, vy + c * rate, rate, rate - rate_before;
    p.q.segment(3 * i, 3) = q.q.segment(4 * i, 3);
    p.v.segment(3 * i, 3) = q.v.segment(4 * i, 3);
    x += 2 * c;
    y += 2 * s;
    vx -= 2 * s * rate;
    vy += 2 * c * rate;
    before = angle;
    rate_before = rate;
  }
  const auto solve = [](const cases::Case& c, dae::State& state, BackEnd back_end) {
    dae::Evaluation evaluation(*c.system);
    evaluation.set(state);
    EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-14);
    AccelerationSolver accelerations(evaluation, {.back_end = back_end});
    EXPECT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
    EXPECT_EQ(accelerations.solve(state), AccelerationStatus::kSolved);
    state.a = evaluation.point().a;
  };
  solve(plain, p, BackEnd::kCholeskyQr);
  solve(mixed, q, BackEnd::kBlockElimination);
  for (int i = 0; i < n; ++i) EXPECT_LT((p.a.segment(3 * i, 3) - q.a.segment(4 * i, 3)).norm(), 1e-10) << i;
}

TEST(BlockElimination, FactoringAgainAllocatesNothing) {
  if (!trammel::testing::kCountsAllocations) GTEST_SKIP();
  const cases::Case c = cases::build_case(*cases::find_case("mixed-chain"));
  dae::Evaluation evaluation(*c.system);
  AccelerationSolver accelerations(evaluation, kBlock);
  dae::State state = c.start;
  long before = 0;
  for (int k = 0; k < 8; ++k) {
    if (k == 2) before = trammel::testing::allocation_count();
    state.q[3] += 1e-3;
    evaluation.set(state);
    ASSERT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
    ASSERT_EQ(accelerations.solve(state), AccelerationStatus::kSolved);
  }
  EXPECT_EQ(trammel::testing::allocation_count(), before);
}

}  // namespace
}  // namespace trammel::kkt
