#include "trammel/figures/display_list.h"

namespace trammel::figures {

bool is_closed(MarkShape shape) { return shape != MarkShape::kPlus && shape != MarkShape::kCross; }

std::vector<std::vector<Place>> outline(const Mark& mark) {
  const double r = mark.radius;
  const auto at = [&](double x, double y) { return Place{mark.place.x + r * x, mark.place.y + r * y}; };
  // Sizes that look alike: about the area of the circle.
  switch (mark.shape) {
    case MarkShape::kCircle: return {};
    case MarkShape::kSquare: return {{at(-0.89, -0.89), at(0.89, -0.89), at(0.89, 0.89), at(-0.89, 0.89)}};
    case MarkShape::kTriangle: return {{at(0, -1.3), at(1.15, 0.8), at(-1.15, 0.8)}};
    case MarkShape::kInvertedTriangle: return {{at(0, 1.3), at(1.15, -0.8), at(-1.15, -0.8)}};
    case MarkShape::kDiamond: return {{at(0, -1.3), at(1.3, 0), at(0, 1.3), at(-1.3, 0)}};
    case MarkShape::kPlus: return {{at(-1.25, 0), at(1.25, 0)}, {at(0, -1.25), at(0, 1.25)}};
    case MarkShape::kCross: return {{at(-0.95, -0.95), at(0.95, 0.95)}, {at(-0.95, 0.95), at(0.95, -0.95)}};
  }
  return {};
}

std::vector<double> dash_lengths(const Polyline& line) {
  switch (line.dashes) {
    case Dashes::kNone: return {};
    case Dashes::kShort: return {3, 3};
    case Dashes::kLong: return {7, 3.5};
  }
  return {};
}

}  // namespace trammel::figures
