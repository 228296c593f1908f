#pragma once

// Loops over panels of a few rows, the number of rows known to the compiler.
//
// A panel has R rows and any number n of columns, one after the other, each padded to an even length by a zero
// (kStride<R>), so that two rows are computed at a time. Sums stay in registers: the loops over rows are unrolled by
// hand (pragmas), since g++ leaves nests of them in memory. See dense_kernels.h for Pair.

#include <cstddef>
#include <type_traits>

#include "trammel/linalg/dense_kernels.h"

namespace trammel::linalg {

/// Blocks have at most so many rows: the rows of a joint.
inline constexpr int kMaxBlock = 6;

template <int R>
inline constexpr int kStride = R + R % 2;
constexpr int calc_stride(int rows) { return rows + rows % 2; }

/// Calls use(std::integral_constant<int, rows>()), 1 <= rows <= kMaxBlock.
template <class Use>
inline decltype(auto) with_rows(int rows, const Use& use) {
  switch (rows) {
    case 1: return use(std::integral_constant<int, 1>());
    case 2: return use(std::integral_constant<int, 2>());
    case 3: return use(std::integral_constant<int, 3>());
    case 4: return use(std::integral_constant<int, 4>());
    case 5: return use(std::integral_constant<int, 5>());
    default: return use(std::integral_constant<int, 6>());
  }
}

/// Calls use(n) with a number that the compiler knows when n is one of the likely ones, so that its loops unroll.
template <int... kLikely, class Use>
inline void with_likely(int n, const Use& use) {
  const bool is_likely = ((n == kLikely && (use(std::integral_constant<int, kLikely>()), true)) || ...);
  if (!is_likely) use(n);
}

/// Calls visit(k) for 0 <= k < n; without a loop where the compiler knows n.
template <class Width, class Visit>
inline void for_columns(Width n, const Visit& visit) {
  if constexpr (std::is_same_v<Width, int>) {
    for (int k = 0; k < n; ++k) visit(k);
  } else {
    constexpr int kCount = Width::value;
#pragma GCC unroll 8
    for (int k = 0; k < kCount; ++k) visit(k);
  }
}

template <int n>
constexpr std::integral_constant<int, n / 2> half(std::integral_constant<int, n>) {
  return {};
}
constexpr int half(int n) { return n / 2; }

inline Pair make_pair_of(double x) { return Pair{x, x}; }

/// A panel of S columns in registers.
template <int R, int S>
struct Tile {
  static constexpr int kPairs = kStride<R> / 2;
  Pair at[S][kPairs];

  static Tile zero() {
    Tile tile;
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s) {
#pragma GCC unroll 8
      for (int p = 0; p < kPairs; ++p) tile.at[s][p] = Pair{0, 0};
    }
    return tile;
  }
  static Tile load(const double* c) {
    Tile tile;
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s) {
#pragma GCC unroll 8
      for (int p = 0; p < kPairs; ++p) tile.at[s][p] = load_pair(c + s * kStride<R> + 2 * p);
    }
    return tile;
  }
  void store(double* c) const {
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s) {
#pragma GCC unroll 8
      for (int p = 0; p < kPairs; ++p) store_pair(at[s][p], c + s * kStride<R> + 2 * p);
    }
  }
  void add(const double* c) {
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s) {
#pragma GCC unroll 8
      for (int p = 0; p < kPairs; ++p) at[s][p] += load_pair(c + s * kStride<R> + 2 * p);
    }
  }
  /// += kSign A B^T, where A has R rows, B has S, and both n columns. Only the lower triangle when kLower is true.
  template <int kSign, bool kLower = false, class Width>
  void add_product(Width n, const double* a, const double* b) {
    if constexpr (std::is_same_v<Width, int> && S * kPairs <= kFewPairs) {
      auto odd = zero();  // so few sums would wait for one another
      for (int k = 0; k + 1 < n; k += 2) {
        add_column<kSign, kLower>(k, a, b);
        odd.template add_column<kSign, kLower>(k + 1, a, b);
      }
      if (n % 2 == 1) add_column<kSign, kLower>(n - 1, a, b);
#pragma GCC unroll 8
      for (int s = 0; s < S; ++s) {
#pragma GCC unroll 8
        for (int p = 0; p < kPairs; ++p) at[s][p] += odd.at[s][p];
      }
    } else {
      for_columns(n, [&](int k) { add_column<kSign, kLower>(k, a, b); });
    }
  }

 private:
  static constexpr int kFewPairs = 4;

  template <int kSign, bool kLower>
  void add_column(int k, const double* a, const double* b) {
    Pair x[kPairs];
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) x[p] = load_pair(a + k * kStride<R> + 2 * p);
#pragma GCC unroll 8
    for (int s = 0; s < S; ++s) {
      const Pair y = make_pair_of(b[k * kStride<S> + s]);
#pragma GCC unroll 8
      for (int p = kLower ? s / 2 : 0; p < kPairs; ++p) {
        if constexpr (kSign > 0) {
          at[s][p] += x[p] * y;
        } else {
          at[s][p] -= x[p] * y;
        }
      }
    }
  }
};

/// (C - A B^T) L^-T to `out`, where L has ones on its diagonal and stands below it (S x S).
template <int R, int S, class Width>
inline void eliminate(Width n, const double* a, const double* b, const double* l, const double* c, double* out) {
  auto tile = Tile<R, S>::load(c);
  tile.template add_product<-1>(n, a, b);
#pragma GCC unroll 8
  for (int k = 0; k < S; ++k) {
#pragma GCC unroll 8
    for (int s = k + 1; s < S; ++s) {
      const Pair y = make_pair_of(l[k * kStride<S> + s]);
#pragma GCC unroll 8
      for (int p = 0; p < tile.kPairs; ++p) tile.at[s][p] -= tile.at[k][p] * y;
    }
  }
  tile.store(out);
}

/// tile += kSign A D A^T, the lower triangle of it, and A becomes A D; D is the diagonal matrix of n given numbers.
template <int kSign, int R, class Width>
inline void scale_and_add_square(Width n, double* a, const double* diagonal, Tile<R, R>& tile) {
  for_columns(n, [&](int k) {
    double* column = a + k * kStride<R>;
    constexpr int kPairs = kStride<R> / 2;
    Pair x[kPairs], y[kPairs];
    const Pair d = make_pair_of(diagonal[k]);
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) {
      x[p] = load_pair(column + 2 * p);
      y[p] = x[p] * d;
      store_pair(y[p], column + 2 * p);
    }
#pragma GCC unroll 8
    for (int s = 0; s < R; ++s) {
      const Pair z = make_pair_of(y[s / 2][s % 2]);
#pragma GCC unroll 8
      for (int p = s / 2; p < kPairs; ++p) {
        if constexpr (kSign > 0) {
          tile.at[s][p] += x[p] * z;
        } else {
          tile.at[s][p] -= x[p] * z;
        }
      }
    }
  });
}

/// C becomes C L^-1, with L as in eliminate().
template <int R, int S>
inline void eliminate_back(const double* l, double* c) {
  auto tile = Tile<R, S>::load(c);
#pragma GCC unroll 8
  for (int k = S - 1; k >= 0; --k) {
#pragma GCC unroll 8
    for (int s = k + 1; s < S; ++s) {
      const Pair y = make_pair_of(l[k * kStride<S> + s]);
#pragma GCC unroll 8
      for (int p = 0; p < tile.kPairs; ++p) tile.at[k][p] -= tile.at[s][p] * y;
    }
  }
  tile.store(c);
}

/// L D L^T of the symmetric block whose lower triangle is given: L, with ones on its diagonal, below it, the pivots on
/// it, and their reciprocals. A pivot that is not above `relative` times its original value stops it: the answer is its
/// index, or -1 when all is well.
template <int R>
inline int factor_block(double* c, double relative, const double* original, double* inverse) {
  constexpr int ld = kStride<R>;
  double a[R][R];
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) {
#pragma GCC unroll 8
    for (int i = k; i < R; ++i) a[i][k] = c[k * ld + i];
  }
#pragma GCC unroll 8
  for (int k = 0; k < R; ++k) {
    const double pivot = a[k][k];
    if (!(pivot > relative * original[k])) return k;  // also for not-a-number
    const double f = 1 / pivot;
    inverse[k] = f;
    double l[R];
#pragma GCC unroll 8
    for (int i = k + 1; i < R; ++i) l[i] = a[i][k] * f;
#pragma GCC unroll 8
    for (int j = k + 1; j < R; ++j) {
#pragma GCC unroll 8
      for (int i = j; i < R; ++i) a[i][j] -= l[i] * a[j][k];
    }
    c[k * ld + k] = pivot;
#pragma GCC unroll 8
    for (int i = k + 1; i < R; ++i) c[k * ld + i] = l[i];
  }
  return -1;
}

/// A vector of R numbers in registers.
template <int R>
struct Column {
  static constexpr int kPairs = kStride<R> / 2;
  Pair at[kPairs];

  static Column load(const double* y) {
    Column column;
#pragma GCC unroll 8
    for (int p = 0; p < R / 2; ++p) column.at[p] = load_pair(y + 2 * p);
    if constexpr (R % 2 == 1) column.at[kPairs - 1] = Pair{y[R - 1], 0};
    return column;
  }
  void scale(const double* factors) {
    const Column other = load(factors);
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) at[p] *= other.at[p];
  }
  void store(double* y) const {
#pragma GCC unroll 8
    for (int p = 0; p < R / 2; ++p) store_pair(at[p], y + 2 * p);
    if constexpr (R % 2 == 1) y[R - 1] = at[kPairs - 1][0];
  }
  /// += kSign A x, where A has n columns.
  template <int kSign, class Width>
  void add_product(Width n, const double* a, const double* x) {
    for_columns(n, [&](int k) {
      const Pair factor = make_pair_of(x[k]);
#pragma GCC unroll 8
      for (int p = 0; p < kPairs; ++p) {
        const Pair product = load_pair(a + k * kStride<R> + 2 * p) * factor;
        if constexpr (kSign > 0) {
          at[p] += product;
        } else {
          at[p] -= product;
        }
      }
    });
  }
  /// x -= A^T y, where y is this.
  template <class Width>
  void subtract_transposed_product(Width n, const double* a, double* x) const {
    const auto sum_column = [&](int k) {
      Pair sum = load_pair(a + k * kStride<R>) * at[0];
#pragma GCC unroll 8
      for (int p = 1; p < kPairs; ++p) sum += load_pair(a + k * kStride<R> + 2 * p) * at[p];
      return sum;
    };
    for_columns(half(n), [&](int h) {
      const Pair one = sum_column(2 * h), other = sum_column(2 * h + 1);
      store_pair(load_pair(x + 2 * h) - (Pair{one[0], other[0]} + Pair{one[1], other[1]}), x + 2 * h);
    });
    if (n % 2 == 1) {
      const Pair sum = sum_column(n - 1);
      x[n - 1] -= sum[0] + sum[1];
    }
  }
  /// L^-1 y or L^-T y, L with ones on its diagonal.
  void solve_unit_lower(const double* l) {
    double y[kStride<R>];
    unpack(y);
#pragma GCC unroll 8
    for (int k = 0; k < R; ++k) {
#pragma GCC unroll 8
      for (int i = k + 1; i < R; ++i) y[i] -= l[k * kStride<R> + i] * y[k];
    }
    pack(y);
  }
  void solve_unit_lower_transposed(const double* l) {
    double y[kStride<R>];
    unpack(y);
#pragma GCC unroll 8
    for (int k = R - 1; k >= 0; --k) {
#pragma GCC unroll 8
      for (int i = 0; i < k; ++i) y[i] -= l[i * kStride<R> + k] * y[k];
    }
    pack(y);
  }

 private:
  void unpack(double* y) const {
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) {
      y[2 * p] = at[p][0];
      y[2 * p + 1] = at[p][1];
    }
  }
  void pack(const double* y) {
#pragma GCC unroll 8
    for (int p = 0; p < kPairs; ++p) at[p] = Pair{y[2 * p], y[2 * p + 1]};
  }
};

}  // namespace trammel::linalg
