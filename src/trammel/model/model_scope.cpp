#include "trammel/model/model_scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trammel/model/joint_types.h"
#include "trammel/model/near_names.h"

namespace trammel::model {
namespace {

using expression::Meaning;
using expression::ScopeError;
using enum SignalKind;

constexpr std::array<Measure, 23> kMeasures{{
    {"dx", "dx(a, b, c)", kDisplacement, 0, "abc", "x component of the vector from b to a, in the axes of c [m]"},
    {"dy", "dy(a, b, c)", kDisplacement, 1, "abc", "y component"},
    {"dz", "dz(a, b, c)", kDisplacement, 2, "abc", "z component"},
    {"dm", "dm(a, b)", kDistance, 0, "ab", "distance between a and b [m]"},
    {"vx", "vx(a, b, c, d)", kVelocity, 0, "abcd",
     "x component, in the axes of c, of the derivative, as seen from d, of the vector from b to a [m/s]"},
    {"vy", "vy(a, b, c, d)", kVelocity, 1, "abcd", "y component"},
    {"vz", "vz(a, b, c, d)", kVelocity, 2, "abcd", "z component"},
    {"vm", "vm(a, b, d)", kSpeed, 0, "abd", "size of that derivative as seen from d [m/s]"},
    {"vr", "vr(a, b)", kSeparationRate, 0, "ab", "derivative of the distance between a and b [m/s]"},
    {"ax", "ax(a, b)", kAngle, 0, "ab", "rotation of a seen from b about the x axis of b, from -pi to pi [rad]"},
    {"ay", "ay(a, b)", kAngle, 1, "ab", "about the y axis"},
    {"az", "az(a, b)", kAngle, 2, "ab", "about the z axis"},
    {"wx", "wx(a, b, c)", kAngularVelocity, 0, "abc",
     "x component, in the axes of c, of the angular velocity of a relative to b [rad/s]"},
    {"wy", "wy(a, b, c)", kAngularVelocity, 1, "abc", "y component"},
    {"wz", "wz(a, b, c)", kAngularVelocity, 2, "abc", "z component"},
    {"wm", "wm(a, b)", kAngularSpeed, 0, "ab", "size of the angular velocity [rad/s]"},
    {"accx", "accx(a, b, c, d)", kAcceleration, 0, "abcd",
     "x component, in the axes of c, of the second derivative, as seen from d, of the vector from b to a [m/s^2]"},
    {"accy", "accy(a, b, c, d)", kAcceleration, 1, "abcd", "y component"},
    {"accz", "accz(a, b, c, d)", kAcceleration, 2, "abcd", "z component"},
    {"accm", "accm(a, b, d)", kAccelerationSize, 0, "abd", "size of that second derivative as seen from d [m/s^2]"},
    {"wdtx", "wdtx(a, b, c, d)", kAngularAcceleration, 0, "abcd",
     "x component, in the axes of c, of the derivative, as seen from d, of the angular velocity of a relative to b "
     "[rad/s^2]"},
    {"wdty", "wdty(a, b, c, d)", kAngularAcceleration, 1, "abcd", "y component"},
    {"wdtz", "wdtz(a, b, c, d)", kAngularAcceleration, 2, "abcd", "z component"},
}};

const Measure* find_measure(const std::string& name) {
  const auto all = measures_of_markers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Measure& measure) { return measure.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// A component of a wrench, force in front of torque.
struct WrenchComponent {
  const char* name;
  bool is_torque;
  int axis;
  bool in_plane;
};
constexpr std::array<WrenchComponent, 6> kWrench{{{"fx", false, 0, true},
                                                  {"fy", false, 1, true},
                                                  {"fz", false, 2, false},
                                                  {"tx", true, 0, false},
                                                  {"ty", true, 1, false},
                                                  {"tz", true, 2, true}}};
constexpr int kSize = 3;  // "component" of the size of a reaction

constexpr const char* kReaction = "reaction.";

// Joints between coordinates have no reaction at a point.
bool has_reaction(const Joint& joint) {
  return joint.type != JointType::kGear && joint.type != JointType::kCoupler && joint.type != JointType::kRackAndPinion;
}

std::vector<std::string> joint_components(const Model& model, const Joint& joint) {
  std::vector<std::string> names;
  const auto& coordinates = joint_type(joint.type).coordinates(model.space);
  for (const CoordinateKind kind : coordinates) {
    names.push_back(to_string(kind));
    names.push_back(to_string(kind) + "_rate");
  }
  if (coordinates.size() == 1) names.emplace_back("rate");
  if (has_reaction(joint)) {
    for (const WrenchComponent& part : kWrench) {
      if (part.in_plane || !model.is_planar()) names.push_back(std::string(kReaction) + part.name);
    }
    names.push_back(std::string(kReaction) + "force");
    names.push_back(std::string(kReaction) + "torque");
  }
  return names;
}

std::vector<std::string> force_components(const Model& model, const Force& force) {
  if (force.scalar) return {"value"};
  if (force.friction) return {};
  std::vector<std::string> names;
  for (const WrenchComponent& part : kWrench) {
    if (part.in_plane || !model.is_planar()) names.emplace_back(part.name);
  }
  return names;
}

std::vector<std::string> marker_components(bool is_planar, bool is_body) {
  std::vector<std::string> names{"x", "y", "vx", "vy"};
  if (!is_planar) names.insert(names.end(), {"z", "vz"});
  if (is_body && is_planar) names.insert(names.end(), {"angle", "angle_rate", "wz"});
  if (is_body && !is_planar) names.insert(names.end(), {"wx", "wy", "wz"});
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::span<const Measure> measures_of_markers() { return kMeasures; }

ModelScope::ModelScope(ModelIndex& index, std::string prefix, int ground)
    : index_(index), prefix_(std::move(prefix)), ground_(ground) {}

Meaning ModelScope::signal(Signal signal, const std::string& text) {
  signal.text = prefix_ + text;
  return Meaning::signal(index_.signal(signal));
}

std::optional<Meaning> ModelScope::find(const std::string& name) {
  const Model& model = index_.model();
  const std::string full = prefix_ + name;
  if (const int k = index_.find_parameter(full); k >= 0) {
    return Meaning::constant(model.parameters[static_cast<std::size_t>(k)].value);
  }
  if (name == "t" || name == "time") return Meaning::signal(index_.signal({.kind = kTime, .text = "t"}));
  if (const int k = index_.find_state(full); k >= 0) return signal({.kind = kState, .index = k, .text = {}}, name);
  if (const int k = index_.find_variable(full); k >= 0)
    return signal({.kind = kVariable, .index = k, .text = {}}, name);

  if (const auto reaction = full.rfind(std::string(".") + kReaction); reaction != std::string::npos) {
    const int joint = index_.find_joint(full.substr(0, reaction));
    return joint < 0 ? std::nullopt : find_of_joint(joint, full.substr(reaction + 1), name);
  }
  const auto dot = full.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string owner = full.substr(0, dot), component = full.substr(dot + 1);
  if (const int k = index_.find_joint(owner); k >= 0) return find_of_joint(k, component, name);
  if (const int k = index_.find_force(owner); k >= 0) return find_of_force(k, component, name);
  if (const int k = index_.find_body(owner); k >= 0) {
    return contains(marker_components(model.is_planar(), true), component)
               ? find_of_marker(index_.frame_marker(k), true, component, name)
               : std::nullopt;
  }
  if (const int k = index_.find_marker(owner); k >= 0) return find_of_marker(k, false, component, name);
  return std::nullopt;
}

std::optional<Meaning> ModelScope::find_of_joint(int k, const std::string& component, const std::string& text) {
  const Model& model = index_.model();
  const Joint& joint = model.joints[static_cast<std::size_t>(k)];
  if (!contains(joint_components(model, joint), component)) return std::nullopt;
  const std::string prefix = kReaction;
  if (component.starts_with(prefix)) {
    const std::string part = component.substr(prefix.size());
    for (const WrenchComponent& entry : kWrench) {
      if (part != entry.name) continue;
      return signal(
          {.kind = entry.is_torque ? kReactionTorque : kReactionForce, .index = k, .component = entry.axis, .text = {}},
          text);
    }
    return signal(
        {.kind = part == "torque" ? kReactionTorque : kReactionForce, .index = k, .component = kSize, .text = {}},
        text);
  }
  for (const CoordinateKind kind : joint_type(joint.type).coordinates(model.space)) {
    const std::string name = to_string(kind);
    if (component == name) {
      return signal({.kind = kJointCoordinate, .index = k, .component = static_cast<int>(kind), .text = {}}, text);
    }
    if (component == name + "_rate" || component == "rate") {
      return signal({.kind = kJointRate, .index = k, .component = static_cast<int>(kind), .text = {}}, text);
    }
  }
  return std::nullopt;
}

std::optional<Meaning> ModelScope::find_of_force(int k, const std::string& component, const std::string& text) {
  const Model& model = index_.model();
  if (!contains(force_components(model, model.forces[static_cast<std::size_t>(k)]), component)) return std::nullopt;
  int number = 0;
  for (const WrenchComponent& part : kWrench) {
    if (component == part.name) number = part.axis + (part.is_torque ? 3 : 0);
  }
  return signal({.kind = kForceValue, .index = k, .component = number, .text = {}}, text);
}

std::optional<Meaning> ModelScope::find_of_marker(int marker, bool is_body, const std::string& component,
                                                  const std::string& text) {
  if (!contains(marker_components(index_.model().is_planar(), is_body), component)) return std::nullopt;
  Signal wanted{.a = marker, .b = ground_, .c = ground_, .d = ground_, .text = {}};
  if (component.starts_with("angle")) {
    wanted.kind = component == "angle" ? kAngle : kAngularVelocity;
    wanted.component = 2;
  } else {
    wanted.kind = component[0] == 'v' ? kVelocity : component[0] == 'w' ? kAngularVelocity : kDisplacement;
    wanted.component = component.back() - 'x';
    if (wanted.kind == kAngularVelocity) wanted.c = marker;
  }
  // Equal signals must be equal in all members: only velocities are seen from somewhere.
  if (wanted.kind != kVelocity) wanted.d = -1;
  if (wanted.kind == kAngle) wanted.c = -1;
  return signal(wanted, text);
}

std::vector<std::string> ModelScope::names() const {
  const Model& model = index_.model();
  std::vector<std::string> names{"t", "time"};
  const auto add = [&](const std::string& full, const std::string& component = {}) {
    if (full.starts_with(prefix_)) names.push_back(full.substr(prefix_.size()) + component);
  };
  const auto add_all = [&](const std::string& full, const std::vector<std::string>& components) {
    for (const std::string& component : components) add(full, "." + component);
  };
  for (const auto& parameter : model.parameters) add(parameter.name);
  for (const auto& state : model.states) add(state.name);
  for (const auto& variable : model.variables) add(variable.name);
  for (const auto& joint : model.joints) add_all(joint.name, joint_components(model, joint));
  for (const auto& force : model.forces) add_all(force.name, force_components(model, force));
  for (const auto& body : model.bodies) add_all(body.name, marker_components(model.is_planar(), true));
  for (const auto& marker : model.markers) {
    if (marker.name != model.body_name(marker.body) && marker.name.find('/') == std::string::npos) {
      add_all(marker.name, marker_components(model.is_planar(), false));
    }
  }
  return names;
}

std::string ModelScope::hint(const std::string& name) const {
  const auto dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  const std::string owner = name.substr(0, dot), component = name.substr(dot + 1);
  const std::string full = prefix_ + owner;
  const bool is_body = index_.find_body(full) >= 0;
  if (!is_body && index_.find_marker(full) < 0) return {};
  const bool is_planar = index_.model().is_planar();
  // Columns of result files that expressions have under other names.
  std::string instead;
  if (component == "ax" || component == "ay" || (component == "az" && !is_planar)) {
    instead = fmt::format("acc{}({})", component.back(), owner);
  } else if (is_body && is_planar && component == "angle_acceleration") {
    instead = fmt::format("wdtz({})", owner);
  } else if (is_body && !is_planar && component.starts_with("alpha_")) {
    instead = fmt::format("wdt{0}({1}, ground, {1})", component.substr(6), owner);
  }
  return instead.empty() ? std::string() : "accelerations are measures: " + instead;
}

bool ModelScope::is_measure(const std::string& function) const {
  return function == "der" || find_measure(function) != nullptr;
}

Meaning ModelScope::call(const std::string& function, std::span<const std::string> arguments) {
  if (function == "der") return state_rate(arguments);
  const Measure& measure = *find_measure(function);
  if (arguments.empty() || arguments.size() > measure.markers.size()) {
    throw ScopeError(fmt::format("{} takes 1 to {} markers: {}", function, measure.markers.size(), measure.signature));
  }
  Signal wanted{.kind = measure.kind, .component = measure.component, .text = {}};
  std::string text = function;
  for (std::size_t k = 0; k < measure.markers.size(); ++k) {
    int marker = ground_;
    if (k < arguments.size()) {
      marker = find_marker(arguments[k]);
      if (marker < 0) {
        throw ScopeError(describe_unknown("marker", arguments[k], marker_names()), static_cast<int>(k));
      }
      // The ground frame has one number in signals.
      if (index_.model().markers[static_cast<std::size_t>(marker)].name == "ground") marker = -1;
      text += (k == 0 ? "(" : ", ") + prefix_ + arguments[k];
    }
    switch (measure.markers[k]) {
      case 'a': wanted.a = marker; break;
      case 'b': wanted.b = marker; break;
      case 'c': wanted.c = marker; break;
      default: wanted.d = marker;
    }
  }
  wanted.text = text + ")";
  return Meaning::signal(index_.signal(wanted));
}

Meaning ModelScope::state_rate(std::span<const std::string> arguments) {
  if (arguments.size() != 1) throw ScopeError("der takes the name of one state: der(x)");
  const int state = index_.find_state(prefix_ + arguments[0]);
  if (state < 0) {
    std::vector<std::string> known;
    for (const auto& entry : index_.model().states) {
      if (entry.name.starts_with(prefix_)) known.push_back(entry.name.substr(prefix_.size()));
    }
    throw ScopeError(describe_unknown("state", arguments[0], known), 0);
  }
  return signal({.kind = kStateRate, .index = state, .text = {}}, "der(" + arguments[0] + ")");
}

std::vector<std::string> ModelScope::measures() const {
  std::vector<std::string> names;
  for (const Measure& measure : measures_of_markers()) names.emplace_back(measure.name);
  names.emplace_back("der");
  return names;
}

int ModelScope::find_marker(const std::string& name) {
  if (name == "ground") return ground_ >= 0 ? ground_ : index_.frame_marker(kGround);
  const std::string full = prefix_ + name;
  if (const int marker = index_.find_marker(full); marker >= 0) return marker;
  const int body = index_.find_body(full);
  return body >= 0 ? index_.frame_marker(body) : -1;
}

std::vector<std::string> ModelScope::marker_names() const {
  const Model& model = index_.model();
  std::vector<std::string> names{"ground"};
  const auto add = [&](const std::string& full) {
    if (full.starts_with(prefix_)) names.push_back(full.substr(prefix_.size()));
  };
  for (const auto& body : model.bodies) add(body.name);
  for (const auto& marker : model.markers) {
    const bool is_frame = marker.name == model.body_name(marker.body) || marker.name == prefix_ + "ground";
    if (!is_frame && marker.name.find('/') == std::string::npos) add(marker.name);
  }
  return names;
}

const math::Spline* ModelScope::find_curve(const std::string& name) {
  const int curve = index_.find_curve(prefix_ + name);
  return curve < 0 ? nullptr : &index_.model().curves[static_cast<std::size_t>(curve)].spline;
}

std::vector<std::string> ModelScope::curve_names() const {
  std::vector<std::string> names;
  for (const auto& curve : index_.model().curves) {
    if (curve.name.starts_with(prefix_)) names.push_back(curve.name.substr(prefix_.size()));
  }
  return names;
}

}  // namespace trammel::model
