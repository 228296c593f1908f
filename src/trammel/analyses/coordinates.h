#pragma once

// Whether a mechanism is integrated faster in the coordinates of its joints than in those of its bodies: a rule from
// the structure and the kind of method (docs/decisions/0026-automatic-coordinates.md has the measurements).

#include <string>

#include "trammel/system/mechanism.h"

namespace trammel::analyses {

/// What counts for the choice.
struct TreeSizes {
  int bodies = 0;
  int loops = 0;           ///< joints that are cut
  int depth = 0;           ///< most bodies between a body and the ground, itself counted
  int body_unknowns = 0;   ///< velocities and constraints in body coordinates
  int joint_unknowns = 0;  ///< the same in joint coordinates
  double mean_depth = 0;
  bool is_planar = false;
};
/// Of the spanning tree that joint coordinates would have; constraints that are redundant in one form only count in
/// neither.
TreeSizes calc_tree_sizes(const system::Mechanism& mechanism);

struct CoordinateAdvice {
  bool prefers_joints = false;
  std::string reason;  ///< "a tree of 3 bodies without loops, 3 unknowns in place of 33"
};
/// For methods that take derivatives, or for those that do not.
CoordinateAdvice advise_coordinates(const TreeSizes& sizes, bool is_implicit);

}  // namespace trammel::analyses
