#include "trammel/kinematics/partitioning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace trammel::kinematics {

namespace {
// Constraints up to which G_u is a full matrix. Sparse LU is faster from 20 to 40 on and takes half of the time at 80
// (bench/state_space_study partition), some 5 % of a run of the HMMWV14; but another partition of a sparse matrix takes
// an analysis and memory.
constexpr int kDenseLimit = 100;
constexpr std::size_t kMostNames = 8;
}  // namespace

Partitioning::Partitioning(const linalg::Pattern& jacobian, const std::vector<int>& independent)
    : Parametrisation(jacobian), is_fixed_(!independent.empty()), pivots_(jacobian) {
  place_.assign(static_cast<std::size_t>(n()), -1);
  dependent_.reserve(static_cast<std::size_t>(m()));
  independent_.reserve(static_cast<std::size_t>(n()));
  work_ = Vector::Zero(m());
  column_sums_ = Vector::Zero(n());
  if (m() <= kDenseLimit) dense_.resize(m());
  if (!is_fixed_) return;
  if (static_cast<int>(independent.size()) != dimension()) {
    throw std::invalid_argument(
        fmt::format("{} independent coordinates are given, but the system has {}", independent.size(), dimension()));
  }
  std::vector<int> sorted = independent, others;
  std::sort(sorted.begin(), sorted.end());
  for (int j = 0; j < n(); ++j) {
    if (!std::binary_search(sorted.begin(), sorted.end(), j)) others.push_back(j);
  }
  set_partition(others, sorted);
}

/// True when it is another one.
bool Partitioning::set_partition(const std::vector<int>& dependent, const std::vector<int>& independent) {
  const bool is_same = dependent == dependent_;
  dependent_ = dependent;
  independent_ = independent;
  std::fill(place_.begin(), place_.end(), -1);
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    place_[static_cast<std::size_t>(dependent_[k])] = static_cast<int>(k);
  if (m() <= kDenseLimit || is_same) return !is_same;
  std::vector<linalg::Entry> entries;
  entries_.clear();
  for (int k = 0; k < jacobian_.size(); ++k) {
    const int place = place_[static_cast<std::size_t>(jacobian_[k].column)];
    if (place < 0) continue;
    entries.push_back({jacobian_[k].row, place});
    entries_.push_back(k);
  }
  part_ = linalg::Pattern(m(), m(), std::move(entries));
  values_.resize(part_.size());
  sparse_.emplace(part_);
  return true;
}

ChartChoice Partitioning::choose(const double* jacobian) {
  bool is_another = !has_chosen_;
  if (!is_fixed_) {
    if (!pivots_.choose(jacobian)) return ChartChoice::kSingular;
    is_another |= set_partition(pivots_.chosen(), pivots_.others());
  }
  has_chosen_ = true;
  if (!factor(jacobian).ok) return ChartChoice::kSingular;
  return is_another ? ChartChoice::kAnother : ChartChoice::kSame;
}

linalg::FactorStatus Partitioning::factor(const double* jacobian) {
  if (m() == 0) return {};
  column_sums_.setZero();
  for (int k = 0; k < jacobian_.size(); ++k) column_sums_[jacobian_[k].column] += std::abs(jacobian[k]);
  norm_ = column_sums_.maxCoeff();
  part_norm_ = 0;
  for (const int j : dependent_) part_norm_ = std::max(part_norm_, column_sums_[j]);
  if (sparse_) {
    for (std::size_t k = 0; k < entries_.size(); ++k) values_[static_cast<Eigen::Index>(k)] = jacobian[entries_[k]];
    return sparse_->factor(values_.data());
  }
  auto matrix = dense_.matrix();
  matrix.setZero();
  for (int k = 0; k < jacobian_.size(); ++k) {
    const linalg::Entry& e = jacobian_[k];
    if (const int place = place_[static_cast<std::size_t>(e.column)]; place >= 0) matrix(e.row, place) += jacobian[k];
  }
  return dense_.factor();
}

double Partitioning::calc_condition() {
  if (m() == 0) return 1;
  return norm_ / part_norm_ / (sparse_ ? sparse_->calc_rcond() : dense_.calc_rcond());
}

void Partitioning::reduce(VectorIn q, VectorOut w) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) w[static_cast<Eigen::Index>(k)] = q[independent_[k]];
}

void Partitioning::add_extended(VectorIn w, VectorOut q) const {
  for (std::size_t k = 0; k < independent_.size(); ++k) q[independent_[k]] += w[static_cast<Eigen::Index>(k)];
}

void Partitioning::solve(VectorIn s, VectorOut z) {
  z.setZero();
  if (m() == 0) return;
  work_ = s;
  if (sparse_) {
    sparse_->solve(work_);
  } else {
    dense_.solve(work_);
  }
  for (std::size_t k = 0; k < dependent_.size(); ++k) z[dependent_[k]] = work_[static_cast<Eigen::Index>(k)];
}

void Partitioning::solve_transposed(VectorIn r, VectorOut s) {
  if (m() == 0) return;
  for (std::size_t k = 0; k < dependent_.size(); ++k) work_[static_cast<Eigen::Index>(k)] = r[dependent_[k]];
  if (sparse_) {
    sparse_->solve_transposed(work_);
  } else {
    dense_.solve_transposed(work_);
  }
  s = work_;
}

std::string Partitioning::describe(const dae::Structure& structure) const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(independent_.size(), kMostNames); ++k) {
    names.push_back(structure.position_names[static_cast<std::size_t>(independent_[k])]);
  }
  if (independent_.size() > kMostNames) names.emplace_back("...");
  return fmt::format("{} of {} coordinates are independent ({})", dimension(), n(), fmt::join(names, ", "));
}

}  // namespace trammel::kinematics
