#pragma once

// Backward differentiation formulas of orders 1 to 6 with fixed leading coefficient on the index-3 equations. With the
// prediction y_p, y'_p of the history for y = (q, v, x) and its c_j (bdf_history.h), the end of a step satisfies
//
//   q'_p + c_j (q - q_p) = v + s,   v'_p + c_j (v - v_p) = a,   x'_p + c_j (x - x_p) = x'                           (1)
//   M a + G^T lambda = f,   g(t, q) = 0,   d(x', x, t, q, v, a, lambda) = 0                                         (2)
//
// Solved for q, v and x, (1) is what step_equations.h wants:
//
//   v = C_v + a/c_j,   C_v = v_p - v'_p/c_j;    q = C_q + a/c_j^2,   C_q = q_p + (C_v + s - q'_p)/c_j               (3)
//
// After the step the velocities are projected on their constraints, and as such they go into the history. s is what
// the formula of q is wrong by across the constraints, D N v^(k) with D of the history and N the part of a vector
// across the constraints in the mass metric: without it v would miss its constraints by O(h^k), and that jumps with
// every change of step and order. Accelerations and reactions for users come from the index-1 equations.
// Theory: docs/theory/bdf-i3.md.

#include "trammel/integrators/implicit/bdf_method.h"

namespace trammel::integrators {

/// Which unknowns (1) and (2) are solved for.
enum class BdfForm {
  kSecondOrder,  ///< accelerations: (3)
  kFirstOrder,   ///< positions and velocities: first_order_equations.h
};

struct BdfIndex3Options : BdfOptions {
  BdfForm form = BdfForm::kSecondOrder;
  bool projects = true;              ///< velocities are projected, and s of (1) is used; s = 0 otherwise
  bool consistent_reactions = true;  ///< a and lambda from the index-1 equations, or those of (2)
};

class BdfIndex3 final : public BdfMethod {
 public:
  /// The system has q' = v.
  BdfIndex3(const MethodContext& context, const BdfIndex3Options& options);

  void accept() override;
  bool undo() override;

 private:
  bool solve() override;
  bool complete() override;
  double measure(Vector& deviation) override;
  void note_begin() override;
  void note_judged() override;
  void set_across(Vector& derivative);

  BdfIndex3Options options_;
  bool shifts_;  // whether s of (1) may differ from zero
  Vector known_;
  Vector across_, across_before_, across_next_;  // N v^(k) of (1): now, before the last accepted step, and after it
  Vector upper_, lower_;
};

}  // namespace trammel::integrators
