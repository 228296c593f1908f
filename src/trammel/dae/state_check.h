#pragma once

// Whether a state that someone gives fits a system.

#include <string>
#include <vector>

#include "trammel/dae/state.h"
#include "trammel/dae/structure.h"

namespace trammel::dae {

/// What is wrong with the time and with the sizes and values of q, v and x, one message each; empty when sound. `what`
/// is the state in the messages: "the start state has 2 positions, but the system has 3".
std::vector<std::string> find_state_problems(const Structure& structure, const State& state,
                                             const std::string& what = "the state");

}  // namespace trammel::dae
