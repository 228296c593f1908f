#pragma once

// Columns of a table that may be far larger than what a figure can show: read a block of rows at a time, and thinned
// while they are read.

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <vector>

#include "trammel/figures/figure.h"

namespace trammel::cli {

/// Rows of a table, `count` from `first` on: x in column 0, then the values to be drawn over it.
using ReadBlock = std::function<Eigen::MatrixXd(long first, long count)>;

struct RowRange {
  long first = 0;
  long count = 0;
};

/// How a column is to be drawn.
struct ColumnAxes {
  bool is_log_x = false;
  bool is_log_y = false;
};

struct ThinnedColumn {
  std::vector<double> x;
  std::vector<double> y;
  long missing = 0;       ///< rows in which x or the column has no value
  long not_positive = 0;  ///< rows that a logarithmic axis cannot show; they are gaps
};

/// One column for each of `axes`, all with the same kind of x, at a resolution of so many columns of an image.
/// `x_range` spares reading the table twice where it is known.
std::vector<ThinnedColumn> read_thinned(const ReadBlock& read, const RowRange& rows,
                                        const std::vector<ColumnAxes>& axes, int resolution,
                                        std::optional<figures::Limits> x_range);

}  // namespace trammel::cli
