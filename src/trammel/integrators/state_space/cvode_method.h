#pragma once

// The multistep formulas of CVODE (SUNDIALS) on the first-order equations in independent coordinates, y = (w, w', x),
// y' = F(t, y) of reduced_equations.h:
//
//   sum_{i=0}^{K1} alpha_i y_{n-i} + h sum_{i=0}^{K2} beta_i F(t_{n-i}, y_{n-i}) = 0                                (1)
//
// with variable steps and orders: backward differentiation formulas (orders 1 to 5, Newton's iteration with dy'/dy of
// integration_jacobian.h) for stiff systems, Adams' formulas (orders 1 to 12, fixed-point iteration) for others.
//
// CVODE chooses its steps and orders and repeats steps whose error is too large by itself. An attempt is one step of
// CVODE that is at most as long as asked for, so a fixed step cannot be had. Its error is the root mean square of e_i /
// w_i with w_i = rtol |y_i| + atol at the begin of the step over the independent coordinates alone: dependent ones that
// move faster are less exact. Another chart is another ordinary differential equation, with which CVODE begins anew at
// order 1. Theory: docs/theory/state-space.md; Hindmarsh et al., ACM Trans. Math. Softw. 31 (2005) 363-396.

#include <memory>
#include <string>
#include <vector>

#include "trammel/integrators/state_space/state_space_method.h"

namespace trammel::integrators {

enum class CvodeFormula { kBdf, kAdams };

inline constexpr int kMaxBdfOrder = 5, kMaxAdamsOrder = 12;

/// What the methods of CVODE can take.
inline constexpr Capabilities kCvodeCapabilities{.nonholonomic = false,
                                                 .implicit_states = false,
                                                 .reaction_dependent_forces = true,
                                                 .general_kinematics = false,
                                                 .switched_rows = false,
                                                 .fixed_steps = false};

/// Their options.
std::vector<MethodOptionInfo> cvode_settings(CvodeFormula formula);

std::unique_ptr<Method> make_cvode_method(const MethodContext& context, CvodeFormula formula, const MethodEntry& entry);

}  // namespace trammel::integrators
