#include "trammel/linalg/dense_lu.h"

#include <limits>

#include "trammel/linalg/condition.h"
#include "trammel/linalg/dense_kernels.h"
#include "trammel/linalg/lapack.h"

namespace trammel::linalg {
namespace {

/// Size from which LAPACK takes over. Measured on Zen 3 against the reference LAPACK 3.11 of Debian (microseconds):
///   n            6     13     32     64    128    400
///   own loops  0.14   0.51   3.7     21    173   4300
///   dgetrf     0.46   1.50   6.5     40    353   9450
/// so there is no crossing with that library; the switch is for tuned ones, which win on matrices beyond the caches.
constexpr int kLapackFrom = 300;

/// Pivots below this share of the largest entry above them are compared with their rounding error.
constexpr double kSuspicious = 1e-8;

}  // namespace

void DenseLu::resize(int size) {
  size_ = size;
  factored_ = false;
  matrix_.assign(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.0);
  pivots_.assign(static_cast<std::size_t>(size), 0);
  inverse_diagonal_.assign(static_cast<std::size_t>(size), 0.0);
  scratch_.setZero(2 * size);
}

FactorStatus DenseLu::factor() {
  factored_ = false;
  norm1_ = 0;
  for (int j = 0; j < size_; ++j) {
    const double sum = calc_norm1(size_, column(j));
    if (!std::isfinite(sum)) return FactorStatus::failed(FactorCause::kNotFinite, j);
    norm1_ = std::max(norm1_, sum);
  }
  const int regular = size_ < kLapackFrom ? eliminate() : eliminate_by_lapack();
  for (int k = 0; k < regular; ++k) inverse_diagonal_[k] = 1 / column(k)[k];
  const int meaningful = find_meaningless_pivot(regular);
  factored_ = meaningful == size_;
  return factored_ ? FactorStatus{} : FactorStatus::failed(FactorCause::kZeroPivot, meaningful);
}

int DenseLu::eliminate_by_lapack() {
  int info = 0;
  dgetrf_(&size_, &size_, data(), &size_, pivots_.data(), &info);
  return info > 0 ? info - 1 : size_;
}

int DenseLu::eliminate() {
  const int n = size_;
  for (int k = 0; k < n; k += 2) {
    if (!choose_pivot(k)) return k;
    if (k + 1 == n) break;
    const double* l0 = column(k);
    double* l1 = column(k + 1);
    add_scaled(n - k - 1, -l1[k], l0 + k + 1, l1 + k + 1);
    if (!choose_pivot(k + 1)) return k + 1;
    for (int j = k + 2; j < n; ++j) {
      double* u = column(j) + k;
      u[1] -= l0[k + 1] * u[0];
      if (u[0] != 0 || u[1] != 0) add_scaled(n - k - 2, -u[0], l0 + k + 2, -u[1], l1 + k + 2, u + 2);
    }
  }
  return n;
}

bool DenseLu::choose_pivot(int k) {
  double* l = column(k);
  int p = k;
  double largest = std::abs(l[k]);
  for (int i = k + 1; i < size_; ++i) {
    const double size = std::abs(l[i]);
    if (size > largest) {
      largest = size;
      p = i;
    }
  }
  if (!(largest >= std::numeric_limits<double>::min() && std::isfinite(largest))) return false;
  pivots_[k] = p + 1;
  if (p != k)
    for (int j = 0; j < size_; ++j) std::swap(column(j)[k], column(j)[p]);
  const double inverse = 1 / l[k];
  for (int i = k + 1; i < size_; ++i) l[i] *= inverse;
  return true;
}

int DenseLu::find_meaningless_pivot(int columns) const {
  const double tolerance = size_ * std::numeric_limits<double>::epsilon();
  for (int j = 0; j < columns; ++j) {
    const double* u = column(j);
    double above = 0;
    for (int k = 0; k < j; ++k) above = std::max(above, std::abs(u[k]));
    const double pivot = std::abs(u[j]);
    if (pivot <= kSuspicious * above && pivot <= tolerance * calc_pivot_noise(j)) return j;
  }
  return columns;
}

double DenseLu::calc_pivot_noise(int j) const {
  auto z = scratch_.head(j + 1);
  auto t = scratch_.segment(size_, j);
  copy_numbers(j, column(j), z.data());
  solve_upper(j, column(0), size_, inverse_diagonal_.data(), z.data());
  z[j] = 1;
  t.setZero();
  for (int p = 0; p <= j; ++p)
    for (int k = 0; k <= std::min(p, j - 1); ++k) t[k] += std::abs(column(p)[k] * z[p]);
  double noise = 0;
  for (int i = j; i < size_; ++i) {
    double sum = 0;
    for (int k = 0; k < j; ++k) sum += std::abs(column(k)[i]) * t[k];
    noise = std::max(noise, sum);
  }
  return noise;
}

void DenseLu::solve(VectorOut b) const {
  eigen_assert(factored_ && b.size() == size_);
  for (int k = 0; k < size_; ++k) std::swap(b[k], b[pivots_[k] - 1]);
  solve_lower(size_, column(0), size_, nullptr, b.data());
  solve_upper(size_, column(0), size_, inverse_diagonal_.data(), b.data());
}

void DenseLu::solve_transposed(VectorOut b) const {
  eigen_assert(factored_ && b.size() == size_);
  solve_upper_transposed(size_, column(0), size_, inverse_diagonal_.data(), b.data());
  solve_lower_transposed(size_, column(0), size_, nullptr, b.data());
  for (int k = size_ - 1; k >= 0; --k) std::swap(b[k], b[pivots_[k] - 1]);
}

double DenseLu::calc_rcond() const {
  if (size_ == 0) return 1;
  const double inverse_norm = estimate_inverse_norm1(
      scratch_.head(size_), scratch_.tail(size_), [this](VectorOut x) { solve(x); },
      [this](VectorOut x) { solve_transposed(x); });
  return 1 / norm1_ / inverse_norm;
}

}  // namespace trammel::linalg
