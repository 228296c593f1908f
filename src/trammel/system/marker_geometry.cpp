#include "trammel/system/marker_geometry.h"

#include <cmath>

namespace trammel::system {

using model::Coordinate;
using model::CoordinateKind;

MarkerGeometry marker_geometry(const model::Model& model, int marker) {
  if (marker < 0) return {};
  const model::Marker& m = model.markers[static_cast<std::size_t>(marker)];
  if (m.body == model::kGround) return {0, m.position, m.orientation};
  const model::Body& body = model.bodies[static_cast<std::size_t>(m.body)];
  return {m.body + 1, m.position - body.centre, m.orientation};
}

model::Coordinate make_coordinate(const model::Model& model, CoordinateKind kind, const MarkerGeometry& I,
                                  const MarkerGeometry& J) {
  const auto along = [&](int axis) { return Coordinate::projection(I.axes.col(axis), I.s, J.s); };
  switch (kind) {
    case CoordinateKind::kAngle:
      if (model.is_planar()) {
        return Coordinate::planar_angle(std::atan2(J.axes(1, 0), J.axes(0, 0)) -
                                        std::atan2(I.axes(1, 0), I.axes(0, 0)));
      }
      return Coordinate::angle(I.axes.col(0), I.axes.col(1), J.axes.col(0));
    case CoordinateKind::kTravel: return along(model.is_planar() ? 0 : 2);
    case CoordinateKind::kX: return along(0);
    case CoordinateKind::kY: return along(1);
    case CoordinateKind::kZ: return along(2);
    case CoordinateKind::kDistance: return Coordinate::distance(I.s, J.s);
    case CoordinateKind::kFirstAngle: return Coordinate::angle(I.axes.col(0), I.axes.col(1), J.axes.col(2));
    case CoordinateKind::kSecondAngle: break;
  }
  return Coordinate::angle(J.axes.col(0), J.axes.col(1), I.axes.col(2));
}

PlacedCoordinate make_joint_coordinate(const model::Model& model, const model::JointCoordinate& which) {
  const model::Joint& joint = model.joints[static_cast<std::size_t>(which.joint)];
  const MarkerGeometry I = marker_geometry(model, joint.i), J = marker_geometry(model, joint.j);
  const Coordinate coordinate = make_coordinate(model, which.kind, I, J);
  // The second angle of a universal joint is that of I seen from J.
  if (which.kind == CoordinateKind::kSecondAngle) return {coordinate, J.frame, I.frame};
  return {coordinate, I.frame, J.frame};
}

void calc_given_state(const model::Model& model, const BodyTable& bodies, linalg::Vector& q, linalg::Vector& v) {
  q = linalg::Vector::Zero(bodies.n_q());
  v = linalg::Vector::Zero(bodies.n_v());
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const model::Body& body = model.bodies[static_cast<std::size_t>(frame - 1)];
    bodies.set_pose(frame, body.position, body.orientation, body.angle, q);
  }
  std::vector<BodyFrame> frames(static_cast<std::size_t>(bodies.frames()));
  bodies.calc_frames(q.data(), frames);
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const model::Body& body = model.bodies[static_cast<std::size_t>(frame - 1)];
    bodies.set_velocity(frame, body.velocity, body.angular_velocity, frames[static_cast<std::size_t>(frame)], v);
  }
}

}  // namespace trammel::system
