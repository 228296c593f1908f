// projection: an explicit Runge-Kutta formula on the index-1 equations, with projection after every step.
//
// Accelerations follow from M a + G^T lambda = f, G a = bias, so that y = (q, v, x) obeys an ordinary differential
// equation, which the formula of Dormand and Prince integrates. The solution is then moved onto g = 0 and G v + g_t = 0
// in the mass metric, so drift never accumulates. The last stage of the formula is evaluated at the projected state and
// serves the next step. The error of a step is the larger of the embedded estimate and of the distance it was moved.
// Theory: docs/theory/projection.md.

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/integrators/method.h"
#include "trammel/integrators/tableaus/explicit_runge_kutta.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

extern const MethodEntry projection_entry;

namespace {

using dae::State;
using kkt::AccelerationStatus;
using linalg::Vector;

class Projection final : public Method {
 public:
  explicit Projection(const MethodContext& context)
      : context_(context),
        evaluation_(context.evaluation),
        projects_(option_value(projection_entry, context.options, "project") == "yes") {
    const dae::Structure& s = evaluation_.structure();
    n_q_ = s.n_q();
    n_v_ = s.n_v();
    n_x_ = s.n_x();
    begin_ = state_ = trial_ = State::zero(s);
    y_begin_ = y_ = y_trial_ = error_ = moved_ = Vector::Zero(n_q_ + n_v_ + n_x_);
    stages_.setZero(y_.size(), tableau_.stages);
  }

  void start(const State& state) override {
    state_ = state;
    y_ << state.q, state.v, state.x;
    set_stage(0, state_);
    carries_last_stage_ = false;
  }

  StepOutcome attempt(double h) override {
    h_ = h;
    if (std::exchange(carries_last_stage_, false)) set_stage(0, state_);
    const int last = tableau_.stages - 1;
    for (int i = 1; i < last; ++i) {
      set_trial(i);
      if (!eval_stage()) return {StepStatus::kNotSolved};
      set_stage(i, trial_);
    }
    set_trial(last);
    context_.norm.set_weights(state_, trial_);
    if (!eval_end()) return {StepStatus::kNotSolved};
    set_stage(last, trial_);
    if (!std::isfinite(y_trial_.sum())) trouble_ = AccelerationStatus::kNotFinite;
    if (trouble_ != AccelerationStatus::kSolved) return {StepStatus::kNotSolved};
    return {StepStatus::kSolved, calc_error()};
  }

  void accept() override {
    std::swap(begin_, state_);
    std::swap(state_, trial_);
    y_begin_.swap(y_);
    y_.swap(y_trial_);
    carries_last_stage_ = true;
  }

  bool undo() override {
    std::swap(state_, begin_);
    y_.swap(y_begin_);
    set_stage(0, state_);
    carries_last_stage_ = false;
    return true;
  }

  const State& state() const override { return state_; }
  int order() const override { return tableau_.embedded_order; }
  int dense_degree() const override { return std::max(tableau_.dense_degree, 3); }

  void interpolate(double t, State& out) override {
    const double theta = (t - begin_.t) / h_;
    dense_.setZero(y_.size());
    for (int i = 0; i < tableau_.stages; ++i) {
      const auto row = tableau_.dense.subspan(static_cast<std::size_t>(i * tableau_.dense_degree));
      double weight = 0;
      for (int p = tableau_.dense_degree - 1; p >= 0; --p) weight = (weight + row[static_cast<std::size_t>(p)]) * theta;
      dense_ += (h_ * weight) * stages_.col(i);
    }
    // What the projection added at the end of the step comes in smoothly.
    dense_ += y_begin_ + theta * theta * (3 - 2 * theta) * moved_;
    out.t = t;
    split(dense_, out);
  }

  std::string describe_trouble() override {
    if (trouble_ != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation_, trouble_);
    if (projection_failed_) return "the solution could not be moved back onto the position constraints";
    return "the largest error is that of " + context_.norm.find_worst(evaluation_.structure(), error_.head(n_q_),
                                                                      error_.segment(n_q_, n_v_), error_.tail(n_x_));
  }

 private:
  void split(const Vector& y, State& s) const {
    s.q = y.head(n_q_);
    s.v = y.segment(n_q_, n_v_);
    s.x = y.tail(n_x_);
  }

  /// k_i = (q', v', x') at a complete state.
  void set_stage(int i, const State& s) {
    auto k = stages_.col(i);
    if (evaluation_.structure().has_trivial_kinematics) {
      k.head(n_q_) = s.v;
    } else {
      evaluation_.system().calc_position_rate(s.q, s.v, k.head(n_q_));
    }
    k.segment(n_q_, n_v_) = s.a;
    k.tail(n_x_) = s.x_rate;
  }

  /// (t, q, v, x) of stage i into trial_.
  void set_trial(int i) {
    const double* weights = tableau_.a.data() + static_cast<std::ptrdiff_t>(i) * tableau_.stages;
    y_trial_ = y_;
    for (int j = 0; j < i; ++j) {
      if (weights[j] != 0) y_trial_ += (h_ * weights[j]) * stages_.col(j);
    }
    split(y_trial_, trial_);
    trial_.t = context_.end_of_step(state_.t, tableau_.c[static_cast<std::size_t>(i)] * h_);
  }

  bool eval_stage() {
    evaluation_.set_position(trial_.t, trial_.q);
    evaluation_.set_x(trial_.x);
    trouble_ = context_.accelerations.factor_position();
    return trouble_ == AccelerationStatus::kSolved && eval_accelerations();
  }

  bool eval_accelerations() {
    evaluation_.set_velocity(trial_.v);
    trouble_ = context_.accelerations.solve(state_);
    trial_.a = evaluation_.point().a;
    trial_.lambda = evaluation_.point().lambda;
    trial_.x_rate = evaluation_.point().x_rate;
    return trouble_ == AccelerationStatus::kSolved;
  }

  /// Projects the end of the step and evaluates the last stage there.
  bool eval_end() {
    evaluation_.set_x(trial_.x);
    if (projects_ && needs_position_projection()) {
      const kinematics::PositionProjection outcome = context_.projector.project_position(
          trial_.t, trial_.q, context_.norm.q_weights(), kinematics::MetricUse::kPresent);
      context_.statistics.newton_iterations += outcome.iterations;
      trouble_ = outcome.metric;
      projection_failed_ = !outcome.ok();
      if (projection_failed_) return false;
    }
    evaluation_.set_position(trial_.t, trial_.q);
    trouble_ = context_.accelerations.factor_position();
    if (trouble_ != AccelerationStatus::kSolved) return false;
    if (projects_) {
      context_.projector.project_velocity(trial_.v);
      trial_.x = evaluation_.follow_position();
    }
    moved_ = -y_trial_;
    y_trial_ << trial_.q, trial_.v, trial_.x;
    moved_ += y_trial_;
    return eval_accelerations();
  }

  bool needs_position_projection() const {
    const dae::Structure& s = evaluation_.structure();
    return s.n_g > 0 || !s.has_trivial_kinematics;
  }

  double calc_error() {
    error_.setZero();
    for (int i = 0; i < tableau_.stages; ++i) error_ += (h_ * tableau_.e[static_cast<std::size_t>(i)]) * stages_.col(i);
    const double embedded = calc_norm(error_), moved = calc_norm(moved_);
    return embedded > moved || std::isnan(embedded) ? embedded : moved;  // what is not a number must not be lost
  }

  double calc_norm(const Vector& y) const {
    return context_.norm.calc(y.head(n_q_), y.segment(n_q_, n_v_), y.tail(n_x_));
  }

  const ExplicitRungeKutta& tableau_ = dormand_prince_5();
  MethodContext context_;
  dae::Evaluation& evaluation_;
  bool projects_;
  int n_q_ = 0, n_v_ = 0, n_x_ = 0;
  State begin_, state_, trial_;   // begin and end of the last accepted step, and the step that is tried
  Vector y_begin_, y_, y_trial_;  // the same as (q, v, x)
  Eigen::MatrixXd stages_;        // k_i = (q', v', x'), one column each
  Vector error_, moved_, dense_;  // embedded estimate, change by the projection, interpolated solution
  double h_ = 0;
  bool carries_last_stage_ = false;  // the last stage becomes the first at the next attempt
  AccelerationStatus trouble_ = AccelerationStatus::kSolved;
  bool projection_failed_ = false;
};

}  // namespace

const MethodEntry projection_entry{
    "projection",
    "explicit Runge-Kutta 5(4) on the index-1 equations with projection on the constraints; for non-stiff systems",
    5,
    {.nonholonomic = true, .implicit_states = false, .reaction_dependent_forces = true, .general_kinematics = true},
    {{"project", {"yes", "no"}, "move each step back onto the constraints; 'no' shows the drift of the bare formula"},
     linear_solver_option()},
    [](const MethodContext& context) -> std::unique_ptr<Method> { return std::make_unique<Projection>(context); }};

}  // namespace trammel::integrators
