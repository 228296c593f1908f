#pragma once

// Small things that the analyses share, mostly phrases.

#include <string>
#include <vector>

#include "trammel/dae/state_check.h"

namespace trammel::analyses {

/// t, q, v and x of the given state; a, lambda and x' where they fit, zero elsewhere.
dae::State complete_state(const dae::Structure& structure, const dae::State& given);

/// What a user calls the coordinate that v_i changes: the position where q' = v, the velocity otherwise.
const std::string& coordinate_name(const dae::Structure& structure, int i);

/// "a, b and 3 more": at most `most` names are written out.
std::string list_names(const std::vector<std::string>& names, std::size_t most = 5);

}  // namespace trammel::analyses
