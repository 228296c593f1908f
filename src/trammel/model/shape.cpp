#include "trammel/model/shape.h"

#include <stdexcept>

namespace trammel::model {

std::string to_string(ShapeType type) {
  switch (type) {
    case ShapeType::kBox: return "box";
    case ShapeType::kCylinder: return "cylinder";
    case ShapeType::kSphere: return "sphere";
    case ShapeType::kMesh: return "mesh";
    case ShapeType::kLine: return "line";
  }
  throw std::logic_error("a kind of shape without a name");
}

}  // namespace trammel::model
