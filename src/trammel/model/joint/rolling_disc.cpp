#include "trammel/model/joint/rolling_disc.h"

#include <cmath>

#include "trammel/math/dual.h"

namespace trammel::model {
namespace {

using math::Dual;

template <class T>
struct Frame {
  math::Vector3<T> r;
  math::Matrix3<T> R;
};
template <class T>
using Twelve = Eigen::Matrix<T, 12, 1>;

/// The frame after the displacement (dr, dphi), exact to first order in dphi: enough for a first derivative.
template <class T, class F>
Frame<T> displaced(const F& frame, const math::Vector3<T>& dr, const math::Vector3<T>& dphi) {
  const math::Matrix3<T> R = frame.R.template cast<T>();
  return {frame.r.template cast<T>() + dr, R + R * math::skew(dphi)};
}

template <class T>
Twelve<T> calc_row(const RollingRow& disc, const Frame<T>& A, const Frame<T>& B) {
  using math::Vector3, std::sqrt;
  const Vector3<T> n = A.R * disc.axes_A.col(2).template cast<T>(), z = B.R * disc.z_B.template cast<T>();
  const Vector3<T> down = n - z * n.dot(z);
  const Vector3<T> contact =
      B.r + B.R * disc.c_B.template cast<T>() - down * T(disc.radius / T(sqrt(down.squaredNorm())));
  const Vector3<T> e = A.R * disc.axes_A.col(disc.direction).template cast<T>();
  const Vector3<T> from_A = A.R.transpose() * (contact - A.r), from_B = B.R.transpose() * (contact - B.r);
  const Vector3<T> e_A = A.R.transpose() * e, e_B = B.R.transpose() * e;
  Twelve<T> G;
  G << -e, e_A.cross(from_A), e, from_B.cross(e_B);
  return G;
}

using D12 = Dual<double, 12>;

/// Both frames with all twelve displacements as variables.
template <class T>
Twelve<T> variables() {
  Twelve<T> delta;
  for (int k = 0; k < 12; ++k) delta[k] = T::variable(0.0, k);
  return delta;
}

}  // namespace

double RollingRow::value(const FramePair& f) const {
  const Eigen::Vector3d n = f.A.R * axes_A.col(2);
  const double tilt = n.dot(f.B.R * z_B);
  return n.dot(f.B.r + f.B.R * c_B - f.A.r) - axes_A.col(2).dot(o_A) - radius * std::sqrt(1 - tilt * tilt);
}

void RollingRow::gradient(const FramePair& f, Vector12& G) const {
  G = calc_row<double>(*this, {f.A.r, f.A.R}, {f.B.r, f.B.R});
}

void RollingRow::hessian(const FramePair& f, Matrix12& H) const {
  const Twelve<D12> delta = variables<D12>();
  const Twelve<D12> G = calc_row<D12>(*this, displaced<D12>(f.A, delta.segment<3>(0), delta.segment<3>(3)),
                                      displaced<D12>(f.B, delta.segment<3>(6), delta.segment<3>(9)));
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j < 12; ++j) H(i, j) = G[i].derivative[static_cast<std::size_t>(j)];
  }
}

void RollingRow::rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const {
  Matrix12 H;
  hessian(f, H);
  n = H.transpose() * xi.stacked();
}

void RollingRow::velocity_gradient(const FramePair& f, const TwistPair& xi, Vector12& out) const {
  Matrix12 H;
  hessian(f, H);
  const Vector12 v = xi.stacked();
  out = H * v + H.transpose() * v;
}

void RollingRow::quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const {
  // The outer dual displaces the position, the inner one moves it on along xi: d/dq of d(G xi)/dt.
  using Inner = Dual<D12, 1>;
  const Twelve<D12> delta = variables<D12>();
  const Vector12 v = xi.stacked();
  const auto moving = [&](const BodyFrame& frame, int at) {
    const Frame<D12> placed = displaced<D12>(frame, delta.segment<3>(at), delta.segment<3>(at + 3));
    math::Vector3<Inner> dr, dphi;
    for (int i = 0; i < 3; ++i) {
      dr[i] = Inner(0.0);
      dphi[i] = Inner(0.0);
      dr[i].derivative[0] = v[at + i];
      dphi[i].derivative[0] = v[at + 3 + i];
    }
    return displaced<Inner>(placed, dr, dphi);
  };
  const Twelve<Inner> G = calc_row<Inner>(*this, moving(f.A, 0), moving(f.B, 6));
  D12 beta(0.0);
  for (int i = 0; i < 12; ++i) beta += G[i].derivative[0] * v[i];
  for (int j = 0; j < 12; ++j) T[j] = beta.derivative[static_cast<std::size_t>(j)];
}

}  // namespace trammel::model
