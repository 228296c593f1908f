#include "trammel/model/model.h"

namespace trammel::model {
namespace {

template <class Item>
int find_by_name(const std::vector<Item>& items, const std::string& name) {
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k].name == name) return static_cast<int>(k);
  }
  return -1;
}

}  // namespace

std::optional<double> Joint::initial_value(CoordinateKind kind) const {
  for (const InitialCoordinate& coordinate : initial) {
    if (coordinate.kind == kind && coordinate.value) return coordinate.value;
  }
  return std::nullopt;
}

int Model::find_body(const std::string& wanted) const { return find_by_name(bodies, wanted); }
int Model::find_marker(const std::string& wanted) const { return find_by_name(markers, wanted); }
int Model::find_joint(const std::string& wanted) const { return find_by_name(joints, wanted); }
int Model::find_force(const std::string& wanted) const { return find_by_name(forces, wanted); }
int Model::find_state(const std::string& wanted) const { return find_by_name(states, wanted); }
int Model::find_variable(const std::string& wanted) const { return find_by_name(variables, wanted); }
int Model::find_curve(const std::string& wanted) const { return find_by_name(curves, wanted); }

int Model::frame_marker(int body) {
  const std::string& wanted = body_name(body);
  const int found = find_marker(wanted);
  if (found >= 0) return found;
  markers.push_back({wanted, body, Vector3d::Zero(), Matrix3d::Identity()});
  return static_cast<int>(markers.size()) - 1;
}

const std::string& Model::body_name(int body) const {
  static const std::string ground = "ground";
  return body == kGround ? ground : bodies[static_cast<std::size_t>(body)].name;
}

std::vector<int> Model::find_parts(const VectorForce& force, int component) const {
  const int first = component < 3 ? 0 : 3, row = component - first;
  const auto& programs = component < 3 ? force.force : force.torque;
  const Marker* axes = force.frame < 0 ? nullptr : &markers[static_cast<std::size_t>(force.frame)];
  const auto is_mixed_in = [&](int column) {
    if (axes == nullptr || (is_planar() && (row == 2 || column == 2))) return column == row;
    return axes->body != kGround || axes->orientation(row, column) != 0;
  };
  std::vector<int> parts;
  for (int column = 0; column < 3; ++column) {
    if (programs[static_cast<std::size_t>(column)] && is_mixed_in(column)) parts.push_back(first + column);
  }
  return parts;
}

}  // namespace trammel::model
