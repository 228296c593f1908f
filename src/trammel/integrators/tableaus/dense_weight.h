#pragma once

// Weights of continuous extensions: polynomials without a constant term.

#include <span>

namespace trammel::integrators {

/// sum_{p>=1} powers[p-1] theta^p.
inline double eval_dense_weight(std::span<const double> powers, double theta) {
  double weight = 0;
  for (std::size_t p = powers.size(); p-- > 0;) weight = (weight + powers[p]) * theta;
  return weight;
}

/// The powers of stage i of a table with `degree` of them a stage.
inline std::span<const double> dense_row(std::span<const double> table, int i, int degree) {
  return table.subspan(static_cast<std::size_t>(i) * static_cast<std::size_t>(degree),
                       static_cast<std::size_t>(degree));
}

}  // namespace trammel::integrators
