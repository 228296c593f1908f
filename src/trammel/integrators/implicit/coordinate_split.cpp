#include "trammel/integrators/implicit/coordinate_split.h"

#include <algorithm>

namespace trammel::integrators {

using kinematics::ChartChoice;
using kinematics::make_parametrisation;
using linalg::VectorIn;
using linalg::VectorOut;

CoordinateSplit::CoordinateSplit(const dae::Structure& structure, kinematics::ParametrisationKind kind,
                                 double max_condition_growth)
    : max_growth_(max_condition_growth), jacobian_(Vector::Zero(structure.jacobian.size())) {
  all_.chart = make_parametrisation(kind, structure.jacobian);
  of_positions_ = of_velocities_ = all_.chart.get();
  if (structure.m() > structure.n_g) {
    holonomic_rows_.emplace(structure.jacobian, 0, structure.n_g);
    holonomic_.chart = make_parametrisation(kind, holonomic_rows_->pattern());
    of_positions_ = holonomic_.chart.get();
  }
  reduced_ = Vector::Zero(structure.n_v());
}

bool CoordinateSplit::renew(const double* jacobian, bool may_choose) {
  std::copy_n(jacobian, jacobian_.size(), jacobian_.data());
  if (!renew(all_, jacobian_.data(), may_choose)) return false;
  return !holonomic_rows_ || renew(holonomic_, holonomic_rows_->select(jacobian_.data()), may_choose);
}

bool CoordinateSplit::renew(Part& part, const double* jacobian, bool may_choose) const {
  const bool was_chosen = part.condition > 0;
  if (was_chosen && part.chart->factor(jacobian).ok) {
    if (!may_choose || part.chart->calc_condition() <= max_growth_ * part.condition) return true;
  }
  if (part.chart->choose(jacobian) == ChartChoice::kSingular) {
    part.condition = 0;
    return false;
  }
  part.condition = part.chart->calc_condition();
  return true;
}

void CoordinateSplit::solve_lambda(VectorIn r, VectorOut lambda) { of_velocities_->solve_transposed(r, lambda); }

void CoordinateSplit::solve_mu(VectorIn r, VectorOut mu) { of_positions_->solve_transposed(r, mu); }

void CoordinateSplit::keep_independent(const kinematics::Parametrisation& chart, VectorOut change) {
  auto reduced = reduced_.head(chart.dimension());
  chart.reduce(change, reduced);
  change.setZero();
  chart.add_extended(reduced, change);
}

}  // namespace trammel::integrators
