#pragma once

#include <memory>
#include <string>

#include "trammel/kkt/direct_solver.h"

namespace trammel::kkt {

/// `whole` is the pattern of the whole matrix of the layout; both must outlive the solver. Throws std::invalid_argument
/// where find_reduced_obstacle() would have found something.
std::unique_ptr<DirectSolver> make_reduced_solver(const Layout& layout, const linalg::Pattern& whole);
/// Why the matrix [M G^T; G 0] of a system cannot be taken, whatever the values; empty when it can.
std::string find_reduced_obstacle(const dae::Structure& structure);

}  // namespace trammel::kkt
