#include "trammel/figures/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::figures {
namespace {

// Beyond these, differences and products of values would overflow or vanish.
constexpr double kLargest = 1e300;
constexpr double kSmallest = 1e-300;
// Differences of a few units in the last place are noise: such values are drawn as a constant.
constexpr double kNoise = 1e-14;

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();

  bool is_empty() const { return least > largest; }
  void add(double value) {
    least = std::min(least, value);
    largest = std::max(largest, value);
  }
};

Limits widen_log(const Range& range, double room) {
  if (range.is_empty()) return {1, 10};
  const double decades = std::log10(range.largest / range.least);
  if (decades < 1e-9) return {range.least / 2, range.largest * 2};
  const double factor = std::pow(10, room * decades);
  return {range.least / factor, range.largest * factor};
}

Limits widen_linear(const Range& range, double room) {
  if (range.is_empty()) return {0, 1};
  const double span = range.largest - range.least;
  const double size = std::max(std::abs(range.least), std::abs(range.largest));
  if (span > kNoise * size && span > kSmallest) return {range.least - room * span, range.largest + room * span};
  if (size < kSmallest) return {-1, 1};
  const double middle = range.least + span / 2;
  return {middle - 0.1 * size, middle + 0.1 * size};
}

Scale make_scale(const Axis& axis, const Range& range, double room) {
  if (axis.limits) return {*axis.limits, axis.is_log};
  return {axis.is_log ? widen_log(range, room) : widen_linear(range, room), axis.is_log};
}

bool grows(const Series& series) {
  double before = -std::numeric_limits<double>::infinity();
  for (const double x : series.x) {
    if (std::isnan(x)) continue;
    if (x < before) return false;
    before = x;
  }
  return true;
}

/// Share of the span to leave free at both ends of x.
double calc_room(const Panel& panel) {
  for (const Series& series : panel.series) {
    if (series.style != SeriesStyle::kLine || !grows(series)) return 0.05;
  }
  return 0;
}

Range find_x_range(const Panel& panel) {
  Range range;
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (is_drawable(series.x[i], panel.x.is_log) && is_drawable(series.y[i], panel.y.is_log)) range.add(series.x[i]);
    }
  }
  return range;
}

Range find_y_range(const Panel& panel, const Scale& x) {
  Range range;
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (is_drawable(series.x[i], panel.x.is_log) && x.contains(series.x[i]) &&
          is_drawable(series.y[i], panel.y.is_log)) {
        range.add(series.y[i]);
      }
    }
  }
  return range;
}

std::size_t count_not_positive(const Panel& panel) {
  std::size_t count = 0;
  for (const Series& series : panel.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const bool is_number = is_drawable(series.x[i], false) && is_drawable(series.y[i], false);
      const bool is_drawn = is_drawable(series.x[i], panel.x.is_log) && is_drawable(series.y[i], panel.y.is_log);
      if (is_number && !is_drawn) ++count;
    }
  }
  return count;
}

PanelScales complete(const Panel& panel, const Scale& x) {
  constexpr double kRoom = 0.05;
  const Range y = find_y_range(panel, x);
  return {x, make_scale(panel.y, y, kRoom), !y.is_empty(), count_not_positive(panel)};
}

}  // namespace

bool is_drawable(double value, bool is_log) {
  if (is_log) return value >= kSmallest && value <= kLargest;
  return std::abs(value) <= kLargest;
}

double Scale::fraction(double value) const {
  if (!is_drawable(value, is_log_)) return std::numeric_limits<double>::quiet_NaN();
  if (is_log_) return std::log(value / limits_.lower) / std::log(limits_.upper / limits_.lower);
  return (value - limits_.lower) / (limits_.upper - limits_.lower);
}

PanelScales calc_scales(const Panel& panel) {
  return complete(panel, make_scale(panel.x, find_x_range(panel), calc_room(panel)));
}

std::vector<PanelScales> calc_scales(const Figure& figure) {
  std::vector<PanelScales> scales;
  if (!figure.shares_x || figure.panels.empty()) {
    for (const Panel& panel : figure.panels) scales.push_back(calc_scales(panel));
    return scales;
  }
  Axis axis = figure.panels.front().x;
  Range range;
  double room = 0;
  for (const Panel& panel : figure.panels) {
    const Range own = find_x_range(panel);
    if (!own.is_empty()) {
      range.add(own.least);
      range.add(own.largest);
    }
    room = std::max(room, calc_room(panel));
    if (!axis.limits) axis.limits = panel.x.limits;
  }
  const Scale x = make_scale(axis, range, room);
  for (const Panel& panel : figure.panels) scales.push_back(complete(panel, x));
  return scales;
}

void equalize(PanelScales& scales, double width, double height) {
  if (scales.x.is_log() || scales.y.is_log()) return;
  const auto span = [](const Scale& scale) { return scale.limits().upper - scale.limits().lower; };
  const double unit = std::max(span(scales.x) / width, span(scales.y) / height);
  const auto widen = [unit](Scale& scale, double length) {
    const double middle = scale.limits().lower + (scale.limits().upper - scale.limits().lower) / 2;
    scale = Scale({middle - unit * length / 2, middle + unit * length / 2}, false);
  };
  widen(scales.x, width);
  widen(scales.y, height);
}

}  // namespace trammel::figures
