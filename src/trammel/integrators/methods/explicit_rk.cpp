// explicit-rk: explicit Runge-Kutta formulas of Dormand and Prince on the first-order equations in independent
// coordinates. Theory: docs/theory/state-space.md.

#include "trammel/integrators/state_space/explicit_method.h"

namespace trammel::integrators {

extern const MethodEntry explicit_rk_entry;

const MethodEntry explicit_rk_entry{
    .name = "explicit-rk",
    .summary = "explicit Runge-Kutta 5(4) or 8(5,3) in independent coordinates; for non-stiff systems",
    .order = 5,
    .capabilities = kStateSpaceCapabilities,
    .options = with_state_space_settings(
        {{"formula", {"5(4)", "8(5,3)"}, "of Dormand and Prince; 8(5,3), that of the code DOP853, for many digits"}},
        MatrixUse::kNone),
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      const bool is_high = option_value(explicit_rk_entry, context.options, "formula") == "8(5,3)";
      return std::make_unique<ExplicitMethod>(
          context, is_high ? dormand_prince_8() : dormand_prince_5(),
          read_state_space_settings(explicit_rk_entry, context.options, context.evaluation.structure()));
    },
    .find_conflicts = find_state_space_conflicts};

}  // namespace trammel::integrators
