// ssp-trap: the trapezoidal rule on the equations in independent coordinates, solved for independent accelerations.
// Theory: docs/theory/state-space.md, section 6.

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/newmark_method.h"

namespace trammel::integrators {

extern const MethodEntry ssp_trap_entry;

const MethodEntry ssp_trap_entry{
    .name = "ssp-trap",
    .summary = "trapezoidal rule in independent coordinates, solved for accelerations; for mildly stiff systems",
    .order = 2,
    .capabilities = kEliminatedReactions,
    .options = with_state_space_settings({jacobian_option(), estimate_option()}),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<NewmarkMethod>(
          context, read_newmark_formula(ssp_trap_entry, context.options), Formulation::kStateSpace,
          read_state_space_settings(ssp_trap_entry, context.options, context.evaluation.structure()));
    },
    .largest_step_share = kImplicitStepShare,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
