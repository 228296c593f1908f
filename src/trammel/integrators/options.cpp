#include "trammel/integrators/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace trammel::integrators {

std::vector<std::string> Options::validate(double t_start, double t_end) const {
  std::vector<std::string> problems;
  const auto require = [&](bool condition, std::string message) {
    if (!condition) problems.push_back(std::move(message));
  };
  require(std::isfinite(t_start) && std::isfinite(t_end), "the start and the end time must be finite numbers");
  require(t_end >= t_start, fmt::format("the end time {} lies before the start time {}", t_end, t_start));
  require(std::isfinite(rtol) && rtol >= 0,
          fmt::format("the relative tolerance is {}, but must not be negative", rtol));
  require(std::isfinite(atol) && atol > 0, fmt::format("the absolute tolerance is {}, but must be positive", atol));
  require(h_initial >= 0, fmt::format("the first step is {}, but must not be negative", h_initial));
  require(h_max > 0, fmt::format("the largest step is {}, but must be positive", h_max));
  require(h_min >= 0 && h_min < h_max,
          fmt::format("the smallest step {} must lie between 0 and the largest step {}", h_min, h_max));
  require(std::isfinite(h_fixed) && h_fixed >= 0,
          fmt::format("the fixed step is {}, but must not be negative", h_fixed));
  // The time cannot resolve steps below its rounding.
  const double resolution = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t_start), std::abs(t_end));
  require(!(h_initial > 0) || h_initial > resolution || t_end == t_start,
          fmt::format("the first step {} is smaller than what a time of {} can resolve", h_initial, t_end));
  require(!(h_max > 0) || h_max > resolution || t_end == t_start,
          fmt::format("the largest step {} is smaller than what a time of {} can resolve", h_max, t_end));
  require(h_fixed <= 0 || h_fixed > resolution || t_end == t_start,
          fmt::format("the fixed step {} is smaller than what a time of {} can resolve", h_fixed, t_end));
  require(h_fixed <= 0 || (h_initial == 0 && h_min == 0 && std::isinf(h_max)),
          "a fixed step excludes an initial, a smallest and a largest one");
  require(rtol <= 0 || rtol >= 100 * std::numeric_limits<double>::epsilon(),
          fmt::format("the relative tolerance {} is below what double precision allows (2.2e-14)", rtol));
  require(max_steps > 0, fmt::format("the largest number of steps is {}, but must be positive", max_steps));
  require(time_limit > 0, fmt::format("the time limit is {}, but must be positive", time_limit));
  require(event_checks >= 1, fmt::format("event_checks is {}, but must be at least 1", event_checks));
  const bool needs_interval = output.kind == OutputKind::kUniform || output.kind == OutputKind::kMaximalInterval;
  require(!needs_interval || (std::isfinite(output.interval) && output.interval > 0),
          fmt::format("the output interval is {}, but must be positive", output.interval));
  require(!needs_interval || !(output.interval > 0) || (t_end - t_start) / output.interval <= 1e9,
          fmt::format("an output interval of {} would give more than 1e9 outputs", output.interval));
  if (output.kind == OutputKind::kPoints) {
    require(!output.points.empty(), "no output points are given");
    require(std::is_sorted(output.points.begin(), output.points.end(), std::less_equal<>()),
            "the output points must increase");
    for (const double point : output.points) {
      require(point >= t_start && point <= t_end,
              fmt::format("the output point {} lies outside of the run from {} to {}", point, t_start, t_end));
    }
  }
  return problems;
}

}  // namespace trammel::integrators
