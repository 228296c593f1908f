#pragma once

// Random but reproducible rotation vectors and quaternions for the tests of this folder.

#include <Eigen/Core>
#include <numbers>
#include <random>
#include <vector>

namespace trammel::math {

inline constexpr double kPi = std::numbers::pi;

class RotationSamples {
 public:
  Eigen::Vector3d vector() { return {normal_(generator_), normal_(generator_), normal_(generator_)}; }
  Eigen::Vector3d direction() { return vector().normalized(); }
  Eigen::Vector4d quaternion() {
    return Eigen::Vector4d(normal_(generator_), normal_(generator_), normal_(generator_), normal_(generator_))
        .normalized();
  }

  /// Vectors of the given lengths, each in the directions of the axes and in `count` random ones.
  std::vector<Eigen::Vector3d> vectors(const std::vector<double>& lengths, int count = 20) {
    std::vector<Eigen::Vector3d> r;
    for (const double length : lengths) {
      for (int i = 0; i < 3; ++i) r.emplace_back(length * Eigen::Vector3d::Unit(i));
      for (int i = 0; i < count; ++i) r.emplace_back(length * direction());
    }
    return r;
  }

 private:
  std::mt19937 generator_{20240229};
  std::normal_distribution<double> normal_;
};

/// Angles from zero to just below pi, with both sides of the places where formulas change (|phi| = 1, 2 atan(0.1), 2).
inline std::vector<double> angles_below_pi() {
  return {0.0,  1e-200, 1e-12,  1e-8,     1e-4,     0.01, 0.1993,     0.1994,     0.5,
          0.99, 0.9999, 1.0001, 1.999999, 2.000001, 3.0,  kPi - 1e-4, kPi - 1e-8, kPi - 1e-12};
}

}  // namespace trammel::math
