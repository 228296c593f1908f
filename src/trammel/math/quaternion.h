#pragma once

// Euler parameters p = (e0, e), the unit quaternions of rotations, stored as four numbers with the scalar first.
//
// p describes the orientation of frame B (the body) in frame A (the reference); p and -p are the same orientation.
//
//   R_AB(p) = (e0^2 - e.e) I + 2 e e^T + 2 e0 skew(e) = E(p) L(p)^T,
//   L(p) = [-e, e0 I - skew(e)],    w_AB_B = 2 L(p) p',    p' = L(p)^T w_AB_B / 2      ("G-bar" in many texts)
//   E(p) = [-e, e0 I + skew(e)],    w_AB_A = 2 E(p) p',    p' = E(p)^T w_AB_A / 2
//
// For unit p, L L^T = E E^T = I, L p = E p = 0 and L^T L = E^T E = I - p p^T. R_AB is written homogeneous in p: off the
// unit sphere it is |p|^2 times a rotation. The texts that write 2 e0^2 - 1 on the diagonal differ there, and in the
// derivative along p, but not along the sphere.
//
// All functions take Eigen expressions of double or of duals. Rotation vectors are in radians (rotation.h).

#include "trammel/math/rotation.h"

namespace trammel::math {

template <class T>
using Vector4 = Eigen::Matrix<T, 4, 1>;
template <class T>
using Matrix34 = Eigen::Matrix<T, 3, 4>;

/// The product p o r: if p is the orientation of B in A and r that of C in B, the orientation of C in A.
template <class P, class R, class T = ProductScalar<P, R>>
Vector4<T> quaternion_product(const Eigen::MatrixBase<P>& p_in, const Eigen::MatrixBase<R>& r_in) {
  const Vector4<T> p = p_in.template cast<T>(), r = r_in.template cast<T>();
  const Vector3<T> e = p.template tail<3>(), f = r.template tail<3>();
  Vector4<T> product;
  product << p[0] * r[0] - e.dot(f), p[0] * f + r[0] * e + e.cross(f);
  return product;
}

/// The inverse rotation (of a unit p).
template <class P, class T = typename P::Scalar>
Vector4<T> conjugate(const Eigen::MatrixBase<P>& p_in) {
  const Vector4<T> p = p_in;
  return {p[0], -p[1], -p[2], -p[3]};
}

/// L(p): w_AB_B = 2 L(p) p'.
template <class P, class T = typename P::Scalar>
Matrix34<T> body_rate_matrix(const Eigen::MatrixBase<P>& p_in) {
  const Vector4<T> p = p_in;
  Matrix34<T> L;
  L << -p[1], p[0], p[3], -p[2], -p[2], -p[3], p[0], p[1], -p[3], p[2], -p[1], p[0];
  return L;
}

/// E(p): w_AB_A = 2 E(p) p'.
template <class P, class T = typename P::Scalar>
Matrix34<T> reference_rate_matrix(const Eigen::MatrixBase<P>& p_in) {
  const Vector4<T> p = p_in;
  Matrix34<T> E;
  E << -p[1], p[0], -p[3], p[2], -p[2], p[3], p[0], -p[1], -p[3], -p[2], p[1], p[0];
  return E;
}

/// R_AB(p).
template <class P, class T = typename P::Scalar>
Matrix3<T> rotation_from_quaternion(const Eigen::MatrixBase<P>& p_in) {
  const Vector4<T> p = p_in;
  const T xx = p[1] * p[1], yy = p[2] * p[2], zz = p[3] * p[3], ww = p[0] * p[0];
  const T xy = p[1] * p[2], yz = p[2] * p[3], zx = p[3] * p[1];
  const T wx = p[0] * p[1], wy = p[0] * p[2], wz = p[0] * p[3];
  Matrix3<T> R_AB;
  R_AB << ww + xx - yy - zz, 2.0 * (xy - wz), 2.0 * (zx + wy),  //
      2.0 * (xy + wz), ww - xx + yy - zz, 2.0 * (yz - wx),      //
      2.0 * (zx - wy), 2.0 * (yz + wx), ww - xx - yy + zz;
  return R_AB;
}

/// The unit p with e0 >= 0 of a rotation matrix, which may be orthogonal to rounding only. Every rotation is accurate,
/// because the division is by the largest of the four parameters, at least 1/2. Where e0 = 0, that one is positive.
template <class M, class T = typename M::Scalar>
Vector4<T> quaternion_from_rotation(const Eigen::MatrixBase<M>& R_AB_in) {
  using std::sqrt;
  const Matrix3<T> R = R_AB_in;
  const T trace = R.trace();
  int i = R(1, 1) > R(0, 0) ? 1 : 0;
  if (R(2, 2) > R(i, i)) i = 2;
  Vector4<T> p;
  if (trace > R(i, i)) {
    p << 1.0 + trace, 2.0 * unskew(R);
  } else {
    // The row of 4 p p^T that belongs to e_i.
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    p[0] = R(k, j) - R(j, k);
    p[1 + i] = 1.0 + R(i, i) - R(j, j) - R(k, k);
    p[1 + j] = R(i, j) + R(j, i);
    p[1 + k] = R(k, i) + R(i, k);
  }
  const T length = sqrt(p.squaredNorm());
  return p / (p[0] < 0.0 ? T(-length) : length);
}

/// The exponential: p of the rotation vector phi, with e0 = cos(|phi|/2).
template <class V, class T = typename V::Scalar>
Vector4<T> quaternion_from_vector(const Eigen::MatrixBase<V>& phi_in) {
  const Vector3<T> half = 0.5 * phi_in;
  const Stumpff<T> c = stumpff(half.squaredNorm());
  Vector4<T> p;
  p << c.c0, c.c1 * half;
  return p;
}

/// The logarithm: the rotation vector with |phi| <= pi of p (not zero, of any length and sign). At |phi| = pi, where e0
/// = 0 and two vectors fit, it is the one along e.
template <class P, class T = typename P::Scalar>
Vector3<T> vector_from_quaternion(const Eigen::MatrixBase<P>& p_in) {
  using std::atan2, std::sqrt;
  Vector4<T> p = p_in;
  if (p[0] < 0.0) p = -p;
  const Vector3<T> e = p.template tail<3>();
  const T x = e.squaredNorm(), ww = p[0] * p[0];
  if (x < 0.01 * ww) {
    // atan(t) / t at t^2 = |e|^2 / e0^2: terms to t^14, the first left out is below 1e-17.
    const T t2 = x / ww;
    T sum(1.0 / 15.0);
    for (int n = 13; n > 0; n -= 2) sum = 1.0 / n - t2 * sum;
    return (2.0 * sum / p[0]) * e;
  }
  const T length = sqrt(x);
  return (2.0 * atan2(length, p[0]) / length) * e;
}

/// The logarithm of a rotation matrix: phi with |phi| <= pi and rotation_from_vector(phi) = R_AB, to rounding also near
/// 0 and pi. At pi exactly its largest component is positive.
template <class M, class T = typename M::Scalar>
Vector3<T> vector_from_rotation(const Eigen::MatrixBase<M>& R_AB) {
  return vector_from_quaternion(quaternion_from_rotation(R_AB));
}

/// p after the body turned by the small (or large) rotation vector dphi in its own frame: p o exp(dphi), of unit
/// length.
template <class P, class V, class T = ProductScalar<P, V>>
Vector4<T> retract(const Eigen::MatrixBase<P>& p, const Eigen::MatrixBase<V>& dphi) {
  using std::sqrt;
  const Vector4<T> r = quaternion_product(p, quaternion_from_vector(dphi));
  return r / T(sqrt(r.squaredNorm()));
}

/// d(R_AB(p) s)/dp for a vector s_B constant in the body, of R_AB as it is written above (p need not be of unit
/// length).
template <class P, class V, class T = ProductScalar<P, V>>
Matrix34<T> rotated_vector_wrt_quaternion(const Eigen::MatrixBase<P>& p_in, const Eigen::MatrixBase<V>& s_in) {
  const Vector4<T> p = p_in.template cast<T>();
  const Vector3<T> s = s_in.template cast<T>(), e = p.template tail<3>();
  Matrix34<T> D;
  D.col(0) = 2.0 * (p[0] * s + e.cross(s));
  D.template rightCols<3>() = 2.0 * (e * s.transpose() - s * e.transpose() - p[0] * skew(s));
  D.template rightCols<3>().diagonal().array() += 2.0 * e.dot(s);
  return D;
}

/// The derivative of R_AB s along a rotation of the body in its own frame: d(R_AB s) = -R_AB skew(s) dphi.
template <class M, class V, class T = ProductScalar<M, V>>
Matrix3<T> rotated_vector_wrt_rotation(const Eigen::MatrixBase<M>& R_AB, const Eigen::MatrixBase<V>& s) {
  return -(R_AB * skew(s));
}

}  // namespace trammel::math
