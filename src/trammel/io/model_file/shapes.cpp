// Reads what bodies and the ground look like.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "trammel/io/mesh_file.h"
#include "trammel/io/model_file/section_readers.h"
#include "trammel/math/quaternion.h"

namespace trammel::io::model_file {
namespace {

using model::Shape;
using model::ShapeType;

// A planar drawing has no depth: shapes get this share of their smallest extent.
constexpr double kPlanarDepth = 0.2;

class ShapeReader {
 public:
  explicit ShapeReader(PartReader& reader) : values_(reader.values()), problems_(reader.problems()) {}

  std::optional<Shape> read(const Node& map) {
    const Node* type = map.get("type");
    if (type == nullptr) return std::nullopt;  // the schema check has said so
    Shape shape;
    if (const auto position = values_.vector(map, "position")) shape.position = *position;
    if (const auto R = values_.orientation_of(map)) shape.orientation = math::quaternion_from_rotation(*R);
    if (const Node* color = map.get("color")) read_color(*color, shape);
    if (type->text == "box") return read_box(map, shape);
    if (type->text == "cylinder") return read_cylinder(map, shape);
    if (type->text == "sphere") return read_sphere(map, shape);
    if (type->text == "mesh") return read_mesh_shape(map, shape);
    if (type->text == "line") return read_line(map, shape);
    return std::nullopt;
  }

 private:
  void read_color(const Node& node, Shape& shape) {
    const std::string& text = node.text;
    const bool is_color = text.size() == 7 && text[0] == '#' &&
                          std::all_of(text.begin() + 1, text.end(), [](unsigned char c) { return std::isxdigit(c); });
    if (is_color) {
      shape.color = text;
    } else {
      problems_.add(node.place, "a colour is written \"#rrggbb\", with hexadecimal digits and in quotes");
    }
  }

  std::optional<Shape> read_box(const Node& map, Shape& shape) {
    shape.type = ShapeType::kBox;
    const Node* size = map.get("size");
    const auto edges = size == nullptr ? std::nullopt : values_.vector(*size);
    if (!edges) return std::nullopt;
    shape.size = *edges;
    if (values_.is_planar()) shape.size.z() = kPlanarDepth * std::min(edges->x(), edges->y());
    if (shape.size.minCoeff() > 0) return shape;
    problems_.add(size->place, "the edges of a box must be positive");
    return std::nullopt;
  }

  std::optional<Shape> read_cylinder(const Node& map, Shape& shape) {
    shape.type = ShapeType::kCylinder;
    const auto radius = values_.number(map, "radius", Range::kPositive);
    const auto length = values_.number(map, "length", Range::kPositive);
    if (!radius) return std::nullopt;
    if (!length && map.has("length")) return std::nullopt;
    if (!length && !values_.is_planar()) {
      problems_.add(map.place, "a cylinder needs the key 'length'");
      return std::nullopt;
    }
    shape.radius = *radius;
    shape.length = length.value_or(kPlanarDepth * *radius);
    return shape;
  }

  std::optional<Shape> read_sphere(const Node& map, Shape& shape) {
    shape.type = ShapeType::kSphere;
    const auto radius = values_.number(map, "radius", Range::kPositive);
    if (!radius) return std::nullopt;
    shape.radius = *radius;
    return shape;
  }

  std::optional<Shape> read_mesh_shape(const Node& map, Shape& shape) {
    shape.type = ShapeType::kMesh;
    const Node* file = map.get("file");
    const auto scale = map.has("scale") ? values_.number(map, "scale", Range::kPositive) : 1.0;
    if (file == nullptr || !scale) return std::nullopt;
    const std::filesystem::path path = ContentsLoader::resolve(file->text, file->place);
    std::string problem;
    const std::string contents = ContentsLoader::read_text(path, problem);
    if (problem.empty()) {
      try {
        shape.mesh = std::make_shared<const model::Mesh>(read_mesh(contents, path.string(), *scale));
        return shape;
      } catch (const MeshProblem& error) {
        problem = fmt::format("cannot read the mesh '{}': {}", path.string(), error.what());
      }
    }
    problems_.add(file->place, problem);
    return std::nullopt;
  }

  std::optional<Shape> read_line(const Node& map, Shape& shape) {
    shape.type = ShapeType::kLine;
    shape.is_closed = values_.flag(map, "closed");
    const Node* points = map.get("points");
    if (points == nullptr || !points->is_list()) return std::nullopt;
    for (const NodePtr& item : points->items) {
      const auto point = values_.vector(*item);
      if (!point) return std::nullopt;
      shape.points.push_back(*point);
    }
    return shape;
  }

  Values& values_;
  Problems& problems_;
};

}  // namespace

std::vector<Shape> read_shapes(PartReader& reader, const Node& list) {
  std::vector<Shape> shapes;
  ShapeReader shape_reader(reader);
  for (const NodePtr& item : list.items) {
    if (!item->is_map()) continue;  // the schema check has said so
    if (auto shape = shape_reader.read(*item)) shapes.push_back(std::move(*shape));
  }
  return shapes;
}

void read_ground_shapes(PartReader& reader) {
  const Placement& ground = reader.part().placement;
  for (const NodePtr& list : reader.part().contents->ground_shapes) {
    for (Shape& shape : read_shapes(reader, *list)) {
      shape.position = ground.p + ground.R * shape.position;
      const Matrix3d R = ground.R * math::rotation_from_quaternion(shape.orientation);
      shape.orientation = math::quaternion_from_rotation(R);
      reader.model().ground_shapes.push_back(std::move(shape));
    }
  }
}

}  // namespace trammel::io::model_file
