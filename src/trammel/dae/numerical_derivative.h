#pragma once

// Derivatives of a system by central differences, several columns at once where their rows do not meet (colouring).

#include "trammel/dae/constrained_system.h"
#include "trammel/dae/evaluation_counts.h"

namespace trammel::dae {

/// Groups of columns of a pattern such that no two columns of a group share a row (greedy, in column order).
std::vector<std::vector<int>> colour_columns(const linalg::Pattern& pattern);

/// Owns a point of its own to perturb, so the caller's is left alone.
class NumericalDerivatives {
 public:
  /// The usual width of a difference, relative to a variable or to 1, whichever is larger: the cube root of the
  /// round-off unit, which balances truncation (width^2) and cancellation (eps / width).
  static constexpr double kWidth = 6.0554544523933395e-06;

  /// Calls of the system are added to `counts` when it is given.
  explicit NumericalDerivatives(const ConstrainedSystem& system, EvaluationCounts* counts = nullptr);

  /// Scales the widths of all differences: 1, the default, suits functions whose values and curvatures are of size 1.
  void set_width_factor(double factor) { width_ = factor * kWidth; }
  /// The widths by which the variables of a derivative are moved, one a column.
  Vector calc_widths(Derivative which, const State& at);

  /// Fills `values` in the order of structure().pattern(which). Central differences: relative error about 1e-10, and
  /// about 1e-6 for derivatives of a bias that itself comes from differences.
  void calc(Derivative which, const State& at, VectorIn direction, MatrixValues values);
  /// -d/dt(G v + g_t) at constant v, along the motion q' = T v.
  void calc_bias(const State& at, VectorOut bias);
  /// The same derivative with every place filled, whatever the pattern says: to find entries a pattern misses.
  Eigen::MatrixXd calc_full(Derivative which, const State& at, VectorIn direction);
  /// d g/dq along retract, n_g x n_v, and the partial derivative of g by t.
  Eigen::MatrixXd calc_constraint_by_q(const State& at);
  Vector calc_constraint_by_t(const State& at);

 private:
  enum class Variable;
  enum class Function;
  struct Kind;

  static Kind kind_of(Derivative which);
  void evaluate(Function function, VectorIn direction, VectorOut result);
  /// Sets point_ to `at`, displaced by scale * step_ in the variable.
  void displace(Variable variable, const State& at, double scale);
  void calc_steps(Variable variable, const State& at);
  void calc_difference(const Kind& kind, const State& at, VectorIn direction);

  const ConstrainedSystem& system_;
  EvaluationCounts own_counts_;
  EvaluationCounts* counts_;
  double width_ = kWidth;
  Point point_;
  State kept_;
  Vector step_, widths_, plus_, minus_, work_, ahead_, bias_step_;
  Vector mass_, jacobian_;
  std::array<std::vector<std::vector<int>>, kDerivativeCount> colours_;
  std::array<std::vector<std::vector<int>>, kDerivativeCount> entries_by_column_;
};

}  // namespace trammel::dae
