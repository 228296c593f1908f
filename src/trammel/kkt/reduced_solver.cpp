#include "trammel/kkt/reduced_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "trammel/linalg/block_kernels.h"

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

/// W = G L^-T for a panel of R rows; n columns.
template <int R>
inline void divide_panel(int n, const double* l, const double* inverse, const double* raw, double* w) {
  constexpr int ld = linalg::kStride<R>;
  for (int k = 0; k < n; ++k) {
    for (int p = 0; p < ld; p += 2) {
      linalg::Pair x = linalg::load_pair(raw + k * ld + p);
      for (int j = 0; j < k; ++j) x -= linalg::load_pair(w + j * ld + p) * linalg::make_pair_of(l[k + j * n]);
      linalg::store_pair(x * linalg::make_pair_of(inverse[k]), w + k * ld + p);
    }
  }
}

template <int R>
inline void scale_panel(int n, const double* inverse, const double* raw, double* w) {
  constexpr int ld = linalg::kStride<R>;
  for (int k = 0; k < n; ++k) {
    const linalg::Pair f = linalg::make_pair_of(inverse[k]);
    for (int p = 0; p < ld; p += 2) linalg::store_pair(linalg::load_pair(raw + k * ld + p) * f, w + k * ld + p);
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
  raw_.resize(s_.panel_count);
  panels_.resize(s_.panel_count);
  singles_.resize(s_.single_count);
  z_.resize(velocities_);
  x_.resize(s_.rows.size());
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
    return FactorStatus::failed(cause, s_.velocities[z]);
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

/// Row i of B, from G.
template <int R>
inline void ReducedSolver::assemble(int i, const double* jacobian) {
  const Structure::Joint& joint = s_.joints[i];
  double* raw = raw_.data();
  for (int k = joint.moves.begin; k < joint.moves.end; ++k) raw[s_.moves[k].to] = jacobian[s_.moves[k].from];
  for (int k = joint.added_moves.begin; k < joint.added_moves.end; ++k) {
    raw[s_.added_moves[k].to] += jacobian[s_.added_moves[k].from];
  }
  s_.skyline.clear_row(i);
  double* diagonal = s_.skyline.block(i, i);
  double* w = panels_.data();
  for (int k = joint.panels.begin; k < joint.panels.end; ++k) {
    const Structure::Panel& panel = s_.panels[k];
    const int factors = s_.groups[panel.group].factors;
    if (factors < 0) {
      scale_panel<R>(panel.width, inverse_.data() + panel.z, raw + panel.values, w + panel.values);
    } else {
      divide_panel<R>(panel.width, factors_.data() + factors, inverse_.data() + panel.z, raw + panel.values,
                      w + panel.values);
    }
    linalg::add_square<R>(panel.width, w + panel.values, diagonal);
  }
  double* b = s_.skyline.block(0, 0);
  for (int k = joint.panel_products.begin; k < joint.panel_products.end; ++k) {
    const Structure::PanelProduct& product = s_.panel_products[k];
    const double* left = w + product.left;
    const double* right = w + product.right;
    if (product.rows == R) {
      linalg::add_product<R, R>(product.width, left, right, b + product.to);
    } else {
      linalg::with_rows(product.rows,
                        [&](auto s) { linalg::add_product<R, s>(product.width, left, right, b + product.to); });
    }
  }
  for (int k = joint.singles.begin; k < joint.singles.end; ++k) {
    const Structure::Single& single = s_.singles[k];
    const double value = jacobian[single.from] * inverse_[single.z];
    singles_[single.value] = single.adds ? singles_[single.value] + value : value;
  }
  for (int k = joint.single_products.begin; k < joint.single_products.end; ++k) {
    const Structure::SingleProduct& product = s_.single_products[k];
    b[product.to] += singles_[product.left] * singles_[product.right];
  }
  for (int k = joint.switches.begin; k < joint.switches.end; ++k) {
    const Structure::Switch& is_switch = s_.switches[k];
    bool is_off = true;
    for (int e = is_switch.begin; e < is_switch.end; ++e) is_off = is_off && jacobian[s_.switch_entries[e]] == 0;
    is_off_[k] = is_off;
    if (is_off) b[is_switch.to] = 1;
  }
}

FactorStatus ReducedSolver::factor_reduced(const double* jacobian) {
  linalg::BlockSkyline& skyline = s_.skyline;
  bool in_doubt = smallest_mass_pivot_ < kDoubtfulRcond;
  for (int i = 0; i < skyline.blocks(); ++i) {
    const int failed = linalg::with_rows(skyline.rows_of(i), [&](auto r) {
      assemble<r>(i, jacobian);
      return skyline.factor_row(i, kIndependent);
    });
    if (failed >= 0) {
      const int row = s_.rows[failed];
      return skyline.is_finite_row(i) ? FactorStatus::failed(FactorCause::kDependentRow, row)
                                      : FactorStatus::failed(FactorCause::kNotFinite, velocities_ + row);
    }
    in_doubt = in_doubt || skyline.is_below(i, kDoubtfulRcond);
  }
  is_in_doubt_ = in_doubt;
  return {};
}

double ReducedSolver::calc_rcond() { return std::min(smallest_mass_pivot_, s_.skyline.calc_smallest_pivot()); }

/// Row i of G M^-1 f - s, and of L^-1 of that.
template <int R>
inline void ReducedSolver::begin_solution(int i, VectorIn lower) {
  const Structure::Joint& joint = s_.joints[i];
  const int* rows = s_.rows.data() + joint.first_row;
  double* x = x_.data() + joint.first_row;
  for (int k = 0; k < R; ++k) x[k] = -lower[rows[k]];
  for (int k = joint.singles.begin; k < joint.singles.end; ++k) {
    const Structure::Single& single = s_.singles[k];
    if (!single.adds) x[single.row] += singles_[single.value] * z_[single.z];
  }
  auto sum = linalg::Column<R>::load(x);
  for (int k = joint.panels.begin; k < joint.panels.end; ++k) {
    const Structure::Panel& panel = s_.panels[k];
    sum.template add_product<1>(panel.width, panels_.data() + panel.values, z_.data() + panel.z);
  }
  sum.store(x);
  for (int k = joint.switches.begin; k < joint.switches.end; ++k) {
    if (is_off_[k]) x[s_.switches[k].row] = lower[rows[s_.switches[k].row]];
  }
  s_.skyline.forward_row(i, x_.data());
}

/// Row i of lambda, and what it takes from L^-1 f.
template <int R>
inline void ReducedSolver::end_solution(int i, VectorOut lower) {
  const Structure::Joint& joint = s_.joints[i];
  s_.skyline.backward_row(i, x_.data());
  const double* x = x_.data() + joint.first_row;
  const int* rows = s_.rows.data() + joint.first_row;
  for (int k = 0; k < R; ++k) lower[rows[k]] = x[k];
  for (int k = joint.singles.begin; k < joint.singles.end; ++k) {
    const Structure::Single& single = s_.singles[k];
    if (!single.adds) z_[single.z] -= singles_[single.value] * x[single.row];
  }
  const auto lambda = linalg::Column<R>::load(x);
  for (int k = joint.panels.begin; k < joint.panels.end; ++k) {
    const Structure::Panel& panel = s_.panels[k];
    lambda.subtract_transposed_product(panel.width, panels_.data() + panel.values, z_.data() + panel.z);
  }
}

void ReducedSolver::solve(VectorOut upper, VectorOut lower) {
  const int* velocities = s_.velocities.data();
  for (int k = 0; k < velocities_; ++k) z_[k] = upper[velocities[k]] * scale_[k];
  for (const Structure::Group& group : s_.groups) {
    if (group.factors < 0) continue;
    linalg::solve_lower(group.width, factors_.data() + group.factors, group.width, inverse_.data() + group.z,
                        z_.data() + group.z);
  }
  const int blocks = s_.skyline.blocks();
  for (int i = 0; i < blocks; ++i) {
    linalg::with_rows(s_.skyline.rows_of(i), [&](auto r) { begin_solution<r>(i, lower); });
  }
  s_.skyline.divide(x_.data());
  for (int i = blocks - 1; i >= 0; --i) {
    linalg::with_rows(s_.skyline.rows_of(i), [&](auto r) { end_solution<r>(i, lower); });
  }
  for (const Structure::Group& group : s_.groups) {
    if (group.factors < 0) continue;
    linalg::solve_lower_transposed(group.width, factors_.data() + group.factors, group.width, inverse_.data() + group.z,
                                   z_.data() + group.z);
  }
  for (int k = 0; k < velocities_; ++k) upper[velocities[k]] = z_[k] * scale_[k];
}

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
    for (int k = joint.panels.begin; k < joint.panels.end; ++k) {
      const Structure::Panel& panel = s_.panels[k];
      const long n = panel.width;
      const bool is_coupled = s_.groups[panel.group].factors >= 0;
      counts.assembly += products((is_coupled ? r * n * (n - 1) / 2 : 0) + triangle(r) * n);
      counts.assembly.multiplications += r * n;
      counts.solve += products(2 * r * n);
    }
    for (int k = joint.panel_products.begin; k < joint.panel_products.end; ++k) {
      counts.assembly += products(r * s_.panel_products[k].rows * s_.panel_products[k].width);
    }
    counts.assembly += products(joint.single_products.end - joint.single_products.begin);
    for (int k = joint.singles.begin; k < joint.singles.end; ++k) {
      ++counts.assembly.multiplications;
      if (s_.singles[k].adds) {
        ++counts.assembly.additions;
      } else {
        counts.solve += products(2);
      }
    }
  }
  counts.assembly.additions += static_cast<long>(s_.added_moves.size());
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
