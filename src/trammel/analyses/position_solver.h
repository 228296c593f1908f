#pragma once

// Positions that satisfy g(t, q) = 0, found from a position nearby by small steps in a metric W (metric.h):
//
//   close():   u = the least ||W u|| with G u = -g, q <- retract(q, alpha u), until g = 0                          (1)
//   settle():  u = the u nearest to -moved with G u = -g, and close() again, until u = 0                           (2)
//
// (1) is a damped iteration of Gauss and Newton, with the damping of Levenberg and Marquardt where a step does not
// reduce the violation; it is kept from jumping to another branch by a limit of the rotation in a step. What (2)
// reaches satisfies W^2 moved + G^T w = 0, g = 0: the nearest position to the first one, at least locally. Both take
// rows of G that depend on each other.

#include "trammel/analyses/least_change.h"
#include "trammel/analyses/metric.h"

namespace trammel::analyses {

struct ClosingOptions {
  double tolerance = 1e-12;   ///< of |g| in the unit of its row, > 0; round-off is allowed for besides
  double max_rotation = 0.3;  ///< of a step in any angle [rad], > 0
  int max_iterations = 200;   ///< 1 or more

  std::vector<std::string> validate() const;
};

struct Closing {
  bool closed = false;
  bool finite = true;  ///< false: some value of g or G was not a finite number
  int iterations = 0;
};

class PositionSolver {
 public:
  /// Keeps references. `held`: indices in v of the coordinates that stay.
  PositionSolver(dae::Evaluation& evaluation, const CoordinateMetric& metric, const ClosingOptions& options,
                 const std::vector<int>& held = {});

  /// (1). Adds the displacements to `moved` (n_v), which is exact for q' = v and right to second order in rotations
  /// otherwise. A position that is closed is not touched. Leaves the evaluation at q, which is the best one found.
  Closing close(double t, Vector& q, Vector& moved) { return close(t, q, moved, options_.max_iterations); }
  Closing close(double t, Vector& q, Vector& moved, int max_iterations);
  /// (2), from a closed position. Returns the number of iterations.
  int settle(double t, Vector& q, Vector& moved);

  /// |g_i| up to which row i counts as closed at the position of the evaluation: the tolerance and round-off.
  Vector calc_allowed_violation();
  LeastChange& least_change() { return least_change_; }

 private:
  bool is_closed();
  double calc_merit(VectorIn scales);
  /// What the merit would be after the whole step_, were the constraints linear.
  double calc_forecast(VectorIn scales);
  /// One step of (1); false when none reduces the violation.
  bool attempt_step(double t, Vector& q, Vector& moved);
  void limit_rotation(Vector& u) const;

  dae::Evaluation& evaluation_;
  const CoordinateMetric& metric_;
  ClosingOptions options_;
  LeastChange least_change_;
  double damping_ = LeastChange::kLeastDamping;
  double merit_ = 0;   // after the last step, with the row scales before it
  double before_ = 0;  // before it
  Vector right_side_, step_, trial_;
};

}  // namespace trammel::analyses
