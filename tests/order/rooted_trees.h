#pragma once

// Rooted trees and the order conditions that belong to them (Hairer, Norsett and Wanner I, II.2; for Rosenbrock
// formulas II, IV.7): weights b are of order p inside of the step at theta if b . weights = theta^order / density for
// all trees of order <= p.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace trammel::testing {

struct RootedTree {
  int order;
  double density;
  Eigen::VectorXd weights;  // one each stage
};

/// All trees up to the order. A tree that has the branches t_1, ..., t_m has the weights prod_k (A weights(t_k)) and
/// the density order * prod_k density(t_k); where there is one branch only, A_single stands for A.
inline std::vector<RootedTree> make_rooted_trees(const Eigen::MatrixXd& A, const Eigen::MatrixXd& A_single,
                                                 int max_order) {
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(A.rows());
  std::vector<RootedTree> trees{{1, 1, one}};
  for (int order = 2; order <= max_order; ++order) {
    const std::vector<RootedTree> branches = trees;
    // Branches in falling order of their index, so that each set of them comes once.
    std::function<void(int, std::size_t, double, const Eigen::VectorXd&)> add_branches =
        [&](int vertices, std::size_t count, double density, const Eigen::VectorXd& weights) {
          if (vertices == 0) trees.push_back({order, order * density, weights});
          for (std::size_t k = 0; k < count; ++k) {
            const RootedTree& t = branches[k];
            if (t.order > vertices) break;
            const Eigen::MatrixXd& factor = t.order == order - 1 ? A_single : A;
            add_branches(vertices - t.order, k + 1, density * t.density, weights.cwiseProduct(factor * t.weights));
          }
        };
    add_branches(order - 1, branches.size(), 1, one);
  }
  return trees;
}

inline std::vector<RootedTree> make_rooted_trees(const Eigen::MatrixXd& A, int max_order) {
  return make_rooted_trees(A, A, max_order);
}

/// Largest violation of the conditions up to the order, at theta (1 for the end of the step).
inline double calc_violation(const std::vector<RootedTree>& trees, const Eigen::VectorXd& b, int order,
                             double theta = 1) {
  double worst = 0;
  for (const RootedTree& t : trees) {
    if (t.order > order) continue;
    worst = std::max(worst, std::abs(b.dot(t.weights) - std::pow(theta, t.order) / t.density));
  }
  return worst;
}

}  // namespace trammel::testing
