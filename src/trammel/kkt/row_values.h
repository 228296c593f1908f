#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel::kkt {

/// The values of G row by row, and which rows are switched off (Structure::switchable_rows).
class RowValues {
 public:
  RowValues(const linalg::Pattern& jacobian, std::span<const int> switchable)
      : entries_(static_cast<std::size_t>(jacobian.rows())),
        switchable_(switchable.begin(), switchable.end()),
        is_off_(static_cast<std::size_t>(jacobian.rows()), false) {
    for (int e = 0; e < jacobian.size(); ++e) {
      entries_[static_cast<std::size_t>(jacobian[e].row)].push_back({e, jacobian[e].column});
    }
  }
  void note_switched_off(const double* values) {
    for (const int row : switchable_) {
      const std::vector<Place>& places = entries_[static_cast<std::size_t>(row)];
      is_off_[static_cast<std::size_t>(row)] =
          std::all_of(places.begin(), places.end(), [&](const Place& p) { return values[p.entry] == 0; });
    }
  }
  const std::vector<bool>& is_off() const { return is_off_; }
  /// y += the row, with the velocities at the given places.
  void add_row(int row, const double* values, const std::vector<int>& places, double* y) const {
    for (const Place& p : entries_[static_cast<std::size_t>(row)]) {
      y[places[static_cast<std::size_t>(p.column)]] += values[p.entry];
    }
  }
  /// y = 0 where the row has entries.
  void clear_row(int row, double* y) const {
    for (const Place& p : entries_[static_cast<std::size_t>(row)]) y[p.column] = 0;
  }
  void add_row(int row, const double* values, double* y) const {
    for (const Place& p : entries_[static_cast<std::size_t>(row)]) y[p.column] += values[p.entry];
  }

 private:
  struct Place {
    int entry, column;
  };
  std::vector<std::vector<Place>> entries_;
  std::vector<int> switchable_;
  std::vector<bool> is_off_;
};

}  // namespace trammel::kkt
