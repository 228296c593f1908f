#pragma once

// What tables of studies share: problems from cases, runs, counts and times.

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "cases/case.h"
#include "trammel/analyses/sampled_run.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"

namespace trammel::bench {

using analyses::CompareProblem;
using integrators::MethodOptions;
using integrators::Options;
using integrators::RunResult;

/// A case as a problem; t_end 0: that of the case. Of equations the events are left out, as on the command line.
CompareProblem make_problem(const std::string& name, const cases::ParameterValues& parameters = {}, double t_end = 0);

Options make_options(const std::string& method, double tolerance, const MethodOptions& settings = {},
                     double h_max = std::numeric_limits<double>::infinity());

bool is_complete(const RunResult& run);
bool has_method(const std::string& name);

long count_rejected(const RunResult& run);
/// How often derivatives were evaluated.
long count_jacobians(const RunResult& run);
/// How often independent coordinates were chosen anew, by the notes of the run.
long count_chart_changes(const RunResult& run);
/// Newton iterations a step, attempts that were rejected included.
double calc_iterations_per_step(const RunResult& run);

/// A run; throws when the method cannot take the problem.
analyses::SampledRun run_or_throw(const CompareProblem& problem, const Options& options,
                                  const analyses::SamplingOptions& sampling = {});

/// A run that is only timed: processor time of the process, all threads [s].
struct TimedRun {
  RunResult result;
  double seconds = 0;
};
/// The median of repetitions, which end when `enough` seconds are spent.
TimedRun run_timed(const CompareProblem& problem, const Options& options, double enough = 0.3);

/// 10^-first to 10^-last.
std::vector<double> decades(int first, int last);

// --- cells of tables
std::string cell(double value, const char* format = "{:.2g}");
std::string cell(long value);
/// "1e-05"
std::string tolerance_cell(double tolerance);
/// Why a run has not reached its end, in short.
std::string trouble_cell(const RunResult& run);

}  // namespace trammel::bench
