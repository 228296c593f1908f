#pragma once

// How often a system was asked for what.

namespace trammel::dae {

/// Calls made to the system, by kind.
struct EvaluationCounts {
  long mass = 0;
  long constraint = 0;
  long jacobian = 0;  ///< of the constraints, G
  long force = 0;
  long bias = 0;
  long state = 0;
  long derivative = 0;  ///< derivatives for implicit methods, one for each block

  EvaluationCounts& operator+=(const EvaluationCounts& other);
};

}  // namespace trammel::dae
