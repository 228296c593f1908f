#pragma once

// ARKODE's explicit Runge-Kutta integrator with the formula that `projection` uses (Dormand and Prince 5(4)).

#include "bench/peers/contender.h"
#include "bench/peers/problem.h"

namespace trammel::bench {

/// The seven-body mechanism reduced by hand to (beta, beta'): what remains when engine and constraints cost nothing.
Contender make_reduced_andrews(const Problem& andrews);

/// The 2 n_v equations q' = v, v' = a(q, v) with our accelerations and no projection. Keeps a reference to the problem.
Contender make_underlying_ode(const Problem& problem);

}  // namespace trammel::bench
