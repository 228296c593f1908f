#include "trammel/integrators/input_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trammel/dae/state_check.h"

namespace trammel::integrators {

std::vector<std::string> find_input_problems(const MethodEntry& method, const dae::Structure& structure,
                                             const dae::State& start, double t_end, const Options& options,
                                             const std::vector<Event>& events) {
  std::vector<std::string> problems = options.validate(start.t, t_end);
  for (std::string& problem : dae::find_state_problems(structure, start, "the start state")) {
    problems.push_back(std::move(problem));
  }
  if (structure.n_v() == 0) problems.push_back("the system has no coordinates");
  const auto settles = [](const Event& event) { return static_cast<bool>(event.settle); };
  if (!structure.switchable_rows.empty() && std::none_of(events.begin(), events.end(), settles)) {
    problems.push_back(
        "the system has constraints that events switch on and off (friction that sticks and slips), but was given none "
        "of those events; analyses::make_events() makes them");
  }
  for (const Event& event : events) {
    if (!event.function && !event.instants)
      problems.push_back(fmt::format("event '{}' has no switching function", event.name));
    if (!(event.threshold >= 0)) problems.push_back(fmt::format("the threshold of event '{}' is negative", event.name));
  }
  if (options.h_fixed > 0 && !method.capabilities.fixed_steps) {
    problems.push_back(
        fmt::format("method '{}' chooses its steps itself and cannot take fixed ones; leave the fixed step out, or use "
                    "another method",
                    method.name));
  }
  for (std::string& obstacle : find_obstacles(method, structure, options.method_options))
    problems.push_back(std::move(obstacle));
  return problems;
}

}  // namespace trammel::integrators
