#pragma once

// Random trees of bodies, and one of the thesis' shape, with the mass matrix assembled from Jacobians of all bodies:
// nothing recursive, nothing sparse.

#include <Eigen/Dense>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "trammel/dae/structure.h"
#include "trammel/kkt/solver.h"

namespace trammel::testing {

using dae::TreeStructure;
using dae::TreeValues;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using linalg::Entry;
using linalg::Pattern;

/// The parents of the nodes, and how many velocities each has.
struct TreeShape {
  int width;
  std::vector<int> parents;
  std::vector<int> counts;
};

class RandomNumbers {
 public:
  explicit RandomNumbers(unsigned seed) : generator_(seed) {}
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(generator_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(generator_); }
  MatrixXd matrix(int rows, int columns) {
    return MatrixXd::NullaryExpr(rows, columns, [&] { return (*this)(); });
  }
  std::mt19937& generator() { return generator_; }

 private:
  std::mt19937 generator_;
};

/// Joints of 0 to `width` velocities, two roots or more when there are nodes enough, branches of all lengths.
inline TreeShape make_random_shape(int width, int nodes, RandomNumbers& random) {
  TreeShape shape{width, {}, {}};
  for (int k = 0; k < nodes; ++k) {
    const int parent = k == nodes / 2 ? -1 : std::max(-1, k - 1 - random.below(std::min(k + 1, 4)));
    shape.parents.push_back(parent);
    shape.counts.push_back(k == 0 ? width : random.below(width + 1));
  }
  return shape;
}

struct TreeSample {
  TreeStructure tree;
  TreeValues values;
  int n = 0;
  MatrixXd M;        ///< n x n
  MatrixXd G;        ///< m x n
  Pattern mass;      ///< what nodes on one branch couple
  Pattern jacobian;  ///< full
  VectorXd mass_values, jacobian_values;

  TreeSample(const TreeShape& shape, int m, RandomNumbers& random, bool shuffles = false) {
    tree.width = shape.width;
    std::ptrdiff_t axes = 0;
    std::vector<int> order(shape.parents.size());
    std::iota(order.begin(), order.end(), 0);
    if (shuffles) std::shuffle(order.begin(), order.end(), random.generator());
    std::vector<int> first(order.size());
    for (const int k : order) {
      first[std::size_t(k)] = n;
      n += shape.counts[std::size_t(k)];
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      tree.nodes.push_back({shape.parents[k], first[k], shape.counts[k], axes});
      axes += shape.width * shape.counts[k];
    }
    values = tree.make_values();
    for (std::size_t k = 0; k < order.size(); ++k) {
      const MatrixXd R = random.matrix(shape.width, shape.width);
      inertia(k) = R * R.transpose() + 0.1 * MatrixXd::Identity(shape.width, shape.width);
    }
    for (double& d : values.shift) d = random();
    for (double& s : values.axes) s = random();
    G = random.matrix(m, n);
    finish();
  }
  Eigen::Map<MatrixXd> inertia(std::size_t k) {
    return {values.inertia.data() + k * std::size_t(tree.width * tree.width), tree.width, tree.width};
  }
  Eigen::Map<MatrixXd> axes(std::size_t k) {
    return {values.axes.data() + tree.nodes[k].axes, tree.width, tree.nodes[k].count};
  }
  bool carries(int a, int k) const {
    while (k > a) k = tree.nodes[std::size_t(k)].parent;
    return k == a;
  }
  /// M, and the values of the patterns, from the tree and G.
  void finish() {
    const int w = tree.width;
    M = MatrixXd::Zero(n, n);
    std::vector<MatrixXd> J;
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      const TreeStructure::Node& node = tree.nodes[k];
      MatrixXd X = MatrixXd::Identity(w, w);
      const double* d = values.shift.data() + k * std::size_t(tree.shift_size());
      if (w == 3) {
        X(0, 2) = -d[1];
        X(1, 2) = d[0];
      } else {
        X.topRightCorner(3, 3) << 0, d[2], -d[1], -d[2], 0, d[0], d[1], -d[0], 0;
      }
      J.push_back(node.parent < 0 ? MatrixXd(MatrixXd::Zero(w, n)) : MatrixXd(X * J[std::size_t(node.parent)]));
      J.back().middleCols(node.first, node.count) += axes(k);
      M += J.back().transpose() * inertia(k) * J.back();
    }
    std::vector<Entry> entries;
    for (int a = 0; a < int(tree.nodes.size()); ++a) {
      for (int b = 0; b < int(tree.nodes.size()); ++b) {
        if (!carries(a, b) && !carries(b, a)) continue;
        const TreeStructure::Node &one = tree.nodes[std::size_t(a)], &other = tree.nodes[std::size_t(b)];
        for (int i = 0; i < one.count; ++i) {
          for (int j = 0; j < other.count; ++j) entries.push_back({one.first + i, other.first + j});
        }
      }
    }
    mass = Pattern(n, n, std::move(entries));
    jacobian = Pattern::full(int(G.rows()), n);
    mass_values = VectorXd(mass.size());
    for (int e = 0; e < mass.size(); ++e) mass_values[e] = M(mass[e].row, mass[e].column);
    jacobian_values = Eigen::Map<const VectorXd>(G.data(), G.size());
  }
  /// G with entries at the velocities of the given nodes only: row by row a list of nodes.
  void touch_only(const std::vector<std::vector<int>>& nodes) {
    std::vector<Entry> entries;
    MatrixXd touched = MatrixXd::Zero(G.rows(), n);
    for (std::size_t r = 0; r < nodes.size(); ++r) {
      for (const int k : nodes[r]) {
        const TreeStructure::Node& node = tree.nodes[std::size_t(k)];
        for (int j = node.first; j < node.first + node.count; ++j) {
          if (touched(int(r), j) != 0) continue;
          entries.push_back({int(r), j});
          touched(int(r), j) = G(int(r), j);
        }
      }
    }
    G = touched;
    jacobian = Pattern(int(G.rows()), n, std::move(entries));
    jacobian_values = VectorXd(jacobian.size());
    for (int e = 0; e < jacobian.size(); ++e) jacobian_values[e] = G(jacobian[e].row, jacobian[e].column);
  }
  MatrixXd whole() const {
    const auto m = G.rows();
    MatrixXd A = MatrixXd::Zero(n + m, n + m);
    A << M, G.transpose(), G, MatrixXd::Zero(m, m);
    return A;
  }
  /// With names by number.
  dae::Structure make_structure() const {
    std::vector<std::string> velocities, rows;
    for (int i = 0; i < n; ++i) velocities.push_back("v" + std::to_string(i));
    for (int r = 0; r < int(G.rows()); ++r) rows.push_back("r" + std::to_string(r));
    dae::Structure structure = dae::Structure::sparse(velocities, rows, mass, jacobian);
    structure.tree = tree;
    return structure;
  }
  kkt::Layout layout(bool with_tree = true) const {
    kkt::Layout l;
    l.upper = n;
    l.lower = int(G.rows());
    l.blocks = {{&mass}};
    l.jacobian = &jacobian;
    if (with_tree) l.tree = &tree;
    l.is_mass_only = true;
    return l;
  }
};

/// The vehicle of the thesis, 3.4.3.5, figure 10: on the chassis four upper control arms (hinged), on each of them a
/// wheel spindle (spherical), four lower control arms (hinged) and the rack (sliding). Cut are the spherical joints
/// between lower arms and spindles, 3 rows each, and four rods: from the rack to the front spindles, from the chassis
/// to the rear ones, a row each.
inline TreeSample make_thesis_vehicle() {
  TreeShape shape{6, {-1}, {6}};
  const auto add = [&](int parent, int count) {
    shape.parents.push_back(parent);
    shape.counts.push_back(count);
    return int(shape.parents.size()) - 1;
  };
  const int rack = add(0, 1);
  std::vector<std::vector<int>> touched;
  for (int corner = 0; corner < 4; ++corner) {
    const int upper = add(0, 1), spindle = add(upper, 3), lower = add(0, 1);
    for (int r = 0; r < 3; ++r) touched.push_back({0, upper, spindle, lower});
    touched.push_back(corner < 2 ? std::vector<int>{0, upper, spindle, rack} : std::vector<int>{0, upper, spindle});
  }
  RandomNumbers random(14);
  TreeSample sample(shape, 16, random);
  sample.touch_only(touched);
  return sample;
}

/// Largest error of (u, w) against a solution by full pivoting, relative to what the condition of the matrix allows.
inline double calc_error(const MatrixXd& A, const VectorXd& b, const VectorXd& solution) {
  const Eigen::FullPivLU<MatrixXd> lu(A);
  const VectorXd expected = lu.solve(b);
  return (solution - expected).norm() * lu.rcond() / (1e-30 + expected.norm());
}

}  // namespace trammel::testing
