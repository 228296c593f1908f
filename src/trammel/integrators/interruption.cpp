#include "trammel/integrators/interruption.h"

#include <fmt/format.h>

#include <cmath>

namespace trammel::integrators {

Interruption::Interruption(const Options& options, const Observers& observers, const Stopwatch& stopwatch, double t_end)
    : options_(options),
      observers_(observers),
      stopwatch_(stopwatch),
      t_end_(t_end),
      next_progress_(observers.progress_interval) {}

std::optional<RunEnd> Interruption::check(double t, double h, long steps) {
  if (is_cancelled()) return RunEnd::stopped(StopReason::kCancelled, fmt::format("cancelled at t = {:g}", t));
  const bool has_limit = std::isfinite(options_.time_limit);
  if (!has_limit && !observers_.progress) return std::nullopt;
  const double seconds = stopwatch_.wall_seconds();
  if (has_limit && seconds > options_.time_limit) {
    return RunEnd::stopped(StopReason::kTimeLimit,
                           fmt::format("the time limit of {:g} s was reached at t = {:g}", options_.time_limit, t));
  }
  if (observers_.progress && seconds >= next_progress_) {
    next_progress_ = seconds + observers_.progress_interval;
    observers_.progress({t, t_end_, h, steps, seconds});
  }
  return std::nullopt;
}

}  // namespace trammel::integrators
