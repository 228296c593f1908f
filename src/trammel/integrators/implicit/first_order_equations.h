#pragma once

// The equations of step_equations.h with w = 0 and c_q = c_v^2, kept in first-order form: unknowns are q, v, lambda, x.
//
//   q' = (q - q_*)/c_v,   v' = (v - v_*)/c_v,   x' = (x - x_*)/c_x                                                  (1)
//   (M v' + G^T lambda - f)(t, q, v, lambda, x) = 0                                                                 (2)
//   q' - v = 0                                                                                                      (3)
//   g(t, q) = 0,   nonholonomic rows of G v + g_t = 0                                                               (4)
//   d(x', x, t, q, v, v', lambda) = 0                                                                               (5)
//
// The discretisation is the same, Newton's matrix is not:
//
//   [ K      M/c_v - f_v   G^T - f_lambda ]   (2)
//   [ I/c_v  -I            0              ]   (3)
//   [ G      0             0              ]   (4)   with K = d(M v' + G^T lambda - f)/dq
//
// is twice as large and its condition grows without bound as h -> 0. This is what the classical codes on the index-3
// equations factorise (GSTIFF); it is here to be compared with. Systems with q' = v only.
// Theory: docs/theory/bdf-i3.md, section 3.

#include <string>
#include <vector>

#include "trammel/integrators/implicit/step_equations.h"

namespace trammel::integrators {

/// Used as StepEquations is.
class FirstOrderEquations {
 public:
  using Vector = linalg::Vector;

  /// Keeps references; the norm measures corrections.
  FirstOrderEquations(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options);

  void note_restart() { policy_.note_restart(); }
  void set_begin(const dae::State& begin) { q_0_ = begin.q; }
  void set_known(double t, linalg::VectorIn displacement, linalg::VectorIn v, linalg::VectorIn x);
  void set_prediction(linalg::VectorIn a, linalg::VectorIn lambda, linalg::VectorIn x_rate);

  /// Of the coefficients c_v and c_x are used.
  bool solve(const StepCoefficients& coefficients, const CorrectionScale& scale);
  const dae::State& trial() const { return trial_; }
  const math::NewtonOutcome& newton() const { return outcome_; }
  void note_accepted_step();

  double calc_rcond(const StepCoefficients& coefficients);
  void add_counts(Statistics& statistics) const { statistics.linear += solver_.counts(); }
  std::string describe_trouble();

 private:
  /// A derivative and where it stands in the matrix.
  struct Term {
    dae::Derivative which;
    int row, column;
    const linalg::Pattern* pattern;
  };
  std::vector<Term> make_terms() const;
  kkt::Layout make_layout() const;
  void predict_trial();
  void update_rates();
  bool renew(RenewalCause cause);
  kkt::BlockValues eval_term(const Term& term);
  double correct(const CorrectionScale& scale);
  double round_off(const CorrectionScale& scale);

  MethodContext context_;
  dae::Evaluation& evaluation_;
  const ErrorNorm& norm_;
  StepEquationsOptions options_;
  int n_v_, n_x_, m_, n_g_;
  linalg::PatternPart velocity_by_q_;  // nonholonomic rows of d(G v + g_t)/dq
  linalg::PatternPart jacobian_of_v_;  // nonholonomic rows of G: their columns are those of v
  linalg::Pattern diagonal_;
  std::vector<Term> terms_;
  kkt::Solver solver_;
  JacobianPolicy policy_;
  StepCoefficients c_;
  dae::State trial_;
  Vector q_0_, displacement_, v_known_, x_known_;
  Vector a_predicted_, lambda_predicted_, x_rate_predicted_;
  Vector q_known_;  // q_* of (1)
  Vector ones_;
  Vector dq_, dv_, dx_;   // of a correction
  Vector upper_, lower_;  // (2), (3), (5) and (4)
  std::vector<kkt::BlockValues> values_;
  math::NewtonOutcome outcome_;
  linalg::FactorStatus factors_{.ok = true};
};

}  // namespace trammel::integrators
