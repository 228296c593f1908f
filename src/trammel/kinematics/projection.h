#pragma once

// Projection on the constraints in the mass metric (MEXX report, section 2.3):
//
//   positions:   M0 nu + G0^T mu = 0,  g(t, retract(q0, nu)) = 0,   by Newton's iteration with a fixed matrix     (1)
//   velocities:  M (v - v0) + G^T mu = 0,  G v + g_t = 0,           one linear system                             (2)
//
// The matrix [M0 G0^T; G0 0] may belong to a position nearby: the result lies on the constraints all the same.

#include "trammel/dae/evaluation.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/math/newton.h"

namespace trammel::kinematics {

using linalg::Vector;
using linalg::VectorIn;
using linalg::VectorOut;

enum class MetricUse {
  kPresent,  ///< start with the matrix that is factorised; renew it when convergence is slow
  kRenew,    ///< factorise at the given position first
};

struct PositionProjection {
  math::NewtonOutcome newton;
  int iterations = 0;  ///< in all, with both matrices when the first had to be renewed
  kkt::AccelerationStatus metric = kkt::AccelerationStatus::kSolved;
  bool ok() const { return metric == kkt::AccelerationStatus::kSolved && newton.converged(); }
};

class Projector {
 public:
  /// Keeps references; both must belong together.
  Projector(dae::Evaluation& evaluation, kkt::AccelerationSolver& accelerations);

  /// Moves q onto g(t, q) = 0. Displacements are measured as root mean square of (q_new - q_old) / weights and are
  /// iterated until what remains is below 1e-3. Leaves the evaluation at the last position it looked at.
  PositionProjection project_position(double t, Vector& q, VectorIn weights, MetricUse use);

  /// Moves v onto G v + g_t = 0. The evaluation stands at the position, and its metric is factorised there.
  void project_velocity(Vector& v);

  /// Finds a position near q that satisfies the constraints even when they are violated by a lot: Newton's iteration
  /// with a new matrix each time and step halving. True on success.
  bool assemble_position(double t, Vector& q);

 private:
  math::NewtonOutcome iterate(double t, Vector& q, VectorIn weights);
  /// One correction in the present metric; the displacement is left in displacement_.
  void correct(double t, Vector& q);

  dae::Evaluation& evaluation_;
  kkt::AccelerationSolver& accelerations_;
  Vector start_, before_, displacement_, upper_, lower_;
};

}  // namespace trammel::kinematics
