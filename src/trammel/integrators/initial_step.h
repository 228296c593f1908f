#pragma once

// A first step size from the size of the solution and of its first two derivatives (Hairer, Norsett and Wanner I,
// II.4): large enough not to crawl, small enough that the first attempt is mostly accepted.

#include "trammel/dae/evaluation.h"
#include "trammel/integrators/error_norm.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::integrators {

/// `state` is consistent and complete, the norm has its weights there. At most `longest` [s]. Costs one evaluation.
double calc_initial_step(dae::Evaluation& evaluation, kkt::AccelerationSolver& accelerations, const ErrorNorm& norm,
                         const dae::State& state, int order, double longest);

}  // namespace trammel::integrators
