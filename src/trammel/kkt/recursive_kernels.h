#pragma once

// Elimination of one body or one block, for kkt::RecursiveSolver (docs/theory/recursive-elimination.md, section 2).
// Sizes are compile-time constants, so that the loops unroll; matrices are stored row by row.

#include <cmath>
#include <limits>

namespace trammel::kkt::recursive {

/// A pivot counts as vanished when elimination has left less than this of the entry, times the size of the block.
inline constexpr double kVanished = 64 * std::numeric_limits<double>::epsilon();

/// The smallest share of a pivot that elimination left, as a fraction.
struct PivotShare {
  double left = 1, whole = 1;

  /// Whether a pivot is more than rounding error; NaN is not.
  bool note(double pivot, double entry, double limit) {
    if (!(pivot > limit * entry)) return false;
    if (pivot * whole < left * entry) left = pivot, whole = entry;
    return true;
  }
  double value() const { return left / whole; }
};

/// Length of a row in memory: even, so that two numbers at a time can be worked on.
constexpr int padded(int n) { return n < 2 ? n : n + n % 2; }

/// Two numbers that are worked on at a time, wherever they stand. The compiler does not see by itself that short rows
/// are made of such pairs.
using Pair [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;

/// x += scale y for rows of kLength numbers, from number `begin` (even where the length is) on.
template <int kLength>
inline void add_row(double* x, double scale, const double* y, int begin = 0) {
  if constexpr (kLength % 2 == 0 && kLength > 0) {
    Pair* to = reinterpret_cast<Pair*>(x);  // `auto` would lose the alignment
    const Pair* from = reinterpret_cast<const Pair*>(y);
#pragma GCC unroll 4
    for (int k = begin / 2; k < kLength / 2; ++k) to[k] += scale * from[k];
  } else {
    for (int k = begin; k < kLength; ++k) x[k] += scale * y[k];
  }
}

/// U^T D U of the upper triangle of A (N x N, rows padded), D inverted, in place. Returns the row of a pivot that
/// vanished, or -1.
template <int N>
inline int factor_symmetric(double* A, PivotShare& share) {
  constexpr int kRow = padded(N);
  double entries[N + 1];
#pragma GCC unroll 8
  for (int j = 0; j < N; ++j) entries[j] = A[j * kRow + j];
#pragma GCC unroll 8
  for (int j = 0; j < N; ++j) {
    if (!share.note(A[j * kRow + j], entries[j], N * kVanished)) return j;
    const double inverse = 1 / A[j * kRow + j];
    double u[kRow + 1];
#pragma GCC unroll 8
    for (int k = j + 1; k < N; ++k) u[k] = A[j * kRow + k] * inverse;
#pragma GCC unroll 8
    for (int i = j + 1; i < N; ++i) {
      add_row<kRow>(A + i * kRow, -u[i], A + j * kRow, i - i % 2);
    }
    A[j * kRow + j] = inverse;
#pragma GCC unroll 8
    for (int k = j + 1; k < N; ++k) A[j * kRow + k] = u[k];
  }
  return -1;
}

/// X := U^-T X for the columns of X (N rows of kColumns).
template <int N, int kColumns>
inline void solve_lower(const double* A, double* X) {
#pragma GCC unroll 8
  for (int j = 0; j < N; ++j) {
#pragma GCC unroll 8
    for (int i = j + 1; i < N; ++i) {
      add_row<kColumns>(X + i * kColumns, -A[j * padded(N) + i], X + j * kColumns);
    }
  }
}

/// X := U^-1 D^-1 X.
template <int N, int kColumns>
inline void solve_upper(const double* A, double* X) {
#pragma GCC unroll 8
  for (int i = N - 1; i >= 0; --i) {
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) X[i * kColumns + c] *= A[i * padded(N) + i];
#pragma GCC unroll 8
    for (int j = i + 1; j < N; ++j) {
      add_row<kColumns>(X + i * kColumns, -A[i * padded(N) + j], X + j * kColumns);
    }
  }
}

/// Value `from` of the matrix goes to place `to` of a block.
struct Gather {
  int from, to;
};

/// Where a body finds its values, and where its factors and their effect on its parent go.
struct BodyTask {
  const Gather *begin = nullptr, *jacobian = nullptr, *end = nullptr;  ///< of the mass, then of the Jacobian
  double* sum = nullptr;  ///< N x N, what its children add to H; zero again afterwards
  double* kept = nullptr;
  double* parent = nullptr;  ///< H_p
  int stride = 0;            ///< from row to row of H_p
};

/// A body with N velocities and M rows, whose couplings are the P velocities of its parent, in a symmetric matrix
///
///   [ H  G^T  .   ]
///   [ G  .    C   ]
///   [ .  C^T  H_p ]
///
/// with H positive definite and G of full row rank.
template <int N, int M, int P>
struct BodyKernel {
  // What is gathered: H (upper triangle), G^T (N x M), C (M x P). It becomes what is kept: U and D of H,
  // X = H^-1 G^T, V = S^-1 C and, behind them, U and D of S = G H^-1 G^T.
  static constexpr int kRowH = padded(N), kRowX = padded(M), kRowV = padded(P);
  static constexpr int kX = N * kRowH, kV = kX + N * kRowX, kS = kV + M * kRowV, kKept = kS + M * kRowX;

  /// Where entry (i, j) of the block goes, for j >= i in H; a place past N + M is that of a velocity of the parent.
  static int place(int i, int j) {
    if (i < N) return i * kRowH + j;
    return j < N ? kX + j * kRowX + i - N : kV + (i - N) * kRowV + j - N - M;
  }

  /// H_p += C^T S^-1 C. Returns the place of a pivot that vanished, or -1.
  static int factor(const BodyTask& task, const double* mass, const double* jacobian, PivotShare& share) {
    double A[kKept];
#pragma GCC unroll 8
    for (int i = 0; i < N; ++i) {
#pragma GCC unroll 8
      for (int j = 0; j < N; ++j) A[i * kRowH + j] = task.sum[i * N + j];
      if constexpr (kRowH > N) A[i * kRowH + N] = 0;
    }
#pragma GCC unroll 8
    for (int i = 0; i < N * N; ++i) task.sum[i] = 0;
#pragma GCC unroll 8
    for (int i = kX; i < kKept; ++i) A[i] = 0;
    for (const Gather* g = task.begin; g != task.jacobian; ++g) A[g->to] += mass[g->from];
    for (const Gather* g = task.jacobian; g != task.end; ++g) A[g->to] += jacobian[g->from];

    if (const int failed = factor_symmetric<N>(A, share); failed >= 0) return failed;
    double *Y = A + kX, *Z = A + kV, *S = A + kS;
    solve_lower<N, kRowX>(A, Y);
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
#pragma GCC unroll 8
      for (int a = 0; a < M; ++a) {
        const double scaled = Y[n * kRowX + a] * A[n * kRowH + n];
        add_row<kRowX>(S + a * kRowX, scaled, Y + n * kRowX, a - a % 2);
      }
    }
    if (const int failed = factor_symmetric<M>(S, share); failed >= 0) return N + failed;
    if constexpr (M > 0 && P > 0) {
      solve_lower<M, kRowV>(S, Z);
      double sum[P * kRowV] = {};
#pragma GCC unroll 8
      for (int m = 0; m < M; ++m) {
#pragma GCC unroll 8
        for (int a = 0; a < P; ++a) {
          const double scaled = Z[m * kRowV + a] * S[m * kRowX + m];
          add_row<kRowV>(sum + a * kRowV, scaled, Z + m * kRowV);
        }
      }
      double* parent = task.parent;
#pragma GCC unroll 8
      for (int a = 0; a < P; ++a) {
#pragma GCC unroll 8
        for (int b = 0; b < P; ++b) parent[b] += sum[a * kRowV + b];
        parent += task.stride;
      }
      solve_upper<M, kRowV>(S, Z);
    }
    solve_upper<N, kRowX>(A, Y);
#pragma GCC unroll 8
    for (int i = 0; i < kKept; ++i) task.kept[i] = A[i];
    return -1;
  }

  /// b = (f, g) becomes (H^-1 f, S^-1 (X^T f - g)), and f_p -= V^T (X^T f - g).
  static void solve_forward(const double* kept, double* b, double* parent) {
    const double *X = kept + kX, *S = kept + kS, *V = kept + kV;
    double t[kRowX + 1] = {}, f[N];
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      f[n] = b[n];
      add_row<kRowX>(t, f[n], X + n * kRowX);
    }
#pragma GCC unroll 8
    for (int a = 0; a < M; ++a) t[a] -= b[N + a];
    if constexpr (M > 0 && P > 0) {
      double sum[kRowV] = {};
#pragma GCC unroll 8
      for (int m = 0; m < M; ++m) {
        add_row<kRowV>(sum, t[m], V + m * kRowV);
      }
#pragma GCC unroll 8
      for (int p = 0; p < P; ++p) parent[p] -= sum[p];
    }
    solve_lower<N, 1>(kept, f);
    solve_upper<N, 1>(kept, f);
    solve_lower<M, 1>(S, t);
    solve_upper<M, 1>(S, t);
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) b[n] = f[n];
#pragma GCC unroll 8
    for (int a = 0; a < M; ++a) b[N + a] = t[a];
  }

  /// lambda += V u_p, u -= X lambda.
  static void solve_back(const double* kept, double* b, const double* parent) {
    const double *X = kept + kX, *V = kept + kV;
    double w[M + 1];
#pragma GCC unroll 8
    for (int a = 0; a < M; ++a) {
      double sum = 0;
#pragma GCC unroll 8
      for (int p = 0; p < P; ++p) sum += V[a * kRowV + p] * parent[p];
      w[a] = b[N + a] += sum;
    }
#pragma GCC unroll 8
    for (int n = 0; n < N; ++n) {
      double sum = 0;
#pragma GCC unroll 8
      for (int a = 0; a < M; ++a) sum += X[n * kRowX + a] * w[a];
      b[n] -= sum;
    }
  }
};

/// A block of any kind: [A E; F K], where A (size x size) is eliminated with partial pivoting and K (k x k) becomes
/// K - F A^-1 E. Sizes of 0 stand for those given at run time.
template <int kSize, int kCoupled>
struct FrontKernel {
  static int factor(double* front, int size_given, int coupled_given, int* pivots, PivotShare& share) {
    const int size = kSize > 0 ? kSize : size_given;
    const int all = size + (kSize > 0 ? kCoupled : coupled_given);
    for (int j = 0; j < size; ++j) {
      int pivot = j;
      double largest = std::abs(front[j * all + j]);
      for (int i = j + 1; i < size; ++i) {
        const double candidate = std::abs(front[i * all + j]);
        if (candidate > largest) largest = candidate, pivot = i;
      }
      pivots[j] = pivot;
      double* row = front + j * all;
      if (pivot != j) {
        double* other = front + pivot * all;
        for (int k = 0; k < all; ++k) {
          const double kept = row[k];
          row[k] = other[k];
          other[k] = kept;
        }
      }
      double entry = largest;
      for (int k = 0; k < j; ++k) entry += std::abs(row[k] * front[k * all + j]);
      if (!share.note(largest, entry, size * kVanished)) return j;
      const double inverse = 1 / row[j];
      row[j] = inverse;
      for (int i = j + 1; i < all; ++i) {
        double* other = front + i * all;
        if (other[j] == 0) continue;
        const double l = other[j] * inverse;
        other[j] = l;
        for (int k = j + 1; k < all; ++k) other[k] -= l * row[k];
      }
    }
    return -1;
  }

  /// b of the block becomes L^-1 P b, and what is coupled to it changes by -F U^-1 of that.
  static void solve_forward(const double* front, int size_given, int coupled_given, const int* pivots, double* b,
                            const int* places, double* all_b) {
    const int size = kSize > 0 ? kSize : size_given;
    const int coupled = kSize > 0 ? kCoupled : coupled_given;
    const int all = size + coupled;
    for (int j = 0; j < size; ++j) {
      const double kept = b[pivots[j]];
      b[pivots[j]] = b[j];
      b[j] = kept;
    }
    for (int i = 1; i < size; ++i) {
      double sum = 0;
      for (int j = 0; j < i; ++j) sum += front[i * all + j] * b[j];
      b[i] -= sum;
    }
    for (int i = 0; i < coupled; ++i) {
      double sum = 0;
      for (int j = 0; j < size; ++j) sum += front[(size + i) * all + j] * b[j];
      all_b[places[i]] -= sum;
    }
  }

  static void solve_back(const double* front, int size_given, int coupled_given, double* b, const int* places,
                         const double* all_b) {
    const int size = kSize > 0 ? kSize : size_given;
    const int coupled = kSize > 0 ? kCoupled : coupled_given;
    const int all = size + coupled;
    for (int i = size - 1; i >= 0; --i) {
      double sum = 0;
      for (int j = i + 1; j < size; ++j) sum += front[i * all + j] * b[j];
      for (int j = 0; j < coupled; ++j) sum += front[i * all + size + j] * all_b[places[j]];
      b[i] = (b[i] - sum) * front[i * all + i];
    }
  }
};

}  // namespace trammel::kkt::recursive
