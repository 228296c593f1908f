#include "trammel/kkt/reduced_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "trammel/linalg/block_kernels.h"
#include "trammel/linalg/wide_vectors.h"

namespace trammel::kkt {

using linalg::FactorCause;
using linalg::FactorStatus;
using linalg::Operations;
using Structure = ReducedStructure;

namespace {

/// Pivot of the mass matrix, relative to its diagonal, from which a velocity counts as massive: as in cholesky_qr.cpp.
constexpr double kMassive = 1e-13;
/// Pivot of B, relative to its diagonal, from which a row counts as independent.
constexpr double kIndependent = 1e-14;

/// Lower triangle of L in place, column-major; reciprocals of its diagonal apart. The answer is -1 or the row that
/// failed; `smallest` becomes the smallest relative pivot.
int factor_dense(int n, double* a, double* inverse, double& smallest) {
  for (int k = 0; k < n; ++k) inverse[k] = a[k + k * n];
  for (int k = 0; k < n; ++k) {
    double* l = a + k * n;
    const double pivot = l[k], original = inverse[k];
    if (!(pivot > kMassive * original)) return k;
    smallest = std::min(smallest, pivot / original);
    inverse[k] = 1 / std::sqrt(pivot);
    for (int i = k + 1; i < n; ++i) l[i] *= inverse[k];
    for (int j = k + 1; j < n; ++j) {
      for (int i = j; i < n; ++i) a[i + j * n] -= l[i] * l[j];
    }
  }
  return -1;
}

/// W = G L^-T in place, for a panel of R rows; n columns.
template <int R, class Width>
inline void divide_panel(Width n, const double* l, const double* inverse, double* w) {
  constexpr int ld = linalg::kStride<R>;
  linalg::for_columns(n, [&](int k) {
#pragma GCC unroll 3
    for (int p = 0; p < ld; p += 2) {
      linalg::Pair x = linalg::load_pair(w + k * ld + p);
      for (int j = 0; j < k; ++j) x -= linalg::load_pair(w + j * ld + p) * linalg::make_pair_of(l[k + j * n]);
      linalg::store_pair(x * linalg::make_pair_of(inverse[k]), w + k * ld + p);
    }
  });
}

/// Calls use(k, place of k) for all; a plain loop where nothing moves.
template <class Use>
inline void for_each_place(const Structure::Order& order, const Use& use) {
  const int n = static_cast<int>(order.places.size());
  const int* places = order.places.data();
  if (order.is_natural) {
    for (int k = 0; k < n; ++k) use(k, k);
  } else {
    for (int k = 0; k < n; ++k) use(k, places[k]);
  }
}

long triangle(long n) { return n * (n + 1) / 2; }

Operations products(long count) { return {.multiplications = count, .additions = count}; }

}  // namespace

ReducedSolver::ReducedSolver(const Layout& layout)
    : s_(layout), mass_size_(layout.blocks.front().pattern->size()), velocities_(layout.upper) {
  mass_values_.resize(mass_size_);
  factors_.resize(s_.factor_count);
  inverse_.assign(velocities_, 1.0);
  scale_.assign(velocities_, 1.0);
  w_.resize(s_.value_count);
  z_.resize(velocities_);
  x_.resize(s_.rows.places.size());
  is_off_.resize(s_.switches.size());
}

FactorStatus ReducedSolver::factor(const Vector& values) {
  const FactorStatus status = factor_mass({values.data()});
  return status ? factor_reduced(values.data() + mass_size_) : status;
}

std::optional<FactorStatus> ReducedSolver::factor_blocks(std::span<const BlockValues> blocks, const double* jacobian) {
  const FactorStatus status = factor_mass(blocks.front());
  return status ? factor_reduced(jacobian) : status;
}

FactorStatus ReducedSolver::factor_mass(const BlockValues& mass) {
  if (mass.weight == mass_weight_ &&
      std::memcmp(mass.values, mass_values_.data(), mass_values_.size() * sizeof(double)) == 0) {
    return {};
  }
  mass_weight_ = 0;
  std::fill(factors_.begin(), factors_.end(), 0.0);
  std::fill(z_.begin(), z_.end(), 0.0);
  for (const Structure::Move& move : s_.mass_moves) factors_[move.to] += mass.weight * mass.values[move.from];
  for (const Structure::Move& move : s_.diagonal_moves) z_[move.to] += mass.weight * mass.values[move.from];
  const auto blame = [&](int z, double value) {
    const FactorCause cause = std::isfinite(value) ? FactorCause::kNotPositiveDefinite : FactorCause::kNotFinite;
    return FactorStatus::failed(cause, s_.velocities.places[z]);
  };
  smallest_mass_pivot_ = 1;
  std::vector<char>::size_type next = 0;  // velocity that no coupled group holds
  const auto take_diagonals_to = [&](int end) {
    for (; next < static_cast<std::size_t>(end); ++next) {
      if (!(z_[next] > 0) || !std::isfinite(z_[next])) return false;
      scale_[next] = inverse_[next] = 1 / std::sqrt(z_[next]);
    }
    return true;
  };
  for (const Structure::Group& group : s_.groups) {
    if (group.factors < 0) continue;
    if (!take_diagonals_to(group.z)) return blame(static_cast<int>(next), z_[next]);
    double* a = factors_.data() + group.factors;
    const int row = factor_dense(group.width, a, inverse_.data() + group.z, smallest_mass_pivot_);
    if (row >= 0) return blame(group.z + row, a[row + row * group.width]);
    next = static_cast<std::size_t>(group.z + group.width);
  }
  if (!take_diagonals_to(velocities_)) return blame(static_cast<int>(next), z_[next]);
  std::copy_n(mass.values, mass_size_, mass_values_.data());
  mass_weight_ = mass.weight;
  return {};
}

/// G times the scales, where W will stand. In one go for all rows: two numbers at a time can be read back at once only
/// long after they were written one by one.
void ReducedSolver::scale_rows(const double* jacobian) {
  double* w = w_.data();
  const double* scale = scale_.data();
#pragma GCC unroll 4
  for (const Structure::ScaledMove& move : s_.moves) w[move.to] = jacobian[move.from] * scale[move.z];
  for (const Structure::ScaledMove& move : s_.added_moves) w[move.to] += jacobian[move.from] * scale[move.z];
  for (const int place : s_.zeros) w[place] = 0;
  const auto is_zero = [&](int entry) { return jacobian[entry] == 0; };
  for (std::size_t k = 0; k < s_.switches.size(); ++k) {
    const auto entries = s_.switch_entries.begin();
    is_off_[k] = std::all_of(entries + s_.switches[k].begin, entries + s_.switches[k].end, is_zero);
  }
}

/// Row i of B.
template <int R>
inline void ReducedSolver::assemble(int i) {
  const Structure::Joint& joint = s_.joints[i];
  double* w = w_.data();
  for (int k = joint.divisions.begin; k < joint.divisions.end; ++k) {
    const Structure::Division& panel = s_.divisions[k];
    linalg::with_likely<3>(panel.width, [&](auto n) {
      divide_panel<R>(n, factors_.data() + panel.factors, inverse_.data() + panel.z, w + panel.values);
    });
  }
  if (joint.has_gaps) s_.skyline.clear_row(i);
  auto square = linalg::Tile<R, R>::zero();
  linalg::with_likely<6>(joint.width,
                         [&](auto n) { square.template add_product<1, true>(n, w + joint.values, w + joint.values); });
  square.store(s_.skyline.block(i, i));
  double* b = s_.skyline.block(0, 0);
  for (int k = joint.panel_products.begin; k < joint.panel_products.end; ++k) {
    const Structure::PanelProduct& product = s_.panel_products[k];
    const auto multiply = [&](auto s, auto n) {
      auto tile = product.adds ? linalg::Tile<R, s>::load(b + product.to) : linalg::Tile<R, s>::zero();
      tile.template add_product<1>(n, w + product.left, w + product.right);
      tile.store(b + product.to);
    };
    if (product.rows == R && product.width == 3) {
      multiply(std::integral_constant<int, R>(), std::integral_constant<int, 3>());
    } else {
      linalg::with_rows(product.rows, [&](auto s) { multiply(s, product.width); });
    }
  }
  for (int k = joint.single_products.begin; k < joint.single_products.end; ++k) {
    const Structure::SingleProduct& product = s_.single_products[k];
    b[product.to] += w[product.left] * w[product.right];
  }
  for (int k = joint.switches.begin; k < joint.switches.end; ++k) {
    if (is_off_[k]) b[s_.switches[k].to] = 1;
  }
}

/// The row of B that failed, or -1.
TRAMMEL_WIDE_VECTORS
int ReducedSolver::factor_rows() {
  linalg::BlockSkyline& skyline = s_.skyline;
  for (int i = 0; i < skyline.blocks(); ++i) {
    const int failed = linalg::with_rows(skyline.rows_of(i), [&](auto r) {
      assemble<r>(i);
      return skyline.factor_row_of<r>(i, kIndependent);
    });
    if (failed >= 0) return failed;
  }
  return -1;
}

FactorStatus ReducedSolver::factor_reduced(const double* jacobian) {
  linalg::BlockSkyline& skyline = s_.skyline;
  scale_rows(jacobian);
  if (const int failed = factor_rows(); failed >= 0) {
    const int row = s_.rows.places[failed];
    return skyline.is_finite_row(s_.joint_of_row[row])
               ? FactorStatus::failed(FactorCause::kDependentRow, row)
               : FactorStatus::failed(FactorCause::kNotFinite, velocities_ + row);
  }
  is_in_doubt_ = smallest_mass_pivot_ < kDoubtfulRcond || skyline.is_below(kDoubtfulRcond);
  return {};
}

double ReducedSolver::calc_rcond() { return std::min(smallest_mass_pivot_, s_.skyline.calc_smallest_pivot()); }

/// Row i of the right side gets W z, and becomes that of L^-1 times it.
template <int R>
inline void ReducedSolver::solve_forward(int i) {
  const Structure::Joint& joint = s_.joints[i];
  auto sum = linalg::Column<R>::load(x_.data() + joint.first_row);
  for (int k = joint.panels.begin; k < joint.panels.end; ++k) {
    const Structure::Panel& panel = s_.panels[k];
    linalg::with_likely<3, 6>(
        panel.width, [&](auto n) { sum.template add_product<1>(n, w_.data() + panel.values, z_.data() + panel.z); });
  }
  s_.skyline.forward_row_of<R>(i, sum, x_.data());
}

/// Row i of lambda, and what the panels take from L^-1 f.
template <int R>
inline void ReducedSolver::solve_backward(int i) {
  const Structure::Joint& joint = s_.joints[i];
  const linalg::Column<R> lambda = s_.skyline.backward_row_of<R>(i, x_.data());
  for (int k = joint.panels.begin; k < joint.panels.end; ++k) {
    const Structure::Panel& panel = s_.panels[k];
    linalg::with_likely<3, 6>(panel.width, [&](auto n) {
      lambda.subtract_transposed_product(n, w_.data() + panel.values, z_.data() + panel.z);
    });
  }
}

TRAMMEL_WIDE_VECTORS
void ReducedSolver::solve_reduced(double* upper, double* lower) {
  double *z = z_.data(), *x = x_.data();
  const double* scale = scale_.data();
  for_each_place(s_.velocities, [&](int k, int v) { z[k] = upper[v] * scale[k]; });
  for (const Structure::Group& group : s_.groups) {
    if (group.factors < 0) continue;
    linalg::with_likely<3>(group.width, [&](auto n) {
      linalg::solve_lower(n, factors_.data() + group.factors, n, inverse_.data() + group.z, z + group.z);
    });
  }
  for_each_place(s_.rows, [&](int r, int row) { x[r] = -lower[row]; });
  for (const Structure::Single& single : s_.singles) x[single.row] += w_[single.value] * z[single.z];
  for (std::size_t k = 0; k < s_.switches.size(); ++k) {
    if (is_off_[k]) x[s_.switches[k].row] = lower[s_.rows.places[s_.switches[k].row]];
  }
  const int blocks = s_.skyline.blocks();
  for (int i = 0; i < blocks; ++i) {
    linalg::with_rows(s_.skyline.rows_of(i), [&](auto r) { solve_forward<r>(i); });
  }
  s_.skyline.divide(x);
  for (int i = blocks - 1; i >= 0; --i) {
    linalg::with_rows(s_.skyline.rows_of(i), [&](auto r) { solve_backward<r>(i); });
  }
  for_each_place(s_.rows, [&](int r, int row) { lower[row] = x[r]; });
  for (const Structure::Single& single : s_.singles) z[single.z] -= w_[single.value] * x[single.row];
  for (const Structure::Group& group : s_.groups) {
    if (group.factors < 0) continue;
    linalg::with_likely<3>(group.width, [&](auto n) {
      linalg::solve_lower_transposed(n, factors_.data() + group.factors, n, inverse_.data() + group.z, z + group.z);
    });
  }
  for_each_place(s_.velocities, [&](int k, int v) { upper[v] = z[k] * scale[k]; });
}

void ReducedSolver::solve(VectorOut upper, VectorOut lower) { solve_reduced(upper.data(), lower.data()); }

ReducedSolver::Counts ReducedSolver::calc_operations() const {
  Counts counts;
  int coupled = 0;
  for (const Structure::Group& group : s_.groups) {
    if (group.factors < 0) continue;
    const long n = group.width;
    coupled += group.width;
    for (long k = 0; k < n; ++k) counts.mass += products(triangle(k));
    counts.mass += {.multiplications = n * (n - 1) / 2, .divisions = n, .roots = n};
    counts.solve += products(n * (n - 1));  // L^-1 and L^-T
    counts.solve.multiplications += 2 * n;
  }
  const long diagonal = velocities_ - coupled;
  counts.mass += {.divisions = diagonal, .roots = diagonal};
  counts.solve.multiplications += 2 * diagonal;
  for (const Structure::Joint& joint : s_.joints) {
    const long r = joint.size;
    for (int k = joint.divisions.begin; k < joint.divisions.end; ++k) {
      const long n = s_.divisions[k].width;
      counts.assembly += products(r * n * (n - 1) / 2);
      counts.assembly.multiplications += r * n;
    }
    counts.assembly += products(triangle(r) * joint.width);
    counts.solve += products(2 * r * joint.width);
    for (int k = joint.panel_products.begin; k < joint.panel_products.end; ++k) {
      counts.assembly += products(r * s_.panel_products[k].rows * s_.panel_products[k].width);
    }
    counts.assembly += products(joint.single_products.end - joint.single_products.begin);
  }
  counts.solve += products(2 * static_cast<long>(s_.singles.size()));
  counts.assembly.multiplications += static_cast<long>(s_.moves.size());
  counts.assembly += products(static_cast<long>(s_.added_moves.size()));
  counts.skyline = s_.skyline.calc_factor_operations();
  counts.solve += s_.skyline.calc_solve_operations();
  return counts;
}

std::unique_ptr<DirectSolver> make_reduced_solver(const Layout& layout, const linalg::Pattern&) {
  if (!layout.is_mass_only) {
    throw std::invalid_argument("the reduced matrix needs a matrix whose only block is the mass");
  }
  return std::make_unique<ReducedSolver>(layout);
}

std::string find_reduced_obstacle(const dae::Structure& structure) {
  const std::string massless = describe_massless(structure);
  return massless.empty() ? massless : "the reduced matrix needs a positive definite mass matrix, and " + massless;
}

}  // namespace trammel::kkt
