#pragma once

// What happens between steps at the user's wish: cancellation, the limit on time, reports of progress.

#include <optional>

#include "trammel/integrators/integrate.h"
#include "trammel/integrators/run_end.h"
#include "trammel/integrators/stopwatch.h"

namespace trammel::integrators {

class Interruption {
 public:
  /// Keeps references.
  Interruption(const Options& options, const Observers& observers, const Stopwatch& stopwatch, double t_end);

  bool is_cancelled() const { return options_.cancel && options_.cancel->load(std::memory_order_relaxed); }
  /// Reports progress when it is time to, at t after that many steps, the last one of size h.
  std::optional<RunEnd> check(double t, double h, long steps);

 private:
  const Options& options_;
  const Observers& observers_;
  const Stopwatch& stopwatch_;
  double t_end_;
  double next_progress_;  // on the stopwatch [s]
};

}  // namespace trammel::integrators
