#include "trammel/figures/thinning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace trammel::figures {

void Thinner::keep(double x, double y) {
  kept_.x.push_back(x);
  kept_.y.push_back(y);
}

void Thinner::flush() {
  if (!is_open_) return;
  is_open_ = false;
  const bool is_lowest_first = lowest_.place < highest_.place;
  const std::array<Point, 4> points{first_, is_lowest_first ? lowest_ : highest_, is_lowest_first ? highest_ : lowest_,
                                    last_};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || points[i].place != points[i - 1].place) keep(points[i].x, points[i].y);
  }
}

void Thinner::add(double x, double y) {
  const double fraction = x_.fraction(x);
  if (std::isnan(fraction) || !std::isfinite(y)) {
    flush();
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (!kept_.y.empty() && !std::isnan(kept_.y.back())) keep(kNone, kNone);
    return;
  }
  const int column = static_cast<int>(std::clamp(std::floor(fraction * columns_), -1.0, double(columns_)));
  const Point point{x, y, place_++};
  if (is_open_ && column != column_) flush();
  if (!is_open_) {
    is_open_ = true;
    column_ = column;
    first_ = lowest_ = highest_ = point;
  }
  if (y < lowest_.y) lowest_ = point;
  if (y > highest_.y) highest_ = point;
  last_ = point;
}

Points Thinner::finish() {
  flush();
  return std::exchange(kept_, {});
}

}  // namespace trammel::figures
