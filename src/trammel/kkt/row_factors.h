#pragma once

// Multipliers of few rows G beside a mass matrix that is factorised as M = L L^T (thesis, 3.4.3.3, algorithm 4, step
// 3):
//
//   T = L^-1 G^T,   (T^T T) lambda = T^T y - s,   y := y - T lambda,   with y = L^-1 r. (1)
//
// Column j of T is zero but at its support: the velocities of the joints on the paths from the bodies that row j
// touches to the roots (lemma 3). Rows with the same support are multiplied together, rows whose supports have nothing
// in common not at all, and rows that no chain of common velocities connects have factors of their own.
//
// Dependence is judged by squared sines, as linalg/cholesky_qr.h says for normal equations. `Real` is double, or a type
// that counts what is done with it.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "trammel/linalg/dense_kernels.h"
#include "trammel/linalg/factor_status.h"

namespace trammel::kkt {

/// Squared sine of the angle to the rows before it below which a row counts as dependent, as in linalg/cholesky_qr.cpp
/// for normal equations.
inline constexpr double kDependentSine2 = 1e-14;

/// x . y.
template <class Real>
Real calc_dot_of(int n, const Real* x, const Real* y) {
  if constexpr (std::is_same_v<Real, double>) {
    return linalg::calc_dot(n, x, y);
  } else {
    if (n == 0) return Real(0);
    Real sum = x[0] * y[0];
    for (int i = 1; i < n; ++i) sum += x[i] * y[i];
    return sum;
  }
}

/// y -= factor x.
template <class Real>
void subtract_multiple(int n, Real factor, const Real* x, Real* y) {
  if constexpr (std::is_same_v<Real, double>) {
    linalg::add_scaled(n, -factor, x, y);
  } else {
    for (int i = 0; i < n; ++i) y[i] -= factor * x[i];
  }
}

template <class Real>
class RowFactors {
 public:
  RowFactors() = default;
  /// For each row the places, increasing, where its column of T may be nonzero.
  explicit RowFactors(const std::vector<std::vector<int>>& supports);

  int rows() const { return static_cast<int>(rows_.size()); }
  /// All places where T has a column that may be nonzero.
  const std::vector<int>& places() const { return places_; }
  std::span<const int> support(int row) const { return groups_[at(rows_[at(row)].group)].support; }
  /// Column of T, in the order of the support. Written before factor().
  Real* column(int row) { return columns_.data() + rows_[at(row)].column; }

  /// Fails with kDependentRow or kNotFinite at a row of G. Where is_off, a row is zero and its multiplier its right
  /// side.
  linalg::FactorStatus factor(const std::vector<bool>& is_off);
  /// (1) in place: (y, s) becomes (y - T lambda, lambda).
  void solve(Real* y, Real* s);
  /// How many rows after it, of those that common velocities connect with it, its elimination changes.
  int reach(int row) const { return rows_[at(row)].reach; }
  /// The smallest squared sine of the angle between a row and those before it, in the metric of M^-1.
  double smallest_sine2() const { return smallest_sine2_; }

  // The steps of factor() and solve(), for those who count.
  void multiply();                                                  ///< T^T T, step 3.3
  linalg::FactorStatus eliminate(const std::vector<bool>& is_off);  ///< the factorisation of step 3.4
  void make_right_side(const Real* y, Real* s);                     ///< s := T^T y - s, step 3.2
  void solve_multipliers(Real* s);                                  ///< what is left of step 3.4
  void remove(const Real* lambda, Real* y);                         ///< y := y - T lambda, step 3.5

 private:
  struct Row {
    int group, component;
    int place;  ///< in its component
    int reach;  ///< its column of the factor has entries at this many places after it, at most
    std::ptrdiff_t column;
  };
  struct Group {
    std::vector<int> support;
    std::vector<int> rows;
  };
  struct Run {
    int first, second;  ///< where the common part begins in either support
    int length;
  };
  struct Pair {
    int first, second;       ///< groups
    std::size_t begin, end;  ///< runs
  };
  struct Component {
    std::vector<int> rows;  ///< increasing
    std::size_t matrix;     ///< lower triangle of its T^T T by columns, then of its Cholesky factor
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Real* matrix_column(const Component& c, int j) { return matrices_.data() + c.matrix + at(j) * c.rows.size(); }
  void make_groups(const std::vector<std::vector<int>>& supports);
  void make_components(int place_count);
  void make_pairs();
  void find_reach();
  void multiply_groups(const Pair& pair);
  linalg::FactorStatus eliminate_component(const Component& c, const std::vector<bool>& is_off);
  void solve_component(const Component& c, Real* s);

  std::vector<Row> rows_;
  std::vector<Group> groups_;
  std::vector<Pair> pairs_;
  std::vector<Run> runs_;
  std::vector<Component> components_;
  std::vector<int> places_;
  std::vector<bool> is_off_;
  std::vector<Real> columns_, matrices_, inverse_diagonal_, gathered_, local_;
  double smallest_sine2_ = 1;
};

template <class Real>
RowFactors<Real>::RowFactors(const std::vector<std::vector<int>>& supports) {
  make_groups(supports);
  int place_count = 0;
  std::size_t longest = 0;
  for (const Group& g : groups_) {
    if (!g.support.empty()) place_count = std::max(place_count, g.support.back() + 1);
    longest = std::max(longest, g.support.size());
  }
  make_components(place_count);
  make_pairs();
  find_reach();
  gathered_.resize(longest);
  local_.resize(rows_.size());
  inverse_diagonal_.resize(rows_.size());
  is_off_.resize(rows_.size());
}

template <class Real>
void RowFactors<Real>::make_groups(const std::vector<std::vector<int>>& supports) {
  std::map<std::vector<int>, int> known;
  std::ptrdiff_t column = 0;
  for (std::size_t r = 0; r < supports.size(); ++r) {
    const auto [found, is_new] = known.try_emplace(supports[r], static_cast<int>(groups_.size()));
    if (is_new) groups_.push_back({supports[r], {}});
    groups_[at(found->second)].rows.push_back(static_cast<int>(r));
    rows_.push_back({found->second, 0, 0, 0, column});
    column += static_cast<std::ptrdiff_t>(supports[r].size());
  }
  columns_.resize(static_cast<std::size_t>(column));
}

template <class Real>
void RowFactors<Real>::make_components(int place_count) {
  std::vector<int> leader(groups_.size());
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int g) {
    while (leader[at(g)] != g) g = leader[at(g)] = leader[at(leader[at(g)])];
    return g;
  };
  std::vector<int> owner(at(place_count), -1);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (const int place : groups_[g].support) {
      int& o = owner[at(place)];
      if (o < 0) {
        o = static_cast<int>(g);
        continue;
      }
      const int one = find(o), other = find(static_cast<int>(g));
      leader[at(std::max(one, other))] = std::min(one, other);
    }
  }
  for (int p = 0; p < place_count; ++p) {
    if (owner[at(p)] >= 0) places_.push_back(p);
  }
  std::vector<int> component(groups_.size(), -1);
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    int& c = component[at(find(rows_[r].group))];
    if (c < 0) {
      c = static_cast<int>(components_.size());
      components_.push_back({});
    }
    rows_[r].component = c;
    rows_[r].place = static_cast<int>(components_[at(c)].rows.size());
    components_[at(c)].rows.push_back(static_cast<int>(r));
  }
  std::size_t size = 0;
  for (Component& c : components_) {
    c.matrix = size;
    size += c.rows.size() * c.rows.size();
  }
  matrices_.resize(size);
}

template <class Real>
void RowFactors<Real>::make_pairs() {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    for (std::size_t h = 0; h <= g; ++h) {
      const std::vector<int>&a = groups_[g].support, &b = groups_[h].support;
      if (rows_[at(groups_[g].rows[0])].component != rows_[at(groups_[h].rows[0])].component) continue;
      const std::size_t begin = runs_.size();
      for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (a[i] != b[j]) {
          ++(a[i] < b[j] ? i : j);
          continue;
        }
        const std::size_t i0 = i, j0 = j;
        while (i < a.size() && j < b.size() && a[i] == b[j]) ++i, ++j;
        runs_.push_back({static_cast<int>(i0), static_cast<int>(j0), static_cast<int>(i - i0)});
      }
      if (runs_.size() > begin) pairs_.push_back({static_cast<int>(g), static_cast<int>(h), begin, runs_.size()});
    }
  }
}

/// The envelope of T^T T, which elimination does not leave.
template <class Real>
void RowFactors<Real>::find_reach() {
  for (const Pair& pair : pairs_) {
    for (const int i : groups_[at(pair.first)].rows) {
      for (const int j : groups_[at(pair.second)].rows) {
        const int first = std::min(i, j), distance = std::abs(rows_[at(i)].place - rows_[at(j)].place);
        rows_[at(first)].reach = std::max(rows_[at(first)].reach, distance);
      }
    }
  }
  for (const Component& c : components_) {
    int last = 0;
    for (std::size_t k = 0; k < c.rows.size(); ++k) {
      int& reach = rows_[at(c.rows[k])].reach;
      last = std::max(last, static_cast<int>(k) + reach);
      reach = last - static_cast<int>(k);
    }
  }
}

template <class Real>
void RowFactors<Real>::multiply_groups(const Pair& pair) {
  for (const int i : groups_[at(pair.first)].rows) {
    const Row& row = rows_[at(i)];
    const Component& c = components_[at(row.component)];
    for (const int j : groups_[at(pair.second)].rows) {
      if (pair.first == pair.second && j > i) break;
      const Row& other = rows_[at(j)];
      const auto product = [&](const Run& run) {
        return calc_dot_of(run.length, columns_.data() + row.column + run.first,
                           columns_.data() + other.column + run.second);
      };
      Real sum = product(runs_[pair.begin]);
      for (std::size_t k = pair.begin + 1; k < pair.end; ++k) sum += product(runs_[k]);
      matrix_column(c, std::min(row.place, other.place))[std::max(row.place, other.place)] = sum;
    }
  }
}

template <class Real>
void RowFactors<Real>::multiply() {
  std::fill(matrices_.begin(), matrices_.end(), Real(0));  // where supports have nothing in common
  for (const Pair& pair : pairs_) multiply_groups(pair);
}

template <class Real>
linalg::FactorStatus RowFactors<Real>::eliminate_component(const Component& c, const std::vector<bool>& is_off) {
  using linalg::FactorCause;
  const int size = static_cast<int>(c.rows.size());
  Real* whole = local_.data();
  for (int k = 0; k < size; ++k) {
    if (is_off[at(c.rows[at(k)])]) matrix_column(c, k)[k] = Real(1);
    whole[k] = matrix_column(c, k)[k];
  }
  for (int k = 0; k < size; ++k) {
    Real* l = matrix_column(c, k);
    const auto pivot = static_cast<double>(l[k]);
    const auto diagonal = static_cast<double>(whole[k]);
    if (!(pivot > kDependentSine2 * diagonal)) {
      const bool is_finite = std::isfinite(pivot) && std::isfinite(diagonal);
      return linalg::FactorStatus::failed(is_finite ? FactorCause::kDependentRow : FactorCause::kNotFinite,
                                          c.rows[at(k)]);
    }
    smallest_sine2_ = std::min(smallest_sine2_, pivot / diagonal);
    using std::sqrt;
    const Real inverse = Real(1) / sqrt(l[k]);
    inverse_diagonal_[at(c.rows[at(k)])] = inverse;
    const int last = k + reach(c.rows[at(k)]);
    for (int i = k + 1; i <= last; ++i) l[i] *= inverse;
    for (int j = k + 1; j <= last; ++j) subtract_multiple(last - j + 1, l[j], l + j, matrix_column(c, j) + j);
  }
  return {};
}

template <class Real>
linalg::FactorStatus RowFactors<Real>::eliminate(const std::vector<bool>& is_off) {
  is_off_ = is_off;
  smallest_sine2_ = 1;
  for (const Component& c : components_) {
    const linalg::FactorStatus status = eliminate_component(c, is_off);
    if (!status) return status;
  }
  return {};
}

template <class Real>
linalg::FactorStatus RowFactors<Real>::factor(const std::vector<bool>& is_off) {
  multiply();
  return eliminate(is_off);
}

template <class Real>
void RowFactors<Real>::make_right_side(const Real* y, Real* s) {
  for (const Group& g : groups_) {
    const int size = static_cast<int>(g.support.size());
    for (int i = 0; i < size; ++i) gathered_[at(i)] = y[g.support[at(i)]];
    for (const int r : g.rows) {
      if (!is_off_[at(r)]) s[r] = calc_dot_of(size, columns_.data() + rows_[at(r)].column, gathered_.data()) - s[r];
    }
  }
}

template <class Real>
void RowFactors<Real>::solve_component(const Component& c, Real* s) {
  const int size = static_cast<int>(c.rows.size());
  Real* x = local_.data();
  for (int k = 0; k < size; ++k) x[k] = s[c.rows[at(k)]];
  for (int k = 0; k < size; ++k) {
    x[k] *= inverse_diagonal_[at(c.rows[at(k)])];
    subtract_multiple(reach(c.rows[at(k)]), x[k], matrix_column(c, k) + k + 1, x + k + 1);
  }
  for (int k = size; k-- > 0;) {
    const int length = reach(c.rows[at(k)]);
    if (length > 0) x[k] -= calc_dot_of(length, matrix_column(c, k) + k + 1, x + k + 1);
    x[k] *= inverse_diagonal_[at(c.rows[at(k)])];
  }
  for (int k = 0; k < size; ++k) s[c.rows[at(k)]] = x[k];
}

template <class Real>
void RowFactors<Real>::solve_multipliers(Real* s) {
  for (const Component& c : components_) solve_component(c, s);
}

template <class Real>
void RowFactors<Real>::remove(const Real* lambda, Real* y) {
  for (const Group& g : groups_) {
    const int size = static_cast<int>(g.support.size());
    for (int i = 0; i < size; ++i) gathered_[at(i)] = y[g.support[at(i)]];
    for (const int r : g.rows) {
      if (!is_off_[at(r)]) subtract_multiple(size, lambda[r], columns_.data() + rows_[at(r)].column, gathered_.data());
    }
    for (int i = 0; i < size; ++i) y[g.support[at(i)]] = gathered_[at(i)];
  }
}

template <class Real>
void RowFactors<Real>::solve(Real* y, Real* s) {
  make_right_side(y, s);
  solve_multipliers(s);
  remove(s, y);
}

}  // namespace trammel::kkt
