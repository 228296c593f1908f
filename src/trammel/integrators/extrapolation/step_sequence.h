#pragma once

// The numbers n_j of small steps in the rows of the extrapolation tableau (MEXX report, 2.2), and what follows from
// them for extrapolation to h = 0 of values that have an expansion in powers of h_j = H / n_j.

#include <array>
#include <cstddef>

namespace trammel::integrators {

inline constexpr int kMaxRows = 13;
/// The report gives the numbers up to 12.
inline constexpr std::array<int, kMaxRows> kStepNumbers{2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20};

constexpr int step_number(int row) { return kStepNumbers[static_cast<std::size_t>(row)]; }

/// The weights w_j with which values of the rows first..last (counted from 0) add up to their limit at h = 0:
/// w_j = prod_{i != j} n_j / (n_j - n_i).
constexpr std::array<double, kMaxRows> calc_limit_weights(int first, int last) {
  std::array<double, kMaxRows> weights{};
  for (int j = first; j <= last; ++j) {
    double w = 1;
    for (int i = first; i <= last; ++i) {
      if (i != j) w *= static_cast<double>(step_number(j)) / (step_number(j) - step_number(i));
    }
    weights[static_cast<std::size_t>(j)] = w;
  }
  return weights;
}

}  // namespace trammel::integrators
