#include "trammel/figures/figure.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "trammel/figures/layout.h"
#include "trammel/figures/scale.h"

namespace trammel::figures {
namespace {

void check_axis(const Axis& axis, const char* name) {
  if (!axis.limits) return;
  const auto [lower, upper] = *axis.limits;
  const bool is_sound = is_drawable(lower, axis.is_log) && is_drawable(upper, axis.is_log) && lower < upper &&
                        upper - lower > 1e-14 * std::max(std::abs(lower), std::abs(upper));
  if (is_sound) return;
  throw std::invalid_argument(
      fmt::format("the {}axis {} cannot go from {} to {}", axis.is_log ? "logarithmic " : "", name, lower, upper));
}

}  // namespace

void check(const Figure& figure) {
  for (const Panel& panel : figure.panels) {
    check_axis(panel.x, "x");
    check_axis(panel.y, "y");
    for (const Series& series : panel.series) {
      if (series.x.size() != series.y.size()) {
        throw std::invalid_argument(fmt::format("the series '{}' has {} values of x and {} of y", series.name,
                                                series.x.size(), series.y.size()));
      }
      if (series.colour && *series.colour < 0) {
        throw std::invalid_argument(fmt::format("the series '{}' has the colour {}", series.name, *series.colour));
      }
    }
  }
}

std::vector<std::string> list_notes(const Panel& panel, std::size_t not_positive) {
  std::vector<std::string> notes = panel.notes;
  if (not_positive > 0) {
    notes.push_back(fmt::format("{} value{} of 0 or less left out", not_positive, not_positive == 1 ? "" : "s"));
  }
  return notes;
}

}  // namespace trammel::figures
