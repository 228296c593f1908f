// for-cvode: the backward differentiation formulas of CVODE on the first-order equations in independent coordinates.
// Theory: docs/theory/state-space.md.

#include "trammel/integrators/implicit/implicit_step.h"
#include "trammel/integrators/state_space/cvode_method.h"

namespace trammel::integrators {

extern const MethodEntry for_cvode_entry;

const MethodEntry for_cvode_entry{
    .name = "for-cvode",
    .summary =
        "backward differentiation formulas of CVODE, orders 1 to 5, in independent coordinates; for stiff systems",
    .order = kMaxBdfOrder,
    .capabilities = kCvodeCapabilities,
    .options = cvode_settings(CvodeFormula::kBdf),
    .make =
        [](const MethodContext& context) { return make_cvode_method(context, CvodeFormula::kBdf, for_cvode_entry); },
    .largest_step_share = kImplicitStepShare,
    .changes_order = true,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
