#include "trammel/integrators/output_schedule.h"

#include <cmath>

namespace trammel::integrators {

OutputSchedule::OutputSchedule(const OutputOptions& options, double t_start, double t_end)
    : options_(options), t_start_(t_start), t_end_(t_end), last_(t_start) {
  if (options.kind != OutputKind::kPoints) return;
  next_ = 0;
  if (wants_start()) ++next_;
}

bool OutputSchedule::wants_start() const {
  return options_.kind != OutputKind::kPoints || options_.points.front() == t_start_;
}

double OutputSchedule::uniform_point(long k) const {
  const double t = t_start_ + static_cast<double>(k) * options_.interval;
  // The end of the run counts as a point of the grid when only round-off keeps them apart.
  return std::abs(t - t_end_) <= 1e-9 * options_.interval ? t_end_ : t;
}

bool OutputSchedule::take(double begin, double end, double& t) {
  switch (options_.kind) {
    case OutputKind::kEndOnly: return false;
    case OutputKind::kUniform:
      t = uniform_point(next_);
      if (t > end) return false;
      ++next_;
      break;
    case OutputKind::kPoints:
      if (next_ >= static_cast<long>(options_.points.size())) return false;
      t = options_.points[static_cast<std::size_t>(next_)];
      if (t > end) return false;
      ++next_;
      break;
    case OutputKind::kSteps:
    case OutputKind::kMaximalInterval: {
      if (last_ == end) return false;
      const bool fills = options_.kind == OutputKind::kMaximalInterval;
      const double gaps = fills ? std::ceil((end - begin) / options_.interval * (1 - 1e-12)) : 1.0;
      if (last_ <= begin) between_ = 0;
      ++between_;
      t = static_cast<double>(between_) < gaps ? begin + (end - begin) * static_cast<double>(between_) / gaps : end;
      break;
    }
  }
  last_ = t;
  return true;
}

bool OutputSchedule::wants_last(double t) const { return options_.kind != OutputKind::kPoints && last_ < t; }

}  // namespace trammel::integrators
