#pragma once

// Newmark's formulas in independent coordinates; beta = 1/4 and gamma = 1/2 make them the trapezoidal rule:
//
//   w_1 = w_0 + h w'_0 + h^2 ((1/2 - beta) w''_0 + beta w''_1),   w'_1 = w'_0 + h ((1 - gamma) w''_0 + gamma w''_1) (1)
//
// and likewise x with gamma: (1) of stage_equations.h with c_q = beta h^2, c_v = c_x = gamma h. w''_0 is that of the
// formula of the last step, carried as accelerations of all coordinates across changes of the chart.
//
// The error is that against the backward Euler formula, y_1 - (y_0 + h y'_1) with the rates of (1) (thesis 4.1), of
// order 1, so that results are better than the tolerance; or the third difference
// that estimates the local error of (1) itself, which then makes a global error of tol^(2/3).
// Theory: docs/theory/state-space.md, section 6.

#include "trammel/integrators/state_space/sdirk_method.h"

namespace trammel::integrators {

enum class ErrorEstimate { kBackwardEuler, kThirdDifference };

struct NewmarkFormula {
  double beta = 0.25, gamma = 0.5;
  ErrorEstimate estimate = ErrorEstimate::kBackwardEuler;
};

/// The option 'estimate', and gamma and beta.
MethodOptionInfo estimate_option();
MethodOptionInfo gamma_option();
MethodOptionInfo beta_option();
/// What a user chose; without gamma and beta among the options of the method, the trapezoidal rule.
NewmarkFormula read_newmark_formula(const MethodEntry& entry, const MethodOptions& options);

class NewmarkMethod final : public StateSpaceMethod {
 public:
  NewmarkMethod(const MethodContext& context, const NewmarkFormula& formula, Formulation formulation,
                const StateSpaceOptions& options);

  void start(const dae::State& state) override;
  int order() const override { return uses_third_difference() ? 2 : 1; }
  int dense_degree() const override { return 3; }
  void add_counts(Statistics& statistics) const override { stages_->add_counts(statistics); }

 private:
  void begin_anew() override;
  bool advance(double h) override;
  void note_accepted() override;
  void interpolate_reduced(double theta, VectorOut y) override;
  std::string describe_advance() override { return stages_->describe_trouble(); }
  std::string describe_matrix() const override { return stages_->describe(); }

  void estimate_error(double h);
  /// Whether there is a step before the last that allows it.
  bool uses_third_difference() const { return formula_.estimate == ErrorEstimate::kThirdDifference && has_past_; }

  NewmarkFormula formula_;
  std::unique_ptr<StageEquations> stages_;
  Vector known_, unknown_, first_;  // first_: (w'', x') at the begin of the step
  Vector rate_begin_, rate_end_;    // y' of both ends by the formula, of the last accepted step
  Vector rate_0_, rate_1_;          // of the step that is tried
  Vector a_, x_rate_, work_;        // accelerations of all coordinates and x' by the formula
  double carried_t_ = 0;            // the time they belong to
  Vector slope_;                    // of y' over the last step
  double last_h_ = 0;
  bool has_carried_ = false;  // there are such
  bool has_past_ = false;
};

}  // namespace trammel::integrators
