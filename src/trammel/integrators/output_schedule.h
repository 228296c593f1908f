#pragma once

// Which points of a step go to the user's output.

#include <vector>

#include "trammel/integrators/options.h"

namespace trammel::integrators {

class OutputSchedule {
 public:
  OutputSchedule(const OutputOptions& options, double t_start, double t_end);

  /// Whether the first state is output.
  bool wants_start() const;
  /// The next point after the last one taken that lies in (begin, end] of an accepted step; false when there is none.
  /// Call until it is false. The end of a step is given exactly as `end`.
  bool take(double begin, double end, double& t);
  /// Whether the state after a restart, at the same time as the one before it, is output, too.
  bool wants_changes() const {
    return options_.kind == OutputKind::kSteps || options_.kind == OutputKind::kMaximalInterval;
  }
  /// Whether the last state of a run, at t, still has to be output.
  bool wants_last(double t) const;

 private:
  double uniform_point(long k) const;

  const OutputOptions& options_;
  double t_start_, t_end_;
  long next_ = 1;     // uniform: index of the next point; points: position in the list
  long between_ = 0;  // maximal interval: points taken inside of the present step
  double last_;       // the last point taken
};

}  // namespace trammel::integrators
