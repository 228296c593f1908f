// infl-sdirk: SDIRK4/16 in descriptor form: all accelerations and reactions are solved for by a sparse matrix.
// Theory: docs/theory/state-space.md.

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/sdirk_method.h"

namespace trammel::integrators {

extern const MethodEntry infl_sdirk_entry;

const MethodEntry infl_sdirk_entry{
    .name = "infl-sdirk",
    .summary =
        "SDIRK of order 4, solved for all accelerations and reactions by a sparse matrix; for large stiff systems",
    .order = 4,
    .capabilities = kStateSpaceCapabilities,
    .options = with_state_space_settings({}),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<SdirkMethod>(
          context, sdirk4_16(), Formulation::kDescriptor,
          read_state_space_settings(infl_sdirk_entry, context.options, context.evaluation.structure()));
    },
    .largest_step_share = kImplicitStepShare,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
