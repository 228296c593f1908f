#pragma once

// One interface for the linear systems of constrained mechanics:
//
//   [ H  B ] [ u ]   [ r ]
//   [ G  0 ] [ w ] = [ s ]
//
// H = sum of weighted blocks, for example c_a M + c_v D + c_x K (and rows and columns of extra states), B = G^T plus
// whatever blocks are placed there (-df/dlambda for friction that depends on reactions). Accelerations are H = M,
// u = a, w = lambda. A row of G that may be switched off (Structure::switchable_rows) has a one on the diagonal while
// it is zero, so that its unknown is its right side. Where the blocks lie is said once (Layout), their values and
// weights at every factorisation.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/dae/structure.h"
#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/pattern.h"
#include "trammel/linalg/rank.h"

namespace trammel::kkt {

using linalg::Vector;
using linalg::VectorIn;
using linalg::VectorOut;

/// A matrix with a pattern of its own whose corner stands at (row, column) of the whole.
struct Block {
  const linalg::Pattern* pattern;
  int row = 0;
  int column = 0;
};

struct Layout {
  /// H = M, B = G^T: accelerations and projections. The structure must outlive the solver.
  static Layout mass(const dae::Structure& structure);
  /// The same with B = G^T + F, where F has the pattern of df/dlambda.
  static Layout mass_with_friction(const dae::Structure& structure);
  /// H = M, B = R^T, where R has the pattern of G and values of its own: reactions of one position, constraints of
  /// another.
  static Layout half_explicit(const dae::Structure& structure);

  int upper = 0;                              ///< size of H
  int lower = 0;                              ///< rows of G
  std::vector<Block> blocks;                  ///< everything except G and G^T
  const linalg::Pattern* jacobian = nullptr;  ///< lower x at most upper; its transpose is placed by the solver
  /// Of the system, where its mass matrix stands at the corner of H: it says which unknowns are one body.
  const dae::Structure* structure = nullptr;
  std::span<const int> switchable_rows;      ///< of G; they must outlive the solver
  std::span<const int> decoupled_rows;       ///< of G, Structure::decoupled_rows; the same
  const dae::TreeStructure* tree = nullptr;  ///< of a system in joint coordinates, whose mass may be given by it
  /// Whether the only block is a symmetric mass matrix, so that Cholesky may be tried.
  bool is_mass_only = false;
};

/// Values of one block, in the order of its pattern, and their weight.
struct BlockValues {
  const double* values;
  double weight = 1;
};

enum class BackEnd {
  kAutomatic,
  kCholeskyQr,
  kDenseSymmetric,
  kDenseLu,
  kBlockElimination,
  kSparse,
  kReduced,      ///< B = G M^-1 G^T, block by block along the joints (reduced_solver.h)
  kRecursive,    ///< elimination from the leaves of the tree of bodies to its root (recursive_solver.h)
  kBranches,     ///< Cholesky of a mass matrix that couples along branches, without fill (branch_solver.h)
  kArticulated,  ///< articulated bodies, for systems with a tree (articulated_solver.h)
  kIterative,    ///< conjugate gradients, preconditioned by an earlier factorisation (iterative_solver.h)
};
std::string to_string(BackEnd back_end);
/// Why the back end cannot take the matrix [M G^T; G 0] of a system, whatever the values; empty when it can.
/// Coordinates without mass are those without entries in the pattern of M.
std::string find_obstacle(BackEnd back_end, const dae::Structure& structure);

struct SolverOptions {
  BackEnd back_end = BackEnd::kAutomatic;
  int max_refinements = 2;  ///< 0 or more; residual-based, only where the factors are in doubt

  /// The same for a matrix that is not symmetric: LU in place of what needs symmetry.
  SolverOptions for_unsymmetric() const;
};

struct SolverCounts {
  long factorizations = 0;
  long solves = 0;
  long refinements = 0;

  SolverCounts& operator+=(const SolverCounts& other);
};

class DirectSolver;

class Solver {
 public:
  explicit Solver(Layout layout, const SolverOptions& options = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Values in the order of Layout::blocks. A matrix that is singular to working precision is an answer, not a crash.
  /// `reactions` are the values of R where B = R^T + ... and R is not G: never in a layout of the mass alone.
  [[nodiscard]] linalg::FactorStatus factor(std::span<const BlockValues> values, const double* jacobian,
                                            const double* reactions = nullptr);
  /// The same for a system in joint coordinates, where takes_tree(): the tree in place of the mass.
  [[nodiscard]] linalg::FactorStatus factor_tree(const dae::TreeValues& tree, const double* jacobian);
  bool takes_tree() const;
  /// solve() after factor_tree(), with the upper right side given as wrenches on the nodes: sum_k J_k^T W_k.
  void solve_tree(const double* wrenches, VectorOut upper, VectorOut lower);
  /// Whether the rows of Layout::switchable_rows were zero at the last factor(), in their order.
  const std::vector<bool>& switched_off() const { return switched_off_; }
  /// Whether the last factor() succeeded, so that solve() may be called.
  bool is_factored() const { return is_factored_; }
  /// In place: (r, s) -> (u, w), with the matrix that was factorised last, whatever its values have become since.
  void solve(VectorOut upper, VectorOut lower);
  /// After a factor() that failed: the rows of G that depend on earlier ones, and on which; not those switched off.
  linalg::RankReport find_dependent_rows() const;
  /// Reciprocal condition estimate of the last factorisation (1-norm); costs some solves.
  double calc_rcond();

  /// The back end in use (the automatic choice may change it when the mass matrix turns out to be singular).
  BackEnd back_end() const;
  const SolverCounts& counts() const { return counts_; }

 private:
  void collect(std::span<const BlockValues> values, const double* jacobian, const double* reactions);
  void note_switched_off(const double* jacobian);

  Layout layout_;
  SolverOptions options_;
  SolverCounts counts_;
  bool is_factored_ = false;
  std::vector<std::vector<int>> switchable_;  // places of G in each of the rows that may be switched off
  std::vector<bool> switched_off_;
  std::unique_ptr<linalg::Pattern> pattern_;  // of the whole matrix: blocks, G, G^T; back ends refer to it
  std::unique_ptr<DirectSolver> direct_;
  Vector values_;
  Vector right_side_, residual_, solution_;
};

}  // namespace trammel::kkt
