#pragma once

// Symmetric inertias of width 3 (plane) and 6 (space), and what the shift X of trammel/dae/tree.h does to them.
//
// An inertia is kept as its blocks, each number once: A (velocity with velocity), b (velocity with angular velocity)
// and C (angular with angular). With X V = (v + w x d, w):
//
//   X^T [ A   B ] X = [ A     B' ]     B' row i = B row i + d x (A row i)
//       [ B^T C ]     [ B'^T  C' ],    C'_ij = C_ij + (d x B' column j)_i + (d x B column i)_j.               (1)
//
// In the plane w x d = w e with e = (-d_y, d_x), so b' = b + A e and C' = C + e . (b + b'). Sums are written as trees:
// along a chain of bodies everything waits for the result of the one before.

#include <cstddef>

namespace trammel::kkt {

template <int kWidth>
struct RigidInertia;

template <>
struct RigidInertia<3> {
  double a00, a10, a11, b0, b1, c;

  /// The lower triangle of a 3 x 3 matrix by columns.
  static RigidInertia read(const double* m) { return {m[0], m[1], m[4], m[2], m[5], m[8]}; }
  void add(const RigidInertia& i) {
    a00 += i.a00, a10 += i.a10, a11 += i.a11;
    b0 += i.b0, b1 += i.b1;
    c += i.c;
  }
  /// y = I x.
  void multiply(const double* x, double* y) const {
    y[0] = (a00 * x[0] + a10 * x[1]) + b0 * x[2];
    y[1] = (a10 * x[0] + a11 * x[1]) + b1 * x[2];
    y[2] = (b0 * x[0] + b1 * x[1]) + c * x[2];
  }
  /// I -= x y^T, where x is a multiple of y.
  void subtract_product(const double* x, const double* y) {
    a00 -= x[0] * y[0], a10 -= x[1] * y[0], a11 -= x[1] * y[1];
    b0 -= x[2] * y[0], b1 -= x[2] * y[1];
    c -= x[2] * y[2];
  }
  RigidInertia shifted(const double* d) const {
    const double e0 = -d[1], e1 = d[0];
    const double f0 = a00 * e0 + a10 * e1, f1 = a10 * e0 + a11 * e1;
    return {a00, a10, a11, b0 + f0, b1 + f1, (c + (e0 * (2 * b0) + e1 * (2 * b1))) + (e0 * f0 + e1 * f1)};
  }
  double linear_trace() const { return a00 + a11; }
  double angular_trace() const { return c; }
};

template <>
struct RigidInertia<6> {
  double a[6];  ///< 00, 10, 20, 11, 21, 22
  double b[9];  ///< row by row
  double c[6];  ///< as a

  static RigidInertia read(const double* m) {
    return {{m[0], m[1], m[2], m[7], m[8], m[14]},
            {m[3], m[4], m[5], m[9], m[10], m[11], m[15], m[16], m[17]},
            {m[21], m[22], m[23], m[28], m[29], m[35]}};
  }
  void add(const RigidInertia& i) {
    for (int k = 0; k < 6; ++k) a[k] += i.a[k];
    for (int k = 0; k < 9; ++k) b[k] += i.b[k];
    for (int k = 0; k < 6; ++k) c[k] += i.c[k];
  }
  void multiply(const double* x, double* y) const {
    y[0] = ((a[0] * x[0] + a[1] * x[1]) + a[2] * x[2]) + ((b[0] * x[3] + b[1] * x[4]) + b[2] * x[5]);
    y[1] = ((a[1] * x[0] + a[3] * x[1]) + a[4] * x[2]) + ((b[3] * x[3] + b[4] * x[4]) + b[5] * x[5]);
    y[2] = ((a[2] * x[0] + a[4] * x[1]) + a[5] * x[2]) + ((b[6] * x[3] + b[7] * x[4]) + b[8] * x[5]);
    y[3] = ((b[0] * x[0] + b[3] * x[1]) + b[6] * x[2]) + ((c[0] * x[3] + c[1] * x[4]) + c[2] * x[5]);
    y[4] = ((b[1] * x[0] + b[4] * x[1]) + b[7] * x[2]) + ((c[1] * x[3] + c[3] * x[4]) + c[4] * x[5]);
    y[5] = ((b[2] * x[0] + b[5] * x[1]) + b[8] * x[2]) + ((c[2] * x[3] + c[4] * x[4]) + c[5] * x[5]);
  }
  void subtract_product(const double* x, const double* y) {
    a[0] -= x[0] * y[0], a[1] -= x[1] * y[0], a[2] -= x[2] * y[0];
    a[3] -= x[1] * y[1], a[4] -= x[2] * y[1], a[5] -= x[2] * y[2];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) b[3 * i + j] -= x[i] * y[3 + j];
    }
    c[0] -= x[3] * y[3], c[1] -= x[4] * y[3], c[2] -= x[5] * y[3];
    c[3] -= x[4] * y[4], c[4] -= x[5] * y[4], c[5] -= x[5] * y[5];
  }
  RigidInertia shifted(const double* d) const {
    RigidInertia s;
    for (int k = 0; k < 6; ++k) s.a[k] = a[k];
    const double x = d[0], y = d[1], z = d[2];
    s.b[0] = b[0] + (y * a[2] - z * a[1]);
    s.b[1] = b[1] + (z * a[0] - x * a[2]);
    s.b[2] = b[2] + (x * a[1] - y * a[0]);
    s.b[3] = b[3] + (y * a[4] - z * a[3]);
    s.b[4] = b[4] + (z * a[1] - x * a[4]);
    s.b[5] = b[5] + (x * a[3] - y * a[1]);
    s.b[6] = b[6] + (y * a[5] - z * a[4]);
    s.b[7] = b[7] + (z * a[2] - x * a[5]);
    s.b[8] = b[8] + (x * a[4] - y * a[2]);
    // On the diagonal both terms of (1) are the same, but for primes.
    s.c[0] = c[0] + (y * (s.b[6] + b[6]) - z * (s.b[3] + b[3]));
    s.c[3] = c[3] + (z * (s.b[1] + b[1]) - x * (s.b[7] + b[7]));
    s.c[5] = c[5] + (x * (s.b[5] + b[5]) - y * (s.b[2] + b[2]));
    s.c[1] = c[1] + ((z * s.b[0] - x * s.b[6]) + (y * b[7] - z * b[4]));
    s.c[2] = c[2] + ((x * s.b[3] - y * s.b[0]) + (y * b[8] - z * b[5]));
    s.c[4] = c[4] + ((x * s.b[4] - y * s.b[1]) + (z * b[2] - x * b[8]));
    return s;
  }
  double linear_trace() const { return a[0] + a[3] + a[5]; }
  double angular_trace() const { return c[0] + c[3] + c[5]; }
};

/// How many numbers d has.
constexpr int shift_size(int width) { return width == 3 ? 2 : 3; }

/// out = X V.
template <int kWidth>
void shift_twist(const double* d, const double* V, double* out) {
  if constexpr (kWidth == 3) {
    out[0] = V[0] - V[2] * d[1];
    out[1] = V[1] + V[2] * d[0];
    out[2] = V[2];
  } else {
    out[0] = V[0] + (V[4] * d[2] - V[5] * d[1]);
    out[1] = V[1] + (V[5] * d[0] - V[3] * d[2]);
    out[2] = V[2] + (V[3] * d[1] - V[4] * d[0]);
    for (int i = 3; i < 6; ++i) out[i] = V[i];
  }
}

/// out = X^T F, of a force at the body as its father feels it.
template <int kWidth>
void shift_force(const double* d, const double* F, double* out) {
  if constexpr (kWidth == 3) {
    out[0] = F[0];
    out[1] = F[1];
    out[2] = F[2] + (d[0] * F[1] - d[1] * F[0]);
  } else {
    for (int i = 0; i < 3; ++i) out[i] = F[i];
    out[3] = F[3] + (d[1] * F[2] - d[2] * F[1]);
    out[4] = F[4] + (d[2] * F[0] - d[0] * F[2]);
    out[5] = F[5] + (d[0] * F[1] - d[1] * F[0]);
  }
}

template <int kWidth>
double dot(const double* x, const double* y) {
  if constexpr (kWidth == 3) {
    return (x[0] * y[0] + x[1] * y[1]) + x[2] * y[2];
  } else {
    return ((x[0] * y[0] + x[1] * y[1]) + x[2] * y[2]) + ((x[3] * y[3] + x[4] * y[4]) + x[5] * y[5]);
  }
}

/// y += factor x.
template <int kWidth>
void add_multiple(double factor, const double* x, double* y) {
  for (int i = 0; i < kWidth; ++i) y[i] += factor * x[i];
}

}  // namespace trammel::kkt
