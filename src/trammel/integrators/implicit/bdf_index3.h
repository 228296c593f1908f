#pragma once

// Backward differentiation formulas of orders 1 to 6 with fixed leading coefficient on the index-3 equations. With the
// prediction y_p, y'_p of the history for y = (q, v, x) and its c_j (bdf_history.h), the end of a step satisfies
//
//   q'_p + c_j (q - q_p) = v + s,   v'_p + c_j (v - v_p) = a,   x'_p + c_j (x - x_p) = x'                           (1)
//   M a + G^T lambda = f,   g(t, q) = 0,   d(x', x, t, q, v, a, lambda) = 0                                         (2)
//
// Solved for q, v and x, (1) is what step_equations.h wants:
//
//   v = C_v + a/c_j,   C_v = v_p - v'_p/c_j;    q = C_q + a/c_j^2,   C_q = q_p + (C_v + s - q'_p)/c_j               (3)
//
// After the step the velocities are projected on their constraints, and as such they go into the history. s is what
// the formula of q is wrong by across the constraints, D N v^(k) with D of the history and N the part of a vector
// across the constraints in the mass metric: without it v would miss its constraints by O(h^k), and that jumps with
// every change of step and order. Accelerations and reactions for users come from the index-1 equations.
// Theory: docs/theory/bdf-i3.md.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/integrators/implicit/bdf_history.h"
#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/method.h"

namespace trammel::integrators {

/// Which unknowns (1) and (2) are solved for.
enum class BdfForm {
  kSecondOrder,  ///< accelerations: (3)
  kFirstOrder,   ///< positions and velocities: first_order_equations.h
};

struct BdfOptions {
  int max_order = 5;         ///< 1 to 6
  bool fixed_order = false;  ///< the order climbs by one each step to max_order and stays
  BdfForm form = BdfForm::kSecondOrder;
  bool judges_velocities = true;     ///< whether the error is also that of the velocities
  bool projects = true;              ///< velocities are projected, and s of (1) is used; s = 0 otherwise
  bool consistent_reactions = true;  ///< a and lambda from the index-1 equations, or those of (2)
  StepEquationsOptions equations;
  /// The solution before the start, for tests: q, v and x at the first step's distances, and the largest order at once.
  std::function<dae::State(double t)> past;
};

class BdfIndex3 final : public Method {
 public:
  /// The system has q' = v.
  BdfIndex3(const MethodContext& context, const BdfOptions& options);

  void start(const dae::State& state) override;
  StepOutcome attempt(double h) override;
  void accept() override;
  bool undo() override;
  const dae::State& state() const override { return state_; }
  void interpolate(double t, dae::State& out) override;
  int dense_degree() const override;
  int order() const override { return control_.order; }
  std::optional<double> propose_step() const override { return h_next_; }
  void add_counts(Statistics& statistics) const override { equations_->add_counts(statistics); }
  std::string describe_trouble() override;

  /// Reciprocal condition of the matrix near the last trial, for a step of size h and the present order.
  double calc_rcond(double h);

 private:
  using Vector = linalg::Vector;

  /// What decides on order and step besides the errors.
  struct Control {
    int order = 1;       // of the next attempt
    int last_order = 0;  // of the last accepted step; 0: there is none
    double last_h = 0;
    int steady = 0;      // accepted steps in a row with last_order and last_h
    bool climbs = true;  // the first steps: order and step grow together
  };
  struct Choice {
    int order;
    double estimate;  // weighted error of a step of the same size with this order
  };

  void polish_state();
  void begin_history(double h);
  void fill_from_past(double h);
  void set_known();
  bool solve();
  bool complete();
  void set_across(Vector& derivative);
  double calc_size(int order);
  Choice choose_order(double size, int steady);
  void choose_next(double h, double size);

  MethodContext context_;
  dae::Evaluation& evaluation_;
  BdfOptions options_;
  int n_v_, n_x_, m_, n_g_, n_y_;  // n_y: of (q, v, x)
  bool shifts_;                    // whether s of (1) may differ from zero
  std::unique_ptr<ImplicitStep> equations_;
  BdfHistory history_;          // of (q, v, x, a, lambda, x'); the last three only start Newton's iteration
  std::vector<int> algebraic_;  // states that occur without their rate
  Control control_, before_;    // now, and before the last accepted step
  Control accepted_;            // what becomes of it when the attempt is accepted
  dae::State begin_, state_, trial_;
  Vector predicted_, rate_, stacked_, error_, work_;
  Vector known_, known_v_, known_x_;
  Vector across_, across_before_, across_next_;  // N v^(k) of (1) for the order of control_, before_ and accepted_
  Vector upper_, lower_;
  std::optional<double> h_next_;
  int failures_ = 0;  // attempts in a row that came to nothing
  bool begin_is_set_ = false;
  kkt::AccelerationStatus trouble_ = kkt::AccelerationStatus::kSolved;
  bool newton_failed_ = false;
};

}  // namespace trammel::integrators
