// projection: an explicit Runge-Kutta formula on the index-1 equations, with projection after every step.
//
// Accelerations follow from M a + G^T lambda = f, G a = bias, so that y = (q, v, x) obeys an ordinary differential
// equation, which the formula of Dormand and Prince integrates. The solution is then moved onto g = 0 and G v + g_t = 0
// in the mass metric, so drift never accumulates. The last stage of the formula is evaluated at the projected state and
// serves the next step. The error of a step is the larger of the embedded estimate and of the distance it was moved.
// Theory: docs/theory/projection.md.

#include "trammel/integrators/explicit/runge_kutta_method.h"

namespace trammel::integrators {

extern const MethodEntry projection_entry;

namespace {

using kkt::AccelerationStatus;

class Projection final : public RungeKuttaMethod {
 public:
  explicit Projection(const MethodContext& context)
      : RungeKuttaMethod(context, dormand_prince_5()),
        projects_(option_value(projection_entry, context.options, "project") == "yes") {}

 private:
  /// Projects the end of the step and evaluates the last stage there.
  bool eval_end() override {
    set_trial(last_stage());
    context_.norm.set_weights(state_, trial_);
    evaluation_.set_x(trial_.x);
    if (projects_ && !project_position()) return false;
    evaluation_.set_position(trial_.t, trial_.q);
    trouble_ = context_.accelerations.factor_position();
    if (trouble_ != AccelerationStatus::kSolved) return false;
    if (projects_) {
      context_.projector.project_velocity(trial_.v);
      trial_.x = evaluation_.follow_position();
    }
    note_moved();
    if (!eval_accelerations()) return false;
    set_stage(last_stage(), trial_);
    return true;
  }

  bool projects_;
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
