// bdf-i3: backward differentiation formulas of variable step and order on the index-3 equations, in the second-order
// form of the ME751 lecture or in the first-order form of the classical codes.
// Theory: docs/theory/bdf-i3.md.

#include "trammel/integrators/implicit/bdf_index3.h"

namespace trammel::integrators {

extern const MethodEntry bdf_i3_entry;

const MethodEntry bdf_i3_entry{
    .name = "bdf-i3",
    .summary = "BDF of variable order on the index-3 equations; for stiff systems and accurate smooth solutions",
    .order = BdfHistory::kLargestOrder,
    .capabilities = {.nonholonomic = true,
                     .implicit_states = true,
                     .reaction_dependent_forces = true,
                     .general_kinematics = false},
    .options =
        {{"max_order",
          {"5", "1", "2", "3", "4", "6"},
          "largest order; from 3 on fast undamped oscillations are amplified, at 6 all but well damped ones"},
         {"order", {"variable", "fixed"}, "chosen by the errors, or raised at every step up to max_order"},
         {"form",
          {"second-order", "first-order"},
          "unknowns of Newton's iteration: accelerations, or positions and velocities, whose matrix is badly "
          "conditioned when steps are small"},
         {"error",
          {"all", "positions"},
          "what the tolerance is about: positions, velocities and states; without velocities"},
         {"project",
          {"yes", "no"},
          "put velocities onto their constraints after every step; no: the bare formula, judged by positions alone, "
          "because its velocities jump with every change of the step"},
         {"reactions",
          {"consistent", "corrector"},
          "accelerations and reactions from the index-1 equations, or as the formula has them"},
         {"newton",
          {"modified", "full", "quasi"},
          "matrix of Newton's iteration: kept while it serves, new at every iteration, or kept and without the "
          "derivatives of M a and G^T lambda"},
         linear_solver_option()},
    .make = [](const MethodContext& context) -> std::unique_ptr<Method> {
      const auto word = [&](const char* name) { return option_value(bdf_i3_entry, context.options, name); };
      BdfIndex3Options options;
      options.max_order = std::stoi(word("max_order"));
      options.fixed_order = word("order") == "fixed";
      options.form = word("form") == "first-order" ? BdfForm::kFirstOrder : BdfForm::kSecondOrder;
      options.projects = word("project") == "yes";
      options.judges_velocities = word("error") == "all" && options.projects;
      options.consistent_reactions = word("reactions") == "consistent";
      options.equations.newton = read_newton_kind(word("newton"));
      options.equations.linear.back_end = linear_solver(bdf_i3_entry, context.options);
      return std::make_unique<BdfIndex3>(context, options);
    },
    .largest_step_share = kImplicitStepShare,
    .changes_order = true};

}  // namespace trammel::integrators
