#pragma once

// Accelerations and multipliers of the index-1 equations at given (t, q, v, x):
//
//   M a + G^T lambda = f(t, q, v, lambda, x),   G a = bias(t, q, v).
//
// Where f depends on lambda (dry friction) the system is solved by Newton's iteration with B = G^T - df/dlambda.

#include <optional>

#include "trammel/dae/evaluation.h"
#include "trammel/kkt/solver.h"

namespace trammel::kkt {

enum class AccelerationStatus {
  kSolved,
  kSingular,     ///< [M G^T; G 0]: redundant constraints or a motion without inertia
  kNotFinite,    ///< some value of the system is not a finite number
  kNoReactions,  ///< forces that depend on lambda leave lambda undetermined, or Newton's iteration did not converge
};

class AccelerationSolver {
 public:
  /// Keeps a reference to the evaluation and works at its point.
  explicit AccelerationSolver(dae::Evaluation& evaluation, const SolverOptions& options = {});

  /// Factorises [M G^T; G 0] at the position of the evaluation.
  [[nodiscard]] AccelerationStatus factor_position();
  /// a, lambda and x' (explicit states) into the evaluation's point; factor_position() was called at this position.
  /// Where forces depend on lambda, Newton's iteration starts from a and lambda of the state `near`.
  [[nodiscard]] AccelerationStatus solve(const dae::State& near);

  /// The factorised matrix of the last factor_position(): the mass metric that projections use.
  Solver& metric() { return metric_; }
  SolverCounts counts() const;

 private:
  AccelerationStatus solve_with_friction(const dae::State& near);

  dae::Evaluation& evaluation_;
  Solver metric_;
  std::optional<Solver> friction_;
  Vector a_, lambda_, upper_, lower_;
};

}  // namespace trammel::kkt
