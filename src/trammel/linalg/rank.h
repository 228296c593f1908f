#pragma once

// Which rows of a constraint Jacobian J (m x n, any shape) are redundant, and what they repeat.
//
// A row is dependent when its distance from the span of the kept rows before it is below a tolerance, all rows being
// scaled to unit length first. Rows are judged in order and the earliest are kept, so that a modeller reads "joint 7
// repeats what joints 2 and 5 demand" and not the reverse. Rows of zeros depend on nothing.
//
// Rows that share no column cannot depend on each other, so J is first split into connected parts. Then, for each part:
//   up to dense_limit rows  Householder QR of J^T with the largest remaining row first finds the rank from the drop in
//                           the diagonal of R (a close relative of the singular values); if rows are missing,
//                           Gram-Schmidt with one repetition goes through the rows in order and names them, with a
//                           threshold in the middle of that drop. Cost m^2 n.
//   more rows               elimination of sparse rows in order, each with the pivot column that is large in it and
//                           rare in J. Cost is that of the fill, linear for chains and trees. The remainder of a row
//                           bounds its distance from above, so the rank may be overestimated close to the tolerance.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel::linalg {

struct RankOptions {
  /// Distance, relative to the length of the row, from which a row is independent; (0, 1).
  /// Positions that were assembled to 1e-10 make dependent rows differ by about as much.
  double tolerance = 1e-8;
  /// Terms of a combination below this, both rows scaled to unit length, are not listed; [0, 1).
  double coefficient_threshold = 1e-6;
  /// Rows of a connected part up to which it is treated as a full matrix; at least 0. Measured (Zen 3, one dependent
  /// row): 0.1 s for 300 rows, 0.6 s for 600; sparse elimination takes 0.2 s for a chain of 110000 rows.
  int dense_limit = 300;

  std::vector<std::string> validate() const;
};

struct RowTerm {
  int row;
  double coefficient;
};

struct DependentRow {
  int row;
  std::vector<RowTerm> terms;  ///< J_row = sum of coefficient * J_term.row over kept rows, in increasing order
};

struct RankReport {
  int rank = 0;
  std::vector<DependentRow> dependent;  ///< in increasing order; rank + dependent.size() = m
  /// The drop that decided: size of the last direction kept and of the first one dropped, worst over the parts.
  double smallest_kept = 1;
  double largest_dropped = 0;
};

/// Throws std::invalid_argument when a value is not finite or an option is out of range.
RankReport find_dependent_rows(const Pattern& pattern, const double* values, const RankOptions& options = {});
RankReport find_dependent_rows(const Eigen::Ref<const Eigen::MatrixXd>& matrix, const RankOptions& options = {});

}  // namespace trammel::linalg
