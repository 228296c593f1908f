#include "trammel/linalg/cholesky_qr.h"

#include <algorithm>
#include <utility>

#include "trammel/linalg/dense_kernels.h"

// Factor and solve together, microseconds (Zen 3, g++ 12 -O3, the best of many runs, filling the matrices not counted):
//   n, m                    7, 6    9, 8    21, 20    60, 50
//   kHouseholder            0.58    0.86      4.4        53
//   the same, M diagonal    0.51    0.74      3.4        31
//   kCholesky               0.51    0.76      4.0        47
//   DenseLu                 0.51    0.82      6.0        84
//   DenseSymmetric          1.09    1.64      8.8       163

namespace trammel::linalg {
namespace {

/// Pivot of the mass matrix, relative to its diagonal, from which a row counts as massive. Measured: Euler parameters,
/// whose mass matrix is singular, leave up to 2e-15 by rounding; a straight chain of 1000 rods in joint angles has
/// 2e-9.
constexpr double kMassive = 1e-13;
/// Sine of the angle to the earlier constraints below which a row counts as dependent. Measured: rows made dependent in
/// 20000 random matrices up to 40 x 40 leave up to 1e-15.
constexpr double kDependentSine = 1e-12;
/// The same for kCholesky, squared: W^T W cannot resolve less.
constexpr double kDependentSine2 = 1e-14;

int round_up_to_even(int n) { return n + n % 2; }

/// Cholesky factor of the symmetric matrix in the first `columns` rows of a panel, of which the lower triangle is read;
/// the rows below become B L^-T. The diagonal of L is kept as reciprocals only. Column counts, height and stride are
/// even. A pivot that is not above `relative` times its original value is blamed on `cause`.
FactorStatus factor_panel(int columns, int height, double* panel, double relative, FactorCause cause, double* inverse) {
  const auto column = [=](int j) { return panel + static_cast<std::ptrdiff_t>(j) * height; };
  const auto invert_root = [=](int k, double pivot) {
    const bool positive = pivot > relative * inverse[k];  // false for infinities and not-a-number
    inverse[k] = positive ? 1 / std::sqrt(pivot) : 0;
    return positive;
  };
  const auto blame = [=](int k, double pivot) {
    return FactorStatus::failed(std::isfinite(pivot) ? cause : FactorCause::kNotFinite, k);
  };
  for (int k = 0; k < columns; ++k) inverse[k] = column(k)[k];
  for (int k = 0; k < columns; k += 2) {
    double* l0 = column(k);
    double* l1 = column(k + 1);
    if (!invert_root(k, l0[k])) return blame(k, l0[k]);
    const double f = l0[k + 1] *= inverse[k];
    const double pivot = l1[k + 1] - f * f;
    if (!invert_root(k + 1, pivot)) return blame(k + 1, pivot);
    const Pair scale0 = {inverse[k], inverse[k]}, scale1 = {inverse[k + 1], inverse[k + 1]}, factors = {f, f};
    for (int i = k + 2; i < height; i += 2) {
      const Pair scaled = load_pair(l0 + i) * scale0;
      store_pair(scaled, l0 + i);
      store_pair((load_pair(l1 + i) - factors * scaled) * scale1, l1 + i);
    }
    for (int j = k + 2; j < columns; ++j) {
      if (l0[j] == 0 && l1[j] == 0) continue;
      const int top = j - j % 2;  // one entry above the diagonal is spoilt when j is odd; nobody reads it
      add_scaled(height - top, -l0[j], l0 + top, -l1[j], l1 + top, column(j) + top);
    }
  }
  return {};
}

}  // namespace

void CholeskyQr::resize(int velocities, int constraints, CholeskyQrVariant variant) {
  n_ = velocities;
  m_ = constraints;
  even_n_ = round_up_to_even(n_);
  even_m_ = round_up_to_even(m_);
  stride_ = even_n_ + even_m_;
  variant_ = variant;
  factored_ = false;
  const auto n = static_cast<std::size_t>(even_n_), m = static_cast<std::size_t>(even_m_);
  panel_.assign((n + m) * n, 0.0);
  inverse_l_.assign(n, 0.0);
  w_.assign(variant_ == CholeskyQrVariant::kHouseholder ? n * m : 0, 0.0);
  r_.assign(m * m, 0.0);
  inverse_r_.assign(m, 0.0);
  squared_norms_.assign(m, 0.0);
  weights_.assign(m, 0.0);
  couplings_.assign(m, 0.0);
  scratch_.assign(n + m, 0.0);
}

FactorStatus CholeskyQr::factor() {
  if (n_ < even_n_) column(n_)[n_] = 1;
  FactorStatus status =
      factor_panel(even_n_, stride_, panel_.data(), kMassive, FactorCause::kNotPositiveDefinite, inverse_l_.data());
  if (status) {
    status = variant_ == CholeskyQrVariant::kHouseholder ? factor_by_reflections() : factor_by_normal_equations();
  }
  factored_ = status.ok;
  if (!status) clear_padding();
  return status;
}

FactorStatus CholeskyQr::factor_by_reflections() {
  for (int j = 0; j < even_n_; j += 2) {
    const double* w0 = column(j) + even_n_;
    const double* w1 = w0 + stride_;
    for (int c = 0; c < m_; ++c) store_pair(Pair{w0[c], w1[c]}, w(c) + j);
  }
  for (int c = 0; c < m_; c += 2) {
    const int rows = even_n_ - c;
    double* v0 = w(c);
    if (c + 1 == m_) return make_reflector(c, calc_dot(rows, v0 + c, v0 + c));
    // Products with the column itself are taken before its reflection is known: the root need not be waited for.
    double* v1 = w(c + 1);
    const TwoDots with0 = calc_dots(rows, v0 + c, v1 + c, v0 + c);
    if (const FactorStatus status = make_reflector(c, with0.d0); !status) return status;
    add_scaled(rows, -weights_[c] * (with0.d1 - r(c)[c] * v1[c]), v0 + c, v1 + c);
    r(c + 1)[c] = v1[c];
    v1[c] = 0;
    const TwoDots with1 = calc_dots(rows, v0 + c, v1 + c, v1 + c);
    if (const FactorStatus status = make_reflector(c + 1, with1.d1); !status) return status;
    couplings_[c] = weights_[c] * weights_[c + 1] * (with1.d0 - r(c + 1)[c + 1] * v0[c + 1]);
    for (int j = c + 2; j < m_; ++j) {
      apply_two_reflectors(c, w(j));
      store_pair(load_pair(w(j) + c), r(j) + c);
    }
  }
  return {};
}

/// Reflects column c of W, from row c on, to a multiple of the unit vector; the squared norm of that part is given.
FactorStatus CholeskyQr::make_reflector(int c, double squared_norm) {
  const double whole = squared_norm + calc_dot(c, r(c), r(c));
  if (!(squared_norm > kDependentSine * kDependentSine * whole)) {
    return std::isfinite(whole) ? FactorStatus::failed(FactorCause::kDependentRow, c)
                                : FactorStatus::failed(FactorCause::kNotFinite, n_ + c);
  }
  squared_norms_[c] = whole;
  double* v = w(c);
  const double norm = std::sqrt(squared_norm);
  const double diagonal = v[c] > 0 ? -norm : norm;
  r(c)[c] = diagonal;
  inverse_r_[c] = 1 / diagonal;
  v[c] -= diagonal;
  weights_[c] = -1 / (diagonal * v[c]);
  return {};
}

inline void CholeskyQr::apply_reflector(int c, double* x) const {
  const double* v = w(c) + c;
  add_scaled(even_n_ - c, -weights_[c] * calc_dot(even_n_ - c, v, x + c), v, x + c);
}

/// Reflection c, then c + 1.
inline void CholeskyQr::apply_two_reflectors(int c, double* x) const {
  const double* v0 = w(c) + c;
  const double* v1 = w(c + 1) + c;
  const auto [d0, d1] = calc_dots(even_n_ - c, v0, v1, x + c);
  add_scaled(even_n_ - c, -weights_[c] * d0, v0, couplings_[c] * d0 - weights_[c + 1] * d1, v1, x + c);
}

/// Reflection c + 1, then c.
inline void CholeskyQr::apply_two_reflectors_backwards(int c, double* x) const {
  const double* v0 = w(c) + c;
  const double* v1 = w(c + 1) + c;
  const auto [d0, d1] = calc_dots(even_n_ - c, v0, v1, x + c);
  add_scaled(even_n_ - c, couplings_[c] * d1 - weights_[c] * d0, v0, -weights_[c + 1] * d1, v1, x + c);
}

FactorStatus CholeskyQr::factor_by_normal_equations() {
  std::fill(r_.begin(), r_.end(), 0.0);
  for (int k = 0; k < even_n_; k += 2) {
    const double* w0 = column(k) + even_n_;
    const double* w1 = w0 + stride_;
    for (int j = 0; j < m_; ++j) {
      const int top = j - j % 2;
      add_scaled(even_m_ - top, w0[j], w0 + top, w1[j], w1 + top, r(j) + top);
    }
  }
  if (m_ < even_m_) r(m_)[m_] = 1;
  for (int c = 0; c < m_; ++c) squared_norms_[c] = r(c)[c];
  FactorStatus status =
      factor_panel(even_m_, even_m_, r_.data(), kDependentSine2, FactorCause::kDependentRow, inverse_r_.data());
  if (status && m_ > n_) status = FactorStatus::failed(FactorCause::kDependentRow, n_);
  if (status.cause == FactorCause::kNotFinite) status.index += n_;
  return status;
}

/// A failure may have carried infinities into the padding.
void CholeskyQr::clear_padding() {
  for (int j = 0; j < even_n_; ++j) {
    if (n_ < even_n_) column(j)[n_] = 0;
    if (m_ < even_m_) column(j)[even_n_ + m_] = 0;
  }
  if (n_ < even_n_) std::fill_n(column(n_), stride_, 0.0);
}

void CholeskyQr::solve(VectorOut top, VectorOut bottom) const {
  eigen_assert(factored_ && top.size() == n_ && bottom.size() == m_);
  double* x = scratch_.data();
  double* y = x + even_n_;
  copy_numbers(n_, top.data(), x);
  copy_numbers(m_, bottom.data(), y);
  if (n_ < even_n_) x[n_] = 0;
  if (m_ < even_m_) y[m_] = 0;
  solve_lower(even_n_, panel_.data(), stride_, inverse_l_.data(), x);
  variant_ == CholeskyQrVariant::kHouseholder ? solve_by_reflections(x, y) : solve_by_normal_equations(x, y);
  solve_lower_transposed(even_n_, panel_.data(), stride_, inverse_l_.data(), x);
  copy_numbers(n_, x, top.data());
  copy_numbers(m_, y, bottom.data());
}

void CholeskyQr::solve_by_reflections(double* x, double* y) const {
  solve_upper_transposed(even_m_, r_.data(), even_m_, inverse_r_.data(), y);
  const int paired = m_ - m_ % 2;
  for (int c = 0; c < paired; c += 2) apply_two_reflectors(c, x);
  if (paired < m_) apply_reflector(paired, x);
  for (int c = 0; c < paired; c += 2) {
    const Pair c1 = load_pair(x + c), known = load_pair(y + c);
    store_pair(known, x + c);
    store_pair(c1 - known, y + c);
  }
  if (paired < m_) {
    y[paired] = std::exchange(x[paired], y[paired]) - y[paired];
    apply_reflector(paired, x);
  }
  for (int c = paired - 2; c >= 0; c -= 2) apply_two_reflectors_backwards(c, x);
  solve_upper(even_m_, r_.data(), even_m_, inverse_r_.data(), y);
}

void CholeskyQr::solve_by_normal_equations(double* x, double* y) const {
  for (int c = 0; c < m_; ++c) y[c] = -y[c];
  for (int k = 0; k < even_n_; k += 2)
    add_scaled(even_m_, x[k], column(k) + even_n_, x[k + 1], column(k + 1) + even_n_, y);
  solve_lower(even_m_, r_.data(), even_m_, inverse_r_.data(), y);
  solve_lower_transposed(even_m_, r_.data(), even_m_, inverse_r_.data(), y);
  for (int k = 0; k < even_n_; k += 2) {
    const auto [d0, d1] = calc_dots(even_m_, column(k) + even_n_, column(k + 1) + even_n_, y);
    store_pair(load_pair(x + k) - Pair{d0, d1}, x + k);
  }
}

DiagonalRcond CholeskyQr::calc_diagonal_rcond() const {
  eigen_assert(factored_);
  DiagonalRcond rcond;
  if (n_ > 0) {
    const auto [smallest, largest] = std::minmax_element(inverse_l_.begin(), inverse_l_.begin() + n_);
    const double ratio = *smallest / *largest;
    rcond.mass = ratio * ratio;
  }
  for (int c = 0; c < m_; ++c)
    rcond.constraints = std::min(rcond.constraints, 1 / (std::abs(inverse_r_[c]) * std::sqrt(squared_norms_[c])));
  return rcond;
}

}  // namespace trammel::linalg
