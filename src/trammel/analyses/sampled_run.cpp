#include "trammel/analyses/sampled_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

namespace trammel::analyses {

using integrators::MethodEntry;

namespace {

// Steps that are held while a run goes on: a run of millions is thinned on the way.
constexpr std::size_t kMostHeld = 100'000;

class Recorder {
 public:
  Recorder(const Form& form, const SamplingOptions& sampling, const dae::Structure& structure)
      : form_(form), sampling_(sampling) {
    const auto rows = static_cast<Eigen::Index>(sampling.times.size());
    run_.trajectory.q.resize(rows, structure.n_q());
    run_.trajectory.v.resize(rows, structure.n_v());
  }
  integrators::Observers observers() {
    integrators::Observers observers;
    if (!sampling_.times.empty()) {
      observers.output = [this](const dae::State& state) { add_sample(form_.to_quasi(state)); };
    }
    if (sampling_.step_points > 0) {
      observers.step = [this](const integrators::StepRecord& step) { add_step({step.t, step.h}); };
    }
    if (sampling_.interval) {
      observers.interval = [this](const integrators::SolutionInterval& interval) {
        sampling_.interval(in_quasi_form(interval, form_));
      };
    }
    return observers;
  }
  SampledRun finish(integrators::RunResult result) {
    const auto count = static_cast<Eigen::Index>(run_.trajectory.t.size());
    run_.trajectory.q.conservativeResize(count, Eigen::NoChange);
    run_.trajectory.v.conservativeResize(count, Eigen::NoChange);
    if (sampling_.step_points > 0) run_.steps = thin_steps(run_.steps, sampling_.step_points);
    run_.result = std::move(result);
    if (run_.result.state.q.size() > 0) run_.result.state = form_.to_quasi(run_.result.state);
    return std::move(run_);
  }

 private:
  void add_sample(const dae::State& state) {
    const std::size_t k = run_.trajectory.t.size();
    if (k >= sampling_.times.size()) return;
    run_.trajectory.q.row(static_cast<Eigen::Index>(k)) = state.q.transpose();
    run_.trajectory.v.row(static_cast<Eigen::Index>(k)) = state.v.transpose();
    run_.trajectory.t.push_back(state.t);
    const auto wanted = static_cast<std::size_t>(std::max(0, sampling_.states)), all = sampling_.times.size();
    if ((k + 1) * wanted / all > k * wanted / all) run_.states.push_back(state);
  }
  void add_step(StepPoint step) {
    run_.steps.push_back(step);
    if (run_.steps.size() > kMostHeld) run_.steps = thin_steps(run_.steps, kMostHeld / 2);
  }

  const Form& form_;
  const SamplingOptions& sampling_;
  SampledRun run_;
};

}  // namespace

std::vector<StepPoint> thin_steps(const std::vector<StepPoint>& steps, std::size_t most) {
  if (steps.size() <= most) return steps;
  const std::size_t groups = std::max<std::size_t>(1, most / 2);
  const auto by_size = [](const StepPoint& a, const StepPoint& b) { return a.h < b.h; };
  std::vector<StepPoint> kept;
  for (std::size_t g = 0; g < groups; ++g) {
    const auto begin = steps.begin() + static_cast<std::ptrdiff_t>(g * steps.size() / groups);
    const auto end = steps.begin() + static_cast<std::ptrdiff_t>((g + 1) * steps.size() / groups);
    const auto [least, largest] = std::minmax_element(begin, end, by_size);
    kept.push_back(*std::min(least, largest));
    if (least != largest) kept.push_back(*std::max(least, largest));
  }
  return kept;
}

std::string find_obstacle(const CompareProblem& problem, const MethodEntry& method,
                          const integrators::MethodOptions& options) {
  try {
    const Form form = choose_form(problem.mechanism, problem.start, method, problem.form, options);
    return fmt::format("{}",
                       fmt::join(find_obstacles(method, form.system_of(*problem.system).structure(), options), "; "));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

SampledRun run_sampled(const CompareProblem& problem, const integrators::Options& given,
                       const SamplingOptions& sampling) {
  const MethodEntry* method = integrators::find_method(given.method);
  SampledRun refused;
  refused.obstacle = method ? find_obstacle(problem, *method, given.method_options)
                            : fmt::format("there is no method '{}'", given.method);
  if (!refused.obstacle.empty()) return refused;
  const Form form = choose_form(problem.mechanism, problem.start, *method, problem.form, given.method_options);
  integrators::Options options = given;
  options.output = {};
  if (!sampling.times.empty()) {
    options.output.kind = integrators::OutputKind::kPoints;
    options.output.points = sampling.times;
  }
  Recorder recorder(form, sampling, problem.system->structure());
  const integrators::Observers observers = recorder.observers();
  const std::vector<integrators::Event> events = events_in_form(problem.events, form);
  return recorder.finish(integrators::integrate(form.system_of(*problem.system), form.from_quasi(problem.start),
                                                problem.t_end, options, events, observers));
}

}  // namespace trammel::analyses
