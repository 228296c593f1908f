#include "trammel/model/placement.h"

#include <cmath>
#include <optional>

#include "trammel/math/quaternion.h"
#include "trammel/math/turns.h"

namespace trammel::model {
namespace {

double angle_about_z(const Matrix3d& R) { return std::atan2(R(1, 0), R(0, 0)); }

/// A frame in another one.
struct Pose {
  Vector3d p = Vector3d::Zero();
  Matrix3d R = Matrix3d::Identity();
  double angle = 0;  // of planar models, turns counted; R says the same

  Pose operator*(const Pose& inner) const { return {p + R * inner.p, R * inner.R, angle + inner.angle}; }
  Pose inverse() const { return {-(R.transpose() * p), R.transpose(), -angle}; }
  void turn_about_z(double by) {
    R = math::rotation_about_z(by);
    angle = by;
  }
};

/// Marker J in marker I for a rod, along the x axis; nothing for other joints and for rods whose length is not known.
std::optional<Pose> rod_pose(const Model& model, int index) {
  const Joint& joint = model.joints[static_cast<std::size_t>(index)];
  if (joint.type != JointType::kDistance) return std::nullopt;
  const double given = joint.parameter > 0 ? joint.parameter : 0;
  Pose pose;
  pose.p[0] = model.start_value({index, CoordinateKind::kDistance}).value_or(given);
  return pose.p[0] > 0 ? std::optional(pose) : std::nullopt;
}

/// Marker J in marker I at the joint's initial coordinates; nothing for joints that leave too much open.
std::optional<Pose> joint_pose(const Model& model, int index) {
  using enum CoordinateKind;
  const Joint& joint = model.joints[static_cast<std::size_t>(index)];
  const auto value = [&](CoordinateKind kind) { return model.start_value({index, kind}).value_or(0); };
  Pose pose;
  switch (joint.type) {
    case JointType::kFixed:
    case JointType::kSpherical:
    case JointType::kConstantVelocity: return pose;
    case JointType::kRevolute: pose.turn_about_z(value(kAngle)); return pose;
    case JointType::kTranslational: pose.p[model.is_planar() ? 0 : 2] = value(kTravel); return pose;
    case JointType::kCylindrical:
    case JointType::kScrew:
      pose.p[2] = value(kTravel);
      pose.turn_about_z(value(kAngle));
      return pose;
    case JointType::kPlanar:
      pose.p << value(kX), value(kY), 0;
      pose.turn_about_z(value(kAngle));
      return pose;
    case JointType::kUniversal: {
      const double first = value(kFirstAngle), second = value(kSecondAngle);
      const Vector3d z_J(std::cos(first), std::sin(first), 0), z_I(0, 0, 1), across = z_J.cross(z_I);
      pose.R.col(0) = std::cos(second) * z_I - std::sin(second) * across;
      pose.R.col(2) = z_J;
      pose.R.col(1) = z_J.cross(pose.R.col(0));
      return pose;
    }
    default: return std::nullopt;
  }
}

Pose marker_pose(const Marker& marker) {
  return {marker.position, marker.orientation, angle_about_z(marker.orientation)};
}

Pose body_pose(const Model& model, int body) {
  if (body == kGround) return {};
  const Body& b = model.bodies[static_cast<std::size_t>(body)];
  return {b.position, math::rotation_from_quaternion(b.orientation), b.angle};
}

void set_body_pose(Body& body, const Pose& pose) {
  body.position = pose.p;
  body.orientation = math::quaternion_from_rotation(pose.R);
  body.angle = pose.angle;
}

/// Gives the planar bodies that the file places the turns that joints say they have at the start.
void count_turns(Model& model) {
  std::vector<bool> is_counted(model.bodies.size(), false);
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const Joint& joint = model.joints[k];
    if (joint.i < 0 || joint.j < 0) continue;
    const Marker& I = model.markers[static_cast<std::size_t>(joint.i)];
    const Marker& J = model.markers[static_cast<std::size_t>(joint.j)];
    const int body = J.body == kGround ? I.body : J.body;
    const std::optional<double> given = model.start_value({static_cast<int>(k), CoordinateKind::kAngle});
    if (body == kGround || !given || is_counted[static_cast<std::size_t>(body)]) continue;
    const auto angle = [&](const Marker& m) { return body_pose(model, m.body).angle + marker_pose(m).angle; };
    const double turns = math::whole_turns(*given - (angle(J) - angle(I)));
    model.bodies[static_cast<std::size_t>(body)].angle += body == J.body ? turns : -turns;
    is_counted[static_cast<std::size_t>(body)] = true;
  }
}

}  // namespace

void place_bodies(Model& model) {
  std::vector<bool> stands;
  for (const Body& body : model.bodies) stands.push_back(body.has_position || body.has_orientation);
  const auto is_standing = [&](int body) { return body == kGround || stands[static_cast<std::size_t>(body)]; };
  // Places the other body where one of the two stands; false when there is nothing to do.
  const auto place = [&](const Joint& joint, const std::optional<Pose>& between) {
    if (!between || joint.i < 0 || joint.j < 0) return false;
    const Marker& I = model.markers[static_cast<std::size_t>(joint.i)];
    const Marker& J = model.markers[static_cast<std::size_t>(joint.j)];
    if (is_standing(I.body) == is_standing(J.body)) return false;
    const bool places_j = is_standing(I.body);
    const int placed = places_j ? J.body : I.body;
    const Pose pose = places_j
                          ? body_pose(model, I.body) * marker_pose(I) * *between * marker_pose(J).inverse()
                          : body_pose(model, J.body) * marker_pose(J) * between->inverse() * marker_pose(I).inverse();
    set_body_pose(model.bodies[static_cast<std::size_t>(placed)], pose);
    stands[static_cast<std::size_t>(placed)] = true;
    return true;
  };
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t k = 0; k < model.joints.size(); ++k) {
      if (place(model.joints[k], joint_pose(model, static_cast<int>(k)))) progress = true;
    }
    // A rod says less than any other joint: it places a body only where no other does.
    for (std::size_t k = 0; k < model.joints.size() && !progress; ++k) {
      progress = place(model.joints[k], rod_pose(model, static_cast<int>(k)));
    }
  }
  if (model.is_planar()) count_turns(model);
}

}  // namespace trammel::model
