// ssp-sdirk: SDIRK4/16 on the equations in independent coordinates, solved for independent accelerations.
// Theory: docs/theory/state-space.md.

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/sdirk_method.h"

namespace trammel::integrators {

extern const MethodEntry ssp_sdirk_entry;

const MethodEntry ssp_sdirk_entry{
    .name = "ssp-sdirk",
    .summary = "SDIRK of order 4 in independent coordinates, solved for accelerations; for stiff systems",
    .order = 4,
    .capabilities = kEliminatedReactions,
    .options = with_state_space_settings({jacobian_option()}),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<SdirkMethod>(
          context, sdirk4_16(), Formulation::kStateSpace,
          read_state_space_settings(ssp_sdirk_entry, context.options, context.evaluation.structure()));
    },
    .largest_step_share = kImplicitStepShare,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
