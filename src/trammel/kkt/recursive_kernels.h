#pragma once

// Elimination of one body or one block, for kkt::RecursiveSolver (docs/theory/recursive-elimination.md, section 2).
// Sizes are compile-time constants, so that the loops unroll. Matrices of fronts are stored row by row.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "trammel/linalg/block_kernels.h"

namespace trammel::kkt::recursive {

using linalg::Column;
using linalg::eliminate;
using linalg::eliminate_back;
using linalg::Tile;

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

/// Where a body finds its numbers, and where its factors and their effect on its parent go.
struct BodyTask {
  double* own = nullptr;
  double* sum = nullptr;  ///< what its children add to the lower triangle of H; zero again afterwards
  double* kept = nullptr;
  double* parent = nullptr;  ///< H_p: the sum of a body, or a front
  bool is_body = false;      ///< whether the parent is
  int stride = 0;            ///< from row to row of a front
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
  // What is gathered: the lower triangle of H and the panels G (M x N) and C^T (P x M), as block_kernels.h has them. It
  // becomes what is kept: L of H, X^T = G H^-1, V^T = C^T S^-1 and, behind them, L of S = G H^-1 G^T and the
  // reciprocals of both diagonals.
  static constexpr int kRowH = linalg::kStride<N>, kRowX = linalg::kStride<M>, kRowV = linalg::kStride<P>;
  static constexpr int kX = N * kRowH, kV = kX + N * kRowX, kS = kV + M * kRowV, kInverseH = kS + M * kRowX,
                       kInverseS = kInverseH + kRowH, kKept = kInverseS + kRowX;
  static constexpr int kOwn = kS, kSum = kX;
  template <int n>
  using Constant = std::integral_constant<int, n>;

  /// Where entry (i, j) of the block goes, for j >= i in H; a place past N + M is that of a velocity of the parent.
  static int place(int i, int j) {
    if (i < N) return i * kRowH + j;
    return j < N ? kX + j * kRowX + i - N : kV + (i - N) * kRowV + j - N - M;
  }

  /// H_p += C^T S^-1 C. Returns the place of a pivot that vanished, or -1.
  static int factor(const BodyTask& task, PivotShare& share) {
    double* A = task.kept;
    auto H = Tile<N, N>::load(task.own);
    H.add(task.sum);
    H.store(A);
    Tile<N, N>::zero().store(task.sum);
    if (const int failed = factor_symmetric<N>(A, A + kInverseH, share); failed >= 0) return failed;
    if constexpr (M > 0) {
      double *X = A + kX, *S = A + kS;
      eliminate<M, N>(Constant<0>(), X, X, A, task.own + kX, X);
      auto square = Tile<M, M>::zero();
      scale_and_add_square<1>(Constant<N>(), X, A + kInverseH, square);
      square.store(S);
      if (const int failed = factor_symmetric<M>(S, A + kInverseS, share); failed >= 0) return N + failed;
      if constexpr (P > 0) {
        double* V = A + kV;
        eliminate<P, M>(Constant<0>(), V, V, S, task.own + kV, V);
        auto sum = Tile<P, P>::zero();
        scale_and_add_square<1>(Constant<M>(), V, A + kInverseS, sum);
        add_to_parent(task, sum);
        eliminate_back<P, M>(S, V);
      }
      eliminate_back<M, N>(A, X);
    }
    return -1;
  }

  /// b = (f, g) becomes (H^-1 f, S^-1 (X^T f - g)), and f_p -= V^T (X^T f - g).
  static void solve_forward(const double* kept, double* b, double* parent) {
    if constexpr (M > 0) {
      auto t = Column<M>::load(b + N);
#pragma GCC unroll 8
      for (int p = 0; p < t.kPairs; ++p) t.at[p] = -t.at[p];
      t.template add_product<1>(Constant<N>(), kept + kX, b);
      double rows[kRowX];
      t.store(rows);
      if constexpr (P > 0) {
        auto f = Column<P>::load(parent);
        f.template add_product<-1>(Constant<M>(), kept + kV, rows);
        f.store(parent);
      }
      t.solve_unit_lower(kept + kS);
      t.scale(kept + kInverseS);
      t.solve_unit_lower_transposed(kept + kS);
      t.store(b + N);
    }
    auto u = Column<N>::load(b);
    u.solve_unit_lower(kept);
    u.scale(kept + kInverseH);
    u.solve_unit_lower_transposed(kept);
    u.store(b);
  }

  /// lambda += V u_p, u -= X lambda.
  static void solve_back(const double* kept, double* b, const double* parent) {
    if constexpr (M > 0) {
      if constexpr (P > 0) {
        auto u = Column<P>::load(parent);
#pragma GCC unroll 8
        for (int p = 0; p < u.kPairs; ++p) u.at[p] = -u.at[p];
        u.subtract_transposed_product(Constant<M>(), kept + kV, b + N);
      }
      Column<M>::load(b + N).subtract_transposed_product(Constant<N>(), kept + kX, b);
    }
  }

 private:
  template <int n>
  static int factor_symmetric(double* A, double* inverse, PivotShare& share) {
    double entries[n];
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) entries[k] = A[k * linalg::kStride<n> + k];
    const int failed = linalg::factor_block<n>(A, n * kVanished, entries, inverse);
    if (failed >= 0) return failed;
#pragma GCC unroll 8
    for (int k = 0; k < n; ++k) share.note(A[k * linalg::kStride<n> + k], entries[k], 0);
    return -1;
  }

  /// The lower triangle of the sum; a front has both.
  static void add_to_parent(const BodyTask& task, Tile<P, P>& sum) {
    if (task.is_body) {
      sum.add(task.parent);
      sum.store(task.parent);
      return;
    }
    double lower[P * kRowV];
    sum.store(lower);
    for (int a = 0; a < P; ++a) {
      for (int b = 0; b < P; ++b) {
        task.parent[static_cast<std::ptrdiff_t>(a) * task.stride + b] += lower[std::min(a, b) * kRowV + std::max(a, b)];
      }
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
