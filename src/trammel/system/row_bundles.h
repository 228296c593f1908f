#pragma once

// Rows of one joint that share points or axes, evaluated together: what they have in common is computed once. The
// values are those of PointDifference and Dot1 in primitives.h, row by row. The rows of a bundle follow each other in
// g, and so do their places in the Jacobian. For frames A and B, with P = r + R s a point of a body and w in body axes:
//
//   PointRows  e_k . (P_B - P_A),  d(e_k . P) = e_k . dr + (s x R^T e_k) . dphi,  quadratic term of P: R (w x (w x s))
//   AxisRows   a . u with u = R_A^T R_B b,  gradients a x u by dphi_A and -R_B^T R_A (a x u) by dphi_B,  quadratic term
//              (a.w_A)(u.w_A) + (a.w_B)(u.w_B) - 2 (u.w_A)(a.w_B) - |w_A - w_B|^2 (a.u), all of it in axes of A
//
// A planar body turns about z only, so that s x R^T e_k is a single number there.

#include <array>

#include "trammel/model/joint/primitive/primitives.h"

namespace trammel::system {

/// Where the rows of a bundle stand.
struct BundlePlace {
  int a, b;       ///< frames
  int row;        ///< the first
  int g;          ///< place of its first value in the Jacobian
  int count = 1;  ///< of rows

  /// Whether a row of the same frames is the next one, when every row has `width` values.
  bool is_followed_by(const BundlePlace& next, int width) const {
    return a == next.a && b == next.b && next.row == row + count && next.g == g + count * width;
  }
};

/// Two points held together, along one or more ground axes.
template <int dim>
class PointRows {
 public:
  PointRows(const model::PointDifference& phi, const BundlePlace& place)
      : place_(place), axes_{phi.axis}, s_A_(phi.s_A.head<dim>()), s_B_(phi.s_B.head<dim>()) {}
  /// Takes a further row in; false when it does not belong here.
  bool attempt_add(const model::PointDifference& phi, const BundlePlace& next) {
    if (place_.count == dim || phi.axis <= axes_[place_.count - 1]) return false;
    if (!place_.is_followed_by(next, width())) return false;
    if (phi.s_A.head<dim>() != s_A_ || phi.s_B.head<dim>() != s_B_) return false;
    axes_[place_.count++] = phi.axis;
    return true;
  }
  const BundlePlace& place() const { return place_; }

  void calc_constraint(const model::FramePair& f, double* g) const {
    const Point d = f.B.r.head<dim>() + arm(f.B, s_B_) - f.A.r.head<dim>() - arm(f.A, s_A_);
    for_each_axis([&](int i, int axis) { g[i] = d[axis]; });
  }

  /// Values in the order (e_k, s x R^T e_k) of A, then of B, row by row; none for the ground.
  void calc_jacobian(const model::FramePair& f, double* values) const {
    if (place_.a != 0) {
      write_side(-1, calc_turns(f.A, s_A_), values);
      values += kSide;
    }
    if (place_.b != 0) write_side(1, calc_turns(f.B, s_B_), values);
  }

  void calc_bias(const model::FramePair& f, const model::TwistPair& xi, double* bias) const {
    const Point beta = calc_turning(f.B, xi.B, s_B_) - calc_turning(f.A, xi.A, s_A_);
    for_each_axis([&](int i, int axis) { bias[i] = -beta[axis]; });
  }

 private:
  static constexpr int kTurns = dim == 2 ? 1 : 3;  // velocities of rotation of a body
  static constexpr int kSide = 1 + kTurns;         // values of one body in a row
  using Point = Eigen::Matrix<double, dim, 1>;
  using Turns = Eigen::Matrix<double, kTurns, dim>;

  int width() const { return place_.a != 0 && place_.b != 0 ? 2 * kSide : kSide; }
  static Point arm(const model::BodyFrame& body, const Point& s) {
    return body.R.topLeftCorner<dim, dim>().lazyProduct(s);
  }
  // Column k: s x R^T e_k.
  static Turns calc_turns(const model::BodyFrame& body, const Point& s) {
    Turns turns;
    if constexpr (dim == 2) {
      const Point d = arm(body, s);
      turns << -d[1], d[0];
    } else {
      for (int k = 0; k < 3; ++k) turns.col(k) = s.cross(body.R.row(k).transpose());
    }
    return turns;
  }
  // R (w x (w x s)).
  static Point calc_turning(const model::BodyFrame& body, const model::Twist& xi, const Point& s) {
    if constexpr (dim == 2) {
      return -xi.w[2] * xi.w[2] * arm(body, s);
    } else {
      return arm(body, xi.w.dot(s) * xi.w - xi.w.squaredNorm() * s);
    }
  }
  void write_side(double sign, const Turns& turns, double* values) const {
    const int stride = width();
    for_each_axis([&](int i, int axis) {
      values[i * stride] = sign;
      for (int j = 0; j < kTurns; ++j) values[i * stride + 1 + j] = sign * turns(j, axis);
    });
  }
  // Calls visit(row, axis); a loop of known length where all axes are there.
  template <class Visit>
  void for_each_axis(const Visit& visit) const {
    if (place_.count == dim) {
      for (int i = 0; i < dim; ++i) visit(i, i);
    } else {
      for (int i = 0; i < place_.count; ++i) visit(i, axes_[i]);
    }
  }

  BundlePlace place_;
  std::array<int, dim> axes_;  // of the ground, one a row, increasing
  Point s_A_, s_B_;            // from the centres of mass, body axes [m]
};

/// One or two axes of A perpendicular to an axis of B, in space.
class AxisRows {
 public:
  AxisRows(const model::Dot1& phi, const BundlePlace& place) : place_(place), a_{phi.a}, b_(phi.b) {}
  bool attempt_add(const model::Dot1& phi, const BundlePlace& next) {
    const int width = place_.a != 0 && place_.b != 0 ? 6 : 3;
    if (place_.count == kMost || !place_.is_followed_by(next, width) || phi.b != b_) return false;
    a_[place_.count++] = phi.a;
    return true;
  }
  const BundlePlace& place() const { return place_; }

  void calc_constraint(const model::FramePair& f, double* g) const {
    const Eigen::Vector3d u = into_A(f, b_);
    for (int i = 0; i < place_.count; ++i) g[i] = a_[i].dot(u);
  }

  /// Values by dphi_A, then by dphi_B, row by row; none for the ground.
  void calc_jacobian(const model::FramePair& f, double* values) const {
    const Eigen::Vector3d u = into_A(f, b_);
    for (int i = 0; i < place_.count; ++i) {
      const Eigen::Vector3d G = a_[i].cross(u);
      if (place_.a != 0) {
        Eigen::Map<Eigen::Vector3d>{values} = G;
        values += 3;
      }
      if (place_.b != 0) {
        Eigen::Map<Eigen::Vector3d>{values} = -into_body(f.B, into_ground(f.A, G));
        values += 3;
      }
    }
  }

  void calc_bias(const model::FramePair& f, const model::TwistPair& xi, double* bias) const {
    const Eigen::Vector3d u = into_A(f, b_), w_B = into_A(f, xi.B.w);
    const Eigen::Vector3d& w_A = xi.A.w;
    const double u_A = u.dot(w_A), u_B = b_.dot(xi.B.w), square = (w_A - w_B).squaredNorm();
    for (int i = 0; i < place_.count; ++i) {
      const double a_A = a_[i].dot(w_A), a_B = a_[i].dot(w_B);
      bias[i] = square * a_[i].dot(u) + 2 * u_A * a_B - a_A * u_A - a_B * u_B;
    }
  }

 private:
  // R_A^T R_B x.
  static Eigen::Vector3d into_A(const model::FramePair& f, const Eigen::Vector3d& x) {
    return into_body(f.A, into_ground(f.B, x));
  }
  // R x and R^T x, written out: g++ calls functions for the products of Eigen.
  static Eigen::Vector3d into_ground(const model::BodyFrame& body, const Eigen::Vector3d& x) {
    const auto row = [&](int i) { return body.R(i, 0) * x[0] + body.R(i, 1) * x[1] + body.R(i, 2) * x[2]; };
    return {row(0), row(1), row(2)};
  }
  static Eigen::Vector3d into_body(const model::BodyFrame& body, const Eigen::Vector3d& x) {
    const auto column = [&](int j) { return body.R(0, j) * x[0] + body.R(1, j) * x[1] + body.R(2, j) * x[2]; };
    return {column(0), column(1), column(2)};
  }

  static constexpr int kMost = 2;
  BundlePlace place_;
  std::array<Eigen::Vector3d, kMost> a_;  // unit vectors in A's axes, one a row
  Eigen::Vector3d b_;                     // in B's axes
};

}  // namespace trammel::system
