#pragma once

// Steps of backward differentiation formulas of variable step and order, whatever the equations are: the history of
// y = (q, v, x), prediction, the choice of order and step, starts and interpolation. What is solved at the end of a
// step, with the derivatives
//
//   y'(t) = y'_p + c_j (y(t) - y_p)                                                                                 (1)
//
// of bdf_history.h, is the business of derived classes: the index-3 equations (bdf_index3.h), stabilised ones of
// index 2 (bdf_stabilised.h). Systems with q' = v.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trammel/integrators/implicit/bdf_history.h"
#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/method.h"

namespace trammel::integrators {

/// How the errors of orders and steps become the next step.
struct BdfRules {
  /// Those of DASSL (Brenan, Campbell and Petzold 1996, section 5.2), to be compared with.
  static BdfRules dassl();

  /// The next step aims at an error of 1/aim. Of 2 (as in DASSL) to 6 on five cases at 1e-4, 1e-6 and 1e-8, 4 halves
  /// the rejected steps of 2 (seven-body mechanism at 1e-6: 3.8 percent) and costs 8 percent more steps.
  double aim = 4;
  /// A step grows by this at least, or not at all. DASSL's 2 costs 15 to 25 percent more steps than 1.2 on the same
  /// cases, and 1.2 a fifth more matrices.
  double worth_growing = 1.2;
  bool grows_in_steady_state_only = true;     ///< after more steps of the same size and order than the order
  bool lowers_order_after_rejection = false;  ///< to what the errors say; otherwise the order waits for a good step
};

struct BdfOptions {
  int max_order = 5;              ///< 1 to 6
  bool fixed_order = false;       ///< the order climbs by one each step to max_order and stays
  bool judges_velocities = true;  ///< whether the error is also that of the velocities
  BdfRules rules;
  StepEquationsOptions equations;
  /// The solution before the start, for tests: q, v and x at the first step's distances, and the largest order at once.
  std::function<dae::State(double t)> past;
};

class BdfMethod : public Method {
 public:
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

 protected:
  using Vector = linalg::Vector;

  /// Takes the equations; `more` numbers of them are predicted beside a, lambda and x'.
  BdfMethod(const MethodContext& context, const BdfOptions& options, std::unique_ptr<ImplicitStep> equations,
            int more = 0);

  /// Solves the equations at trial_.t, starting from predicted_; predicted_ and rate_ are set.
  virtual bool solve() = 0;
  /// Completes trial_, whose q, v, x solve the equations; x follows the position already. False: trouble_ says why.
  virtual bool complete() = 0;
  /// Weighted size of a deviation of (q, v, x); what does not count in it is set to zero.
  virtual double measure(Vector& deviation) = 0;
  /// What the equations predict besides a, lambda and x', after they were solved.
  virtual void store_more(Eigen::Ref<Vector> /*more*/) const {}
  /// The method begins at state_; its history is made up.
  virtual void note_begin() {}
  /// The trial was judged, and order and size of the next step are known.
  virtual void note_judged() {}

  // Parts of predicted_ and of the history's values, which are (q, v, x, a, lambda, x', more).
  auto predicted_q() const { return predicted_.head(n_v_); }
  auto predicted_v() const { return predicted_.segment(n_v_, n_v_); }
  auto predicted_x() const { return predicted_.segment(2 * n_v_, n_x_); }
  auto predicted_a() const { return predicted_.segment(n_y_, n_v_); }
  auto predicted_lambda() const { return predicted_.segment(n_y_ + n_v_, m_); }
  auto predicted_x_rate() { return predicted_.segment(n_y_ + n_v_ + m_, n_x_); }
  auto predicted_more() const { return predicted_.tail(n_more_); }

  /// The order of the next step if the trial is accepted.
  int next_order() const { return accepted_.order; }

  MethodContext context_;
  dae::Evaluation& evaluation_;
  int n_v_, n_x_, m_, n_g_, n_y_, n_more_;  // n_y: of (q, v, x)
  std::unique_ptr<ImplicitStep> equations_;
  BdfHistory history_;          // of (q, v, x, a, lambda, x', more); from a on they only start Newton's iteration
  std::vector<int> algebraic_;  // states that occur without their rate
  dae::State state_, trial_;
  Vector predicted_, rate_, stacked_, work_;
  Vector known_v_, known_x_;  // v_* and x_*: v = v_* + a/c_j, x = x_* + x'/c_j
  kkt::AccelerationStatus trouble_ = kkt::AccelerationStatus::kSolved;
  bool begin_is_new_ = true;  // the equations have not seen state_

 private:
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
  void predict();
  bool complete_trial();
  double calc_size(int order);
  Choice choose_order(double size, int steady);
  void choose_next(double h, double size);
  double choose_after_rejection(double h, double error, const Choice& choice);

  BdfOptions options_;
  Control control_, before_;  // now, and before the last accepted step
  Control accepted_;          // what becomes of it when the attempt is accepted
  dae::State begin_;
  Vector error_;
  std::optional<double> h_next_;
  int failures_ = 0;  // attempts in a row that came to nothing
  bool newton_failed_ = false;
};

}  // namespace trammel::integrators
