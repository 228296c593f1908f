#pragma once

// Rotation matrices and rotation vectors (angles in radians).
//
// R_AB turns components in frame B (the body) into components in frame A (the reference): v_A = R_AB v_B.
// A rotation vector phi = angle * axis describes R_AB = exp(skew(phi)): B is A turned by |phi| about phi, whose
// components are the same in A and in B.
//
// While phi moves, the angular velocity of B in A is, in components of the body and of the reference,
//
//   w_AB_B = T(phi) phi',      w_AB_A = T(phi)^T phi' = T(-phi) phi',      with R_AB' = R_AB skew(w_AB_B),
//   T(phi) = I - c_2 skew(phi) + c_3 skew(phi)^2      (c_k: stumpff.h, at |phi|^2).
//
// T is the tangent map of the exponential, its "right Jacobian"; the "left Jacobian" of the literature is T^T. T
// becomes singular at |phi| = 2 pi n, n >= 1, where all axes describe the same rotation. Near there T^-1 grows as 2 pi
// n / (|phi| - 2 pi n), and so does the effect of the rounding of |phi|; keep |phi| <= pi, as the logarithm does
// (vector_from_rotation, in quaternion.h).
//
// All functions take Eigen expressions of double or of duals and are smooth at phi = 0.

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "trammel/math/stumpff.h"

namespace trammel::math {

template <class T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Matrix3 = Eigen::Matrix<T, 3, 3>;

/// The scalar of a product of two Eigen expressions: a dual if either is one.
template <class A, class B>
using ProductScalar = typename Eigen::ScalarBinaryOpTraits<typename A::Scalar, typename B::Scalar>::ReturnType;

/// The matrix of the cross product: skew(a) b = a x b.
template <class V, class T = typename V::Scalar>
Matrix3<T> skew(const Eigen::MatrixBase<V>& a_in) {
  const Vector3<T> a = a_in;
  const T zero(0);
  Matrix3<T> S;
  S << zero, -a[2], a[1], a[2], zero, -a[0], -a[1], a[0], zero;
  return S;
}

/// The vector a with skew(a) = (S - S^T) / 2: the inverse of skew() when S is skew-symmetric.
template <class M, class T = typename M::Scalar>
Vector3<T> unskew(const Eigen::MatrixBase<M>& S_in) {
  const Matrix3<T> S = S_in;
  return 0.5 * Vector3<T>(S(2, 1) - S(1, 2), S(0, 2) - S(2, 0), S(1, 0) - S(0, 1));
}

/// I + a skew(phi) + b skew(phi)^2, the form that every function of skew(phi) has.
template <class T>
Matrix3<T> skew_polynomial(const Vector3<T>& phi, const T& a, const T& b) {
  const Matrix3<T> S = skew(phi);
  return Matrix3<T>::Identity() + a * S + b * (S * S);
}

/// The exponential R_AB = I + c_1 skew(phi) + c_2 skew(phi)^2 (Rodrigues).
template <class V, class T = typename V::Scalar>
Matrix3<T> rotation_from_vector(const Eigen::MatrixBase<V>& phi_in) {
  const Vector3<T> phi = phi_in;
  const Stumpff<T> c = stumpff(phi.squaredNorm());
  return skew_polynomial(phi, c.c1, c.c2);
}

/// The tangent map T(phi): w_AB_B = T(phi) phi'. Its transpose gives w_AB_A.
template <class V, class T = typename V::Scalar>
Matrix3<T> tangent_map(const Eigen::MatrixBase<V>& phi_in) {
  const Vector3<T> phi = phi_in;
  const Stumpff<T> c = stumpff(phi.squaredNorm());
  return skew_polynomial(phi, T(-c.c2), c.c3);
}

/// The inverse T(phi)^-1 = I + skew(phi)/2 + d skew(phi)^2, d = (1 - (theta/2) cot(theta/2)) / theta^2, theta = |phi|:
/// phi' = T(phi)^-1 w_AB_B. Singular at |phi| = 2 pi, 4 pi, ...
template <class V, class T = typename V::Scalar>
Matrix3<T> inverse_tangent_map(const Eigen::MatrixBase<V>& phi_in) {
  const Vector3<T> phi = phi_in;
  const T x = phi.squaredNorm();
  const Stumpff<T> c = stumpff(x);
  // Both are (2 c_2 - c_1) / (2 c_2 x); the first does not cancel near 0, the second keeps its digits near 2 pi.
  const T d = x < 1.0 ? T((c.c3 - 2.0 * c.c4) / (2.0 * c.c2)) : T((1.0 - c.c1 / (2.0 * c.c2)) / x);
  return skew_polynomial(phi, T(0.5), d);
}

/// The elementary rotations R_AB: B is A turned by an angle about the axis x (0), y (1) or z (2).
template <int axis, class T>
Matrix3<T> elementary_rotation(const T& angle) {
  static_assert(axis >= 0 && axis < 3);
  using std::cos, std::sin;
  constexpr int j = (axis + 1) % 3, k = (axis + 2) % 3;
  Matrix3<T> R = Matrix3<T>::Identity();
  R(j, j) = R(k, k) = cos(angle);
  R(k, j) = sin(angle);
  R(j, k) = -R(k, j);
  return R;
}
template <class T>
Matrix3<T> rotation_about_x(const T& angle) {
  return elementary_rotation<0>(angle);
}
template <class T>
Matrix3<T> rotation_about_y(const T& angle) {
  return elementary_rotation<1>(angle);
}
template <class T>
Matrix3<T> rotation_about_z(const T& angle) {
  return elementary_rotation<2>(angle);
}

}  // namespace trammel::math
