#pragma once

// Algorithm 4 of the thesis (3.4.3.3, there called Alg-S): a mass matrix that couples velocities along the branches of
// a tree, as in joint coordinates, is factorised without fill-in (branch_factors.h), and the rows of G, few in such
// systems, are treated by T^T T with T = L^-1 G^T (row_factors.h). The same with full matrices (Alg-D) is
// linalg::CholeskyQr with CholeskyQrVariant::kCholesky; the back end kCholeskyQr differs by reflections in place of T^T
// T.

#include <memory>
#include <string>

#include "trammel/kkt/direct_solver.h"

namespace trammel::kkt {

/// `whole` is the pattern of the whole matrix of the layout; both must outlive the solver. Throws std::invalid_argument
/// where find_branch_obstacle() would have found something.
std::unique_ptr<DirectSolver> make_branch_solver(const Layout& layout, const linalg::Pattern& whole);
/// Why the matrix [M G^T; G 0] of a system cannot be taken, whatever the values; empty when it can.
std::string find_branch_obstacle(const dae::Structure& structure);

/// Of one factorisation and one solution, by the steps of algorithm 4. A division by a diagonal entry of a factor is a
/// multiplication by its reciprocal, which is computed once.
struct OperationCount {
  long additions = 0;  ///< and subtractions
  long multiplications = 0;
  long divisions = 0;
  long square_roots = 0;

  bool operator==(const OperationCount&) const = default;
};
struct BranchOperations {
  OperationCount factor_mass;         ///< 1: M = L L^T
  OperationCount forward;             ///< 2: z = L^-1 f
  OperationCount rows;                ///< 3.1: T = L^-1 G^T
  OperationCount right_side;          ///< 3.2: T^T z - s
  OperationCount product;             ///< 3.3: T^T T
  OperationCount factor_multipliers;  ///< 3.4: its factorisation,
  OperationCount solve_multipliers;   ///< and the solution with it
  OperationCount remove;              ///< 3.5: z - T lambda
  OperationCount backward;            ///< 4: L^-T z
};
/// From the structure alone. The system must be without an obstacle.
BranchOperations calc_operations(const dae::Structure& structure);

}  // namespace trammel::kkt
