#pragma once

// What the inputs of expressions stand for: time, states, motions of markers, joint coordinates, forces, reactions.

#include <string>
#include <vector>

namespace trammel::model {

enum class SignalKind {
  kTime,
  kState,      ///< extra state `index`
  kStateRate,  ///< its derivative; only in implicit states
  kVariable,   ///< algebraic variable `index`
  // Between markers: of `a` seen from `b`, components in the axes of `c`, time derivatives as seen from `d`.
  kDisplacement,         ///< component of the vector from b to a [m]
  kDistance,             ///< its length [m]
  kVelocity,             ///< component of its derivative [m/s]
  kSpeed,                ///< length of its derivative [m/s]
  kSeparationRate,       ///< derivative of its length [m/s]
  kAngle,                ///< rotation of a seen from b about axis `component` of b, in (-pi, pi] [rad]
  kAngularVelocity,      ///< component of the angular velocity of a relative to b [rad/s]
  kAngularSpeed,         ///< its length [rad/s]
  kAcceleration,         ///< component of the second derivative of the vector from b to a [m/s^2]
  kAccelerationSize,     ///< its length
  kAngularAcceleration,  ///< component [rad/s^2]
  // Joints and forces: `index`, `component`.
  kJointCoordinate,  ///< component is a CoordinateKind; angles count turns
  kJointRate,
  kReactionForce,   ///< on the body of marker J, at its point, ground axes; component 3: its size [N]
  kReactionTorque,  ///< the same for the torque [N m]
  /// Scalar force: component 0. Vector force and bushing: 0..2 force [N], 3..5 torque [N m], ground axes, whatever axes
  /// the force is given in.
  kForceValue,
};

struct Signal {
  SignalKind kind = SignalKind::kTime;
  int index = -1;                      ///< state, variable, joint or force
  int component = 0;                   ///< 0, 1, 2 for x, y, z, or as said above
  int a = -1, b = -1, c = -1, d = -1;  ///< markers; -1: the ground frame
  std::string text;                    ///< as written, for messages

  bool operator==(const Signal& other) const {
    return kind == other.kind && index == other.index && component == other.component && a == other.a && b == other.b &&
           c == other.c && d == other.d;
  }
  bool needs_accelerations() const {
    return kind == SignalKind::kAcceleration || kind == SignalKind::kAccelerationSize ||
           kind == SignalKind::kAngularAcceleration;
  }
  bool needs_reactions() const { return kind == SignalKind::kReactionForce || kind == SignalKind::kReactionTorque; }
};

}  // namespace trammel::model
