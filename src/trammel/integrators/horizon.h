#pragma once

// Where steps have to end: at the end of the run, and right before edges of the equations, be they known beforehand
// (Event::instants) or found inside of a step.

#include <optional>
#include <vector>

#include "trammel/integrators/event_locator.h"

namespace trammel::integrators {

/// Where a step ends right before an edge that was found in a longer one.
struct EdgeStop {
  std::size_t event;
  double t;       ///< [s]
  double margin;  ///< how far before the edge that is [s]
};

class Horizon {
 public:
  explicit Horizon(double t_end) : t_end_(t_end) {}

  /// Finds the edges after t_start that are known beforehand.
  void collect_instants(const std::vector<Event>& events, double t_start);
  /// Looks ahead from t: to the next of those edges, or to the end of the run.
  void look_from(double t);
  /// The next time that a step must hit [s].
  const double& t() const { return t_; }
  /// Behind the edge known beforehand that begins at t() [s].
  double behind_instant() const { return instants_[next_].after; }

  /// Where the step from `begin` has to end when the one to `end` went across an edge; nothing when it can hardly end
  /// earlier, or was made to often enough.
  std::optional<EdgeStop> calc_stop(const Root& edge, double begin, double end) const;
  /// Makes it the horizon until the next look_from().
  void set_stop(const EdgeStop& stop);
  const std::optional<EdgeStop>& stop() const { return stop_; }

 private:
  double t_end_;
  double t_ = 0;
  std::vector<math::SignChange> instants_;
  std::size_t next_ = 0;  // of the instants
  std::optional<EdgeStop> stop_;
  int retakes_ = 0;  // since the last look_from()
};

}  // namespace trammel::integrators
