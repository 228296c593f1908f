#pragma once

// The end of an implicit step on the stabilised index-2 equations of Gear, Gupta and Leimkuhler:
//
//   q' = (q - q_*)/c,   v' = (v - v_*)/c,   x' = (x - x_*)/c                                                        (1)
//   M v' + G^T lambda - f(t, q, v, lambda, x) = 0                                                                   (2)
//   q' - v + H^T mu = 0,   H the holonomic rows of G                                                                (3)
//   d(x', x, t, q, v, v', lambda) = 0                                                                               (4)
//   g(t, q) = 0                                                                                                     (5)
//   G v + g_t = 0                                                                                                   (6)
//
// Newton's matrix for changes of (v, q, x, mu, lambda), with K = d(M v' + G^T lambda - f)/dq, is
//
//   [ M/c - f_v      K                  -f_x         0    G^T - f_lambda ]   (2)
//   [ -I             I/c + (H^T mu)_q   0            H^T  0              ]   (3)
//   [ d_v + d_v'/c   d_q                d_x + d_x'/c 0    d_lambda       ]   (4)
//   [ 0              H                  0            0    0              ]   (5)
//   [ G              (G v + g_t)_q      0            0    0              ]   (6)
//
// What becomes of the multipliers makes four iterations of it (docs/theory/coordinate-split.md): they are unknowns like
// the others (GGL), start from their pseudo-inverse at the prediction (GGL*), or are the pseudo-inverse
//
//   lambda = Z^T (f - M v'),   mu = Z_H^T (v - q')                                                                  (7)
//
// at every iterate, so that (2) and (3) say P(q) (M v' - f) = 0 and P(q) (q' - v) = 0: the coordinate split (CS), and
// without the terms of lambda and mu in the matrix its modification (CM). Systems with q' = v.

#include <optional>
#include <vector>

#include "trammel/integrators/implicit/coordinate_split.h"
#include "trammel/integrators/implicit/implicit_step.h"

namespace trammel::integrators {

enum class MultiplierUse {
  kUnknowns,    ///< predicted and iterated
  kReset,       ///< by (7) at the prediction, then iterated; not counted
  kEliminated,  ///< by (7) always
};

/// Where the P is taken that eliminates the multipliers.
enum class SplitPoint {
  kIterate,     ///< at the iterate: (2) and (3) are solved
  kPrediction,  ///< at the prediction of the step
  kMatrix,      ///< where the matrix was evaluated, maybe many steps ago: other equations than (2) and (3)
};

struct StabilisedOptions {
  MultiplierUse multipliers = MultiplierUse::kUnknowns;
  SplitPoint split_point = SplitPoint::kIterate;  ///< of eliminated multipliers
  bool differentiates_reactions = true;           ///< whether the matrix has the terms of lambda and mu
  bool counts_multipliers = false;                ///< unknowns, in the size of corrections, as DASSL does
  bool counts_velocities = true;                  ///< in the size of corrections
  kinematics::ParametrisationKind split = kinematics::ParametrisationKind::kPartitioning;
  double max_condition_growth = 1.25;  ///< of the split, before another is chosen
  StepEquationsOptions newton;
};

/// Of the coefficients, c_v = c_x are used.
class StabilisedEquations final : public ImplicitStep {
 public:
  StabilisedEquations(const MethodContext& context, const ErrorNorm& norm, const StabilisedOptions& options);

  /// The end of the step and q_*, v_*, x_* of (1).
  void set_past(double t, linalg::VectorIn q, linalg::VectorIn v, linalg::VectorIn x);
  /// Where the iteration starts.
  void set_start(linalg::VectorIn q, linalg::VectorIn v, linalg::VectorIn x, linalg::VectorIn lambda,
                 linalg::VectorIn mu);

  /// mu of the last iterate.
  const Vector& mu() const { return mu_; }
  /// How the coordinates are split; null where multipliers are unknowns.
  CoordinateSplit* split() { return split_ ? &*split_ : nullptr; }
  std::string describe_trouble() override;

 private:
  void predict_trial() override;
  void eval_matrix() override;
  bool correct(const CorrectionScale& scale) override;
  double measure_correction() override;

  std::vector<Term> make_terms() const;
  kkt::Layout make_layout() const;
  kkt::BlockValues eval_term(const Term& term);
  void update_rates();
  void renew_split(bool may_choose);
  void calc_imbalance();
  void reset_multipliers();

  StabilisedOptions settings_;
  std::optional<CoordinateSplit> split_;
  bool split_is_regular_ = true;
  bool split_is_of_trial_ = false;
  linalg::PatternPart holonomic_;  // H
  linalg::Pattern holonomic_transposed_, diagonal_;
  std::vector<Term> terms_;
  double c_of_matrix_ = 1;
  Vector q_known_, q_start_, v_start_, x_start_, lambda_start_, mu_start_;
  Vector mu_, mu_of_all_;  // the second with zeros for rows that are not holonomic
  Vector dlambda_, dmu_;
  Vector ones_, reaction_by_mu_;
  Vector upper_, lower_;  // (2) to (5), and (6)
};

}  // namespace trammel::integrators
