#pragma once

// What is wrong with the input of integrate(), before anything is computed.

#include <string>
#include <vector>

#include "trammel/integrators/event.h"
#include "trammel/integrators/method.h"

namespace trammel::integrators {

/// One message for each problem; empty when a run can begin.
std::vector<std::string> find_input_problems(const MethodEntry& method, const dae::Structure& structure,
                                             const dae::State& start, double t_end, const Options& options,
                                             const std::vector<Event>& events);

}  // namespace trammel::integrators
