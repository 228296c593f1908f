#pragma once

// Runs a method over a time span: the step loop that all methods share.
//
//   Options options = Options::with_tolerance(1e-8);
//   RunResult result = integrate(system, start, 10.0, options);
//
// Bad input, failures and limits are values in the result; whatever was computed before a failure is kept.

#include <functional>
#include <string>
#include <vector>

#include "trammel/integrators/event.h"
#include "trammel/integrators/options.h"
#include "trammel/integrators/result.h"

namespace trammel::integrators {

struct MethodEntry;

struct Progress {
  double t;        ///< [s]
  double t_end;    ///< [s]
  double h;        ///< [s], last step
  long steps;      ///< accepted
  double seconds;  ///< wall clock since the start
};

/// An accepted step.
struct StepRecord {
  double t;                    ///< its end [s]
  double h;                    ///< [s]
  double error;                ///< at most 1 under error control
  int order = 0;               ///< of the formula; 0 where there is none
  long newton_iterations = 0;  ///< of all attempts at this step
  long rejected = 0;           ///< attempts before the one that was accepted
};

/// A piece of the solution that is final and smooth: an accepted step, or what an event has left of one.
struct SolutionInterval {
  double begin, end;  ///< [s]
  int degree;         ///< in time, of the polynomial that the method interpolates with
  bool continues;     ///< it begins with the last state of the interval before: no start, restart or jump between
  /// The consistent and complete state at t of [begin, end], valid until the next call; at the end of an interval that
  /// an event has cut, the one before the event. nullptr where the equations are singular.
  std::function<const dae::State*(double t)> at;
};

/// Functions of the user that are called along a run. All may be empty.
struct Observers {
  std::function<void(const StepRecord&)> step;            ///< after every accepted step
  std::function<void(const dae::State&)> output;          ///< at the output points, consistent and complete states
  std::function<void(const SolutionInterval&)> interval;  ///< after the output within it; together they are the run
  std::function<void(const Progress&)> progress;          ///< about every `progress_interval`
  double progress_interval = 0.5;                         ///< wall clock [s]
};

/// Integrates from `start` (t, q, v, x; made consistent first) to t_end with the method that the options name.
RunResult integrate(const dae::ConstrainedSystem& system, const dae::State& start, double t_end,
                    const Options& options = {}, const std::vector<Event>& events = {},
                    const Observers& observers = {});

/// The same with a method of the caller's own; the name in the options is not looked at.
RunResult integrate_with(const MethodEntry& method, const dae::ConstrainedSystem& system, const dae::State& start,
                         double t_end, const Options& options = {}, const std::vector<Event>& events = {},
                         const Observers& observers = {});

}  // namespace trammel::integrators
