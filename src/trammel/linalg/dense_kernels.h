#pragma once

// The innermost loops of the small dense factorisations, column-major.
//
// Sizes are a dozen or so, where a general library spends its time on deciding what to do and where waiting for results
// costs more than computing them. Hence two columns at a time, and vectors of two numbers written out: left to itself
// the compiler reads in twos what was just written one by one, which stalls (Zen 3, g++ 12 -O3, factor and solve of
// CholeskyQr at n = 7, m = 6: 0.71 microseconds with plain loops, 0.58 with these).

#include <cmath>
#include <cstddef>

namespace trammel::linalg {

/// Two neighbouring numbers, at any address of a double (g++ and clang let vectors alias their elements).
using Pair [[gnu::vector_size(16), gnu::aligned(8)]] = double;

inline Pair load_pair(const double* x) { return *reinterpret_cast<const Pair*>(x); }
inline void store_pair(Pair value, double* x) { *reinterpret_cast<Pair*>(x) = value; }

/// y = x, without the call that std::copy makes.
inline void copy_numbers(int n, const double* x, double* y) {
  int i = 0;
  for (; i + 1 < n; i += 2) store_pair(load_pair(x + i), y + i);
  if (i < n) y[i] = x[i];
}

struct TwoDots {
  double d0;
  double d1;
};

inline double calc_dot(int n, const double* x, const double* y) {
  Pair sum = {0, 0};
  int i = 0;
  for (; i + 1 < n; i += 2) sum += load_pair(x + i) * load_pair(y + i);
  const double total = sum[0] + sum[1];
  return i < n ? total + x[i] * y[i] : total;
}

/// (x0 . y, x1 . y)
inline TwoDots calc_dots(int n, const double* x0, const double* x1, const double* y) {
  Pair sum0 = {0, 0}, sum1 = {0, 0};
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const Pair z = load_pair(y + i);
    sum0 += load_pair(x0 + i) * z;
    sum1 += load_pair(x1 + i) * z;
  }
  TwoDots dots{sum0[0] + sum0[1], sum1[0] + sum1[1]};
  if (i < n) {
    dots.d0 += x0[i] * y[i];
    dots.d1 += x1[i] * y[i];
  }
  return dots;
}

/// Sum of the absolute values: infinite or not-a-number when an entry is.
inline double calc_norm1(int n, const double* x) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += std::abs(x[i]);
    s1 += std::abs(x[i + 1]);
    s2 += std::abs(x[i + 2]);
    s3 += std::abs(x[i + 3]);
  }
  for (; i < n; ++i) s0 += std::abs(x[i]);
  return (s0 + s1) + (s2 + s3);
}

/// y += factor x.
inline void add_scaled(int n, double factor, const double* x, double* y) {
  const Pair factors = {factor, factor};
  int i = 0;
  for (; i + 1 < n; i += 2) store_pair(load_pair(y + i) + factors * load_pair(x + i), y + i);
  if (i < n) y[i] += factor * x[i];
}

/// y += factor0 x0 + factor1 x1.
inline void add_scaled(int n, double factor0, const double* x0, double factor1, const double* x1, double* y) {
  const Pair factors0 = {factor0, factor0}, factors1 = {factor1, factor1};
  int i = 0;
  for (; i + 1 < n; i += 2)
    store_pair(load_pair(y + i) + (factors0 * load_pair(x0 + i) + factors1 * load_pair(x1 + i)), y + i);
  if (i < n) y[i] += factor0 * x0[i] + factor1 * x1[i];
}

/// x becomes L^-1 x. L is the lower triangle of a (leading dimension ld) with the reciprocals of its diagonal given,
/// or with ones there when `inverse` is null.
inline void solve_lower(int n, const double* a, int ld, const double* inverse, double* x) {
  int k = 0;
  for (; k + 1 < n; k += 2) {
    const double* l0 = a + static_cast<std::ptrdiff_t>(k) * ld;
    const double* l1 = l0 + ld;
    const double x0 = inverse ? x[k] * inverse[k] : x[k];
    const double rest = x[k + 1] - l0[k + 1] * x0;
    const double x1 = inverse ? rest * inverse[k + 1] : rest;
    store_pair(Pair{x0, x1}, x + k);
    add_scaled(n - k - 2, -x0, l0 + k + 2, -x1, l1 + k + 2, x + k + 2);
  }
  if (k < n && inverse) x[k] *= inverse[k];
}

/// x becomes L^-T x, with L as above.
inline void solve_lower_transposed(int n, const double* a, int ld, const double* inverse, double* x) {
  int k = n;
  if (k % 2 == 1) {
    --k;
    if (inverse) x[k] *= inverse[k];
  }
  for (k -= 2; k >= 0; k -= 2) {
    const double* l0 = a + static_cast<std::ptrdiff_t>(k) * ld;
    const double* l1 = l0 + ld;
    const TwoDots dots = calc_dots(n - k - 2, l0 + k + 2, l1 + k + 2, x + k + 2);
    const double x1 = (x[k + 1] - dots.d1) * (inverse ? inverse[k + 1] : 1);
    const double x0 = (x[k] - dots.d0 - l0[k + 1] * x1) * (inverse ? inverse[k] : 1);
    store_pair(Pair{x0, x1}, x + k);
  }
}

/// x becomes U^-1 x. U is the upper triangle of a with the reciprocals of its diagonal given.
inline void solve_upper(int n, const double* a, int ld, const double* inverse, double* x) {
  int k = n;
  if (k % 2 == 1) {
    --k;
    x[k] *= inverse[k];
    add_scaled(k, -x[k], a + static_cast<std::ptrdiff_t>(k) * ld, x);
  }
  for (k -= 2; k >= 0; k -= 2) {
    const double* u0 = a + static_cast<std::ptrdiff_t>(k) * ld;
    const double* u1 = u0 + ld;
    const double x1 = x[k + 1] * inverse[k + 1];
    const double x0 = (x[k] - u1[k] * x1) * inverse[k];
    store_pair(Pair{x0, x1}, x + k);
    add_scaled(k, -x0, u0, -x1, u1, x);
  }
}

/// x becomes U^-T x, with U as above.
inline void solve_upper_transposed(int n, const double* a, int ld, const double* inverse, double* x) {
  int k = 0;
  for (; k + 1 < n; k += 2) {
    const double* u0 = a + static_cast<std::ptrdiff_t>(k) * ld;
    const double* u1 = u0 + ld;
    const TwoDots dots = calc_dots(k, u0, u1, x);
    const double x0 = (x[k] - dots.d0) * inverse[k];
    store_pair(Pair{x0, (x[k + 1] - dots.d1 - u1[k] * x0) * inverse[k + 1]}, x + k);
  }
  if (k < n) x[k] = (x[k] - calc_dot(k, a + static_cast<std::ptrdiff_t>(k) * ld, x)) * inverse[k];
}

}  // namespace trammel::linalg
