#pragma once

// One variable of a reference solution at any time, with an estimate of what its interpolation leaves uncertain.
//
//   const SampledCurve angle(times, values);        // rows of a result file, steps of a run
//   const CurveValue at = angle.calc(0.37);         // at.value +- at.uncertainty
//
// A curve may jump: it is interpolated on either side, never across.

#include <cstddef>
#include <memory>
#include <vector>

namespace trammel::analyses {

/// Which value is meant at a time at which the curve jumps.
enum class CurveSide { kBefore, kAfter };

struct CurveValue {
  double value = 0;        ///< NaN where the curve is not known
  double uncertainty = 0;  ///< the estimated error of the interpolation, >= 0; zero at what is given
};

class ReferenceCurve {
 public:
  virtual ~ReferenceCurve() = default;
  virtual double begin() const = 0;  ///< [s]
  virtual double end() const = 0;    ///< [s]
  /// At t of [begin, end].
  virtual CurveValue calc(double t, CurveSide side = CurveSide::kAfter) const = 0;
};

/// Values E_j at times T_j. With T_r <= t <= T_{r+1}, the value at t is that of the cubic through
///
///   E_{r-1}, E_r, E_{r+1}, E_{r+2},          at the ends of a smooth piece through its first or last four points,  (1)
///
/// where pieces of fewer points have polynomials of lower degree. The uncertainty is one number for all of the interval
/// but its ends, the larger of
///
///   the difference of the cubic to the polynomial of degree five through six points, chosen alike: to leading order,
///   the error of the cubic where the points are close enough. (Of up to four points, the difference to the polynomial
///   through one point less, which is more than the error);
///   the differences of E_r and E_{r+1} to the values that the six nearest of the other points let expect there. Where
///   the points are too far apart to show how the variable moves, as in a fast transient, polynomials of all degrees
///   look alike, and this alone tells.
class SampledCurve final : public ReferenceCurve {
 public:
  /// Times do not decrease; a time that stands there twice is a jump, with the values before and after it. Throws
  /// std::invalid_argument when there are no points, when the numbers of times and values differ or when times
  /// decrease.
  SampledCurve(std::vector<double> times, std::vector<double> values);

  double begin() const override { return times_.front(); }
  double end() const override { return times_.back(); }
  CurveValue calc(double t, CurveSide side = CurveSide::kAfter) const override;

 private:
  /// Places of the points of a smooth piece: [begin, end).
  struct Piece {
    std::size_t begin, end;
    std::size_t size() const { return end - begin; }
  };
  Piece find_piece(std::size_t point) const;
  double interpolate(double t, std::size_t r, std::size_t count, const Piece& piece) const;
  double calc_surprise(std::size_t r, const Piece& piece) const;
  double calc_uncertainty(std::size_t r, const Piece& piece) const;

  std::vector<double> times_, values_;
  std::vector<std::size_t> starts_;  // the first point of each smooth piece
};

/// Where a polynomial of a PolynomialCurve holds.
struct CurvePiece {
  double begin, end;  ///< [s]
  int degree;         ///< >= 0
  std::size_t first;  ///< its first node among all nodes; it has degree + 1, the last may be shared with the next
};

/// A polynomial on each piece, by its values at the Chebyshev-Lobatto nodes (math/lobatto.h): the continuous solution
/// that a run has computed. The uncertainty is the size of the highest coefficient of its Chebyshev series,
///
///   |c_n| = |1/n sum_j'' (-1)^j p_j|           ('': the first and the last term are halved),                       (2)
///
/// the most by which the polynomial differs from that of one degree less: more than the error where the degree pays.
class PolynomialCurve final : public ReferenceCurve {
 public:
  /// Pieces in the order of time, small gaps allowed; a node may be NaN. Throws std::invalid_argument when there are no
  /// pieces or when nodes are missing.
  PolynomialCurve(std::shared_ptr<const std::vector<CurvePiece>> pieces, std::vector<double> nodes);

  double begin() const override { return pieces_->front().begin; }
  double end() const override { return pieces_->back().end; }
  CurveValue calc(double t, CurveSide side = CurveSide::kAfter) const override;

 private:
  std::shared_ptr<const std::vector<CurvePiece>> pieces_;
  std::vector<double> nodes_;
};

}  // namespace trammel::analyses
