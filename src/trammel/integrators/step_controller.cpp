#include "trammel/integrators/step_controller.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {
namespace {
// Errors below this say only that the step was very good; the factor is limited anyway.
constexpr double kLeastError = 1e-10;
}  // namespace

double StepController::after_accepted(double h, int order, double error) {
  error = std::max(error, kLeastError);
  const double exponent = 1.0 / (order + 1) - 0.75 * options_.beta;
  double factor = options_.safety * std::pow(error, -exponent) * std::pow(previous_error_, options_.beta);
  factor = std::clamp(factor, options_.min_factor, rejected_ ? 1.0 : options_.max_factor);
  previous_error_ = std::max(error, 1e-4);
  rejected_ = false;
  return h * factor;
}

double StepController::after_rejected(double h, int order, double error) {
  rejected_ = true;
  const double factor = std::isfinite(error) ? options_.safety * std::pow(error, -1.0 / (order + 1)) : 0.0;
  return h * std::clamp(factor, options_.min_factor, 0.9);
}

double StepController::after_failure(double h) {
  rejected_ = true;
  return h * options_.failure_factor;
}

void StepController::reset() {
  previous_error_ = 1e-4;
  rejected_ = false;
}

}  // namespace trammel::integrators
