// bdf-cs: backward differentiation formulas on the stabilised equations whose multipliers are eliminated by a split of
// the coordinates (Yen and Petzold 1996), with the exact derivative of the projector.
// Theory: docs/theory/coordinate-split.md, section 3.

#include "trammel/integrators/implicit/bdf_stabilised.h"

namespace trammel::integrators {

extern const MethodEntry bdf_cs_entry;

const MethodEntry bdf_cs_entry{
    .name = "bdf-cs",
    .summary = "BDF with multipliers eliminated by a split of the coordinates (CS iteration)",
    .order = BdfHistory::kLargestOrder,
    .capabilities = {.nonholonomic = true,
                     .implicit_states = true,
                     .reaction_dependent_forces = false,
                     .general_kinematics = false,
                     .switched_rows = false},
    .options = with_split_settings({}, "independent", "5"),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      BdfStabilisedOptions options = read_stabilised_settings(bdf_cs_entry, context.options);
      options.stabilised.multipliers = MultiplierUse::kEliminated;
      return std::make_unique<BdfStabilised>(context, options);
    },
    .largest_step_share = kImplicitStepShare,
    .changes_order = true};

}  // namespace trammel::integrators
