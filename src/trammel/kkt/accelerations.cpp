#include "trammel/kkt/accelerations.h"

#include <array>
#include <cmath>

namespace trammel::kkt {

using dae::Derivative;
using linalg::largest_abs;

namespace {
constexpr int kMaxFrictionIterations = 25;
}  // namespace

AccelerationSolver::AccelerationSolver(dae::Evaluation& evaluation, const SolverOptions& options)
    : evaluation_(evaluation), metric_(Layout::mass(evaluation.structure()), options) {
  const dae::Structure& s = evaluation.structure();
  if (s.force_depends_on_lambda()) {
    SolverOptions unsymmetric = options;
    if (options.back_end == BackEnd::kCholeskyQr || options.back_end == BackEnd::kDenseSymmetric) {
      unsymmetric.back_end = BackEnd::kDenseLu;
    }
    friction_.emplace(Layout::mass_with_friction(s), unsymmetric);
  }
  a_ = upper_ = Vector::Zero(s.n_v());
  lambda_ = lower_ = Vector::Zero(s.m());
}

AccelerationStatus AccelerationSolver::factor_position() {
  const std::array values{BlockValues{evaluation_.mass()}};
  const linalg::FactorStatus status = metric_.factor(values, evaluation_.jacobian());
  if (status.ok) return AccelerationStatus::kSolved;
  return status.cause == linalg::FactorCause::kNotFinite ? AccelerationStatus::kNotFinite
                                                         : AccelerationStatus::kSingular;
}

AccelerationStatus AccelerationSolver::solve(const dae::State& near) {
  if (friction_) {
    const AccelerationStatus status = solve_with_friction(near);
    if (status != AccelerationStatus::kSolved) return status;
  } else {
    a_ = evaluation_.force();
    lambda_ = evaluation_.acceleration_bias();
    metric_.solve(a_, lambda_);
  }
  // One sum finds any value that is not finite.
  if (!std::isfinite(a_.sum() + lambda_.sum())) return AccelerationStatus::kNotFinite;
  evaluation_.set_acceleration(a_);
  evaluation_.set_lambda(lambda_);
  const dae::Structure& s = evaluation_.structure();
  if (s.n_x() > 0 && s.state_form == dae::StateForm::kExplicit) {
    if (!std::isfinite(evaluation_.state_rate().sum())) return AccelerationStatus::kNotFinite;
    evaluation_.set_x_rate(evaluation_.state_rate());
  }
  return AccelerationStatus::kSolved;
}

AccelerationStatus AccelerationSolver::solve_with_friction(const dae::State& near) {
  const dae::Structure& s = evaluation_.structure();
  a_ = near.a;
  lambda_ = near.lambda;
  for (int iteration = 0; iteration < kMaxFrictionIterations; ++iteration) {
    evaluation_.set_lambda(lambda_);
    // Residuals of both equations; their size is judged against the largest terms in them.
    upper_ = evaluation_.force();
    lower_ = evaluation_.acceleration_bias();
    const double scale = largest_abs(upper_) + largest_abs(lower_) + largest_abs(lambda_);
    s.mass.add_product(evaluation_.mass(), a_, -1, upper_);
    s.jacobian.add_transposed_product(evaluation_.jacobian(), lambda_, -1, upper_);
    s.jacobian.add_product(evaluation_.jacobian(), a_, -1, lower_);
    const double residual = largest_abs(upper_) + largest_abs(lower_);
    if (!std::isfinite(residual)) return AccelerationStatus::kNotFinite;
    if (iteration > 0 && residual <= 1e-13 * scale) return AccelerationStatus::kSolved;
    const std::array values{BlockValues{evaluation_.mass()},
                            BlockValues{evaluation_.derivative(Derivative::kForceByLambda), -1}};
    if (!friction_->factor(values, evaluation_.jacobian()).ok) return AccelerationStatus::kNoReactions;
    friction_->solve(upper_, lower_);
    a_ += upper_;
    lambda_ += lower_;
    const double change = largest_abs(upper_) + largest_abs(lower_);
    if (change <= 1e-12 * (largest_abs(a_) + largest_abs(lambda_))) return AccelerationStatus::kSolved;
  }
  return AccelerationStatus::kNoReactions;
}

SolverCounts AccelerationSolver::counts() const {
  SolverCounts total = metric_.counts();
  if (friction_) total += friction_->counts();
  return total;
}

}  // namespace trammel::kkt
