// bdf-cm: bdf-cs without the derivative of the projector in Newton's matrix (Yen and Petzold 1996, section 3), for
// systems with small fast oscillations.
// Theory: docs/theory/coordinate-split.md, section 5.

#include "trammel/integrators/implicit/bdf_stabilised.h"

namespace trammel::integrators {

extern const MethodEntry bdf_cm_entry;

const MethodEntry bdf_cm_entry{
    .name = "bdf-cm",
    .summary = "bdf-cs without derivatives of the projector (CM iteration), to damp small fast oscillations",
    .order = 2,  // of the default max_order
    .capabilities = {.nonholonomic = true,
                     .implicit_states = true,
                     .reaction_dependent_forces = false,
                     .general_kinematics = false,
                     .switched_rows = false},
    .options = with_split_settings(
        {{"projector",
          {"current", "predictor", "frozen"},
          "where the projector that eliminates the multipliers is taken: at every iterate, at the prediction of a "
          "step, "
          "or where the matrix was evaluated. frozen damps fast oscillations and is not accurate: its error need not "
          "fall with the tolerance"}},
        "independent", "2"),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      BdfStabilisedOptions options = read_stabilised_settings(bdf_cm_entry, context.options);
      options.stabilised.multipliers = MultiplierUse::kEliminated;
      options.stabilised.differentiates_reactions = false;
      const std::string projector = option_value(bdf_cm_entry, context.options, "projector");
      options.stabilised.split_point = projector == "frozen"      ? SplitPoint::kMatrix
                                       : projector == "predictor" ? SplitPoint::kPrediction
                                                                  : SplitPoint::kIterate;
      return std::make_unique<BdfStabilised>(context, options);
    },
    .largest_step_share = kImplicitStepShare,
    .changes_order = true};

}  // namespace trammel::integrators
