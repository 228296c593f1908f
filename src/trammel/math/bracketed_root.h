#pragma once

// A root of a continuous function between two points where its signs differ: Brent's combination of inverse quadratic
// interpolation, secant and bisection. Never leaves the bracket, needs no derivative.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trammel::math {

/// Finds x in [a, b] with f(x) = 0 to within `tolerance` (plus round-off), given f(a) and f(b) of opposite sign or
/// zero.
template <class Function>
double find_bracketed_root(Function&& f, double a, double fa, double b, double fb, double tolerance) {
  if (fa == 0) return a;
  if (fb == 0) return b;
  double c = a, fc = fa;  // the other side of the bracket [b, c]
  double step = b - a, previous_step = step;
  for (int iteration = 0; iteration < 200; ++iteration) {
    if ((fb > 0) == (fc > 0)) {
      c = a;
      fc = fa;
      step = previous_step = b - a;
    }
    if (std::abs(fc) < std::abs(fb)) {  // b is the best point so far
      a = b;
      b = c;
      c = a;
      fa = fb;
      fb = fc;
      fc = fa;
    }
    const double allowed = 2 * std::numeric_limits<double>::epsilon() * std::abs(b) + 0.5 * tolerance;
    const double half = 0.5 * (c - b);
    if (std::abs(half) <= allowed || fb == 0) return b;
    if (std::abs(previous_step) >= allowed && std::abs(fa) > std::abs(fb)) {
      const double s = fb / fa;
      double p = 0, q = 1;
      if (a == c) {  // secant
        p = 2 * half * s;
        q = 1 - s;
      } else {  // inverse quadratic
        const double u = fa / fc, w = fb / fc;
        p = s * (2 * half * u * (u - w) - (b - a) * (w - 1));
        q = (u - 1) * (w - 1) * (s - 1);
      }
      if (p > 0) q = -q;
      p = std::abs(p);
      const bool inside = 2 * p < std::min(3 * half * q - std::abs(allowed * q), std::abs(previous_step * q));
      previous_step = inside ? step : half;
      step = inside ? p / q : half;
    } else {
      step = previous_step = half;
    }
    a = b;
    fa = fb;
    b += std::abs(step) > allowed ? step : std::copysign(allowed, half);
    fb = f(b);
  }
  return b;
}

}  // namespace trammel::math
