#pragma once

// Finds the roots of switching functions inside of accepted steps.
//
// Each step is looked at in a few checking points. A root lies between two points where the function exceeds its
// threshold with opposite signs; it is bracketed by Brent's method on the interpolated solution and then refined on
// the solution moved onto the constraints (MEXX report, 2.5 and (4.1)). When the function stays below its threshold
// for longer than a step around its root, the root is confirmed later: a report then still gives its time, a stop or a
// restart takes place at the beginning of the step that confirms it. A margin (Event::settle) that is found below zero
// without having been above, right after a restart, counts as a root where it is found.

#include <vector>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/event.h"

namespace trammel::integrators {

/// A root inside of the last step.
struct Root {
  std::size_t event;
  double t;
};

class EventLocator {
 public:
  EventLocator(const std::vector<Event>& events, ContinuousSolution& solution, int checks_per_step);

  /// Takes the signs at the first state of a run, or after a restart; what `fired` just caused is not seen again.
  void start(const dae::State& state, const std::vector<std::size_t>& fired = {});
  /// The events whose functions changed sign between the last point and the state of start(): what fired made them
  /// happen.
  const std::vector<std::size_t>& caused() const { return caused_; }
  /// The roots in (begin, end], by time; the step has just been accepted.
  const std::vector<Root>& find_roots(double begin, double end);
  /// Those of the last find_roots().
  const std::vector<Root>& roots() const { return roots_; }
  /// The step of the last find_roots() ends at this state already: what was seen beyond it has not happened.
  void cut(const dae::State& state);
  /// Forgets the last find_roots(): its step was taken back.
  void undo() { memory_.swap(memory_before_); }

 private:
  struct Memory {
    int sign = 0;       // at the last point where the function exceeded its threshold; 0: not known yet
    double last_t = 0;  // the last point of this step at which the function still had that sign
    double last_value = 0;
    bool has_last = false;
    double value = 0;      // at the present checking point
    double candidate = 0;  // a root below the threshold, not confirmed yet
    bool has_candidate = false;
  };

  void check(std::size_t index, double begin, double t);
  double locate(const Event& event, const Memory& m, double t);
  double locate_departure(const Event& event, const Memory& m, double t);
  double value_at(const Event& event, double t, Detail detail);
  bool is_wanted(const Event& event, int sign_before) const;
  double refine(const Event& event, double t, double begin, double end);

  const std::vector<Event>& events_;
  ContinuousSolution& solution_;
  int checks_;
  bool is_idle_ = true;                    // nothing to look for: all events know their times
  Detail detail_ = Detail::kInterpolated;  // of the checking points
  std::vector<Memory> memory_, memory_before_;
  std::vector<Root> roots_;
  std::vector<std::size_t> caused_;
};

}  // namespace trammel::integrators
