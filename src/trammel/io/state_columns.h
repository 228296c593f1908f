#pragma once

// The states of a system as rows of a result file, for systems that are given by their equations and say no more about
// themselves than names: positions, velocities, accelerations "a(<velocity>)", multipliers "lambda(<constraint>)" and
// extra states, in this order.

#include <vector>

#include "trammel/dae/state.h"
#include "trammel/io/result_header.h"

namespace trammel::io {

/// In the groups "coordinates", "constraints" and "states"; units are not known.
std::vector<Column> state_columns(const dae::Structure& structure);

/// Fills `values` with one value per column, in the same order.
void list_state(const dae::State& state, std::vector<double>& values);

}  // namespace trammel::io
