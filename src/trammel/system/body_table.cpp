#include "trammel/system/body_table.h"

#include <cmath>

#include "trammel/math/quaternion.h"

namespace trammel::system {

using Eigen::Vector3d;
using Eigen::Vector4d;

BodyTable::BodyTable(const model::Model& model) : is_planar_(model.is_planar()) {
  names_.push_back("ground");
  mass_.push_back(0);
  inertia_.push_back(Eigen::Matrix3d::Zero());
  centre_.push_back(Vector3d::Zero());
  for (const model::Body& body : model.bodies) {
    names_.push_back(body.name);
    mass_.push_back(body.mass);
    inertia_.push_back(body.inertia);
    centre_.push_back(body.centre);
  }
  if (is_planar_) {
    for (const int k : {0, 1, 5}) own_.add(k);
  } else {
    for (int k = 0; k < 6; ++k) own_.add(k);
  }
}

std::vector<std::string> BodyTable::position_names() const {
  std::vector<std::string> result;
  for (std::size_t k = 1; k < names_.size(); ++k) {
    const auto add = [&](const char* coordinate) { result.push_back(names_[k] + "." + coordinate); };
    if (is_planar_) {
      for (const char* c : {"x", "y", "angle"}) add(c);
    } else {
      for (const char* c : {"x", "y", "z", "e0", "e1", "e2", "e3"}) add(c);
    }
  }
  return result;
}

std::vector<std::string> BodyTable::velocity_names() const {
  std::vector<std::string> result;
  for (std::size_t k = 1; k < names_.size(); ++k) {
    const auto add = [&](const char* coordinate) { result.push_back(names_[k] + "." + coordinate); };
    if (is_planar_) {
      for (const char* c : {"x'", "y'", "angle'"}) add(c);
    } else {
      for (const char* c : {"x'", "y'", "z'", "wx", "wy", "wz"}) add(c);
    }
  }
  return result;
}

void BodyTable::calc_frames(const double* q, std::vector<BodyFrame>& frames) const {
  if (is_planar_) {
    for (std::size_t k = 1; k < frames.size(); ++k, q += 3) {
      BodyFrame& f = frames[k];
      const double c = std::cos(q[2]), s = std::sin(q[2]);
      f.r << q[0], q[1], 0;
      f.R(0, 0) = f.R(1, 1) = c;
      f.R(1, 0) = s;
      f.R(0, 1) = -s;
      f.angle = q[2];
    }
    return;
  }
  for (std::size_t k = 1; k < frames.size(); ++k, q += 7) {
    BodyFrame& f = frames[k];
    f.r << q[0], q[1], q[2];
    const Eigen::Map<const Vector4d> p(q + 3);
    // Off the unit sphere the matrix is |p|^2 times a rotation.
    f.R = (1 / p.squaredNorm()) * math::rotation_from_quaternion(p);
  }
}

void BodyTable::calc_twists(const double* v, std::vector<Twist>& twists) const {
  if (is_planar_) {
    for (std::size_t k = 1; k < twists.size(); ++k, v += 3) {
      twists[k].v << v[0], v[1], 0;
      twists[k].w[2] = v[2];
    }
    return;
  }
  for (std::size_t k = 1; k < twists.size(); ++k, v += 6) {
    twists[k].v << v[0], v[1], v[2];
    twists[k].w << v[3], v[4], v[5];
  }
}

void BodyTable::set_pose(int frame, const Vector3d& position, const Vector4d& orientation, double angle,
                         linalg::Vector& q) const {
  const Vector4d p = orientation.normalized();
  const Vector3d r = position + math::rotation_from_quaternion(p) * centre(frame);
  const int first = q_of(frame);
  if (is_planar_) {
    q.segment<3>(first) << r[0], r[1], angle;
  } else {
    q.segment<7>(first) << r, p;
  }
}

void BodyTable::set_velocity(int frame, const Vector3d& velocity, const Vector3d& angular_velocity, const BodyFrame& at,
                             linalg::Vector& v) const {
  const Vector3d of_centre = velocity + at.R * angular_velocity.cross(centre(frame));
  const int first = v_of(frame);
  if (is_planar_) {
    v.segment<3>(first) << of_centre[0], of_centre[1], angular_velocity[2];
  } else {
    v.segment<6>(first) << of_centre, angular_velocity;
  }
}

}  // namespace trammel::system
