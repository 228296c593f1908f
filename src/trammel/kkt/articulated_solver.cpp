#include "trammel/kkt/articulated_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/kkt/articulated_factors.h"
#include "trammel/kkt/row_factors.h"
#include "trammel/kkt/row_values.h"

namespace trammel::kkt {

using linalg::Entry;
using linalg::FactorStatus;
using linalg::Pattern;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// What is wrong with a tree of which all velocities of a system should be part.
std::string find_tree_error(const dae::TreeStructure& tree, int velocities) {
  if (tree.width != 3 && tree.width != 6) return fmt::format("the width of its tree is {}, not 3 or 6", tree.width);
  std::vector<bool> is_taken(at(velocities), false);
  int taken = 0;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    const dae::TreeStructure::Node& node = tree.nodes[k];
    if (node.parent < -1 || node.parent >= static_cast<int>(k)) {
      return fmt::format("node {} of its tree comes before its parent {}", k, node.parent);
    }
    if (node.count < 0 || node.count > tree.width || node.first < 0 || node.first + node.count > velocities) {
      return fmt::format("node {} of its tree has {} velocities from {}", k, node.count, node.first);
    }
    for (int j = node.first; j < node.first + node.count; ++j, ++taken) {
      if (is_taken[at(j)]) return fmt::format("velocity {} is part of two nodes of its tree", j);
      is_taken[at(j)] = true;
    }
  }
  return taken == velocities ? "" : fmt::format("{} of its velocities are not part of its tree", velocities - taken);
}

/// For each row of G the nodes, decreasing, that its velocities belong to, and the nodes that carry these.
std::vector<std::vector<int>> find_row_nodes(const dae::TreeStructure& tree, int velocities, const Pattern& jacobian) {
  std::vector<int> node_of(at(velocities)), seen(tree.nodes.size(), -1);
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    std::fill_n(node_of.begin() + tree.nodes[k].first, tree.nodes[k].count, static_cast<int>(k));
  }
  std::vector<std::vector<int>> nodes(at(jacobian.rows()));
  for (const Entry& e : jacobian.entries()) nodes[at(e.row)].push_back(node_of[at(e.column)]);
  for (int r = 0; r < jacobian.rows(); ++r) {
    std::vector<int> touched;
    std::swap(touched, nodes[at(r)]);
    for (const int first : touched) {
      for (int k = first; k >= 0 && seen[at(k)] != r; k = tree.nodes[at(k)].parent) {
        seen[at(k)] = r;
        nodes[at(r)].push_back(k);
      }
    }
    std::sort(nodes[at(r)].rbegin(), nodes[at(r)].rend());
  }
  return nodes;
}

/// The places (ArticulatedFactors) of the velocities of these nodes, increasing.
std::vector<std::vector<int>> find_supports(const dae::TreeStructure& tree,
                                            const std::vector<std::vector<int>>& nodes) {
  std::vector<int> place;
  int next = 0;
  for (const dae::TreeStructure::Node& node : tree.nodes) {
    place.push_back(next);
    next += node.count;
  }
  std::vector<std::vector<int>> supports(nodes.size());
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    for (std::size_t i = nodes[r].size(); i-- > 0;) {
      const int k = nodes[r][i];
      for (int j = 0; j < tree.nodes[at(k)].count; ++j) supports[r].push_back(place[at(k)] + j);
    }
  }
  return supports;
}

template <int kWidth>
class ArticulatedSolver final : public DirectSolver {
 public:
  explicit ArticulatedSolver(const Layout& layout)
      : factors_(*layout.tree),
        jacobian_(*layout.jacobian, layout.switchable_rows),
        row_nodes_(find_row_nodes(*layout.tree, layout.upper, *layout.jacobian)),
        rows_(find_supports(*layout.tree, row_nodes_)),
        tree_(layout.tree->make_values()),
        y_(at(layout.upper), 0.0),
        roots_(at(layout.lower > 0 ? layout.upper : 0), 0.0) {}

  BackEnd kind() const override { return BackEnd::kArticulated; }
  FactorStatus factor(const Vector&) override {
    throw std::logic_error("articulated bodies are factorised from the tree, not from the mass matrix");
  }
  bool takes_tree() const override { return true; }
  FactorStatus factor_tree(const dae::TreeValues& tree, const double* jacobian) override {
    FactorStatus status = factors_.factor(tree);
    if (status && rows_.rows() > 0) status = factor_rows(jacobian);
    // Residuals need the matrix itself.
    if (status && is_in_doubt()) tree_ = tree;
    return status;
  }
  void solve(VectorOut upper, VectorOut lower) override { solve_with<Source::kVelocities>(upper.data(), upper, lower); }
  void solve_tree(const double* wrenches, VectorOut upper, VectorOut lower) override {
    solve_with<Source::kWrenches>(wrenches, upper, lower);
  }
  void project(const double* wrenches, VectorOut upper) override { factors_.project(tree_, wrenches, upper.data()); }
  void subtract_mass_product(VectorIn u, VectorOut residual) override {
    factors_.multiply(tree_, u.data(), y_.data());
    for (std::size_t k = 0; k < y_.size(); ++k) residual[static_cast<Eigen::Index>(k)] -= y_[k];
  }
  bool is_in_doubt() const override {
    return std::min(factors_.pivot_ratio(), rows_.smallest_sine2()) < kDoubtfulRcond;
  }
  double calc_rcond() override { return std::min(factors_.pivot_ratio(), std::sqrt(rows_.smallest_sine2())); }

 private:
  using Source = typename ArticulatedFactors<kWidth>::Source;

  template <Source kSource>
  void solve_with(const double* right_side, VectorOut upper, VectorOut lower) {
    if (rows_.rows() == 0) {
      factors_.template sweep_to_roots<true, kSource>(right_side, y_.data());
      factors_.sweep_to_leaves(y_.data(), upper.data());
      return;
    }
    // With M = L D L^T the factor of algorithm 4 is L sqrt(D), at the places that rows touch.
    factors_.template sweep_to_roots<false, kSource>(right_side, y_.data());
    for (const int k : rows_.places()) y_[at(k)] *= roots_[at(k)];
    rows_.solve(y_.data(), lower.data());
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] *= roots_[k];
    factors_.sweep_to_leaves(y_.data(), upper.data());
  }

  /// T = (L sqrt(D))^-1 G^T and its factors.
  FactorStatus factor_rows(const double* jacobian) {
    const double* inverse = factors_.inverse_pivots();
    for (std::size_t k = 0; k < roots_.size(); ++k) roots_[k] = inverse[k];
    for (const int k : rows_.places()) roots_[at(k)] = std::sqrt(inverse[k]);
    std::fill(y_.begin(), y_.end(), 0.0);
    jacobian_.note_switched_off(jacobian);
    for (int r = 0; r < rows_.rows(); ++r) {
      jacobian_.add_row(r, jacobian, y_.data());
      const std::span<const int> support = rows_.support(r);
      double* column = rows_.column(r);
      factors_.sweep_nodes(row_nodes_[at(r)], y_.data(), column + support.size());
      jacobian_.clear_row(r, y_.data());
      for (std::size_t i = 0; i < support.size(); ++i) column[i] *= roots_[at(support[i])];
    }
    FactorStatus status = rows_.factor(jacobian_.is_off());
    if (status.cause == linalg::FactorCause::kNotFinite) status.index += factors_.size();
    return status;
  }

  ArticulatedFactors<kWidth> factors_;
  RowValues jacobian_;
  std::vector<std::vector<int>> row_nodes_;
  RowFactors<double> rows_;
  dae::TreeValues tree_;  // as factorised last, where that is in doubt
  std::vector<double> y_;
  std::vector<double> roots_;  // sqrt(1 / D) at the places that rows touch, 1 / D elsewhere
};

}  // namespace

std::unique_ptr<DirectSolver> make_articulated_solver(const Layout& layout, const Pattern&) {
  if (!layout.is_mass_only) {
    throw std::invalid_argument("articulated bodies need a matrix whose only block is the mass");
  }
  if (!layout.tree) throw std::invalid_argument("articulated bodies need a system with a tree, and this one has none");
  const std::string error = find_tree_error(*layout.tree, layout.upper);
  if (!error.empty()) throw std::invalid_argument("articulated bodies cannot take this system: " + error);
  if (layout.tree->width == 3) return std::make_unique<ArticulatedSolver<3>>(layout);
  return std::make_unique<ArticulatedSolver<6>>(layout);
}

std::string find_articulated_obstacle(const dae::Structure& structure) {
  if (!structure.tree) {
    return "articulated bodies need the tree that joint coordinates have: take --coordinates joint";
  }
  const std::string error = find_tree_error(*structure.tree, structure.n_v());
  return error.empty() ? "" : "articulated bodies cannot take this system: " + error;
}

}  // namespace trammel::kkt
