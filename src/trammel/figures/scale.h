#pragma once

// What an axis shows, and where on it a value lies.

#include <cstddef>
#include <vector>

#include "trammel/figures/figure.h"

namespace trammel::figures {

/// Whether a number can be drawn: finite, and small enough to be reckoned with. On a logarithmic axis it is positive.
bool is_drawable(double value, bool is_log);

class Scale {
 public:
  Scale() = default;
  /// Lower below upper, both drawable.
  Scale(Limits limits, bool is_log) : limits_(limits), is_log_(is_log) {}

  const Limits& limits() const { return limits_; }
  bool is_log() const { return is_log_; }
  /// 0 at the lower end, 1 at the upper one; NaN for what cannot be drawn.
  double fraction(double value) const;
  bool contains(double value) const { return value >= limits_.lower && value <= limits_.upper; }

 private:
  Limits limits_;
  bool is_log_ = false;
};

struct PanelScales {
  Scale x;
  Scale y;
  bool has_values = false;       ///< whether there is a point to draw
  std::size_t not_positive = 0;  ///< points left out because an axis is logarithmic
};

/// Where the axes of a panel have no limits, they show all points (of y: those within the limits of x) and some room
/// around them. A line over a growing x, such as time, fills the whole width.
PanelScales calc_scales(const Panel& panel);

/// The scales of all panels; one x for all when the figure shares it.
std::vector<PanelScales> calc_scales(const Figure& figure);

/// Widens the limits of the axis that has fewer units a px, for a frame of width x height.
void equalize(PanelScales& scales, double width, double height);

}  // namespace trammel::figures
