#include "trammel/kkt/guarded_solver.h"

#include <utility>

namespace trammel::kkt {

using linalg::FactorCause;
using linalg::FactorStatus;

namespace {

bool may_another_succeed(const FactorStatus& status) {
  return !status.ok && status.cause != FactorCause::kNotFinite && status.cause != FactorCause::kNotPositiveDefinite;
}

}  // namespace

GuardedSolver::GuardedSolver(std::unique_ptr<DirectSolver> fast, Maker make_general)
    : fast_(std::move(fast)), make_general_(std::move(make_general)), active_(fast_.get()) {}

std::optional<FactorStatus> GuardedSolver::factor_blocks(std::span<const BlockValues> blocks, const double* jacobian) {
  active_ = fast_.get();
  const std::optional<FactorStatus> status = fast_->factor_blocks(blocks, jacobian);
  has_given_up_ = status && may_another_succeed(*status);
  if (has_given_up_) return std::nullopt;  // the general solver wants the whole matrix
  return status;
}

FactorStatus GuardedSolver::factor(const Vector& values) {
  if (!std::exchange(has_given_up_, false)) {
    active_ = fast_.get();
    const FactorStatus status = fast_->factor(values);
    if (!may_another_succeed(status)) return status;
  }
  if (!general_) general_ = make_general_();
  active_ = general_.get();
  return general_->factor(values);
}

}  // namespace trammel::kkt
