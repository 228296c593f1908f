// Elimination along the tree of bodies solves the same systems as a dense solve of the whole matrix.

#include "trammel/kkt/recursive_solver.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "cases/case.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/systems.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/kkt/recursive_order.h"

namespace trammel::kkt {
namespace {

using dae::Derivative;
using linalg::Entry;
using linalg::FactorCause;
using linalg::FactorStatus;
using linalg::Pattern;

/// A matrix that is put together from bodies, rows and forces, with random values.
class Sample {
 public:
  Sample(const std::vector<int>& widths, unsigned seed) : generator_(seed) {
    for (const int width : widths) {
      structure_.bodies.push_back(size_);
      firsts_.push_back(size_);
      size_ += width;
      widths_.push_back(width);
    }
    for (std::size_t b = 0; b < widths.size(); ++b) {
      const Eigen::MatrixXd R = random(widths[b], widths[b]);
      const Eigen::MatrixXd M = R * R.transpose() + 0.5 * Eigen::MatrixXd::Identity(widths[b], widths[b]);
      add(mass_, mass_values_, firsts_[b], firsts_[b], M);
    }
  }
  int bodies() const { return static_cast<int>(widths_.size()); }
  int width(int body) const { return widths_[static_cast<std::size_t>(body)]; }

  /// Rows that tie the bodies, with random values on each.
  void tie(const std::vector<int>& bodies, int rows) {
    for (const int body : bodies) add(jacobian_, jacobian_values_, rows_, first(body), random(rows, width(body)));
    rows_ += rows;
  }
  /// Rows that do not change when all bodies of the same width move alike: those of a joint.
  void join(int a, int b, int rows) {
    const Eigen::MatrixXd G = random(rows, width(a));
    add(jacobian_, jacobian_values_, rows_, first(a), G);
    add(jacobian_, jacobian_values_, rows_, first(b), -G);
    rows_ += rows;
  }
  /// A force of a on b and of b on a, not symmetric.
  void couple(int a, int b, double size = 0.1) {
    for (const auto& [i, j] : {std::pair{a, a}, {a, b}, {b, a}, {b, b}}) {
      add(forces_, force_values_, first(i), first(j), size * random(width(i), width(j)));
    }
  }
  void finish() {
    structure_.position_names.resize(static_cast<std::size_t>(size_), "q");
    structure_.velocity_names.resize(static_cast<std::size_t>(size_), "v");
    structure_.constraint_names.resize(static_cast<std::size_t>(rows_), "g");
    structure_.n_g = rows_;
    structure_.mass = {size_, size_, mass_};
    structure_.jacobian = {rows_, size_, jacobian_};
    force_pattern_ = {size_, size_, forces_};
  }

  Layout mass() const { return Layout::mass(structure_); }
  Layout with_forces() const {
    Layout layout = mass();
    layout.is_mass_only = false;
    layout.blocks.push_back({&force_pattern_});
    return layout;
  }
  std::vector<BlockValues> values(const Layout& layout, double weight) const {
    std::vector<BlockValues> values{{mass_values_.data()}};
    if (layout.blocks.size() > 1) values.push_back({force_values_.data(), weight});
    return values;
  }
  Eigen::MatrixXd whole(double weight) const {
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(size_ + rows_, size_ + rows_);
    K.topLeftCorner(size_, size_) =
        structure_.mass.to_dense(mass_values_.data()) + weight * force_pattern_.to_dense(force_values_.data());
    const Eigen::MatrixXd G = structure_.jacobian.to_dense(jacobian_values_.data());
    K.bottomLeftCorner(rows_, size_) = G;
    K.topRightCorner(size_, rows_) = G.transpose();
    return K;
  }
  const double* jacobian() const { return jacobian_values_.data(); }
  std::vector<double>& jacobian_values() { return jacobian_values_; }
  std::vector<double>& mass_values() { return mass_values_; }
  int size() const { return size_; }
  int rows() const { return rows_; }
  dae::Structure& structure() { return structure_; }
  int pick(int end) { return std::uniform_int_distribution<int>(0, end - 1)(generator_); }

 private:
  int first(int body) const { return firsts_[static_cast<std::size_t>(body)]; }
  Eigen::MatrixXd random(int rows, int columns) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(generator_); });
  }
  static void add(std::vector<Entry>& entries, std::vector<double>& values, int row, int column,
                  const Eigen::MatrixXd& block) {
    for (int j = 0; j < block.cols(); ++j) {
      for (int i = 0; i < block.rows(); ++i) {
        entries.push_back({row + i, column + j});
        values.push_back(block(i, j));
      }
    }
  }

  std::mt19937 generator_;
  dae::Structure structure_;
  std::vector<int> firsts_, widths_;
  int size_ = 0, rows_ = 0;
  std::vector<Entry> mass_, jacobian_, forces_;
  std::vector<double> mass_values_, jacobian_values_, force_values_;
  Pattern force_pattern_;
};

/// Compares solutions, without refinement, and those of a second factorisation with other right sides.
void expect_exact(const Sample& sample, const Layout& layout, double weight, double tolerance = 1e-10) {
  Solver solver(layout, {.back_end = BackEnd::kRecursive, .max_refinements = 0});
  ASSERT_EQ(solver.back_end(), BackEnd::kRecursive);
  const Eigen::MatrixXd whole = sample.whole(layout.is_mass_only ? 0 : weight);
  const Eigen::FullPivLU<Eigen::MatrixXd> reference(whole);
  ASSERT_TRUE(reference.isInvertible());
  const int n = sample.size(), m = sample.rows();
  for (int repetition = 0; repetition < 2; ++repetition) {
    const FactorStatus status = solver.factor(sample.values(layout, weight), sample.jacobian());
    ASSERT_TRUE(status.ok) << describe(status);
    const Vector b = Vector::LinSpaced(n + m, -1, 2 + repetition);
    const Vector expected = reference.solve(b);
    Vector x = b;
    solver.solve(x.head(n), x.tail(m));
    EXPECT_LT((x - expected).norm(), tolerance * expected.norm());
  }
}

/// A forest: each body is joined to one before it, to the ground, or to nothing.
Sample make_forest(const std::vector<int>& widths, unsigned seed, bool is_alike) {
  Sample sample(widths, seed);
  for (int body = 0; body < sample.bodies(); ++body) {
    const int rows = sample.pick(sample.width(body)) + (sample.width(body) == 1 ? 1 : 0);
    const int parent = sample.pick(body + 2) - 1;
    if (parent == body || rows == 0) continue;
    if (parent < 0) {
      sample.tie({body}, rows);
    } else if (is_alike) {
      sample.join(body, parent, rows);
    } else {
      sample.tie({body, parent}, rows);
    }
  }
  return sample;
}

TEST(RecursiveSolver, TreesOfBodiesOfAnyWidth) {
  for (const int width : {1, 2, 3, 4, 6, 7}) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
      Sample sample = make_forest(std::vector<int>(12, width), seed, false);
      sample.finish();
      SCOPED_TRACE(::testing::Message() << "width " << width << ", seed " << seed);
      expect_exact(sample, sample.mass(), 0);
    }
  }
}

TEST(RecursiveSolver, BodiesOfDifferentWidthsInOneTree) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Sample sample = make_forest({1, 2, 3, 6, 7, 3, 6, 2, 1, 7, 5, 4}, seed, false);
    sample.finish();
    expect_exact(sample, sample.mass(), 0);
  }
}

TEST(RecursiveSolver, LoopsAndCouplingsOfThreeBodies) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Sample sample = make_forest(std::vector<int>(10, 6), seed, true);
    for (int k = 0; k < 3; ++k) {
      const int a = sample.pick(10), b = (a + 1 + sample.pick(9)) % 10;
      sample.join(a, b, 1);
    }
    sample.tie({0, 4, 9}, 1);
    sample.tie({7}, 1);  // beside whatever joint it has
    sample.finish();
    SCOPED_TRACE(seed);
    if (!Eigen::FullPivLU<Eigen::MatrixXd>(sample.whole(0)).isInvertible()) continue;
    expect_exact(sample, sample.mass(), 0, 1e-9);
  }
}

TEST(RecursiveSolver, ForcesAlongJointsAndAcrossThem) {
  for (const int width : {2, 3, 6, 7}) {
    for (unsigned seed = 1; seed <= 8; ++seed) {
      Sample sample = make_forest(std::vector<int>(9, width), seed, true);
      for (int k = 0; k < 5; ++k) {
        const int a = sample.pick(9);
        sample.couple(a, (a + 1 + sample.pick(8)) % 9);
      }
      sample.finish();
      expect_exact(sample, sample.with_forces(), 0.7, 1e-9);
    }
  }
}

TEST(RecursiveSolver, ALadderBetweenGroundedBodiesIsClosedRungByRung) {
  // Rods on the ground, each tied to the next by a coupler: every coupler closes a loop through the ground.
  constexpr int kRods = 30;
  Sample sample(std::vector<int>(2 * kRods - 1, 3), 5);
  for (int k = 0; k < kRods; ++k) sample.tie({2 * k}, 2);
  for (int k = 0; k + 1 < kRods; ++k) {
    sample.tie({2 * k, 2 * k + 1}, 2);
    sample.tie({2 * k + 1, 2 * k + 2}, k + 2 < kRods ? 1 : 2);
  }
  sample.finish();
  expect_exact(sample, sample.mass(), 0, 1e-8);
  // Cost grows with the number of rungs, not with its cube.
  const auto cost = [](int rods) {
    Sample ladder(std::vector<int>(static_cast<std::size_t>(2 * rods - 1), 3), 5);
    for (int k = 0; k < rods; ++k) ladder.tie({2 * k}, 2);
    for (int k = 0; k + 1 < rods; ++k) {
      ladder.tie({2 * k, 2 * k + 1}, 2);
      ladder.tie({2 * k + 1, 2 * k + 2}, 1);
    }
    ladder.finish();
    std::vector<Entry> whole = ladder.structure().mass.entries();
    for (const Entry& e : ladder.structure().jacobian.entries()) {
      whole.push_back({ladder.size() + e.row, e.column});
      whole.push_back({e.column, ladder.size() + e.row});
    }
    const int size = ladder.size() + ladder.rows();
    return estimate_recursive_cost(ladder.mass(), Pattern(size, size, whole));
  };
  EXPECT_LT(cost(200), 2.1 * cost(100));
}

TEST(RecursiveSolver, DecoupledRowsAreEliminatedWithTheirBody) {
  Sample sample(std::vector<int>(5, 7), 3);
  for (int body = 0; body < 5; ++body) {
    if (body > 0) {
      sample.join(body, body - 1, 5);
    } else {
      sample.tie({0}, 5);
    }
  }
  for (int body = 0; body < 5; ++body) {
    sample.structure().decoupled_rows.push_back(sample.rows());
    sample.tie({body}, 1);
  }
  sample.finish();
  expect_exact(sample, sample.mass(), 0, 1e-9);
}

TEST(RecursiveSolver, RowsThatAreSwitchedOffKeepTheirRightSide) {
  Sample sample(std::vector<int>(4, 3), 9);
  for (int body = 1; body < 4; ++body) sample.join(body, body - 1, 2);
  sample.structure().switchable_rows = {3};
  sample.finish();
  for (int k = 0; k < sample.structure().jacobian.size(); ++k) {
    if (sample.structure().jacobian[k].row == 3) sample.jacobian_values()[static_cast<std::size_t>(k)] = 0;
  }
  Solver solver(sample.mass(), {.back_end = BackEnd::kRecursive});
  ASSERT_TRUE(solver.factor(sample.values(sample.mass(), 0), sample.jacobian()).ok);
  const Vector b = Vector::LinSpaced(18, 1, 2);
  Vector x = b;
  solver.solve(x.head(12), x.tail(6));
  EXPECT_EQ(x[15], b[15]);
  Eigen::MatrixXd whole = sample.whole(0);
  whole(15, 15) = 1;
  EXPECT_LT((whole * x - b).norm(), 1e-12);
}

TEST(RecursiveSolver, ADependentRowIsNamedAsByOtherBackEnds) {
  for (const bool with_forces : {false, true}) {
    Sample sample = make_forest(std::vector<int>(8, 6), 4, true);
    sample.couple(1, 2);
    const int first = sample.rows();
    sample.tie({3}, 1);
    sample.tie({3}, 1);
    sample.finish();
    std::vector<double>& values = sample.jacobian_values();
    const std::size_t last = values.size() - 6;
    for (std::size_t k = 0; k < 6; ++k) values[last + k] = 2 * values[last - 6 + k];
    const Layout layout = with_forces ? sample.with_forces() : sample.mass();
    Solver solver(layout, {.back_end = BackEnd::kRecursive});
    const FactorStatus status = solver.factor(sample.values(layout, 1), sample.jacobian());
    EXPECT_FALSE(status.ok);
    EXPECT_NE(status.cause, FactorCause::kSingularBlock) << "no other back end would do";
    const linalg::RankReport report = solver.find_dependent_rows();
    ASSERT_EQ(report.dependent.size(), 1u);
    EXPECT_EQ(report.dependent[0].row, first + 1);
  }
}

TEST(RecursiveSolver, ABlockThatIsSingularByItselfIsSaidToBeSo) {
  // The row ties the parent only in its values, so nothing is left of it on the body it is eliminated with. Both bodies
  // are free; the row goes with the one that is farther from the root.
  Sample sample({3, 3}, 1);
  sample.tie({0}, 1);
  sample.join(1, 0, 2);
  sample.finish();
  for (int k = 0; k < sample.structure().jacobian.size(); ++k) {
    const Entry& e = sample.structure().jacobian[k];
    if (e.row == 2 && e.column >= 3) sample.jacobian_values()[static_cast<std::size_t>(k)] = 0;
  }
  Solver solver(sample.mass(), {.back_end = BackEnd::kRecursive});
  const FactorStatus status = solver.factor(sample.values(sample.mass(), 0), sample.jacobian());
  EXPECT_FALSE(status.ok);
  EXPECT_EQ(status.cause, FactorCause::kSingularBlock);
  EXPECT_EQ(status.index, 8);
}

TEST(RecursiveSolver, AFailureDoesNotSpoilTheNextFactorisation) {
  Sample sample = make_forest(std::vector<int>(8, 3), 2, true);
  sample.finish();
  Solver solver(sample.mass(), {.back_end = BackEnd::kRecursive});
  const std::vector<double> good = sample.mass_values();
  for (std::size_t k = 63; k < 72; ++k) sample.mass_values()[k] = 0;  // of the last body, which is free to move
  EXPECT_FALSE(solver.factor(sample.values(sample.mass(), 0), sample.jacobian()).ok);
  sample.mass_values()[67] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(solver.factor(sample.values(sample.mass(), 0), sample.jacobian()).cause, FactorCause::kNotFinite);
  sample.mass_values() = good;
  ASSERT_TRUE(solver.factor(sample.values(sample.mass(), 0), sample.jacobian()).ok);
  const int n = sample.size(), m = sample.rows();
  const Vector b = Vector::LinSpaced(n + m, 1, 2);
  Vector x = b;
  solver.solve(x.head(n), x.tail(m));
  EXPECT_LT((sample.whole(0) * x - b).norm(), 1e-12 * b.norm());
}

TEST(RecursiveSolver, FactoringAndSolvingAllocateNothing) {
  if (!trammel::testing::kCountsAllocations) GTEST_SKIP();
  Sample sample = make_forest({3, 3, 6, 6, 2, 1, 7, 7, 3, 6}, 11, false);
  sample.couple(0, 8);
  sample.tie({2, 3, 9}, 1);
  sample.finish();
  for (const Layout& layout : {sample.mass(), sample.with_forces()}) {
    Solver solver(layout, {.back_end = BackEnd::kRecursive});
    const std::vector<BlockValues> values = sample.values(layout, 0.5);
    Vector upper = Vector::Ones(sample.size()), lower = Vector::Ones(sample.rows());
    const long before = trammel::testing::allocation_count();
    ASSERT_TRUE(solver.factor(values, sample.jacobian()).ok);
    solver.solve(upper, lower);
    EXPECT_EQ(trammel::testing::allocation_count(), before);
  }
}

TEST(RecursiveSolver, EveryFactorisationHasTheSameBits) {
  Sample sample = make_forest(std::vector<int>(20, 6), 3, true);
  sample.join(4, 17, 1);
  sample.finish();
  const int n = sample.size(), m = sample.rows();
  Vector first;
  for (int repetition = 0; repetition < 3; ++repetition) {
    Solver solver(sample.mass(), {.back_end = BackEnd::kRecursive});
    for (int k = 0; k <= repetition; ++k) {
      ASSERT_TRUE(solver.factor(sample.values(sample.mass(), 0), sample.jacobian()).ok);
    }
    Vector x = Vector::LinSpaced(n + m, 1, 2);
    solver.solve(x.head(n), x.tail(m));
    if (repetition == 0) first = x;
    EXPECT_EQ(x, first);
  }
}

TEST(RecursiveSolver, ChainsOfAHundredThousandBodies) {
  constexpr int kBodies = 100000;
  Sample sample(std::vector<int>(kBodies, 3), 1);
  sample.tie({0}, 2);
  for (int body = 1; body < kBodies; ++body) sample.join(body, body - 1, 2);
  sample.finish();
  Solver solver(sample.mass(), {.back_end = BackEnd::kRecursive, .max_refinements = 0});
  ASSERT_TRUE(solver.factor(sample.values(sample.mass(), 0), sample.jacobian()).ok);
  const Vector u = Vector::LinSpaced(sample.size(), -1, 1), w = Vector::LinSpaced(sample.rows(), 1, 3);
  Vector upper = Vector::Zero(sample.size()), lower = Vector::Zero(sample.rows());
  const dae::Structure& s = sample.structure();
  s.mass.add_product(sample.mass_values().data(), u, 1, upper);
  s.jacobian.add_transposed_product(sample.jacobian(), w, 1, upper);
  s.jacobian.add_product(sample.jacobian(), u, 1, lower);
  solver.solve(upper, lower);
  EXPECT_LT((upper - u).lpNorm<Eigen::Infinity>(), 1e-9);
  EXPECT_LT((lower - w).lpNorm<Eigen::Infinity>(), 1e-9);
}

/// The matrix of accelerations of a case at its start, moved a little, against a dense solve.
void expect_exact_case(const char* name, const cases::ParameterValues& parameters = {}) {
  SCOPED_TRACE(name);
  const cases::Case c = cases::build_case(*cases::find_case(name), parameters);
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  const dae::Structure& s = c.system->structure();
  ASSERT_EQ(find_recursive_obstacle(s), "");
  const int n = s.n_v(), m = s.m();
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(n + m, n + m);
  whole.topLeftCorner(n, n) = s.mass.to_dense(evaluation.mass());
  whole.bottomLeftCorner(m, n) = s.jacobian.to_dense(evaluation.jacobian());
  whole.topRightCorner(n, m) = whole.bottomLeftCorner(m, n).transpose();
  Solver solver(Layout::mass(s), {.back_end = BackEnd::kRecursive});
  const std::array mass{BlockValues{evaluation.mass()}};
  const FactorStatus status = solver.factor(mass, evaluation.jacobian());
  ASSERT_TRUE(status.ok) << describe(status);
  for (const int row : s.switchable_rows) {
    if (whole.row(n + row).isZero(0)) whole(n + row, n + row) = 1;
  }
  Vector b(n + m);
  b << evaluation.force(), evaluation.acceleration_bias();
  const Vector expected = whole.fullPivLu().solve(b);
  Vector x = b;
  solver.solve(x.head(n), x.tail(m));
  EXPECT_LT((x.head(n) - expected.head(n)).norm(), 1e-9 * (1 + expected.head(n).norm()));
  EXPECT_LT((x.tail(m) - expected.tail(m)).norm(), 1e-9 * (1 + expected.tail(m).norm()));
}

TEST(RecursiveSolver, AccelerationsOfCases) {
  expect_exact_case("chain", {{"n", 20}});
  expect_exact_case("spatial-chain", {{"n", 20}});
  expect_exact_case("insulator-bodies");
  expect_exact_case("seven-body");
  expect_exact_case("hmmwv14");
  expect_exact_case("four-bar", {{"n", 1}});
  expect_exact_case("four-bar", {{"n", 10}});
  expect_exact_case("truck");
  expect_exact_case("bushing-chain", {{"n", 10}});
}

}  // namespace
}  // namespace trammel::kkt
