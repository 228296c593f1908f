#pragma once

// What a user should know of a model that is sound but cannot be integrated, or does not start as it says.

#include <string>
#include <vector>

#include "trammel/analyses/prepare.h"

namespace trammel::analyses {

/// Bodies that the constraints let move without inertia, so that accelerations are not determined: M is singular on the
/// null space of G. One message a body, with what to do about it.
std::vector<std::string> find_massless_bodies(const system::Mechanism& mechanism, const dae::State& at);

/// States in implicit form, and variables that refer to each other in a circle, of which one becomes such a state.
std::vector<std::string> find_implicit_states(const model::Model& model);

/// Velocities of bodies that an initial rate of a joint overrules.
std::vector<std::string> find_overruled_velocities(const system::Mechanism& mechanism);

}  // namespace trammel::analyses
