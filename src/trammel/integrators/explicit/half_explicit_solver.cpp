#include "trammel/integrators/explicit/half_explicit_solver.h"

#include <cmath>
#include <limits>

namespace trammel::integrators {

using dae::Derivative;
using kkt::AccelerationStatus;
using linalg::largest_abs;
using linalg::Vector;
using linalg::VectorIn;

namespace {

constexpr int kMaxIterations = 25;

kkt::Layout make_layout(const dae::Structure& s) {
  return s.force_depends_on_lambda() ? kkt::Layout::mass_with_friction(s) : kkt::Layout::half_explicit(s);
}

}  // namespace

HalfExplicitSolver::HalfExplicitSolver(const dae::Structure& structure, const kkt::SolverOptions& linear)
    : solver_(make_layout(structure), linear.for_unsymmetric()) {
  values_.reserve(2);
  upper_ = Vector::Zero(structure.n_v());
  lower_ = Vector::Zero(structure.m());
}

AccelerationStatus HalfExplicitSolver::solve(dae::Evaluation& here, const double* next_jacobian, VectorIn s, Vector& a,
                                             Vector& lambda) {
  AccelerationStatus status = AccelerationStatus::kSolved;
  if (here.structure().force_depends_on_lambda()) {
    status = iterate(here, next_jacobian, s, a, lambda);
  } else {
    status = factor(here, next_jacobian);
    if (status != AccelerationStatus::kSolved) return status;
    a = here.force();
    lambda = s;
    solver_.solve(a, lambda);
  }
  if (!std::isfinite(a.sum() + lambda.sum())) return AccelerationStatus::kNotFinite;
  here.set_acceleration(a);
  here.set_lambda(lambda);
  return status;
}

AccelerationStatus HalfExplicitSolver::factor(dae::Evaluation& here, const double* next_jacobian) {
  values_.clear();
  values_.push_back({here.mass()});
  if (here.structure().force_depends_on_lambda()) values_.push_back({here.derivative(Derivative::kForceByLambda), -1});
  const linalg::FactorStatus status = solver_.factor(values_, next_jacobian, here.jacobian());
  if (status.ok) return AccelerationStatus::kSolved;
  if (status.cause == linalg::FactorCause::kSingularBlock) return AccelerationStatus::kUnsuitable;
  return status.cause == linalg::FactorCause::kNotFinite ? AccelerationStatus::kNotFinite
                                                         : AccelerationStatus::kSingular;
}

AccelerationStatus HalfExplicitSolver::iterate(dae::Evaluation& here, const double* next_jacobian, VectorIn s,
                                               Vector& a, Vector& lambda) {
  const dae::Structure& structure = here.structure();
  double previous = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    here.set_lambda(lambda);
    upper_ = here.force();
    structure.mass.add_product(here.mass(), a, -1, upper_);
    structure.jacobian.add_transposed_product(here.jacobian(), lambda, -1, upper_);
    lower_ = s;
    structure.jacobian.add_product(next_jacobian, a, -1, lower_);
    if (!std::isfinite(upper_.sum() + lower_.sum())) return AccelerationStatus::kNotFinite;
    const AccelerationStatus status = factor(here, next_jacobian);
    if (status != AccelerationStatus::kSolved) {
      return status == AccelerationStatus::kSingular ? AccelerationStatus::kNoReactions : status;
    }
    solver_.solve(upper_, lower_);
    a += upper_;
    lambda += lower_;
    const double change = largest_abs(upper_) + largest_abs(lower_), size = largest_abs(a) + largest_abs(lambda);
    // At round-off corrections stop shrinking.
    if (change <= 1e-12 * size || (change <= 1e-9 * size && !(change < 0.5 * previous)))
      return AccelerationStatus::kSolved;
    previous = change;
  }
  return AccelerationStatus::kNoReactions;
}

}  // namespace trammel::integrators
