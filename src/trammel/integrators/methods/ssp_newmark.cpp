// ssp-newmark: Newmark's formulas on the equations in independent coordinates, damped where gamma > 1/2.
// Theory: docs/theory/state-space.md, section 6.

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/newmark_method.h"

namespace trammel::integrators {

extern const MethodEntry ssp_newmark_entry;

const MethodEntry ssp_newmark_entry{
    .name = "ssp-newmark",
    .summary = "Newmark's formulas in independent coordinates; gamma above 1/2 damps, at order 1",
    .order = 2,
    .capabilities = kEliminatedReactions,
    .options = with_state_space_settings({jacobian_option(), estimate_option(), gamma_option(), beta_option()}),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<NewmarkMethod>(
          context, read_newmark_formula(ssp_newmark_entry, context.options), Formulation::kStateSpace,
          read_state_space_settings(ssp_newmark_entry, context.options, context.evaluation.structure()));
    },
    .largest_step_share = kImplicitStepShare,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
