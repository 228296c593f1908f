#include "trammel/linalg/block_elimination.h"

#include <algorithm>

namespace trammel::linalg {

void BlockElimination::resize(const Pattern& mass, int massless) {
  mass_ = mass;
  mass_values_.setZero(mass.size());
  K_.resize(mass.rows());
  Z_.setZero(mass.rows(), massless);
  reduced_.resize(massless, 0);
  y_ = work_ = Vector::Zero(mass.rows());
}

FactorStatus BlockElimination::factor(const double* mass) {
  mass_values_ = Eigen::Map<const Vector>(mass, mass_.size());
  FactorStatus status = K_.factor();
  if (!status.ok) {
    if (status.cause == FactorCause::kZeroPivot) status.cause = FactorCause::kSingularBlock;
    return status;
  }
  for (Eigen::Index j = 0; j < Z_.cols(); ++j) K_.solve(Z_.col(j));
  auto A = reduced_.mass();
  A.setZero();
  for (Eigen::Index j = 0; j < Z_.cols(); ++j) {
    work_.setZero();
    mass_.add_product(mass_values_.data(), Z_.col(j), 1, work_);
    for (Eigen::Index i = j; i < Z_.cols(); ++i) A(i, j) = Z_.col(i).dot(work_);
  }
  status = reduced_.factor();
  if (status.cause == FactorCause::kNotPositiveDefinite) status.cause = FactorCause::kZeroPivot;
  return status;
}

void BlockElimination::solve(VectorOut p, VectorOut q, VectorOut w) const {
  y_ = w;
  K_.solve(y_);
  work_ = p;
  mass_.add_product(mass_values_.data(), y_, -1, work_);
  for (Eigen::Index j = 0; j < Z_.cols(); ++j) q[j] -= Z_.col(j).dot(work_);
  reduced_.solve(q, work_.head(0));
  for (Eigen::Index j = 0; j < Z_.cols(); ++j) y_ -= q[j] * Z_.col(j);
  w = p;
  mass_.add_product(mass_values_.data(), y_, -1, w);
  K_.solve_transposed(w);
  p = y_;
}

double BlockElimination::calc_rcond() const { return std::min(K_.calc_rcond(), reduced_.calc_diagonal_rcond().mass); }

}  // namespace trammel::linalg
