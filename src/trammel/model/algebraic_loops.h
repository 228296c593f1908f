#pragma once

// Variables that depend on themselves.

#include <string>
#include <vector>

#include "trammel/model/model.h"

namespace trammel::model {

/// Variables are computed in the order of their dependence. Where they depend on each other in a circle, one of the
/// circle becomes an extra state x of the kind 0 = x - expression, and what refers to the variable refers to the state.
/// Throws std::invalid_argument when a force depends on its own value.
void resolve_algebraic_loops(Model& model);

/// The circles that resolve_algebraic_loops() would cut: of each the names of its variables and forces, in the order in
/// which they refer to each other.
std::vector<std::vector<std::string>> find_algebraic_loops(const Model& model);

}  // namespace trammel::model
