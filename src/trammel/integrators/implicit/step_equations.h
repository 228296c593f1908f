#pragma once

// The equations that an implicit method solves at the end of a step, with accelerations as unknowns (index 3):
//
//   q = retract(q_0, d + c_q a),   v = v_* + c_v a,   x = x_* + c_x x'                                           (1)
//   (M a + G^T lambda - f)(t, q, v, lambda, x) + w (M_0 a + (G^T lambda - f)_0) = 0                              (2)
//   g(t, q) / c_q = 0,   nonholonomic rows of (G v + g_t) / c_v = 0                                              (3)
//   d(x', x, t, q, v, a, lambda) = 0                                                                             (4)
//
// The unknowns are a, lambda and x'. The formula of the method gives c_q ~ h^2, c_v ~ h, c_x ~ h, the known parts d,
// v_*, x_*, and w, the weight of the terms at the begin of the step (HHT: w = -alpha/(1 + alpha)).
//
// Newton's matrix is [M + w M_0 - c_v f_v + c_q K, G^T - f_lambda; G, 0] with the rows and columns of the states, where
// K = d(M a + G^T lambda - f)/dq. Dividing the constraints by c_q keeps its condition bounded as h -> 0. On rotations
// the tangent of the exponential map is taken as the identity in it: an error of O(h) in the matrix, none in (1)-(4).
// Theory: docs/theory/hht.md, section 2.

#include <vector>

#include "trammel/integrators/implicit/implicit_step.h"

namespace trammel::integrators {

class StepEquations final : public ImplicitStep {
 public:
  StepEquations(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options);

  /// q_0 of (1), and M_0 and (G^T lambda - f)_0 of (2).
  void set_begin(const dae::State& begin) override;

  /// In place: u of the matrix that is factorised, with the right side (r, 0, 0).
  void filter(Vector& r);

 private:
  void predict_trial() override;
  void eval_matrix() override;
  bool correct(const CorrectionScale& scale) override;

  std::vector<Term> make_terms() const;
  kkt::Layout make_layout() const;
  void update_trial();
  kkt::BlockValues eval_term(const Term& term);

  bool constant_mass_;
  linalg::PatternPart nonholonomic_;  // rows of d(G v + g_t)/dq
  std::vector<Term> terms_;
  Vector mass_0_, balance_0_;  // of the begin of the step
  Vector delta_;               // displacement of a correction
  Vector upper_, lower_;
};

}  // namespace trammel::integrators
