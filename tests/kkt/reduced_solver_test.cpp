// The reduced matrix gives what a dense factorisation of [M G^T; G D] gives, on any topology, and says what it cannot
// take.

#include "trammel/kkt/reduced_solver.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "cases/case.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/systems.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/linalg/profile_ordering.h"
#include "trammel/system/mechanism.h"
#include "trammel/system/plain_form.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::Pattern;

/// Bodies of given widths with random inertia, and rows between random sets of bodies.
struct Sample {
  struct Rows {
    std::vector<int> bodies;
    int count;
  };
  dae::Structure structure;
  Vector mass, jacobian;

  Sample(unsigned seed, const std::vector<int>& widths, const std::vector<Rows>& rows, bool says_bodies = true)
      : generator_(seed) {
    std::vector<Entry> m, g;
    std::vector<double> m_values, g_values;
    std::vector<int> first;
    int n = 0;
    for (const int width : widths) {
      first.push_back(n);
      const bool is_diagonal = width == 3;
      Eigen::MatrixXd R = random(width, width);
      R = (R * R.transpose()).eval();
      for (int j = 0; j < width; ++j) {
        for (int i = 0; i < width; ++i) {
          if (is_diagonal && i != j) continue;
          // In two contributions that add up.
          for (const double part : {R(i, j), i == j ? 0.5 : 0.0}) {
            m.push_back({n + i, n + j});
            m_values.push_back(part);
          }
        }
      }
      n += width;
    }
    int row = 0;
    for (const Rows& some : rows) {
      for (int k = 0; k < some.count; ++k, ++row) {
        for (const int body : some.bodies) {
          for (int v = 0; v < widths[body]; ++v) {
            if (widths[body] == 6 && v < 3 && v != k) continue;  // as of spatial joints: few rows touch these
            g.push_back({row, first[body] + v});
            g_values.push_back(uniform());
          }
          g.push_back({row, first[body]});
          g_values.push_back(uniform());
        }
      }
    }
    std::vector<std::string> q(n, "q"), names(row, "g");
    structure = dae::Structure::sparse(q, names, Pattern(n, n, m), Pattern(row, n, g));
    if (says_bodies) structure.bodies = first;
    mass = Eigen::Map<Vector>(m_values.data(), static_cast<Eigen::Index>(m_values.size()));
    jacobian = Eigen::Map<Vector>(g_values.data(), static_cast<Eigen::Index>(g_values.size()));
  }

  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(generator_); }
  Eigen::MatrixXd random(int rows, int columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return uniform(); });
  }

  Eigen::MatrixXd whole(double weight = 1) const {
    const int n = structure.n_v(), m = structure.m();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
    const Eigen::MatrixXd G = structure.jacobian.to_dense(jacobian.data());
    A.topLeftCorner(n, n) = weight * structure.mass.to_dense(mass.data());
    A.bottomLeftCorner(m, n) = G;
    A.topRightCorner(n, m) = G.transpose();
    for (const int row : structure.switchable_rows) {
      if (G.row(row).isZero(0)) A(n + row, n + row) = 1;
    }
    return A;
  }

  void set_row(int row, double value) {
    for (int k = 0; k < structure.jacobian.size(); ++k) {
      if (structure.jacobian[k].row == row) jacobian[k] = value;
    }
  }

  void expect_solved(Solver& solver, const std::string& what, double weight = 1) {
    const std::array values{BlockValues{mass.data(), weight}};
    ASSERT_TRUE(solver.factor(values, jacobian.data()).ok) << what;
    ASSERT_EQ(solver.back_end(), BackEnd::kReduced);
    const int n = structure.n_v(), m = structure.m();
    const Vector b = random(n + m, 1);
    Vector upper = b.head(n), lower = b.tail(m);
    solver.solve(upper, lower);
    const Eigen::MatrixXd A = whole(weight);
    const Vector x = A.fullPivLu().solve(b);
    EXPECT_LT((upper - x.head(n)).norm() + (lower - x.tail(m)).norm(), 1e-9 * (1 + x.norm())) << what;
    const double residual = (A * (Vector(n + m) << upper, lower).finished() - b).norm();
    EXPECT_LT(residual, 1e-12 * (1 + A.norm() * x.norm())) << what;
  }

 private:
  std::mt19937 generator_;
};

const SolverOptions kReduced{.back_end = BackEnd::kReduced};

void expect_solved(Sample sample, const std::string& what) {
  ASSERT_TRUE(sample.structure.validate().empty()) << what;
  Solver solver(Layout::mass(sample.structure), kReduced);
  sample.expect_solved(solver, what);
}

TEST(ReducedSolver, ChainsOfAllBodiesAndJoints) {
  for (const int width : {1, 2, 3, 6, 7}) {
    // Fewer rows than velocities: without any motion left, random chains are too ill-conditioned to compare.
    for (int rows = 1; rows <= std::max(1, width - 1); ++rows) {
      std::vector<Sample::Rows> joints{{{0}, rows}};
      for (int k = 1; k < 8; ++k) joints.push_back({{k - 1, k}, rows});
      for (const bool says_bodies : {true, false}) {
        expect_solved(Sample(static_cast<unsigned>(10 * width + rows), std::vector<int>(8, width), joints, says_bodies),
                      "width " + std::to_string(width) + ", rows " + std::to_string(rows));
      }
    }
  }
}

TEST(ReducedSolver, TreesLoopsAndCouplings) {
  const std::vector<int> widths{3, 6, 3, 7, 2, 6, 1, 6, 3, 6};
  const std::vector<Sample::Rows> tree{{{0}, 2}, {{0, 1}, 2}, {{0, 2}, 1}, {{1, 3}, 3}, {{1, 4}, 1}, {{3, 5}, 5}};
  std::vector<Sample::Rows> loops = tree;
  loops.insert(loops.end(), {{{5, 2}, 1}, {{3, 7}, 4}, {{7, 8}, 2}, {{8, 9}, 3}, {{9, 3}, 1}});
  std::vector<Sample::Rows> couplings = loops;
  couplings.insert(couplings.end(), {{{1, 5, 9}, 1}, {{2, 4, 6, 8}, 1}, {{9}, 1}});
  std::vector<Sample::Rows> alone = couplings;
  alone.push_back({{5, 3}, 1});  // joins the rows of an earlier joint between the same bodies
  unsigned k = 0;
  for (const auto& rows : {tree, loops, couplings, alone}) {
    ++k;
    expect_solved(Sample(k, widths, rows), "topology " + std::to_string(k));
  }
}

TEST(ReducedSolver, RandomTopologies) {
  std::mt19937 generator(11);
  const auto integer = [&](int end) { return static_cast<int>(generator() % static_cast<unsigned>(end)); };
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<int> widths;
    for (int k = 2 + integer(10); k > 0; --k) widths.push_back(std::array{1, 2, 3, 6, 7}[integer(5)]);
    const int bodies = static_cast<int>(widths.size());
    const int n = std::accumulate(widths.begin(), widths.end(), 0);
    std::vector<Sample::Rows> rows;
    for (int m = 0; m < n / 2;) {
      std::set<int> touched;
      for (int k = 1 + integer(3); k > 0; --k) touched.insert(integer(bodies));
      int width = 0;
      for (const int body : touched) width += widths[body];
      const int count = std::min(1 + integer(5), std::max(1, width / 4));
      rows.push_back({{touched.begin(), touched.end()}, count});
      m += count;
    }
    Sample sample(static_cast<unsigned>(trial), widths, rows);
    if (sample.whole().jacobiSvd().singularValues().minCoeff() < 1e-3) continue;  // too few columns for its rows
    expect_solved(std::move(sample), "trial " + std::to_string(trial));
  }
}

TEST(ReducedSolver, OneBodyWithManyRowsAndSystemsWithoutAny) {
  expect_solved(Sample(1, {40}, {{{0}, 25}}), "one body");
  expect_solved(Sample(2, {6, 3}, {}), "no constraints");
}

TEST(ReducedSolver, FollowsValuesAndWeights) {
  Sample sample(5, {3, 6, 7}, {{{0}, 2}, {{0, 1}, 2}, {{1, 2}, 4}});
  Solver solver(Layout::mass(sample.structure), kReduced);
  sample.expect_solved(solver, "first");
  sample.jacobian *= -1.5;
  sample.expect_solved(solver, "another Jacobian, the same mass");
  sample.mass *= 2;
  sample.expect_solved(solver, "another mass");
  sample.expect_solved(solver, "another weight", 3);
  sample.expect_solved(solver, "the weight before");
}

TEST(ReducedSolver, RowsThatAreSwitchedOffGiveTheirRightSide) {
  Sample sample(6, {3, 6, 3}, {{{0}, 2}, {{0, 1}, 3}, {{1, 2}, 2}});
  sample.structure.switchable_rows = {1, 3, 6};
  Solver solver(Layout::mass(sample.structure), kReduced);
  sample.expect_solved(solver, "all on");
  const Vector on = sample.jacobian;
  sample.set_row(1, 0);
  sample.set_row(3, 0);
  sample.expect_solved(solver, "two off");
  EXPECT_EQ(solver.switched_off(), (std::vector<bool>{true, true, false}));
  Vector upper = Vector::Ones(12), lower = Vector::LinSpaced(7, 1, 7);
  solver.solve(upper, lower);
  EXPECT_EQ(lower[1], 2);
  EXPECT_EQ(lower[3], 4);
  sample.jacobian = on;
  sample.expect_solved(solver, "on again");
}

TEST(ReducedSolver, ARowOfZerosThatMayNotBeSwitchedOffIsSingular) {
  Sample sample(7, {3, 3}, {{{0}, 2}, {{0, 1}, 2}});
  sample.set_row(2, 0);
  Solver solver(Layout::mass(sample.structure), kReduced);
  const std::array values{BlockValues{sample.mass.data()}};
  const linalg::FactorStatus status = solver.factor(values, sample.jacobian.data());
  EXPECT_EQ(status.cause, linalg::FactorCause::kDependentRow);
  EXPECT_EQ(status.index, 2);
}

/// Exactly and nearly dependent rows of many samples: found, or solved; in doubt before they are lost.
TEST(ReducedSolver, RedundantRowsAreSaid) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    Sample sample(seed, {6, 6, 3}, {{{0}, 3}, {{0, 1}, 5}, {{1, 2}, 1}});
    // Row 6 becomes a combination of rows 4 and 5, which touch the same places but one; that one is cleared.
    Eigen::MatrixXd G = sample.structure.jacobian.to_dense(sample.jacobian.data());
    for (int k = 0; k < sample.structure.jacobian.size(); ++k) {
      const Entry& e = sample.structure.jacobian[k];
      const bool is_axis = e.column % 6 < 3 && e.column < 12;
      if (e.row >= 3 && e.row < 8 && is_axis) sample.jacobian[k] = 0;
    }
    G = sample.structure.jacobian.to_dense(sample.jacobian.data());
    const Vector combination = 0.3 * G.row(4) - 2 * G.row(5);
    std::set<int> seen;
    for (int k = 0; k < sample.structure.jacobian.size(); ++k) {
      const Entry& e = sample.structure.jacobian[k];
      if (e.row == 6) sample.jacobian[k] = seen.insert(e.column).second ? combination[e.column] : 0;
    }
    Solver solver(Layout::mass(sample.structure), kReduced);
    const std::array values{BlockValues{sample.mass.data()}};
    const linalg::FactorStatus status = solver.factor(values, sample.jacobian.data());
    ASSERT_FALSE(status.ok) << seed;
    EXPECT_EQ(status.cause, linalg::FactorCause::kDependentRow);
    EXPECT_TRUE(status.index >= 4 && status.index <= 6) << status.index;
    const linalg::RankReport report = solver.find_dependent_rows();
    ASSERT_EQ(report.dependent.size(), 1u);
    EXPECT_EQ(report.dependent[0].row, 6);
  }
}

TEST(ReducedSolver, NearlyDependentRowsAreInDoubtAndSolvedAsWellAsTheirConditionAllows) {
  for (const double angle : {1e-2, 1e-5, 1e-6}) {
    Sample sample(3, {3, 3}, {{{0}, 2}, {{0, 1}, 2}});
    const Eigen::MatrixXd G = sample.structure.jacobian.to_dense(sample.jacobian.data());
    std::set<int> seen;
    for (int k = 0; k < sample.structure.jacobian.size(); ++k) {
      const Entry& e = sample.structure.jacobian[k];
      if (e.row != 3) continue;
      const bool is_first = seen.insert(e.column).second;
      sample.jacobian[k] = is_first ? G(2, e.column) + angle * G(3, e.column) : 0;
    }
    const std::array values{BlockValues{sample.mass.data()}};
    const Layout layout = Layout::mass(sample.structure);
    ReducedSolver reduced(layout);
    ASSERT_TRUE(reduced.factor_blocks(values, sample.jacobian.data())->ok) << angle;
    EXPECT_EQ(reduced.is_in_doubt(), angle < 1e-4);
    EXPECT_LT(reduced.calc_rcond(), angle * angle * 10);
    EXPECT_GT(reduced.calc_rcond(), angle * angle * 1e-3);

    Solver solver(layout, kReduced);
    ASSERT_TRUE(solver.factor(values, sample.jacobian.data()).ok) << angle;
    const Eigen::MatrixXd A = sample.whole();
    const Vector solution = Vector::LinSpaced(10, -1, 2);
    const Vector b = A * solution;
    Vector upper = b.head(6), lower = b.tail(4);
    solver.solve(upper, lower);
    const auto sigma = A.jacobiSvd().singularValues();
    const double bound = 10 * std::numeric_limits<double>::epsilon() * sigma[0] / sigma[9] * solution.norm();
    EXPECT_LT((upper - solution.head(6)).norm() + (lower - solution.tail(4)).norm(), bound) << angle;
  }
}

TEST(ReducedSolver, AMassThatIsNotPositiveDefiniteIsNamed) {
  Sample sample(8, {3, 6}, {{{0}, 1}, {{0, 1}, 2}});
  const auto fails_at = [&](int velocity, double value) {
    Vector mass = sample.mass;
    for (int k = 0; k < sample.structure.mass.size(); ++k) {
      const Entry& e = sample.structure.mass[k];
      if (e.row == velocity || e.column == velocity) mass[k] = e.row == e.column ? value : 0;
    }
    Solver solver(Layout::mass(sample.structure), kReduced);
    const std::array values{BlockValues{mass.data()}};
    return solver.factor(values, sample.jacobian.data());
  };
  for (const int velocity : {0, 2, 3, 8}) {
    for (const double value : {0.0, -1.0}) {
      EXPECT_EQ(fails_at(velocity, value).cause, linalg::FactorCause::kNotPositiveDefinite);
      EXPECT_EQ(fails_at(velocity, value).index, velocity);
    }
    const linalg::FactorStatus status = fails_at(velocity, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(status.cause, linalg::FactorCause::kNotFinite);
    EXPECT_EQ(status.index, velocity);
  }
  Solver solver(Layout::mass(sample.structure), kReduced);
  sample.jacobian[0] = std::numeric_limits<double>::infinity();
  const std::array values{BlockValues{sample.mass.data()}};
  EXPECT_EQ(solver.factor(values, sample.jacobian.data()).cause, linalg::FactorCause::kNotFinite);
}

TEST(ReducedSolver, SaysWhatItCannotTake) {
  const auto obstacle = [](const char* name) {
    return find_obstacle(BackEnd::kReduced, cases::build_case(*cases::find_case(name)).system->structure());
  };
  EXPECT_EQ(obstacle("chain"), "");
  EXPECT_EQ(obstacle("hmmwv14"), "");
  EXPECT_EQ(obstacle("mixed-chain")
                .rfind("the reduced matrix needs a positive definite mass matrix, and these "
                       "coordinates have no mass: ",
                       0),
            0u);
  const cases::Case friction = cases::build_case(*cases::find_case("cable-drum"));
  EXPECT_THROW(Solver(Layout::mass_with_friction(friction.system->structure()), kReduced), std::invalid_argument);
}

/// A case in a state without symmetries and zeros.
cases::Case build_moving(const char* name, const cases::ParameterValues& parameters = {}) {
  cases::Case c = cases::build_case(*cases::find_case(name), parameters);
  for (Eigen::Index i = 0; i < c.start.v.size(); ++i) c.start.v[i] += 0.1 * std::cos(2.0 * static_cast<double>(i) + 1);
  return c;
}

struct Motion {
  Vector a, lambda;
};

std::optional<Motion> calc_motion(const dae::ConstrainedSystem& system, const dae::State& state, BackEnd back_end) {
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  AccelerationSolver solver(evaluation, {.back_end = back_end});
  const AccelerationStatus status = solver.factor_position();
  if (status == AccelerationStatus::kUnsuitable) return std::nullopt;
  EXPECT_EQ(status, AccelerationStatus::kSolved);
  EXPECT_EQ(solver.solve(state), AccelerationStatus::kSolved);
  return Motion{evaluation.point().a, evaluation.point().lambda};
}

TEST(ReducedSolver, CasesAreSolvedAsByDenseLu) {
  int count = 0;
  for (const cases::CaseEntry* entry : cases::cases()) {
    const cases::Case c = build_moving(entry->name.c_str());
    const dae::Structure& s = c.system->structure();
    if (!find_obstacle(BackEnd::kReduced, s).empty() || s.m() == 0 || s.n_v() > 400) continue;
    const auto reduced = calc_motion(*c.system, c.start, BackEnd::kReduced);
    if (!reduced) {
      // A body whose inertia is zero: the same matrix M is refused by Cholesky.
      EXPECT_FALSE(calc_motion(*c.system, c.start, BackEnd::kCholeskyQr)) << entry->name;
      continue;
    }
    ++count;
    const Motion dense = calc_motion(*c.system, c.start, BackEnd::kDenseLu).value();
    EXPECT_LT((reduced->a - dense.a).norm(), 1e-9 * (1 + dense.a.norm())) << entry->name;
    EXPECT_LT((reduced->lambda - dense.lambda).norm(), 1e-9 * (1 + dense.lambda.norm())) << entry->name;
  }
  EXPECT_GE(count, 15);
}

/// Tables 3 and 4 of the thesis, by counting.
TEST(ReducedSolver, CountsOfTheExamplesOfTheThesis) {
  const cases::Case chain = cases::build_case(*cases::find_case("chain-bodies"), {{"n", 50}});
  const Layout chain_layout = Layout::mass(chain.system->structure());
  const ReducedSolver good(chain_layout);
  // A joint of two rows: 14 multiplications behind another one (2 to eliminate, 4 to scale, 6 for the square, 2 for the
  // diagonal block), 2 at the end.
  const linalg::Operations counted = good.calc_operations().skyline;
  EXPECT_EQ(counted.multiplications, 49 * 14 + 2);
  EXPECT_EQ(counted.divisions, 100);
  // Joints numbered 1, 50, 2, 49, ... along the chain: number 50 stands beside 1 and 2, 49 beside 2 and 3, and so on.
  std::vector<int> sizes(50, 2), first(50);
  for (int i = 0; i < 50; ++i) first[i] = std::min(i, 49 - i);
  const linalg::BlockSkyline bad(sizes, first);
  EXPECT_EQ(bad.calc_factor_operations().multiplications, 46800);

  const cases::Case seven = cases::build_case(*cases::find_case("seven-body"));
  const Layout layout = Layout::mass(seven.system->structure());
  const ReducedSolver reduced(layout);
  EXPECT_EQ(reduced.structure().skyline.size(), 20);
  EXPECT_EQ(reduced.structure().joints.size(), 10u);
  EXPECT_LT(reduced.calc_operations().skyline.multiplications, 2660 / 3) << "dense LU of 20 rows";
}

/// The omega formulation of the thesis is the quasi-velocity form; with Euler parameters the unit lengths decouple.
TEST(ReducedSolver, EulerParametersGiveTheMultipliersOfTheOmegaFormulation) {
  for (const char* name : {"spatial-chain", "hmmwv14", "bricard", "spatial-slider-crank"}) {
    const cases::Case c = build_moving(name);
    const dae::Structure& quasi = c.system->structure();
    const system::PlainForm plain(c.mechanism, c.mechanism->rotations());
    const dae::Structure& s = plain.structure();
    ASSERT_FALSE(s.decoupled_rows.empty());
    const Layout layout = Layout::mass(s);
    const ReducedSolver reduced(layout);
    for (const int row : s.decoupled_rows) {
      const int joint = reduced.structure().joint_of_row[row];
      EXPECT_EQ(reduced.structure().skyline.rows_of(joint), 1) << "a block of its own";
      EXPECT_EQ(reduced.structure().skyline.first(joint), joint);
    }
    const Layout quasi_layout = Layout::mass(quasi);
    const ReducedSolver omega(quasi_layout);
    EXPECT_EQ(reduced.structure().skyline.stored(),
              omega.structure().skyline.stored() + static_cast<long>(s.decoupled_rows.size()));

    const dae::State state = plain.to_plain(c.start);
    const Motion by_omega = calc_motion(*c.system, c.start, BackEnd::kReduced).value();
    const Motion by_p = calc_motion(plain, state, BackEnd::kReduced).value();
    const int unit_lengths = static_cast<int>(s.decoupled_rows.size());
    Vector lambda(quasi.m());
    lambda << by_p.lambda.head(quasi.n_g), by_p.lambda.tail(quasi.m() - quasi.n_g);
    EXPECT_LT((lambda - by_omega.lambda).norm(), 1e-9 * (1 + lambda.norm())) << name;
    EXPECT_LT(by_p.lambda.segment(quasi.n_g, unit_lengths).norm(), 1e-9 * (1 + lambda.norm())) << name;

    // The matrix itself, computed densely: no coupling of unit lengths.
    dae::Evaluation evaluation(plain);
    evaluation.set(state);
    const Eigen::MatrixXd M = s.mass.to_dense(evaluation.mass()), G = s.jacobian.to_dense(evaluation.jacobian());
    const Eigen::MatrixXd B = G * M.llt().solve(G.transpose());
    for (const int row : s.decoupled_rows) {
      Vector others = B.row(row);
      others[row] = 0;
      EXPECT_LT(others.lpNorm<Eigen::Infinity>(), 1e-12 * B.norm()) << name;
    }
  }
}

TEST(ReducedSolver, FactoringAndSolvingTakeNoMemory) {
  if (!trammel::testing::kCountsAllocations) GTEST_SKIP();
  for (const char* name : {"andrews", "chain", "spatial-chain", "hmmwv14"}) {
    const cases::Case c = build_moving(name);
    dae::Evaluation evaluation(*c.system);
    AccelerationSolver accelerations(evaluation, kReduced);
    long before = 0;
    for (int k = 0; k < 6; ++k) {
      if (k == 2) before = trammel::testing::allocation_count();
      evaluation.set_position(k, c.start.q);
      evaluation.set_velocity(c.start.v);
      ASSERT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
      ASSERT_EQ(accelerations.solve(c.start), AccelerationStatus::kSolved);
    }
    EXPECT_EQ(trammel::testing::allocation_count(), before) << name;
  }
}

TEST(ReducedSolver, GivesTheSameBitsEveryTime) {
  const cases::Case c = build_moving("hmmwv14");
  const Motion first = calc_motion(*c.system, c.start, BackEnd::kReduced).value();
  for (int k = 0; k < 3; ++k) {
    const Motion again = calc_motion(*c.system, c.start, BackEnd::kReduced).value();
    EXPECT_EQ(again.a, first.a);
    EXPECT_EQ(again.lambda, first.lambda);
  }
}

}  // namespace
}  // namespace trammel::kkt
