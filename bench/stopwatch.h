#pragma once

// How long a call takes on a machine that does other things too.

#include <algorithm>
#include <ctime>
#include <limits>

namespace trammel::bench {

/// Time that this process has computed: what others do on the machine disturbs it least [s].
inline double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Least time of a call over some rounds, each of as many calls as fill a share of a second [s].
template <class Call>
double time_call(const Call& call, int rounds = 7, double round_seconds = 0.01) {
  const auto time_round = [&](int calls) {
    const double begin = processor_seconds();
    for (int k = 0; k < calls; ++k) call();
    return (processor_seconds() - begin) / calls;
  };
  const double warm_up = time_round(1);
  const int calls = static_cast<int>(std::clamp(round_seconds / std::max(warm_up, 1e-9), 1.0, 1e7));
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < rounds; ++k) least = std::min(least, time_round(calls));
  return least;
}

}  // namespace trammel::bench
