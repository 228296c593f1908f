#pragma once

// A marker as elements need it: the frame of its body, its point from the centre of mass, its axes.

#include "trammel/model/joint/coordinate.h"
#include "trammel/system/body_table.h"

namespace trammel::system {

struct MarkerGeometry {
  int frame = 0;                                       ///< of BodyTable
  Eigen::Vector3d s = Eigen::Vector3d::Zero();         ///< from the centre of mass, body axes [m]
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< R_BM, columns are the axes in body axes
};

/// -1 stands for the ground frame.
MarkerGeometry marker_geometry(const model::Model& model, int marker);

/// The coordinate of J seen from I; `kind` as joints offer it.
model::Coordinate make_coordinate(const model::Model& model, model::CoordinateKind kind, const MarkerGeometry& I,
                                  const MarkerGeometry& J);

/// A coordinate together with its frames.
struct PlacedCoordinate {
  model::Coordinate coordinate;
  int a = 0, b = 0;

  FramePair frames(const std::vector<BodyFrame>& of) const {
    return {of[static_cast<std::size_t>(a)], of[static_cast<std::size_t>(b)]};
  }
  TwistPair twists(const std::vector<Twist>& of) const {
    return {of[static_cast<std::size_t>(a)], of[static_cast<std::size_t>(b)]};
  }
  double calc_rate(const std::vector<BodyFrame>& f, const std::vector<Twist>& xi) const {
    return coordinate.rate(frames(f), twists(xi));
  }
};
PlacedCoordinate make_joint_coordinate(const model::Model& model, const model::JointCoordinate& which);

/// Positions and velocities that the bodies of the model say they have.
void calc_given_state(const model::Model& model, const BodyTable& bodies, linalg::Vector& q, linalg::Vector& v);

}  // namespace trammel::system
