#pragma once

// The equations of a stage in descriptor form (thesis 3.3): the unknowns are all accelerations, reactions and x',
//
//   M a + G^T lambda = f,   G a = bias,   d(x', x, t, q, v, a, lambda) = 0                                          (1)
//
// at the position and velocity that follow from Y^T a by (1) of stage_equations.h and the constraints. Newton's matrix
//
//   [ M - c_v f_v + c_q K         G^T - f_lambda ]        K = (M a)_q + (G^T lambda)_q - f_q
//   [ G - c_v bias_v + c_q A      0              ]        A = (G a - bias)_q                                        (2)
//
// with the rows and columns of x has the pattern of the system, whatever the chart: one symbolic analysis serves a run.
// It takes positions and velocities as following from all accelerations, which is so up to terms of the order of h,
// since corrections of accelerations keep the constraints to that order; the thesis has them follow from the
// independent ones alone, which fills those columns (docs/theory/state-space.md, section 4). What accelerations miss of
// G a = bias is put right by Z in every iteration.

#include <vector>

#include "trammel/integrators/state_space/stage_equations.h"

namespace trammel::integrators {

class DescriptorStage final : public StageEquations {
 public:
  DescriptorStage(const MethodContext& context, ReducedEquations& equations, const StageOptions& options);

  void filter(VectorOut error) override;
  void add_counts(Statistics& statistics) const override {
    statistics.linear += solver_.counts();
    statistics.step_solver = kkt::to_string(solver_.back_end());
  }
  std::string describe() const override { return "sparse matrix of accelerations and reactions"; }

 private:
  /// A derivative, where it stands in the matrix, and what its columns are multiplied by.
  struct Term {
    dae::Derivative which;
    int row, column;
    double sign;
    double StageWeights::*weight;  // null: one
    Vector values;
  };

  bool eval_derivatives(const dae::State& begin) override;
  bool factor(const StageWeights& weights) override;
  bool correct(VectorOut unknown, dae::State& stage) override;

  std::vector<Term> make_terms() const;
  kkt::Layout make_layout() const;

  std::vector<Term> terms_;
  kkt::Solver solver_;
  std::vector<kkt::BlockValues> values_;
  Vector mass_, constraint_;  // values of M and G
  Vector upper_, lower_, lambda_step_, work_;
  Vector along_q_, along_v_;
};

}  // namespace trammel::integrators
