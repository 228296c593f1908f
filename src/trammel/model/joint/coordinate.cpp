#include "trammel/model/joint/coordinate.h"

#include <cmath>
#include <complex>
#include <limits>

namespace trammel::model {
namespace {

using Eigen::Vector3d;

// Points that are closer coincide: below, powers of the distance would leave the range of numbers.
constexpr double kCoincident = 1e-60;

/// F and its derivatives up to the third order, from nested duals.
template <class Function>
void differentiate_three_times(const Function& F, double x, double y, double& value, double* d, double* dd,
                               double* ddd) {
  using D1 = math::Dual<double, 2>;
  using D2 = math::Dual<D1, 2>;
  using D3 = math::Dual<D2, 2>;
  const auto variable = [](double at, int direction) {
    return D3::variable(D2::variable(D1::variable(at, direction), direction), direction);
  };
  const D3 result = F(variable(x, 0), variable(y, 1));
  value = result.value.value.value;
  d[0] = result.value.value.derivative[0];
  d[1] = result.value.value.derivative[1];
  dd[0] = result.value.derivative[0].derivative[0];
  dd[1] = result.value.derivative[0].derivative[1];
  dd[2] = result.value.derivative[1].derivative[1];
  ddd[0] = result.derivative[0].derivative[0].derivative[0];
  ddd[1] = result.derivative[0].derivative[0].derivative[1];
  ddd[2] = result.derivative[0].derivative[1].derivative[1];
  ddd[3] = result.derivative[1].derivative[1].derivative[1];
}

/// Not a number where the curve refuses to extrapolate, nor are the derivatives.
template <class T>
T calc_curve(const math::Spline& curve, const T& x) {
  if (!curve.covers(math::value_of(x))) return std::numeric_limits<double>::quiet_NaN() * x;
  return curve.calc_value(x);
}

}  // namespace

Coordinate Coordinate::planar_angle(double offset) {
  Coordinate c;
  c.offset_ = offset;
  return c;
}

Coordinate Coordinate::angle(const Vector3d& x_A, const Vector3d& y_A, const Vector3d& c_B) {
  Coordinate c;
  c.kind_ = Kind::kAngle;
  c.dots_[0] = {x_A, c_B};
  c.dots_[1] = {y_A, c_B};
  return c;
}

Coordinate Coordinate::projection(const Vector3d& a_A, const Vector3d& s_A, const Vector3d& s_B) {
  Coordinate c;
  c.kind_ = Kind::kProjection;
  c.projections_[0] = {a_A, s_A, s_B};
  return c;
}

Coordinate Coordinate::distance(const Vector3d& s_A, const Vector3d& s_B) {
  Coordinate c;
  c.kind_ = Kind::kDistance;
  c.square_ = {s_A, s_B};
  return c;
}

Coordinate Coordinate::cosine(const Vector3d& a_A, const Vector3d& b_B) {
  Coordinate c;
  c.kind_ = Kind::kCosine;
  c.dots_[0] = {a_A, b_B};
  return c;
}

Coordinate Coordinate::off_curve(const Vector3d& x_A, const Vector3d& y_A, const Vector3d& s_A, const Vector3d& s_B,
                                 const math::Spline& curve, bool is_polar) {
  Coordinate c;
  c.kind_ = is_polar ? Kind::kPolarCurve : Kind::kCurve;
  c.projections_[0] = {x_A, s_A, s_B};
  c.projections_[1] = {y_A, s_A, s_B};
  c.curve_ = &curve;
  return c;
}

bool Coordinate::uses(int k) const {
  switch (kind_) {
    case Kind::kPlanarAngle: return k == 5 || k == 11;
    case Kind::kAngle:
    case Kind::kCosine: return Dot1::uses(k);
    default: return true;
  }
}

BlockMask Coordinate::hessian_blocks() const {
  switch (kind_) {
    case Kind::kPlanarAngle: return 0;
    case Kind::kAngle:
    case Kind::kCosine: return Dot1::kHessianBlocks;
    case Kind::kProjection: return Dot2::kHessianBlocks;
    default: return 0xffff;
  }
}

Coordinate::Inner Coordinate::eval_inner(const FramePair& f) const {
  Inner inner;
  switch (kind_) {
    case Kind::kDistance:
      inner.count = 1;
      inner.value[0] = square_.value(f);
      square_.gradient(f, inner.gradient[0]);
      break;
    case Kind::kAngle:
      inner.count = 2;
      for (int k = 0; k < 2; ++k) {
        inner.value[k] = dots_[k].value(f);
        dots_[k].gradient(f, inner.gradient[k]);
      }
      break;
    default:
      inner.count = 2;
      for (int k = 0; k < 2; ++k) {
        inner.value[k] = projections_[k].value(f);
        projections_[k].gradient(f, inner.gradient[k]);
      }
  }
  return inner;
}

bool Coordinate::is_degenerate(const Inner& inner) const {
  return kind_ == Kind::kDistance && inner.value[0] < 0.5 * kCoincident * kCoincident;
}

Coordinate::Outer Coordinate::eval_outer(const Inner& inner) const {
  Outer F;
  if (kind_ == Kind::kDistance) {
    const double l = std::sqrt(2 * inner.value[0]);
    F.value = l;
    F.d[0] = 1 / l;
    F.dd[0] = -1 / (l * l * l);
    F.ddd[0] = 3 / (l * l * l * l * l);
  } else if (kind_ == Kind::kAngle) {
    // The imaginary part of log z, z = c + i s; d/dc = d/dz and d/ds = i d/dz.
    const std::complex<double> z(inner.value[0], inner.value[1]), i(0, 1), w = 1.0 / z;
    F.value = std::arg(z);
    F.d[0] = w.imag();
    F.d[1] = (i * w).imag();
    F.dd[0] = (-w * w).imag();
    F.dd[1] = (-i * w * w).imag();
    F.dd[2] = (w * w).imag();
    const std::complex<double> w3 = 2.0 * w * w * w;
    F.ddd[0] = w3.imag();
    F.ddd[1] = (i * w3).imag();
    F.ddd[2] = (-w3).imag();
    F.ddd[3] = (-i * w3).imag();
  } else if (kind_ == Kind::kCurve) {
    differentiate_three_times([&](const auto& x, const auto& y) { return y - calc_curve(*curve_, x); }, inner.value[0],
                              inner.value[1], F.value, F.d, F.dd, F.ddd);
  } else {
    differentiate_three_times(
        [&](const auto& x, const auto& y) {
          using math::atan2, math::hypot;
          return hypot(x, y) - calc_curve(*curve_, atan2(y, x));
        },
        inner.value[0], inner.value[1], F.value, F.d, F.dd, F.ddd);
  }
  return F;
}

void Coordinate::inner_rate_gradient(int k, const FramePair& f, const TwistPair& xi, Vector12& n) const {
  if (kind_ == Kind::kDistance) {
    square_.rate_gradient(f, xi, n);
  } else if (kind_ == Kind::kAngle) {
    dots_[k].rate_gradient(f, xi, n);
  } else {
    projections_[k].rate_gradient(f, xi, n);
  }
}

void Coordinate::inner_quadratic_gradient(int k, const FramePair& f, const TwistPair& xi, Vector12& T) const {
  if (kind_ == Kind::kDistance) {
    square_.quadratic_gradient(f, xi, T);
  } else if (kind_ == Kind::kAngle) {
    dots_[k].quadratic_gradient(f, xi, T);
  } else {
    projections_[k].quadratic_gradient(f, xi, T);
  }
}

void Coordinate::inner_hessian(int k, const FramePair& f, Matrix12& H) const {
  if (kind_ == Kind::kDistance) {
    square_.hessian(f, H);
  } else if (kind_ == Kind::kAngle) {
    dots_[k].hessian(f, H);
  } else {
    projections_[k].hessian(f, H);
  }
}

double Coordinate::value(const FramePair& f) const {
  switch (kind_) {
    case Kind::kPlanarAngle: return f.B.angle - f.A.angle + offset_;
    case Kind::kProjection: return projections_[0].value(f);
    case Kind::kCosine: return dots_[0].value(f);
    case Kind::kDistance: {
      const double l = std::sqrt(2 * square_.value(f));
      return l < kCoincident ? 0.0 : l;
    }
    case Kind::kAngle: return std::atan2(dots_[1].value(f), dots_[0].value(f));
    case Kind::kCurve: return projections_[1].value(f) - calc_curve(*curve_, projections_[0].value(f));
    case Kind::kPolarCurve: break;
  }
  const double x = projections_[0].value(f), y = projections_[1].value(f);
  return std::hypot(x, y) - calc_curve(*curve_, std::atan2(y, x));
}

bool Coordinate::is_degenerate(const FramePair& f) const { return kind_ == Kind::kDistance && value(f) == 0; }

bool Coordinate::parting_gradient(const FramePair& f, const TwistPair& xi, Vector12& G) const {
  const Vector3d velocity = square_.separation_rate(f, xi);
  const double speed = velocity.norm();
  if (!(speed > 0)) return false;
  square_.pull_back(f, velocity / speed, G);
  return true;
}

double Coordinate::rate(const FramePair& f, const TwistPair& xi) const {
  if (is_degenerate(f)) return square_.separation_rate(f, xi).norm();
  Vector12 G;
  gradient(f, G);
  return G.dot(xi.stacked());
}

void Coordinate::gradient(const FramePair& f, Vector12& G) const {
  if (kind_ == Kind::kPlanarAngle) {
    G.setZero();
    G[5] = -1;
    G[11] = 1;
    return;
  }
  if (kind_ == Kind::kProjection) return projections_[0].gradient(f, G);
  if (kind_ == Kind::kCosine) return dots_[0].gradient(f, G);
  const Inner inner = eval_inner(f);
  if (is_degenerate(inner)) return square_.pull_back(f, f.A.R.col(0), G);
  const Outer F = eval_outer(inner);
  G = F.d[0] * inner.gradient[0];
  if (inner.count == 2) G += F.d[1] * inner.gradient[1];
}

void Coordinate::rate_gradient(const FramePair& f, const TwistPair& xi, Vector12& n) const {
  if (kind_ == Kind::kPlanarAngle) {
    n.setZero();
    return;
  }
  if (kind_ == Kind::kProjection) return projections_[0].rate_gradient(f, xi, n);
  if (kind_ == Kind::kCosine) return dots_[0].rate_gradient(f, xi, n);
  const Inner inner = eval_inner(f);
  const Outer F = eval_outer(inner);
  const Vector12 v = xi.stacked();
  Vector12 part;
  if (is_degenerate(inner)) {
    n.setZero();
    return;
  }
  inner_rate_gradient(0, f, xi, part);
  const double rate_0 = inner.gradient[0].dot(v);
  n = F.d[0] * part + (F.dd[0] * rate_0) * inner.gradient[0];
  if (inner.count == 2) {
    const double rate_1 = inner.gradient[1].dot(v);
    inner_rate_gradient(1, f, xi, part);
    n += F.d[1] * part + (F.dd[1] * rate_1) * inner.gradient[0] +
         (F.dd[1] * rate_0 + F.dd[2] * rate_1) * inner.gradient[1];
  }
}

void Coordinate::quadratic_gradient(const FramePair& f, const TwistPair& xi, Vector12& T) const {
  if (kind_ == Kind::kPlanarAngle) {
    T.setZero();
    return;
  }
  if (kind_ == Kind::kProjection) return projections_[0].quadratic_gradient(f, xi, T);
  if (kind_ == Kind::kCosine) return dots_[0].quadratic_gradient(f, xi, T);
  // d/dq of sum_i F_i beta_i + sum_ij F_ij phi_i' phi_j'.
  const Inner inner = eval_inner(f);
  const Outer F = eval_outer(inner);
  const Vector12 v = xi.stacked();
  const auto second = [&](int i, int j) { return F.dd[i + j]; };
  const auto third = [&](int i, int j, int k) { return F.ddd[i + j + k]; };
  double rate[2] = {};
  Vector12 n[2], part;
  T.setZero();
  if (is_degenerate(inner)) return;
  for (int i = 0; i < inner.count; ++i) {
    rate[i] = inner.gradient[i].dot(v);
    inner_rate_gradient(i, f, xi, n[i]);
  }
  for (int i = 0; i < inner.count; ++i) {
    inner_quadratic_gradient(i, f, xi, part);
    const double beta = n[i].dot(v);
    T += F.d[i] * part;
    for (int j = 0; j < inner.count; ++j) {
      T += (second(i, j) * beta) * inner.gradient[j] + (2 * second(i, j) * rate[i]) * n[j];
      for (int k = 0; k < inner.count; ++k) T += (third(i, j, k) * rate[i] * rate[j]) * inner.gradient[k];
    }
  }
}

void Coordinate::hessian(const FramePair& f, Matrix12& H) const {
  if (kind_ == Kind::kPlanarAngle) {
    H.setZero();
    return;
  }
  if (kind_ == Kind::kProjection) return projections_[0].hessian(f, H);
  if (kind_ == Kind::kCosine) return dots_[0].hessian(f, H);
  const Inner inner = eval_inner(f);
  const Outer F = eval_outer(inner);
  Matrix12 part;
  H.setZero();
  if (is_degenerate(inner)) return;
  for (int i = 0; i < inner.count; ++i) {
    inner_hessian(i, f, part);
    H += F.d[i] * part;
    for (int j = 0; j < inner.count; ++j) {
      H += F.dd[i + j] * (inner.gradient[i] * inner.gradient[j].transpose());
    }
  }
}

}  // namespace trammel::model
