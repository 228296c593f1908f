#pragma once

// Scalar coordinates between two bodies: angles, travels, distances. Constraints couple them, motions drive them,
// forces act along them.
//
// A coordinate is one of the basic functions of primitives.h, or a smooth function F(phi_1, phi_2) of two of them, and
// offers the same five quantities, by the chain rule.

#include <optional>

#include "trammel/math/spline.h"
#include "trammel/model/joint/primitive/primitives.h"

namespace trammel::model {

class Coordinate {
 public:
  /// theta_B - theta_A + offset of planar bodies, linear and counting turns.
  static Coordinate planar_angle(double offset);
  /// atan2(y . c, x . c) for the axes x, y of A and c of B, in (-pi, pi].
  static Coordinate angle(const Eigen::Vector3d& x_A, const Eigen::Vector3d& y_A, const Eigen::Vector3d& c_B);
  /// The component along the axis a of A of the vector from A's point to B's point [m].
  static Coordinate projection(const Eigen::Vector3d& a_A, const Eigen::Vector3d& s_A, const Eigen::Vector3d& s_B);
  /// The distance of two points [m]. Where they coincide it has no gradient: there it is that along the x axis of A,
  /// which leads a search away, and all higher derivatives are zero.
  static Coordinate distance(const Eigen::Vector3d& s_A, const Eigen::Vector3d& s_B);
  /// The cosine between an axis of A and one of B.
  static Coordinate cosine(const Eigen::Vector3d& a_A, const Eigen::Vector3d& b_B);
  /// y - Y(x), or the radius minus Rho(angle) when polar, of B's point in the plane of two axes of A [m]. The spline
  /// must outlive the coordinate.
  static Coordinate off_curve(const Eigen::Vector3d& x_A, const Eigen::Vector3d& y_A, const Eigen::Vector3d& s_A,
                              const Eigen::Vector3d& s_B, const math::Spline& curve, bool is_polar);

  double value(const FramePair& f) const;
  /// Of the value; of a distance whose points coincide, the speed at which they part.
  double rate(const FramePair& f, const TwistPair& xi) const;
  void gradient(const FramePair& f, Vector12& G) const;
  void rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const;
  void quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const;
  void hessian(const FramePair& f, Matrix12& H) const;

  /// Whether this is a distance whose points coincide.
  bool is_degenerate(const FramePair& f) const;
  /// Of a distance whose points coincide: the gradient along the velocity at which they part. False when they rest.
  bool parting_gradient(const FramePair& f, const TwistPair& xi, Vector12& G) const;
  /// Of a distance whose points coincide: D^T D with D the derivative of the vector between them.
  void parting_hessian(const FramePair& f, Matrix12& H) const { square_.hessian(f, H); }

  /// Whether place k of the gradient may be nonzero.
  bool uses(int k) const;
  BlockMask hessian_blocks() const;
  /// Whether values that differ by a full turn are the same position: an angle in space.
  bool is_periodic() const { return kind_ == Kind::kAngle; }

 private:
  enum class Kind { kPlanarAngle, kAngle, kProjection, kDistance, kCosine, kCurve, kPolarCurve };

  /// Derivatives of F(phi_1, phi_2) up to the third order; symmetric ones once.
  struct Outer {
    double value = 0;
    double d[2] = {};
    double dd[3] = {};   // 11, 12, 22
    double ddd[4] = {};  // 111, 112, 122, 222
  };
  /// Values and derivatives of the inner functions.
  struct Inner {
    int count = 0;
    double value[2] = {};
    Vector12 gradient[2];
  };

  Inner eval_inner(const FramePair& f) const;
  Outer eval_outer(const Inner& inner) const;
  bool is_degenerate(const Inner& inner) const;
  void inner_rate_gradient(int k, const FramePair& f, const TwistPair& xi, Vector12& n) const;
  void inner_quadratic_gradient(int k, const FramePair& f, const TwistPair& xi, Vector12& T) const;
  void inner_hessian(int k, const FramePair& f, Matrix12& H) const;

  Kind kind_ = Kind::kPlanarAngle;
  double offset_ = 0;
  Dot1 dots_[2];
  Dot2 projections_[2];
  HalfSquare square_;
  const math::Spline* curve_ = nullptr;
};

}  // namespace trammel::model
