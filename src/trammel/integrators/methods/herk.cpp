// herk: a half-explicit Runge-Kutta method of order 5 on the index-2 equations, with the formula of Dormand and Prince.
//
//   P_i = q_0 + h sum_{j<i} a_ij T(P_j) V_j,   V_i = v_0 + h sum_{j<i} a_ij V'_j                                (1)
//   M(P_i) V'_i + G(P_i)^T L_i = f(t_i, P_i, V_i, L_i, X_i),   G(P_{i+1}) V_{i+1} + g_t(t_{i+1}, P_{i+1}) = 0   (2)
//
// V'_1 and L_1 are those of the state at the beginning; the others are such that the next stage keeps the velocity
// constraints, so no stage needs the bias of the accelerations. The last stage of (1) is the end of the step: its
// position is moved onto g = 0 first, so that (2) gives velocities there. a and lambda of the state at the end follow
// from the index-1 equations. Theory, with the conditions of order: docs/theory/herk.md.

#include <cmath>

#include "trammel/integrators/explicit/half_explicit_solver.h"
#include "trammel/integrators/explicit/runge_kutta_method.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

extern const MethodEntry herk_entry;

namespace {

using dae::Evaluation;
using kkt::AccelerationStatus;
using linalg::Vector;

class HalfExplicitRungeKutta final : public RungeKuttaMethod {
 public:
  explicit HalfExplicitRungeKutta(const MethodContext& context)
      : RungeKuttaMethod(context, half_explicit_dormand_prince_5()),
        projects_(option_value(herk_entry, context.options, "project") == "yes"),
        other_(context.evaluation.system()),
        solver_(evaluation_.structure(), {.back_end = linear_solver(herk_entry, context.options)}) {
    a_ = correction_ = Vector::Zero(n_v_);
    lambda_ = residual_ = Vector::Zero(evaluation_.structure().m());
  }

  void add_counts(Statistics& statistics) const override {
    statistics.evaluations += other_.counts();
    statistics.linear += solver_.counts();
  }

  std::string describe_trouble() override {
    if (troubled_ && trouble_ != AccelerationStatus::kSolved) return kinematics::describe_failure(*troubled_, trouble_);
    return RungeKuttaMethod::describe_trouble();
  }

 private:
  bool eval_stages() override {
    troubled_ = nullptr;
    a_ = state_.a;
    lambda_ = state_.lambda;
    set_trial(1);
    for (int i = 1; i < last_stage() - 1; ++i) {
      enter(i);
      set_trial(i + 1);
      at(i + 1).set_x(trial_.x);
      at(i + 1).set_position(trial_.t, trial_.q);
      if (!solve(i)) return false;
    }
    return true;
  }

  bool eval_end() override {
    // The metric of the stage before the last one, where the evaluation of the run stands, serves the projection.
    trouble_ = context_.accelerations.factor_position();
    if (trouble_ != AccelerationStatus::kSolved) return false;
    const int end = last_stage();
    enter(end - 1);
    set_trial(end);
    context_.norm.set_weights(state_, trial_);
    evaluation_.set_x(trial_.x);
    if (projects_ && !project_position()) return false;
    evaluation_.set_position(trial_.t, trial_.q);
    if (!solve(end - 1)) return false;
    context_.norm.set_weights(state_, trial_);
    trouble_ = context_.accelerations.factor_position();
    if (trouble_ != AccelerationStatus::kSolved) return false;
    evaluation_.set_x(trial_.x);
    if (projects_) trial_.x = evaluation_.follow_position();
    note_moved();
    if (!eval_accelerations()) return false;
    set_stage(end, trial_);
    return true;
  }

  /// The evaluation that stands at a stage: two take turns, so that one looks ahead, and the last stage is the run's.
  Evaluation& at(int i) { return (last_stage() - i) % 2 == 0 ? evaluation_ : other_; }

  /// Stands at stage i, which is in trial_; of its rates those of positions are known.
  void enter(int i) {
    Evaluation& here = at(i);
    here.set_position(trial_.t, trial_.q);
    here.set_x(trial_.x);
    here.set_velocity(trial_.v);
    trial_.a.setZero();
    trial_.x_rate.setZero();
    set_stage(i, trial_);
  }

  /// (2) of stage i. trial_ has the position of stage i + 1, where its evaluation stands, and what the stages before i
  /// give of v and x; the rest is added here.
  bool solve(int i) {
    Evaluation &here = at(i), &next = at(i + 1);
    const dae::Structure& s = here.structure();
    const double w = weight(i + 1, i);
    residual_ = next.velocity_offset();
    s.jacobian.add_product(next.jacobian(), trial_.v, 1, residual_);
    residual_ *= -1 / w;
    trouble_ = solver_.solve(here, next.jacobian(), residual_, a_, lambda_);
    if (trouble_ != AccelerationStatus::kSolved) {
      troubled_ = std::isfinite(residual_.sum()) ? &here : &next;
      return false;
    }
    auto k = stages_.col(i);
    k.segment(n_q_, n_v_) = a_;
    if (n_x_ > 0) k.tail(n_x_) = here.state_rate();
    y_trial_.tail(n_v_ + n_x_) += w * k.tail(n_v_ + n_x_);
    trial_.v = y_trial_.segment(n_q_, n_v_);
    trial_.x = y_trial_.tail(n_x_);
    return true;
  }

  /// The estimate is one order better on the velocity constraints: (8) of the theory page.
  void correct_estimate() override {
    const dae::Structure& s = evaluation_.structure();
    if (s.m() == 0) return;
    correction_.setZero();
    residual_.setZero();
    s.jacobian.add_product(evaluation_.jacobian(), error_.segment(n_q_, n_v_), -1, residual_);
    context_.accelerations.metric().solve(correction_, residual_);
    error_.segment(n_q_, n_v_) += correction_;
  }

  bool projects_;
  Evaluation other_;
  HalfExplicitSolver solver_;
  Vector a_, lambda_, residual_, correction_;
  Evaluation* troubled_ = nullptr;  // where the equations of a stage could not be solved
};

}  // namespace

const MethodEntry herk_entry{
    "herk",
    "half-explicit Runge-Kutta 5(4) on the index-2 equations: stages keep the velocity constraints; for non-stiff "
    "systems",
    5,
    {.nonholonomic = true, .implicit_states = false, .reaction_dependent_forces = true, .general_kinematics = true},
    {{"project", {"yes", "no"}, "move each step back onto the position constraints; 'no' shows their drift"},
     linear_solver_option()},
    [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<HalfExplicitRungeKutta>(context);
    }};

}  // namespace trammel::integrators
