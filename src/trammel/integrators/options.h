#pragma once

// What the user of an integration chooses. Defaults are sound; validate() says what is wrong in words.

#include <atomic>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace trammel::integrators {

enum class OutputKind {
  kEndOnly,          ///< the first and the last state
  kUniform,          ///< every `interval` seconds from the start
  kSteps,            ///< every accepted step
  kMaximalInterval,  ///< every accepted step, and points between so that no gap exceeds `interval`
  kPoints,           ///< the given `points`
};

struct OutputOptions {
  OutputKind kind = OutputKind::kEndOnly;
  double interval = 0;         ///< [s], > 0 where used
  std::vector<double> points;  ///< [s], increasing, within the run
};

/// Settings of one method, by name: what a method offers is in its entry.
using MethodOptions = std::map<std::string, std::string>;

struct Options {
  std::string method = "projection";
  MethodOptions method_options;

  /// A step is accepted when the root mean square of error / (rtol |y| + atol) over q, v and x is at most 1
  /// (mexx: the root of the sum of those of q, v and x, unless error_norm=common).
  double rtol = 1e-6;  ///< >= 0
  double atol = 1e-6;  ///< > 0

  double h_initial = 0;                                    ///< [s]; 0: found by the program
  double h_max = std::numeric_limits<double>::infinity();  ///< [s], > 0; infinite: what the method has in its entry
  double h_min = 0;                                        ///< [s]; 0: what round-off in t allows
  double h_fixed = 0;            ///< [s]; > 0: every step has this size, errors are not looked at
  long max_steps = 100'000'000;  ///< accepted and rejected together, > 0
  double time_limit = std::numeric_limits<double>::infinity();  ///< wall clock [s], > 0

  OutputOptions output;
  int event_checks = 4;  ///< looks at the switching functions per step, >= 1; the last one at its end
  /// Set to true by another thread to end the run after the present step.
  const std::atomic<bool>* cancel = nullptr;

  static Options with_tolerance(double tolerance) {
    Options options;
    options.rtol = options.atol = tolerance;
    return options;
  }

  /// One message for each thing that is wrong; empty when all is well.
  std::vector<std::string> validate(double t_start, double t_end) const;
};

}  // namespace trammel::integrators
