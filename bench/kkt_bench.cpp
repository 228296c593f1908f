// Time of accelerations (mass, force, Jacobian, bias, factor, solve) by back end and size: where dense and sparse
// cross.
//
// The thresholds in src/trammel/kkt/solver.cpp are chosen from chain<...>/n, the number of unknowns (5 n) up to which
// dense is faster, and from filled<...>/n/blocks, the share of places (counter `filling`) from which it is. The counter
// `per_rod` is the time divided by n; for a solver of linear cost it stays the same from n = 500 to n = 1000.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <vector>

#include "cases/case.h"
#include "trammel/kkt/accelerations.h"

namespace {

using trammel::cases::Case;
using trammel::cases::ParameterValues;
using trammel::kkt::AccelerationSolver;
using trammel::kkt::AccelerationStatus;
using trammel::kkt::BackEnd;
using trammel::kkt::Solver;
using trammel::linalg::Entry;
using trammel::linalg::Pattern;
using trammel::linalg::Vector;

/// A case in a state without symmetries and zeros, as met during a run.
Case build_moving(const char* name, const ParameterValues& parameters = {}) {
  Case problem = build_case(*trammel::cases::find_case(name), parameters);
  for (Eigen::Index i = 0; i < problem.start.v.size(); ++i) {
    const auto k = static_cast<double>(i);
    problem.start.q[i] += 0.1 * std::sin(k + 1);
    problem.start.v[i] += 0.1 * std::cos(2 * k + 1);
  }
  return problem;
}

void run_accelerations(benchmark::State& state, const Case& problem, BackEnd back_end) {
  trammel::dae::Evaluation evaluation(*problem.system);
  AccelerationSolver solver(evaluation, {.back_end = back_end});
  double t = 0;
  for (auto _ : state) {
    // Another time makes the evaluation forget what it knows about this position.
    evaluation.set_position(t += 1, problem.start.q);
    evaluation.set_velocity(problem.start.v);
    const bool solved = solver.factor_position() == AccelerationStatus::kSolved &&
                        solver.solve(problem.start) == AccelerationStatus::kSolved;
    if (!solved) {
      state.SkipWithError("the equations could not be solved");
      return;
    }
    benchmark::DoNotOptimize(evaluation.point().a.data());
  }
  const auto& structure = problem.system->structure();
  state.counters["unknowns"] = structure.n_v() + structure.m();
}

template <BackEnd kBackEnd>
void chain(benchmark::State& state) {
  const auto n = static_cast<double>(state.range(0));
  run_accelerations(state, build_moving("chain", {{"n", n}}), kBackEnd);
  state.counters["per_rod"] =
      benchmark::Counter(n, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <BackEnd kBackEnd>
void insulator_chain(benchmark::State& state) {
  run_accelerations(state, build_moving("insulator-chain", {{"n", static_cast<double>(state.range(0))}}), kBackEnd);
}

template <BackEnd kBackEnd>
void mixed_chain(benchmark::State& state) {
  run_accelerations(state, build_moving("mixed-chain", {{"n", static_cast<double>(state.range(0))}}), kBackEnd);
}

template <BackEnd kBackEnd>
void andrews(benchmark::State& state) {
  run_accelerations(state, build_moving("andrews"), kBackEnd);
}

/// Factor and solve with n coordinates in blocks that share no inertia (branches of a tree in joint coordinates), and
/// n / 4 constraints, each between all coordinates of two neighbouring blocks (loops that close them).
template <BackEnd kBackEnd>
void filled(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0)), blocks = static_cast<int>(state.range(1)), m = n / 4;
  const auto block_of = [&](int i) { return i * blocks / n; };
  std::vector<Entry> inertia, loops;
  Vector mass(n * n), jacobian(m * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (block_of(i) != block_of(j)) continue;
      mass[static_cast<int>(inertia.size())] = 1.0 / (1 + std::abs(i - j));
      inertia.push_back({i, j});
    }
    for (int r = 0; r < m; ++r) {
      const int first = r * std::max(1, blocks - 1) / m;
      if (block_of(i) != first && block_of(i) != first + 1) continue;
      jacobian[static_cast<int>(loops.size())] = std::sin(1 + i * (r + 1));
      loops.push_back({r, i});
    }
  }
  const Pattern M(n, n, std::move(inertia)), G(m, n, std::move(loops));
  trammel::kkt::Layout layout;
  layout.upper = n;
  layout.lower = m;
  layout.blocks = {{&M}};
  layout.jacobian = &G;
  layout.is_mass_only = true;
  Solver solver(std::move(layout), {.back_end = kBackEnd});
  const std::array values{trammel::kkt::BlockValues{mass.data()}};
  Vector upper(n), lower(m);
  for (auto _ : state) {
    if (!solver.factor(values, jacobian.data())) {
      state.SkipWithError("singular");
      return;
    }
    upper.setOnes();
    lower.setZero();
    solver.solve(upper, lower);
    benchmark::DoNotOptimize(upper.data());
  }
  state.counters["filling"] = (M.size() + 2.0 * G.size()) / ((n + m) * (n + m));
}

/// Bodies on hinges in space or on a line of hinges in the plane, a chain or a binary tree: factor and solve from
/// values that are given. The counter `per_body` is the time divided by n.
template <int kWidth, bool kIsBinary>
void articulated(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  constexpr int kLinear = kWidth == 3 ? 2 : 3;
  trammel::dae::TreeStructure tree;
  tree.width = kWidth;
  for (int k = 0; k < n; ++k) tree.nodes.push_back({kIsBinary ? (k + 1) / 2 - 1 : k - 1, k, 1, kWidth * k});
  trammel::dae::TreeValues values = tree.make_values();
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i < kWidth; ++i) {
      values.inertia[static_cast<std::size_t>((k * kWidth + i) * kWidth + i)] = i < kLinear ? 1 : 0.1;
      if (i >= kLinear) values.axes[static_cast<std::size_t>(k * kWidth + i)] = std::sin(1 + k + 2 * i);
    }
    for (int i = 0; i < kLinear; ++i) values.shift[static_cast<std::size_t>(k * kLinear + i)] = std::cos(k + i);
  }
  const Pattern no_mass(n, n), no_rows(0, n);  // the tree stands for the mass
  trammel::kkt::Layout layout;
  layout.upper = n;
  layout.blocks = {{&no_mass}};
  layout.jacobian = &no_rows;
  layout.tree = &tree;
  layout.is_mass_only = true;
  Solver solver(std::move(layout), {.back_end = BackEnd::kArticulated, .max_refinements = 0});
  Vector upper(n), lower(0);
  for (auto _ : state) {
    if (!solver.factor_tree(values, nullptr)) {
      state.SkipWithError("singular");
      return;
    }
    upper.setOnes();
    solver.solve(upper, lower);
    benchmark::DoNotOptimize(upper.data());
  }
  state.counters["per_body"] =
      benchmark::Counter(n, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Factor and solve for a chain of bodies with the given widths and rows for each joint, without a model: the rows of a
/// joint are the same on both bodies, but for the sign and a lever.
template <BackEnd kBackEnd, int kWidth, int kRows>
void body_chain(benchmark::State& state) {
  const int n = static_cast<int>(state.range(0));
  std::vector<Entry> inertia, joints;
  std::vector<double> mass, jacobian;
  trammel::dae::Structure structure;
  for (int body = 0; body < n; ++body) {
    structure.bodies.push_back(kWidth * body);
    for (int i = 0; i < kWidth; ++i) {
      for (int j = 0; j < kWidth; ++j) {
        inertia.push_back({kWidth * body + i, kWidth * body + j});
        mass.push_back(i == j ? 1 + 0.1 * i : 0.05 * std::sin(i + j + body));
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int side = 0; side < (body > 0 ? 2 : 1); ++side) {
        for (int i = 0; i < kWidth; ++i) {
          joints.push_back({kRows * body + r, kWidth * (body - side) + i});
          jacobian.push_back((side == 0 ? 1 : -1) * (i == r ? 1 : 0.3 * std::sin(1 + 3 * i + r + body + side)));
        }
      }
    }
  }
  structure.velocity_names.resize(static_cast<std::size_t>(kWidth * n));
  structure.constraint_names.resize(static_cast<std::size_t>(kRows * n));
  structure.mass = {kWidth * n, kWidth * n, inertia};
  structure.jacobian = {kRows * n, kWidth * n, joints};
  Solver solver(trammel::kkt::Layout::mass(structure), {.back_end = kBackEnd, .max_refinements = 0});
  const std::array values{trammel::kkt::BlockValues{mass.data()}};
  Vector upper(kWidth * n), lower(kRows * n);
  for (auto _ : state) {
    if (!solver.factor(values, jacobian.data())) {
      state.SkipWithError("singular");
      return;
    }
    upper.setOnes();
    lower.setZero();
    solver.solve(upper, lower);
    benchmark::DoNotOptimize(upper.data());
  }
  state.counters["per_body"] =
      benchmark::Counter(n, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Dense factors of more than a few hundred unknowns are of no interest: their cost grows with the cube.
void dense_sizes(benchmark::internal::Benchmark* b) {
  for (const int n : {1, 2, 3, 4, 5, 6, 8, 16, 32, 100}) b->Arg(n);
}

void sparse_sizes(benchmark::internal::Benchmark* b) {
  dense_sizes(b);
  b->Arg(500)->Arg(1000);
}

BENCHMARK_TEMPLATE(chain, BackEnd::kCholeskyQr)->Apply(dense_sizes);
BENCHMARK_TEMPLATE(chain, BackEnd::kDenseSymmetric)->Apply(dense_sizes);
BENCHMARK_TEMPLATE(chain, BackEnd::kDenseLu)->Apply(dense_sizes);
BENCHMARK_TEMPLATE(chain, BackEnd::kSparse)->Apply(sparse_sizes);
BENCHMARK_TEMPLATE(chain, BackEnd::kAutomatic)->Apply(sparse_sizes);
// No Cholesky here: the point where the cable pulls has no mass.
BENCHMARK_TEMPLATE(insulator_chain, BackEnd::kDenseSymmetric)->Arg(2)->Arg(8)->Arg(32);
BENCHMARK_TEMPLATE(insulator_chain, BackEnd::kDenseLu)->Arg(2)->Arg(8)->Arg(32);
BENCHMARK_TEMPLATE(insulator_chain, BackEnd::kSparse)->Arg(2)->Arg(8)->Arg(32);
BENCHMARK_TEMPLATE(mixed_chain, BackEnd::kDenseLu)->Arg(2)->Arg(10)->Arg(40);
BENCHMARK_TEMPLATE(mixed_chain, BackEnd::kBlockElimination)->Arg(2)->Arg(10)->Arg(40);
BENCHMARK_TEMPLATE(mixed_chain, BackEnd::kSparse)->Arg(2)->Arg(10)->Arg(40);
BENCHMARK_TEMPLATE(filled, BackEnd::kCholeskyQr)->ArgsProduct({{40, 80, 160}, {1, 2, 3, 4, 8}});
BENCHMARK_TEMPLATE(filled, BackEnd::kDenseLu)->ArgsProduct({{40, 80, 160}, {1, 2, 3, 4, 8}});
BENCHMARK_TEMPLATE(filled, BackEnd::kSparse)->ArgsProduct({{40, 80, 160}, {1, 2, 3, 4, 8}});
BENCHMARK_TEMPLATE(chain, BackEnd::kRecursive)->Apply(sparse_sizes);
BENCHMARK_TEMPLATE(body_chain, BackEnd::kRecursive, 3, 2)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_TEMPLATE(body_chain, BackEnd::kRecursive, 6, 5)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_TEMPLATE(body_chain, BackEnd::kRecursive, 6, 3)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_TEMPLATE(body_chain, BackEnd::kSparse, 3, 2)->RangeMultiplier(10)->Range(10, 1000);
BENCHMARK_TEMPLATE(body_chain, BackEnd::kSparse, 6, 5)->RangeMultiplier(10)->Range(10, 1000);
BENCHMARK_TEMPLATE(articulated, 3, false)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_TEMPLATE(articulated, 6, false)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_TEMPLATE(articulated, 3, true)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_TEMPLATE(articulated, 6, true)->RangeMultiplier(10)->Range(10, 100000);
BENCHMARK_TEMPLATE(andrews, BackEnd::kCholeskyQr);
BENCHMARK_TEMPLATE(andrews, BackEnd::kDenseSymmetric);
BENCHMARK_TEMPLATE(andrews, BackEnd::kDenseLu);
BENCHMARK_TEMPLATE(andrews, BackEnd::kSparse);

}  // namespace
