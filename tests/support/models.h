#pragma once

// Models in few lines, for tests.

#include <memory>
#include <string>
#include <utility>

#include "trammel/math/quaternion.h"
#include "trammel/model/model.h"
#include "trammel/model/model_scope.h"

namespace trammel::testing {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using model::JointType;
using model::kGround;
using model::Model;

inline Matrix3d turned_about_z(double angle) { return math::rotation_about_z(angle); }
/// Axes whose z points along the given direction.
inline Matrix3d axes_along(const Vector3d& z) {
  const Vector3d unit = z.normalized(), x = unit.unitOrthogonal();
  Matrix3d axes;
  axes << x, unit.cross(x), unit;
  return axes;
}

/// Where a body frame stands, with the angle of a planar body (turns counted).
inline void set_pose(model::Body& body, const Vector3d& position, const Matrix3d& R, double angle = 0) {
  body.position = position;
  body.orientation = math::quaternion_from_rotation(R);
  body.angle = angle;
}

inline std::shared_ptr<Model> make_model(model::Space space, const Vector3d& gravity = Vector3d::Zero()) {
  auto model = std::make_shared<Model>();
  model->space = space;
  model->gravity = gravity;
  return model;
}

inline int add_body(Model& model, const std::string& name, double mass, const Matrix3d& inertia,
                    const Vector3d& position = Vector3d::Zero(), const Matrix3d& R = Matrix3d::Identity()) {
  model::Body body;
  body.name = name;
  body.mass = mass;
  body.inertia = inertia;
  set_pose(body, position, R, model.is_planar() ? std::atan2(R(1, 0), R(0, 0)) : 0);
  model.bodies.push_back(std::move(body));
  return static_cast<int>(model.bodies.size()) - 1;
}
inline int add_body(Model& model, const std::string& name, double mass, const Vector3d& inertia,
                    const Vector3d& position = Vector3d::Zero(), const Matrix3d& R = Matrix3d::Identity()) {
  return add_body(model, name, mass, Matrix3d(inertia.asDiagonal()), position, R);
}

inline int add_marker(Model& model, int body, const Vector3d& position = Vector3d::Zero(),
                      const Matrix3d& orientation = Matrix3d::Identity(), const std::string& name = {}) {
  const std::string number = std::to_string(model.markers.size());
  model.markers.push_back({name.empty() ? model.body_name(body) + ".m" + number : name, body, position, orientation});
  return static_cast<int>(model.markers.size()) - 1;
}

inline int add_joint(Model& model, const std::string& name, JointType type, int i, int j, double parameter = 0) {
  model::Joint joint;
  joint.name = name;
  joint.type = type;
  joint.i = i;
  joint.j = j;
  joint.parameter = parameter;
  model.joints.push_back(std::move(joint));
  return static_cast<int>(model.joints.size()) - 1;
}

/// A joint at a point of the ground frame: markers of both bodies are placed there, with the axes R_GM, at the given
/// poses of the bodies.
inline int add_joint_at(Model& model, const std::string& name, JointType type, int body_i, int body_j,
                        const Vector3d& point, const Matrix3d& axes = Matrix3d::Identity(), double parameter = 0) {
  const auto mark = [&](int body) {
    if (body == kGround) return add_marker(model, body, point, axes);
    const model::Body& of = model.bodies[static_cast<std::size_t>(body)];
    const Matrix3d R = math::rotation_from_quaternion(of.orientation.normalized());
    return add_marker(model, body, R.transpose() * (point - of.position), R.transpose() * axes);
  };
  const int i = mark(body_i), j = mark(body_j);
  return add_joint(model, name, type, i, j, parameter);
}

/// A gear, coupler or rack.
inline int add_coupling(Model& model, const std::string& name, JointType type, std::vector<model::CouplingTerm> terms) {
  const int joint = add_joint(model, name, type, -1, -1);
  model.joints.back().terms = std::move(terms);
  return joint;
}

/// A program of the names that the model has by now; signals are added to it.
inline model::Program compile(Model& model, const std::string& text) {
  model::ModelIndex index(model);
  model::ModelScope scope(index);
  return model::expression::compile(text, scope);
}

inline model::Motion& add_motion(Model& model, const std::string& name, model::JointCoordinate coordinate,
                                 model::MotionLevel level, const std::string& function) {
  model::Motion motion;
  motion.name = name;
  motion.coordinate = coordinate;
  motion.level = level;
  motion.function = compile(model, function);
  model.motions.push_back(std::move(motion));
  return model.motions.back();
}

inline model::Force& add_force(Model& model, const std::string& name, const std::string& type) {
  model.forces.emplace_back();
  model.forces.back().name = name;
  model.forces.back().type = type;
  return model.forces.back();
}
/// Along the distance of two markers.
inline model::ForceLaw& add_line_force(Model& model, const std::string& name, int i, int j) {
  model::Force& force = add_force(model, name, "spring-damper");
  force.scalar.emplace();
  force.scalar->i = i;
  force.scalar->j = j;
  return force.scalar->law;
}
/// Along a coordinate of a joint.
inline model::ForceLaw& add_joint_force(Model& model, const std::string& name, model::JointCoordinate coordinate) {
  model::Force& force = add_force(model, name, "joint force");
  force.scalar.emplace();
  force.scalar->coordinate = coordinate;
  return force.scalar->law;
}
inline model::VectorForce& add_vector_force(Model& model, const std::string& name, int i, int j = -1, int frame = -1) {
  model::Force& force = add_force(model, name, "vector force");
  force.vector.emplace();
  force.vector->i = i;
  force.vector->j = j;
  force.vector->frame = frame;
  return *force.vector;
}
inline model::Bushing& add_bushing(Model& model, const std::string& name, int i, int j) {
  model::Force& force = add_force(model, name, "bushing");
  force.bushing.emplace();
  force.bushing->i = i;
  force.bushing->j = j;
  return *force.bushing;
}

}  // namespace trammel::testing
