#pragma once

// Bodies and markers under way in numbers of type T: double, or duals that carry derivatives by the motion of one body.

#include "trammel/math/dual.h"
#include "trammel/math/rotation.h"
#include "trammel/system/marker_geometry.h"

namespace trammel::system {

using D6 = math::Dual<double, 6>;

/// A body under way, in numbers of type T.
template <class T>
struct BodyState {
  math::Vector3<T> r;
  math::Matrix3<T> R;
  math::Vector3<T> v, w;  // ground axes, body axes
  math::Vector3<T> a, alpha;
};

inline BodyState<double> body_state(const BodyFrame& frame, const Twist& twist, const Twist& acceleration) {
  return {frame.r, frame.R, twist.v, twist.w, acceleration.v, acceleration.w};
}

template <class T>
struct MarkerState {
  math::Vector3<T> P, V, A;    // point and its derivatives, ground axes
  math::Matrix3<T> axes;       // R_GM
  math::Vector3<T> W, W_rate;  // angular velocity and its derivative, ground axes
};

template <class T>
MarkerState<T> place(const BodyState<T>& body, const MarkerGeometry& marker) {
  MarkerState<T> m;
  const math::Vector3<T> s = marker.s.cast<T>();
  const math::Vector3<T> s_1 = body.w.cross(s);
  const math::Vector3<T> s_2 = body.w.cross(s_1) + body.alpha.cross(s);
  m.P = body.r + body.R * s;
  m.V = body.v + body.R * s_1;
  m.A = body.a + body.R * s_2;
  m.axes = body.R * marker.axes.cast<T>();
  m.W = body.R * body.w;
  m.W_rate = body.R * body.alpha;
  return m;
}

template <class T>
BodyState<T> cast(const BodyState<double>& s) {
  return {s.r.cast<T>(), s.R.cast<T>(), s.v.cast<T>(), s.w.cast<T>(), s.a.cast<T>(), s.alpha.cast<T>()};
}

/// Force and torque [N, N m].
using Wrench = Eigen::Matrix<double, 6, 1>;

/// A generalised force on a body (force in ground axes, torque about the centre of mass in body axes) as force and
/// torque at the point of a marker of that body, ground axes.
inline Wrench move_to_marker(const Wrench& at_centre, const BodyFrame& body, const MarkerGeometry& marker) {
  const Eigen::Vector3d force = at_centre.head<3>();
  Wrench result;
  result << force, body.R * at_centre.tail<3>() - (body.R * marker.s).cross(force);
  return result;
}

/// The body with its six displacements (or velocities) as the variables of the duals.
inline BodyState<D6> with_variables(const BodyState<double>& body, bool of_velocity) {
  BodyState<D6> moved = cast<D6>(body);
  math::Vector3<D6> d, dphi;
  for (int k = 0; k < 3; ++k) {
    d[k] = D6::variable(0.0, k);
    dphi[k] = D6::variable(0.0, 3 + k);
  }
  if (of_velocity) {
    moved.v += d;
    moved.w += dphi;
  } else {
    moved.r += d;
    moved.R += (moved.R * math::skew(dphi)).eval();
  }
  return moved;
}

}  // namespace trammel::system
