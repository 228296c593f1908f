#pragma once

// The formulas of Newmark with the weighting of Hilber, Hughes and Taylor on the index-3 equations:
//
//   q_1 = retract(q_0, h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1)),   v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1) (1) (M
//   a + G^T lambda - f)_1 - alpha/(1 + alpha) (M_0 a_1 + (G^T lambda - f)_0) = 0,   g(t_1, q_1) = 0               (2)
//
// a_1 belongs to the time t_1 + alpha h. After a step (option after_step) the velocities are projected on their
// constraints and A_1, lambda_1 are computed from the index-1 equations at (q_1, v_1): these are what users get. The
// next step begins with
//
//   a_0 = A_0 + alpha h/h_last (A_0 - A_last),   lambda_0 of index 1 (3)
//
// which is what (2) gives at constant step, and free of ringing when the step changes. Extra states follow the same
// formula with their rates x'. Theory: docs/theory/hht.md.

#include <string>

#include "trammel/integrators/implicit/extrapolation.h"
#include "trammel/integrators/implicit/step_equations.h"
#include "trammel/integrators/method.h"

namespace trammel::integrators {

/// What happens between two steps.
enum class AfterStep {
  kProject,        ///< velocities are projected; accelerations and reactions from the index-1 equations
  kAccelerations,  ///< the latter alone
  kNothing,        ///< the unknowns of the formula are carried on and delivered: the bare scheme of the HHT paper
};

enum class ErrorMeasure {
  kAll,        ///< positions, velocities and states, in the common norm
  kPositions,  ///< positions and states
  kPaper,      ///< positions and states, each for itself, with the weights of the HHT paper
};

struct NewmarkOptions {
  double alpha = 0, beta = 0.25, gamma = 0.5;
  AfterStep after_step = AfterStep::kProject;
  ErrorMeasure error = ErrorMeasure::kAll;
  bool per_unit_step = false;  ///< the error of a step may be tolerance times h / (1 s)
  bool filters_error = true;   ///< stiff parts of the estimate are damped by the matrix of the step
  double rho = 0;              ///< of the paper's formula for extra states; 0: that of the velocities
  int max_predictor_degree = Extrapolation::kLargestDegree;
  StepEquationsOptions equations;
};

class NewmarkFamily final : public Method {
 public:
  NewmarkFamily(const MethodContext& context, const NewmarkOptions& options);

  void start(const dae::State& state) override;
  StepOutcome attempt(double h) override;
  void accept() override;
  bool undo() override;
  const dae::State& state() const override { return state_; }
  void interpolate(double t, dae::State& out) override;
  int dense_degree() const override { return 3; }
  int order() const override;
  std::optional<double> propose_step() const override { return h_next_; }
  void add_counts(Statistics& statistics) const override { equations_.add_counts(statistics); }
  std::string describe_trouble() override;

  const StepEquations& equations() const { return equations_; }

 private:
  using Vector = linalg::Vector;

  /// The numbers of the step that is tried.
  struct Formula {
    double alpha = 0, beta = 0.25, gamma = 0.5;
    double c_x = 0;       // x_1 = known + c_x x'_1
    double error_q = 0;   // local error of q: error_q h^3 q'''
    double error_v1 = 0;  // of v: error_v1 h^2 v'' + error_v h^3 v'''
    double error_v = 0;
  };
  void set_formula(double h);
  void set_known(double h);
  void predict(double h);
  bool complete();
  void correct_states();
  double calc_error(double h);
  void add_curvature(double h);
  double calc_error_of_paper(double h);
  void choose_next_step(double h, double error);
  Vector& stack(const dae::State& state);

  MethodContext context_;
  dae::Evaluation& evaluation_;
  NewmarkOptions options_;
  int n_v_, n_x_, m_;
  StepEquations equations_;
  Extrapolation past_;          // (a, lambda, x') of the accepted states
  Extrapolation deviation_;     // of the unknowns (a, lambda) of (2) from what the accepted states let expect, over h
  std::vector<int> algebraic_;  // states that occur without their rate
  std::vector<int> led_by_reactions_;  // states whose rate depends on a or lambda
  Formula formula_;
  dae::State begin_, state_, trial_;
  Vector a_begin_, rate_begin_, known_, known_v_, known_x_;
  Vector stacked_, deviations_, error_q_, error_v_, error_x_, work_;
  double h_ = 0;
  std::optional<double> h_next_;
  bool begin_is_set_ = false;
  bool was_rejected_ = false;
  double e_q_ = 0, e_x_ = 0;  // of the paper's measure
  double last_error_ = 0;     // of the last accepted step; 0: there is none
  kkt::AccelerationStatus trouble_ = kkt::AccelerationStatus::kSolved;
  bool newton_failed_ = false;
};

}  // namespace trammel::integrators
