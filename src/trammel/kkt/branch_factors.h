#pragma once

// Cholesky of a mass matrix that couples velocities along the branches of a tree, without fill-in (thesis, 3.4.3.3).
//
// Velocities get places such that those of a body come after those of the bodies that carry it, and are eliminated from
// the last place to the first: lemma 2, counted from the other end. With R the rows of the factor, M = R^T R, row k has
// entries at k and at the earlier places that M couples with k, and nowhere else:
//
//   R_kk = sqrt(M_kk),  R_ki = M_ki / R_kk,   M_ij := M_ij - R_ki R_kj   for all i, j that k is coupled with.      (1)
//
// Row k is kept densely, in the order of its places. When all that is coupled with k is coupled with one another, as on
// a branch, the row of an earlier place i has the places of row k up to i, so that (1) subtracts arrays that lie side
// by side. `Real` is double, or a type that counts what is done with it.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "trammel/dae/structure.h"
#include "trammel/kkt/row_factors.h"
#include "trammel/linalg/factor_status.h"
#include "trammel/linalg/pattern.h"

namespace trammel::kkt {

/// The places of the velocities, and the rows of the factor.
struct BranchRows {
  /// Coupled velocities that would fill in.
  struct Fill {
    int velocity, first, second;  ///< velocity is coupled with both others, and they are not with one another
  };
  /// With places in the order of a tree, of the velocities, from the last to the first, or by how many each is coupled
  /// with: the first of these orders that does not fill in. Nothing when all do.
  static std::optional<BranchRows> make(const linalg::Pattern& mass, const dae::TreeStructure* tree);
  /// With the given velocities at the places.
  BranchRows(const linalg::Pattern& mass, std::vector<int> velocities);

  std::optional<Fill> find_fill() const;
  int size() const { return static_cast<int>(velocities.size()); }
  int row_length(int k) const { return begins[static_cast<std::size_t>(k) + 1] - begins[static_cast<std::size_t>(k)]; }
  const int* row(int k) const { return columns.data() + begins[static_cast<std::size_t>(k)]; }

  std::vector<int> velocities;  ///< by place
  std::vector<int> places;      ///< by velocity
  std::vector<int> begins;      ///< of row k in columns, and its end
  std::vector<int> columns;     ///< of each row the places it is coupled with, increasing, k itself the last
  std::vector<bool> is_branch;  ///< whether the rows of all places in row k have the same places, up to their own
};

template <class Real>
class BranchFactors {
 public:
  BranchFactors(const linalg::Pattern& mass, BranchRows rows);

  const BranchRows& rows() const { return rows_; }
  /// Values in the order of the pattern. Fails with kNotPositiveDefinite or kNotFinite at a velocity.
  linalg::FactorStatus factor(const Real* mass) {
    assemble(mass);
    return eliminate();
  }
  void assemble(const Real* mass);
  linalg::FactorStatus eliminate();
  /// y := R^-T y, by place; at all places, or at those of a list that increases and holds what its places are coupled
  /// with, y being zero elsewhere.
  void solve_transposed(Real* y) const;
  void solve_transposed(std::span<const int> places, Real* y) const;
  /// z := R^-1 z, by place.
  void solve(Real* z) const;
  /// (smallest R_kk / sqrt(M_kk))^2: 1 at best.
  double pivot_ratio() const { return pivot_ratio_; }
  /// Entries of the factor.
  int size() const { return static_cast<int>(rows_.columns.size()); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void release(int k, Real* y) const;
  void subtract_row(int k, int last);

  BranchRows rows_;
  std::vector<std::pair<int, int>> entries_;  ///< of the pattern and of values_: those used
  std::vector<Real> values_, inverse_diagonal_;
  double pivot_ratio_ = 1;
};

template <class Real>
BranchFactors<Real>::BranchFactors(const linalg::Pattern& mass, BranchRows rows) : rows_(std::move(rows)) {
  for (int e = 0; e < mass.size(); ++e) {
    const int k = rows_.places[at(mass[e].row)], i = rows_.places[at(mass[e].column)];
    if (i > k) continue;
    const int* row = rows_.row(k);
    const int* place = std::lower_bound(row, row + rows_.row_length(k), i);
    entries_.emplace_back(e, static_cast<int>(place - rows_.columns.data()));
  }
  values_.resize(rows_.columns.size());
  inverse_diagonal_.resize(rows_.velocities.size());
}

/// Of (1) what changes row i, the last-th place of row k.
template <class Real>
void BranchFactors<Real>::subtract_row(int k, int last) {
  const int i = rows_.row(k)[last];
  const Real* from = values_.data() + rows_.begins[at(k)];
  Real* to = values_.data() + rows_.begins[at(i)];
  if (rows_.is_branch[at(k)]) {
    subtract_multiple(last + 1, from[last], from, to);
    return;
  }
  const int *source = rows_.row(k), *target = rows_.row(i);
  for (int a = 0, b = 0; a <= last; ++a) {
    while (target[b] != source[a]) ++b;  // it is there: the pattern does not fill in
    to[b] -= from[last] * from[a];
  }
}

template <class Real>
void BranchFactors<Real>::assemble(const Real* mass) {
  std::fill(values_.begin(), values_.end(), Real(0));
  for (const auto& [entry, place] : entries_) values_[at(place)] += mass[entry];
}

template <class Real>
linalg::FactorStatus BranchFactors<Real>::eliminate() {
  using linalg::FactorCause;
  constexpr double kMassive = 1e-13;  // as in linalg/cholesky_qr.cpp
  for (int k = 0; k < rows_.size(); ++k) inverse_diagonal_[at(k)] = values_[at(rows_.begins[at(k) + 1] - 1)];
  pivot_ratio_ = 1;
  for (int k = rows_.size(); k-- > 0;) {
    Real* row = values_.data() + rows_.begins[at(k)];
    const int off_diagonal = rows_.row_length(k) - 1;
    const auto pivot = static_cast<double>(row[off_diagonal]), whole = static_cast<double>(inverse_diagonal_[at(k)]);
    if (!(pivot > kMassive * whole)) {
      const bool is_finite = std::isfinite(pivot) && std::isfinite(whole);
      return linalg::FactorStatus::failed(is_finite ? FactorCause::kNotPositiveDefinite : FactorCause::kNotFinite,
                                          rows_.velocities[at(k)]);
    }
    pivot_ratio_ = std::min(pivot_ratio_, pivot / whole);
    using std::sqrt;
    const Real inverse = Real(1) / sqrt(row[off_diagonal]);
    inverse_diagonal_[at(k)] = inverse;
    for (int t = 0; t < off_diagonal; ++t) row[t] *= inverse;
    for (int t = off_diagonal; t-- > 0;) subtract_row(k, t);
  }
  return {};
}

template <class Real>
void BranchFactors<Real>::release(int k, Real* y) const {
  y[k] *= inverse_diagonal_[at(k)];
  const int* row = rows_.row(k);
  const Real* values = values_.data() + rows_.begins[at(k)];
  const int off_diagonal = rows_.row_length(k) - 1;
  for (int t = 0; t < off_diagonal; ++t) y[row[t]] -= values[t] * y[k];
}

template <class Real>
void BranchFactors<Real>::solve_transposed(Real* y) const {
  for (int k = rows_.size(); k-- > 0;) release(k, y);
}

template <class Real>
void BranchFactors<Real>::solve_transposed(std::span<const int> places, Real* y) const {
  for (std::size_t k = places.size(); k-- > 0;) release(places[k], y);
}

template <class Real>
void BranchFactors<Real>::solve(Real* z) const {
  for (int k = 0; k < rows_.size(); ++k) {
    const int* row = rows_.row(k);
    const Real* values = values_.data() + rows_.begins[at(k)];
    const int off_diagonal = rows_.row_length(k) - 1;
    Real rest = z[k];
    for (int t = 0; t < off_diagonal; ++t) rest -= values[t] * z[row[t]];
    z[k] = rest * inverse_diagonal_[at(k)];
  }
}

}  // namespace trammel::kkt
