#pragma once

// Polynomials by their values at the Chebyshev-Lobatto nodes of an interval, here [0, 1]:
//
//   s_j = sin^2(pi j/(2 n)),  j = 0 ... n,        p(s) = sum_j w_j/(s - s_j) p_j / sum_j w_j/(s - s_j)              (1)
//
// with w_j = (-1)^j, half of it at the ends: the barycentric formula, which is exact to rounding for every degree n
// (Berrut and Trefethen, SIAM Review 46, 2004). Both ends are nodes, and interpolation of a smooth function is within
// a small factor of its best approximation.

#include <cmath>
#include <numbers>
#include <span>

namespace trammel::math {

/// s_j of degree n > 0; exactly 0 and 1 at the ends.
inline double lobatto_node(int n, int j) {
  if (j == n) return 1;
  const double sine = std::sin(std::numbers::pi * j / (2.0 * n));
  return sine * sine;
}

/// The shares of the values p_j in p(s) of (1), n + 1 of them; of degree 0 the value itself.
inline void calc_lobatto_shares(int n, double s, std::span<double> shares) {
  double sum = 0;
  for (int j = 0; j <= n; ++j) {
    const double distance = n == 0 ? 0 : s - lobatto_node(n, j);
    if (distance == 0) {
      for (double& share : shares) share = 0;
      shares[static_cast<std::size_t>(j)] = 1;
      return;
    }
    const double weight = (j % 2 == 0 ? 1.0 : -1.0) * (j == 0 || j == n ? 0.5 : 1.0) / distance;
    shares[static_cast<std::size_t>(j)] = weight;
    sum += weight;
  }
  for (double& share : shares) share /= sum;
}

}  // namespace trammel::math
