#pragma once

// What the back ends of kkt::Solver have in common.

#include <optional>
#include <stdexcept>
#include <string>

#include "trammel/kkt/solver.h"

namespace trammel::kkt {

/// Factors are doubted, and residuals looked at, when diagonals or pivots say that the condition exceeds the inverse.
inline constexpr double kDoubtfulRcond = 1e-7;

/// What a back end has done that does not factorise at every factor().
struct Work {
  long factorizations = 0;
  long refinements = 0;         ///< solutions with the factors beyond the first one of each right side
  linalg::FactorStatus status;  ///< of the last factorisation; solve() may have asked for it, and then has no solution
};

/// A factorisation of the whole matrix.
class DirectSolver {
 public:
  virtual ~DirectSolver() = default;
  virtual BackEnd kind() const = 0;
  /// From the values of the whole pattern.
  virtual linalg::FactorStatus factor(const Vector& values) = 0;
  /// From the blocks themselves, without the copy that the whole pattern needs; nothing when it needs that one.
  virtual std::optional<linalg::FactorStatus> factor_blocks(std::span<const BlockValues>, const double* /*jacobian*/) {
    return std::nullopt;
  }
  /// From the tree of a system in joint coordinates, in place of the mass; only back ends with takes_tree().
  virtual bool takes_tree() const { return false; }
  virtual linalg::FactorStatus factor_tree(const dae::TreeValues&, const double* /*jacobian*/) {
    throw std::logic_error("this back end does not factorise trees");
  }
  /// solve() with the upper right side sum_k J_k^T W_k, which project() computes at the tree of the last factor_tree()
  /// that is in doubt.
  virtual void solve_tree(const double* /*wrenches*/, VectorOut /*upper*/, VectorOut /*lower*/) {
    throw std::logic_error("this back end does not factorise trees");
  }
  virtual void project(const double* /*wrenches*/, VectorOut /*upper*/) {
    throw std::logic_error("this back end does not factorise trees");
  }
  /// residual -= M u with the tree of the last factor_tree() that is in doubt.
  virtual void subtract_mass_product(VectorIn /*u*/, VectorOut /*residual*/) {
    throw std::logic_error("this back end does not factorise trees");
  }
  virtual void solve(VectorOut upper, VectorOut lower) = 0;
  /// Whether the residual of a solution is worth a look.
  virtual bool is_in_doubt() const = 0;
  virtual double calc_rcond() = 0;
  /// What a factorisation costs in solutions with a product with the matrix each, about: an estimate that depends on
  /// the matrix alone and not on clocks, so that runs can be repeated.
  virtual double factor_cost() const { return 3; }
  /// Since the last call; nothing where every factor() is a factorisation, and no other call is one.
  virtual std::optional<Work> take_work() { return std::nullopt; }
};

/// "these coordinates have no mass: ...", the first of those without an entry in the pattern of M; empty without any.
std::string describe_massless(const dae::Structure& structure);

}  // namespace trammel::kkt
