#pragma once

// The events of a model, and the edges of its expressions, for the step loop.

#include <memory>
#include <vector>

#include "trammel/integrators/event.h"
#include "trammel/system/mechanism.h"

namespace trammel::analyses {

/// Events of the model (stop, report, new values of states), then those at which dry friction begins to stick or slip,
/// then the edges of the expressions that forces and states depend on (where they or their slope jump), on which steps
/// must end. The functions share a workspace: use them in one run at a time.
std::vector<integrators::Event> make_events(std::shared_ptr<const system::Mechanism> mechanism);

/// The expressions whose edges are among these events: of forces and states and of the variables that they use; none
/// when the model says find_switches: false.
std::vector<const model::Program*> find_watched_programs(const system::Mechanism& mechanism);

}  // namespace trammel::analyses
