#include "trammel/math/spline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace trammel::math {
namespace {

using Values = std::span<const double>;

void check_data(Values x, Values y) {
  const auto require = [](bool holds, auto message) {
    if (!holds) throw std::invalid_argument("spline: " + message());
  };
  require(x.size() == y.size(), [&] { return fmt::format("there are {} x but {} y", x.size(), y.size()); });
  require(x.size() >= 2, [&] { return fmt::format("at least 2 points are needed, not {}", x.size()); });
  for (std::size_t i = 0; i < x.size(); ++i) {
    require(std::isfinite(x[i]), [&] { return fmt::format("x[{}] is not a finite number ({})", i, x[i]); });
    require(std::isfinite(y[i]), [&] { return fmt::format("y[{}] is not a finite number ({})", i, y[i]); });
    require(i == 0 || x[i] > x[i - 1], [&] {
      return fmt::format("x must increase, but x[{}] = {} comes after x[{}] = {}", i, x[i], i - 1, x[i - 1]);
    });
  }
}

/// The slopes of the chords between neighbouring points.
std::vector<double> chord_slopes(Values x, Values y) {
  std::vector<double> m(x.size() - 1);
  for (std::size_t i = 0; i < m.size(); ++i) m[i] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
  return m;
}

/// The slopes t that make y'' continuous, and zero at the ends. With h the lengths and m the slopes of the chords,
///   h_i t_{i-1} + 2 (h_{i-1} + h_i) t_i + h_{i-1} t_{i+1} = 3 (h_i m_{i-1} + h_{i-1} m_i),
///   2 t_0 + t_1 = 3 m_0,   t_{n-2} + 2 t_{n-1} = 3 m_{n-2}:
/// diagonally dominant, so elimination needs no pivoting.
std::vector<double> natural_slopes(Values x, Values y) {
  const std::size_t last = x.size() - 1;
  const std::vector<double> m = chord_slopes(x, y);
  std::vector<double> t(x.size()), upper(x.size());
  upper[0] = 0.5;
  t[0] = 1.5 * m[0];
  for (std::size_t i = 1; i <= last; ++i) {
    // The row divided by h_{i-1} + h_i: the weights of t_{i-1} and t_{i+1} add up to 1, and t_n does not exist.
    const double left = i < last ? (x[i + 1] - x[i]) / (x[i + 1] - x[i - 1]) : 1.0;
    const double right = 1.0 - left;
    const double right_side = 3.0 * (left * m[i - 1] + (i < last ? right * m[i] : 0.0));
    const double pivot = 2.0 - left * upper[i - 1];
    upper[i] = right / pivot;
    t[i] = (right_side - left * t[i - 1]) / pivot;
  }
  for (std::size_t i = last; i-- > 0;) t[i] -= upper[i] * t[i + 1];
  return t;
}

/// The slope of a chord and a bound of what rounding of the data may have changed in it.
struct Chord {
  double slope;
  double rounding;
};

/// |a - b|, or zero where the rounding of the data explains it: chords that were meant to be equal are equal.
double distance(const Chord& a, const Chord& b) {
  const double d = std::abs(a.slope - b.slope);
  return d <= a.rounding + b.rounding ? 0.0 : d;
}

/// Akima's slopes: of the chords m1, m2 to the left of a point and m3, m4 to its right,
///   t = (|m4 - m3| m2 + |m2 - m1| m3) / (|m4 - m3| + |m2 - m1|),   (m2 + m3) / 2 where m1 = m2 and m3 = m4.
/// Two chords are added at each end by a parabola through the last three points, along which chords change linearly.
std::vector<double> akima_slopes(Values x, Values y) {
  const std::size_t n = x.size();
  const std::vector<double> slopes = chord_slopes(x, y);
  std::vector<Chord> m(n + 3);  // m[i + 2] is the chord to the right of point i
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double sizes =
        std::abs(y[i]) + std::abs(y[i + 1]) + std::abs(slopes[i]) * (std::abs(x[i]) + std::abs(x[i + 1]));
    m[i + 2] = {slopes[i], std::numeric_limits<double>::epsilon() * sizes / (x[i + 1] - x[i])};
  }
  const auto extend = [](const Chord& a, const Chord& b) {
    return Chord{2.0 * a.slope - b.slope, 2.0 * a.rounding + b.rounding};
  };
  const bool line = n == 2;
  m[1] = line ? m[2] : extend(m[2], m[3]);
  m[0] = line ? m[2] : extend(m[1], m[2]);
  m[n + 1] = line ? m[n] : extend(m[n], m[n - 1]);
  m[n + 2] = line ? m[n] : extend(m[n + 1], m[n]);

  std::vector<double> t(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double left = distance(m[i + 3], m[i + 2]), right = distance(m[i + 1], m[i]);
    const double w = left + right > 0.0 ? left / (left + right) : 0.5;
    t[i] = w * m[i + 1].slope + (1.0 - w) * m[i + 2].slope;
  }
  return t;
}

}  // namespace

Spline Spline::linear(Values x, Values y, Extrapolation extrapolation) {
  check_data(x, y);
  std::vector<Slopes> slopes;
  for (const double m : chord_slopes(x, y)) slopes.push_back({m, m});
  return {x, y, slopes, extrapolation, 0};
}

Spline Spline::natural(Values x, Values y, Extrapolation extrapolation) {
  check_data(x, y);
  return {x, y, shared_slopes(natural_slopes(x, y)), extrapolation, 2};
}

Spline Spline::akima(Values x, Values y, Extrapolation extrapolation) {
  check_data(x, y);
  return {x, y, shared_slopes(akima_slopes(x, y)), extrapolation, 1};
}

std::vector<Spline::Slopes> Spline::shared_slopes(Values slopes) {
  std::vector<Slopes> intervals;
  for (std::size_t i = 0; i + 1 < slopes.size(); ++i) intervals.push_back({slopes[i], slopes[i + 1]});
  return intervals;
}

Spline::Spline(Values x, Values y, std::span<const Slopes> slopes, Extrapolation extrapolation,
               int continuous_derivatives)
    : knots_(x.begin(), x.end()), extrapolation_(extrapolation), continuous_derivatives_(continuous_derivatives) {
  double integral = 0;
  const auto outside = [&](std::size_t i, double slope) {
    return Piece{x[i], {y[i], extrapolation == Extrapolation::kClamp ? 0.0 : slope, 0.0, 0.0}, integral};
  };
  pieces_.reserve(x.size() + 1);
  pieces_.push_back(outside(0, slopes.front().left));
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const auto [left, right] = slopes[i];
    const double h = x[i + 1] - x[i], m = (y[i + 1] - y[i]) / h;
    const double bend = (left - m) + (right - m);
    pieces_.push_back({x[i], {y[i], left, (m - left - bend) / h, bend / (h * h)}, integral});
    integral += h * (0.5 * (y[i] + y[i + 1]) + h * (left - right) / 12);
  }
  pieces_.push_back(outside(x.size() - 1, slopes.back().right));
}

const Spline::Piece& Spline::piece(double x) const {
  if (!covers(x)) {
    throw std::out_of_range(
        fmt::format("spline: {} is outside of the data, which reach from {} to {}", x, knots_.front(), knots_.back()));
  }
  // The last knot belongs to the interval before it.
  if (x > knots_.back()) return pieces_.back();
  return pieces_[std::upper_bound(knots_.begin(), knots_.end() - 1, x) - knots_.begin()];
}

}  // namespace trammel::math
