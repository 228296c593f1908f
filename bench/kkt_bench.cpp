// Time of accelerations (mass, force, Jacobian, bias, factor, solve) by back end and size: where dense and sparse
// cross.
//
// The thresholds in src/trammel/kkt/solver.cpp are chosen from chain<...>/n: a chain of n rods has 5 n unknowns. The
// counter `per_rod` is the time divided by n; for a solver of linear cost it stays the same from n = 500 to n = 1000.

#include <benchmark/benchmark.h>

#include <cmath>
#include <stdexcept>

#include "cases/case.h"
#include "trammel/kkt/accelerations.h"

namespace {

using trammel::cases::Case;
using trammel::cases::ParameterValues;
using trammel::kkt::AccelerationSolver;
using trammel::kkt::AccelerationStatus;
using trammel::kkt::BackEnd;

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
    const bool solved =
        solver.factor_position() == AccelerationStatus::kSolved && solver.solve() == AccelerationStatus::kSolved;
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
void andrews(benchmark::State& state) {
  run_accelerations(state, build_moving("andrews"), kBackEnd);
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
BENCHMARK_TEMPLATE(insulator_chain, BackEnd::kCholeskyQr)->Arg(8)->Arg(32);
BENCHMARK_TEMPLATE(insulator_chain, BackEnd::kDenseSymmetric)->Arg(8)->Arg(32);
BENCHMARK_TEMPLATE(insulator_chain, BackEnd::kDenseLu)->Arg(8)->Arg(32);
BENCHMARK_TEMPLATE(insulator_chain, BackEnd::kSparse)->Arg(8)->Arg(32);
BENCHMARK_TEMPLATE(andrews, BackEnd::kCholeskyQr);
BENCHMARK_TEMPLATE(andrews, BackEnd::kDenseSymmetric);
BENCHMARK_TEMPLATE(andrews, BackEnd::kDenseLu);
BENCHMARK_TEMPLATE(andrews, BackEnd::kSparse);

}  // namespace
