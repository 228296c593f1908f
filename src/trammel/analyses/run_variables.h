#pragma once

// Variables of runs for error_analysis.h: their values along a run, as a reference or against one.
//
//   const RunVariables variables{{"crank.angle"}, [] { return list_of_crank_angle; }};
//   const RecordedCurves reference = record_curves(problem, tight_options, variables, problem.t_end);
//   RunErrors errors(variables, reference.curves);
//   run_sampled(problem, options, {.times = {}, .interval = [&](const auto& interval) { errors.add(interval); }});
//   errors.list()

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trammel/analyses/error_analysis.h"
#include "trammel/analyses/sampled_run.h"

namespace trammel::analyses {

/// Gets complete states with quasi-velocities in the order of time, and fills one value a variable.
using ListVariables = std::function<void(const dae::State&, std::span<double>)>;

struct RunVariables {
  std::vector<std::string> names;
  std::function<ListVariables()> make_list;  ///< for one run; called from several threads at once

  bool is_empty() const { return names.empty(); }
};

/// One a variable.
using ReferenceCurves = std::vector<std::shared_ptr<const ReferenceCurve>>;

/// The errors of one run at its grid points: its start, the ends of accepted steps, both sides of what an event cuts.
class RunErrors {
 public:
  /// Keeps references. Throws std::invalid_argument when there are not as many curves as variables.
  RunErrors(const RunVariables& variables, const ReferenceCurves& reference);

  void add(const integrators::SolutionInterval& interval);
  std::vector<VariableError> list() const;

 private:
  void add_point(const integrators::SolutionInterval& interval, double t, CurveSide side);

  const RunVariables& variables_;
  ListVariables list_values_;
  std::vector<double> values_;
  std::vector<ErrorSum> sums_;
};

struct RecordedCurves {
  ReferenceCurves curves;
  std::string obstacle;  ///< why there are none; empty when there are
};

/// Runs the method of the options and keeps its continuous solution up to the last step that ends at or before `end`.
RecordedCurves record_curves(const CompareProblem& problem, const integrators::Options& options,
                             const RunVariables& variables, double end);

}  // namespace trammel::analyses
