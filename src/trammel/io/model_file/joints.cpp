// Reads joints and motions.

#include <fmt/format.h>

#include <algorithm>

#include "trammel/io/model_file/section_readers.h"
#include "trammel/model/joint_types.h"

namespace trammel::io::model_file {
namespace {

using model::CoordinateKind;
using model::Joint;
using model::JointCoordinate;
using model::JointType;
using model::Motion;
using model::MotionLevel;

class JointReader {
 public:
  explicit JointReader(PartReader& reader) : reader_(reader), values_(reader.values()), problems_(reader.problems()) {}

  void read(int number, const Node& map) {
    // Reading may add markers but no joints.
    Joint& joint = reader_.model().joints[static_cast<std::size_t>(number)];
    switch (joint.type) {
      case JointType::kGear: return read_gear(joint, map);
      case JointType::kCoupler: return read_coupler(joint, map);
      case JointType::kRackAndPinion: return read_rack_and_pinion(joint, map);
      default: break;
    }
    const auto pair = reader_.pair(map, joint.name);
    if (pair) {
      joint.i = pair->i;
      joint.j = pair->j;
    }
    switch (joint.type) {
      case JointType::kDistance: joint.parameter = read_length(map, pair).value_or(-1); break;
      case JointType::kRevoluteSpherical: read_rod(joint, map, pair); break;
      case JointType::kScrew: read_pitch(joint, map); break;
      case JointType::kRolling: values_.read(map, "radius", joint.parameter, Range::kPositive); break;
      case JointType::kPointOnCurve: joint.curve = reader_.curve(map, "curve"); break;
      case JointType::kUniversal:
      case JointType::kPerpendicular: check_axes(map); break;
      default: break;
    }
    joint.curve_is_polar = values_.flag(map, "polar");
    if (const Node* initial = map.get("initial")) read_initial(joint, *initial);
  }

 private:
  std::optional<double> read_length(const Node& map, const std::optional<PartReader::Pair>& pair) {
    if (map.has("length")) return values_.number(map, "length", Range::kPositive);
    return pair ? pair->distance : std::nullopt;
  }

  void read_rod(Joint& joint, const Node& map, const std::optional<PartReader::Pair>& pair) {
    if (!map.has("length") && !map.has("points")) {
      problems_.add(map.place, "type 'revolute-spherical' needs the key 'length', unless it has 'points'");
    }
    joint.parameter = read_length(map, pair).value_or(1);
  }

  void read_pitch(Joint& joint, const Node& map) {
    const auto pitch = values_.number(map, "pitch");
    if (!pitch) return;
    if (*pitch == 0) return problems_.add(map.get("pitch")->place, "pitch must not be zero");
    joint.parameter = *pitch;
  }

  // The z axes of these joints are perpendicular, so that one axis does not do.
  void check_axes(const Node& map) {
    if (map.has("at") && !map.has("second_axis")) {
      problems_.add(map.place,
                    fmt::format("type {} with 'at' needs the key 'second_axis'", quoted(map.get("type")->text)));
    }
  }

  void read_gear(Joint& joint, const Node& map) {
    const Node* of = map.get("of");
    const auto ratio = values_.number(map, "ratio");
    if (ratio && *ratio == 0) problems_.add(map.get("ratio")->place, "ratio must not be zero");
    if (of == nullptr || !of->is_list() || of->items.size() != 2) return;
    const auto first = reader_.coordinate_of(*of->items[0]), second = reader_.coordinate_of(*of->items[1]);
    if (!first || !second || !ratio) return;
    if (first->joint == second->joint && first->kind == second->kind) {
      return problems_.add(of->place, "both sides are the same coordinate");
    }
    joint.terms = {{*ratio, *first}, {-1, *second}};
  }

  void read_coupler(Joint& joint, const Node& map) {
    const Node* terms = map.get("terms");
    if (terms == nullptr || !terms->is_list()) return;
    for (const NodePtr& term : terms->items) {
      if (!term->is_map()) continue;
      const auto coordinate = reader_.coordinate(*term);
      const auto factor = values_.number(*term, "factor");
      if (factor && *factor == 0) problems_.add(term->get("factor")->place, "factor must not be zero");
      if (coordinate && factor) joint.terms.push_back({*factor, *coordinate});
    }
  }

  void read_rack_and_pinion(Joint& joint, const Node& map) {
    const auto side = [&](const char* key, bool turns) -> std::optional<JointCoordinate> {
      const Node* node = map.get(key);
      const auto found = node == nullptr ? std::nullopt : reader_.coordinate_of(*node);
      if (found && model::is_angle(found->kind) != turns) {
        problems_.add(node->place, fmt::format("the {} needs {}, but {} is {}", key, turns ? "an angle" : "a length",
                                               model::to_string(found->kind), turns ? "a length" : "an angle"));
        return std::nullopt;
      }
      return found;
    };
    const auto rack = side("rack", false), pinion = side("pinion", true);
    const auto radius = values_.number(map, "radius");
    if (radius && *radius == 0) problems_.add(map.get("radius")->place, "radius must not be zero");
    if (rack && pinion && radius) joint.terms = {{1, *rack}, {-*radius, *pinion}};
  }

  void read_initial(Joint& joint, const Node& map) {
    const model::JointTypeInfo& type = model::joint_type(joint.type);
    std::vector<std::string> offered;
    for (const CoordinateKind kind : type.coordinates(reader_.model().space)) {
      const std::string name = model::to_string(kind), rate = name + "_rate";
      offered.push_back(name);
      offered.push_back(rate);
      if (!map.has(name) && !map.has(rate)) continue;
      joint.initial.push_back({kind, values_.number(map, name.c_str()), values_.number(map, rate.c_str())});
    }
    for (const Entry& entry : map.entries) {
      if (std::find(offered.begin(), offered.end(), entry.key) != offered.end()) continue;
      problems_.add_if_first(
          entry.place, describe_unknown(fmt::format("coordinate of the {} joint", type.name), entry.key, offered));
    }
  }

  PartReader& reader_;
  Values& values_;
  Problems& problems_;
};

class MotionReader {
 public:
  explicit MotionReader(PartReader& reader) : reader_(reader), values_(reader.values()), problems_(reader.problems()) {}

  void read(const std::string& name, const Node& map) {
    Motion motion;
    motion.name = name;
    const Node* short_form = nullptr;
    const std::optional<CoordinateKind> named = find_short_form(map, short_form);
    if (!read_function(map, short_form, motion)) return;
    if (map.has("joint") == map.has("marker")) {
      return problems_.add(map.place, "a motion needs either 'joint' or 'marker'");
    }
    const bool is_right = map.has("joint") ? read_joint(map, named, motion) : read_marker(map, named, motion);
    if (is_right) reader_.model().motions.push_back(std::move(motion));
  }

 private:
  // The key that names a coordinate, as in "angle: omega*t".
  std::optional<CoordinateKind> find_short_form(const Node& map, const Node*& node) {
    std::optional<CoordinateKind> found;
    for (const Entry& entry : map.entries) {
      const auto kind = find_coordinate_kind(entry.key);
      if (!kind) continue;
      if (found) {
        problems_.add(entry.place, "a motion drives one coordinate; write a motion for each");
        continue;
      }
      found = kind;
      node = entry.value.get();
    }
    return found;
  }

  bool read_function(const Node& map, const Node* short_form, Motion& motion) {
    constexpr std::array<std::pair<const char*, MotionLevel>, 3> keys{{{"position", MotionLevel::kPosition},
                                                                       {"velocity", MotionLevel::kVelocity},
                                                                       {"acceleration", MotionLevel::kAcceleration}}};
    int given = short_form == nullptr ? 0 : 1;
    const Node* function = short_form;
    for (const auto& [key, level] : keys) {
      const Node* node = map.get(key);
      if (node == nullptr) continue;
      ++given;
      function = node;
      motion.level = level;
    }
    if (given != 1) {
      problems_.add(map.place,
                    fmt::format("a motion needs exactly one of position, velocity, acceleration or the name of "
                                "a coordinate with its position, but has {}",
                                given));
      return false;
    }
    if (const Node* rate = map.get("initial_rate"); rate != nullptr && motion.level != MotionLevel::kAcceleration) {
      problems_.add(rate->place, "initial_rate is for motions by acceleration");
    }
    values_.read(map, "initial_rate", motion.initial_rate);
    auto program = reader_.program(*function, Purpose::kMotion);
    if (program) motion.function = std::move(*program);
    return true;
  }

  bool read_joint(const Node& map, std::optional<CoordinateKind> named, Motion& motion) {
    if (const Node* from = map.get("from")) problems_.add(from->place, "'from' belongs to the motion of a marker");
    if (named) return read_named(map, *named, motion);
    const auto coordinate = reader_.coordinate(map);
    if (coordinate) motion.coordinate = *coordinate;
    return coordinate.has_value();
  }

  bool read_named(const Node& map, CoordinateKind kind, Motion& motion) {
    if (const Node* coordinate = map.get("coordinate")) {
      problems_.add(coordinate->place, fmt::format("the coordinate is given by '{}' already", model::to_string(kind)));
    }
    const int k = reader_.joint(*map.get("joint"));
    if (k < 0 || reader_.build().unusable_joints.contains(k)) return false;
    const auto& type = model::joint_type(reader_.model().joints[static_cast<std::size_t>(k)].type);
    const auto& offered = type.coordinates(reader_.model().space);
    if (std::find(offered.begin(), offered.end(), kind) == offered.end()) {
      std::vector<std::string> words;
      for (const CoordinateKind other : offered) words.push_back(model::to_string(other));
      problems_.add(
          map.get(model::to_string(kind))->place,
          describe_unknown(fmt::format("coordinate of the {} joint", type.name), model::to_string(kind), words));
      return false;
    }
    motion.coordinate = {k, kind};
    return true;
  }

  bool read_marker(const Node& map, std::optional<CoordinateKind> named, Motion& motion) {
    motion.i = reader_.marker(map, "marker", motion.name + "/i");
    motion.j = map.has("from") ? reader_.marker(map, "from", motion.name + "/j") : reader_.ground_marker();
    const Node* coordinate = map.get("coordinate");
    if (coordinate != nullptr && !named) named = find_coordinate_kind(coordinate->text);
    if (!named) {
      problems_.add_if_first(coordinate != nullptr ? coordinate->place : map.place,
                             "the motion of a marker needs the key 'coordinate': x, y, z, length or angle");
      return false;
    }
    const bool is_offered = *named == CoordinateKind::kX || *named == CoordinateKind::kY ||
                            (*named == CoordinateKind::kZ && !values_.is_planar()) ||
                            *named == CoordinateKind::kDistance || *named == CoordinateKind::kAngle;
    if (!is_offered) {
      const Place& place = coordinate != nullptr ? coordinate->place : map.get(model::to_string(*named))->place;
      problems_.add(place, fmt::format("a marker has no coordinate '{}', but x, y, z (in space), length and angle",
                                       model::to_string(*named)));
      return false;
    }
    motion.kind = *named;
    if (motion.i < 0 || motion.j < 0) return false;
    const auto body_of = [&](int marker) { return reader_.model().markers[static_cast<std::size_t>(marker)].body; };
    if (body_of(motion.i) == body_of(motion.j)) {
      problems_.add(map.place, fmt::format("the marker and the one it is seen from are on the same body, {}",
                                           quoted(reader_.model().body_name(body_of(motion.i)))));
      return false;
    }
    return true;
  }

  PartReader& reader_;
  Values& values_;
  Problems& problems_;
};

}  // namespace

void read_joints(PartReader& reader) {
  JointReader joints(reader);
  reader.for_each_map("joints", [&](const std::string& name, const Entry& entry) {
    const int k = reader.index().find_joint(name);
    if (k >= 0 && !reader.build().unusable_joints.contains(k)) joints.read(k, *entry.value);
  });
}

void read_motions(PartReader& reader) {
  MotionReader motions(reader);
  reader.for_each_map("motions",
                      [&](const std::string& name, const Entry& entry) { motions.read(name, *entry.value); });
}

}  // namespace trammel::io::model_file
