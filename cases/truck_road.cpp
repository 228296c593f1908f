#include "cases/truck_road.h"

#include <cmath>
#include <numbers>

namespace trammel::cases {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kSineAmplitude = 0.04, kSineFrequency = 1.5;  // [m], [Hz]
constexpr double kSection = 100;                               // [m]
constexpr double kRoughness = 256e-6, kReference = 0.1;        // G [m^3] at that spatial frequency [1/m]
constexpr int kWaves = 64;
constexpr double kFadeBegin = 8, kFadeTime = 4;  // [s]

/// S and its derivative. Beyond the limits they differ from 0 and 1 by less than numbers can say.
TruckRoad::Height rise(double t) {
  if (t < 1e-3) return {0, 0};
  if (t > 1 - 1e-3) return {1, 0};
  const double a = std::exp(-1 / t), b = std::exp(-1 / (1 - t)), s = a / (a + b);
  return {s, s * (1 - s) * (1 / (t * t) + 1 / ((1 - t) * (1 - t)))};
}

TruckRoad::Height product(const TruckRoad::Height& f, const TruckRoad::Height& g) {
  return {f.value * g.value, f.rate * g.value + f.value * g.rate};
}

}  // namespace

TruckRoad::TruckRoad(Kind kind) : kind_(kind) {
  if (kind == Kind::kSine) return;
  const double step = 1 / kSection;  // of the spatial frequency
  for (int k = 1; k <= kWaves; ++k) {
    const double amplitude = std::sqrt(2 * kRoughness * step) * kReference / (k * step);
    waves_.push_back(std::polar(amplitude, kTurn * (k * k * k % 101) / 101.0));
  }
}

TruckRoad::Height TruckRoad::at(double t) const {
  if (t <= 0) return {0, 0};
  if (kind_ == Kind::kUneven && t >= kFadeBegin + kFadeTime) return {0, 0};
  const Height begin = rise(t);
  if (kind_ == Kind::kSine) {
    const double rate = kTurn * kSineFrequency;
    return product(begin, {kSineAmplitude * std::sin(rate * t), kSineAmplitude * rate * std::cos(rate * t)});
  }
  const Height end = rise((t - kFadeBegin) / kFadeTime);
  return product(product(begin, {1 - end.value, -end.rate / kFadeTime}), calc_waves(t));
}

/// The sum and its rate by Horner's scheme in z = exp(2 pi i t / T).
TruckRoad::Height TruckRoad::calc_waves(double t) const {
  const double rate = kTurn * kSpeed / kSection;
  const std::complex<double> z = std::polar(1.0, rate * t);
  std::complex<double> sum = 0, weighted = 0;
  for (std::size_t k = waves_.size(); k > 0; --k) {
    sum = (sum + waves_[k - 1]) * z;
    weighted = (weighted + static_cast<double>(k) * waves_[k - 1]) * z;
  }
  return {sum.imag(), rate * weighted.real()};
}

}  // namespace trammel::cases
