#pragma once

// Derivatives of the equations in independent coordinates, w'' = f(t, w, w', x), x' = r(t, w, w', x), and the matrix of
// implicit formulas made of them (docs/theory/state-space.md, section 2). With J_1 = f_w, J_2 = f_w', J_x = f_x and
// M^ = P^T M P, what is stored is
//
//   M^,   M1^ = -M^ J_2,   M2^ = -M^ J_1,   F^ = M^ J_x,   X_1 = r_w,  X_2 = r_w',  X_x = r_x                       (1)
//
// and what is factorised, for the weights of a formula w = .. + c_q w'', w' = .. + c_v w'', x = .. + c_x x', is
//
//   [ M^ + c_v M1^ + c_q M2^     -c_x F^      ]
//   [ -c_v X_2 - c_q X_1         I - c_x X_x  ]                                                                    (2)
//
// so that another step size costs no new derivatives: (3.43)-(3.46) of the thesis. The same matrix serves methods whose
// unknowns are accelerations and those whose unknowns are positions and velocities (proposition 1 there).
//
// There are three ways to (1). By blocks: products of the matrices of the system with P and Z. By columns (appendix A
// of the thesis): every column of J_1, J_2, J_x is a solution of the equations of accelerations with another right
// side; the columns are shared between threads, and the bits do not depend on how many. By differences of the
// equations.

#include <Eigen/Core>
#include <array>
#include <memory>
#include <string>

#include "trammel/integrators/state_space/reduced_equations.h"
#include "trammel/linalg/dense_lu.h"

namespace trammel::integrators {

enum class JacobianKind { kAutomatic, kBlocks, kColumns, kNumerical };

/// c_q, c_v and c_x of (2).
struct StageWeights {
  double q = 0, v = 0, x = 0;

  /// Of a formula for first-order equations with the diagonal coefficient c.
  static StageWeights of_first_order(double c) { return {c * c, c, c}; }
  bool operator==(const StageWeights&) const = default;
};

class IntegrationJacobian {
 public:
  using Vector = linalg::Vector;
  using VectorOut = linalg::VectorOut;

  /// Keeps references.
  IntegrationJacobian(const MethodContext& context, ReducedEquations& equations, JacobianKind kind);
  IntegrationJacobian(const IntegrationJacobian&) = delete;
  IntegrationJacobian& operator=(const IntegrationJacobian&) = delete;
  ~IntegrationJacobian();

  /// (1) at a complete state. Leaves the chart factorised there. False when it cannot be evaluated.
  [[nodiscard]] bool eval(const dae::State& at);
  /// Factorises (2).
  [[nodiscard]] bool factor(const StageWeights& weights);
  /// In place: the solution of (2) for the right side (n_w + n_x).
  void solve(VectorOut right_side);
  /// In place: b becomes (I - c J)^-1 b with the whole J = dy'/dy, by one solution of (2) with c_v = c_x = c, c_q =
  /// c^2:
  ///   [M^ + c_v M1^ + c_q M2^, ..] (e_w', e_x) = (M^ b_w' - c_v M2^ b_w, b_x + c_x X_1 b_w),
  ///   e_w = b_w + c_q/c_v e_w'                                                                                   (3)
  /// With other weights it is the same for formulas in which c_q/c_v stands for c where velocities make positions.
  void solve_shifted(VectorOut b);

  /// dy'/dy at the state of eval(), (2 n_w + n_x) squared; not numbers where M^ is singular.
  void calc_rate_derivative(Eigen::Ref<Eigen::MatrixXd> derivative) const;

  const Eigen::MatrixXd& mass() const { return mass_; }               ///< M^
  const Eigen::MatrixXd& velocity_part() const { return velocity_; }  ///< M1^
  const Eigen::MatrixXd& position_part() const { return position_; }  ///< M2^
  /// The way in use.
  JacobianKind kind() const { return kind_; }
  std::string describe() const;
  const StageWeights& weights() const { return weights_; }
  void add_counts(Statistics& statistics) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  class Columns;

  JacobianKind choose_kind(JacobianKind wanted) const;
  bool eval_tangents(const dae::State& at);
  void eval_by_blocks(const dae::State& at);
  bool eval_by_columns(const dae::State& at);
  bool eval_by_differences(const dae::State& at);
  void eval_state_derivatives();
  /// out += weight A in for a sparse A.
  void add_product(const linalg::Pattern& pattern, const double* values, double weight, const RowMajor& in,
                   RowMajor& out) const;
  /// A derivative at the present state, evaluated once.
  const double* derivative(dae::Derivative which, linalg::VectorIn direction = Vector());
  void add_derivative(dae::Derivative which, double weight, const RowMajor& in, RowMajor& out,
                      linalg::VectorIn direction = Vector());
  /// out = Z in.
  void solve_chart(const RowMajor& in, RowMajor& out);
  /// out = -E^-1 in, with E = dd/dx' of the extra states.
  void divide_by_state_rate(RowMajor& out);

  ReducedEquations& equations_;
  dae::Evaluation& evaluation_;
  std::array<const double*, dae::kDerivativeCount> known_{};  // derivatives that were evaluated at the state
  JacobianKind kind_;
  int n_v_, n_w_, n_x_, m_;
  RowMajor P_;                    // n_v x n_w
  RowMajor v_by_w_;               // dv/dw at constant w', n_v x n_w
  RowMajor lower_, full_, part_;  // m x n_w, n_v x n_w
  RowMajor x_by_w_, x_by_v_, x_by_x_;
  RowMajor force_by_x_;  // n_v x n_x
  Eigen::MatrixXd mass_, velocity_, position_, force_;
  linalg::DenseLu state_rate_;
  linalg::DenseLu factors_;
  mutable linalg::DenseLu mass_factors_;  // room for calc_rate_derivative()
  StageWeights weights_;
  Vector work_, column_, reduced_, y_, rate_, moved_;
  std::unique_ptr<Columns> columns_;
  dae::State probe_;
  long factorizations_ = 0, solves_ = 0;
};

}  // namespace trammel::integrators
