#pragma once

// Simbody's Runge-Kutta-Merson integrator on rods in space, in joint coordinates.

#include "bench/peers/contender.h"
#include "bench/peers/problem.h"

namespace trammel::bench {

/// Keeps a reference to the problem, which has Problem::rods.
Contender make_simbody(const Problem& problem);

}  // namespace trammel::bench
