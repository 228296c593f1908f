#pragma once

// A first step size from the size of the solution and of its first two derivatives (Hairer, Norsett and Wanner I,
// II.4): large enough not to crawl, small enough that the first attempt is mostly accepted.

#include "trammel/integrators/continuous_solution.h"

namespace trammel::integrators {

/// `state` is consistent and complete, the norm has its weights there. At most `longest` [s]. Costs one evaluation, or
/// what the method needs to complete a state.
double calc_initial_step(const MethodContext& context, Method& method, const dae::State& state, double longest);

}  // namespace trammel::integrators
