#include "trammel/kkt/recursive_solver.h"

#include <stdexcept>

namespace trammel::kkt {

std::unique_ptr<DirectSolver> make_recursive_solver(const Layout&, const linalg::Pattern&) {
  throw std::invalid_argument(find_recursive_obstacle({}));
}

std::string find_recursive_obstacle(const dae::Structure&) {
  return "the recursion along the tree of bodies is not there yet";
}

}  // namespace trammel::kkt
