#pragma once

// P R A Q = L U of a sparse square matrix by KLU (Davis, Palamadai Natarajan): one analysis for a pattern, then many
// factorisations that only fill in values. MEXX report 3.1 and 4.2, thesis 4.2.
//
// analyse() orders the matrix and takes the memory. The first factor() chooses pivots. Later ones keep them and only
// redo the arithmetic (about three times faster, no memory taken) as long as the pivots stay good; when they do not,
// factor() chooses new ones, which takes memory. "Good" is measured: a solve with b = A x* for an x* of no particular
// structure, all columns weighing the same, and its backward error in every row (Oettli and Prager),
//
//   max_i |b - A x|_i / (|A| |x| + |b|)_i,
//
// which may be max_error_growth times what it was when the pivots were chosen. (x* and not b is chosen: the solution
// for a chosen b may be so large in one direction that errors elsewhere do not show.) It costs a solve and two
// products, a quarter of a refactorisation. KLU's own pivot growth costs up to three quarters of one, and does not see
// damage that stays in L.
//
// The ordering decides the fill: lu_nonzeros() tells. See SparseLuOptions for the trap of saddle-point matrices.
//
// A pivot counts as vanished when it is zero or not above its rounding error, as in dense_lu.h.
// One object serves one thread at a time: solving uses scratch memory of the object.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trammel/linalg/compressed_columns.h"
#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/pattern.h"

namespace trammel::linalg {

enum class SparseOrdering { kAmd, kColamd, kNatural, kGiven };
enum class RowScaling { kNone, kSum, kMax };

/// The trap of saddle-point matrices [H G^T; G 0]: AMD knows the pattern only and eliminates constraints before their
/// bodies, where the diagonal is zero, so pivots are taken elsewhere and the ordering is lost; the block triangular
/// form removes zeros from the diagonal by an unsymmetric permutation, after which pivots may be tiny. Fill as entries
/// of L + U per entry of A, pivots away from the diagonal, and residual of a solve, for a chain of 3000 bodies:
///                                      spherical joints           revolute joints
///   body, its joint, next body, ...    1.73      0   6e-16       2.15      0   2e-15
///   COLAMD                             1.92      0   4e-16       2.29   1526   4e-15
///   AMD                                1.60      0   3e-16       5.35   6001   2e-15
///   AMD, block triangular              2.46      2   6e-15       2.18    270   2e-13
/// So give a permutation when you know one; COLAMD, whose bound holds for any choice of pivots, is the default.
struct SparseLuOptions {
  SparseOrdering ordering = SparseOrdering::kColamd;
  /// For kGiven: rows and columns in the order of elimination, permutation[new] = old.
  std::vector<int> permutation;
  /// Solve the blocks of a block triangular form one after the other. For kNatural and kGiven the blocks are sought
  /// without exchanging rows, so they may be coarser.
  bool block_triangular = false;
  RowScaling scaling = RowScaling::kMax;
  /// The diagonal is preferred while it is at least this share of the largest entry of its column; (0, 1].
  double pivot_tolerance = 1e-3;
  /// Backward error, relative to that of freshly chosen pivots, from which they are chosen anew; at least 1.
  /// Fresh ones are at 1e-15 to 1e-13, so a thousand keeps at least ten digits; infinity keeps them until one vanishes.
  double max_error_growth = 1e3;

  /// Readable messages, none when all is well for a matrix of this size.
  std::vector<std::string> validate(int size) const;
};

struct SparseLuCounts {
  int analyses = 0;
  int full_factorisations = 0;  ///< with choice of pivots
  int refactorisations = 0;     ///< with the pivots of an earlier one, those that were redone included
  int renewals = 0;             ///< full factorisations because the pivots had gone bad
};

class SparseLu {
 public:
  SparseLu();
  explicit SparseLu(const Pattern& pattern, const SparseLuOptions& options = {});
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;
  SparseLu(const SparseLu&) = delete;
  SparseLu& operator=(const SparseLu&) = delete;
  ~SparseLu();

  /// Fails when no values can make the matrix regular; factor() then says the same. Throws std::invalid_argument for a
  /// pattern that is not square or options that are not valid.
  FactorStatus analyse(const Pattern& pattern, const SparseLuOptions& options = {});

  int size() const { return matrix_.columns; }
  const CompressedColumns& structure() const { return matrix_; }

  /// Adds up the values of the pattern's entries and factors the matrix.
  FactorStatus factor(const double* pattern_values);

  /// For an assembler that adds to the slots itself: entry k of the pattern belongs to values()[slots()[k]].
  std::vector<double>& values() { return values_; }
  const std::vector<int>& slots() const { return matrix_.slots; }
  /// Factors the matrix in values(), which it leaves alone.
  FactorStatus factor();

  /// b becomes A^-1 b. Needs a factor() that succeeded, as the functions below do.
  void solve(VectorOut b) const;
  /// b becomes A^-T b.
  void solve_transposed(VectorOut b) const;

  /// Estimate of 1 / (||A||_1 ||A^-1||_1), by condition.h, for the price of a few solves; 1 for an empty matrix.
  double calc_rcond() const;
  /// min |u_jj| / max |u_jj|: costs nothing and may be far above calc_rcond().
  double diagonal_rcond() const { return diagonal_rcond_; }

  /// Entries of L and U and of the blocks above them, the unit diagonal of L not counted.
  std::int64_t lu_nonzeros() const;
  /// Multiplications and additions of one refactorisation.
  double calc_flops() const;
  /// Pivots that had to be taken away from the diagonal, which spoils the ordering.
  int off_diagonal_pivots() const { return off_diagonal_pivots_; }
  const SparseLuCounts& counts() const { return counts_; }

 private:
  struct Klu;
  struct ExtractedFactors;

  FactorStatus eval_norm();
  FactorStatus factor_fully();
  bool attempt_refactor();
  double calc_probe_error() const;
  int find_meaningless_pivot(int columns);

  CompressedColumns matrix_;
  std::vector<double> values_;
  double norm1_ = 0;
  double max_error_growth_ = 1;
  FactorStatus structural_;
  SparseLuCounts counts_;
  bool factored_ = false;
  double chosen_error_ = 0;  ///< of the probe, when the pivots were chosen
  double diagonal_rcond_ = 1;
  int off_diagonal_pivots_ = 0;
  Vector probe_;  ///< x*, to be divided by the norms of the columns
  Vector column_norms_;
  mutable Eigen::Matrix<double, Eigen::Dynamic, 3> scratch_;
  std::unique_ptr<Klu> klu_;
  std::unique_ptr<ExtractedFactors> extracted_;  ///< only after a suspicious pivot was met
};

}  // namespace trammel::linalg
