#pragma once

// Accelerations and multipliers of a stage whose velocity constraints are those of the next one:
//
//   M a + G^T lambda = f(t, q, v, lambda, x)   at the stage,      G_next a = s                                 (1)
//
// The matrix [M G^T; G_next 0] is not symmetric. Where f depends on lambda, (1) is solved by Newton's iteration.
// Theory: docs/theory/herk.md.

#include <vector>

#include "trammel/dae/evaluation.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/kkt/solver.h"

namespace trammel::integrators {

class HalfExplicitSolver {
 public:
  explicit HalfExplicitSolver(const dae::Structure& structure, const kkt::SolverOptions& linear = {});

  /// a and lambda of (1), also into the point of `here`, which has t, q, v and x. Newton's iteration, where it is
  /// needed, starts from the a and lambda given.
  [[nodiscard]] kkt::AccelerationStatus solve(dae::Evaluation& here, const double* next_jacobian, linalg::VectorIn s,
                                              linalg::Vector& a, linalg::Vector& lambda);

  const kkt::SolverCounts& counts() const { return solver_.counts(); }

 private:
  kkt::AccelerationStatus factor(dae::Evaluation& here, const double* next_jacobian);
  kkt::AccelerationStatus iterate(dae::Evaluation& here, const double* next_jacobian, linalg::VectorIn s,
                                  linalg::Vector& a, linalg::Vector& lambda);

  kkt::Solver solver_;
  std::vector<kkt::BlockValues> values_;
  linalg::Vector upper_, lower_;
};

}  // namespace trammel::integrators
