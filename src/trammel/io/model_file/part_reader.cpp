#include "trammel/io/model_file/part_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "trammel/math/quaternion.h"
#include "trammel/model/expression/expression.h"
#include "trammel/model/joint_types.h"

namespace trammel::io::model_file {
namespace {

using model::CoordinateKind;
using model::JointCoordinate;
using model::kGround;
using model::Signal;
using model::SignalKind;

template <class Items>
auto& at(Items& items, int k) {
  return items[static_cast<std::size_t>(k)];
}

// "forces", as a message says it.
const char* to_string(Purpose purpose) {
  switch (purpose) {
    case Purpose::kMotion: return "motions";
    case Purpose::kForce: return "forces";
    case Purpose::kState:
    case Purpose::kResidual: return "states";
    case Purpose::kVariable: return "variables";
    case Purpose::kOutput: return "outputs";
    case Purpose::kEvent: return "events";
  }
  return "";
}

// Why an expression for a purpose may not use a signal; empty when it may.
std::string objection(const Signal& signal, Purpose purpose) {
  if (purpose == Purpose::kMotion && signal.kind != SignalKind::kTime) {
    return fmt::format("a motion is a function of t alone, but this uses '{}'", signal.text);
  }
  if (signal.kind == SignalKind::kStateRate && purpose != Purpose::kResidual) {
    return fmt::format("'{}' can be used in the residual of a state only", signal.text);
  }
  if (purpose != Purpose::kForce) return {};
  if (signal.needs_accelerations()) {
    return fmt::format("accelerations cannot be used in {}, because they follow from them; this uses '{}'",
                       to_string(purpose), signal.text);
  }
  if (signal.needs_reactions()) {
    return fmt::format("reactions cannot be used in {}, because they follow from them; this uses '{}'",
                       to_string(purpose), signal.text);
  }
  return {};
}

}  // namespace

std::optional<CoordinateKind> find_coordinate_kind(const std::string& name) {
  using enum CoordinateKind;
  for (const CoordinateKind kind : {kAngle, kTravel, kX, kY, kZ, kDistance, kFirstAngle, kSecondAngle}) {
    if (model::to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

PartReader::PartReader(Build& build, Part& part)
    : build_(build),
      part_(part),
      values_(*part.parameters, build.model.space, build.problems),
      scope_(build.index, part.prefix, part.ground) {}

std::optional<model::Program> PartReader::program(const Node& node, Purpose purpose) {
  if (!node.is_scalar()) {
    problems().add_if_first(node.place, "expected a number or an expression, found " + describe_kind(node));
    return std::nullopt;
  }
  try {
    model::Program program = model::expression::compile(node.text, scope_);
    check_purpose(node, program, purpose);
    return program;
  } catch (const model::expression::ExpressionError& error) {
    const std::string blamed = node.text.substr(static_cast<std::size_t>(error.position()));
    if (!is_in_missing_part(blamed)) report_expression(node, error, problems());
    return std::nullopt;
  }
}

bool PartReader::is_in_missing_part(const std::string& name) const {
  const std::string full = part_.prefix + name;
  const auto& prefixes = build_.missing_parts;
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const auto& prefix) { return full.starts_with(prefix); });
}

void PartReader::check_purpose(const Node& node, const model::Program& program, Purpose purpose) {
  for (const int input : program.inputs()) {
    const std::string reason = objection(at(model().signals, input), purpose);
    if (!reason.empty()) return problems().add(node.place, reason);
  }
}

model::Program PartReader::made_program(const std::string& text, const Node& node) {
  model::ModelScope whole(index());
  try {
    return model::expression::compile(text, whole);
  } catch (const model::expression::ExpressionError& error) {
    problems().add(node.place, "this gives no usable expression: " + error.message());
    return {};
  }
}

int PartReader::marker(const Node& map, const char* key, const std::string& name) {
  const Node* node = map.get(key);
  return node == nullptr ? -1 : marker(*node, name);
}

int PartReader::marker(const Node& node, const std::string& name) {
  if (node.is_scalar()) {
    const int found = scope_.find_marker(node.text);
    if (found < 0 && !is_in_missing_part(node.text)) {
      problems().add(node.place, describe_unknown("marker", node.text, scope_.marker_names()));
    }
    return found;
  }
  const Node* owner = node.is_map() ? node.get("body") : nullptr;
  if (owner == nullptr) return -1;  // the schema check has said so
  const std::optional<int> on = body(*owner);
  model::Marker made{name, on.value_or(kGround), Vector3d::Zero(), Matrix3d::Identity()};
  if (const auto position = values_.vector(node, "position")) made.position = *position;
  if (const auto R = values_.orientation_of(node)) made.orientation = *R;
  if (!on) return -1;
  if (*on == kGround) {
    made.position = part_.placement.p + part_.placement.R * made.position;
    made.orientation = part_.placement.R * made.orientation;
  }
  return index().add_marker(std::move(made));
}

std::optional<int> PartReader::body(const Node& name) {
  if (!name.is_scalar()) {
    problems().add_if_first(name.place, "expected the name of a body, found " + describe_kind(name));
    return std::nullopt;
  }
  if (name.text == "ground") return kGround;
  const int found = index().find_body(part_.prefix + name.text);
  if (found >= 0) return found;
  if (is_in_missing_part(name.text)) return std::nullopt;
  std::vector<std::string> known{"ground"};
  for (const auto& entry : model().bodies) {
    if (entry.name.starts_with(part_.prefix)) known.push_back(entry.name.substr(part_.prefix.size()));
  }
  problems().add(name.place, describe_unknown("body", name.text, known));
  return std::nullopt;
}

int PartReader::joint(const Node& name) {
  if (!name.is_scalar()) return -1;  // the schema check has said so
  const int found = index().find_joint(part_.prefix + name.text);
  if (found >= 0 || is_in_missing_part(name.text)) return found;
  std::vector<std::string> known;
  for (const auto& entry : model().joints) {
    if (entry.name.starts_with(part_.prefix)) known.push_back(entry.name.substr(part_.prefix.size()));
  }
  problems().add(name.place, describe_unknown("joint", name.text, known));
  return -1;
}

std::optional<JointCoordinate> PartReader::coordinate(const Node& map) {
  const Node* name = map.get("joint");
  return name == nullptr ? std::nullopt : coordinate(*name, map.get("coordinate"));
}

std::optional<JointCoordinate> PartReader::coordinate_of(const Node& node) {
  return node.is_map() ? coordinate(node) : coordinate(node, nullptr);
}

std::optional<JointCoordinate> PartReader::coordinate(const Node& name, const Node* wanted) {
  const int k = joint(name);
  if (k < 0 || build_.unusable_joints.contains(k)) return std::nullopt;
  const model::JointTypeInfo& type = model::joint_type(at(model().joints, k).type);
  const auto& offered = type.coordinates(model().space);
  std::vector<std::string> words;
  for (const CoordinateKind kind : offered) words.push_back(model::to_string(kind));
  if (wanted != nullptr) {
    const auto kind = find_coordinate_kind(wanted->text);
    if (!kind) return std::nullopt;  // the schema check has said so
    if (std::find(offered.begin(), offered.end(), *kind) != offered.end()) return JointCoordinate{k, *kind};
    problems().add(wanted->place,
                   describe_unknown(fmt::format("coordinate of the {} joint", type.name), wanted->text, words));
    return std::nullopt;
  }
  if (offered.size() == 1) return JointCoordinate{k, offered.front()};
  problems().add(name.place, offered.empty()
                                 ? fmt::format("the {} joint {} has no coordinate", type.name, quoted(name.text))
                                 : fmt::format("the {} joint {} has several coordinates; write which: {}", type.name,
                                               quoted(name.text), fmt::join(words, ", ")));
  return std::nullopt;
}

int PartReader::curve(const Node& map, const char* key) {
  const Node* name = map.get(key);
  if (name == nullptr || !name->is_scalar()) return -1;
  const int found = index().find_curve(part_.prefix + name->text);
  if (found < 0) problems().add(name->place, describe_unknown("curve", name->text, scope_.curve_names()));
  return found;
}

Placement PartReader::placement_of(int body) const {
  if (body == kGround) return {};
  const model::Body& placed = at(build_.model.bodies, body);
  return {math::rotation_from_quaternion(placed.orientation), placed.position, 0};
}

int PartReader::add_marker_at(int body, const Vector3d& point, const Matrix3d& axes, const std::string& name) {
  const Placement where = placement_of(body);
  if (body != kGround) {
    // The file says where the body is by saying where its joints are.
    at(model().bodies, body).has_position = true;
    at(model().bodies, body).has_orientation = true;
  }
  const Vector3d p = part_.placement.p + part_.placement.R * point;
  const Matrix3d R = part_.placement.R * axes;
  return index().add_marker({name, body, where.R.transpose() * (p - where.p), where.R.transpose() * R});
}

bool PartReader::check_bodies(const Node& between, int a, int b) {
  if (a != b) return true;
  problems().add(between.place, fmt::format("both sides are on the same body, {}", quoted(model().body_name(a))));
  return false;
}

std::optional<PartReader::Pair> PartReader::pair(const Node& map, const std::string& name) {
  const Node* between = map.get("between");
  if (between == nullptr || !between->is_list() || between->items.size() != 2) return std::nullopt;
  if (map.has("at") || map.has("points")) return pair_at(map, name);
  for (const char* key : {"axis", "x_axis", "second_axis"}) {
    if (const Node* node = map.get(key)) {
      problems().add(node->place,
                     fmt::format("{} needs a point for the markers that it belongs to, by 'at' or 'points'", key));
    }
  }
  return pair_of_markers(*between, name);
}

std::optional<PartReader::Pair> PartReader::pair_of_markers(const Node& between, const std::string& name) {
  Pair pair;
  pair.i = marker(*between.items[0], name + "/i");
  pair.j = marker(*between.items[1], name + "/j");
  if (pair.i < 0 || pair.j < 0) return std::nullopt;
  if (!check_bodies(between, at(model().markers, pair.i).body, at(model().markers, pair.j).body)) return std::nullopt;
  return pair;
}

std::optional<PartReader::Pair> PartReader::pair_at(const Node& map, const std::string& name) {
  const Node& between = *map.get("between");
  std::array<std::optional<Vector3d>, 2> points;
  if (map.has("at")) {
    points[0] = points[1] = values_.vector(map, "at");
  } else if (const Node* list = map.get("points"); list->is_list() && list->items.size() == 2) {
    points = {values_.vector(*list->items[0]), values_.vector(*list->items[1])};
  }
  const auto axes = axes_at(map);
  for (const NodePtr& side : between.items) {
    if (side->is_scalar() && index().find_marker(part_.prefix + side->text) >= 0 &&
        index().find_body(part_.prefix + side->text) < 0 && side->text != "ground") {
      problems().add(side->place, fmt::format("with 'at' or 'points' two bodies are needed, but {} is a marker",
                                              quoted(side->text)));
      return std::nullopt;
    }
  }
  const auto a = body(*between.items[0]), b = body(*between.items[1]);
  if (!points[0] || !points[1] || !axes || !a || !b || !check_bodies(between, *a, *b)) return std::nullopt;
  Pair pair;
  pair.i = add_marker_at(*a, *points[0], (*axes)[0], name + "/i");
  pair.j = add_marker_at(*b, *points[1], (*axes)[1], name + "/j");
  if (map.has("points")) pair.distance = (*points[1] - *points[0]).norm();
  return pair;
}

// The axes of both markers in the ground frame of the part.
std::optional<std::array<Matrix3d, 2>> PartReader::axes_at(const Node& map) {
  const Node* axis = map.get("axis");
  const Node* x_axis = map.get("x_axis");
  const Node* second = map.get("second_axis");
  Vector3d z = Vector3d::UnitZ();
  if (axis != nullptr) {
    if (values_.is_planar()) {
      problems().add(axis->place, "axis is for spatial models; in a planar one it is always z");
      return std::nullopt;
    }
    const auto given = values_.direction(*axis);
    if (!given) return std::nullopt;
    z = *given;
  }
  Matrix3d first = make_axes(z);
  if (x_axis != nullptr) {
    const auto x = values_.direction(*x_axis);
    if (!x) return std::nullopt;
    const auto made = make_axes(z, *x);
    if (!made) {
      problems().add(x_axis->place, "x_axis is parallel to axis");
      return std::nullopt;
    }
    first = *made;
  }
  if (second == nullptr) return std::array{first, first};
  const auto other = values_.direction(*second);
  if (!other) return std::nullopt;
  return std::array{first, make_axes(*other)};
}

}  // namespace trammel::io::model_file
