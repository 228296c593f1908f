#pragma once

// A state of the equations at one time, and the point at which a system is evaluated.

#include <memory>

#include "trammel/dae/structure.h"

namespace trammel::dae {

struct State {
  /// All zero, with the sizes of the system.
  static State zero(const Structure& structure);

  double t = 0;           ///< time [s]
  linalg::Vector q;       ///< positions, n_q
  linalg::Vector v;       ///< velocities, n_v
  linalg::Vector a;       ///< accelerations v', n_v
  linalg::Vector lambda;  ///< multipliers of M a + G^T lambda = f, m
  linalg::Vector x;       ///< extra states, n_x
  linalg::Vector x_rate;  ///< x', n_x
};

/// Room that a system wants for work shared between its evaluations (sines, frames). One per evaluation, never shared
/// between threads; the system itself stays constant.
class Workspace {
 public:
  virtual ~Workspace() = default;
};

/// A state under evaluation together with the workspace of the system. What a function of the system may read of it
/// is said there; fields of later stages hold whatever was there before.
struct Point : State {
  std::unique_ptr<Workspace> workspace;

  template <class T>
  T& workspace_as() const {
    return static_cast<T&>(*workspace);
  }
};

}  // namespace trammel::dae
