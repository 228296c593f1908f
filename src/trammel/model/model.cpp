#include "trammel/model/model.h"

#include <span>

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

const Program* Force::program(int component) const {
  if (vector) return vector->part(component) ? &*vector->part(component) : nullptr;
  return scalar && scalar->law.expression && component == 0 ? &*scalar->law.expression : nullptr;
}

std::vector<const Program*> Force::programs() const {
  std::vector<const Program*> found;
  for (int k = 0; k < 6; ++k) {
    if (const Program* expression = program(k)) found.push_back(expression);
  }
  return found;
}

std::optional<double> Model::start_value(const JointCoordinate& which) const {
  for (const InitialCoordinate& coordinate : joints[static_cast<std::size_t>(which.joint)].initial) {
    if (coordinate.kind == which.kind && coordinate.value) return coordinate.value;
  }
  for (const Motion& motion : motions) {
    if (motion.coordinate != which || motion.level != MotionLevel::kPosition) continue;
    const Program& f = motion.function;
    std::vector<double> work(static_cast<std::size_t>(f.work_size()));
    return f.eval<double>(std::span(&simulation.t_start, f.inputs().size()), work);
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

std::vector<const Program*> Model::programs_of(const Signal& signal) const {
  const auto k = static_cast<std::size_t>(signal.index);
  if (signal.kind == SignalKind::kVariable) return {&variables[k].function};
  if (signal.kind != SignalKind::kForceValue) return {};
  std::vector<const Program*> programs;
  const Force& force = forces[k];
  if (force.vector) {
    // Not of all components: those that are independent may depend on each other.
    for (const int part : find_parts(*force.vector, signal.component)) programs.push_back(force.program(part));
  } else if (const Program* program = force.program(0)) {
    programs.push_back(program);
  }
  return programs;
}

}  // namespace trammel::model
