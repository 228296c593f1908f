#include "trammel/integrators/state_space/reduced_problem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/state_space/state_space_method.h"

namespace trammel::integrators {

namespace {

const dae::ConstrainedSystem& checked(const dae::ConstrainedSystem& system) {
  MethodEntry any;
  any.name = "reduced equations";
  any.capabilities = kStateSpaceCapabilities;
  const std::vector<std::string> obstacles = find_obstacles(any, system.structure(), {});
  if (!obstacles.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(obstacles, "; ")));
  return system;
}

}  // namespace

ReducedProblem::ReducedProblem(const dae::ConstrainedSystem& system, const ReducedOptions& options)
    : evaluation_(checked(system)),
      accelerations_(evaluation_, {.back_end = options.back_end}),
      projector_(evaluation_, accelerations_),
      norm_(system.structure(), options.rtol, options.atol),
      context_{evaluation_, accelerations_, projector_, norm_, statistics_, no_options_, horizon_},
      equations_(context_, options.chart) {}

std::string ReducedProblem::begin(dae::State& state) {
  norm_.set_weights(state);
  if (std::string trouble = make_consistent(context_, state, true); !trouble.empty()) return trouble;
  norm_.set_weights(state);
  if (equations_.choose_chart(state) == kinematics::ChartChoice::kSingular) return equations_.describe_trouble();
  return {};
}

Statistics ReducedProblem::statistics() const {
  Statistics statistics = statistics_;
  statistics.evaluations += evaluation_.counts();
  statistics.linear += accelerations_.counts();
  equations_.add_counts(statistics);
  return statistics;
}

}  // namespace trammel::integrators
