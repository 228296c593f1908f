#include "trammel/analyses/error_analysis.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trammel::analyses {
namespace {

// Less than this share of the largest value counts as near zero. Reactions after a stiff start are a hundredth of what
// they begin with (double-pendulum, lambda(hinge.x)), and not near zero.
constexpr double kNearZero = 1e-3;
// Ends of runs and references are the same up to round-off.
constexpr double kSameTime = 1e-12;

}  // namespace

void ErrorSum::add(double t, double value, CurveSide side) {
  const double begin = reference_.begin(), end = reference_.end();
  const double margin = kSameTime * std::max(std::abs(begin), std::abs(end));
  if (!(t >= begin - margin && t <= end + margin) || !std::isfinite(value)) {
    ++found_.left_out;
    return;
  }
  const CurveValue at = reference_.calc(std::clamp(t, begin, end), side);
  if (!std::isfinite(at.value)) {
    ++found_.left_out;
    return;
  }
  const double difference = std::abs(at.value - value);
  if (found_.points == 0 || difference > found_.largest) {
    found_.largest = difference;
    found_.t = t;
    found_.value = value;
    found_.reference = at.value;
  }
  ++found_.points;
  sum_ += difference * difference;
  found_.scale = std::max(found_.scale, std::abs(at.value));
  found_.interpolation = std::max(found_.interpolation, at.uncertainty);
}

VariableError ErrorSum::error() const {
  VariableError error = found_;
  if (!error.exists()) return error;
  const auto n = static_cast<double>(error.points);
  error.mean = std::sqrt(sum_) / n;
  error.rms = std::sqrt(sum_ / n);
  const double size = std::abs(error.reference);
  if (size > 0 && size >= kNearZero * error.scale) error.relative = 100 * error.largest / size;
  return error;
}

ErrorAnalysis::ErrorAnalysis(std::shared_ptr<const ReferenceCurve> reference) : reference_(std::move(reference)) {}

VariableError ErrorAnalysis::calc(std::span<const double> times, std::span<const double> values) const {
  if (times.size() != values.size()) throw std::invalid_argument("a run needs as many values as grid points");
  ErrorSum sum(*reference_);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const bool is_before = i + 1 < times.size() && times[i + 1] == times[i];
    sum.add(times[i], values[i], is_before ? CurveSide::kBefore : CurveSide::kAfter);
  }
  return sum.error();
}

}  // namespace trammel::analyses
