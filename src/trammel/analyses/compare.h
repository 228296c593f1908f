#pragma once

// Which method is best for a problem: every method at every tolerance, errors against a reference that is found by the
// program or given, rankings and advice.
//
//   Comparison comparison = compare([] { return make_problem(); }, CompareOptions{});
//   for (const ComparedRun& run : comparison.runs) ...
//
// Errors are those of trajectory_error.h, headline errors those of positions. Runs go on in parallel, one a thread,
// each on a problem of its own; their times are processor times of their thread. Nothing is written or printed here.

#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/analyses/advice.h"
#include "trammel/analyses/compared_run.h"

namespace trammel::analyses {

struct CompareOptions {
  std::vector<std::string> methods = {};                                        ///< names; empty: all there are
  std::vector<double> tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};  ///< relative and absolute alike, > 0
  int samples = 100;                                                            ///< times for errors, >= 1
  double time_limit = 60;                                                       ///< for each run, wall clock [s], > 0
  int jobs = 0;                                            ///< threads, >= 0; 0: as many as there are processors
  double h_max = std::numeric_limits<double>::infinity();  ///< largest step of all runs [s], > 0
  std::map<std::string, integrators::MethodOptions> method_options = {};  ///< by method
  double timing_seconds = 0.05;                                           ///< as in RunSettings, >= 0
  ReferenceOptions reference = {};            ///< `jobs` and `wanted_agreement` are set here
  RunVariables variables = {};                ///< whose errors are analysed one by one; none: no such analysis
  const std::atomic<bool>* cancel = nullptr;  ///< set to true by another thread to end after the present steps

  /// One message for each thing that is wrong; empty when all is well.
  std::vector<std::string> validate() const;
};

/// A method that cannot take the problem.
struct UnfitMethod {
  std::string method;
  std::string reason;
};

struct CompareProgress {
  int done = 0;                      ///< runs, those that were taken over included
  int total = 0;                     ///< runs; 0 while the reference is looked for
  std::vector<std::string> running;  ///< "hht 1e-06"
};

/// All may be empty. They are called one at a time, from any thread.
struct CompareObserver {
  std::function<void(const ReferenceSolution&)> reference;
  std::function<void(const Stiffness&)> stiffness;
  std::function<void(const ComparedRun&)> run;  ///< finished or skipped, never a cancelled one
  std::function<void(const CompareProgress&)> progress;
};

/// What is known beforehand: a reference that is given, or what an interrupted comparison has left.
struct CompareStart {
  std::optional<ReferenceSolution> reference;
  ReferenceCurves curves;  ///< of the variables, which go with a reference that is given
  std::optional<Stiffness> stiffness;
  std::vector<ComparedRun> runs;
};

struct Comparison {
  ReferenceSolution reference;
  Stiffness stiffness;
  ProblemFacts facts;
  std::vector<ComparedRun> runs;  ///< by method in the order of the options, loose tolerances first
  std::vector<UnfitMethod> unfit;
  std::vector<Ranking> rankings;  ///< by decades of the error
  Advice advice;
  /// Of variables and a reference that was found: how far the method that agrees with it is from it. Errors of runs
  /// that are not several times larger mean nothing.
  std::vector<VariableError> variable_limits;
  bool is_cancelled = false;  ///< some runs are missing

  bool has_completed_run() const;
};

/// Throws std::invalid_argument when the options are not valid or name a method that there is not, or when a reference
/// that is given has other coordinates than the problem or comes without curves of the variables.
Comparison compare(const ProblemFactory& factory, const CompareOptions& options, const CompareObserver& observer = {},
                   CompareStart start = {});

}  // namespace trammel::analyses
