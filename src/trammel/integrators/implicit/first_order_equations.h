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

#include <vector>

#include "trammel/integrators/implicit/implicit_step.h"

namespace trammel::integrators {

/// Of the coefficients, c_v and c_x are used.
class FirstOrderEquations final : public ImplicitStep {
 public:
  FirstOrderEquations(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options);

  void set_begin(const dae::State& begin) override { q_0_ = begin.q; }

 private:
  void predict_trial() override;
  void eval_matrix() override;
  bool correct(const CorrectionScale& scale) override;

  std::vector<Term> make_terms() const;
  kkt::Layout make_layout() const;
  void update_rates();
  kkt::BlockValues eval_term(const Term& term);

  linalg::PatternPart velocity_by_q_;  // nonholonomic rows of d(G v + g_t)/dq
  linalg::PatternPart jacobian_of_v_;  // nonholonomic rows of G: their columns are those of v
  linalg::Pattern diagonal_;
  std::vector<Term> terms_;
  Vector q_known_;  // q_* of (1)
  Vector ones_;
  Vector upper_, lower_;  // (2), (3), (5) and (4)
};

}  // namespace trammel::integrators
