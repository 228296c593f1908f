#pragma once

// Explicit Runge-Kutta formulas in independent coordinates, y = (w, w', x), y' = F(t, y) of reduced_equations.h:
//
//   y_i = y_0 + h sum_{j<i} a_ij k_j,   k_i = F(t_0 + c_i h, y_i),   y_1 = y_0 + h sum_i b_i k_i                   (1)
//
// Positions and velocities of all coordinates are predicted by (1), too, where dependent ones are then looked for. The
// last stage is the derivative at the end of the step, which is known there anyway and begins the next step. Stages
// that only the solution inside of the step needs are evaluated when it is asked for.
// Theory: docs/theory/state-space.md, section 8.

#include "trammel/integrators/state_space/state_space_method.h"
#include "trammel/integrators/tableaus/explicit_runge_kutta.h"

namespace trammel::integrators {

class ExplicitMethod final : public StateSpaceMethod {
 public:
  /// The tableau must have its last stage at the end of the step.
  ExplicitMethod(const MethodContext& context, const ExplicitRungeKutta& tableau, const StateSpaceOptions& options);

  int order() const override { return tableau_.error_order(); }
  int dense_degree() const override { return tableau_.dense_degree; }

 private:
  bool advance(double h) override;
  void predict_trial() override;
  double calc_error() override;
  void note_accepted() override { inside_ = Inside::kNotAsked; }
  void interpolate_reduced(double theta, VectorOut y) override;

  enum class Inside { kNotAsked, kKnown, kFailed };

  double a(int i, int j) const { return tableau_.a[static_cast<std::size_t>(i * tableau_.all_stages() + j)]; }
  double c(int i) const { return tableau_.c[static_cast<std::size_t>(i)]; }
  /// sum += h sum_{j<i} a_ij K_j with one column of K a stage.
  void add_stages(int i, double h, const Eigen::MatrixXd& columns, VectorOut sum) const;
  /// k_i, with y_i made of the begin of the step (complete).
  bool eval_stage(int i, double h, VectorIn y, const dae::State& begin);
  void note_stage(int i, const dae::State& stage);
  /// The stages that only interpolation needs.
  bool eval_inside();

  const ExplicitRungeKutta& tableau_;
  Eigen::MatrixXd rates_;                // k_i, one column each
  Eigen::MatrixXd v_stages_, a_stages_;  // of all coordinates
  Vector estimate_;                      // the second one
  Inside inside_ = Inside::kNotAsked;
};

}  // namespace trammel::integrators
