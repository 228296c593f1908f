#pragma once

// Owners for the objects of SUNDIALS, and failures as exceptions.

#include <nvector/nvector_serial.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_context.hpp>

#include <memory>
#include <stdexcept>
#include <string>

#include "trammel/linalg/vector.h"

namespace trammel::bench {

struct Destroy {
  void operator()(N_Vector v) const { N_VDestroy(v); }
  void operator()(SUNMatrix a) const { SUNMatDestroy(a); }
  void operator()(SUNLinearSolver s) const { SUNLinSolFree(s); }
};
using VectorOwner = std::unique_ptr<std::remove_pointer_t<N_Vector>, Destroy>;
using MatrixOwner = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, Destroy>;
using LinearSolverOwner = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, Destroy>;

/// One for the whole program.
inline SUNContext context() {
  static sundials::Context context;
  return context;
}

inline Eigen::Map<linalg::Vector> as_vector(N_Vector v) { return {N_VGetArrayPointer(v), N_VGetLength(v)}; }

inline VectorOwner make_vector(linalg::VectorIn values) {
  VectorOwner v(N_VNew_Serial(values.size(), context()));
  as_vector(v.get()) = values;
  return v;
}

inline void check(int flag, const char* function) {
  if (flag < 0) throw std::runtime_error(std::string(function) + " failed with " + std::to_string(flag));
}

}  // namespace trammel::bench
