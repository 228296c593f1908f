// infl-trap: the trapezoidal rule in descriptor form: all accelerations and reactions are solved for by a sparse
// matrix. Theory: docs/theory/state-space.md, section 6.

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/newmark_method.h"

namespace trammel::integrators {

extern const MethodEntry infl_trap_entry;

const MethodEntry infl_trap_entry{
    .name = "infl-trap",
    .summary =
        "trapezoidal rule, solved for all accelerations and reactions by a sparse matrix; for large mildly stiff "
        "systems",
    .order = 2,
    .capabilities = kStateSpaceCapabilities,
    .options = with_state_space_settings({estimate_option()}),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<NewmarkMethod>(
          context, read_newmark_formula(infl_trap_entry, context.options), Formulation::kDescriptor,
          read_state_space_settings(infl_trap_entry, context.options, context.evaluation.structure()));
    },
    .largest_step_share = kImplicitStepShare,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
