// Articulated bodies solve what the mass matrix of the tree, assembled from Jacobians, says.

#include "trammel/kkt/articulated_solver.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "tests/kkt/tree_samples.h"
#include "tests/support/allocation_counter.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::kkt {
namespace {

using linalg::FactorCause;
using linalg::FactorStatus;
using linalg::Pattern;
using testing::RandomNumbers;
using testing::TreeSample;
using testing::TreeShape;

constexpr SolverOptions kArticulatedOnly{.back_end = BackEnd::kArticulated};

Vector solve_tree(const TreeSample& sample, Solver& solver, const Vector& b) {
  EXPECT_TRUE(solver.factor_tree(sample.values, sample.jacobian_values.data()).ok);
  Vector x = b;
  solver.solve(x.head(sample.n), x.tail(b.size() - sample.n));
  return x;
}

/// Chain whose joints have the given velocities each.
TreeShape make_chain(int width, int nodes, int count) {
  TreeShape shape{width, {}, {}};
  for (int k = 0; k < nodes; ++k) {
    shape.parents.push_back(k - 1);
    shape.counts.push_back(count);
  }
  return shape;
}

TEST(ArticulatedSolver, AgreesWithADenseSolve) {
  for (const int width : {3, 6}) {
    for (unsigned seed = 0; seed < 60; ++seed) {
      RandomNumbers random(1000 * seed + unsigned(width));
      const TreeShape shape = testing::make_random_shape(width, 1 + int(seed) % 20, random);
      const int freedom = std::accumulate(shape.counts.begin(), shape.counts.end(), 0);
      const TreeSample sample(shape, std::min(int(seed) % 7, freedom), random, seed % 2 == 1);
      Solver solver(sample.layout(), kArticulatedOnly);
      ASSERT_TRUE(solver.takes_tree());
      const Vector b = Vector::LinSpaced(sample.n + sample.G.rows(), -1, 2);
      EXPECT_LT(testing::calc_error(sample.whole(), b, solve_tree(sample, solver, b)), 1e-14) << width << ' ' << seed;
    }
  }
}

TEST(ArticulatedSolver, RowsTouchBranchesOfTheirOwn) {
  for (const int width : {3, 6}) {
    for (unsigned seed = 0; seed < 40; ++seed) {
      RandomNumbers random(77 * seed + unsigned(width));
      const int nodes = 6 + int(seed) % 30;
      const TreeShape shape = testing::make_random_shape(width, nodes, random);
      TreeSample sample(shape, 8, random);
      std::vector<std::vector<int>> touched;
      for (int r = 0; r < 8; ++r) {
        // Two rows for each pair of nodes, so that rows share their paths; the first node has velocities.
        touched.push_back(r % 2 == 1 ? touched.back() : std::vector<int>{0, random.below(nodes), random.below(nodes)});
        if (r >= 4 && r % 2 == 0) touched.back() = {nodes / 2, random.below(nodes)};
      }
      sample.touch_only(touched);
      if (Eigen::FullPivLU<Eigen::MatrixXd>(sample.G).rank() < 8) continue;
      Solver solver(sample.layout(), kArticulatedOnly);
      const Vector b = Vector::LinSpaced(sample.n + 8, -1, 2);
      EXPECT_LT(testing::calc_error(sample.whole(), b, solve_tree(sample, solver, b)), 1e-14) << width << ' ' << seed;
    }
  }
}

TEST(ArticulatedSolver, ChainOfAHundredThousandSlidersHasItsClosedSolution) {
  // All slide along x with unit mass: r_i is the sum of the accelerations a_k of the bodies from i on, and
  // u_i = a_i - a_{i-1}. Values of r are small integers, so that differences are exact.
  constexpr int n = 100000;
  for (const int width : {3, 6}) {
    dae::TreeStructure tree;
    tree.width = width;
    for (int k = 0; k < n; ++k) tree.nodes.push_back({k - 1, k, 1, std::ptrdiff_t(k) * width});
    dae::TreeValues values = tree.make_values();
    for (int k = 0; k < n; ++k) {
      for (int i = 0; i < width; ++i) values.inertia[std::size_t((k * width + i) * width + i)] = 1;
      values.axes[std::size_t(k * width)] = 1;
      values.shift[std::size_t(k * tree.shift_size())] = 1;
    }
    const Pattern none(n, n), no_rows(0, n);
    Layout layout;
    layout.upper = n;
    layout.blocks = {{&none}};
    layout.jacobian = &no_rows;
    layout.tree = &tree;
    layout.is_mass_only = true;
    Solver solver(std::move(layout), kArticulatedOnly);
    ASSERT_TRUE(solver.factor_tree(values, nullptr).ok);
    Vector r(n), u, lambda(0);
    for (int k = 0; k < n; ++k) r[k] = (k * 7) % 11 - 5;
    u = r;
    solver.solve(u, lambda);
    double error = 0, previous = 0;
    for (int k = 0; k < n; ++k) {
      const double a = r[k] - (k + 1 < n ? r[k + 1] : 0);
      error = std::max(error, std::abs(u[k] - (a - previous)));
      previous = a;
    }
    EXPECT_LT(error, 1e-12);
  }
}

TEST(ArticulatedSolver, DependentRowsAreNamed) {
  for (const int width : {3, 6}) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      RandomNumbers random(seed);
      TreeSample sample(testing::make_random_shape(width, 40, random), 6, random);
      sample.G.row(4) = 2 * sample.G.row(1) - 0.3 * sample.G.row(2) + 5 * sample.G.row(0);
      sample.finish();
      Solver solver(sample.layout(), kArticulatedOnly);
      const FactorStatus status = solver.factor_tree(sample.values, sample.jacobian_values.data());
      ASSERT_FALSE(status.ok);
      EXPECT_EQ(status.cause, FactorCause::kDependentRow);
      EXPECT_EQ(status.index, 4);
      const linalg::RankReport report = solver.find_dependent_rows();
      ASSERT_EQ(report.dependent.size(), 1u);
      EXPECT_EQ(report.dependent[0].row, 4);
    }
  }
}

TEST(ArticulatedSolver, BodiesWithoutMassAreNamed) {
  RandomNumbers random(5);
  TreeSample sample(make_chain(6, 4, 2), 0, random);
  sample.inertia(3).setZero();
  Solver solver(sample.layout(), kArticulatedOnly);
  const FactorStatus status = solver.factor_tree(sample.values, nullptr);
  EXPECT_EQ(status.cause, FactorCause::kNotPositiveDefinite);
  EXPECT_EQ(status.index, 7);
  // Between bodies with mass there is nothing wrong with one that has none.
  TreeSample between(make_chain(6, 4, 2), 0, random);
  between.inertia(2).setZero();
  between.finish();
  Solver other(between.layout(), kArticulatedOnly);
  const Vector b = Vector::LinSpaced(8, 1, 2);
  EXPECT_LT(testing::calc_error(between.whole(), b, solve_tree(between, other, b)), 1e-14);
}

TEST(ArticulatedSolver, AThinRodThatTurnsAboutItselfIsNoticedThroughRoundingErrors) {
  // Mass on a line through the point that three hinges share: the turn about the line has no inertia. All numbers are
  // rounded, so that the last pivot is some 1e-17, of either sign.
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomNumbers random(seed);
    for (const bool is_one_joint : {false, true}) {
      TreeShape shape = is_one_joint ? make_chain(6, 1, 3) : make_chain(6, 3, 1);
      TreeSample sample(shape, 0, random);
      const std::size_t last = sample.tree.nodes.size() - 1;
      std::fill(sample.values.shift.begin(), sample.values.shift.end(), 0.0);
      for (std::size_t k = 0; k <= last; ++k) sample.inertia(k).setZero();
      // At right angles, none along the line: rounding errors grow as hinges turn parallel to one another or to it.
      const Eigen::Matrix3d Q = random.matrix(3, 3).householderQr().householderQ();
      std::fill(sample.values.axes.begin(), sample.values.axes.end(), 0.0);
      for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) sample.values.axes[std::size_t(6 * j + 3 + i)] = Q(i, j);
      }
      const Eigen::Vector3d line(random(), random(), random());
      if ((Q.transpose() * line).cwiseAbs().maxCoeff() > 0.9 * line.norm()) continue;
      for (const double at : {0.3, 1.0}) {
        Eigen::Matrix<double, 3, 6> J = Eigen::Matrix<double, 3, 6>::Zero();
        J.leftCols(3).setIdentity();
        const Eigen::Vector3d p = at * line;
        J.rightCols(3) << 0, p.z(), -p.y(), -p.z(), 0, p.x(), p.y(), -p.x(), 0;
        sample.inertia(last) += 3.1 * J.transpose() * J;
      }
      Solver solver(sample.layout(), kArticulatedOnly);
      EXPECT_EQ(solver.factor_tree(sample.values, nullptr).cause, FactorCause::kNotPositiveDefinite)
          << seed << ' ' << is_one_joint;
    }
  }
}

TEST(ArticulatedSolver, NumbersThatAreNotFiniteAreSaid) {
  RandomNumbers random(8);
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    TreeSample sample(make_chain(3, 5, 1), 1, random);
    Solver solver(sample.layout(), kArticulatedOnly);
    sample.values.inertia[9 * 2] = wrong;
    EXPECT_EQ(solver.factor_tree(sample.values, sample.jacobian_values.data()).cause, FactorCause::kNotFinite);
    sample.values.inertia[9 * 2] = 1;
    sample.jacobian_values[2] = wrong;
    const FactorStatus status = solver.factor_tree(sample.values, sample.jacobian_values.data());
    EXPECT_EQ(status.cause, FactorCause::kNotFinite);
    EXPECT_EQ(status.index, 5);
    // And the next factorisation knows nothing of it.
    sample.jacobian_values[2] = sample.G(0, 2);
    sample.finish();
    const Vector b = Vector::LinSpaced(6, -1, 1);
    EXPECT_LT(testing::calc_error(sample.whole(), b, solve_tree(sample, solver, b)), 1e-14);
  }
}

TEST(ArticulatedSolver, RowsThatAreSwitchedOffHaveTheirRightSide) {
  RandomNumbers random(11);
  TreeSample sample(testing::make_random_shape(6, 9, random), 4, random);
  sample.G.row(2).setZero();
  sample.finish();
  const std::array switchable{1, 2};
  Layout layout = sample.layout();
  layout.switchable_rows = switchable;
  Solver solver(std::move(layout), kArticulatedOnly);
  Eigen::MatrixXd A = sample.whole();
  A(sample.n + 2, sample.n + 2) = 1;
  const Vector b = Vector::LinSpaced(sample.n + 4, -1, 2);
  EXPECT_LT(testing::calc_error(A, b, solve_tree(sample, solver, b)), 1e-14);
  EXPECT_EQ(solver.switched_off(), (std::vector<bool>{false, true}));
}

TEST(ArticulatedSolver, NearlyDependentRowsAreRefinedWithTheMatrixThatWasFactorised) {
  for (const int width : {3, 6}) {
    RandomNumbers random(21);
    TreeSample sample(testing::make_random_shape(width, 12, random), 3, random);
    sample.G.row(2) = sample.G.row(0) + 1e-5 * sample.G.row(2);
    sample.finish();
    const Eigen::MatrixXd A = sample.whole();
    const Vector b = Vector::LinSpaced(sample.n + 3, -1, 2);
    std::array<double, 2> residuals;
    for (const int refinements : {0, 2}) {
      Solver solver(sample.layout(), {.back_end = BackEnd::kArticulated, .max_refinements = refinements});
      dae::TreeValues values = sample.values;
      Vector jacobian = sample.jacobian_values;
      ASSERT_TRUE(solver.factor_tree(values, jacobian.data()).ok);
      std::fill(values.inertia.begin(), values.inertia.end(), 0.0);
      jacobian.setZero();
      Vector x = b;
      solver.solve(x.head(sample.n), x.tail(3));
      EXPECT_EQ(solver.counts().refinements > 0, refinements > 0);
      residuals[refinements > 0] = (A * x - b).norm() / (A.norm() * x.norm());
    }
    EXPECT_LT(residuals[1], 1e-15);
    EXPECT_LT(residuals[1], 0.1 * residuals[0]);
  }
}

TEST(ArticulatedSolver, FactoringAgainAllocatesNothingAndGivesTheSameBits) {
  RandomNumbers random(4);
  TreeSample sample(testing::make_random_shape(6, 20, random), 5, random);
  sample.G.row(2) = sample.G.row(0) + 1e-5 * sample.G.row(2);  // in doubt
  sample.finish();
  Solver solver(sample.layout(), kArticulatedOnly), other(sample.layout(), kArticulatedOnly);
  const Vector b = Vector::LinSpaced(sample.n + 5, -1, 2);
  const Vector first = solve_tree(sample, other, b);
  Vector x = b;
  long before = 0;
  for (int k = 0; k < 4; ++k) {
    if (k == 1) before = trammel::testing::allocation_count();
    ASSERT_TRUE(solver.factor_tree(sample.values, sample.jacobian_values.data()).ok);
    x = b;
    solver.solve(x.head(sample.n), x.tail(5));
  }
  if (trammel::testing::kCountsAllocations) {
    EXPECT_EQ(trammel::testing::allocation_count(), before);
  }
  EXPECT_EQ(x, first);
}

TEST(ArticulatedSolver, SystemsThatItCannotTakeAreSaid) {
  dae::Structure structure = dae::Structure::full({"x", "y"});
  EXPECT_NE(find_obstacle(BackEnd::kArticulated, structure).find("--coordinates joint"), std::string::npos);
  structure.tree = dae::TreeStructure{3, {{-1, 0, 1, 0}}};
  EXPECT_NE(find_obstacle(BackEnd::kArticulated, structure).find("1 of its velocities"), std::string::npos);
  EXPECT_THROW(Solver(Layout::mass(structure), kArticulatedOnly), std::invalid_argument);
  structure.tree->nodes.push_back({0, 1, 1, 3});
  EXPECT_EQ(find_obstacle(BackEnd::kArticulated, structure), "");
}

/// Rods of unit length and mass in the plane, hinged one to the next by relative angles, the first one to the ground.
/// Gravity along -y. The end of the last one is held at its height when it is `held`. Forces come from Lagrange's
/// equations for rods as point masses at their ends; only M, G and right sides matter here.
class HingedMasses final : public dae::ConstrainedSystem {
 public:
  HingedMasses(int n, bool is_held) : ConstrainedSystem(make_structure(n, is_held)) {}

  void calc_tree(const dae::Point& at, dae::TreeValues& values) const override {
    std::fill(values.inertia.begin(), values.inertia.end(), 0.0);
    double angle = 0;
    for (std::size_t k = 0; k < std::size_t(structure().n_v()); ++k) {
      // The point of a body is its hinge.
      values.shift[2 * k] = k == 0 ? 0 : std::cos(angle);
      values.shift[2 * k + 1] = k == 0 ? 0 : std::sin(angle);
      values.axes[3 * k] = values.axes[3 * k + 1] = 0;
      values.axes[3 * k + 2] = 1;
      angle += at.q[Eigen::Index(k)];
      const double x = std::cos(angle), y = std::sin(angle);
      double* I = values.inertia.data() + 9 * k;
      I[0] = I[4] = I[8] = 1;
      I[2] = I[6] = -y;
      I[5] = I[7] = x;
    }
  }
  void calc_mass(const dae::Point& at, dae::MatrixValues M) const override {
    const Eigen::MatrixXd J = calc_point_jacobian(at.q);
    M.dense() = J.transpose() * J;
  }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override {
    const Eigen::MatrixXd J = calc_point_jacobian(at.q);
    for (int k = 0; k < structure().n_v(); ++k) f -= 9.81 * J.row(2 * k + 1).transpose();
  }
  void calc_constraint(const dae::Point&, dae::VectorOut) const override {}
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override {
    if (structure().m() > 0) G.dense() = calc_point_jacobian(at.q).bottomRows(1);
  }
  bool calc_acceleration_bias(const dae::Point&, dae::VectorOut) const override { return true; }

 private:
  static dae::Structure make_structure(int n, bool is_held) {
    std::vector<std::string> names;
    for (int k = 0; k < n; ++k) names.push_back("angle " + std::to_string(k));
    dae::Structure structure =
        dae::Structure::full(names, is_held ? std::vector<std::string>{"height"} : std::vector<std::string>{});
    structure.tree = dae::TreeStructure{3, {}};
    for (int k = 0; k < n; ++k) structure.tree->nodes.push_back({k - 1, k, 1, 3 * k});
    return structure;
  }
  /// Velocities (x, y) of the masses by the relative angles.
  static Eigen::MatrixXd calc_point_jacobian(const Vector& q) {
    const auto n = q.size();
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(2 * n, n);
    for (Eigen::Index mass = 0; mass < n; ++mass) {
      double angle = 0;
      for (Eigen::Index rod = 0; rod <= mass; ++rod) {
        angle += q[rod];
        for (Eigen::Index k = 0; k <= rod; ++k) {
          J(2 * mass, k) -= std::sin(angle);
          J(2 * mass + 1, k) += std::cos(angle);
        }
      }
    }
    return J;
  }
};

TEST(ArticulatedSolver, GivesTheAccelerationsOfASystemThatOffersItsTree) {
  for (const bool is_held : {false, true}) {
    const HingedMasses system(7, is_held);
    dae::State state = dae::State::zero(system.structure());
    state.q.setLinSpaced(-0.7, 0.9);
    std::array<Vector, 3> found;
    const std::array back_ends{BackEnd::kArticulated, BackEnd::kBranches, BackEnd::kDenseLu};
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_EQ(find_obstacle(back_ends[k], system.structure()), "");
      dae::Evaluation evaluation(system);
      AccelerationSolver solver(evaluation, {.back_end = back_ends[k]});
      evaluation.set(state);
      ASSERT_EQ(solver.factor_position(), AccelerationStatus::kSolved);
      ASSERT_EQ(solver.solve(state), AccelerationStatus::kSolved);
      found[k].resize(7 + system.structure().m());
      found[k] << evaluation.point().a, evaluation.point().lambda;
    }
    EXPECT_LT((found[0] - found[2]).norm(), 1e-11 * found[2].norm());
    EXPECT_LT((found[1] - found[2]).norm(), 1e-11 * found[2].norm());
  }
}

}  // namespace
}  // namespace trammel::kkt
