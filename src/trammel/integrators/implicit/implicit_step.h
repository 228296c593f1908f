#pragma once

// What the equations of a step have in common, whatever their unknowns are: Newton's iteration with a matrix that is
// kept while it serves, renewals by cause, messages.

#include <optional>
#include <string>
#include <vector>

#include "trammel/integrators/jacobian_policy.h"
#include "trammel/integrators/method.h"
#include "trammel/kkt/solver.h"

namespace trammel::integrators {

/// MethodEntry::largest_step_share of implicit methods: a hundred steps are cheap, and find most of what happens.
inline constexpr double kImplicitStepShare = 0.01;

/// Which matrix Newton's iteration works with.
enum class NewtonKind {
  kModified,  ///< exact when it was evaluated, kept while it serves
  kFull,      ///< exact and new at every iteration
  kQuasi,     ///< kept, and without the derivatives of M a and G^T lambda
};

/// The numbers of (1) and (2) of step_equations.h.
struct StepCoefficients {
  double c_q = 0, c_v = 0, c_x = 0;
  double w = 0;
};

/// A correction (da, dx') counts as the error norm of (q c_q da, v c_v da, x c_x dx').
struct CorrectionScale {
  double q = 1, v = 1, x = 1;
};

/// From the word of the option `newton`: modified, full or quasi.
NewtonKind read_newton_kind(const std::string& word);

struct StepEquationsOptions {
  NewtonKind newton = NewtonKind::kModified;
  /// A rate of 0.1 instead of 0.3 saves a third of the iterations on stiff cases (double pendulum at 1e-6: 2.3 a step
  /// instead of 3.4) for as many more matrices (0.18 instead of 0.11), and changes little elsewhere.
  JacobianPolicyOptions policy{.max_rate = 0.1};
  int max_iterations = 10;
  bool forecasts = true;    ///< gives up early: math::NewtonOptions
  double tolerance = 1e-3;  ///< of the distance to the solution, by CorrectionScale
  /// Of the matrix, where accelerations and reactions are its unknowns; back ends that need symmetry or the mass matrix
  /// alone leave it to LU.
  kkt::SolverOptions linear;
};

class ImplicitStep {
 public:
  using Vector = linalg::Vector;

  virtual ~ImplicitStep() = default;

  /// The method begins anew: the matrix is no longer trusted.
  void note_restart() { policy_.note_restart(); }
  /// The state at the begin of the step, complete; for equations that need it.
  virtual void set_begin(const dae::State& /*begin*/) {}
  /// What is known of displacement, velocity and states at the end of the step, and its time: d, v_*, x_* of
  /// step_equations.h.
  void set_known(double t, linalg::VectorIn displacement, linalg::VectorIn v, linalg::VectorIn x);
  /// Where the iteration starts.
  void set_prediction(linalg::VectorIn a, linalg::VectorIn lambda, linalg::VectorIn x_rate);

  /// Solves the equations into trial(). An old matrix is renewed before the iteration is given up.
  bool solve(const StepCoefficients& coefficients, const CorrectionScale& scale);
  /// The last iterate, with a, lambda and x' of the equations.
  const dae::State& trial() const { return trial_; }
  /// Iterations, rate and size of the last correction.
  const math::NewtonOutcome& newton() const { return outcome_; }
  void note_accepted_step();

  /// Factorises the matrix with these numbers at the trial and estimates its reciprocal condition.
  double calc_rcond(const StepCoefficients& coefficients);
  void add_counts(Statistics& statistics) const {
    statistics.linear += solver_->counts();
    statistics.step_solver = kkt::to_string(solver_->back_end());
  }
  /// Why solve() returned false, in words.
  virtual std::string describe_trouble();

 protected:
  /// A derivative and where it stands in the matrix.
  struct Term {
    dae::Derivative which;
    int row, column;
    const linalg::Pattern* pattern;
  };

  /// Keeps references; the norm measures corrections.
  ImplicitStep(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options);

  /// The trial by the prediction.
  virtual void predict_trial() = 0;
  /// Values of the blocks of the matrix at the trial, into values_.
  virtual void eval_matrix() = 0;
  /// One correction, by which the trial moves; into dq_, dv_ and dx_ goes what it is measured by. False when it is not
  /// finite.
  virtual bool correct(const CorrectionScale& scale) = 0;
  /// The size of a correction.
  virtual double measure_correction() { return norm_.calc(dq_, dv_, dx_); }

  MethodContext context_;
  dae::Evaluation& evaluation_;
  const ErrorNorm& norm_;
  StepEquationsOptions options_;
  int n_v_, n_x_, m_, n_g_;
  std::optional<kkt::Solver> solver_;  // made by the equations, which know the layout
  StepCoefficients c_;
  dae::State trial_;
  Vector q_0_;                               // of the begin of the step
  Vector displacement_, v_known_, x_known_;  // by set_known()
  Vector a_predicted_, lambda_predicted_, x_rate_predicted_;
  Vector dq_, dv_, dx_;  // of a correction
  std::vector<kkt::BlockValues> values_;

 private:
  bool renew(RenewalCause cause);
  double round_off(const CorrectionScale& scale);
  bool is_at_round_off() const;

  JacobianPolicy policy_;
  math::NewtonOutcome outcome_;
  linalg::FactorStatus factors_{.ok = true};
};

}  // namespace trammel::integrators
