// Reads bodies and their markers, and the markers of the ground.

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "trammel/io/model_file/section_readers.h"
#include "trammel/math/quaternion.h"

namespace trammel::io::model_file {
namespace {

using model::Body;

// What principal moments of inertia may miss of the triangle inequality and of symmetry, relative to the largest:
// data from other programs come with four digits and more.
constexpr double kInertiaTolerance = 1e-4;

class BodyReader {
 public:
  explicit BodyReader(PartReader& reader) : reader_(reader), values_(reader.values()), problems_(reader.problems()) {}

  void read(Body& body, const Node& map) {
    values_.read(map, "mass", body.mass, Range::kNotNegative);
    if (const auto centre = values_.vector(map, "centre_of_mass")) body.centre = *centre;
    read_inertia(body, map);
    read_placement(body, map);
    read_velocity(body, map);
    body.is_held = values_.flag(map, "hold");
  }

  void read_markers(const std::string& owner, const Placement* ground, const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
      const int k = reader_.index().find_marker(owner + "." + entry.key);
      if (k < 0) continue;
      model::Marker& marker = reader_.model().markers[static_cast<std::size_t>(k)];
      if (entry.value->is_list()) {
        if (const auto position = values_.vector(*entry.value)) marker.position = *position;
      } else if (entry.value->is_map()) {
        if (const auto position = values_.vector(*entry.value, "position")) marker.position = *position;
        if (const auto R = values_.orientation_of(*entry.value)) marker.orientation = *R;
      }
      if (ground != nullptr) {
        marker.position = ground->p + ground->R * marker.position;
        marker.orientation = ground->R * marker.orientation;
      }
    }
  }

 private:
  void read_placement(Body& body, const Node& map) {
    Placement inner;
    body.has_position = map.has("position");
    body.has_orientation = map.has(values_.is_planar() ? "angle" : "orientation");
    if (const auto position = values_.vector(map, "position")) inner.p = *position;
    if (const auto R = values_.orientation_of(map, &inner.angle)) inner.R = *R;
    const Placement placed = reader_.part().placement * inner;
    body.position = placed.p;
    body.angle = placed.angle;
    body.orientation = math::quaternion_from_rotation(placed.R);
  }

  void read_velocity(Body& body, const Node& map) {
    if (const auto velocity = values_.vector(map, "velocity")) body.velocity = reader_.part().placement.R * *velocity;
    const Node* own = map.get("angular_velocity");
    const Node* ground = map.get("angular_velocity_ground");
    if (values_.is_planar()) {
      if (own != nullptr) body.angular_velocity.z() = values_.number(*own).value_or(0);
      if (ground != nullptr) {
        problems_.add(ground->place, "angular_velocity_ground is for spatial models; here write angular_velocity");
      }
      return;
    }
    if (own != nullptr && ground != nullptr) {
      problems_.add(ground->place, "angular_velocity is given as well; write one of them");
      return;
    }
    if (own != nullptr) body.angular_velocity = values_.vector3(*own).value_or(Vector3d::Zero());
    if (ground != nullptr) {
      const Vector3d w = values_.vector3(*ground).value_or(Vector3d::Zero());
      const Matrix3d R = math::rotation_from_quaternion(body.orientation);
      body.angular_velocity = R.transpose() * (reader_.part().placement.R * w);
    }
  }

  // [xx, yy, zz], [xx, yy, zz, xy, yz, zx] or three rows.
  std::optional<Matrix3d> read_tensor(const Node& node) {
    if (node.is_list() && !node.items.empty() && node.items[0]->is_list()) {
      const auto rows = values_.matrix(node);
      if (!rows) return std::nullopt;
      if (rows->rows() != 3 || rows->cols() != 3) return report_shape(node);
      const Matrix3d I = *rows;
      if ((I - I.transpose()).cwiseAbs().maxCoeff() > kInertiaTolerance * I.cwiseAbs().maxCoeff()) {
        problems_.add(node.place, "the inertia tensor is not symmetric");
        return std::nullopt;
      }
      return Matrix3d(0.5 * (I + I.transpose()));
    }
    if (!node.is_list() || (node.items.size() != 3 && node.items.size() != 6)) return report_shape(node);
    const auto list = values_.numbers(node);
    if (!list) return std::nullopt;
    const std::vector<double>& n = *list;
    Matrix3d I = Vector3d(n[0], n[1], n[2]).asDiagonal();
    if (n.size() == 6) {
      I(0, 1) = I(1, 0) = n[3];
      I(1, 2) = I(2, 1) = n[4];
      I(2, 0) = I(0, 2) = n[5];
    }
    return I;
  }

  std::nullopt_t report_shape(const Node& node) {
    problems_.add_if_first(node.place,
                           "expected a list of 3 or 6 numbers or 3 rows of 3, found " + describe_kind(node));
    return std::nullopt;
  }

  void read_inertia(Body& body, const Node& map) {
    const Node* node = map.get("inertia");
    if (node == nullptr) return;
    Matrix3d I = Matrix3d::Zero();
    if (values_.is_planar()) {
      const auto value = values_.number(*node);
      if (!value) return;
      I(2, 2) = *value;
    } else {
      const auto tensor = read_tensor(*node);
      if (!tensor) return;
      I = *tensor;
    }
    if (const Node* axes = map.get("inertia_axes")) {
      if (values_.is_planar()) return problems_.add(axes->place, "inertia_axes is for spatial models");
      const auto R = values_.orientation(*axes);
      if (!R) return;
      I = *R * I * R->transpose();
    }
    if (const Node* point = map.get("inertia_point")) {
      const auto at = inertia_point(*point, body);
      if (!at) return;
      const Vector3d d = body.centre - *at;
      I -= body.mass * (d.squaredNorm() * Matrix3d::Identity() - d * d.transpose());
    }
    if (values_.is_planar() ? check_planar_inertia(I(2, 2), *node) : check_inertia(I, *node)) body.inertia = I;
  }

  std::optional<Vector3d> inertia_point(const Node& node, const Body& body) {
    if (node.is_list()) return values_.vector(node);
    const auto& markers = reader_.model().markers;
    const int found = reader_.index().find_marker(body.name + "." + node.text);
    if (found >= 0) return markers[static_cast<std::size_t>(found)].position;
    std::vector<std::string> known;
    for (const auto& marker : markers) {
      if (marker.name.starts_with(body.name + ".")) known.push_back(marker.name.substr(body.name.size() + 1));
    }
    problems_.add(node.place, describe_unknown("marker of the body", node.text, known));
    return std::nullopt;
  }

  bool check_planar_inertia(double I, const Node& node) {
    if (I >= 0) return true;
    problems_.add(node.place, fmt::format("inertia must not be negative, but is {:.6g} about the centre of mass", I));
    return false;
  }

  // Moments about the centre of mass: all zero for a mass point, else positive, none larger than the sum of the others.
  bool check_inertia(const Matrix3d& I, const Node& node) {
    if (I.isZero(0)) return true;
    const Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(I, Eigen::EigenvaluesOnly).eigenvalues();
    const auto say = [&](const std::string& fault) {
      problems_.add(node.place, fmt::format("{}; the principal moments about the centre of mass are {:.6g}, {:.6g} and "
                                            "{:.6g} kg m^2",
                                            fault, moments[0], moments[1], moments[2]));
      return false;
    };
    if (!(moments[0] > 0)) return say("the inertia is not positive definite");
    if (moments[2] - moments[1] - moments[0] > kInertiaTolerance * moments[2]) {
      return say("no body has this inertia, because one moment is larger than the sum of the others");
    }
    return true;
  }

  PartReader& reader_;
  Values& values_;
  Problems& problems_;
};

}  // namespace

void read_bodies(PartReader& reader) {
  BodyReader bodies(reader);
  const Part& part = reader.part();
  bodies.read_markers(part.prefix + "ground", &part.placement, part.contents->section("ground"));
  read_ground_shapes(reader);
  reader.for_each_map("bodies", [&](const std::string& name, const Entry& entry) {
    const int k = reader.index().find_body(name);
    if (k < 0) return;
    if (const Node* markers = entry.value->get("markers")) bodies.read_markers(name, nullptr, markers->entries);
    Body& body = reader.model().bodies[static_cast<std::size_t>(k)];
    bodies.read(body, *entry.value);
    if (const Node* shapes = entry.value->get("shapes")) body.shapes = read_shapes(reader, *shapes);
  });
}

}  // namespace trammel::io::model_file
