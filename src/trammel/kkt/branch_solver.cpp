#include "trammel/kkt/branch_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "trammel/kkt/branch_factors.h"
#include "trammel/kkt/row_values.h"

namespace trammel::kkt {

using linalg::Entry;
using linalg::FactorStatus;
using linalg::Pattern;

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The places of lemma 3: of the velocities in a row of G, and of all that these are coupled with, and so on.
std::vector<std::vector<int>> find_supports(const BranchRows& rows, const Pattern& jacobian) {
  std::vector<std::vector<int>> supports(at(jacobian.rows()));
  for (const Entry& e : jacobian.entries()) supports[at(e.row)].push_back(rows.places[at(e.column)]);
  std::vector<int> seen(at(rows.size()), -1);
  for (int r = 0; r < jacobian.rows(); ++r) {
    std::vector<int>& support = supports[at(r)];
    std::vector<int> open;
    std::swap(open, support);
    const auto add = [&](int place, bool is_closed) {
      if (seen[at(place)] == r) return;
      seen[at(place)] = r;
      support.push_back(place);
      if (!is_closed) open.push_back(place);
    };
    for (const int place : std::vector<int>(open)) add(place, true);
    while (!open.empty()) {
      const int k = open.back();
      open.pop_back();
      for (int t = 0; t < rows.row_length(k); ++t) add(rows.row(k)[t], rows.is_branch[at(k)]);
    }
    std::sort(support.begin(), support.end());
  }
  return supports;
}

class BranchSolver final : public DirectSolver {
 public:
  BranchSolver(const Layout& layout, BranchRows rows)
      : mass_(*layout.blocks.front().pattern),
        jacobian_(*layout.jacobian, layout.switchable_rows),
        factors_(mass_, std::move(rows)),
        rows_(find_supports(factors_.rows(), *layout.jacobian)),
        y_(at(layout.upper), 0.0) {}

  BackEnd kind() const override { return BackEnd::kBranches; }
  FactorStatus factor(const Vector& values) override {
    return factor_matrices(values.data(), values.data() + mass_.size());
  }
  std::optional<FactorStatus> factor_blocks(std::span<const BlockValues> blocks, const double* jacobian) override {
    if (blocks.front().weight != 1) return std::nullopt;
    return factor_matrices(blocks.front().values, jacobian);
  }
  void solve(VectorOut upper, VectorOut lower) override {
    const std::vector<int>& velocities = factors_.rows().velocities;
    for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = upper[velocities[k]];
    factors_.solve_transposed(y_.data());
    rows_.solve(y_.data(), lower.data());
    factors_.solve(y_.data());
    for (std::size_t k = 0; k < y_.size(); ++k) upper[velocities[k]] = y_[k];
    std::fill(y_.begin(), y_.end(), 0.0);  // as factor_matrices() wants it
  }
  bool is_in_doubt() const override {
    return std::min(factors_.pivot_ratio(), rows_.smallest_sine2()) < kDoubtfulRcond;
  }
  double calc_rcond() override { return std::min(factors_.pivot_ratio(), std::sqrt(rows_.smallest_sine2())); }

 private:
  FactorStatus factor_matrices(const double* mass, const double* jacobian) {
    FactorStatus status = factors_.factor(mass);
    if (!status || rows_.rows() == 0) return status;
    const std::vector<int>& places = factors_.rows().places;
    jacobian_.note_switched_off(jacobian);
    for (int r = 0; r < rows_.rows(); ++r) {
      jacobian_.add_row(r, jacobian, places, y_.data());
      const std::span<const int> support = rows_.support(r);
      factors_.solve_transposed(support, y_.data());
      double* out = rows_.column(r);
      for (const int place : support) {
        *out++ = y_[at(place)];
        y_[at(place)] = 0;
      }
    }
    status = rows_.factor(jacobian_.is_off());
    if (status.cause == linalg::FactorCause::kNotFinite) status.index += static_cast<int>(y_.size());
    return status;
  }

  const Pattern& mass_;
  RowValues jacobian_;
  BranchFactors<double> factors_;
  RowFactors<double> rows_;
  std::vector<double> y_;  // by place; zero between calls
};

std::string name_of(const dae::Structure& structure, int velocity) {
  const auto& names = structure.has_trivial_kinematics ? structure.position_names : structure.velocity_names;
  return dae::quoted(names[at(velocity)]);
}

std::string describe_fill(const dae::Structure& structure) {
  std::vector<int> order(at(structure.n_v()));
  std::iota(order.begin(), order.end(), 0);
  const std::optional<BranchRows::Fill> fill = BranchRows(structure.mass, std::move(order)).find_fill();
  return fmt::format(
      "Cholesky along branches needs a mass matrix that couples velocities as a tree does, and here {} is coupled with "
      "{} and {}, which are not coupled with one another: the factor would fill in",
      name_of(structure, fill->velocity), name_of(structure, fill->first), name_of(structure, fill->second));
}

}  // namespace

std::unique_ptr<DirectSolver> make_branch_solver(const Layout& layout, const Pattern&) {
  if (!layout.is_mass_only) {
    throw std::invalid_argument("Cholesky along branches needs a matrix whose only block is the mass");
  }
  std::optional<BranchRows> rows = BranchRows::make(*layout.blocks.front().pattern, layout.tree);
  if (!rows) throw std::invalid_argument("Cholesky along branches would fill in with this mass matrix");
  return std::make_unique<BranchSolver>(layout, std::move(*rows));
}

std::string find_branch_obstacle(const dae::Structure& structure) {
  std::vector<bool> is_massive(at(structure.n_v()), false);
  for (const Entry& e : structure.mass.entries()) {
    if (e.row == e.column) is_massive[at(e.row)] = true;
  }
  const auto massless = std::find(is_massive.begin(), is_massive.end(), false);
  if (massless != is_massive.end()) {
    return fmt::format("Cholesky along branches needs a positive definite mass matrix, and {} has no mass",
                       name_of(structure, static_cast<int>(massless - is_massive.begin())));
  }
  return BranchRows::make(structure.mass, structure.tree ? &*structure.tree : nullptr) ? "" : describe_fill(structure);
}

BranchOperations calc_operations(const dae::Structure& structure) {
  const std::optional<BranchRows> rows = BranchRows::make(structure.mass, structure.tree ? &*structure.tree : nullptr);
  if (!rows) throw std::invalid_argument(describe_fill(structure));
  const std::vector<std::vector<int>> supports = find_supports(*rows, structure.jacobian);
  BranchOperations count;
  const auto sweep = [&](int k, OperationCount& c) {
    c.multiplications += rows->row_length(k);
    c.additions += rows->row_length(k) - 1;
  };
  const long n = structure.n_v(), m = structure.m();
  for (int k = 0; k < rows->size(); ++k) {
    const long coupled = rows->row_length(k) - 1;
    count.factor_mass.multiplications += coupled + coupled * (coupled + 1) / 2;
    count.factor_mass.additions += coupled * (coupled + 1) / 2;
    sweep(k, count.forward);
    sweep(k, count.backward);
  }
  count.factor_mass.divisions = count.factor_mass.square_roots = n;
  const RowFactors<double> row_factors(supports);
  for (int r = 0; r < structure.m(); ++r) {
    const std::vector<int>& support = supports[at(r)];
    const long size = static_cast<long>(support.size()), reach = row_factors.reach(r);
    for (const int k : support) sweep(k, count.rows);
    count.right_side.multiplications += size;
    count.right_side.additions += std::max(size, 1L);
    count.remove.multiplications += size;
    count.remove.additions += size;
    for (int s = 0; s <= r; ++s) {
      std::vector<int> common;
      std::set_intersection(support.begin(), support.end(), supports[at(s)].begin(), supports[at(s)].end(),
                            std::back_inserter(common));
      count.product.multiplications += static_cast<long>(common.size());
      count.product.additions += std::max(static_cast<long>(common.size()) - 1, 0L);
    }
    count.factor_multipliers.multiplications += reach + reach * (reach + 1) / 2;
    count.factor_multipliers.additions += reach * (reach + 1) / 2;
    count.solve_multipliers.multiplications += 2 * (reach + 1);
    count.solve_multipliers.additions += 2 * reach;
  }
  count.factor_multipliers.divisions = count.factor_multipliers.square_roots = m;
  return count;
}

}  // namespace trammel::kkt
