#pragma once

// From a model in body coordinates to the same in joint coordinates: a spanning tree is chosen, its joints lose their
// rows, and of the rows that remain those that others imply are left out, but watched.

#include <memory>
#include <optional>

#include "trammel/system/joint_form.h"

namespace trammel::analyses {

/// The tree that is best cut. A joint that has lost rows because others imply them is better cut than kept whole: the
/// rows that remain are then those of body coordinates.
topology::SpanningTree choose_tree(const system::Mechanism& mechanism);

/// Of a mechanism at a consistent start, with the tree that is best cut, or a given one. Throws std::invalid_argument
/// with a message for the user when it has no joint coordinates: no bodies, or too deep a tree.
std::shared_ptr<const system::JointForm> make_joint_form(const std::shared_ptr<const system::Mechanism>& mechanism,
                                                         const dae::State& start,
                                                         const std::optional<topology::SpanningTree>& tree = {});

}  // namespace trammel::analyses
