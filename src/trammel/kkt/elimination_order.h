#pragma once

// Orders in which the unknowns of [H B; G 0] may be eliminated so that sparse factors hardly fill in. A permutation
// lists the unknowns, coordinates and then constraints, in their new order.

#include <vector>

#include "trammel/kkt/solver.h"

namespace trammel::kkt {

/// Coordinates in the order of the system, each constraint right after the last coordinate it touches: chains that are
/// numbered along their length fill in hardly at all.
std::vector<int> calc_interleaved_order(const Layout& layout);

/// Bodies from the leaves to the root of a depth-first walk along constraints and springs, whatever their numbers:
/// trees hardly fill in, and a loop fills along its own bodies only. A constraint comes after the first body it touches
/// while that has velocities left for it to hold, and else after the next.
std::vector<int> calc_leaves_first_order(const Layout& layout);

}  // namespace trammel::kkt
