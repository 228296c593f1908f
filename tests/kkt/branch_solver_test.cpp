// Cholesky along branches: right, without fill-in, and at the cost that is stated.

#include "trammel/kkt/branch_solver.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/kkt/tree_samples.h"
#include "tests/support/allocation_counter.h"
#include "trammel/kkt/branch_factors.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::FactorCause;
using linalg::FactorStatus;
using linalg::Pattern;
using testing::RandomNumbers;
using testing::TreeSample;
using testing::TreeShape;

constexpr SolverOptions kBranchesOnly{.back_end = BackEnd::kBranches};

FactorStatus factor(const TreeSample& sample, Solver& solver) {
  const std::array values{BlockValues{sample.mass_values.data()}};
  return solver.factor(values, sample.jacobian_values.data());
}

Vector solve(const TreeSample& sample, Solver& solver, const Vector& b) {
  EXPECT_TRUE(factor(sample, solver).ok);
  Vector x = b;
  solver.solve(x.head(sample.n), x.tail(b.size() - sample.n));
  return x;
}

TEST(BranchSolver, AgreesWithADenseSolve) {
  for (unsigned seed = 0; seed < 80; ++seed) {
    RandomNumbers random(seed);
    const int width = seed % 2 == 0 ? 3 : 6, nodes = 4 + int(seed) % 20;
    const TreeShape shape = testing::make_random_shape(width, nodes, random);
    TreeSample sample(shape, 6, random, seed % 3 == 1);
    if (seed % 4 > 1) {
      std::vector<std::vector<int>> touched;
      for (int r = 0; r < 6; ++r) touched.push_back({r < 3 ? 0 : nodes / 2, random.below(nodes), random.below(nodes)});
      sample.touch_only(touched);
    }
    if (Eigen::FullPivLU<Eigen::MatrixXd>(sample.G).rank() < 6) continue;
    for (const bool with_tree : {true, false}) {
      Solver solver(sample.layout(with_tree), kBranchesOnly);
      const Vector b = Vector::LinSpaced(sample.n + 6, -1, 2);
      EXPECT_LT(testing::calc_error(sample.whole(), b, solve(sample, solver, b)), 1e-14) << seed << ' ' << with_tree;
    }
  }
}

TEST(BranchSolver, TheFactorHasNoEntriesButThoseOfTheMassMatrix) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    RandomNumbers random(seed);
    const TreeSample sample(testing::make_random_shape(6, 25, random), 0, random, true);
    const int lower = (sample.mass.size() + sample.n) / 2;  // diagonal and one triangle; no place is listed twice
    BranchFactors<double> factors(sample.mass, *BranchRows::make(sample.mass, nullptr));
    EXPECT_EQ(factors.size(), lower);
    // A full factorisation in the same order, which knows of no pattern, finds nothing outside of it ...
    const std::vector<int>& velocities = factors.rows().velocities;
    const auto count_fill = [&](bool leaves_first) {
      Eigen::MatrixXd P(sample.n, sample.n);
      for (int i = 0; i < sample.n; ++i) {
        for (int j = 0; j < sample.n; ++j) {
          const auto velocity = [&](int k) { return velocities[std::size_t(leaves_first ? sample.n - 1 - k : k)]; };
          P(i, j) = sample.M(velocity(i), velocity(j));
        }
      }
      const Eigen::MatrixXd L = P.llt().matrixL();
      return (L.array() != 0 && P.array() == 0).count();
    };
    EXPECT_EQ(count_fill(true), 0) << seed;
    EXPECT_GT(count_fill(false), 0) << "from the roots to the leaves there is some";
  }
}

/// A number that counts what is done with it.
struct Counted {
  double value = 0;
  static inline OperationCount count;

  Counted() = default;
  explicit Counted(double v) : value(v) {}
  explicit operator double() const { return value; }
  Counted& operator+=(Counted b) {
    ++count.additions;
    value += b.value;
    return *this;
  }
  Counted& operator-=(Counted b) {
    ++count.additions;
    value -= b.value;
    return *this;
  }
  Counted& operator*=(Counted b) {
    ++count.multiplications;
    value *= b.value;
    return *this;
  }
  friend Counted operator*(Counted a, Counted b) { return a *= b; }
  friend Counted operator-(Counted a, Counted b) { return a -= b; }
  friend Counted operator/(Counted a, Counted b) {
    ++count.divisions;
    return Counted(a.value / b.value);
  }
  friend Counted sqrt(Counted a) {
    ++count.square_roots;
    return Counted(std::sqrt(a.value));
  }
};

/// What a step does.
template <class Step>
OperationCount count_operations(const Step& step) {
  Counted::count = {};
  step();
  return Counted::count;
}

/// Algorithm 4 step by step with numbers that count, against the statement; and the solution against a dense one.
BranchOperations check_operations(const TreeSample& sample) {
  const BranchOperations stated = calc_operations(sample.make_structure());
  const auto at = [](int i) { return std::size_t(i); };
  const int n = sample.n, m = int(sample.G.rows());
  BranchFactors<Counted> factors(sample.mass, *BranchRows::make(sample.mass, &sample.tree));
  const BranchRows& rows = factors.rows();
  // Lemma 3: the paths of all bodies that a row touches.
  std::vector<std::vector<int>> supports(at(m));
  for (int r = 0; r < m; ++r) {
    for (int k = 0; k < int(sample.tree.nodes.size()); ++k) {
      bool is_on_path = false;
      for (int touched = k; touched < int(sample.tree.nodes.size()); ++touched) {
        const dae::TreeStructure::Node& node = sample.tree.nodes[at(touched)];
        is_on_path = is_on_path || (node.count > 0 && sample.carries(k, touched) &&
                                    !sample.G.row(r).segment(node.first, node.count).isZero(0));
      }
      const dae::TreeStructure::Node& node = sample.tree.nodes[at(k)];
      for (int j = 0; is_on_path && j < node.count; ++j) supports[at(r)].push_back(rows.places[at(node.first + j)]);
    }
    std::sort(supports[at(r)].begin(), supports[at(r)].end());
  }
  RowFactors<Counted> row_factors(supports);
  std::vector<Counted> mass, y(at(n)), s(at(m));
  for (const double value : sample.mass_values) mass.emplace_back(value);
  factors.assemble(mass.data());
  EXPECT_EQ(count_operations([&] { EXPECT_TRUE(factors.eliminate().ok); }), stated.factor_mass);
  const auto make_rows = [&] {
    for (int r = 0; r < m; ++r) {
      std::vector<Counted> column(at(n));
      for (int i = 0; i < n; ++i) column[at(rows.places[at(i)])] = Counted(sample.G(r, i));
      factors.solve_transposed(row_factors.support(r), column.data());
      for (std::size_t i = 0; i < supports[at(r)].size(); ++i) {
        row_factors.column(r)[i] = column[at(supports[at(r)][i])];
      }
    }
  };
  EXPECT_EQ(count_operations(make_rows), stated.rows);
  const Vector b = Vector::LinSpaced(n + m, -1, 2);
  for (int i = 0; i < n; ++i) y[at(rows.places[at(i)])] = Counted(b[i]);
  for (int r = 0; r < m; ++r) s[at(r)] = Counted(b[n + r]);
  EXPECT_EQ(count_operations([&] { factors.solve_transposed(y.data()); }), stated.forward);
  EXPECT_EQ(count_operations([&] { row_factors.multiply(); }), stated.product);
  const auto eliminate = [&] { EXPECT_TRUE(row_factors.eliminate(std::vector<bool>(at(m), false)).ok); };
  EXPECT_EQ(count_operations(eliminate), stated.factor_multipliers);
  EXPECT_EQ(count_operations([&] { row_factors.make_right_side(y.data(), s.data()); }), stated.right_side);
  EXPECT_EQ(count_operations([&] { row_factors.solve_multipliers(s.data()); }), stated.solve_multipliers);
  EXPECT_EQ(count_operations([&] { row_factors.remove(s.data(), y.data()); }), stated.remove);
  EXPECT_EQ(count_operations([&] { factors.solve(y.data()); }), stated.backward);
  Vector x(n + m);
  for (int i = 0; i < n; ++i) x[i] = y[at(rows.places[at(i)])].value;
  for (int r = 0; r < m; ++r) x[n + r] = s[at(r)].value;
  EXPECT_LT(testing::calc_error(sample.whole(), b, x), 1e-14);
  return stated;
}

TEST(BranchSolver, OperationsAreThoseStatedOnRandomTrees) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    RandomNumbers random(seed);
    TreeSample sample(testing::make_random_shape(6, 20, random), 4, random, true);
    sample.touch_only({{0, 5}, {10, 19}, {0, 10}, {0, 5}});
    if (Eigen::FullPivLU<Eigen::MatrixXd>(sample.G).rank() < 4) continue;
    check_operations(sample);
  }
}

TEST(BranchSolver, OperationsOnTheVehicleOfTheThesis) {
  const TreeSample vehicle = testing::make_thesis_vehicle();
  ASSERT_EQ(vehicle.n, 27);
  const BranchOperations stated = check_operations(vehicle);
  // Table 7. The entries of L below its diagonal, 165, are divided there by the diagonal, and multiplied here by its
  // reciprocal. There the blocks of M on the diagonal are updated whole, here their lower triangle: by each of the 21
  // velocities of joints 15 numbers fewer in the block of the chassis.
  EXPECT_EQ(stated.factor_mass, (OperationCount{975 - 21 * 15, 975 - 21 * 15 + 165, 27, 27}));
  EXPECT_EQ(stated.forward, (OperationCount{165, 165 + 27, 0, 0}));
  EXPECT_EQ(stated.rows.multiplications, 804 + 174);
  EXPECT_EQ(stated.rows.additions, 804);  // 708 there: the chassis' columns of these G are zero, 16 rows times 6
  EXPECT_EQ(stated.right_side, (OperationCount{174, 174, 0, 0}));  // 172 there
  EXPECT_EQ(stated.product.multiplications, 1003);                 // 1135 there
  EXPECT_EQ(stated.factor_multipliers, (OperationCount{680, 680 + 120, 16, 16}));
  EXPECT_EQ(stated.backward, (OperationCount{165, 165 + 27, 0, 0}));
  // Table 8, full matrices: 3276 to factorise M, 5616 for T, 3672 for T^T T.
  BranchOperations dense = calc_operations([] {
    std::vector<std::string> velocities(27, "v"), rows(16, "r");
    return dae::Structure::sparse(velocities, rows, Pattern::full(27, 27), Pattern::full(16, 27));
  }());
  EXPECT_EQ(dense.factor_mass.additions, 3276);
  EXPECT_EQ(dense.forward.additions, 351);
  EXPECT_EQ(dense.rows.additions, 5616);
  EXPECT_EQ(dense.right_side.multiplications, 432);
  EXPECT_EQ(dense.product, (OperationCount{3536, 3672, 0, 0}));
  EXPECT_EQ(dense.factor_multipliers.additions, 680);
  EXPECT_EQ(dense.backward.additions, 351);
}

TEST(BranchSolver, AMatrixThatWouldFillInIsRefused) {
  // A ring: whatever velocity comes last, it couples two that M does not couple.
  std::vector<Entry> ring;
  for (int i = 0; i < 5; ++i) {
    ring.push_back({i, i});
    ring.push_back({i, (i + 1) % 5});
    ring.push_back({(i + 1) % 5, i});
  }
  dae::Structure structure = dae::Structure::sparse({"a", "b", "c", "d", "e"}, {}, Pattern(5, 5, ring), Pattern(0, 5));
  EXPECT_NE(find_obstacle(BackEnd::kBranches, structure).find("would fill in"), std::string::npos);
  EXPECT_THROW(Solver(Layout::mass(structure), kBranchesOnly), std::invalid_argument);
  EXPECT_THROW(calc_operations(structure), std::invalid_argument);
  // Cut open it is a band, which does not.
  ring.resize(12);
  ring.push_back({4, 4});
  structure = dae::Structure::sparse({"a", "b", "c", "d", "e"}, {}, Pattern(5, 5, ring), Pattern(0, 5));
  EXPECT_EQ(find_obstacle(BackEnd::kBranches, structure), "");
  structure.mass = Pattern(5, 5, {{0, 0}, {1, 1}, {2, 2}, {4, 4}});
  EXPECT_NE(find_obstacle(BackEnd::kBranches, structure).find("'d' has no mass"), std::string::npos);
}

TEST(BranchSolver, ABandIsSolved) {
  const int n = 9;
  std::vector<Entry> entries;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(0, i - 2); j <= std::min(n - 1, i + 2); ++j) entries.push_back({i, j});
  }
  const Pattern mass(n, n, entries), jacobian = Pattern::full(2, n);
  Vector values(mass.size()), rows = Vector::LinSpaced(2 * n, -1, 3).array().sin();
  for (int e = 0; e < mass.size(); ++e)
    values[e] = mass[e].row == mass[e].column ? 5 : 1.0 / (mass[e].row + mass[e].column);
  Layout layout;
  layout.upper = n;
  layout.lower = 2;
  layout.blocks = {{&mass}};
  layout.jacobian = &jacobian;
  layout.is_mass_only = true;
  Solver solver(std::move(layout), kBranchesOnly);
  const std::array blocks{BlockValues{values.data()}};
  ASSERT_TRUE(solver.factor(blocks, rows.data()).ok);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + 2, n + 2);
  A.topLeftCorner(n, n) = mass.to_dense(values.data());
  A.bottomLeftCorner(2, n) = jacobian.to_dense(rows.data());
  A.topRightCorner(n, 2) = A.bottomLeftCorner(2, n).transpose();
  const Vector b = Vector::LinSpaced(n + 2, -1, 2);
  Vector x = b;
  solver.solve(x.head(n), x.tail(2));
  EXPECT_LT(testing::calc_error(A, b, x), 1e-14);
}

TEST(BranchSolver, DependentRowsAndMissingMassAreNamed) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    RandomNumbers random(seed);
    TreeSample sample(testing::make_random_shape(6, 40, random), 6, random);
    sample.G.row(5) = 2 * sample.G.row(1) - 0.3 * sample.G.row(2) + 5 * sample.G.row(0);
    sample.finish();
    Solver solver(sample.layout(), kBranchesOnly);
    FactorStatus status = factor(sample, solver);
    EXPECT_EQ(status.cause, FactorCause::kDependentRow);
    EXPECT_EQ(status.index, 5);
    ASSERT_EQ(solver.find_dependent_rows().dependent.size(), 1u);
    EXPECT_EQ(solver.find_dependent_rows().dependent[0].row, 5);
    sample.jacobian_values[3] = std::numeric_limits<double>::quiet_NaN();
    status = factor(sample, solver);
    EXPECT_EQ(status.cause, FactorCause::kNotFinite);
    EXPECT_EQ(status.index, sample.n + 3);
  }
  RandomNumbers random(1);
  TreeSample sample({3, {-1, 0, 1}, {1, 1, 3}}, 0, random);
  sample.inertia(2).col(2).setZero();
  sample.inertia(2).row(2).setZero();
  sample.axes(2).setIdentity();
  sample.finish();
  Solver solver(sample.layout(), kBranchesOnly);
  const FactorStatus status = factor(sample, solver);
  EXPECT_EQ(status.cause, FactorCause::kNotPositiveDefinite);
  EXPECT_EQ(status.index, 4);
}

TEST(BranchSolver, RowsThatAreSwitchedOffHaveTheirRightSide) {
  RandomNumbers random(11);
  TreeSample sample(testing::make_random_shape(6, 9, random), 4, random);
  sample.G.row(2).setZero();
  sample.finish();
  const std::array switchable{1, 2};
  Layout layout = sample.layout();
  layout.switchable_rows = switchable;
  Solver solver(std::move(layout), kBranchesOnly);
  Eigen::MatrixXd A = sample.whole();
  A(sample.n + 2, sample.n + 2) = 1;
  const Vector b = Vector::LinSpaced(sample.n + 4, -1, 2);
  EXPECT_LT(testing::calc_error(A, b, solve(sample, solver, b)), 1e-14);
}

TEST(BranchSolver, FactoringAgainAllocatesNothingAndGivesTheSameBits) {
  RandomNumbers random(4);
  const TreeSample sample(testing::make_random_shape(6, 20, random), 5, random);
  Solver solver(sample.layout(), kBranchesOnly), other(sample.layout(), kBranchesOnly);
  const Vector b = Vector::LinSpaced(sample.n + 5, -1, 2);
  const Vector first = solve(sample, other, b);
  Vector x = b;
  long before = 0;
  for (int k = 0; k < 4; ++k) {
    if (k == 1) before = trammel::testing::allocation_count();
    ASSERT_TRUE(factor(sample, solver).ok);
    x = b;
    solver.solve(x.head(sample.n), x.tail(5));
  }
  if (trammel::testing::kCountsAllocations) {
    EXPECT_EQ(trammel::testing::allocation_count(), before);
  }
  EXPECT_EQ(x, first);
}

}  // namespace
}  // namespace trammel::kkt
