#pragma once

// Dependent and independent coordinates (thesis 3.1): Y of parametrisation.h consists of unit vectors, and
//   Z = [G_u^-1; 0],   P = [H; I],   H = -G_u^-1 G_v
// with u the dependent and v the independent coordinates. G_u is kept factorised: dense up to a number of constraints,
// sparse above.

#include <optional>

#include "trammel/kinematics/parametrisation.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/pivot_columns.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::kinematics {

class Partitioning final : public Parametrisation {
 public:
  /// With `independent` given, those coordinates are taken whatever the pivots say.
  Partitioning(const linalg::Pattern& jacobian, const std::vector<int>& independent);

  ChartChoice choose(const double* jacobian) override;
  linalg::FactorStatus factor(const double* jacobian) override;
  double calc_condition() override;
  void reduce(VectorIn q, VectorOut w) const override;
  void add_extended(VectorIn w, VectorOut q) const override;
  void solve(VectorIn s, VectorOut z) override;
  void solve_transposed(VectorIn r, VectorOut s) override;
  std::string describe(const dae::Structure& structure) const override;

  const std::vector<int>& dependent() const { return dependent_; }
  const std::vector<int>& independent() const { return independent_; }

 private:
  bool set_partition(const std::vector<int>& dependent, const std::vector<int>& independent);

  bool is_fixed_;
  bool has_chosen_ = false;
  linalg::PivotColumns pivots_;
  std::vector<int> dependent_, independent_;
  std::vector<int> place_;  // of a coordinate among the dependent ones; -1: independent
  linalg::DenseLu dense_;
  std::optional<linalg::SparseLu> sparse_;
  linalg::Pattern part_;      // of G_u where it is sparse
  std::vector<int> entries_;  // of G that stand in it
  Vector values_, work_, column_sums_;
  double norm_ = 0, part_norm_ = 0;  // of G and G_u, the largest sum of a column
};

}  // namespace trammel::kinematics
