// newmark: Newmark's formulas on the index-3 equations. gamma = 1/2, beta = 1/4 is the trapezoidal rule, the only pair
// of second order; gamma > 1/2 damps at the price of first order. Theory: docs/theory/hht.md.

#include "trammel/integrators/implicit/newmark_family.h"
#include "trammel/integrators/implicit/newmark_settings.h"

namespace trammel::integrators {

extern const MethodEntry newmark_entry;

const MethodEntry newmark_entry{
    "newmark",
    "Newmark's formulas on the index-3 equations; by default the trapezoidal rule, which damps nothing",
    2,
    {.nonholonomic = true, .implicit_states = true, .reaction_dependent_forces = true, .general_kinematics = true},
    with_newmark_settings(
        {{"gamma", {"0.5"}, "0.5 is second order; more damps and is first order", true, 0.5, 1},
         {"beta", {"0"}, "not given: (gamma + 1/2)^2/4, the least that is stable at every step", true, 0.05, 1}}),
    [](const MethodContext& context) -> std::unique_ptr<Method> {
      NewmarkOptions options = read_newmark_settings(newmark_entry, context.options);
      options.gamma = option_number(newmark_entry, context.options, "gamma");
      const double beta = option_number(newmark_entry, context.options, "beta");
      options.beta = beta > 0 ? beta : (options.gamma + 0.5) * (options.gamma + 0.5) / 4;
      return std::make_unique<NewmarkFamily>(context, options);
    },
    kImplicitStepShare};

}  // namespace trammel::integrators
