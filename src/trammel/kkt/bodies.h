#pragma once

// Which velocities are those of one body.
//
// The mass matrix is block diagonal over the bodies. Where a system says which velocities belong together
// (Structure::bodies), that is used; otherwise velocities that the pattern of M couples, directly or through others,
// are one body, and a velocity that it couples with nothing is a body of its own.

#include <span>
#include <vector>

#include "trammel/dae/structure.h"

namespace trammel::kkt {

struct Bodies {
  std::vector<int> body_of;     ///< of each velocity
  std::vector<int> offsets{0};  ///< of each body in `velocities`, and the end
  std::vector<int> velocities;  ///< body by body, those of each in increasing order

  int count() const { return static_cast<int>(offsets.size()) - 1; }
  int width(int body) const {
    return offsets[static_cast<std::size_t>(body) + 1] - offsets[static_cast<std::size_t>(body)];
  }
  std::span<const int> velocities_of(int body) const {
    return {velocities.data() + offsets[static_cast<std::size_t>(body)], static_cast<std::size_t>(width(body))};
  }
  /// Whether the velocities of each body follow one another, those of body b from offsets[b] on.
  bool are_contiguous() const;
};

/// Bodies in the order of their first velocities.
Bodies find_bodies(const dae::Structure& structure);
/// The same from the pattern of M alone (n x n).
Bodies find_bodies(const linalg::Pattern& mass);

}  // namespace trammel::kkt
