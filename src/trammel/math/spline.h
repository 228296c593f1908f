#pragma once

// Curves through points: piecewise cubics y(x) that interpolate (x_i, y_i), x_0 < x_1 < ...
//
// clang-format off
//   linear    straight lines between the points; the slope jumps at the points, and the error is O(h^2).
//   natural   y'' is continuous and vanishes at both ends; the error is O(h^4) where the data allow it (y'' = 0 at the
//             ends), but a jump in the data rings through the neighbouring intervals.
//   akima     H. Akima, "A new method of interpolation and smooth curve fitting based on local procedures", J. ACM 17
//             (1970) 589-602: the slope at a point follows from two chords on either side, so a point is felt for three
//             intervals only and flat data stay flat; y'' jumps at the points, and the error is O(h^3) on equidistant
//             points, O(h^2) on others.
// clang-format on
//
// All are straight lines for two points. Units are those of the data. A spline is immutable and safe to share between
// threads. The calc_ functions take double or duals.

#include <array>
#include <span>
#include <vector>

#include "trammel/math/dual.h"

namespace trammel::math {

/// What a spline is outside of its data.
enum class Extrapolation {
  kLinear,  ///< the straight line with the slope at the end
  kClamp,   ///< the constant value at the end
  kRefuse,  ///< an error: std::out_of_range
};

class Spline {
 public:
  /// At least two points, finite, with x strictly increasing; else std::invalid_argument says which point is wrong.
  static Spline linear(std::span<const double> x, std::span<const double> y,
                       Extrapolation extrapolation = Extrapolation::kLinear);
  static Spline natural(std::span<const double> x, std::span<const double> y,
                        Extrapolation extrapolation = Extrapolation::kLinear);
  static Spline akima(std::span<const double> x, std::span<const double> y,
                      Extrapolation extrapolation = Extrapolation::kLinear);

  template <class T>
  T calc_value(const T& x) const {
    const Piece& p = piece(value_of(x));
    const T s = x - p.x;
    return p.c[0] + s * (p.c[1] + s * (p.c[2] + s * p.c[3]));
  }
  /// dy/dx; where it jumps, that of the interval to the right (at the last point, to the left).
  template <class T>
  T calc_derivative(const T& x) const {
    const Piece& p = piece(value_of(x));
    const T s = x - p.x;
    return p.c[1] + s * (2 * p.c[2] + s * (3 * p.c[3]));
  }
  /// d^2y/dx^2; where it jumps, that of the interval to the right (at the last point, to the left).
  template <class T>
  T calc_second_derivative(const T& x) const {
    const Piece& p = piece(value_of(x));
    return 2 * p.c[2] + (x - p.x) * (6 * p.c[3]);
  }

  /// The integral of y from the first point to x.
  double calc_integral(double x) const {
    const Piece& p = piece(x);
    const double s = x - p.x;
    return p.integral + s * (p.c[0] + s * (p.c[1] / 2 + s * (p.c[2] / 3 + s * (p.c[3] / 4))));
  }

  /// The abscissae x_i of the points.
  const std::vector<double>& knots() const { return knots_; }
  Extrapolation extrapolation() const { return extrapolation_; }
  /// Whether it has a value at x: always, unless it refuses to extrapolate.
  bool covers(double x) const {
    return extrapolation_ != Extrapolation::kRefuse || (x >= knots_.front() && x <= knots_.back());
  }
  /// How many derivatives are continuous at the points: 0 linear, 1 Akima, 2 natural. Where the data end, clamping
  /// leaves none of them.
  int continuous_derivatives() const { return continuous_derivatives_; }

 private:
  /// y = c[0] + c[1] s + c[2] s^2 + c[3] s^3 with s = (argument - x).
  struct Piece {
    double x;
    std::array<double, 4> c;
    double integral = 0;  ///< of y from the first knot to x
  };

  /// A slope at either end of each interval.
  struct Slopes {
    double left, right;
  };

  /// The cubics with the given values at the knots and slopes at the ends of the intervals.
  Spline(std::span<const double> x, std::span<const double> y, std::span<const Slopes> slopes, Extrapolation,
         int continuous_derivatives);
  /// One slope per knot, as the slopes of the intervals on either side of it.
  static std::vector<Slopes> shared_slopes(std::span<const double> slopes);
  const Piece& piece(double x) const;

  std::vector<double> knots_;
  std::vector<Piece> pieces_;  ///< before the first knot, between the knots, after the last: knots + 1 in all
  Extrapolation extrapolation_;
  int continuous_derivatives_;
};

}  // namespace trammel::math
