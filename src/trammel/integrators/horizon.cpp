#include "trammel/integrators/horizon.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::integrators {
namespace {
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
// How often a step is taken back to end before an edge, and how far before, relative to the step.
constexpr int kMaxRetakes = 4;
constexpr double kEdgeMargin = 1e-10;
}  // namespace

/// The edges are taken a little wider than they are: what jumps may see its argument rounded otherwise than the
/// function that knows the edge. Those that touch are one.
void Horizon::collect_instants(const std::vector<Event>& events, double t_start) {
  for (const Event& event : events) {
    if (!event.instants) continue;
    for (math::SignChange instant : event.instants(t_start, t_end_)) {
      instant.before -= 4 * kRoundOff * std::abs(instant.before);
      instant.after = std::min(instant.after + 4 * kRoundOff * std::abs(instant.after), t_end_);
      if (instant.before > t_start && instant.before < t_end_) instants_.push_back(instant);
    }
  }
  std::sort(instants_.begin(), instants_.end(),
            [](const math::SignChange& a, const math::SignChange& b) { return a.before < b.before; });
  std::size_t count = 0;
  for (const math::SignChange& instant : instants_) {
    if (count > 0 && instant.before <= instants_[count - 1].after) {
      instants_[count - 1].after = std::max(instants_[count - 1].after, instant.after);
    } else {
      instants_[count++] = instant;
    }
  }
  instants_.resize(count);
}

void Horizon::look_from(double t) {
  stop_.reset();
  retakes_ = 0;
  while (next_ < instants_.size() && instants_[next_].before <= t) ++next_;
  t_ = next_ < instants_.size() ? instants_[next_].before : t_end_;
}

std::optional<EdgeStop> Horizon::calc_stop(const Root& edge, double begin, double end) const {
  const double margin = kEdgeMargin * (end - begin) + 16 * kRoundOff * std::abs(end);
  const double t = edge.t - margin;
  if (!(t > begin + margin) || retakes_ >= kMaxRetakes) return std::nullopt;
  return EdgeStop{edge.event, t, margin};
}

void Horizon::set_stop(const EdgeStop& stop) {
  stop_ = stop;
  t_ = stop.t;
  ++retakes_;
}

}  // namespace trammel::integrators
