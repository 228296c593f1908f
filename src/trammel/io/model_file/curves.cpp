// Reads curves.

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "trammel/io/model_file/section_readers.h"

namespace trammel::io::model_file {
namespace {

struct Points {
  std::vector<double> x, y;
};

std::optional<Points> read_points(PartReader& reader, const Node& map) {
  Values& values = reader.values();
  const Node* pairs = map.get("points");
  const Node* x = map.get("x");
  const Node* y = map.get("y");
  const bool has_lists = x != nullptr && y != nullptr;
  const bool has_part = x != nullptr || y != nullptr;
  if ((pairs != nullptr) == has_part || (has_part && !has_lists)) {
    reader.problems().add(map.place, "a curve needs either 'x' and 'y' or 'points'");
    return std::nullopt;
  }
  if (has_lists) {
    const auto abscissae = values.numbers(*x), ordinates = values.numbers(*y);
    if (!abscissae || !ordinates) return std::nullopt;
    return Points{*abscissae, *ordinates};
  }
  if (!pairs->is_list()) return std::nullopt;  // the schema check has said so
  Points points;
  bool is_right = true;
  for (const NodePtr& pair : pairs->items) {
    const auto point = values.numbers(*pair);
    is_right = is_right && point && point->size() == 2;
    if (!is_right) continue;
    points.x.push_back((*point)[0]);
    points.y.push_back((*point)[1]);
  }
  if (!is_right) return std::nullopt;
  return points;
}

std::optional<math::Spline> read_curve(PartReader& reader, const Node& map) {
  const auto points = read_points(reader, map);
  if (!points) return std::nullopt;
  const Node* kind = map.get("kind");
  const Node* outside = map.get("extrapolate");
  math::Extrapolation extrapolation = math::Extrapolation::kLinear;
  if (outside != nullptr && outside->text == "clamp") extrapolation = math::Extrapolation::kClamp;
  if (outside != nullptr && outside->text == "refuse") extrapolation = math::Extrapolation::kRefuse;
  try {
    if (kind != nullptr && kind->text == "linear") return math::Spline::linear(points->x, points->y, extrapolation);
    if (kind != nullptr && kind->text == "natural") return math::Spline::natural(points->x, points->y, extrapolation);
    return math::Spline::akima(points->x, points->y, extrapolation);
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();  // "spline: ..."
    reader.problems().add(map.place, message.substr(message.find(": ") + 2));
    return std::nullopt;
  }
}

// Stands for a curve that cannot be used, so that references to it are not reported as well.
math::Spline stand_in() {
  constexpr std::array<double, 2> points{0, 1};
  return math::Spline::linear(points, points);
}

}  // namespace

void read_curves(PartReader& reader) {
  for (const Entry& entry : reader.part().contents->section("curves")) {
    auto spline = entry.value->is_map() ? read_curve(reader, *entry.value) : std::nullopt;
    reader.model().curves.push_back({reader.part().prefix + entry.key, spline ? std::move(*spline) : stand_in()});
  }
}

}  // namespace trammel::io::model_file
