#pragma once

// Reads numbers, vectors and orientations of a model or sub-model. Everything returns nothing when the value is not
// there or not right; in the second case a problem has been reported.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "trammel/io/model_file/parameters.h"
#include "trammel/model/model.h"

namespace trammel::io::model_file {

using Eigen::Matrix3d;
using Eigen::Vector3d;

enum class Range { kAny, kPositive, kNotNegative };

class Values {
 public:
  Values(Parameters& parameters, model::Space space, Problems& problems)
      : parameters_(parameters), space_(space), problems_(problems) {}

  std::optional<double> number(const Node& node);
  std::optional<double> number(const Node& map, const char* key, Range range = Range::kAny);
  /// Sets the target when the key is there and right.
  void read(const Node& map, const char* key, double& target, Range range = Range::kAny);
  bool flag(const Node& map, const char* key);

  std::optional<std::vector<double>> numbers(const Node& list);
  /// All rows of equal length.
  std::optional<Eigen::MatrixXd> matrix(const Node& rows);
  std::optional<Vector3d> vector3(const Node& list);
  /// Two numbers in a planar model.
  std::optional<Vector3d> vector(const Node& list);
  std::optional<Vector3d> vector(const Node& map, const char* key);
  /// Not of length zero, made of length 1.
  std::optional<Vector3d> direction(const Node& list);

  /// A map with one of quaternion, rotation_vector, axis and angle, euler, directions.
  std::optional<Matrix3d> orientation(const Node& map);
  /// Of a map that has the key "orientation" (spatial) or "angle" (planar), or neither: the identity. `angle` gets the
  /// planar angle with its turns.
  std::optional<Matrix3d> orientation_of(const Node& map, double* angle = nullptr);

  bool is_planar() const { return space_ == model::Space::kPlanar; }

 private:
  std::optional<Matrix3d> quaternion(const Node& list);
  std::optional<Matrix3d> axis_and_angle(const Node& map);
  std::optional<Matrix3d> euler(const Node& map);
  std::optional<Matrix3d> directions(const Node& map);

  Parameters& parameters_;
  model::Space space_;
  Problems& problems_;
};

/// Axes with the given z (of unit length) whose x is as near as possible to the given one; nothing if they are
/// parallel.
std::optional<Matrix3d> make_axes(const Vector3d& z, const Vector3d& x);
/// Axes with the given z (of unit length): the ground's, turned the shortest way.
Matrix3d make_axes(const Vector3d& z);

}  // namespace trammel::io::model_file
