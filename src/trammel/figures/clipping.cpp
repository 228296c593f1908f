#include "trammel/figures/clipping.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace trammel::figures {
namespace {

bool is_finite(const Place& place) { return std::isfinite(place.x) && std::isfinite(place.y); }

bool is_inside(const Place& place, const Box& box) {
  return place.x >= box.left && place.x <= box.right && place.y >= box.top && place.y <= box.bottom;
}

/// The part of a segment in the box, as fractions of its length (Liang and Barsky 1984): each side of the box cuts off
/// what lies beyond it.
std::optional<std::pair<double, double>> find_inside(const Place& from, const Place& to, const Box& box) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const std::array<std::pair<double, double>, 4> sides{
      {{-dx, from.x - box.left}, {dx, box.right - from.x}, {-dy, from.y - box.top}, {dy, box.bottom - from.y}}};
  double enters = 0, leaves = 1;
  for (const auto& [outward, distance] : sides) {
    if (outward == 0) {
      if (distance < 0) return std::nullopt;
    } else if (outward < 0) {
      enters = std::max(enters, distance / outward);
    } else {
      leaves = std::min(leaves, distance / outward);
    }
  }
  if (enters > leaves) return std::nullopt;
  return std::pair{enters, leaves};
}

Place between(const Place& from, const Place& to, double fraction) {
  if (fraction == 0) return from;
  if (fraction == 1) return to;
  return {from.x + fraction * (to.x - from.x), from.y + fraction * (to.y - from.y)};
}

}  // namespace

std::vector<std::vector<Place>> clip(const std::vector<Place>& line, const Box& box) {
  std::vector<std::vector<Place>> parts;
  bool is_going_on = false;  // whether the last part ends where the next segment begins
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!is_finite(line[i])) {
      is_going_on = false;
      continue;
    }
    if (i == 0 || !is_finite(line[i - 1])) {
      // The first of its line: alone until a segment follows.
      is_going_on = is_inside(line[i], box);
      if (is_going_on) parts.push_back({line[i]});
      continue;
    }
    const auto inside = find_inside(line[i - 1], line[i], box);
    if (!inside) {
      is_going_on = false;
      continue;
    }
    if (!is_going_on) parts.push_back({between(line[i - 1], line[i], inside->first)});
    parts.back().push_back(between(line[i - 1], line[i], inside->second));
    is_going_on = inside->second == 1;
  }
  return parts;
}

}  // namespace trammel::figures
