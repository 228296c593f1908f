#include "trammel/linalg/dense_symmetric.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "trammel/linalg/lapack.h"

namespace trammel::linalg {
namespace {

/// Ratio of the pivots below which the smallest are compared with their rounding error.
constexpr double kSuspicious = 1e-8;

}  // namespace

void DenseSymmetric::resize(int size) {
  size_ = size;
  factored_ = false;
  const auto n = static_cast<std::size_t>(size);
  matrix_.assign(n * n, 0.0);
  pivots_.assign(n, 0);
  int_work_.assign(n, 0);
  double best_work = 0;
  if (size > 0) {
    const int query = -1;
    int info = 0;
    dsytrf_("L", &size_, data(), &size_, pivots_.data(), &best_work, &query, &info, 1);
  }
  work_.assign(std::max(static_cast<std::size_t>(best_work), 2 * n), 0.0);
}

FactorStatus DenseSymmetric::factor() {
  factored_ = false;
  if (size_ > 0) {
    if (const FactorStatus status = eval_norm(); !status) return status;
    const int work_size = static_cast<int>(work_.size());
    int info = 0;
    dsytrf_("L", &size_, data(), &size_, pivots_.data(), work_.data(), &work_size, &info, 1);
    const int meaningful = find_meaningless_pivot(info > 0 ? info - 1 : size_);
    if (meaningful < size_) return FactorStatus::failed(FactorCause::kZeroPivot, calc_original_row(meaningful));
  }
  factored_ = true;
  return {};
}

FactorStatus DenseSymmetric::eval_norm() {
  std::fill_n(work_.begin(), size_, 0.0);
  norm1_ = 0;
  for (int j = 0; j < size_; ++j) {
    double sum = work_[j] + std::abs(at(j, j));
    for (int i = j + 1; i < size_; ++i) {
      const double entry = std::abs(at(i, j));
      sum += entry;
      work_[i] += entry;
    }
    if (!std::isfinite(sum)) return FactorStatus::failed(FactorCause::kNotFinite, j);
    norm1_ = std::max(norm1_, sum);
  }
  return {};
}

/// The first of so many pivots that may be rounding error, or their number.
int DenseSymmetric::find_meaningless_pivot(int columns) {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (int k = 0; k < columns; k += is_block(k) ? 2 : 1) {
    const double pivot = std::abs(is_block(k) ? at(k + 1, k) : at(k, k));
    smallest = std::min(smallest, pivot);
    largest = std::max(largest, pivot);
  }
  if (smallest > kSuspicious * largest) return columns;

  int info = 0, k = 0;
  double* off_diagonal = work_.data();
  const double tolerance = size_ * std::numeric_limits<double>::epsilon();
  dsyconv_("L", "C", &size_, data(), &size_, pivots_.data(), off_diagonal, &info, 1, 1);
  for (; k < columns; k += is_block(k) ? 2 : 1) {
    const double pivot = std::abs(is_block(k) ? off_diagonal[k] : at(k, k));
    double noise = calc_pivot_noise(k, k);
    if (is_block(k)) noise = std::max(noise, calc_pivot_noise(k + 1, k));
    if (pivot <= tolerance * noise) break;
  }
  dsyconv_("L", "R", &size_, data(), &size_, pivots_.data(), off_diagonal, &info, 1, 1);
  return std::min(k, columns);
}

/// t^T |D| t over the first columns, with t = |L^T| |z| and z = L^-T e_row: what rounding of size |L| |D| |L^T| can
/// make of pivot `row`. L is plain triangular and the off-diagonal of D in the first half of work_.
double DenseSymmetric::calc_pivot_noise(int row, int columns) const {
  double* z = work_.data() + size_;
  double noise = 0, next = 0;
  z[row] = 1;
  for (int j = columns - 1; j >= 0; --j) {
    z[j] = -at(row, j);
    double t = std::abs(at(row, j));
    for (int i = j + 1; i < columns; ++i) {
      z[j] -= at(i, j) * z[i];
      t += std::abs(at(i, j) * z[i]);
    }
    t += std::abs(z[j]);
    noise += std::abs(at(j, j)) * t * t + 2 * std::abs(work_[j]) * t * next;
    next = t;
  }
  return noise;
}

int DenseSymmetric::calc_original_row(int k) const {
  std::iota(int_work_.begin(), int_work_.end(), 0);
  for (int i = 0; i <= k; ++i) {
    if (is_block(i)) {
      std::swap(int_work_[i + 1], int_work_[-pivots_[i] - 1]);
      ++i;
    } else {
      std::swap(int_work_[i], int_work_[pivots_[i] - 1]);
    }
  }
  return int_work_[k];
}

void DenseSymmetric::solve(VectorOut b) const {
  eigen_assert(factored_ && b.size() == size_);
  if (size_ == 0) return;
  const int one = 1;
  int info = 0;
  dsytrs_("L", &size_, &one, matrix_.data(), &size_, pivots_.data(), b.data(), &size_, &info, 1);
}

double DenseSymmetric::calc_rcond() const {
  eigen_assert(factored_);
  if (size_ == 0) return 1;
  double rcond = 0;
  int info = 0;
  dsycon_("L", &size_, matrix_.data(), &size_, pivots_.data(), &norm1_, &rcond, work_.data(), int_work_.data(), &info,
          1);
  return rcond;
}

Inertia DenseSymmetric::calc_inertia() const {
  eigen_assert(factored_);
  Inertia inertia;
  for (int k = 0; k < size_; ++k) {
    if (is_block(k)) {  // a block of size 2 is only taken when its determinant is negative
      ++inertia.positive;
      ++inertia.negative;
      ++k;
    } else {
      ++(at(k, k) > 0 ? inertia.positive : inertia.negative);
    }
  }
  return inertia;
}

}  // namespace trammel::linalg
