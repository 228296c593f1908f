#pragma once

// The problems on which methods are compared, with their reference solutions.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/rod_tree.h"
#include "cases/case.h"

namespace trammel::bench {

struct Problem {
  std::string name;
  cases::Case setup;
  std::optional<RodTree> rods;  ///< where the bodies are such rods
  /// Largest absolute error of the positions at the end.
  std::function<double(const linalg::Vector& q)> calc_error;
};

/// The seven-body mechanism at t = 0.03; error of the seven angles [rad].
Problem make_andrews();
/// Ten rods falling from the horizontal, at t = 1; error of the tip [m] and of the angles [rad].
Problem make_chain_10();
/// Rods in space hinged one to the other, released while they tumble, at t = 0.5; error of the centres of mass [m].
Problem make_spatial_chain(int n);
/// 40 four-bar loops falling from the upright position, at t = 0.5; error of the angles [rad].
Problem make_four_bars();

}  // namespace trammel::bench
