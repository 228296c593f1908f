#include "trammel/io/model_file/values.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/math/quaternion.h"

namespace trammel::io::model_file {
namespace {

// Directions nearer to parallel than this do not define axes [rad].
constexpr double kParallel = 1e-6;

Matrix3d elementary_rotation(char axis, double angle) {
  switch (axis) {
    case 'x': return math::rotation_about_x(angle);
    case 'y': return math::rotation_about_y(angle);
    default: return math::rotation_about_z(angle);
  }
}

}  // namespace

std::optional<double> Values::number(const Node& node) {
  try {
    return evaluate_scalar(node, parameters_, problems_);
  } catch (const UnusableParameter&) {
    return std::nullopt;
  }
}

std::optional<double> Values::number(const Node& map, const char* key, Range range) {
  const Node* node = map.get(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> value = number(*node);
  if (!value) return std::nullopt;
  if (range == Range::kPositive && *value <= 0) {
    problems_.add(node->place, fmt::format("{} must be positive, but is {}", key, *value));
    return std::nullopt;
  }
  if (range == Range::kNotNegative && *value < 0) {
    problems_.add(node->place, fmt::format("{} must not be negative, but is {}", key, *value));
    return std::nullopt;
  }
  return value;
}

void Values::read(const Node& map, const char* key, double& target, Range range) {
  if (const auto value = number(map, key, range)) target = *value;
}

bool Values::flag(const Node& map, const char* key) {
  const Node* node = map.get(key);
  return node != nullptr && node->text == "true";
}

std::optional<std::vector<double>> Values::numbers(const Node& list) {
  if (!list.is_list()) {
    problems_.add_if_first(list.place, "expected a list of numbers, found " + describe_kind(list));
    return std::nullopt;
  }
  std::vector<double> values;
  bool is_right = true;
  for (const NodePtr& item : list.items) {
    const auto value = number(*item);
    is_right = is_right && value.has_value();
    values.push_back(value.value_or(0));
  }
  if (!is_right) return std::nullopt;
  return values;
}

std::optional<Eigen::MatrixXd> Values::matrix(const Node& rows) {
  std::optional<Eigen::MatrixXd> result;
  for (std::size_t i = 0; i < rows.items.size(); ++i) {
    const auto row = numbers(*rows.items[i]);
    if (!row) return std::nullopt;
    if (!result) result = Eigen::MatrixXd::Zero(static_cast<int>(rows.items.size()), static_cast<int>(row->size()));
    if (static_cast<int>(row->size()) != result->cols()) {
      problems_.add_if_first(rows.items[i]->place, fmt::format("this row has length {}, but the first has length {}",
                                                               row->size(), result->cols()));
      return std::nullopt;
    }
    result->row(static_cast<int>(i)) = Eigen::Map<const Eigen::RowVectorXd>(row->data(), result->cols());
  }
  return result ? result : Eigen::MatrixXd(0, 0);
}

std::optional<Vector3d> Values::vector3(const Node& list) {
  if (!list.is_list() || list.items.size() != 3) {
    problems_.add_if_first(list.place, "expected a list of 3 numbers, found " + describe_kind(list));
    return std::nullopt;
  }
  const auto values = numbers(list);
  if (!values) return std::nullopt;
  return Vector3d((*values)[0], (*values)[1], (*values)[2]);
}

std::optional<Vector3d> Values::vector(const Node& list) {
  if (!is_planar()) return vector3(list);
  if (!list.is_list() || list.items.size() != 2) {
    problems_.add_if_first(list.place,
                           "expected a list of 2 numbers (the model is planar), found " + describe_kind(list));
    return std::nullopt;
  }
  const auto values = numbers(list);
  if (!values) return std::nullopt;
  return Vector3d((*values)[0], (*values)[1], 0);
}

std::optional<Vector3d> Values::vector(const Node& map, const char* key) {
  const Node* node = map.get(key);
  return node == nullptr ? std::nullopt : vector(*node);
}

std::optional<Vector3d> Values::direction(const Node& list) {
  const auto value = vector(list);
  if (!value) return std::nullopt;
  const double length = value->stableNorm();
  if (!(length > 0)) {
    problems_.add(list.place, "the direction has length zero");
    return std::nullopt;
  }
  return *value / length;
}

std::optional<Matrix3d> Values::orientation_of(const Node& map, double* angle) {
  const Node* given = map.get("orientation");
  const Node* planar = map.get("angle");
  if (is_planar()) {
    if (given != nullptr) {
      problems_.add(given->place, "orientation is for spatial models; in a planar one write angle");
      return std::nullopt;
    }
    if (planar == nullptr) return Matrix3d::Identity();
    const auto value = number(*planar);
    if (!value) return std::nullopt;
    if (angle != nullptr) *angle = *value;
    return math::rotation_about_z(*value);
  }
  if (planar != nullptr) {
    problems_.add(planar->place, "angle is for planar models; in space write orientation: {axis: [..], angle: ..}");
    return std::nullopt;
  }
  return given == nullptr ? Matrix3d::Identity() : orientation(*given);
}

std::optional<Matrix3d> Values::orientation(const Node& map) {
  if (!map.is_map()) return std::nullopt;  // the schema check has said so
  const std::array<const Node*, 5> ways{map.get("quaternion"), map.get("rotation_vector"), map.get("axis"),
                                        map.get("euler"), map.get("directions")};
  const auto count = ways.size() - static_cast<std::size_t>(std::count(ways.begin(), ways.end(), nullptr));
  if (count != 1) {
    problems_.add_if_first(map.place,
                           fmt::format("an orientation needs exactly one of quaternion, rotation_vector, axis (with "
                                       "angle), euler and directions, but has {}",
                                       count));
    return std::nullopt;
  }
  if (const Node* angle = map.get("angle"); angle != nullptr && ways[2] == nullptr) {
    problems_.add(angle->place, "angle belongs to axis, which is not given");
    return std::nullopt;
  }
  if (ways[0] != nullptr) return quaternion(*ways[0]);
  if (ways[1] != nullptr) {
    const auto phi = vector3(*ways[1]);
    if (!phi) return std::nullopt;
    return math::rotation_from_vector(*phi);
  }
  if (ways[2] != nullptr) return axis_and_angle(map);
  return ways[3] != nullptr ? euler(*ways[3]) : directions(*ways[4]);
}

std::optional<Matrix3d> Values::quaternion(const Node& list) {
  const auto values = numbers(list);
  if (!values || values->size() != 4) return std::nullopt;
  Eigen::Vector4d p(values->data());
  if (!(p.stableNorm() > 0)) {
    problems_.add(list.place, "the quaternion has length zero");
    return std::nullopt;
  }
  p.stableNormalize();
  return math::rotation_from_quaternion(p);
}

std::optional<Matrix3d> Values::axis_and_angle(const Node& map) {
  if (!map.has("angle")) {
    problems_.add(map.place, "an orientation by axis needs the key 'angle'");
    return std::nullopt;
  }
  const auto axis = direction(*map.get("axis"));
  const auto angle = number(*map.get("angle"));
  if (!axis || !angle) return std::nullopt;
  return math::rotation_from_vector(*angle * *axis);
}

std::optional<Matrix3d> Values::euler(const Node& map) {
  const Node* sequence = map.get("sequence");
  const Node* angles = map.get("angles");
  if (sequence == nullptr || angles == nullptr || sequence->text.size() != 3) return std::nullopt;
  const auto values = vector3(*angles);
  if (!values) return std::nullopt;
  Matrix3d R = Matrix3d::Identity();
  for (int k = 0; k < 3; ++k) R = R * elementary_rotation(sequence->text[static_cast<std::size_t>(k)], (*values)[k]);
  return R;
}

std::optional<Matrix3d> Values::directions(const Node& map) {
  if (map.entries.size() != 2) {
    problems_.add_if_first(map.place,
                           fmt::format("directions needs two of x, y and z, but has {}", map.entries.size()));
    return std::nullopt;
  }
  // The exact one first: z, else the one that is written first.
  const Entry* first = &map.entries[0];
  const Entry* second = &map.entries[1];
  if (second->key == "z") std::swap(first, second);
  const auto a = direction(*first->value), b = direction(*second->value);
  if (!a || !b) return std::nullopt;
  const Vector3d across = *b - a->dot(*b) * *a;
  if (across.norm() < kParallel) {
    problems_.add(second->value->place,
                  fmt::format("the directions of {} and {} are parallel", first->key, second->key));
    return std::nullopt;
  }
  const int i = first->key[0] - 'x', j = second->key[0] - 'x';
  if (i < 0 || i > 2 || j < 0 || j > 2) return std::nullopt;  // the schema check has said so
  Matrix3d R;
  R.col(i) = *a;
  R.col(j) = across.normalized();
  const int k = 3 - i - j;
  R.col(k) = R.col((k + 1) % 3).cross(R.col((k + 2) % 3));
  return R;
}

std::optional<Matrix3d> make_axes(const Vector3d& z, const Vector3d& x) {
  const Vector3d across = x - z.dot(x) * z;
  if (across.norm() < kParallel * x.norm()) return std::nullopt;
  Matrix3d R;
  R.col(0) = across.normalized();
  R.col(1) = z.cross(R.col(0));
  R.col(2) = z;
  return R;
}

Matrix3d make_axes(const Vector3d& z) {
  return Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), z).toRotationMatrix();
}

}  // namespace trammel::io::model_file
