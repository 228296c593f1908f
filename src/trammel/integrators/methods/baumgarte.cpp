// baumgarte: Baumgarte's stabilisation, an explicit Runge-Kutta formula on index-1 equations that feed the violation of
// the constraints back; nothing is projected.
//
//   M a + G^T lambda = f,   G a = bias - 2 alpha (G v + g_t) - beta^2 g                                          (1)
//
// g is missing in nonholonomic rows. Numbers alpha and beta are fed back in every stage. Parameters that are tied to
// the step,
//
//   beta = c/h,   alpha = (1 - c/4) c/h,   0 < c <= 1,                                                           (2)
//
// weigh the violation at the beginning of the step and hold it through all stages, so that the formula keeps its order,
// and a step shrinks old violations to 1 - c. Theory: docs/theory/baumgarte.md.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "trammel/integrators/explicit/runge_kutta_method.h"

namespace trammel::integrators {

extern const MethodEntry baumgarte_entry;

namespace {

using kkt::AccelerationStatus;
using linalg::Vector;

class Baumgarte final : public RungeKuttaMethod {
 public:
  explicit Baumgarte(const MethodContext& context) : RungeKuttaMethod(context, dormand_prince_5()) {
    c_ = option_number(baumgarte_entry, context.options, "c");
    alpha_ = option_number(baumgarte_entry, context.options, "alpha");
    beta_ = option_number(baumgarte_entry, context.options, "beta");
    is_tied_ = alpha_ == 0 && beta_ == 0;
    if (alpha_ == 0) alpha_ = beta_;
    if (beta_ == 0) beta_ = alpha_;
    feedback_ = Vector::Zero(evaluation_.structure().m());
  }

  void accept() override {
    RungeKuttaMethod::accept();
    smallest_ = std::min(smallest_, beta_);
    largest_ = std::max(largest_, beta_);
  }

  void add_notes(std::vector<std::string>& notes) const override {
    if (feedback_.size() == 0 || largest_ == 0) return;
    const std::string parameters = is_tied_
                                       ? fmt::format("beta = {:g}/h was {:.3g} to {:.3g} 1/s", c_, smallest_, largest_)
                                       : fmt::format("alpha = {:g} 1/s and beta = {:g} 1/s were given", alpha_, beta_);
    notes.push_back(fmt::format(
        "Baumgarte's stabilisation ({}) damps the drift of the constraints and does not remove it; no choice of "
        "its parameters is good for every system and step: too small ones let the constraints drift, too large ones "
        "make the equations stiff. Look at the drift, or use 'projection' or 'herk', which need no parameters",
        parameters));
  }

 private:
  bool eval_stages() override {
    if (is_tied_) {
      beta_ = c_ / h_;
      alpha_ = (1 - c_ / 4) * beta_;
    }
    // The first stage belongs to the parameters of this step; the state has none of them in its accelerations.
    trial_.t = state_.t;
    trial_.q = state_.q;
    trial_.v = state_.v;
    trial_.x = state_.x;
    holds_feedback_ = false;
    if (!eval_trial()) return false;
    set_stage(0, trial_);
    holds_feedback_ = is_tied_;
    return RungeKuttaMethod::eval_stages();
  }

  bool eval_end() override {
    set_trial(last_stage());
    context_.norm.set_weights(state_, trial_);
    evaluation_.set_position(trial_.t, trial_.q);
    evaluation_.set_x(trial_.x);
    trial_.x = evaluation_.follow_position();
    note_moved();
    if (!eval_trial()) return false;
    set_stage(last_stage(), trial_);
    // What users get are the accelerations and reactions of the equations of motion, without feedback.
    trouble_ = context_.accelerations.solve(trial_);
    trial_.a = evaluation_.point().a;
    trial_.lambda = evaluation_.point().lambda;
    trial_.x_rate = evaluation_.point().x_rate;
    return trouble_ == AccelerationStatus::kSolved;
  }

  AccelerationStatus solve_accelerations() override {
    if (!holds_feedback_) calc_feedback();
    return context_.accelerations.solve(state_, feedback_);
  }

  /// The terms of (1) with alpha and beta, at the point of the evaluation.
  void calc_feedback() {
    if (feedback_.size() == 0) return;
    evaluation_.calc_velocity_residual(feedback_);
    feedback_ *= -2 * alpha_;
    const int n_g = evaluation_.structure().n_g;
    feedback_.head(n_g) -= (beta_ * beta_) * evaluation_.constraint();
  }

  double c_ = 0, alpha_ = 0, beta_ = 0;  // [1], [1/s], [1/s]; constant within a step
  bool is_tied_ = true;                  // alpha and beta follow from c and the step
  bool holds_feedback_ = false;
  Vector feedback_;
  double smallest_ = std::numeric_limits<double>::infinity(), largest_ = 0;  // beta of accepted steps
};

}  // namespace

const MethodEntry baumgarte_entry{
    "baumgarte",
    "explicit Runge-Kutta 5(4) on the index-1 equations with Baumgarte's stabilisation, nothing projected; for "
    "comparison",
    5,
    {.nonholonomic = true, .implicit_states = false, .reaction_dependent_forces = true, .general_kinematics = false},
    {{"c", {"0.5"}, "a step shrinks old violations to 1 - c: beta = c/h, alpha = (1 - c/4) c/h", true, 1e-3, 1},
     {"alpha", {"0"}, "[1/s] a number for the whole run in place of c; not given: that of beta", true, 1e-6, 1e9},
     {"beta", {"0"}, "[1/s] the same; not given: that of alpha", true, 1e-6, 1e9},
     linear_solver_option()},
    [](const MethodContext& context) -> std::unique_ptr<Method> { return std::make_unique<Baumgarte>(context); }};

}  // namespace trammel::integrators
