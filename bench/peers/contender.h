#pragma once

// What takes part in a comparison: something that carries a problem from its start to its end at a tolerance.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "trammel/linalg/vector.h"

namespace trammel::bench {

struct Outcome {
  linalg::Vector q;      ///< at the end, in the coordinates of the case
  long evaluations = 0;  ///< of the forces
  long steps = 0;        ///< accepted
  std::string solver{};  ///< of the linear equations
};

/// 10^-first, ..., 10^-last.
inline std::vector<double> decades(int first, int last) {
  std::vector<double> tolerances;
  for (int digits = first; digits <= last; ++digits) tolerances.push_back(std::pow(10, -digits));
  return tolerances;
}

struct Contender {
  std::string method;
  std::vector<double> tolerances;  ///< from loose to tight
  /// Everything a user would do for one run of a model that is compiled. Throws std::runtime_error when it fails.
  std::function<Outcome(double tolerance)> run;
};

}  // namespace trammel::bench
