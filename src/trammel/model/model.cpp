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

const std::string& Model::body_name(int body) const {
  static const std::string ground = "ground";
  return body == kGround ? ground : bodies[static_cast<std::size_t>(body)].name;
}

}  // namespace trammel::model
