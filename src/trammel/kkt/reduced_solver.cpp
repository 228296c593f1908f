#include "trammel/kkt/reduced_solver.h"

#include <stdexcept>

namespace trammel::kkt {

std::unique_ptr<DirectSolver> make_reduced_solver(const Layout&, const linalg::Pattern&) {
  throw std::invalid_argument(find_reduced_obstacle({}));
}

std::string find_reduced_obstacle(const dae::Structure&) { return "the reduced matrix G M^-1 G^T is not there yet"; }

}  // namespace trammel::kkt
