// for-sdirk: SDIRK4/15 on the first-order equations in independent coordinates.
// Theory: docs/theory/state-space.md.

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/sdirk_method.h"

namespace trammel::integrators {

extern const MethodEntry for_sdirk_entry;

const MethodEntry for_sdirk_entry{
    .name = "for-sdirk",
    .summary = "SDIRK of order 4 on the first-order equations in independent coordinates; for stiff systems",
    .order = 4,
    .capabilities = kStateSpaceCapabilities,
    .options = with_state_space_settings({jacobian_option()}),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<SdirkMethod>(
          context, sdirk4_15(), Formulation::kFirstOrder,
          read_state_space_settings(for_sdirk_entry, context.options, context.evaluation.structure()));
    },
    .largest_step_share = kImplicitStepShare,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
