#pragma once

// How far one variable of a run is from a reference, at the grid points of the run itself.
//
//   const ErrorAnalysis analysis(std::make_shared<SampledCurve>(reference_times, reference_values));
//   const VariableError error = analysis.calc(times, values);
//   error.largest, error.t, error.relative, error.mean
//
// The grid points of the run, t_1 < ... < t_n, are its start and the ends of its accepted steps; e_i are its values
// there, and E_i those of the reference, which interpolates its own much finer grid (reference_curve.h). Then
//
//   Delta_i = |E_i - e_i|,                                                                                         (1)
//   Delta = max_i Delta_i,  taken at the time t*,                                                                  (2)
//   RelErr = 100 Delta/|E*|,  E* the reference at t*,                                                              (3)
//   mean = 1/n sqrt(sum_i Delta_i^2),                                                                              (4)
//   rms = sqrt(1/n sum_i Delta_i^2)                                                                                (5)
//
// as in D. Negrut's thesis (On the implicit integration of differential-algebraic equations of multibody dynamics,
// University of Iowa 1998), (5.1) to (5.4). His average error per step (4) is smaller than the root mean square (5) by
// a factor of sqrt(n), so that runs of different numbers of steps compare by (5). RelErr is left out where |E*| is less
// than a thousandth of the largest |E_i|: it would tell where the variable is zero, not how wrong it is.
//
// Next to Delta stands the largest uncertainty of the E_i. An error that is not well above it is one of the
// interpolation, and of the run nothing is known but that its error is not much larger.

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "trammel/analyses/reference_curve.h"

namespace trammel::analyses {

struct VariableError {
  std::string name = {};                ///< of the variable, where it has one
  long points = 0;                      ///< n, those that were compared
  long left_out = 0;                    ///< grid points where the reference or the run has no value
  double largest = 0;                   ///< Delta of (2), in the unit of the variable
  double t = 0;                         ///< t* [s]
  double value = 0;                     ///< of the run at t*
  double reference = 0;                 ///< E*
  std::optional<double> relative = {};  ///< RelErr of (3) [%]; nothing where E* is near zero
  double mean = 0;                      ///< (4)
  double rms = 0;                       ///< (5)
  double scale = 0;                     ///< the largest |E_i|
  double interpolation = 0;             ///< the largest uncertainty of an E_i

  bool exists() const { return points > 0; }
  /// Whether the interpolation of the reference shows in the figures: its uncertainty is more than a tenth of Delta.
  bool is_doubtful() const { return exists() && interpolation > 0.1 * largest; }
};

/// Sums up while a run goes on.
class ErrorSum {
 public:
  /// Keeps a reference.
  explicit ErrorSum(const ReferenceCurve& reference) : reference_(reference) {}

  /// A grid point. Those outside of the reference are left out, as are values that are no finite numbers.
  void add(double t, double value, CurveSide side = CurveSide::kAfter);
  VariableError error() const;

 private:
  const ReferenceCurve& reference_;
  VariableError found_;
  double sum_ = 0;  // of squares
};

class ErrorAnalysis {
 public:
  explicit ErrorAnalysis(std::shared_ptr<const ReferenceCurve> reference);

  const ReferenceCurve& reference() const { return *reference_; }
  /// Of two points at the same time, the first is the one before a jump. Throws std::invalid_argument when the numbers
  /// of times and values differ.
  VariableError calc(std::span<const double> times, std::span<const double> values) const;

 private:
  std::shared_ptr<const ReferenceCurve> reference_;
};

}  // namespace trammel::analyses
