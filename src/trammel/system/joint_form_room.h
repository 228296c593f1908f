#pragma once

// Working memory of a JointForm; for its own files only.

#include <array>
#include <vector>

#include "trammel/system/joint_form.h"

namespace trammel::system {

class JointForm::Room final : public dae::Workspace {
 public:
  Room(const Mechanism& system, const JointTree& tree, const Layout& layout);

  /// The numbers 00, 10, 20, 11, 21, 22 of a symmetric matrix; in the plane the last one only.
  using Inertia = std::array<double, 6>;

  dae::Point inner;  ///< its q and v are not used
  // Valid after prepare_position() ...
  TreePlaces places;
  // ... what else belongs to a position, once it is asked for, ...
  bool has_inner_position = false, has_inertias = false, has_J = false, has_jacobian = false;
  std::vector<Inertia> inertias;  ///< of the bodies about their centres, ground axes [kg m^2]
  PathMatrix J;
  linalg::Vector jacobian;  ///< values of G of the inner system
  // ... and to a velocity: V and C have their bodies with the motion, and the rest with the fields.
  bool has_inner_velocity = false, has_motion = false, has_fields = false, has_c = false, has_velocity_by_q = false,
       has_c_by_q = false, has_c_by_v = false;
  TreeField V;  ///< of the velocities
  TreeField C;  ///< of c
  linalg::Vector c;
  PathMatrix velocity_by_q;  ///< d(J u)/dq
  PathMatrix c_by_q, c_by_v;
  // Room for whatever is under way.
  TreeField W;
  PathMatrix P;
  linalg::Vector y, z;  ///< n_v of the inner system
  linalg::Vector zero;  ///< n_v of the tree
  std::vector<Screw> wrenches;
  std::vector<TreeLoad> loads;
  linalg::Vector derivative;  ///< values of a derivative of the inner system
  std::vector<double> half;
  /// Of the bodies behind each joint: first moment [kg m] and inertia [kg m^2] about the centre of its body.
  struct Composite {
    double mass = 0;
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  };
  std::vector<Composite> composites;
};

}  // namespace trammel::system
