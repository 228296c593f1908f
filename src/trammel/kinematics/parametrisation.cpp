#include "trammel/kinematics/parametrisation.h"

#include "trammel/kinematics/partitioning.h"
#include "trammel/kinematics/tangent_plane.h"

namespace trammel::kinematics {

Parametrisation::Parametrisation(const linalg::Pattern& jacobian) : jacobian_(jacobian), n_(jacobian.columns()) {
  lower_ = Vector::Zero(m());
  upper_ = Vector::Zero(n());
}

void Parametrisation::extend_along(const double* jacobian, VectorIn w, VectorOut p) {
  p.setZero();
  add_extended(w, p);
  if (m() == 0) return;
  lower_.setZero();
  jacobian_.add_product(jacobian, p, 1, lower_);
  solve(lower_, upper_);
  p -= upper_;
}

void Parametrisation::reduce_along(const double* jacobian, VectorIn r, VectorOut w) {
  upper_ = r;
  if (m() > 0) {
    solve_transposed(r, lower_);
    jacobian_.add_transposed_product(jacobian, lower_, -1, upper_);
  }
  reduce(upper_, w);
}

std::unique_ptr<Parametrisation> make_parametrisation(ParametrisationKind kind, const linalg::Pattern& jacobian,
                                                      const std::vector<int>& independent) {
  if (kind == ParametrisationKind::kTangentPlane) return std::make_unique<TangentPlane>(jacobian);
  return std::make_unique<Partitioning>(jacobian, independent);
}

}  // namespace trammel::kinematics
