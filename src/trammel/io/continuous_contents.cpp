#include "trammel/io/continuous_contents.h"

#include <algorithm>

namespace trammel::io {

const ContinuousInterval& find_interval(const std::vector<ContinuousInterval>& intervals, double t, Side side) {
  const auto next = side == Side::kAfter
                        ? std::upper_bound(intervals.begin(), intervals.end(), t,
                                           [](double time, const ContinuousInterval& i) { return time < i.begin; })
                        : std::lower_bound(intervals.begin(), intervals.end(), t,
                                           [](const ContinuousInterval& i, double time) { return i.begin < time; });
  return next == intervals.begin() ? *next : *(next - 1);
}

const char* find_problem(const std::vector<ContinuousInterval>& intervals, long nodes) {
  long used = 0;  // nodes before the interval, with the one that it may share
  bool may_share = false;
  double last_end = 0;
  for (const ContinuousInterval& interval : intervals) {
    if (!(interval.begin < interval.end) || (&interval != &intervals.front() && !(interval.begin >= last_end))) {
      return "the intervals of its continuous solution are out of order";
    }
    const bool follows = interval.first == used || (may_share && interval.first == used - 1);
    if (!follows || interval.degree < 0 || interval.degree >= nodes - interval.first) {
      return "the nodes of its continuous solution do not fit its intervals";
    }
    used = interval.first + interval.degree + 1;
    may_share = true;
    last_end = interval.end;
  }
  return "";
}

}  // namespace trammel::io
