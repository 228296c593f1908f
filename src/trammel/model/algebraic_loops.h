#pragma once

// Variables that depend on themselves.

#include "trammel/model/model.h"

namespace trammel::model {

/// Variables are computed in the order of their dependence. Where they depend on each other in a circle, one of the
/// circle becomes an extra state x of the kind 0 = x - expression, and what refers to the variable refers to the state.
/// Throws std::invalid_argument when a force depends on its own value.
void resolve_algebraic_loops(Model& model);

}  // namespace trammel::model
