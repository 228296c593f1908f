#pragma once

// Accelerations and multipliers by the reduced matrix (thesis 3.4.2, docs/theory/reduced-matrix.md):
//
//   B = G M^-1 G^T,    B lambda = G M^-1 f - s,    a = M^-1 (f - G^T lambda)
//
// for [M G^T; G D] [a; lambda] = [f; s], M symmetric positive definite and block diagonal over the bodies, D zero but
// for ones at rows of G that are switched off. M is factorised body by body (again only when its values have changed),
// B is assembled joint by joint and factorised in its skyline row by row, each right after it was assembled.
//
// B squares the condition of G: a row is dependent when its pivot, the square of the sine of its angle to the rows
// before it in the metric of M^-1, is rounding error only.

#include <memory>
#include <string>

#include "trammel/kkt/direct_solver.h"
#include "trammel/kkt/reduced_structure.h"
#include "trammel/linalg/operations.h"

namespace trammel::kkt {

class ReducedSolver final : public DirectSolver {
 public:
  /// A layout with is_mass_only. Throws std::invalid_argument where find_reduced_obstacle() would find something.
  explicit ReducedSolver(const Layout& layout);

  BackEnd kind() const override { return BackEnd::kReduced; }
  linalg::FactorStatus factor(const Vector& values) override;
  std::optional<linalg::FactorStatus> factor_blocks(std::span<const BlockValues> blocks,
                                                    const double* jacobian) override;
  void solve(VectorOut upper, VectorOut lower) override;
  bool is_in_doubt() const override { return is_in_doubt_; }
  /// The smallest pivot of M and B relative to the diagonal it came from.
  double calc_rcond() override;

  /// Where everything is, and the factors of B.
  const ReducedStructure& structure() const { return s_; }

  /// Exact, by part of the work. Zeros within blocks count as numbers.
  struct Counts {
    linalg::Operations mass;      ///< factors of M, only when its values have changed
    linalg::Operations assembly;  ///< W and B
    linalg::Operations skyline;   ///< factors of B
    linalg::Operations solve;     ///< (f, s) to (a, lambda)
  };
  Counts calc_operations() const;

 private:
  linalg::FactorStatus factor_mass(const BlockValues& mass);
  linalg::FactorStatus factor_reduced(const double* jacobian);
  void scale_rows(const double* jacobian);
  int factor_rows();
  void solve_reduced(double* upper, double* lower);
  template <int R>
  void assemble(int i);
  template <int R>
  void solve_forward(int i);
  template <int R>
  void solve_backward(int i);

  ReducedStructure s_;
  int mass_size_ = 0;
  int velocities_ = 0;
  std::vector<double> mass_values_;  // that were factorised, and their weight
  double mass_weight_ = 0;           // 0: none were
  double smallest_mass_pivot_ = 1;
  std::vector<double> factors_;  // L of coupled groups
  std::vector<double> inverse_;  // reciprocals of the diagonal of L, by z
  std::vector<double> scale_;    // the same, but 1 in coupled groups
  std::vector<double> w_;
  std::vector<double> z_, x_;  // scratch: L^-1 f, and the multipliers in the order of elimination
  std::vector<char> is_off_;   // by switch
  bool is_in_doubt_ = false;
};

/// `whole` is the pattern of the whole matrix of the layout; both must outlive the solver. Throws std::invalid_argument
/// where find_reduced_obstacle() would have found something.
std::unique_ptr<DirectSolver> make_reduced_solver(const Layout& layout, const linalg::Pattern& whole);
/// Why the matrix [M G^T; G 0] of a system cannot be taken, whatever the values; empty when it can.
std::string find_reduced_obstacle(const dae::Structure& structure);

}  // namespace trammel::kkt
