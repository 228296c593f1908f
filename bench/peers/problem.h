#pragma once

// The problems on which methods are compared, with their reference solutions.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/rod_tree.h"
#include "cases/case.h"
#include "trammel/system/joint_form.h"

namespace trammel::bench {

struct Problem {
  std::string name;
  cases::Case setup;
  std::optional<RodTree> rods;  ///< where the bodies are such rods
  /// Largest absolute error of the positions at the end.
  std::function<double(const linalg::Vector& q)> calc_error;
  std::shared_ptr<const system::JointForm> joint{};  ///< of models
  int most_digits = 11;                              ///< of the tolerances
};

/// The seven-body mechanism at t = 0.03; error of the seven angles [rad].
Problem make_andrews();
/// Ten rods falling from the horizontal, at t = 1; error of the tip [m] and of the angles [rad].
Problem make_chain_10();
/// Rods hanging one from the other, or in a binary tree, released while they tumble; error of the centres of mass [m].
/// The end is at t = 0.5, for a thousand rods and more at t = 0.2.
Problem make_rods(const RodTree& rods);
/// 40 four-bar loops falling from the upright position, at t = 0.5; error of the angles [rad].
Problem make_four_bars();

}  // namespace trammel::bench
