#pragma once

// Where bodies are and how they move: what joints and forces are written in.
//
// A displacement of a body is (dr, dphi): of its centre of mass in ground axes and of its orientation in body axes,
// R_GB -> R_GB exp(skew(dphi)). Velocities, generalised forces and derivatives have the same six components; for the
// two bodies of an element they make twelve: translation and rotation of A, then of B.

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace trammel::model {

using Vector12 = Eigen::Matrix<double, 12, 1>;
using Matrix12 = Eigen::Matrix<double, 12, 12>;

struct BodyFrame {
  Eigen::Vector3d r = Eigen::Vector3d::Zero();      ///< centre of mass, ground axes [m]
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  ///< R_GB
  double angle = 0;                                 ///< of a planar body, turns counted [rad]
};

struct Twist {
  Eigen::Vector3d v = Eigen::Vector3d::Zero();  ///< of the centre of mass, ground axes [m/s]
  Eigen::Vector3d w = Eigen::Vector3d::Zero();  ///< angular velocity, body axes [rad/s]
};

/// The two bodies of an element.
struct FramePair {
  const BodyFrame& A;
  const BodyFrame& B;
};

struct TwistPair {
  const Twist& A;
  const Twist& B;

  Vector12 stacked() const {
    Vector12 xi;
    xi << A.v, A.w, B.v, B.w;
    return xi;
  }
};

}  // namespace trammel::model
