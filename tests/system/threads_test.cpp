// Large models give the same bits whatever the number of threads.

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <vector>

#include "cases/case.h"
#include "trammel/dae/evaluation.h"
#include "trammel/integrators/integrate.h"
#include "trammel/linalg/parallel.h"

namespace trammel {
namespace {

using dae::Derivative;
using dae::Evaluation;
using dae::State;
using linalg::Vector;

/// G, its products and all derivatives of a case away from its start, one after the other.
std::vector<double> evaluate(const cases::Case& c) {
  const dae::Structure& s = c.system->structure();
  State state = c.start;
  state.v = Vector::LinSpaced(s.n_v(), -1, 2);
  c.system->retract(c.start.q, 0.3 * state.v, state.q);
  Evaluation evaluation(*c.system);
  evaluation.set(state);
  std::vector<double> all;
  const auto add = [&](const double* values, Eigen::Index size) { all.insert(all.end(), values, values + size); };
  const auto add_vector = [&](const Vector& values) { add(values.data(), values.size()); };
  add_vector(evaluation.force());
  add_vector(evaluation.constraint());
  add_vector(evaluation.acceleration_bias());
  add(evaluation.jacobian(), s.jacobian.size());
  const Vector of_rows = Vector::LinSpaced(s.m(), 1, 3), of_motion = Vector::LinSpaced(s.n_v(), 2, 1);
  for (const Derivative which :
       {Derivative::kForceByQ, Derivative::kForceByV, Derivative::kVelocityByQ, Derivative::kBiasByV}) {
    add(evaluation.derivative(which), s.pattern(which).size());
  }
  add(evaluation.derivative(Derivative::kReactionByQ, of_rows), s.pattern(Derivative::kReactionByQ).size());
  add(evaluation.derivative(Derivative::kAccelerationByQ, of_motion), s.pattern(Derivative::kAccelerationByQ).size());
  return all;
}

std::vector<double> run(const cases::Case& c, const char* method, double t_end) {
  integrators::Options options;
  options.method = method;
  options.rtol = options.atol = 1e-4;
  const integrators::RunResult result = integrators::integrate(*c.system, c.start, t_end, options);
  EXPECT_TRUE(result.ok()) << result.reason;
  std::vector<double> all;
  for (const Vector* part : {&result.state.q, &result.state.v, &result.state.lambda}) {
    all.insert(all.end(), part->data(), part->data() + part->size());
  }
  return all;
}

/// The values that `calc` returns with so many threads.
template <class Calc>
std::vector<double> with_threads(int threads, const Calc& calc) {
  std::vector<double> values;
  tbb::task_arena(threads).execute([&] { values = calc(); });
  return values;
}

struct Sample {
  const char* name;
  cases::ParameterValues parameters;
  const char* method;
  double t_end;
};

TEST(Threads, EvaluationsAndRunsOfLargeModelsHaveTheSameBits) {
  const std::vector<Sample> samples{{"spatial-chain", {{"n", 3200}}, "projection", 1e-3},
                                    {"spatial-chain", {{"n", 2000}, {"hinges", 1}}, "projection", 1e-3},
                                    {"bushing-chain", {{"n", 150}}, "hht", 1e-3}};
  for (const Sample& sample : samples) {
    const cases::Case c = cases::build_case(*cases::find_case(sample.name), sample.parameters);
    const auto evaluate_it = [&] { return evaluate(c); };
    const auto run_it = [&] { return run(c, sample.method, sample.t_end); };
    const std::vector<double> values = with_threads(1, evaluate_it), end = with_threads(1, run_it);
    for (const int threads : {2, 4}) {
      EXPECT_EQ(with_threads(threads, evaluate_it), values) << sample.name << ", " << threads << " threads";
      EXPECT_EQ(with_threads(threads, run_it), end) << sample.name << ", " << threads << " threads";
    }
    linalg::set_thread_limit(1);
    EXPECT_EQ(with_threads(4, evaluate_it), values) << sample.name << ", with a limit of one";
    linalg::set_thread_limit(0);
  }
}

}  // namespace
}  // namespace trammel
