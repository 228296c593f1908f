#include "thinned_columns.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/figures/scale.h"
#include "trammel/figures/thinning.h"

namespace trammel::cli {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

using TakeBlock = std::function<void(const Eigen::MatrixXd& values)>;

void walk(const ReadBlock& read, const RowRange& rows, const TakeBlock& take) {
  constexpr long kRows = 4096;
  for (long done = 0; done < rows.count; done += kRows) {
    take(read(rows.first + done, std::min(kRows, rows.count - done)));
  }
}

figures::Limits find_x_range(const ReadBlock& read, const RowRange& rows, bool is_log) {
  figures::Limits range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  walk(read, rows, [&](const Eigen::MatrixXd& values) {
    for (const double x : values.col(0)) {
      if (!figures::is_drawable(x, is_log)) continue;
      range = {std::min(range.lower, x), std::max(range.upper, x)};
    }
  });
  return range;
}

/// Whatever the range is, a scale that has a width.
figures::Scale make_scale(figures::Limits range, bool is_log) {
  if (!(figures::is_drawable(range.lower, is_log) && range.lower < range.upper)) range = {1, 2};
  return {range, is_log};
}

}  // namespace

std::vector<ThinnedColumn> read_thinned(const ReadBlock& read, const RowRange& rows,
                                        const std::vector<ColumnAxes>& axes, int resolution,
                                        std::optional<figures::Limits> x_range) {
  const bool is_log_x = !axes.empty() && axes.front().is_log_x;
  if (!x_range || is_log_x) x_range = find_x_range(read, rows, is_log_x);
  const figures::Scale scale = make_scale(*x_range, is_log_x);
  std::vector<ThinnedColumn> columns(axes.size());
  std::vector<figures::Thinner> thinners(axes.size(), figures::Thinner(scale, resolution));
  walk(read, rows, [&](const Eigen::MatrixXd& values) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      for (Eigen::Index row = 0; row < values.rows(); ++row) {
        const double x = values(row, 0), y = values(row, static_cast<Eigen::Index>(i) + 1);
        const bool is_number = figures::is_drawable(x, false) && figures::is_drawable(y, false);
        const bool is_drawn = figures::is_drawable(x, is_log_x) && figures::is_drawable(y, axes[i].is_log_y);
        if (!is_number) ++columns[i].missing;
        if (is_number && !is_drawn) ++columns[i].not_positive;
        thinners[i].add(x, is_drawn ? y : kNone);
      }
    }
  });
  for (std::size_t i = 0; i < axes.size(); ++i) {
    figures::Points points = thinners[i].finish();
    columns[i].x = std::move(points.x);
    columns[i].y = std::move(points.y);
  }
  return columns;
}

}  // namespace trammel::cli
