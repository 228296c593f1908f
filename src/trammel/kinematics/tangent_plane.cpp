#include "trammel/kinematics/tangent_plane.h"

#include <fmt/format.h>

#include <cmath>

#include "trammel/linalg/lapack.h"

namespace trammel::kinematics {

namespace {
// A diagonal of R below this, relative to the largest, says that rows of G depend on each other.
constexpr double kDependent = 1e-10;
constexpr int kBlock = 64;
}  // namespace

TangentPlane::TangentPlane(const linalg::Pattern& jacobian) : Parametrisation(jacobian) {
  basis_.setIdentity(n(), n());
  coefficients_ = Vector::Zero(m());
  room_ = Vector::Zero(kBlock * std::max(n(), 1));
  work_ = Vector::Zero(m());
  column_sums_ = Vector::Zero(n());
  factors_.resize(m());
}

ChartChoice TangentPlane::choose(const double* jacobian) {
  if (m() == 0) return ChartChoice::kAnother;
  if (m() > n()) return ChartChoice::kSingular;
  basis_.setZero();
  for (int k = 0; k < jacobian_.size(); ++k) basis_(jacobian_[k].column, jacobian_[k].row) += jacobian[k];
  // Rows of G to unit length: they may be multiplied by any number.
  for (int i = 0; i < m(); ++i) basis_.col(i).normalize();
  const int rows = n(), columns = m(), room = static_cast<int>(room_.size());
  int info = 0;
  dgeqrf_(&rows, &columns, basis_.data(), &rows, coefficients_.data(), room_.data(), &room, &info);
  if (info != 0) return ChartChoice::kSingular;
  const auto diagonal = basis_.diagonal().head(m()).cwiseAbs();
  if (!(diagonal.minCoeff() > kDependent * diagonal.maxCoeff())) return ChartChoice::kSingular;
  dorgqr_(&rows, &rows, &columns, basis_.data(), &rows, coefficients_.data(), room_.data(), &room, &info);
  return info == 0 && factor(jacobian).ok ? ChartChoice::kAnother : ChartChoice::kSingular;
}

linalg::FactorStatus TangentPlane::factor(const double* jacobian) {
  if (m() == 0) return {};
  auto matrix = factors_.matrix();
  matrix.setZero();
  for (int k = 0; k < jacobian_.size(); ++k) {
    matrix.row(jacobian_[k].row) += jacobian[k] * basis_.row(jacobian_[k].column).head(m());
  }
  part_norm_ = matrix.cwiseAbs().colwise().sum().maxCoeff();
  column_sums_.setZero();
  for (int k = 0; k < jacobian_.size(); ++k) column_sums_[jacobian_[k].column] += std::abs(jacobian[k]);
  norm_ = column_sums_.maxCoeff();
  return factors_.factor();
}

double TangentPlane::calc_condition() { return m() == 0 ? 1 : norm_ / part_norm_ / factors_.calc_rcond(); }

void TangentPlane::reduce(VectorIn q, VectorOut w) const {
  w.noalias() = basis_.rightCols(dimension()).transpose() * q;
}

void TangentPlane::add_extended(VectorIn w, VectorOut q) const { q.noalias() += basis_.rightCols(dimension()) * w; }

void TangentPlane::solve(VectorIn s, VectorOut z) {
  z.setZero();
  if (m() == 0) return;
  work_ = s;
  factors_.solve(work_);
  z.noalias() = basis_.leftCols(m()) * work_;
}

void TangentPlane::solve_transposed(VectorIn r, VectorOut s) {
  if (m() == 0) return;
  work_.noalias() = basis_.leftCols(m()).transpose() * r;
  factors_.solve_transposed(work_);
  s = work_;
}

std::string TangentPlane::describe(const dae::Structure& /*structure*/) const {
  return fmt::format("{} coordinates in the tangent plane of {} constraints", dimension(), m());
}

}  // namespace trammel::kinematics
