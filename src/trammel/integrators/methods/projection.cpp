// projection: an explicit Runge-Kutta formula on the index-1 equations, with projection after every step.
//
// Accelerations follow from M a + G^T lambda = f, G a = bias, so that y = (q, v, x) obeys an ordinary differential
// equation, which the formula of Dormand and Prince integrates. The solution is then moved onto g = 0 and G v + g_t = 0
// in the mass metric, so drift never accumulates. The last stage of the formula is evaluated at the projected state and
// serves the next step. The error of a step is the larger of the embedded estimate and of the distance it was moved.
// Theory: docs/theory/projection.md.

#include <algorithm>
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
using linalg::VectorIn;

/// One column for every stage.
struct Stages {
  Eigen::MatrixXd k;

  /// out = y + h sum_{i < count} weights_i k_i.
  void combine(const Vector& y, double h, const double* weights, int count, Vector& out) const {
    out = y;
    add(h, weights, count, out);
  }
  void add(double h, const double* weights, int count, Vector& out) const {
    for (int i = 0; i < count; ++i) {
      if (weights[i] != 0) out += (h * weights[i]) * k.col(i);
    }
  }
};

class Projection final : public Method {
 public:
  explicit Projection(const MethodContext& context)
      : context_(context),
        evaluation_(context.evaluation),
        projects_(option_value(projection_entry, context.options, "project") == "yes") {
    const dae::Structure& s = evaluation_.structure();
    begin_ = state_ = trial_ = State::zero(s);
    q_stages_.k.setZero(s.n_q(), tableau_.stages);
    v_stages_.k.setZero(s.n_v(), tableau_.stages);
    x_stages_.k.setZero(s.n_x(), tableau_.stages);
    q_error_ = q_moved_ = Vector::Zero(s.n_q());
    v_error_ = v_moved_ = Vector::Zero(s.n_v());
    x_error_ = Vector::Zero(s.n_x());
  }

  void start(const State& state) override {
    state_ = state;
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
    return {StepStatus::kSolved, calc_error()};
  }

  void accept() override {
    std::swap(begin_, state_);
    std::swap(state_, trial_);
    carries_last_stage_ = true;
  }

  const State& state() const override { return state_; }
  int order() const override { return tableau_.embedded_order; }

  void interpolate(double t, State& out) override {
    const double theta = (t - begin_.t) / h_;
    std::array<double, 16> weights{};
    for (int i = 0; i < tableau_.stages; ++i) {
      const auto row = tableau_.dense.subspan(static_cast<std::size_t>(i * tableau_.dense_degree));
      double value = 0;
      for (int p = tableau_.dense_degree - 1; p >= 0; --p) value = (value + row[static_cast<std::size_t>(p)]) * theta;
      weights[static_cast<std::size_t>(i)] = value;
    }
    out.t = t;
    q_stages_.combine(begin_.q, h_, weights.data(), tableau_.stages, out.q);
    v_stages_.combine(begin_.v, h_, weights.data(), tableau_.stages, out.v);
    x_stages_.combine(begin_.x, h_, weights.data(), tableau_.stages, out.x);
    // What the projection added at the end of the step comes in smoothly.
    const double share = theta * theta * (3 - 2 * theta);
    out.q += share * q_moved_;
    out.v += share * v_moved_;
  }

  std::string describe_trouble() override {
    if (trouble_ != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation_, trouble_);
    if (projection_failed_) return "the solution could not be moved back onto the position constraints";
    return "the largest error is that of " +
           context_.norm.find_worst(evaluation_.structure(), q_error_, v_error_, x_error_);
  }

 private:
  /// k_i = (q', v', x') at a complete state.
  void set_stage(int i, const State& s) {
    if (evaluation_.structure().has_trivial_kinematics) {
      q_stages_.k.col(i) = s.v;
    } else {
      evaluation_.system().calc_position_rate(s.q, s.v, q_stages_.k.col(i));
    }
    v_stages_.k.col(i) = s.a;
    x_stages_.k.col(i) = s.x_rate;
  }

  /// (t, q, v, x) of stage i into trial_.
  void set_trial(int i) {
    const double* weights = tableau_.a.data() + static_cast<std::ptrdiff_t>(i) * tableau_.stages;
    q_stages_.combine(state_.q, h_, weights, i, trial_.q);
    v_stages_.combine(state_.v, h_, weights, i, trial_.v);
    x_stages_.combine(state_.x, h_, weights, i, trial_.x);
    trial_.t = context_.end_of_step(state_.t, tableau_.c[static_cast<std::size_t>(i)] * h_);
  }

  bool eval_stage() {
    evaluation_.set_position(trial_.t, trial_.q);
    trouble_ = context_.accelerations.factor_position();
    return trouble_ == AccelerationStatus::kSolved && eval_accelerations();
  }

  bool eval_accelerations() {
    evaluation_.set_velocity(trial_.v);
    evaluation_.set_x(trial_.x);
    trouble_ = context_.accelerations.solve();
    trial_.a = evaluation_.point().a;
    trial_.lambda = evaluation_.point().lambda;
    trial_.x_rate = evaluation_.point().x_rate;
    return trouble_ == AccelerationStatus::kSolved;
  }

  /// Projects the end of the step and evaluates the last stage there.
  bool eval_end() {
    q_moved_ = -trial_.q;
    v_moved_ = -trial_.v;
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
    if (projects_) context_.projector.project_velocity(trial_.v);
    q_moved_ += trial_.q;
    v_moved_ += trial_.v;
    return eval_accelerations();
  }

  bool needs_position_projection() const {
    const dae::Structure& s = evaluation_.structure();
    return s.n_g > 0 || !s.has_trivial_kinematics;
  }

  double calc_error() {
    const auto set = [this](const Stages& stages, Vector& error) {
      error.setZero();
      stages.add(h_, tableau_.e.data(), tableau_.stages, error);
    };
    set(q_stages_, q_error_);
    set(v_stages_, v_error_);
    set(x_stages_, x_error_);
    const double embedded = context_.norm.calc(q_error_, v_error_, x_error_);
    x_moved_.setZero(x_error_.size());
    return std::max(embedded, context_.norm.calc(q_moved_, v_moved_, x_moved_));
  }

  const ExplicitRungeKutta& tableau_ = dormand_prince_5();
  MethodContext context_;
  dae::Evaluation& evaluation_;
  bool projects_;
  State begin_;  // of the last accepted step
  State state_;
  State trial_;
  double h_ = 0;
  Stages q_stages_, v_stages_, x_stages_;
  bool carries_last_stage_ = false;  // the last stage becomes the first at the next attempt
  Vector q_error_, v_error_, x_error_;
  Vector q_moved_, v_moved_, x_moved_;  // by the projection; extra states are not moved
  AccelerationStatus trouble_ = AccelerationStatus::kSolved;
  bool projection_failed_ = false;
};

}  // namespace

const MethodEntry projection_entry{
    "projection",
    "explicit Runge-Kutta 5(4) on the index-1 equations with projection on the constraints; for non-stiff systems",
    5,
    {.nonholonomic = true, .implicit_states = false, .reaction_dependent_forces = true, .general_kinematics = true},
    {{"project", {"yes", "no"}, "move each step back onto the constraints; 'no' shows the drift of the bare formula"}},
    [](const MethodContext& context) -> std::unique_ptr<Method> { return std::make_unique<Projection>(context); }};

}  // namespace trammel::integrators
