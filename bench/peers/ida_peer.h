#pragma once

// SUNDIALS' IDA (variable-order BDF) on the equations of a case, with exact Jacobians from the derivatives of the case:
// dense for small systems, sparse (KLU) where the patterns of the case are sparse.

#include "bench/peers/contender.h"
#include "bench/peers/problem.h"

namespace trammel::bench {

enum class IdaForm {
  kStabilised,  ///< index 2: q' = v - G^T mu, M v' = f - G^T lambda, G v = 0, g = 0 (Gear, Gupta, Leimkuhler)
  kIndex1,      ///< q' = v, M v' = f - G^T lambda, G v' = bias
};

/// For systems with q' = v, constraints without time and forces without lambda. Keeps a reference to the problem.
Contender make_ida(const Problem& problem, IdaForm form);

}  // namespace trammel::bench
