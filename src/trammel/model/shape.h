#pragma once

// What a body looks like. Shapes are for pictures only: masses and inertias are given apart.

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trammel::model {

/// A surface of triangles.
struct Mesh {
  std::vector<float> vertices;           ///< x, y, z of each vertex, one after the other [m]
  std::vector<std::uint32_t> triangles;  ///< three vertices each, counted from 0
};

enum class ShapeType { kBox, kCylinder, kSphere, kMesh, kLine };

/// "box", "cylinder", ... as in model files.
std::string to_string(ShapeType type);

/// Placed in the frame of its body (of the ground: in the ground frame).
struct Shape {
  ShapeType type = ShapeType::kBox;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< of its centre [m]
  Eigen::Vector4d orientation{1, 0, 0, 0};             ///< Euler parameters, scalar first
  std::string color;                                   ///< "#rrggbb"; empty: the viewer chooses
  Eigen::Vector3d size = Eigen::Vector3d::Zero();      ///< box: its edges along x, y, z [m]
  double radius = 0;                                   ///< cylinder, sphere [m]
  double length = 0;                                   ///< cylinder, along its z axis [m]
  std::shared_ptr<const Mesh> mesh;                    ///< of kMesh
  std::vector<Eigen::Vector3d> points;                 ///< line: its corners, in the axes of the shape [m]
  bool is_closed = false;                              ///< line: whether it returns to its first point
};

}  // namespace trammel::model
