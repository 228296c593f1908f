#pragma once

// Simbody's integrators on rods, in joint coordinates.

#include "bench/peers/contender.h"
#include "bench/peers/problem.h"
#include "bench/simbody_bodies.h"

namespace trammel::bench {

/// Keeps a reference to the problem, which has Problem::rods. As with ours, the model is compiled beforehand.
Contender make_simbody(const Problem& problem, SimbodyIntegrator integrator);

}  // namespace trammel::bench
