// What a compiled model costs: all that implicit methods want of it, and accelerations, for chains of spatial rods tied
// by hinges. The time per body must not grow with the number of bodies.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "cases/case.h"
#include "trammel/dae/evaluation.h"
#include "trammel/kkt/accelerations.h"

namespace {

using trammel::cases::Case;
using trammel::dae::Derivative;
using trammel::dae::Evaluation;
using trammel::linalg::Vector;

Case build_chain(int n) { return build_case(*trammel::cases::find_case("spatial-chain"), {{"n", n}, {"hinges", 1}}); }

void count_per_body(benchmark::State& state) {
  state.counters["per_body"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// g, G, M, f and bias.
void mechanism_values(benchmark::State& state) {
  const Case chain = build_chain(static_cast<int>(state.range(0)));
  Evaluation evaluation(*chain.system);
  double t = 0;
  for (auto _ : state) {
    evaluation.set_position(t += 1, chain.start.q);
    evaluation.set_velocity(chain.start.v);
    benchmark::DoNotOptimize(evaluation.constraint().data());
    benchmark::DoNotOptimize(evaluation.mass());
    benchmark::DoNotOptimize(evaluation.jacobian());
    benchmark::DoNotOptimize(evaluation.force().data());
    benchmark::DoNotOptimize(evaluation.acceleration_bias().data());
  }
  count_per_body(state);
}

/// The derivatives of motion and constraints.
void mechanism_tangents(benchmark::State& state) {
  const Case chain = build_chain(static_cast<int>(state.range(0)));
  Evaluation evaluation(*chain.system);
  const Vector lambda = Vector::Ones(chain.system->structure().m()), a = Vector::Ones(chain.system->structure().n_v());
  double t = 0;
  for (auto _ : state) {
    evaluation.set_position(t += 1, chain.start.q);
    evaluation.set_velocity(chain.start.v);
    benchmark::DoNotOptimize(evaluation.derivative(Derivative::kReactionByQ, lambda));
    benchmark::DoNotOptimize(evaluation.derivative(Derivative::kForceByQ));
    benchmark::DoNotOptimize(evaluation.derivative(Derivative::kForceByV));
    benchmark::DoNotOptimize(evaluation.derivative(Derivative::kVelocityByQ));
    benchmark::DoNotOptimize(evaluation.derivative(Derivative::kAccelerationByQ, a));
    benchmark::DoNotOptimize(evaluation.derivative(Derivative::kBiasByV));
  }
  count_per_body(state);
}

void mechanism_accelerations(benchmark::State& state) {
  const Case chain = build_chain(static_cast<int>(state.range(0)));
  Evaluation evaluation(*chain.system);
  trammel::kkt::AccelerationSolver accelerations(evaluation);
  double t = 0;
  for (auto _ : state) {
    evaluation.set_position(t += 1, chain.start.q);
    evaluation.set_velocity(chain.start.v);
    using enum trammel::kkt::AccelerationStatus;
    if (accelerations.factor_position() != kSolved || accelerations.solve(chain.start) != kSolved) {
      state.SkipWithError("not solved");
      return;
    }
  }
  count_per_body(state);
}

void sizes(benchmark::internal::Benchmark* b) { b->Arg(10)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond); }
BENCHMARK(mechanism_values)->Apply(sizes);
BENCHMARK(mechanism_tangents)->Apply(sizes);
BENCHMARK(mechanism_accelerations)->Apply(sizes);

}  // namespace
