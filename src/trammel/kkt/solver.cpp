#include "trammel/kkt/solver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "trammel/kkt/articulated_solver.h"
#include "trammel/kkt/bodies.h"
#include "trammel/kkt/branch_solver.h"
#include "trammel/kkt/direct_solver.h"
#include "trammel/kkt/elimination_order.h"
#include "trammel/kkt/guarded_solver.h"
#include "trammel/kkt/iterative_solver.h"
#include "trammel/kkt/recursive_order.h"
#include "trammel/kkt/recursive_solver.h"
#include "trammel/kkt/reduced_solver.h"
#include "trammel/linalg/block_elimination.h"
#include "trammel/linalg/cholesky_qr.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/dense_symmetric.h"
#include "trammel/linalg/ordering.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::kkt {

using linalg::Entry;
using linalg::FactorCause;
using linalg::FactorStatus;
using linalg::largest_abs;
using linalg::Pattern;

namespace {

/// A matrix is treated as dense up to a number of unknowns, and above it while it is full enough.
struct DenseLimits {
  int unknowns;
  double filling;
};
// Where dense and sparse cost the same in bench/kkt_bench.cpp: chains of rods (25 unknowns against Cholesky and QR, 15
// to 20 against LU), and random matrices of 50 to 200 unknowns by their filling.
constexpr DenseLimits kCholeskyQrLimits{24, 0.17};
constexpr DenseLimits kLuLimits{17, 0.4};
// Factorisations in units of a solution and a product with the matrix, for chains of rods of 40 to 500 unknowns: the
// share of the unknowns is 1/15 to 1/17 with Cholesky and QR, 1/10 to 1/7 with LU, which is slower from 320 unknowns
// on. Sparse, for chains and for grids of up to 40 x 40 points with up to 53 operations an entry of the factors: 3.8 to
// 4.5 with 2.4 operations, 9.5 with 10, 12 with 15, 21 with 27; then solutions leave the cache, and it is 13.
constexpr double kCholeskyQrCost = 1.0 / 16, kDenseCost = 1.0 / 10;
constexpr double kSparseCost = 2.5, kSparseOperationCost = 0.65, kLargestSparseCost = 20;
// Unknowns up to which full matrices are faster than solvers that use the topology, in body and in joint coordinates,
// and products for each entry of the whole matrix up to which those are faster than sparse LU:
// docs/decisions/0025-automatic-solvers.md.
constexpr int kTopologyLimit = 12;
constexpr int kBranchLimit = 24;
constexpr double kTolerableProducts = 60;
// Entries of the factors, relative to those of the matrix, up to which no other ordering is tried.
constexpr double kTolerableFill = 2.5;
// The same as it is expected, from which an order is not even tried: it would take all memory. (Bodies of a binary tree
// from the root to the leaves: 12 for a hundred of them, more than 20 for a thousand.)
constexpr long kHopelessFill = 20;

/// Solves with one right side that holds both parts.
class StackedSolver : public DirectSolver {
 public:
  explicit StackedSolver(int size) : stacked_(Vector::Zero(size)) {}
  void solve(VectorOut upper, VectorOut lower) override {
    stacked_ << upper, lower;
    solve_stacked(stacked_);
    upper = stacked_.head(upper.size());
    lower = stacked_.tail(lower.size());
  }

 protected:
  virtual void solve_stacked(Vector& b) = 0;

 private:
  Vector stacked_;
};

template <class Factorisation, BackEnd kKind>
class DenseSolver final : public StackedSolver {
 public:
  explicit DenseSolver(const Pattern& pattern) : StackedSolver(pattern.rows()), size_(pattern.rows()) {
    factors_.resize(pattern.rows());
    for (const Entry& e : pattern.entries())
      places_.push_back(e.row + static_cast<std::ptrdiff_t>(e.column) * pattern.rows());
  }
  BackEnd kind() const override { return kKind; }
  FactorStatus factor(const Vector& values) override {
    auto matrix = factors_.matrix();
    matrix.setZero();
    double* data = matrix.data();
    for (std::size_t k = 0; k < places_.size(); ++k) data[places_[k]] += values[static_cast<Eigen::Index>(k)];
    return factors_.factor();
  }
  bool is_in_doubt() const override { return true; }
  double calc_rcond() override { return factors_.calc_rcond(); }
  double factor_cost() const override { return 1 + kDenseCost * size_; }

 protected:
  void solve_stacked(Vector& b) override { factors_.solve(b); }

 private:
  int size_;
  Factorisation factors_;
  std::vector<std::ptrdiff_t> places_;
};

class CholeskyQrSolver final : public DirectSolver {
 public:
  explicit CholeskyQrSolver(const Layout& layout) : mass_(*layout.blocks.front().pattern), jacobian_(*layout.jacobian) {
    factors_.resize(layout.upper, layout.lower);
  }
  BackEnd kind() const override { return BackEnd::kCholeskyQr; }
  FactorStatus factor(const Vector& values) override {
    return factor_matrices(values.data(), values.data() + mass_.size());
  }
  std::optional<FactorStatus> factor_blocks(std::span<const BlockValues> blocks, const double* jacobian) override {
    if (blocks.front().weight != 1) return std::nullopt;
    return factor_matrices(blocks.front().values, jacobian);
  }
  void solve(VectorOut upper, VectorOut lower) override { factors_.solve(upper, lower); }
  bool is_in_doubt() const override { return in_doubt_; }
  double calc_rcond() override {
    const linalg::DiagonalRcond rcond = factors_.calc_diagonal_rcond();
    return std::min(rcond.mass, rcond.constraints);
  }
  double factor_cost() const override {
    return 1 + kCholeskyQrCost * static_cast<double>(mass_.rows() + jacobian_.rows());
  }

 private:
  FactorStatus factor_matrices(const double* mass, const double* jacobian) {
    fill(mass_, mass, factors_.mass());
    fill(jacobian_, jacobian, factors_.jacobian());
    const FactorStatus status = factors_.factor();
    in_doubt_ = status.ok && calc_rcond() < kDoubtfulRcond;
    return status;
  }

  static void fill(const Pattern& pattern, const double* values, linalg::CholeskyQr::StridedMatrix matrix) {
    if (pattern.is_full()) {
      for (int j = 0; j < pattern.columns(); ++j, values += pattern.rows()) {
        std::copy_n(values, pattern.rows(), matrix.data() + j * matrix.outerStride());
      }
      return;
    }
    matrix.setZero();
    for (int k = 0; k < pattern.size(); ++k) matrix(pattern[k].row, pattern[k].column) += values[k];
  }

  const Pattern& mass_;
  const Pattern& jacobian_;
  linalg::CholeskyQr factors_;
  bool in_doubt_ = false;
};

/// For each coordinate, whether it has an entry in the pattern of M.
std::vector<bool> find_massive(const Pattern& mass) {
  std::vector<bool> is_massive(static_cast<std::size_t>(mass.rows()), false);
  for (const Entry& e : mass.entries()) {
    is_massive[static_cast<std::size_t>(e.row)] = is_massive[static_cast<std::size_t>(e.column)] = true;
  }
  return is_massive;
}

std::vector<std::string> find_massless(const dae::Structure& structure) {
  const std::vector<bool> is_massive = find_massive(structure.mass);
  const auto& names = structure.has_trivial_kinematics ? structure.position_names : structure.velocity_names;
  std::vector<std::string> massless;
  for (std::size_t i = 0; i < is_massive.size(); ++i) {
    if (!is_massive[i]) massless.push_back(names[i]);
  }
  return massless;
}

/// Takes the coordinates apart into those with mass (p) and those without (q).
class BlockSolver final : public DirectSolver {
 public:
  explicit BlockSolver(const Layout& layout) {
    const Pattern& mass = *layout.blocks.front().pattern;
    const std::vector<bool> is_massive = find_massive(mass);
    std::vector<int> place;  // of each coordinate in p or q
    for (int i = 0; i < layout.upper; ++i) {
      std::vector<int>& part = is_massive[static_cast<std::size_t>(i)] ? massive_ : massless_;
      place.push_back(static_cast<int>(part.size()));
      part.push_back(i);
    }
    const auto place_of = [&](int i) { return place[static_cast<std::size_t>(i)]; };
    if (massless_.empty() || static_cast<int>(massive_.size()) != layout.lower) {
      throw std::invalid_argument("block elimination needs coordinates without mass, and as many with mass as rows");
    }
    std::vector<Entry> entries;
    for (const Entry& e : mass.entries()) entries.push_back({place_of(e.row), place_of(e.column)});
    factors_.resize({layout.lower, layout.lower, std::move(entries)}, static_cast<int>(massless_.size()));
    mass_size_ = mass.size();
    for (const Entry& e : layout.jacobian->entries()) {
      jacobian_.push_back({e.row, place_of(e.column), is_massive[static_cast<std::size_t>(e.column)]});
    }
    p_ = Vector::Zero(layout.lower);
    q_ = Vector::Zero(static_cast<Eigen::Index>(massless_.size()));
  }
  BackEnd kind() const override { return BackEnd::kBlockElimination; }
  FactorStatus factor(const Vector& values) override {
    auto K = factors_.K();
    Eigen::MatrixXd& J = factors_.J();
    K.setZero();
    J.setZero();
    const double* value = values.data() + mass_size_;
    for (const JacobianEntry& e : jacobian_) (e.is_massive ? K(e.row, e.column) : J(e.row, e.column)) += *value++;
    return factors_.factor(values.data());
  }
  void solve(VectorOut upper, VectorOut lower) override {
    gather(upper, massive_, p_);
    gather(upper, massless_, q_);
    factors_.solve(p_, q_, lower);
    scatter(p_, massive_, upper);
    scatter(q_, massless_, upper);
  }
  bool is_in_doubt() const override { return true; }
  double calc_rcond() override { return factors_.calc_rcond(); }

 private:
  static void gather(VectorIn from, const std::vector<int>& places, Vector& to) {
    for (std::size_t i = 0; i < places.size(); ++i) to[static_cast<Eigen::Index>(i)] = from[places[i]];
  }
  static void scatter(const Vector& from, const std::vector<int>& places, VectorOut to) {
    for (std::size_t i = 0; i < places.size(); ++i) to[places[i]] = from[static_cast<Eigen::Index>(i)];
  }

  struct JacobianEntry {
    int row, column;
    bool is_massive;
  };
  std::vector<int> massive_, massless_;
  std::vector<JacobianEntry> jacobian_;
  int mass_size_ = 0;
  linalg::BlockElimination factors_;
  Vector p_, q_;
};

/// The first factorisation settles the ordering; see docs/decisions/0007-sparse-ordering.md for the rule.
class SparseSolver final : public StackedSolver {
 public:
  SparseSolver(const Layout& layout, const Pattern& pattern)
      : StackedSolver(pattern.rows()), layout_(layout), pattern_(pattern) {}
  BackEnd kind() const override { return BackEnd::kSparse; }
  FactorStatus factor(const Vector& values) override {
    return is_ordered_ ? factors_.factor(values.data()) : choose_ordering(values);
  }
  bool is_in_doubt() const override { return factors_.diagonal_rcond() < kDoubtfulRcond; }
  double calc_rcond() override { return factors_.calc_rcond(); }
  double factor_cost() const override { return cost_; }

 protected:
  void solve_stacked(Vector& b) override { factors_.solve(b); }

 private:
  FactorStatus choose_ordering(const Vector& values) {
    using linalg::SparseOrdering;
    linalg::SparseLuOptions options;
    options.ordering = SparseOrdering::kGiven;
    options.permutation = find_order_by_bodies();
    FactorStatus status = FactorStatus::failed(FactorCause::kStructurallySingular, -1);
    if (!options.permutation.empty()) {
      factors_.analyse(pattern_, options);
      status = factors_.factor(values.data());
      const auto nonzeros = static_cast<double>(factors_.structure().row_indices.size());
      is_ordered_ = status.ok && static_cast<double>(factors_.lu_nonzeros()) <= kTolerableFill * nonzeros;
    }
    if (is_ordered_) {
      note_cost();
      return status;
    }
    for (const SparseOrdering ordering : {SparseOrdering::kColamd, SparseOrdering::kAmd}) {
      options.ordering = ordering;
      linalg::SparseLu other(pattern_, options);
      const FactorStatus other_status = other.factor(values.data());
      const bool is_first = factors_.size() == 0;
      if (is_first || (other_status.ok && (!status.ok || other.calc_flops() < factors_.calc_flops()))) {
        factors_ = std::move(other);
        status = other_status;
      }
    }
    is_ordered_ = status.ok;
    note_cost();
    return status;
  }

  /// Of the orders that know bodies and joints, the one that should fill in least; empty when both are hopeless.
  std::vector<int> find_order_by_bodies() const {
    const linalg::Graph graph = linalg::make_graph(pattern_);
    std::vector<int> best;
    long least = kHopelessFill * (pattern_.size() + pattern_.rows()) / 2;
    for (const auto& calc_order : {calc_interleaved_order, calc_leaves_first_order}) {
      std::vector<int> order = calc_order(layout_);
      const long entries = linalg::calc_factor_entries(graph, order, least);
      if (entries >= least) continue;
      least = entries;
      best = std::move(order);
    }
    return best;
  }

  void note_cost() {
    if (!is_ordered_) return;
    const double operations = factors_.calc_flops() / static_cast<double>(factors_.lu_nonzeros());
    cost_ = std::min(kSparseCost + kSparseOperationCost * operations, kLargestSparseCost);
  }

  Layout layout_;
  const Pattern& pattern_;
  linalg::SparseLu factors_;
  double cost_ = kSparseCost;
  bool is_ordered_ = false;
};

/// The pattern of the whole matrix: blocks in their order, G, G^T, the diagonal of rows that may be switched off.
/// Without the blocks where a tree stands for the mass, whose pattern grows with the square of the number of bodies.
Pattern make_whole(const Layout& layout, BackEnd back_end) {
  std::vector<Entry> entries;
  for (const Block& block : layout.blocks) {
    if (back_end == BackEnd::kArticulated) break;
    for (const Entry& e : block.pattern->entries()) entries.push_back({e.row + block.row, e.column + block.column});
  }
  for (const Entry& e : layout.jacobian->entries()) entries.push_back({layout.upper + e.row, e.column});
  for (const Entry& e : layout.jacobian->entries()) entries.push_back({e.column, layout.upper + e.row});
  for (const int row : layout.switchable_rows) entries.push_back({layout.upper + row, layout.upper + row});
  const int size = layout.upper + layout.lower;
  return {size, size, std::move(entries)};
}

/// The back end for a matrix of which nothing is known but where it may be nonzero.
BackEnd choose(const Pattern& whole, bool allows_cholesky) {
  const DenseLimits limits = allows_cholesky ? kCholeskyQrLimits : kLuLimits;
  const double size = whole.rows();
  if (whole.rows() > limits.unknowns && whole.size() < limits.filling * size * size) return BackEnd::kSparse;
  return allows_cholesky ? BackEnd::kCholeskyQr : BackEnd::kDenseLu;
}

/// The back end that uses the topology, where one pays; docs/decisions/0025-automatic-solvers.md has the measurements.
std::unique_ptr<DirectSolver> make_topological(const Layout& layout, const Pattern& whole) {
  if (!layout.is_mass_only || layout.structure == nullptr || whole.rows() <= kTopologyLimit) return nullptr;
  if (layout.tree != nullptr) {
    if (whole.rows() <= kBranchLimit || !find_branch_obstacle(*layout.structure).empty()) return nullptr;
    return make_branch_solver(layout, whole);
  }
  if (layout.lower == 0 || !find_reduced_obstacle(*layout.structure).empty()) return nullptr;
  if (find_bodies(*layout.structure).count() < 2) return nullptr;  // there is no topology
  const double limit = kTolerableProducts * whole.size();
  const double recursion = find_recursive_obstacle(*layout.structure).empty() ? estimate_recursive_cost(layout, whole)
                                                                              : std::numeric_limits<double>::infinity();
  try {
    auto reduced = std::make_unique<ReducedSolver>(layout);
    const ReducedSolver::Counts counts = reduced->calc_operations();
    const auto products = static_cast<double>(counts.skyline.multiplications + counts.assembly.multiplications);
    if (products <= std::min(recursion, limit)) return reduced;
  } catch (const std::length_error&) {  // a skyline that is far too wide
  }
  return recursion <= limit ? make_recursive_solver(layout, whole) : nullptr;
}

std::unique_ptr<DirectSolver> make_direct(BackEnd back_end, const Layout& layout, const Pattern& whole) {
  const bool eliminates = back_end == BackEnd::kCholeskyQr || back_end == BackEnd::kBlockElimination;
  if (eliminates && !layout.switchable_rows.empty()) {
    throw std::invalid_argument(to_string(back_end) + " cannot take constraints that may be switched off");
  }
  const auto choose_general = [&] { return choose(whole, layout.is_mass_only && layout.switchable_rows.empty()); };
  switch (back_end) {
    case BackEnd::kCholeskyQr:
      if (!layout.is_mass_only)
        throw std::invalid_argument("Cholesky and QR need a matrix whose only block is the mass");
      return std::make_unique<CholeskyQrSolver>(layout);
    case BackEnd::kDenseSymmetric:
      return std::make_unique<DenseSolver<linalg::DenseSymmetric, BackEnd::kDenseSymmetric>>(whole);
    case BackEnd::kDenseLu: return std::make_unique<DenseSolver<linalg::DenseLu, BackEnd::kDenseLu>>(whole);
    case BackEnd::kBlockElimination:
      if (!layout.is_mass_only)
        throw std::invalid_argument("block elimination needs a matrix whose only block is the mass");
      return std::make_unique<BlockSolver>(layout);
    case BackEnd::kSparse: return std::make_unique<SparseSolver>(layout, whole);
    case BackEnd::kReduced: return make_reduced_solver(layout, whole);
    case BackEnd::kRecursive: return make_recursive_solver(layout, whole);
    case BackEnd::kBranches: return make_branch_solver(layout, whole);
    case BackEnd::kArticulated: return make_articulated_solver(layout, whole);
    case BackEnd::kIterative:
      // Where the topology makes factorisations cheap there is nothing to save.
      return make_iterative_solver(layout, whole, make_direct(choose_general(), layout, whole));
    case BackEnd::kAutomatic: break;
  }
  if (std::unique_ptr<DirectSolver> topological = make_topological(layout, whole)) {
    const auto make_general = [layout, &whole, general = choose_general()] {
      return make_direct(general, layout, whole);
    };
    return std::make_unique<GuardedSolver>(std::move(topological), make_general);
  }
  return make_direct(choose_general(), layout, whole);
}

void add_work(const Work& work, SolverCounts& counts) {
  counts.factorizations += work.factorizations;
  counts.refinements += work.refinements;
}

FactorStatus factor_whole(DirectSolver& direct, const Vector& values, SolverCounts& counts) {
  const FactorStatus status = direct.factor(values);
  if (const std::optional<Work> work = direct.take_work()) {
    add_work(*work, counts);
  } else {
    ++counts.factorizations;
  }
  return status;
}

}  // namespace

std::string to_string(BackEnd back_end) {
  switch (back_end) {
    case BackEnd::kAutomatic: return "automatic";
    case BackEnd::kCholeskyQr: return "Cholesky and QR";
    case BackEnd::kDenseSymmetric: return "dense symmetric indefinite";
    case BackEnd::kDenseLu: return "dense LU";
    case BackEnd::kBlockElimination: return "block elimination";
    case BackEnd::kSparse: return "sparse LU";
    case BackEnd::kReduced: return "reduced matrix";
    case BackEnd::kRecursive: return "recursive";
    case BackEnd::kBranches: return "Cholesky along branches";
    case BackEnd::kArticulated: return "articulated bodies";
    case BackEnd::kIterative: break;
  }
  return "conjugate gradients";
}

std::string describe_massless(const dae::Structure& structure) {
  std::vector<std::string> massless = find_massless(structure);
  if (massless.empty()) return {};
  constexpr std::size_t kMost = 4;
  const std::string more = massless.size() > kMost ? fmt::format(" and {} more", massless.size() - kMost) : "";
  massless.resize(std::min(massless.size(), kMost));
  return fmt::format("these coordinates have no mass: {}{}", fmt::join(massless, ", "), more);
}

std::string find_obstacle(BackEnd back_end, const dae::Structure& structure) {
  switch (back_end) {
    case BackEnd::kReduced: return find_reduced_obstacle(structure);
    case BackEnd::kRecursive: return find_recursive_obstacle(structure);
    case BackEnd::kBranches: return find_branch_obstacle(structure);
    case BackEnd::kArticulated: return find_articulated_obstacle(structure);
    case BackEnd::kIterative: return find_iterative_obstacle(structure);
    default: break;
  }
  if (back_end != BackEnd::kCholeskyQr && back_end != BackEnd::kBlockElimination) return {};
  if (!structure.switchable_rows.empty()) {
    return fmt::format("{} cannot take constraints that are switched on and off, as {} is",
                       back_end == BackEnd::kCholeskyQr ? "Cholesky" : "block elimination",
                       dae::quoted(structure.constraint_names[static_cast<std::size_t>(structure.switchable_rows[0])]));
  }
  if (back_end == BackEnd::kCholeskyQr) {
    const std::string massless = describe_massless(structure);
    return massless.empty() ? massless : "Cholesky needs a positive definite mass matrix, and " + massless;
  }
  const std::vector<std::string> massless = find_massless(structure);
  if (massless.empty()) {
    return "block elimination needs coordinates without mass, such as joint coordinates beside those of the bodies, "
           "and every coordinate has an entry in the mass matrix";
  }
  const int massive = structure.n_v() - static_cast<int>(massless.size());
  if (massive == structure.m()) return {};
  return fmt::format(
      "block elimination needs as many constraints as there are coordinates with mass, so that they determine those by "
      "the coordinates without, and there are {} constraints and {} coordinates with mass",
      structure.m(), massive);
}

SolverOptions SolverOptions::for_unsymmetric() const {
  SolverOptions options = *this;
  const bool needs_symmetry = back_end == BackEnd::kCholeskyQr || back_end == BackEnd::kDenseSymmetric ||
                              back_end == BackEnd::kBlockElimination;
  if (needs_symmetry) options.back_end = BackEnd::kDenseLu;
  const bool needs_mass = back_end == BackEnd::kReduced || back_end == BackEnd::kBranches ||
                          back_end == BackEnd::kArticulated || back_end == BackEnd::kIterative;
  if (needs_mass) options.back_end = BackEnd::kAutomatic;
  return options;
}

SolverCounts& SolverCounts::operator+=(const SolverCounts& other) {
  factorizations += other.factorizations;
  solves += other.solves;
  refinements += other.refinements;
  return *this;
}

Layout Layout::mass(const dae::Structure& structure) {
  Layout layout;
  layout.upper = structure.n_v();
  layout.lower = structure.m();
  layout.blocks = {{&structure.mass}};
  layout.jacobian = &structure.jacobian;
  layout.structure = &structure;
  layout.switchable_rows = structure.switchable_rows;
  layout.decoupled_rows = structure.decoupled_rows;
  if (structure.tree) layout.tree = &*structure.tree;
  layout.is_mass_only = true;
  return layout;
}

Layout Layout::mass_with_friction(const dae::Structure& structure) {
  Layout layout = mass(structure);
  layout.blocks.push_back({&structure.pattern(dae::Derivative::kForceByLambda), 0, layout.upper});
  layout.is_mass_only = false;
  return layout;
}

Layout Layout::half_explicit(const dae::Structure& structure) {
  Layout layout = mass(structure);
  layout.is_mass_only = false;
  return layout;
}

Solver::Solver(Layout layout, const SolverOptions& options)
    : layout_(std::move(layout)),
      options_(options),
      pattern_(std::make_unique<Pattern>(make_whole(layout_, options.back_end))) {
  direct_ = make_direct(options.back_end, layout_, *pattern_);
  for (const int row : layout_.switchable_rows) {
    std::vector<int>& places = switchable_.emplace_back();
    for (int k = 0; k < layout_.jacobian->size(); ++k) {
      if ((*layout_.jacobian)[k].row == row) places.push_back(k);
    }
  }
  switched_off_.resize(switchable_.size());
  values_ = Vector::Zero(pattern_->size());
  right_side_ = residual_ = solution_ = Vector::Zero(pattern_->rows());
}

Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

BackEnd Solver::back_end() const { return direct_->kind(); }

void Solver::collect(std::span<const BlockValues> values, const double* jacobian, const double* reactions) {
  double* out = values_.data();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int size = layout_.blocks[k].pattern->size();
    const double weight = values[k].weight;
    for (int i = 0; i < size; ++i) *out++ = weight * values[k].values[i];
  }
  for (const double* copy : {jacobian, reactions}) out = std::copy_n(copy, layout_.jacobian->size(), out);
  for (const bool is_off : switched_off_) *out++ = is_off ? 1 : 0;
}

void Solver::note_switched_off(const double* jacobian) {
  for (std::size_t k = 0; k < switchable_.size(); ++k) {
    const auto is_zero = [&](int place) { return jacobian[place] == 0; };
    switched_off_[k] = std::all_of(switchable_[k].begin(), switchable_[k].end(), is_zero);
  }
}

FactorStatus Solver::factor(std::span<const BlockValues> values, const double* jacobian, const double* reactions) {
  eigen_assert(values.size() == layout_.blocks.size());
  eigen_assert(reactions == nullptr || !layout_.is_mass_only);
  note_switched_off(jacobian);
  const std::optional<FactorStatus> direct = direct_->factor_blocks(values, jacobian);
  if (direct) ++counts_.factorizations;
  is_factored_ = direct && direct->ok;
  if (is_factored_ && !direct_->is_in_doubt()) return *direct;
  collect(values, jacobian, reactions ? reactions : jacobian);  // for back ends that need it, residuals and messages
  FactorStatus status = direct ? *direct : factor_whole(*direct_, values_, counts_);
  const bool is_iterative = options_.back_end == BackEnd::kIterative;
  if (!status.ok && (options_.back_end == BackEnd::kAutomatic || is_iterative) &&
      status.cause == FactorCause::kNotPositiveDefinite) {
    // Coordinates without mass: the whole matrix may be regular all the same, but Cholesky will not do.
    direct_ = make_direct(choose(*pattern_, false), layout_, *pattern_);
    if (is_iterative) direct_ = make_iterative_solver(layout_, *pattern_, std::move(direct_));
    status = factor_whole(*direct_, values_, counts_);
  }
  is_factored_ = status.ok;
  return status;
}

bool Solver::takes_tree() const { return direct_->takes_tree(); }

FactorStatus Solver::factor_tree(const dae::TreeValues& tree, const double* jacobian) {
  ++counts_.factorizations;
  note_switched_off(jacobian);
  const FactorStatus status = direct_->factor_tree(tree, jacobian);
  is_factored_ = status.ok;
  if (!is_factored_ || direct_->is_in_doubt()) collect({}, jacobian, jacobian);  // for residuals and messages
  return status;
}

void Solver::solve(VectorOut upper, VectorOut lower) {
  ++counts_.solves;
  if (options_.max_refinements == 0 || !direct_->is_in_doubt()) {
    direct_->solve(upper, lower);
    if (const std::optional<Work> work = direct_->take_work()) {
      add_work(*work, counts_);
      is_factored_ = work->status.ok;
    }
    return;
  }
  right_side_ << upper, lower;
  direct_->solve(upper, lower);
  solution_ << upper, lower;
  double previous = std::numeric_limits<double>::infinity();
  for (int k = 0; k < options_.max_refinements; ++k) {
    residual_ = right_side_;
    pattern_->add_product(values_.data(), solution_, -1, residual_);
    if (direct_->takes_tree()) {
      direct_->subtract_mass_product(solution_.head(layout_.upper), residual_.head(layout_.upper));
    }
    const double size = largest_abs(residual_);
    // At round-off of the right side nothing is left to gain; without progress neither.
    if (!(size > 4 * std::numeric_limits<double>::epsilon() * largest_abs(right_side_)) || !(size < 0.5 * previous))
      break;
    previous = size;
    ++counts_.refinements;
    direct_->solve(residual_.head(layout_.upper), residual_.tail(layout_.lower));
    solution_ += residual_;
  }
  upper = solution_.head(layout_.upper);
  lower = solution_.tail(layout_.lower);
}

void Solver::solve_tree(const double* wrenches, VectorOut upper, VectorOut lower) {
  if (options_.max_refinements > 0 && direct_->is_in_doubt()) {
    direct_->project(wrenches, upper);
    solve(upper, lower);
    return;
  }
  ++counts_.solves;
  direct_->solve_tree(wrenches, upper, lower);
}

double Solver::calc_rcond() { return direct_->calc_rcond(); }

linalg::RankReport Solver::find_dependent_rows() const {
  const auto further = static_cast<Eigen::Index>(switchable_.size());
  const double* jacobian = values_.data() + values_.size() - further - 2 * layout_.jacobian->size();
  linalg::RankReport report = linalg::find_dependent_rows(*layout_.jacobian, jacobian);
  std::erase_if(report.dependent, [&](const linalg::DependentRow& row) {
    for (std::size_t k = 0; k < switchable_.size(); ++k) {
      if (layout_.switchable_rows[k] == row.row && switched_off_[k]) return true;
    }
    return false;
  });
  return report;
}

}  // namespace trammel::kkt
