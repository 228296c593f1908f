#pragma once

#include <cmath>
#include <vector>

namespace trammel::testing {

/// Slope of log(error) against log(h) over halved steps, by least squares; errors at round-off are left out.
inline double fit_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (errors[i] <= floor) continue;
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return n < 3 ? std::nan("") : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace trammel::testing
