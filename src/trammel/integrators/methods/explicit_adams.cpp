// explicit-adams: Adams' formulas of CVODE on the first-order equations in independent coordinates.
// Theory: docs/theory/state-space.md.

#include "trammel/integrators/state_space/cvode_method.h"

namespace trammel::integrators {

extern const MethodEntry explicit_adams_entry;

const MethodEntry explicit_adams_entry{
    .name = "explicit-adams",
    .summary = "Adams formulas of CVODE, orders 1 to 12, in independent coordinates; for non-stiff systems",
    .order = kMaxAdamsOrder,
    .capabilities = kCvodeCapabilities,
    .options = cvode_settings(CvodeFormula::kAdams),
    .make =
        [](const MethodContext& context) {
          return make_cvode_method(context, CvodeFormula::kAdams, explicit_adams_entry);
        },
    .changes_order = true,
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
