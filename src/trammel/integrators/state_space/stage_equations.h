#pragma once

// The nonlinear equations of one stage of an implicit formula in independent coordinates
// (docs/theory/state-space.md, section 3):
//
//   w = w_* + c_q w'',   w' = w'_* + c_v w'',   x = x_* + c_x x',      w'' = f(t, w, w', x),  x' = r(t, w, w', x)   (1)
//
// with w_*, w'_*, x_* known. Newton's iteration has the unknowns w'' and x', so that (1) holds exactly for what it
// returns and nothing is amplified by stiff forces: k_i of a Runge-Kutta formula is what the formula says and not what
// the forces are at the last iterate. The derivatives in the matrix are kept while they serve; another step size costs
// no new ones.

#include <string>

#include "trammel/integrators/jacobian_policy.h"
#include "trammel/integrators/state_space/integration_jacobian.h"
#include "trammel/integrators/state_space/reduced_equations.h"

namespace trammel::integrators {

struct StageOptions {
  /// Distance to the solution, in the error norm. The thesis and Hairer and Wanner stop at 0.1 to 0.01; where stiff
  /// directions turn, errors add up over the steps (double pendulum at 1e-5, Cartesian partition).
  double tolerance = 1e-3;
  int max_iterations = 10;
  JacobianPolicyOptions policy{.max_rate = 0.1, .max_coefficient_change = std::numeric_limits<double>::infinity()};
};

class StageEquations {
 public:
  using Vector = linalg::Vector;
  using VectorIn = linalg::VectorIn;
  using VectorOut = linalg::VectorOut;

  virtual ~StageEquations() = default;

  /// The method begins anew: the derivatives are no longer trusted. After the chart has changed, too.
  void note_restart() { policy_.note_restart(); }
  void note_accepted_step();

  /// Makes the matrix fit for stages of a step that begins at the state, which stays there during the step.
  [[nodiscard]] bool prepare(const dae::State& begin, const StageWeights& weights);
  /// Solves (1) at the time t. `known` is (w_*, w'_*, x_*), `unknown` is (w'', x'), first guessed, then solved for; the
  /// stage holds what is known of dependent coordinates, accelerations and reactions, first and afterwards.
  [[nodiscard]] bool solve(double t, VectorIn known, VectorOut unknown, dae::State& stage);
  /// In place: (I - c_v J)^-1 times an estimate of the error: the filter of (5.6) of the thesis.
  virtual void filter(VectorOut error) = 0;

  virtual void add_counts(Statistics& statistics) const = 0;
  /// In words, how derivatives are had.
  virtual std::string describe() const = 0;
  /// Why prepare() or solve() returned false.
  std::string describe_trouble();

 protected:
  StageEquations(const MethodContext& context, ReducedEquations& equations, const StageOptions& options);

  /// Derivatives at a complete state.
  virtual bool eval_derivatives(const dae::State& at) = 0;
  virtual bool factor(const StageWeights& weights) = 0;
  /// One correction of `unknown`, which is left in correction_. False when it cannot be made.
  virtual bool correct(VectorOut unknown, dae::State& stage) = 0;

  /// y of (1) into y_.
  void set_y(VectorIn unknown);

  MethodContext context_;
  ReducedEquations& equations_;
  dae::Evaluation& evaluation_;
  int n_v_, n_w_, n_x_, m_;
  StageWeights weights_;
  double t_ = 0;
  Vector known_, y_, correction_;
  bool is_first_ = true;  // iteration of a stage

 private:
  bool renew(RenewalCause cause, const dae::State& at);
  bool renew_at_guess();
  double calc_correction_norm();

  StageOptions options_;
  JacobianPolicy policy_;
  const dae::State* begin_ = nullptr;
  bool is_factored_ = false;
  bool is_singular_ = false;
  math::NewtonOutcome outcome_;
  Vector guess_, scaled_;
  dae::State stage_guess_, point_;
};

/// How the residual of (1) is had.
enum class ResidualKind {
  kStateSpace,  ///< P^T (M a - f) with a = P w'' + Z bias: the state-space method of the thesis, 3.2
  kFirstOrder,  ///< w'' minus that of the equations of accelerations: its first-order reduction, 3.4
};

/// Newton's iteration with the matrix of integration_jacobian.h.
class ReducedStage final : public StageEquations {
 public:
  ReducedStage(const MethodContext& context, ReducedEquations& equations, ResidualKind residual, JacobianKind jacobian,
               const StageOptions& options);

  void filter(VectorOut error) override { jacobian_.solve_shifted(error); }
  void add_counts(Statistics& statistics) const override { jacobian_.add_counts(statistics); }
  std::string describe() const override { return "integration Jacobian " + jacobian_.describe(); }

 private:
  bool eval_derivatives(const dae::State& begin) override { return jacobian_.eval(begin); }
  bool factor(const StageWeights& weights) override { return jacobian_.factor(weights); }
  bool correct(VectorOut unknown, dae::State& stage) override;
  bool eval_balance(VectorIn unknown, dae::State& stage);

  ResidualKind residual_;
  IntegrationJacobian jacobian_;
  Vector balance_, work_;
};

}  // namespace trammel::integrators
