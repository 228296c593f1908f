// Reads forces.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "trammel/io/model_file/section_readers.h"
#include "trammel/model/force_types.h"
#include "trammel/model/joint_types.h"

namespace trammel::io::model_file {
namespace {

using model::Force;
using model::ForceLaw;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

bool is_force_type(const std::string& name) {
  const auto& types = model::force_types();
  return std::any_of(types.begin(), types.end(), [&](const auto& type) { return type.name == name; });
}

class ForceReader {
 public:
  explicit ForceReader(PartReader& reader) : reader_(reader), values_(reader.values()), problems_(reader.problems()) {}

  void read(Force& force, const Node& map) {
    if (force.bushing) return read_bushing(*force.bushing, map, force.name);
    if (force.vector) return read_vector(*force.vector, map, force.name);
    if (force.friction) return read_dry_friction(*force.friction, map);
    read_scalar(force, map);
  }

 private:
  void read_scalar(Force& force, const Node& map) {
    model::ScalarForce& scalar = *force.scalar;
    const bool is_on_joint = read_coordinate(scalar, map, force.name);
    ForceLaw& law = scalar.law;
    if (force.type == "stop") {
      law.stop = ForceLaw::Stop{};
      read_stop(*law.stop, map);
    } else if (force.type == "friction") {
      read_friction(law, map);
    } else {
      values_.read(map, "stiffness", law.stiffness);
      values_.read(map, "damping", law.damping);
      values_.read(map, "preload", law.preload);
      law.stiffness_curve = reader_.curve(map, "stiffness_curve");
      law.damping_curve = reader_.curve(map, "damping_curve");
      read_by_unit(scalar, map, is_on_joint);
    }
    if (force.type == "joint-force" && map.has("force") == map.has("torque")) {
      problems_.add(map.place, "a joint-force needs either 'force' or 'torque'");
    }
  }

  // The joint coordinate or the pair of markers; true for the first.
  bool read_coordinate(model::ScalarForce& scalar, const Node& map, const std::string& name) {
    if (map.has("joint") && map.has("between")) problems_.add(map.place, "give either 'joint' or 'between'");
    if (map.has("between")) {
      if (const Node* coordinate = map.get("coordinate")) {
        problems_.add(coordinate->place, "'coordinate' belongs to 'joint'");
      }
      if (const auto pair = reader_.pair(map, name)) {
        scalar.i = pair->i;
        scalar.j = pair->j;
      }
      return false;
    }
    if (!map.has("joint")) {
      problems_.add_if_first(map.place, "this force needs either 'joint' or 'between'");
      return false;
    }
    const auto coordinate = reader_.coordinate(map);
    if (coordinate) scalar.coordinate = *coordinate;
    return coordinate.has_value();
  }

  // Keys that name a length or an angle, a force or a torque, which must fit the coordinate.
  void read_by_unit(model::ScalarForce& scalar, const Node& map, bool is_on_joint) {
    const bool turns = is_on_joint && model::is_angle(scalar.coordinate.kind);
    const auto pick = [&](const char* along, const char* about) -> const Node* {
      const Node* wrong = is_on_joint ? map.get(turns ? along : about) : nullptr;
      if (wrong != nullptr) {
        problems_.add(wrong->place,
                      fmt::format("the coordinate {} is {}; write {}", quoted(model::to_string(scalar.coordinate.kind)),
                                  turns ? "an angle" : "a length", turns ? about : along));
      }
      const Node* first = map.get(turns ? about : along);
      return first != nullptr ? first : map.get(turns ? along : about);
    };
    if (const Node* reference = pick("free_length", "free_angle")) {
      scalar.law.reference = values_.number(*reference).value_or(0);
    }
    if (const Node* expression = pick("force", "torque")) {
      scalar.law.expression = reader_.program(*expression, Purpose::kForce);
    }
  }

  void read_friction(ForceLaw& law, const Node& map) {
    if (!map.has("coulomb") && !map.has("viscous")) problems_.add(map.place, "friction needs 'coulomb' or 'viscous'");
    values_.read(map, "coulomb", law.coulomb, Range::kNotNegative);
    values_.read(map, "breakaway", law.breakaway, Range::kNotNegative);
    values_.read(map, "stribeck_velocity", law.stribeck_velocity, Range::kPositive);
    values_.read(map, "smoothing_velocity", law.smoothing_velocity, Range::kPositive);
    values_.read(map, "viscous", law.damping, Range::kNotNegative);
    require_pair(map, "breakaway", "stribeck_velocity");
    require_pair(map, "stribeck_velocity", "breakaway");
    if (map.has("breakaway") && law.breakaway < law.coulomb) {
      problems_.add(map.get("breakaway")->place,
                    fmt::format("breakaway ({}) must not be less than coulomb ({})", law.breakaway, law.coulomb));
    }
  }

  void read_dry_friction(model::DryFriction& friction, const Node& map) {
    values_.read(map, "mu", friction.mu, Range::kNotNegative);
    friction.static_mu = friction.mu;
    values_.read(map, "static", friction.static_mu, Range::kNotNegative);
    values_.read(map, "radius", friction.radius, Range::kPositive);
    values_.read(map, "thrust_radius", friction.thrust_radius, Range::kPositive);
    values_.read(map, "length", friction.length, Range::kPositive);
    values_.read(map, "preload", friction.preload, Range::kNotNegative);
    values_.read(map, "viscous", friction.viscous, Range::kNotNegative);
    if (friction.static_mu < friction.mu) {
      problems_.add(map.get("static")->place,
                    fmt::format("static ({}) must not be less than mu ({})", friction.static_mu, friction.mu));
    }
    const auto coordinate = reader_.coordinate(map);
    if (!coordinate) return;
    friction.coordinate = *coordinate;
    check_bearing(friction, map);
  }

  // Which joints can have friction by their load, and which of its lengths they know.
  void check_bearing(const model::DryFriction& friction, const Node& map) {
    const model::Joint& joint = reader_.model().joints[static_cast<std::size_t>(friction.coordinate.joint)];
    const bool turns = joint.type == model::JointType::kRevolute;
    if (!turns && joint.type != model::JointType::kTranslational) {
      problems_.add(map.get("joint")->place,
                    fmt::format("dry-friction is for revolute and translational joints, not for {} joints",
                                model::joint_type(joint.type).name));
      return;
    }
    if (turns && !map.has("radius")) problems_.add(map.place, "dry-friction in a revolute joint needs 'radius'");
    const auto refuse = [&](const char* key, bool is_unknown, const char* where) {
      const Node* node = map.get(key);
      if (is_unknown && node != nullptr)
        problems_.add(node->place, fmt::format("'{}' has no meaning in {}", key, where));
    };
    refuse("radius", !turns, "a translational joint");
    refuse("thrust_radius", !turns, "a translational joint");
    refuse("thrust_radius", turns && values_.is_planar(), "a planar revolute joint, which bears no thrust");
    refuse("length", turns && values_.is_planar(), "a planar revolute joint, which bears no moment");
  }

  // One says how much, the other over which speed: neither means anything alone.
  void require_pair(const Node& map, const char* key, const char* other) {
    if (map.has(key) && !map.has(other)) {
      problems_.add(map.get(key)->place, fmt::format("{} needs the key '{}' as well", key, other));
    }
  }

  void read_stop(ForceLaw::Stop& stop, const Node& map) {
    if (!map.has("lower") && !map.has("upper")) problems_.add(map.place, "a stop needs 'lower' or 'upper'");
    values_.read(map, "lower", stop.lower);
    values_.read(map, "upper", stop.upper);
    values_.read(map, "stiffness", stop.stiffness, Range::kPositive);
    values_.read(map, "exponent", stop.exponent, Range::kPositive);
    values_.read(map, "damping", stop.damping, Range::kNotNegative);
    values_.read(map, "depth", stop.depth, Range::kPositive);
    if (stop.lower >= stop.upper) {
      problems_.add(map.get(map.has("upper") ? "upper" : "lower")->place,
                    fmt::format("upper ({}) must be larger than lower ({})", stop.upper, stop.lower));
    }
    if (stop.exponent < 1) problems_.add(map.get("exponent")->place, "exponent must be at least 1");
  }

  void read_vector(model::VectorForce& vector, const Node& map, const std::string& name) {
    vector.i = reader_.marker(map, map.has("at") ? "at" : "on", name + "/i");
    if (map.has("reaction")) {
      vector.j = reader_.marker(map, "reaction", name + "/j");
      const auto& markers = reader_.model().markers;
      if (vector.i >= 0 && vector.j >= 0 &&
          markers[static_cast<std::size_t>(vector.i)].body == markers[static_cast<std::size_t>(vector.j)].body) {
        problems_.add(map.get("reaction")->place, "the force and its reaction are on the same body");
      }
      if (!map.has("force") && !map.has("torque")) problems_.add(map.place, "a vector-force needs 'force' or 'torque'");
    }
    vector.frame = map.has("in") ? reader_.marker(map, "in", name + "/axes") : reader_.part().ground;
    if (const Node* force = map.get("force")) read_components(vector.force, *force);
    if (const Node* torque = map.get("torque")) read_torque(vector.torque, *torque);
  }

  using Components = std::array<std::optional<model::Program>, 3>;

  void read_components(Components& components, const Node& list) {
    const std::size_t wanted = values_.is_planar() ? 2 : 3;
    if (!list.is_list() || list.items.size() != wanted) {
      return problems_.add_if_first(
          list.place, fmt::format("expected a list of {} expressions, found {}", wanted, describe_kind(list)));
    }
    for (std::size_t k = 0; k < wanted; ++k) components[k] = reader_.program(*list.items[k], Purpose::kForce);
  }

  void read_torque(Components& components, const Node& node) {
    if (values_.is_planar() && node.is_scalar()) {
      components[2] = reader_.program(node, Purpose::kForce);
    } else if (values_.is_planar()) {
      problems_.add_if_first(node.place, "expected one expression (the model is planar), found " + describe_kind(node));
    } else {
      read_components(components, node);
    }
  }

  void read_bushing(model::Bushing& bushing, const Node& map, const std::string& name) {
    if (const auto pair = reader_.pair(map, name)) {
      bushing.i = pair->i;
      bushing.j = pair->j;
    }
    read_six(map, "stiffness", bushing.stiffness);
    read_six(map, "damping", bushing.damping);
    const Node* preload = map.get("preload");
    if (preload == nullptr) return;
    const auto list = values_.numbers(*preload);
    if (!list || !check_count(*preload, list->size())) return;
    for (std::size_t k = 0; k < list->size(); ++k) bushing.preload[component(k)] = (*list)[k];
  }

  // The component among x, y, z, about x, about y, about z that the k-th number belongs to.
  int component(std::size_t k) const { return values_.is_planar() && k == 2 ? 5 : static_cast<int>(k); }
  bool check_count(const Node& node, std::size_t count) {
    const std::size_t wanted = values_.is_planar() ? 3 : 6;
    if (count == wanted) return true;
    problems_.add_if_first(
        node.place, fmt::format("expected {} numbers ({}), found {}", wanted,
                                values_.is_planar() ? "x, y, angle" : "x, y, z, about x, about y, about z", count));
    return false;
  }

  // A diagonal or all rows.
  void read_six(const Node& map, const char* key, Matrix6d& matrix) {
    const Node* node = map.get(key);
    if (node == nullptr || !node->is_list()) return;
    const bool has_rows = !node->items.empty() && node->items[0]->is_list();
    if (!check_count(*node, node->items.size())) return;
    if (!has_rows) {
      const auto list = values_.numbers(*node);
      if (!list) return;
      for (std::size_t k = 0; k < list->size(); ++k) matrix(component(k), component(k)) = (*list)[k];
      return;
    }
    const auto rows = values_.matrix(*node);
    if (!rows || !check_count(*node->items[0], static_cast<std::size_t>(rows->cols()))) return;
    for (int i = 0; i < rows->rows(); ++i) {
      for (int j = 0; j < rows->cols(); ++j) {
        matrix(component(static_cast<std::size_t>(i)), component(static_cast<std::size_t>(j))) = (*rows)(i, j);
      }
    }
  }

  PartReader& reader_;
  Values& values_;
  Problems& problems_;
};

}  // namespace

void read_forces(PartReader& reader) {
  ForceReader forces(reader);
  reader.for_each_map("forces", [&](const std::string& name, const Entry& entry) {
    const int k = reader.index().find_force(name);
    if (k >= 0 && is_force_type(reader.model().forces[static_cast<std::size_t>(k)].type))
      forces.read(reader.model().forces[static_cast<std::size_t>(k)], *entry.value);
  });
}

}  // namespace trammel::io::model_file
