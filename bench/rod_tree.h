#pragma once

// Uniform rods of 1 m, 1 kg and 2 cm diameter hinged in a tree, each at its beginning to the origin or to the end of
// another rod. Every hinge starts at an angle and a rate of its own; without them all rods would lie along the x axis.
// Planar hinges turn about z, with gravity along -y; in space their axes lean to either side of y in turn, with gravity
// along -z. The header serves programs in C++17 too.

#include <array>
#include <string>
#include <vector>

namespace trammel::bench {

struct RodTree {
  static RodTree chain(int n, bool is_planar);
  /// Rod k hangs on rod (k - 1) / 2.
  static RodTree binary(int n, bool is_planar);

  int size() const { return static_cast<int>(parents.size()); }
  /// Of the hinge, in the axes of either rod.
  std::array<double, 3> axis(int rod) const;
  double angle(int rod) const;  ///< of the hinge [rad]
  double rate(int rod) const;   ///< its rate [rad/s]
  /// The model file; rod k is called rodk, its hinge hingek. Bodies are listed in the order of `listing`, joints with
  /// them.
  std::string write_model(const std::vector<int>& listing) const;
  std::string write_model() const;

  std::vector<int> parents;  ///< smaller than their children; -1: the ground
  bool is_planar;
};

/// The numbers below n in an order that shows nothing of the tree, always the same.
std::vector<int> shuffled_listing(int n);

}  // namespace trammel::bench
