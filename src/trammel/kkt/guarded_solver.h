#pragma once

// A solver that is fast, and a general one for the positions at which the first gives up.
//
// G M^-1 G^T squares the condition of G: it cannot tell rows that depend on each other from rows that nearly do, as
// those of a linkage with all bars nearly in line. The general solver has the last word on what is singular; the next
// position is the first one's again. Without mass everywhere the first one stays out of the question, so that
// FactorCause::kNotPositiveDefinite is passed on.

#include <functional>
#include <memory>

#include "trammel/kkt/direct_solver.h"

namespace trammel::kkt {

class GuardedSolver final : public DirectSolver {
 public:
  using Maker = std::function<std::unique_ptr<DirectSolver>()>;

  /// The general solver is made when it is needed first.
  GuardedSolver(std::unique_ptr<DirectSolver> fast, Maker make_general);

  BackEnd kind() const override { return fast_->kind(); }
  linalg::FactorStatus factor(const Vector& values) override;
  std::optional<linalg::FactorStatus> factor_blocks(std::span<const BlockValues> blocks,
                                                    const double* jacobian) override;
  void solve(VectorOut upper, VectorOut lower) override { active_->solve(upper, lower); }
  bool is_in_doubt() const override { return active_->is_in_doubt(); }
  double calc_rcond() override { return active_->calc_rcond(); }

 private:
  std::unique_ptr<DirectSolver> fast_;
  Maker make_general_;
  std::unique_ptr<DirectSolver> general_;
  DirectSolver* active_;
  bool has_given_up_ = false;  // on the blocks that factor() is to take next
};

}  // namespace trammel::kkt
