#pragma once

#include <memory>
#include <string>

#include "trammel/kkt/direct_solver.h"

namespace trammel::kkt {

/// `earlier` factorises the whole matrix now and then; `whole` is its pattern, and outlives the solver, as the layout
/// does.
std::unique_ptr<DirectSolver> make_iterative_solver(const Layout& layout, const linalg::Pattern& whole,
                                                    std::unique_ptr<DirectSolver> earlier);
/// Why the matrix [M G^T; G 0] of a system cannot be taken, whatever the values; empty when it can.
std::string find_iterative_obstacle(const dae::Structure& structure);

}  // namespace trammel::kkt
