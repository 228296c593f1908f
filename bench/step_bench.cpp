// Whole runs of `projection`, and beside them the parts that a step is made of: one evaluation of the equations, one
// factorisation, one solution. What a step costs beyond 6 times their sum is the price of the engine.

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "cases/case.h"
#include "trammel/integrators/integrate.h"
#include "trammel/kkt/solver.h"

namespace {

using trammel::cases::Case;
using trammel::dae::Evaluation;
using trammel::integrators::Options;
using trammel::integrators::RunResult;

Case build(const char* name, int n = 0) {
  const auto parameters = n > 0 ? trammel::cases::ParameterValues{{"n", n}} : trammel::cases::ParameterValues{};
  return build_case(*trammel::cases::find_case(name), parameters);
}

/// With a tolerance of so many digits.
void projection(benchmark::State& state, const char* name, int n) {
  const Case problem = build(name, n);
  const Options options = Options::with_tolerance(std::pow(10, -static_cast<double>(state.range(0))));
  RunResult result;
  for (auto _ : state) {
    result = integrate(*problem.system, problem.start, problem.t_end, options);
    if (!result.ok()) {
      state.SkipWithError(result.reason.c_str());
      return;
    }
  }
  using benchmark::Counter;
  const auto steps = static_cast<double>(result.statistics.steps + result.statistics.rejected_error);
  state.counters["steps"] = steps;
  state.counters["evaluations"] = static_cast<double>(result.statistics.evaluations.force);
  state.counters["a_step"] = Counter(steps, Counter::kIsIterationInvariantRate | Counter::kInvert);
}
void digits(benchmark::internal::Benchmark* b) { b->ArgName("digits")->Arg(6)->Unit(benchmark::kMicrosecond); }
BENCHMARK_CAPTURE(projection, andrews, "andrews", 0)->Apply(digits)->Arg(3)->Arg(9);
BENCHMARK_CAPTURE(projection, pendulum, "pendulum", 0)->Apply(digits);
BENCHMARK_CAPTURE(projection, chain_10, "chain", 10)->Apply(digits);
BENCHMARK_CAPTURE(projection, chain_100, "chain", 100)->Apply(digits);

/// Mass, force, Jacobian and bias, through an Evaluation that decides what is new.
void evaluation(benchmark::State& state, const char* name, int n) {
  const Case problem = build(name, n);
  Evaluation evaluation(*problem.system);
  double t = 0;
  for (auto _ : state) {
    evaluation.set_position(t += 1, problem.start.q);
    evaluation.set_velocity(problem.start.v);
    benchmark::DoNotOptimize(evaluation.mass());
    benchmark::DoNotOptimize(evaluation.jacobian());
    benchmark::DoNotOptimize(evaluation.force().data());
    benchmark::DoNotOptimize(evaluation.acceleration_bias().data());
  }
}
BENCHMARK_CAPTURE(evaluation, andrews, "andrews", 0);
BENCHMARK_CAPTURE(evaluation, chain_100, "chain", 100);

/// The matrix of the accelerations at the start of a case, and its right side.
struct LinearSystem {
  explicit LinearSystem(const Case& problem)
      : evaluation(*problem.system), solver(trammel::kkt::Layout::mass(problem.system->structure())) {
    evaluation.set(problem.start);
  }
  void factor() {
    const std::array values{trammel::kkt::BlockValues{evaluation.mass()}};
    if (!solver.factor(values, evaluation.jacobian())) throw std::runtime_error("singular");
  }

  Evaluation evaluation;
  trammel::kkt::Solver solver;
};

void factorisation(benchmark::State& state, const char* name, int n) {
  const Case problem = build(name, n);
  LinearSystem system(problem);
  for (auto _ : state) system.factor();
}
BENCHMARK_CAPTURE(factorisation, andrews, "andrews", 0);
BENCHMARK_CAPTURE(factorisation, chain_100, "chain", 100);

void solution(benchmark::State& state, const char* name, int n) {
  const Case problem = build(name, n);
  LinearSystem system(problem);
  system.factor();
  trammel::linalg::Vector upper, lower;
  for (auto _ : state) {
    upper = system.evaluation.force();
    lower = system.evaluation.acceleration_bias();
    system.solver.solve(upper, lower);
    benchmark::DoNotOptimize(upper.data());
  }
}
BENCHMARK_CAPTURE(solution, andrews, "andrews", 0);
BENCHMARK_CAPTURE(solution, chain_100, "chain", 100);

}  // namespace
