#pragma once

// Notices events that follow each other without end, so that a run would never get beyond them.
//
// A motion chatters that goes to and fro across an edge of the equations: the value on either side drives it to the
// other. Events accumulate when each makes the next one happen sooner: a ball that comes to rest bounces without end in
// a finite time, and from some bounce on the flight cannot be resolved.

#include <cstddef>

namespace trammel::integrators {

class EndlessEvents {
 public:
  EndlessEvents(double t_start, double t_end) : span_(t_end - t_start), last_t_(t_start - 1) {}

  /// Notes that an edge was crossed at t, in the step of this number. True when the motion chatters.
  bool note_crossing(std::size_t edge, double t, long step);
  /// Notes that events changed the state at t. True when they accumulate there.
  bool note_change(double t);
  /// Notes that the run goes on behind an edge at t.
  void note_passage(double t) { last_t_ = t; }
  /// Whether hardly any time has passed between the last change or passage and t.
  bool is_close_to_last(double t) const;

 private:
  double span_;    // of the run [s]
  double last_t_;  // of a change or a passage [s]
  int changes_in_a_row_ = 0;
  std::size_t crossed_edge_ = 0;
  long last_crossing_ = -1;  // step in which it was crossed
  double first_crossing_t_ = 0;
  int crossings_in_a_row_ = 0;
};

}  // namespace trammel::integrators
