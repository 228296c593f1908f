#include "trammel/linalg/sparse_lu.h"

#include <btf.h>
#include <fmt/format.h>
#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>

#include "trammel/linalg/condition.h"
#include "trammel/linalg/dense_kernels.h"
#include "trammel/linalg/ordering.h"

namespace trammel::linalg {
namespace {

/// Ratio of pivots below which the small ones are compared with their rounding error, and the same within a column.
constexpr double kSuspicious = 1e-8;

/// Backward errors below this are luck.
constexpr double kRoundOff = 1e-15;

/// Numbers of either sign between 1 and 2 in size, without a pattern.
Vector make_probe(int size) {
  return Vector::NullaryExpr(size, [](Eigen::Index i) {
    const double spread = std::fmod(0.6180339887498949 * static_cast<double>(i + 1), 1.0);
    return std::fmod(64 * spread, 2.0) < 1 ? 1 + spread : -1 - spread;
  });
}

/// A column that a largest matching of rows and columns leaves out, or -1.
int find_unmatched_column(CompressedColumns& matrix) {
  const auto n = static_cast<std::size_t>(matrix.columns);
  std::vector<int> match(n), work(5 * n);
  std::vector<char> matched(n, 0);
  double effort = 0;
  if (btf_maxtrans(matrix.rows, matrix.columns, matrix.offsets.data(), matrix.row_indices.data(), 0, &effort,
                   match.data(), work.data()) == matrix.columns)
    return -1;
  for (const int column : match)
    if (column >= 0) matched[column] = 1;
  return static_cast<int>(std::find(matched.begin(), matched.end(), 0) - matched.begin());
}

}  // namespace

struct SparseLu::Klu {
  klu_common common;
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  Klu() { klu_defaults(&common); }
  Klu(const Klu&) = delete;
  Klu& operator=(const Klu&) = delete;
  ~Klu() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
};

/// L and U in compressed columns (all blocks in one numbering), for a closer look.
struct SparseLu::ExtractedFactors {
  std::vector<int> l_offsets, l_rows, u_offsets, u_rows;
  std::vector<double> l_values, u_values;

  void extract(Klu& klu) {
    const auto n = static_cast<std::size_t>(klu.symbolic->n);
    const auto l_size = static_cast<std::size_t>(klu.numeric->lnz), u_size = static_cast<std::size_t>(klu.numeric->unz);
    l_offsets.resize(n + 1);
    u_offsets.resize(n + 1);
    l_rows.resize(l_size);
    l_values.resize(l_size);
    u_rows.resize(u_size);
    u_values.resize(u_size);
    for (auto* numbers : {&z_, &t_, &sums_}) numbers->assign(n, 0.0);
    marked_.assign(n, 0);
    klu_extract(klu.numeric, klu.symbolic, l_offsets.data(), l_rows.data(), l_values.data(), u_offsets.data(),
                u_rows.data(), u_values.data(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                &klu.common);
  }

  /// max over i >= k of (|L| |U| |z|)_i, as in dense_lu.h: the rounding error of pivot k in units of eps.
  double calc_pivot_noise(int k) {
    combine_earlier_columns(k);
    const auto add_column = [this, k](int p, double factor) {
      for (int q = u_offsets[p]; q < u_offsets[p + 1]; ++q)
        if (u_rows[q] < k) t_[u_rows[q]] += std::abs(factor * u_values[q]);
    };
    add_column(k, 1);
    for (const int p : support_) add_column(p, z_[p]);
    double noise = 0;
    for (const int j : support_) {
      for (int q = l_offsets[j]; q < l_offsets[j + 1]; ++q)
        if (l_rows[q] >= k) noise = std::max(noise, sums_[l_rows[q]] += std::abs(l_values[q]) * t_[j]);
    }
    for (const int j : support_) {
      for (int q = l_offsets[j]; q < l_offsets[j + 1]; ++q) sums_[l_rows[q]] = 0;
      z_[j] = t_[j] = 0;
      marked_[j] = 0;
    }
    return noise;
  }

 private:
  /// z: the coefficients of column k of U as a combination of the columns before it, nonzero on support_.
  void combine_earlier_columns(int k) {
    support_.clear();
    const auto add_above_diagonal = [this](int p, double factor) {
      for (int q = u_offsets[p]; q + 1 < u_offsets[p + 1]; ++q) {  // the diagonal is the last entry of a column
        z_[u_rows[q]] += factor * u_values[q];
        if (!std::exchange(marked_[u_rows[q]], 1)) pending_.push(u_rows[q]);
      }
    };
    add_above_diagonal(k, 1);
    while (!pending_.empty()) {
      const int j = pending_.top();
      pending_.pop();
      support_.push_back(j);
      z_[j] /= u_values[u_offsets[j + 1] - 1];
      add_above_diagonal(j, -z_[j]);
    }
  }

  std::vector<double> z_, t_, sums_;  ///< zero between calls, as marked_ is
  std::vector<char> marked_;
  std::vector<int> support_;
  std::priority_queue<int> pending_;
};

std::vector<std::string> SparseLuOptions::validate(int size) const {
  std::vector<std::string> messages;
  if (ordering == SparseOrdering::kGiven && !is_permutation(permutation, size))
    messages.push_back(fmt::format("permutation must hold each of 0 .. {} once", size - 1));
  if (!(pivot_tolerance > 0 && pivot_tolerance <= 1))
    messages.push_back(fmt::format("pivot_tolerance is {} but must lie in (0, 1]", pivot_tolerance));
  if (!(max_error_growth >= 1))
    messages.push_back(fmt::format("max_error_growth is {} but must be at least 1", max_error_growth));
  return messages;
}

SparseLu::SparseLu() = default;
SparseLu::SparseLu(const Pattern& pattern, const SparseLuOptions& options) { analyse(pattern, options); }
SparseLu::SparseLu(SparseLu&&) noexcept = default;
SparseLu& SparseLu::operator=(SparseLu&&) noexcept = default;
SparseLu::~SparseLu() = default;

FactorStatus SparseLu::analyse(const Pattern& pattern, const SparseLuOptions& options) {
  if (pattern.rows() != pattern.columns())
    throw std::invalid_argument(
        fmt::format("a matrix of {} by {} cannot be factored: it is not square", pattern.rows(), pattern.columns()));
  if (const auto messages = options.validate(pattern.rows()); !messages.empty())
    throw std::invalid_argument(messages.front());

  matrix_ = compress(pattern);
  values_.assign(static_cast<std::size_t>(matrix_.size()), 0.0);
  scratch_.setZero(size(), 3);
  probe_ = make_probe(size());
  column_norms_.setZero(size());
  max_error_growth_ = options.max_error_growth;
  factored_ = false;
  klu_ = std::make_unique<Klu>();
  extracted_.reset();
  structural_ = {};
  ++counts_.analyses;
  if (size() == 0) return structural_;
  if (const int column = find_unmatched_column(matrix_); column >= 0)
    return structural_ = FactorStatus::failed(FactorCause::kStructurallySingular, column);

  klu_common& common = klu_->common;
  common.halt_if_singular = 0;  // the zero may be the consequence of an earlier pivot that is rounding error
  common.tol = options.pivot_tolerance;
  common.btf = options.block_triangular;
  common.ordering = options.ordering == SparseOrdering::kColamd ? 1 : 0;
  common.scale = options.scaling == RowScaling::kNone ? 0 : options.scaling == RowScaling::kSum ? 1 : 2;
  int* offsets = matrix_.offsets.data();
  int* rows = matrix_.row_indices.data();
  std::vector<int> permutation = options.permutation;
  switch (options.ordering) {
    case SparseOrdering::kAmd:
    case SparseOrdering::kColamd: klu_->symbolic = klu_analyze(size(), offsets, rows, &common); break;
    case SparseOrdering::kNatural:
      klu_->symbolic = klu_analyze_given(size(), offsets, rows, nullptr, nullptr, &common);
      break;
    case SparseOrdering::kGiven:
      klu_->symbolic = klu_analyze_given(size(), offsets, rows, permutation.data(), permutation.data(), &common);
      break;
  }
  if (!klu_->symbolic) structural_ = FactorStatus::failed(FactorCause::kOutOfMemory, -1);
  return structural_;
}

FactorStatus SparseLu::factor(const double* pattern_values) {
  std::fill(values_.begin(), values_.end(), 0.0);
  for (const int slot : matrix_.slots) values_[slot] += *pattern_values++;
  return factor();
}

FactorStatus SparseLu::factor() {
  factored_ = false;
  if (!structural_) return structural_;
  FactorStatus status;
  if (size() > 0) {
    status = eval_norm();
    if (status && !(klu_->numeric && attempt_refactor())) status = factor_fully();
  }
  factored_ = status.ok;
  return status;
}

FactorStatus SparseLu::eval_norm() {
  norm1_ = 0;
  for (int j = 0; j < size(); ++j) {
    const int first = matrix_.offsets[j];
    const double sum = calc_norm1(matrix_.offsets[j + 1] - first, values_.data() + first);
    if (!std::isfinite(sum)) return FactorStatus::failed(FactorCause::kNotFinite, j);
    column_norms_[j] = sum;
    norm1_ = std::max(norm1_, sum);
  }
  return {};
}

bool SparseLu::attempt_refactor() {
  klu_common& common = klu_->common;
  ++counts_.refactorisations;
  if (klu_refactor(matrix_.offsets.data(), matrix_.row_indices.data(), values_.data(), klu_->symbolic, klu_->numeric,
                   &common) &&
      common.status == KLU_OK) {
    klu_rcond(klu_->symbolic, klu_->numeric, &common);
    diagonal_rcond_ = common.rcond;  // zero when a block of size 1 vanished, which klu_refactor does not tell
    if (common.rcond > 0 && calc_probe_error() <= max_error_growth_ * chosen_error_ &&
        find_meaningless_pivot(size()) == size())
      return true;
  }
  ++counts_.renewals;
  return false;
}

double SparseLu::calc_probe_error() const {
  auto x = scratch_.col(0), rest = scratch_.col(1), scale = scratch_.col(2);
  const auto over_entries = [this](const auto& visit) {
    for (int j = 0; j < size(); ++j)
      for (int slot = matrix_.offsets[j]; slot < matrix_.offsets[j + 1]; ++slot)
        visit(matrix_.row_indices[slot], j, values_[slot]);
  };
  x = probe_.cwiseQuotient(column_norms_);
  rest.setZero();
  over_entries([&](int i, int j, double a) { rest[i] += a * x[j]; });
  x = rest;
  scale = rest.cwiseAbs();
  klu_solve(klu_->symbolic, klu_->numeric, size(), 1, x.data(), &klu_->common);
  over_entries([&](int i, int j, double a) {
    const double product = a * x[j];
    rest[i] -= product;
    scale[i] += std::abs(product);
  });
  return rest.cwiseQuotient(scale).lpNorm<Eigen::Infinity>();
}

FactorStatus SparseLu::factor_fully() {
  klu_common& common = klu_->common;
  klu_free_numeric(&klu_->numeric, &common);
  ++counts_.full_factorisations;
  klu_->numeric =
      klu_factor(matrix_.offsets.data(), matrix_.row_indices.data(), values_.data(), klu_->symbolic, &common);
  if (!klu_->numeric) return FactorStatus::failed(FactorCause::kOutOfMemory, -1);
  const int regular = common.status == KLU_SINGULAR ? common.numerical_rank : size();
  off_diagonal_pivots_ = common.noffdiag;
  klu_rcond(klu_->symbolic, klu_->numeric, &common);
  diagonal_rcond_ = common.rcond;
  const int meaningful = find_meaningless_pivot(regular);
  if (meaningful == size()) {
    chosen_error_ = std::max(calc_probe_error(), kRoundOff);
    return {};
  }
  klu_free_numeric(&klu_->numeric, &common);
  return FactorStatus::failed(FactorCause::kZeroPivot, klu_->symbolic->Q[meaningful]);
}

/// The first of so many columns, in the order of elimination, whose pivot may be rounding error, or their number.
int SparseLu::find_meaningless_pivot(int columns) {
  if (diagonal_rcond_ > kSuspicious) return columns;
  if (!extracted_) extracted_ = std::make_unique<ExtractedFactors>();
  ExtractedFactors& lu = *extracted_;
  lu.extract(*klu_);
  const double tolerance = size() * std::numeric_limits<double>::epsilon();
  for (int k = 0; k < columns; ++k) {
    const int diagonal = lu.u_offsets[k + 1] - 1;
    const double pivot = std::abs(lu.u_values[diagonal]);
    double above = 0;
    for (int p = lu.u_offsets[k]; p < diagonal; ++p) above = std::max(above, std::abs(lu.u_values[p]));
    if (pivot <= kSuspicious * above && pivot <= tolerance * lu.calc_pivot_noise(k)) return k;
  }
  return columns;
}

void SparseLu::solve(VectorOut b) const {
  eigen_assert(factored_ && b.size() == size());
  if (size() > 0) klu_solve(klu_->symbolic, klu_->numeric, size(), 1, b.data(), &klu_->common);
}

void SparseLu::solve_transposed(VectorOut b) const {
  eigen_assert(factored_ && b.size() == size());
  if (size() > 0) klu_tsolve(klu_->symbolic, klu_->numeric, size(), 1, b.data(), &klu_->common);
}

double SparseLu::calc_rcond() const {
  eigen_assert(factored_);
  if (size() == 0) return 1;
  const double inverse_norm = estimate_inverse_norm1(
      scratch_.col(0), scratch_.col(1), [this](VectorOut x) { solve(x); },
      [this](VectorOut x) { solve_transposed(x); });
  return 1 / norm1_ / inverse_norm;
}

std::int64_t SparseLu::lu_nonzeros() const {
  eigen_assert(factored_);
  if (size() == 0) return 0;
  const klu_numeric& numeric = *klu_->numeric;
  return std::int64_t{numeric.lnz} + numeric.unz - numeric.n + numeric.nzoff;
}

double SparseLu::calc_flops() const {
  eigen_assert(factored_);
  if (size() == 0) return 0;
  klu_flops(klu_->symbolic, klu_->numeric, &klu_->common);
  return klu_->common.flops;
}

}  // namespace trammel::linalg
