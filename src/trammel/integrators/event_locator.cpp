#include "trammel/integrators/event_locator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/math/bracketed_root.h"

namespace trammel::integrators {
namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kMaxRefinements = 8;
// A margin that is zero and stays so has been left when it is this far below: slip velocities [m/s, rad/s] of rest are
// smaller.
constexpr double kDeparture = 1e-9;

int sign_of(double value) { return (value > 0) - (value < 0); }
}  // namespace

EventLocator::EventLocator(const std::vector<Event>& events, ContinuousSolution& solution, int checks_per_step)
    : events_(events), solution_(solution), checks_(checks_per_step), memory_(events.size()) {
  for (const Event& event : events) {
    if (!event.instants) is_idle_ = false;
    if (event.needs_accelerations) detail_ = Detail::kAccelerations;
  }
  roots_.reserve(4 * events.size());
}

void EventLocator::start(const dae::State& state, const std::vector<std::size_t>& fired) {
  caused_.clear();
  for (std::size_t i = 0; i < events_.size(); ++i) {
    Memory& m = memory_[i];
    const int sign_before = m.sign;
    m = {};
    if (events_[i].instants) continue;
    m.value = events_[i].function(state);
    if (std::abs(m.value) > events_[i].threshold) m.sign = sign_of(m.value);
    const bool has_fired = std::find(fired.begin(), fired.end(), i) != fired.end();
    if (!has_fired && sign_before * m.sign < 0 && is_wanted(events_[i], sign_before)) caused_.push_back(i);
    const bool is_margin = static_cast<bool>(events_[i].settle);
    if (is_margin ? m.sign < 0 : has_fired) m.sign = 0;
  }
}

void EventLocator::cut(const dae::State& state) {
  memory_ = memory_before_;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (events_[i].instants) continue;
    const double value = events_[i].function(state);
    if (std::abs(value) > events_[i].threshold) memory_[i].sign = sign_of(value);
  }
}

bool EventLocator::is_wanted(const Event& event, int sign_before) const {
  switch (event.crossing) {
    case Crossing::kRising: return sign_before < 0;
    case Crossing::kFalling: return sign_before > 0;
    case Crossing::kAny: break;
  }
  return true;
}

double EventLocator::value_at(const Event& event, double t, Detail detail) {
  const dae::State* state = solution_.at(t, detail);
  return state ? event.function(*state) : kNaN;
}

const std::vector<Root>& EventLocator::find_roots(double begin, double end) {
  roots_.clear();
  if (is_idle_) return roots_;
  memory_before_ = memory_;
  for (Memory& m : memory_) {
    m.has_last = m.sign != 0 && sign_of(m.value) == m.sign;
    m.last_t = begin;
    m.last_value = m.value;
  }
  for (int k = 1; k <= checks_; ++k) {
    const double t = k == checks_ ? end : begin + (end - begin) * k / checks_;
    const dae::State* state = solution_.at(t, detail_);
    if (!state) continue;
    // All values first: looking for a root moves the state.
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (!events_[i].instants) memory_[i].value = events_[i].function(*state);
    }
    for (std::size_t i = 0; i < events_.size(); ++i) check(i, begin, t);
  }
  std::sort(roots_.begin(), roots_.end(),
            [](const Root& a, const Root& b) { return a.t != b.t ? a.t < b.t : a.event < b.event; });
  return roots_;
}

void EventLocator::check(std::size_t index, double begin, double t) {
  const Event& event = events_[index];
  Memory& m = memory_[index];
  if (m.sign == -sign_of(m.value) && m.sign != 0) {  // on the other side of zero
    const bool confirmed = std::abs(m.value) > event.threshold;
    if (m.has_last && !m.has_candidate && is_wanted(event, m.sign) &&
        (confirmed || event.action == EventAction::kReport)) {
      m.candidate = locate(event, m, t);
      m.has_candidate = true;
    }
    if (confirmed) {
      if (is_wanted(event, m.sign)) roots_.push_back({index, m.has_candidate ? m.candidate : begin});
      m.sign = -m.sign;
    }
  }
  if (m.sign == 0 && event.settle && m.value < -event.threshold) {
    roots_.push_back({index, locate_departure(event, m, t)});
  }
  if (m.sign == 0 && std::abs(m.value) > event.threshold) m.sign = sign_of(m.value);
  if (m.sign != 0 && sign_of(m.value) == m.sign) {
    m.has_candidate = false;
    m.has_last = true;
    m.last_t = t;
    m.last_value = m.value;
  }
}

double EventLocator::locate(const Event& event, const Memory& m, double t) {
  const Detail detail = event.needs_accelerations ? Detail::kAccelerations : Detail::kInterpolated;
  const auto f = [&](double s) { return value_at(event, s, detail); };
  const double rough = math::find_bracketed_root(f, m.last_t, m.last_value, t, m.value, 1e-12 * (t - m.last_t));
  return refine(event, rough, m.last_t, t);
}

/// When a margin that was zero at the last point becomes negative.
double EventLocator::locate_departure(const Event& event, const Memory& m, double t) {
  if (!(m.last_value + kDeparture > 0 && m.value + kDeparture < 0)) return t;
  const Detail detail = event.needs_accelerations ? Detail::kAccelerations : Detail::kInterpolated;
  const auto f = [&](double s) { return value_at(event, s, detail) + kDeparture; };
  return math::find_bracketed_root(f, m.last_t, m.last_value + kDeparture, t, m.value + kDeparture,
                                   1e-12 * (t - m.last_t));
}

double EventLocator::refine(const Event& event, double t, double begin, double end) {
  // Secant steps on the consistent solution, which differs from the interpolated one by less than the tolerance.
  const double width = std::max(1e-6 * (end - begin), 4 * std::numeric_limits<double>::epsilon() * std::abs(t));
  double t0 = t > begin + width ? t - width : t + width, t1 = t;
  double f0 = value_at(event, t0, Detail::kConsistent), f1 = value_at(event, t1, Detail::kConsistent);
  for (int k = 0; k < kMaxRefinements && f1 != 0; ++k) {
    const double next = t1 - f1 * (t1 - t0) / (f1 - f0);
    if (!(next >= begin && next <= end)) break;  // also when not a number: the rough root is the best there is
    t0 = t1;
    f0 = f1;
    t1 = next;
    f1 = value_at(event, t1, Detail::kConsistent);
    if (std::abs(t1 - t0) <= 1e-13 * (end - begin) || t1 == t0) break;
  }
  // A function that jumps is no smaller anywhere.
  return std::isfinite(f1) && std::abs(f1) < std::abs(value_at(event, t, Detail::kConsistent)) ? t1 : t;
}

}  // namespace trammel::integrators
