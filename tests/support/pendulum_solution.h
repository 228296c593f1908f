#pragma once

// The pendulum of the case `pendulum` (mass 1, released from rest at the angle theta0) in closed form:
//   sin(theta/2) = k sn(K(k) + w t, k),  k = sin(theta0/2),  w = sqrt(g/l),
// with Jacobi's functions by descending Landen transformation (arithmetic-geometric mean).

#include <array>
#include <cmath>

#include "trammel/dae/state.h"

namespace trammel::testing {

struct JacobiFunctions {
  double sn, cn, dn;
};

inline JacobiFunctions calc_jacobi(double u, double k) {
  std::array<double, 20> a{}, c{};
  a[0] = 1;
  c[0] = k;
  double b = std::sqrt(1 - k * k);
  std::size_t n = 0;
  while (std::abs(c[n]) > 1e-17 && n + 1 < a.size()) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = std::sqrt(a[n] * b);
    ++n;
  }
  double phi = std::ldexp(a[n] * u, static_cast<int>(n));
  for (; n > 0; --n) phi = 0.5 * (phi + std::asin(c[n] / a[n] * std::sin(phi)));
  const double sn = std::sin(phi), cn = std::cos(phi);
  return {sn, cn, std::sqrt(1 - k * k * sn * sn)};
}

/// q = (x, y), v and the multiplier of (x^2 + y^2 - l^2)/2 = 0 for unit mass.
struct PendulumSolution {
  double length = 1, g = 9.81, theta0 = 1.5707963267948966;

  void set(double t, dae::State& s) const {
    const double k = std::sin(theta0 / 2), w = std::sqrt(g / length);
    const JacobiFunctions j = calc_jacobi(std::comp_ellint_1(k) + w * t, k);
    const double theta = 2 * std::asin(k * j.sn);
    const double rate = 2 * k * w * j.cn * j.dn / std::sqrt(1 - k * k * j.sn * j.sn);
    s.t = t;
    s.q.resize(2);
    s.v.resize(2);
    s.lambda.resize(1);
    s.q << length * std::sin(theta), -length * std::cos(theta);
    s.v << length * rate * std::cos(theta), length * rate * std::sin(theta);
    s.lambda << rate * rate + g / length * std::cos(theta);
  }
};

}  // namespace trammel::testing
