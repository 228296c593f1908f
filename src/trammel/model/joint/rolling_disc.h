#pragma once

// A thin disc that rolls without slipping on a plane.
//
// The plane is the x-y plane of a marker of body A with normal n; the disc belongs to body B, with centre c, axis z and
// radius R. The disc touches the plane in the point c + rho, rho = -R (n - (n.z) z) / |n - (n.z) z|. Its material point
// there must not move relative to the plane: three rows e_k . (v_disc - v_plane) = 0 with e_k = x, y (nonholonomic) and
// n. The last one is the rate of the height of the lowest point (rho is extremal), so it is the gradient of the
// holonomic
//
//   n . (c - o) - R sqrt(1 - (n.z)^2) = 0.
//
// The disc may not lie flat on the plane. One RollingRow is one of the three rows and offers what the basic functions
// of primitives.h offer; derivatives of the rows come from dual numbers.

#include "trammel/model/joint/primitive/primitives.h"

namespace trammel::model {

struct RollingRow {
  Eigen::Vector3d o_A;     ///< point of the plane, from A's centre of mass, A's axes [m]
  Eigen::Matrix3d axes_A;  ///< columns x, y, n of the plane, A's axes
  Eigen::Vector3d c_B;     ///< centre of the disc, from B's centre of mass, B's axes [m]
  Eigen::Vector3d z_B;     ///< axis of the disc, B's axes
  double radius = 0;       ///< [m]
  int direction = 2;       ///< 0, 1: along x and y of the plane; 2: along its normal

  static constexpr BlockMask kHessianBlocks = 0xffff;
  static bool uses(int) { return true; }

  /// The height of the lowest point over the plane, which belongs to direction 2 [m].
  double value(const FramePair& f) const;
  void gradient(const FramePair& f, Vector12& G) const;
  void rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const;
  void quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const;
  void hessian(const FramePair& f, Matrix12& H) const;
  /// d(beta)/dxi = (H + H^T) xi; the rows along the plane are no gradients, so the shorter form does not hold.
  void velocity_gradient(const FramePair& f, const TwistPair& xi, Vector12& out) const;
};

}  // namespace trammel::model
