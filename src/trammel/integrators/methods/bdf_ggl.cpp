// bdf-ggl: backward differentiation formulas on the stabilised index-2 equations of Gear, Gupta and Leimkuhler, with
// both multipliers as unknowns.
// Theory: docs/theory/coordinate-split.md, section 2.

#include "trammel/integrators/implicit/bdf_stabilised.h"

namespace trammel::integrators {

extern const MethodEntry bdf_ggl_entry;

const MethodEntry bdf_ggl_entry{
    .name = "bdf-ggl",
    .summary =
        "BDF of variable order on the stabilised index-2 equations (GGL); positions and velocities keep their "
        "constraints",
    .order = BdfHistory::kLargestOrder,
    .capabilities = {.nonholonomic = true,
                     .implicit_states = true,
                     .reaction_dependent_forces = true,
                     .general_kinematics = false},
    .options = with_stabilised_settings({}, "5"),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      return std::make_unique<BdfStabilised>(context, read_stabilised_settings(bdf_ggl_entry, context.options));
    },
    .largest_step_share = kImplicitStepShare,
    .changes_order = true};

}  // namespace trammel::integrators
