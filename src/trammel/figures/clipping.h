#pragma once

// Lines within a box.

#include <vector>

#include "trammel/figures/display_list.h"

namespace trammel::figures {

/// The parts of a line through the places that lie in the box; a place that is not finite interrupts it. A line of one
/// place alone is a part of one place.
std::vector<std::vector<Place>> clip(const std::vector<Place>& line, const Box& box);

}  // namespace trammel::figures
