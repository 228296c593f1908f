// hht: the method of Hilber, Hughes and Taylor on the index-3 equations, as in Negrut, Rampalli, Ottarsson and Sajdak
// (2005), second order also where the mass matrix depends on the position, and without ringing under variable steps.
// Theory: docs/theory/hht.md.

#include "trammel/integrators/implicit/newmark_family.h"
#include "trammel/integrators/implicit/newmark_settings.h"

namespace trammel::integrators {

extern const MethodEntry hht_entry;

const MethodEntry hht_entry{
    "hht",
    "Hilber-Hughes-Taylor on the index-3 equations with numerical damping (alpha); for stiff systems",
    2,
    {.nonholonomic = true, .implicit_states = true, .reaction_dependent_forces = true, .general_kinematics = true},
    with_newmark_settings({{"alpha", {"-0.3"}, "damping of fast oscillations: 0 none, -1/3 most", true, -1.0 / 3, 0}}),
    [](const MethodContext& context) -> std::unique_ptr<Method> {
      NewmarkOptions options = read_newmark_settings(hht_entry, context.options);
      options.alpha = option_number(hht_entry, context.options, "alpha");
      options.gamma = 0.5 - options.alpha;
      options.beta = (1 - options.alpha) * (1 - options.alpha) / 4;
      return std::make_unique<NewmarkFamily>(context, options);
    },
    kImplicitStepShare};

}  // namespace trammel::integrators
