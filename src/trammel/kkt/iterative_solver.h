#pragma once

// Conjugate gradients for A z = b, A = [M G^T; G 0], preconditioned by a factorisation A_0 of the same matrix at an
// earlier position. With r the residual, p the direction and d = A_0^-1 r,
//
//   alpha = r^T d / p^T A p,   z += alpha p,   r -= alpha A p,   beta = r_new^T d_new / r^T d,   p = d_new + beta p (1)
//
// from z = A_0^-1 b. Neither matrix is definite, and none is needed: (1) is what conjugate gradients become in the
// bilinear form u^T A v, in which A_0^-1 A is symmetric (docs/theory/conjugate-gradients.md). M may be singular and
// need not be a matrix of small blocks, in contrast to the iteration for the multipliers alone. Where (1) does not lead
// to the solution in fewer steps than are worth a factorisation, the present matrix is factorised.

#include <memory>
#include <string>

#include "trammel/kkt/direct_solver.h"

namespace trammel::kkt {

/// `earlier` factorises the whole matrix now and then; the patterns of the layout outlive the solver. factor() keeps
/// the values and factorises only where the matrices before have become too dear. Throws std::invalid_argument for a
/// layout with other blocks than the mass: the matrix must be symmetric.
std::unique_ptr<DirectSolver> make_iterative_solver(const Layout& layout, const linalg::Pattern& whole,
                                                    std::unique_ptr<DirectSolver> earlier);
/// Why the matrix [M G^T; G 0] of a system cannot be taken, whatever the values; empty when it can, which is always.
std::string find_iterative_obstacle(const dae::Structure& structure);

}  // namespace trammel::kkt
