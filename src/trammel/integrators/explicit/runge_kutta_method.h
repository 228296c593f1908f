#pragma once

// What methods with an explicit Runge-Kutta formula share. With y = (q, v, x) and k = (q', v', x'),
//
//   Y_i = y_0 + h sum_{j<i} a_ij k_j,   y_1 = y_0 + h sum_i b_i k_i,   error = h sum_i e_i k_i                 (1)
//
// A method says how the rates of a stage and the end of the step are computed. By default the rates come from the
// index-1 equations M a + G^T lambda = f, G a = bias at the stage. The last stage is the derivative at the end of the
// step and serves as the first of the next one.

#include <algorithm>

#include "trammel/integrators/method.h"
#include "trammel/integrators/tableaus/explicit_runge_kutta.h"

namespace trammel::integrators {

class RungeKuttaMethod : public Method {
 public:
  void start(const dae::State& state) override;
  StepOutcome attempt(double h) override;
  void accept() override;
  bool undo() override;
  const dae::State& state() const override { return state_; }
  int order() const override { return tableau_.embedded_order; }
  int dense_degree() const override {
    return std::max(tableau_.dense_degree, 3);
  }  // what was moved comes in by a cubic
  void interpolate(double t, dae::State& out) override;
  std::string describe_trouble() override;

 protected:
  using Vector = linalg::Vector;

  /// The tableau must have its last stage at the end of the step.
  RungeKuttaMethod(const MethodContext& context, const ExplicitRungeKutta& tableau);

  /// Rates of the stages between the first and the last.
  virtual bool eval_stages();
  /// The end of the step into trial_, complete and with its rates in the last stage; what was moved there besides (1)
  /// into moved_.
  virtual bool eval_end() = 0;
  /// a, lambda and x' at the point of the evaluation, whose position is factorised.
  virtual kkt::AccelerationStatus solve_accelerations();
  /// What a method does to the embedded estimate.
  virtual void correct_estimate() {}

  int last_stage() const { return tableau_.stages - 1; }
  /// a_ij h.
  double weight(int i, int j) const;
  double calc_stage_time(int i) const;
  /// (t, q, v, x) of stage i into trial_.
  void set_trial(int i);
  /// k_i = (q', v', x') at a complete state.
  void set_stage(int i, const dae::State& s);
  /// Completes trial_ at its own position; or at one where the evaluation stands and is factorised already.
  bool eval_trial();
  bool eval_accelerations();
  /// Moves the end of the step onto the position constraints, with the matrix that is factorised.
  bool project_position();
  /// What distinguishes trial_ from y_trial_, which is then the same.
  void note_moved();

  const ExplicitRungeKutta& tableau_;
  MethodContext context_;
  dae::Evaluation& evaluation_;
  const int n_q_, n_v_, n_x_;
  dae::State begin_, state_, trial_;  // begin and end of the last accepted step, and the step that is tried
  Vector y_begin_, y_, y_trial_;      // the same as (q, v, x)
  Eigen::MatrixXd stages_;            // k_i = (q', v', x'), one column each
  Vector error_, moved_;              // embedded estimate, what was moved besides (1)
  double h_ = 0;
  kkt::AccelerationStatus trouble_ = kkt::AccelerationStatus::kSolved;

 private:
  void split(const Vector& y, dae::State& s) const;
  double calc_error();
  double calc_norm(const Vector& y) const;

  Vector dense_;                     // interpolated solution
  bool carries_last_stage_ = false;  // the last stage becomes the first at the next attempt
  bool projection_failed_ = false;
};

}  // namespace trammel::integrators
