#pragma once

// Elimination along the tree of bodies, from the leaves to the root, in absolute coordinates (MEXX report 3.2 and
// (3.10); docs/theory/recursive-elimination.md): linear cost for trees, and for loops that are short.
//
//   [ H  B ] [ u ]   [ r ]
//   [ G  0 ] [ w ] = [ s ]
//
// A body is eliminated together with the reactions of the joint to its parent; where H = M and B = G^T by Cholesky,
//
//   S = G H^-1 G^T,   H_p := H_p + C^T S^-1 C,   r_p := r_p - C^T S^-1 (G H^-1 r - s),
//
// with G and C the columns of these rows for the body and its parent, p; otherwise, and where loops pass, as a dense
// block with partial pivoting. recursive_order.h says in which order, and what becomes of loops.
//
// The order is fixed at construction, pivots move within a block only. A block may thus be singular although the whole
// is not: FactorCause::kSingularBlock. With H positive definite this needs rows that have full rank on two bodies
// together and not on each: no joint is like that.

#include <memory>
#include <string>

#include "trammel/kkt/direct_solver.h"

namespace trammel::kkt {

/// `whole` is the pattern of the whole matrix of the layout; both must outlive the solver. Throws std::invalid_argument
/// when the mass does not stand at the corner or the factors would need more memory than is sensible.
std::unique_ptr<DirectSolver> make_recursive_solver(const Layout& layout, const linalg::Pattern& whole);
/// Why the matrix [M G^T; G 0] of a system cannot be taken, whatever the values; empty when it can.
std::string find_recursive_obstacle(const dae::Structure& structure);

}  // namespace trammel::kkt
