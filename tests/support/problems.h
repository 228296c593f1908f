#pragma once

// Problems with a solution that no code of ours produced, for suites that run over methods.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trammel/dae/constrained_system.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"

namespace trammel::testing {

struct Problem {
  std::string name;
  std::shared_ptr<const dae::ConstrainedSystem> system;
  dae::State start;
  double t_end = 1;
  /// q, v and, where known, lambda and x of the exact solution; what is not known has size zero.
  std::function<dae::State(double t)> solution;
};

/// Smooth and not stiff: every method must manage those that it says it can.
const std::vector<Problem>& smooth_problems();
const Problem& smooth_problem(const std::string& name);

/// Largest differences between a state and the exact one.
struct Errors {
  double q = 0, v = 0, lambda = 0, x = 0;
};
Errors calc_errors(const dae::State& state, const dae::State& exact);

/// Names of the methods that can integrate the problem.
std::vector<std::string> methods_for(const Problem& problem);

}  // namespace trammel::testing
