#pragma once

// The basic scalar functions phi of the frames of two bodies that joints and coordinates are composed of:
//
//   PointDifference  e . (P_B - P_A)          e a ground axis, P = r + R s a point of a body
//   Dot1             (R_A a) . (R_B b)
//   Dot2             (R_A a) . (P_B - P_A)
//   HalfSquare       |P_B - P_A|^2 / 2
//
// Each is a product u . w of vectors whose rates are R (w x a) and the like, so everything has a short closed form.
// With displacements as in body_frame.h and xi the twelve velocities (theory: docs/theory/elements.md):
//
//   gradient            G = dphi/dq                       phi' = G xi
//   rate gradient       n = d(G xi)/dq at fixed xi        = H^T xi,  H = dG^T/dq
//   quadratic term      phi'' = G xi' + beta,  beta = n . xi
//   quadratic gradient  T = d(beta)/dq at fixed xi
//   Hessian             H_ij = dG_i/dq_j; not symmetric, since rotations do not commute
//
// H xi = n + (G_rot x w) in the rotational places, hence d(beta)/dxi = 2 n + (G_rot x w).

#include <array>
#include <cstdint>

#include "trammel/math/rotation.h"
#include "trammel/model/body_frame.h"

namespace trammel::model {

/// Adds (G_rot x w) of both bodies: what H xi has beyond H^T xi.
inline void add_commutator(const Vector12& gradient, const TwistPair& xi, Vector12& out) {
  out.segment<3>(3) += gradient.segment<3>(3).cross(xi.A.w);
  out.segment<3>(9) += gradient.segment<3>(9).cross(xi.B.w);
}

/// d(beta)/dxi = 2 n + (G_rot x w) of a function phi.
template <class Phi>
void velocity_gradient(const Phi& phi, const FramePair& f, const TwistPair& xi, Vector12& out) {
  Vector12 G;
  phi.gradient(f, G);
  phi.rate_gradient(f, xi, out);
  out *= 2;
  add_commutator(G, xi, out);
}

/// y a^T - (y . a) I: the second derivative of y . R a by two rotations of R, y in body axes.
inline Eigen::Matrix3d rotation_hessian(const Eigen::Vector3d& y, const Eigen::Vector3d& a) {
  Eigen::Matrix3d H = y * a.transpose();
  H.diagonal().array() -= y.dot(a);
  return H;
}

/// The 3x3 blocks of a 12x12 Hessian that may be nonzero: bit 4 i + j for block (i, j), blocks r_A, phi_A, r_B, phi_B.
using BlockMask = std::uint16_t;
constexpr BlockMask block_bit(int i, int j) { return static_cast<BlockMask>(1U << static_cast<unsigned>(4 * i + j)); }

struct PointDifference {
  int axis = 0;              ///< ground axis
  Eigen::Vector3d s_A, s_B;  ///< points, from the centres of mass, body axes [m]

  static constexpr BlockMask kHessianBlocks = block_bit(1, 1) | block_bit(3, 3);
  /// Whether place k of the gradient may be nonzero.
  bool uses(int k) const { return (k >= 3 && k < 6) || k >= 9 || k == axis || k == 6 + axis; }

  double value(const FramePair& f) const {
    return f.B.r[axis] + f.B.R.row(axis).dot(s_B) - f.A.r[axis] - f.A.R.row(axis).dot(s_A);
  }
  void gradient(const FramePair& f, Vector12& G) const {
    G.setZero();
    G[axis] = -1;
    G[6 + axis] = 1;
    G.segment<3>(3) = f.A.R.row(axis).transpose().cross(s_A);
    G.segment<3>(9) = s_B.cross(f.B.R.row(axis).transpose());
  }
  void rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const {
    n.setZero();
    n.segment<3>(3) = f.A.R.row(axis).transpose().cross(xi.A.w.cross(s_A));
    n.segment<3>(9) = xi.B.w.cross(s_B).cross(f.B.R.row(axis).transpose());
  }
  void quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const {
    T.setZero();
    T.segment<3>(3) = f.A.R.row(axis).transpose().cross(xi.A.w.cross(xi.A.w.cross(s_A)));
    T.segment<3>(9) = xi.B.w.cross(xi.B.w.cross(s_B)).cross(f.B.R.row(axis).transpose());
  }
  void hessian(const FramePair& f, Matrix12& H) const {
    H.setZero();
    H.block<3, 3>(3, 3) = -rotation_hessian(f.A.R.row(axis).transpose(), s_A);
    H.block<3, 3>(9, 9) = rotation_hessian(f.B.R.row(axis).transpose(), s_B);
  }
};

struct Dot1 {
  Eigen::Vector3d a, b;  ///< unit vectors in A's and B's axes

  static constexpr BlockMask kHessianBlocks = block_bit(1, 1) | block_bit(1, 3) | block_bit(3, 1) | block_bit(3, 3);
  static bool uses(int k) { return (k >= 3 && k < 6) || k >= 9; }

  double value(const FramePair& f) const { return (f.A.R * a).dot(f.B.R * b); }
  void gradient(const FramePair& f, Vector12& G) const {
    G.setZero();
    G.segment<3>(3) = a.cross(f.A.R.transpose() * (f.B.R * b));
    G.segment<3>(9) = b.cross(f.B.R.transpose() * (f.A.R * a));
  }
  void rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const {
    const Eigen::Vector3d a_1 = xi.A.w.cross(a), b_1 = xi.B.w.cross(b);
    n.setZero();
    n.segment<3>(3) = a_1.cross(f.A.R.transpose() * (f.B.R * b)) + a.cross(f.A.R.transpose() * (f.B.R * b_1));
    n.segment<3>(9) = b_1.cross(f.B.R.transpose() * (f.A.R * a)) + b.cross(f.B.R.transpose() * (f.A.R * a_1));
  }
  void quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const {
    const Eigen::Vector3d a_1 = xi.A.w.cross(a), b_1 = xi.B.w.cross(b), a_2 = xi.A.w.cross(a_1),
                          b_2 = xi.B.w.cross(b_1);
    const Eigen::Matrix3d R_AB = f.A.R.transpose() * f.B.R;
    T.setZero();
    T.segment<3>(3) = 2 * a_1.cross(R_AB * b_1) + a_2.cross(R_AB * b) + a.cross(R_AB * b_2);
    T.segment<3>(9) =
        2 * b_1.cross(R_AB.transpose() * a_1) + b_2.cross(R_AB.transpose() * a) + b.cross(R_AB.transpose() * a_2);
  }
  void hessian(const FramePair& f, Matrix12& H) const {
    const Eigen::Matrix3d R_AB = f.A.R.transpose() * f.B.R;
    H.setZero();
    H.block<3, 3>(3, 3) = rotation_hessian(R_AB * b, a);
    H.block<3, 3>(9, 9) = rotation_hessian(R_AB.transpose() * a, b);
    H.block<3, 3>(3, 9) = -math::skew(a) * R_AB * math::skew(b);
    H.block<3, 3>(9, 3) = H.block<3, 3>(3, 9).transpose();
  }
};

/// (R_A a) . (P_B - P_A) = (R_A a) . m - a . s_A with m = P_B - r_A.
struct Dot2 {
  Eigen::Vector3d a;         ///< unit vector in A's axes
  Eigen::Vector3d s_A, s_B;  ///< points, from the centres of mass, body axes [m]

  static constexpr BlockMask kHessianBlocks = block_bit(1, 1) | block_bit(1, 0) | block_bit(1, 2) | block_bit(1, 3) |
                                              block_bit(0, 1) | block_bit(2, 1) | block_bit(3, 1) | block_bit(3, 3);
  static bool uses(int) { return true; }

  double value(const FramePair& f) const { return (f.A.R * a).dot(f.B.r + f.B.R * s_B - f.A.r) - a.dot(s_A); }
  void gradient(const FramePair& f, Vector12& G) const {
    const Eigen::Vector3d u = f.A.R * a, m = f.B.r + f.B.R * s_B - f.A.r;
    G << -u, a.cross(f.A.R.transpose() * m), u, s_B.cross(f.B.R.transpose() * u);
  }
  void rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const {
    const Eigen::Vector3d a_1 = xi.A.w.cross(a), s_1 = xi.B.w.cross(s_B);
    const Eigen::Vector3d u = f.A.R * a, u_1 = f.A.R * a_1;
    const Eigen::Vector3d m = f.B.r + f.B.R * s_B - f.A.r, m_1 = xi.B.v + f.B.R * s_1 - xi.A.v;
    n << -u_1, a_1.cross(f.A.R.transpose() * m) + a.cross(f.A.R.transpose() * m_1), u_1,
        s_B.cross(f.B.R.transpose() * u_1) + s_1.cross(f.B.R.transpose() * u);
  }
  void quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const {
    const Eigen::Vector3d a_1 = xi.A.w.cross(a), a_2 = xi.A.w.cross(a_1);
    const Eigen::Vector3d s_1 = xi.B.w.cross(s_B), s_2 = xi.B.w.cross(s_1);
    const Eigen::Vector3d u = f.A.R * a, u_1 = f.A.R * a_1, u_2 = f.A.R * a_2;
    const Eigen::Vector3d m = f.B.r + f.B.R * s_B - f.A.r, m_1 = xi.B.v + f.B.R * s_1 - xi.A.v, m_2 = f.B.R * s_2;
    const auto in_A = [&](const Eigen::Vector3d& x) -> Eigen::Vector3d { return f.A.R.transpose() * x; };
    const auto in_B = [&](const Eigen::Vector3d& x) -> Eigen::Vector3d { return f.B.R.transpose() * x; };
    T << -u_2, 2 * a_1.cross(in_A(m_1)) + a_2.cross(in_A(m)) + a.cross(in_A(m_2)), u_2,
        2 * s_1.cross(in_B(u_1)) + s_B.cross(in_B(u_2)) + s_2.cross(in_B(u));
  }
  void hessian(const FramePair& f, Matrix12& H) const {
    const Eigen::Vector3d u = f.A.R * a, m = f.B.r + f.B.R * s_B - f.A.r;
    const Eigen::Matrix3d du = f.A.R * math::skew(a);  // -du/dphi_A
    H.setZero();
    H.block<3, 3>(0, 3) = du;
    H.block<3, 3>(6, 3) = -du;
    H.block<3, 3>(3, 0) = du.transpose();
    H.block<3, 3>(3, 6) = -du.transpose();
    H.block<3, 3>(3, 3) = rotation_hessian(f.A.R.transpose() * m, a);
    H.block<3, 3>(9, 9) = rotation_hessian(f.B.R.transpose() * u, s_B);
    H.block<3, 3>(9, 3) = -math::skew(s_B) * f.B.R.transpose() * du;
    H.block<3, 3>(3, 9) = H.block<3, 3>(9, 3).transpose();
  }
};

/// |d|^2 / 2 with d = P_B - P_A.
struct HalfSquare {
  Eigen::Vector3d s_A, s_B;  ///< points, from the centres of mass, body axes [m]

  static constexpr BlockMask kHessianBlocks = 0xffff;
  static bool uses(int) { return true; }

  Eigen::Vector3d separation(const FramePair& f) const { return f.B.r + f.B.R * s_B - f.A.r - f.A.R * s_A; }
  Eigen::Vector3d separation_rate(const FramePair& f, const TwistPair& xi) const {
    return xi.B.v + f.B.R * xi.B.w.cross(s_B) - xi.A.v - f.A.R * xi.A.w.cross(s_A);
  }
  /// D^T y, where D = dd/dq.
  void pull_back(const FramePair& f, const Eigen::Vector3d& y, Vector12& out) const {
    out << -y, (f.A.R.transpose() * y).cross(s_A), y, s_B.cross(f.B.R.transpose() * y);
  }

  double value(const FramePair& f) const { return 0.5 * separation(f).squaredNorm(); }
  void gradient(const FramePair& f, Vector12& G) const { pull_back(f, separation(f), G); }
  void rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const {
    const Eigen::Vector3d d = separation(f), A_1 = xi.A.w.cross(s_A), B_1 = xi.B.w.cross(s_B);
    pull_back(f, separation_rate(f, xi), n);
    n.segment<3>(3) += (f.A.R.transpose() * d).cross(A_1);
    n.segment<3>(9) += B_1.cross(f.B.R.transpose() * d);
  }
  void quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const {
    const Eigen::Vector3d A_1 = xi.A.w.cross(s_A), B_1 = xi.B.w.cross(s_B);
    const Eigen::Vector3d A_2 = xi.A.w.cross(A_1), B_2 = xi.B.w.cross(B_1);
    const Eigen::Vector3d d = separation(f), d_1 = separation_rate(f, xi);
    pull_back(f, f.B.R * B_2 - f.A.R * A_2, T);
    T.segment<3>(3) += (f.A.R.transpose() * d).cross(A_2) + 2 * (f.A.R.transpose() * d_1).cross(A_1);
    T.segment<3>(9) += B_2.cross(f.B.R.transpose() * d) + 2 * B_1.cross(f.B.R.transpose() * d_1);
  }
  void hessian(const FramePair& f, Matrix12& H) const {
    const Eigen::Vector3d d = separation(f);
    Eigen::Matrix<double, 3, 12> D;
    D << -Eigen::Matrix3d::Identity(), f.A.R * math::skew(s_A), Eigen::Matrix3d::Identity(), -f.B.R * math::skew(s_B);
    H.noalias() = D.transpose() * D;
    H.block<3, 3>(3, 3) -= rotation_hessian(f.A.R.transpose() * d, s_A);
    H.block<3, 3>(9, 9) += rotation_hessian(f.B.R.transpose() * d, s_B);
  }
};

}  // namespace trammel::model
