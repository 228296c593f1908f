// bdf-ggl-star: bdf-ggl whose multipliers start every step from the pseudo-inverse of G^T at the prediction and are
// left out of all tests.
// Theory: docs/theory/coordinate-split.md, section 4.

#include "trammel/integrators/implicit/bdf_stabilised.h"

namespace trammel::integrators {

extern const MethodEntry bdf_ggl_star_entry;

const MethodEntry bdf_ggl_star_entry{
    .name = "bdf-ggl-star",
    .summary = "bdf-ggl with multipliers that are reset at every step and left out of all tests",
    .order = BdfHistory::kLargestOrder,
    .capabilities = {.nonholonomic = true,
                     .implicit_states = true,
                     .reaction_dependent_forces = true,
                     .general_kinematics = false,
                     .switched_rows = false},
    .options = with_split_settings({}, "all", "5"),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      BdfStabilisedOptions options = read_stabilised_settings(bdf_ggl_star_entry, context.options);
      options.stabilised.multipliers = MultiplierUse::kReset;
      return std::make_unique<BdfStabilised>(context, options);
    },
    .largest_step_share = kImplicitStepShare,
    .changes_order = true};

}  // namespace trammel::integrators
