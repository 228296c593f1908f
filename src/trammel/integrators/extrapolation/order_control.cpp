#include "trammel/integrators/extrapolation/order_control.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {

OrderControl::OrderControl(const OrderControlOptions& options) : options_(options) {
  largest_ = options.fixed_rows > 0 ? options.fixed_rows : std::clamp(options.max_rows, 3, kMaxRows);
  work_[0] = 1;
  for (int k = 1; k <= largest_; ++k) work_[static_cast<std::size_t>(k)] = work(k - 1) + step_number(k - 1);
  const double digits = -std::log10(std::clamp(options.rtol, 1e-16, 1.0));
  first_ = std::clamp(static_cast<int>(0.6 * digits + 1.5), kMinRows, std::max(kMinRows, largest_));
  reset();
}

void OrderControl::reset() {
  target_ = options_.fixed_rows > 0 ? options_.fixed_rows : first_;
  is_first_ = true;
  was_rejected_ = false;
}

void OrderControl::begin(double h) { h_ = h; }

OrderControl::Verdict OrderControl::judge(int rows, double error) {
  const double exponent = 1.0 / rows;
  const double least = std::pow(options_.least_factor, exponent);
  const double wanted = std::pow(error / options_.target, exponent) / options_.safety;
  // An error that is not a number must not choose a step.
  const double factor = wanted >= least ? std::min(options_.largest_factor / least, wanted)
                                        : (std::isnan(wanted) ? options_.largest_factor / least : least);
  best_step(rows) = h_ / factor;
  rate(rows) = work(rows) / best_step(rows);
  if (options_.fixed_rows > 0) {
    if (rows < options_.fixed_rows) return Verdict::kGoOn;
    return error <= 1 ? Verdict::kAccept : Verdict::kReject;
  }
  const bool is_last = rows >= std::min(target_ + 1, largest_);
  const bool is_early = rows < target_ && !is_first_;
  const bool may_end = rows >= kMinRows && (is_first_ || rows >= target_ - 1);
  if (may_end && error <= (is_early ? options_.early_error : 1.0)) return Verdict::kAccept;
  if (is_last || std::isnan(error)) return Verdict::kReject;
  // What fewer rows say of the error is far too pessimistic.
  if (rows < std::max(target_ - 1, kMinRows)) return Verdict::kGoOn;
  // Each further row divides the error by about n_row / n_1.
  double hope = 1;
  for (int k = rows; k <= std::min(target_, largest_ - 1); ++k)
    hope *= static_cast<double>(step_number(k)) / step_number(0);
  return error > hope ? Verdict::kReject : Verdict::kGoOn;
}

void OrderControl::finish(int rows, bool accepted) {
  if (options_.fixed_rows > 0) {
    next_step_ = best_step(rows);
    if (accepted && was_rejected_) next_step_ = std::min(next_step_, h_);
  } else if (accepted) {
    finish_accepted(rows);
  } else {
    finish_rejected(rows);
  }
  was_rejected_ = !accepted;
  if (accepted) is_first_ = false;
}

void OrderControl::give_up(double error) {
  next_step_ = std::clamp(options_.safety / std::sqrt(error), 0.2, 0.8) * h_;
  was_rejected_ = true;
}

void OrderControl::finish_accepted(int rows) {
  const bool was_late = rows > target_;
  int best = was_late ? rows - 1 : rows;
  if (best > kMinRows && rate(best - 1) < options_.order_down * rate(best)) {
    --best;
  } else if (was_late && rate(rows) < options_.order_up * rate(best)) {
    best = rows;
  } else if (!was_late && rate(rows) < options_.order_up * rate(rows - 1)) {
    best = rows + 1;
  }
  best = std::clamp(best, std::min(kMinRows, rows), largest_);
  if (was_rejected_) {
    target_ = std::min(best, rows);
    next_step_ = std::min(h_, best_step(target_));
    return;
  }
  // A row that was not computed is expected to allow a step that is longer by its work.
  next_step_ = best <= rows ? best_step(best) : best_step(rows) * work(best) / work(rows);
  target_ = best;
}

void OrderControl::finish_rejected(int rows) {
  int best = std::min({target_, rows, largest_});
  if (best > kMinRows && rate(best - 1) < options_.order_down * rate(best)) --best;
  next_step_ = std::min(best_step(best), 0.9 * h_);
  target_ = std::max(best, kMinRows);
}

}  // namespace trammel::integrators
