#pragma once

// The motion that a joint leaves free, as a product of elementary motions with one coordinate each, or three for a
// ball:
//
//   T_IJ(q) = F_0 E_1(q_1) F_1 E_2(q_2) ... E_n(q_n) F_n                                                            (1)
//
// T_IJ places the axes and the point of marker J in those of marker I, the F are constant and the E turn about or slide
// along an axis of the frame that they begin in. Where the model has a name for a coordinate, as "angle" or "travel",
// q is that coordinate.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "trammel/model/model.h"

namespace trammel::topology {

/// A place: x in the inner frame is R x + p in the outer one.
struct Pose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero();  ///< [m]

  Pose operator*(const Pose& inner) const { return {R * inner.R, R * inner.p + p}; }
  Pose inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
};

enum class MotionKind { kTurn, kSlide, kScrew, kBall };

/// F E(q).
struct MotionStep {
  MotionKind kind = MotionKind::kTurn;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  ///< unit vector; of a ball without meaning
  double pitch = 0;                                 ///< of a screw [m/rad]
  Pose before;                                      ///< F
  std::string name;  ///< of the coordinate: "angle", "x"; of a ball that of its Euler parameters, "e"

  int velocities() const { return kind == MotionKind::kBall ? 3 : 1; }
  int positions() const { return kind == MotionKind::kBall ? 4 : 1; }
};

struct JointMotion {
  std::vector<MotionStep> steps;
  Pose end;  ///< F_n

  int velocities() const;
  int positions() const;
  /// I seen from J: the steps backwards. Coordinates of turns and slides keep their values.
  JointMotion reversed() const;
};

/// Of a free body, seen from the ground: slides along the axes, then a ball; in the plane a turn.
JointMotion free_motion(model::Space space);
/// Of a joint of the model; nothing when it has none that covers all positions evenly (rods, contacts with curves and
/// planes), or when it couples other joints' coordinates. A length that is that of the assembled start, and a screw's
/// offset, are left zero.
std::optional<JointMotion> find_joint_motion(const model::Model& model, int joint);

/// Of each joint, what reads its reactions while the equations are solved, "friction 'brake'" or "state 'wear'"; empty
/// when nothing does. Reactions that are read are unknowns, and such joints keep their constraints. What only results
/// and events read is computed afterwards.
std::vector<std::string> find_reaction_readers(const model::Model& model);

}  // namespace trammel::topology
