#pragma once

// The tangent plane of the constraints as the plane of the coordinates (thesis, appendix B): G_0^T = Q_1 R at the
// position of choice, Y = Q_2 and
//   Z = Q_1 (G Q_1)^-1,   P = (I - Z G) Q_2.
// At that position P = Q_2, and (2) of parametrisation.h is as well conditioned as G itself. All matrices are full: for
// systems of up to some hundred coordinates.

#include "trammel/kinematics/parametrisation.h"
#include "trammel/linalg/dense_lu.h"

namespace trammel::kinematics {

class TangentPlane final : public Parametrisation {
 public:
  explicit TangentPlane(const linalg::Pattern& jacobian);

  ChartChoice choose(const double* jacobian) override;
  linalg::FactorStatus factor(const double* jacobian) override;
  double calc_condition() override;
  void reduce(VectorIn q, VectorOut w) const override;
  void add_extended(VectorIn w, VectorOut q) const override;
  void solve(VectorIn s, VectorOut z) override;
  void solve_transposed(VectorIn r, VectorOut s) override;
  std::string describe(const dae::Structure& structure) const override;

 private:
  Eigen::MatrixXd basis_;  // [Q_1 Q_2], n x n
  Vector coefficients_, room_;
  linalg::DenseLu factors_;  // of G Q_1
  Vector work_, column_sums_;
  double norm_ = 0, part_norm_ = 0;  // of G and G Q_1, the largest sum of a column
};

}  // namespace trammel::kinematics
