#pragma once

// Accelerations and multipliers of the index-1 equations at given (t, q, v, x):
//
//   M a + G^T lambda = f(t, q, v, lambda, x),   G a = bias(t, q, v).
//
// and the rates x' of the extra states. Where f depends on lambda (dry friction), or states are given in implicit form,
// 0 = d(x', x, t, q, v, a, lambda), all of it is solved together by Newton's iteration. States that occur in d without
// their rate are unknowns themselves, in place of the rate.

#include <optional>
#include <vector>

#include "trammel/dae/evaluation.h"
#include "trammel/kkt/solver.h"

namespace trammel::kkt {

enum class AccelerationStatus {
  kSolved,
  kSingular,     ///< [M G^T; G 0]: redundant constraints or a motion without inertia
  kUnsuitable,   ///< the back end that was asked for cannot factorise it; another may
  kNotFinite,    ///< some value of the system is not a finite number
  kNoReactions,  ///< forces that depend on lambda leave lambda undetermined, or Newton's iteration did not converge
  kNoStates,     ///< the same for states in implicit form
};

class AccelerationSolver {
 public:
  /// Keeps a reference to the evaluation and works at its point. The matrix of what is solved together is not
  /// symmetric: it takes dense LU where the options ask for a back end that needs symmetry.
  explicit AccelerationSolver(dae::Evaluation& evaluation, const SolverOptions& options = {});

  /// Factorises [M G^T; G 0] at the position of the evaluation.
  [[nodiscard]] AccelerationStatus factor_position();
  /// a, lambda, x' and the algebraic ones of x into the evaluation's point; factor_position() was called at this
  /// position. Newton's iteration, where it is needed, starts from a, lambda and x' of the state `near`. What is given
  /// as `feedback` (m or nothing) is added to the bias: G a = bias + feedback.
  [[nodiscard]] AccelerationStatus solve(const dae::State& near, VectorIn feedback = Vector());

  /// The factorised matrix of the last factor_position(): the mass metric that projections use.
  Solver& metric() { return metric_; }
  SolverCounts counts() const;

 private:
  AccelerationStatus solve_together(const dae::State& near, VectorIn feedback);
  Layout make_layout() const;
  bool factor_together();
  void move_states(VectorIn change);

  dae::Evaluation& evaluation_;
  SolverOptions options_;
  Solver metric_;
  SolverCounts earlier_counts_;  // of a solver that another one has replaced
  bool has_implicit_states_;
  std::vector<bool> is_algebraic_;
  linalg::PatternPart force_by_variables_, state_by_variables_;  // columns of the algebraic states
  std::optional<Solver> together_;
  std::vector<BlockValues> values_;
  Vector a_, lambda_, x_, x_rate_, upper_, lower_;
};

}  // namespace trammel::kkt
