#include "trammel/kinematics/projection.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::kinematics {

using kkt::AccelerationStatus;
using linalg::largest_abs;

namespace {

// What remains after the iteration, relative to the weights. The report stops at corrections of 1e-2; one digit more
// costs nothing, since the rate is mostly below 1e-2, and keeps the drift far below the tolerance.
constexpr math::NewtonOptions kProjectionNewton{.max_iterations = 6, .tolerance = 1e-3, .max_rate = 0.9};
constexpr int kMaxAssemblyIterations = 60;
constexpr int kMaxHalvings = 12;

}  // namespace

Projector::Projector(dae::Evaluation& evaluation, kkt::AccelerationSolver& accelerations)
    : evaluation_(evaluation), accelerations_(accelerations) {
  const dae::Structure& s = evaluation.structure();
  start_ = before_ = displacement_ = Vector::Zero(s.n_q());
  upper_ = Vector::Zero(s.n_v());
  lower_ = Vector::Zero(s.m());
}

PositionProjection Projector::project_position(double t, Vector& q, VectorIn weights, MetricUse use) {
  PositionProjection outcome;
  start_ = q;
  for (bool renew = use == MetricUse::kRenew || !accelerations_.metric().is_factored();; renew = true) {
    if (renew) {
      evaluation_.set_position(t, q);
      outcome.metric = accelerations_.factor_position();
      if (outcome.metric != AccelerationStatus::kSolved) return outcome;
    }
    outcome.newton = iterate(t, q, weights);
    outcome.iterations += outcome.newton.iterations;
    if (outcome.newton.converged() || renew) return outcome;
    q = start_;
  }
}

math::NewtonOutcome Projector::iterate(double t, Vector& q, VectorIn weights) {
  const auto norm = [&](const Vector& displacement) {
    return std::sqrt(displacement.cwiseQuotient(weights).squaredNorm() / static_cast<double>(q.size()));
  };
  const auto one_correction = [&] {
    correct(t, q);
    return norm(displacement_);
  };
  math::NewtonOptions options = kProjectionNewton;
  options.floor = 8 * std::numeric_limits<double>::epsilon() * norm(q);
  // The rate of the first iteration is not known: 0.1 lets a correction pass that is a tenth of what is allowed.
  return math::iterate_newton(one_correction, options, 0.1);
}

void Projector::correct(double t, Vector& q) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set_position(t, q);
  upper_.setZero();
  lower_.setZero();
  lower_.head(s.n_g) = -evaluation_.constraint();
  accelerations_.metric().solve(upper_, lower_);
  before_ = q;
  evaluation_.system().retract(before_, upper_, q);
  displacement_ = q - before_;
}

void Projector::project_velocity(Vector& v) {
  if (evaluation_.structure().m() == 0) return;
  evaluation_.set_velocity(v);
  upper_.setZero();
  evaluation_.calc_velocity_residual(lower_);
  lower_ = -lower_;
  accelerations_.metric().solve(upper_, lower_);
  v += upper_;
}

bool Projector::assemble_position(double t, Vector& q) {
  const double scale = std::max(1.0, largest_abs(q));
  const auto violation = [&] {
    evaluation_.set_position(t, q);
    return evaluation_.constraint().norm();
  };
  double residual = violation();
  for (int iteration = 0; iteration < kMaxAssemblyIterations; ++iteration) {
    if (!std::isfinite(residual)) return false;
    evaluation_.set_position(t, q);
    if (accelerations_.factor_position() != AccelerationStatus::kSolved) return false;
    start_ = q;
    correct(t, q);
    const double step = largest_abs(displacement_);
    double next = violation();
    for (int halving = 0; !(next <= residual) && halving < kMaxHalvings && step > 1e-14 * scale; ++halving) {
      upper_ *= 0.5;
      evaluation_.system().retract(start_, upper_, q);
      next = violation();
    }
    residual = next;
    if (step <= 1e-12 * scale) return true;
  }
  return false;
}

}  // namespace trammel::kinematics
