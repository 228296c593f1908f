#include "trammel/integrators/integrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "trammel/integrators/input_check.h"
#include "trammel/integrators/method.h"
#include "trammel/integrators/run.h"

namespace trammel::integrators {

using dae::State;

namespace {

RunResult refuse(const State& start, const Options& options, std::string reason) {
  RunResult result;
  result.method = options.method;
  result.state = start;
  result.failure = {FailureCause::kInvalidInput, start.t, 0, reason};
  result.reason = std::move(reason);
  return result;
}

}  // namespace

RunResult integrate(const dae::ConstrainedSystem& system, const State& start, double t_end, const Options& options,
                    const std::vector<Event>& events, const Observers& observers) {
  if (const MethodEntry* method = find_method(options.method)) {
    return integrate_with(*method, system, start, t_end, options, events, observers);
  }
  std::vector<std::string> names;
  for (const MethodEntry* m : methods()) names.push_back(m->name);
  return refuse(start, options,
                fmt::format("there is no method '{}'; there are: {}", options.method, fmt::join(names, ", ")));
}

RunResult integrate_with(const MethodEntry& method, const dae::ConstrainedSystem& system, const State& start,
                         double t_end, const Options& options, const std::vector<Event>& events,
                         const Observers& observers) {
  const std::vector<std::string> problems =
      find_input_problems(method, system.structure(), start, t_end, options, events);
  if (!problems.empty()) return refuse(start, options, fmt::format("{}", fmt::join(problems, "; ")));
  State complete = State::zero(system.structure());
  complete.t = start.t;
  complete.q = start.q;
  complete.v = start.v;
  complete.x = start.x;
  const auto take = [](const linalg::Vector& given, linalg::Vector& guess) {
    if (given.size() == guess.size() && given.allFinite()) guess = given;
  };
  take(start.a, complete.a);  // where to look for reactions that forces depend on
  take(start.lambda, complete.lambda);
  take(start.x_rate, complete.x_rate);
  return Run(method, system, complete, t_end, options, events, observers).execute();
}

}  // namespace trammel::integrators
