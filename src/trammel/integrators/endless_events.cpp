#include "trammel/integrators/endless_events.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {
namespace {
// Changes in a row, each this close to the last one (relative to the time), that are not an accumulation yet.
constexpr int kMaxChangesInARow = 5;
constexpr double kAccumulationInterval = 1e-9;
// Crossings of the same edge, few steps apart and within this share of the time span, from which on a motion chatters.
constexpr int kMaxCrossingsInARow = 1000;
constexpr int kStepsBetweenCrossings = 3;
constexpr double kChatteringShare = 1e-3;
}  // namespace

bool EndlessEvents::note_crossing(std::size_t edge, double t, long step) {
  const bool goes_on = edge == crossed_edge_ && step <= last_crossing_ + kStepsBetweenCrossings;
  last_crossing_ = step;
  crossed_edge_ = edge;
  if (!goes_on) {
    crossings_in_a_row_ = 0;
    first_crossing_t_ = t;
  }
  return ++crossings_in_a_row_ >= kMaxCrossingsInARow && !(t - first_crossing_t_ > kChatteringShare * span_);
}

bool EndlessEvents::note_change(double t) {
  changes_in_a_row_ = is_close_to_last(t) ? changes_in_a_row_ + 1 : 0;
  last_t_ = t;
  return changes_in_a_row_ > kMaxChangesInARow;
}

bool EndlessEvents::is_close_to_last(double t) const {
  return t - last_t_ <= kAccumulationInterval * std::max(1.0, std::abs(t));
}

}  // namespace trammel::integrators
