#pragma once

// The problems on which methods are compared, with their reference solutions.

#include <functional>
#include <string>
#include <vector>

#include "cases/case.h"

namespace trammel::bench {

struct Problem {
  std::string name;
  cases::Case setup;
  /// Largest absolute error of the positions at the end.
  std::function<double(const linalg::Vector& q)> calc_error;
};

/// The seven-body mechanism at t = 0.03; error of the seven angles [rad].
Problem make_andrews();
/// Ten rods falling from the horizontal, at t = 1; error of the tip [m] and of the angles [rad].
Problem make_chain_10();

}  // namespace trammel::bench
