#pragma once

// The equations of a constrained system as an ordinary differential equation in independent coordinates
// (docs/theory/state-space.md, section 1):
//
//   y = (w, w', x),   y' = (w', w'', x')                                                                          (1)
//
// with w = Y^T q of a chart (kinematics/parametrisation.h). To evaluate y', dependent positions and velocities are
// recovered from g(t, q) = 0 and G v + g_t = 0, and accelerations follow from M a + G^T lambda = f, G a = bias.
//
// Any code for ordinary differential equations can be attached: see docs/guide/reduced-equations.md. A chart is good
// for a while: after each step is_chart_worn() says whether another one is due, and choose_chart() makes it; the method
// begins anew there with y of the same state.

#include <memory>
#include <string>

#include "trammel/integrators/method.h"
#include "trammel/kinematics/parametrisation.h"

namespace trammel::integrators {

struct ChartOptions {
  kinematics::ParametrisationKind kind = kinematics::ParametrisationKind::kPartitioning;
  std::vector<int> independent = {};  ///< positions that are independent, whatever happens; empty: chosen
  /// Growth of Parametrisation::calc_condition() from which the chart is chosen anew, > 1 (thesis 4.1.2).
  double max_condition_growth = 1.25;
};

class ReducedEquations {
 public:
  using Vector = linalg::Vector;
  using VectorIn = linalg::VectorIn;
  using VectorOut = linalg::VectorOut;

  ReducedEquations(const MethodContext& context, const ChartOptions& options);

  int n_w() const { return n_w_; }
  int n_x() const { return n_x_; }
  /// Size of y.
  int size() const { return 2 * n_w_ + n_x_; }
  const dae::Structure& structure() const { return evaluation_.structure(); }
  dae::Evaluation& evaluation() { return evaluation_; }
  kinematics::Parametrisation& chart() { return *chart_; }

  // --- charts
  /// Chooses the coordinates anew at a consistent state; when they are the same, nothing has happened.
  [[nodiscard]] kinematics::ChartChoice choose_chart(const dae::State& at);
  /// After an accepted step: whether the condition has grown too far. The chart is factorised at the evaluation's
  /// position.
  bool is_chart_worn();
  /// How much the condition of coordinates that the user has chosen has grown; 1 where they are chosen by the program.
  double calc_wear();
  long chart_changes() const { return chart_changes_; }
  /// Adds the factorisations of charts.
  void add_counts(Statistics& statistics) const;
  /// Factorises the chart at the position of the evaluation.
  [[nodiscard]] bool factor_chart();
  /// Remembers the factors, and has them again after others have been made by looking at other states.
  void keep_chart();
  [[nodiscard]] bool return_to_kept_chart();

  // --- states
  void reduce(const dae::State& state, VectorOut y) const;
  enum class Recovery {
    kUsual,  ///< far below the tolerance
    kTight,  ///< to round-off, with a factorisation at the position
  };
  /// q, v and x of a state from y at time t. What is dependent in q and v of the state is where to look first.
  [[nodiscard]] bool recover(double t, VectorIn y, dae::State& state, Recovery recovery = Recovery::kUsual);
  /// The same, with accelerations, reactions and x'. Those of the state are where Newton's iteration begins, where
  /// forces depend on reactions.
  [[nodiscard]] bool eval(double t, VectorIn y, dae::State& state, Recovery recovery = Recovery::kUsual);
  /// Completes a state whose q, v and x are recovered.
  [[nodiscard]] bool eval_accelerations(dae::State& state);
  /// y' of a complete state.
  void calc_rate(const dae::State& state, VectorOut rate) const;

  /// P w by the last factorised chart.
  void extend(VectorIn w, VectorOut q) { chart_->extend_along(jacobian_at_factor_.data(), w, q); }

  /// The common norm of an error of y: of P e_w, P e_w' and e_x; or of the independent coordinates alone.
  double calc_norm(VectorIn error);
  void set_measures_independent(bool independent) { measures_independent_ = independent; }
  /// Errors of all coordinates from those of y, by the last factorised chart.
  void extend_error(VectorIn error, Vector& q_error, Vector& v_error);

  /// Whether the last call returned false because dependent coordinates could not be found.
  bool is_recovery_failed() const { return recovery_failed_; }
  /// Why the last call returned false, in words.
  std::string describe_trouble();
  /// The coordinate with the largest weighted error.
  std::string find_worst(VectorIn error);
  std::string describe_chart() const;

 private:
  bool recover_position(dae::State& state, VectorIn w, Recovery recovery);
  bool recover_velocity(dae::State& state, VectorIn w_rate, Recovery recovery);
  void set_independent(VectorIn w, Vector& q);
  std::string describe_given();

  MethodContext context_;
  dae::Evaluation& evaluation_;
  ChartOptions options_;
  std::unique_ptr<kinematics::Parametrisation> chart_;
  int n_v_, n_w_, n_x_, m_;
  double first_condition_ = 1;
  long factorizations_ = 0;
  long chart_changes_ = -1;  // the first choice is no change
  bool measures_independent_ = false;
  kkt::AccelerationStatus status_ = kkt::AccelerationStatus::kSolved;
  bool recovery_failed_ = false;
  bool chart_failed_ = false;
  Vector residual_, step_, guess_, w_work_, jacobian_at_factor_, q_error_, v_error_;
  Vector kept_jacobian_;
  bool is_kept_ = false;  // the factors are those of kept_jacobian_
};

}  // namespace trammel::integrators
