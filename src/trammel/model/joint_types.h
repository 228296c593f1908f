#pragma once

// The kinds of joints: their names, what they are composed of, and the coordinates they offer.

#include <string>
#include <vector>

#include "trammel/model/model.h"

namespace trammel::model {

/// The basic constraints that joints are composed of. Axes are those of the joint's markers I and J: 0, 1, 2 = x, y, z.
enum class PrimitiveKind {
  kCoincident,  ///< component `axis_i` (of the ground) of the vector from I's point to J's point is zero
  kDot1,        ///< axis_i of I is perpendicular to axis_j of J
  kDot2,        ///< axis_i of I is perpendicular to the vector from I's point to J's point
  kDistance,    ///< the points of I and J keep the joint's length
  kAngle,       ///< planar: the angle from I to J is zero
};

struct PrimitiveUse {
  PrimitiveKind kind;
  int axis_i = 0;
  int axis_j = 0;
  const char* label;  ///< the motion that the row prevents: "rotation about its x axis"
};

struct JointTypeInfo {
  JointType type;
  std::string name;                   ///< as in model files
  std::string summary;                ///< one line
  bool in_plane = true;               ///< whether planar models may use it
  bool in_space = true;               ///< whether spatial models may use it
  std::vector<PrimitiveUse> planar;   ///< rows in a planar model
  std::vector<PrimitiveUse> spatial;  ///< rows in a spatial model
  std::vector<CoordinateKind> planar_coordinates;
  std::vector<CoordinateKind> spatial_coordinates;

  const std::vector<PrimitiveUse>& rows(Space space) const { return space == Space::kPlanar ? planar : spatial; }
  const std::vector<CoordinateKind>& coordinates(Space space) const {
    return space == Space::kPlanar ? planar_coordinates : spatial_coordinates;
  }
};

const std::vector<JointTypeInfo>& joint_types();
const JointTypeInfo& joint_type(JointType type);
/// nullptr when there is none of that name.
const JointTypeInfo* find_joint_type(const std::string& name);

/// "angle", "travel", "x", ... as in model files and results.
std::string to_string(CoordinateKind kind);
/// Whether the coordinate is an angle [rad]; else it is a length [m].
bool is_angle(CoordinateKind kind);

}  // namespace trammel::model
