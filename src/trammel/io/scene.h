#pragma once

// What there is to draw of a model: bodies with their shapes and points, joints and forces with the names of the
// columns of a result file that move and load them. Kept in result files as JSON, "trammel.scene/1", which
// viewer/README.md describes key by key.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "trammel/io/result_header.h"
#include "trammel/model/model.h"

namespace trammel::io {

/// Names of columns; an empty one stands for a component that is zero.
using ColumnNames = std::array<std::string, 3>;

struct ScenePoint {
  std::string name;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the body frame [m]
};

struct SceneBody {
  std::string name;
  ColumnNames position;                              ///< of the body frame's origin, ground axes
  std::string angle;                                 ///< about z, or
  std::array<std::string, 4> orientation;            ///< Euler parameters; neither for a mass point
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of mass, in the body frame [m]
  double mass = 0;                                   ///< [kg]
  std::vector<ScenePoint> points = {};
  std::vector<model::Shape> shapes = {};
};

/// A marker.
struct SceneAttachment {
  int body = model::kGround;                           ///< index into Scene::bodies
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< in the body frame [m]
  Eigen::Vector3d x = Eigen::Vector3d::UnitX();        ///< its axes in the body frame
  Eigen::Vector3d z = Eigen::Vector3d::UnitZ();
};

struct SceneJoint {
  std::string name;
  std::string type;
  std::optional<SceneAttachment> i, j;  ///< neither for a coupling of other joints
  ColumnNames force = {}, torque = {};  ///< on the body of j at its point, ground axes
};

struct SceneForce {
  std::string name;
  std::string type;
  std::optional<SceneAttachment> i, j;
  bool is_line = false;                 ///< along the line from i to j,
  std::string value;                    ///< of this size, positive when it pushes them apart; otherwise
  ColumnNames force = {}, torque = {};  ///< on the body of i at its point, ground axes; of a bushing on that of j
};

struct Scene {
  bool is_planar = false;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< [m/s^2]
  std::vector<SceneBody> bodies;
  std::vector<ScenePoint> ground_points;
  std::vector<model::Shape> ground_shapes;
  std::vector<SceneJoint> joints;
  std::vector<SceneForce> forces;
  std::vector<std::string> trails;  ///< points or bodies whose path is worth showing at first
};

/// The scene of a model whose results have the columns of MechanismColumns.
Scene make_scene(const model::Model& model);

/// As "trammel.scene/1".
std::string to_json(const Scene& scene);

}  // namespace trammel::io
