#include "trammel/integrators/implicit/newmark_settings.h"

namespace trammel::integrators {

std::vector<MethodOptionInfo> with_newmark_settings(std::vector<MethodOptionInfo> own) {
  const std::vector<MethodOptionInfo> shared{
      {"after_step",
       {"project", "accelerations", "nothing"},
       "project: velocities onto their constraints, accelerations and reactions from the index-1 equations; "
       "accelerations: the latter alone; nothing: the bare scheme, whose reactions ring"},
      {"error",
       {"all", "positions", "paper"},
       "what the tolerance is about: positions, velocities and states; without velocities; positions and states with "
       "the weights of the HHT paper"},
      {"control",
       {"per-step", "per-unit-step"},
       "the error that a step may make: the tolerance (errors at the end go like its power 2/3), or the tolerance "
       "times "
       "h / 1 s (they are proportional to it)"},
      {"filter", {"yes", "no"}, "damp stiff parts of the error estimate by the matrix of the step"},
      {"rho",
       {"0"},
       "0.5 to 1: extra states by x = x0 + h ((1 - rho) x0' + rho x'), as in the HHT paper; not given, they follow the "
       "formula of the velocities",
       true,
       0.5,
       1},
      {"newton",
       {"modified", "full", "quasi"},
       "matrix of Newton's iteration: kept while it serves, new at every iteration, or kept and without the "
       "derivatives of M a and G^T lambda"},
      {"predictor", {"3", "2", "1", "0"}, "largest degree of the predictor"},
      linear_solver_option(),
  };
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

NewmarkOptions read_newmark_settings(const MethodEntry& entry, const MethodOptions& options) {
  const auto word = [&](const char* name) { return option_value(entry, options, name); };
  NewmarkOptions result;
  const std::string after = word("after_step"), error = word("error");
  result.after_step = after == "project"         ? AfterStep::kProject
                      : after == "accelerations" ? AfterStep::kAccelerations
                                                 : AfterStep::kNothing;
  result.error = error == "all"         ? ErrorMeasure::kAll
                 : error == "positions" ? ErrorMeasure::kPositions
                                        : ErrorMeasure::kPaper;
  result.per_unit_step = word("control") == "per-unit-step";
  result.filters_error = word("filter") == "yes";
  result.rho = option_number(entry, options, "rho");
  result.equations.newton = read_newton_kind(word("newton"));
  result.equations.linear.back_end = linear_solver(entry, options);
  result.max_predictor_degree = std::stoi(word("predictor"));
  return result;
}

}  // namespace trammel::integrators
