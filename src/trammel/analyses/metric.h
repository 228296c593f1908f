#pragma once

// How displacements of unlike coordinates are compared:
//
//   ||delta||_W^2 = sum of (w_i delta_i)^2,   w_i = 1 for lengths,  w_i = length for angles.                      (1)
//
// The mass matrix would do as well, were bodies without mass not allowed. A ConstrainedSystem does not say which of its
// coordinates are angles, but it shows: a full turn of an angle leaves G, M or f as they were, and a radian does not.

#include <optional>
#include <vector>

#include "trammel/dae/evaluation.h"

namespace trammel::analyses {

using linalg::Vector;
using linalg::VectorIn;
using linalg::VectorOut;

struct CoordinateMetric {
  Vector weights;              ///< w of (1), n_v
  std::vector<int> rotations;  ///< indices of the angles in v, increasing
  double length = 1;           ///< what an angle of one radian is worth [m]

  double norm(VectorIn delta) const { return weights.cwiseProduct(delta).norm(); }
  /// Largest angle in delta [rad]; 0 when there is none.
  double largest_rotation(VectorIn delta) const;
  /// Largest w_i |delta_i|.
  double largest(VectorIn delta) const;
};

struct MetricOptions {
  /// Indices in v of the coordinates that are angles; nothing: found by find_rotations().
  std::optional<std::vector<int>> rotations;
  /// `length` of (1) [m], >= 0; 0: chosen so that the columns of G W^-1 are of like size for angles and lengths.
  double length_scale = 0;

  /// What is wrong with the options for a system of n_v velocities, one message each; empty when sound.
  std::vector<std::string> validate(int n_v) const;
};

/// The coordinates (indices in v) in which G v, M v or f are periodic with 2 pi and not constant, at the position of
/// the evaluation. Takes a few evaluations a coordinate, fewer where the patterns are sparse. Leaves the evaluation at
/// the point where it was.
std::vector<int> find_rotations(dae::Evaluation& evaluation);

/// The options are valid.
CoordinateMetric make_metric(dae::Evaluation& evaluation, const MetricOptions& options);

}  // namespace trammel::analyses
