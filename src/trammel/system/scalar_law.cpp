#include "trammel/system/scalar_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::system {
namespace {

/// 3 s^2 - 2 s^3 between 0 and 1, and its slope.
double smooth_step(double s, double& slope) {
  if (s <= 0 || s >= 1) {
    slope = 0;
    return s <= 0 ? 0 : 1;
  }
  slope = 6 * s * (1 - s);
  return s * s * (3 - 2 * s);
}

/// The force of a stop that is pressed in by `depth` > 0 at the rate `rate`, never pulling; adds to the law's value
/// with the sign of the side.
void add_stop(const model::Stop& stop, double depth, double rate, double side, ScalarLaw::Value& value) {
  if (!(depth > 0)) return;
  double slope = 0;
  const double share = smooth_step(depth / stop.depth, slope);
  const double elastic = stop.stiffness * std::pow(depth, stop.exponent);
  const double force = elastic + stop.damping * rate * share;
  value.potential += elastic * depth / (stop.exponent + 1);
  if (force <= 0) return;
  // depth = side * c + const, so that derivatives by c carry the side twice.
  value.force -= side * force;
  value.by_value -=
      stop.stiffness * stop.exponent * std::pow(depth, stop.exponent - 1) + stop.damping * rate * slope / stop.depth;
  value.by_rate -= stop.damping * share;
}

}  // namespace

ScalarLaw::ScalarLaw(const model::Model& model, const model::ForceLaw& law, const Signals& signals)
    : law_(law), has_expression_(law.expression.has_value()) {
  if (law.stiffness_curve >= 0) stiffness_curve_ = &model.curves[static_cast<std::size_t>(law.stiffness_curve)].spline;
  if (law.damping_curve >= 0) damping_curve_ = &model.curves[static_cast<std::size_t>(law.damping_curve)].spline;
  if (law.expression) expression_ = ProgramUse(*law.expression, signals);
}

ScalarLaw::Value ScalarLaw::calc(double c, double rate) const {
  Value value;
  const double deflection = c - law_.reference;
  value.force = law_.preload - law_.stiffness * deflection - law_.damping * rate;
  value.by_value = -law_.stiffness;
  value.by_rate = -law_.damping;
  value.potential = (0.5 * law_.stiffness * deflection - law_.preload) * deflection;
  const bool is_left =
      (stiffness_curve_ && !stiffness_curve_->covers(deflection)) || (damping_curve_ && !damping_curve_->covers(rate));
  if (is_left) {
    value.force = value.by_value = value.by_rate = value.potential = std::numeric_limits<double>::quiet_NaN();
    return value;
  }
  if (stiffness_curve_) {
    value.force -= stiffness_curve_->calc_value(deflection);
    value.by_value -= stiffness_curve_->calc_derivative(deflection);
    value.potential += stiffness_curve_->calc_integral(deflection);
  }
  if (damping_curve_) {
    value.force -= damping_curve_->calc_value(rate);
    value.by_rate -= damping_curve_->calc_derivative(rate);
  }
  if (law_.coulomb != 0 || law_.breakaway != 0) {
    const double along = std::tanh(rate / law_.smoothing_velocity);
    double size = law_.coulomb, size_by_rate = 0;
    if (law_.breakaway != 0 && law_.stribeck_velocity > 0) {
      const double s = rate / law_.stribeck_velocity, extra = (law_.breakaway - law_.coulomb) * std::exp(-s * s);
      size += extra;
      size_by_rate = -2 * s / law_.stribeck_velocity * extra;
    }
    value.force -= size * along;
    value.by_rate -= size_by_rate * along + size * (1 - along * along) / law_.smoothing_velocity;
  }
  if (law_.stop) {
    add_stop(*law_.stop, c - law_.stop->upper, rate, 1, value);
    add_stop(*law_.stop, law_.stop->lower - c, -rate, -1, value);
  }
  return value;
}

std::string ScalarLaw::find_left_curve(const model::Model& model, double c, double rate) const {
  const auto describe = [&](int curve, double x) -> std::string {
    if (curve < 0) return {};
    const model::Curve& left = model.curves[static_cast<std::size_t>(curve)];
    if (left.spline.covers(x)) return {};
    const std::vector<double>& knots = left.spline.knots();
    const bool is_before = x < knots.front();
    return fmt::format("curve '{}' is left {} at {:g}", left.name, is_before ? "before its begin" : "beyond its end",
                       is_before ? knots.front() : knots.back());
  };
  const std::string of_stiffness = describe(law_.stiffness_curve, c - law_.reference);
  return of_stiffness.empty() ? describe(law_.damping_curve, rate) : of_stiffness;
}

double ScalarLaw::calc_dissipative(double c, double rate) const {
  // A curve that does not vanish at rest pushes there, without a potential.
  const double at_rest = damping_curve_ && damping_curve_->covers(0) ? damping_curve_->calc_value(0.0) : 0.0;
  return calc(c, rate).force - calc(c, 0).force - at_rest;
}

}  // namespace trammel::system
