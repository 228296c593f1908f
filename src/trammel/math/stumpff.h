#pragma once

// Stumpff functions, the smooth ingredients of rotations: with x = theta^2 and theta an angle in radians,
//
//   c_k(x) = sum_j (-x)^j / (k + 2 j)!,      c_k = 1/k! - x c_{k+2},
//   c_0 = cos theta,   c_1 = sin theta / theta,   c_2 = (1 - cos theta) / theta^2,   c_3 = (theta - sin theta) /
//   theta^3.
//
// They are entire functions of x, so formulas written with them have no special case at theta = 0, and duals pass
// through.

#include <array>
#include <cmath>

namespace trammel::math {

template <class T>
struct Stumpff {
  T c0, c1, c2, c3, c4;
};

/// c_k(x) for 0 <= x < 1 by its series: the first term left out is below 1e-18 of the sum for k = 3, 4.
template <int k, class T>
T stumpff_series(const T& x) {
  constexpr auto coefficients = [] {
    std::array<double, 9> c{};
    double factorial = 1;
    for (int n = 1; n < k + 18; ++n) {
      factorial *= n;
      if (n >= k && (n - k) % 2 == 0) c[(n - k) / 2] = 1 / factorial;
    }
    return c;
  }();
  T sum(coefficients.back());
  for (int j = 7; j >= 0; --j) sum = coefficients[j] - x * sum;
  return sum;
}

/// The functions c_0 to c_4 at x >= 0, with errors of a few units in the last place of 1/k!.
template <class T>
Stumpff<T> stumpff(const T& x) {
  using std::cos, std::sin, std::sqrt;
  if (x < 1.0) {
    const T c3 = stumpff_series<3>(x), c4 = stumpff_series<4>(x);
    const T c2 = 0.5 - x * c4;
    return {1.0 - x * c2, 1.0 - x * c3, c2, c3, c4};
  }
  const T theta = sqrt(x), half = sin(0.5 * theta);
  const T c1 = sin(theta) / theta, c2 = 2.0 * half * half / x;
  return {cos(theta), c1, c2, (1.0 - c1) / x, (0.5 - c2) / x};
}

}  // namespace trammel::math
