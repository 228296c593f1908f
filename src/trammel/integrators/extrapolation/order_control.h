#pragma once

// Order and step size of extrapolation methods, after Deuflhard and the code ODEX (Hairer, Norsett, Wanner I, II.9),
// for values with an expansion in h. With err_k the weighted norm of T_kk - T_k,k-1 after k rows,
//
//   H_k = H safety (target / err_k)^(1/k),   W_k = A_k / H_k,   A_k = 1 + n_1 + ... + n_k                         (1)
//
// are the best step for k rows and its work per unit of time; the 1 in A_k is the projection after a step. Steps are
// expected to converge in a window of rows around k; a step is given up when the error of a row is so large that even
// the last row of the window will not do. Knows no time and no system.

#include <array>

#include "trammel/integrators/extrapolation/step_sequence.h"

namespace trammel::integrators {

/// Fewer rows are not used when their number changes: the first ones tell too little about the next.
inline constexpr int kMinRows = 3;

struct OrderControlOptions {
  int max_rows = kMaxRows;  ///< kMinRows to kMaxRows
  int fixed_rows = 0;       ///< 2 to kMaxRows: every step has so many rows; 0: as many as pay
  double rtol = 1e-6;       ///< chooses the first number of rows
  /// 0 to 1. Of 0.8, 0.85, 0.9 and 0.94, this took the fewest evaluations in sum over the seven-body mechanism,
  /// insulator chains and the cable drum at tolerances from 1e-3 to 1e-11; smaller targets of the error led to low
  /// orders.
  double safety = 0.85;
  double target = 0.65;  ///< error that a step aims at
  /// A step ends a row early only with an error below this. With 1, errors of the cable drum at the end of a run are
  /// ten times as large, for the same number of evaluations.
  double early_error = 0.1;
  double least_factor = 1e-3;  ///< to the power 1/k: of the smallest change of a step
  double largest_factor = 4;   ///< of the largest change, divided by that of the smallest
  double order_down = 0.8;     ///< fewer rows when they take less than this part of the work
  double order_up = 0.9;       ///< more rows when the last ones took less than this part of the work
};

class OrderControl {
 public:
  explicit OrderControl(const OrderControlOptions& options);

  enum class Verdict {
    kGoOn,    ///< compute the next row
    kAccept,  ///< the error is small enough
    kReject,  ///< it will not be
  };

  /// Forgets the past: at the start and after restarts.
  void reset();
  /// A step of size h is tried.
  void begin(double h);
  /// The error after `rows` rows, from 2 on.
  Verdict judge(int rows, double error);
  /// Order and step size after a step that ended with `rows` rows, accepted or not.
  void finish(int rows, bool accepted);

  /// The step turned out to be wrong by that much though its rows agree: a shorter one is next.
  void give_up(double error);
  /// The step could not be computed: the next one does not grow.
  void note_failure() { was_rejected_ = true; }

  double next_step() const { return next_step_; }
  /// Rows that the next step aims at.
  int rows() const { return target_; }
  /// The largest number of rows in use.
  int largest() const { return largest_; }

 private:
  double work(int rows) const { return work_[static_cast<std::size_t>(rows)]; }
  double& best_step(int rows) { return best_step_[static_cast<std::size_t>(rows)]; }
  double& rate(int rows) { return rate_[static_cast<std::size_t>(rows)]; }
  void finish_accepted(int rows);
  void finish_rejected(int rows);

  OrderControlOptions options_;
  int first_, largest_;
  int target_ = 0;  // rows
  bool is_first_ = true;
  bool was_rejected_ = false;
  double h_ = 0, next_step_ = 0;
  std::array<double, kMaxRows + 2> work_{}, best_step_{}, rate_{};  // A_k, H_k, W_k
};

}  // namespace trammel::integrators
