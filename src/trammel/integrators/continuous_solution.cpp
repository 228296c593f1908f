#include "trammel/integrators/continuous_solution.h"

#include <fmt/format.h>

#include <cmath>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using kinematics::MetricUse;
using kkt::AccelerationStatus;

namespace {

// Methods with polynomials of a higher degree take steps so long that a matrix of one end is no good inside.
constexpr int kLongStepDegree = 5;

std::string describe_violation(dae::Evaluation& evaluation) {
  Eigen::Index worst = 0;
  const double size = evaluation.constraint().cwiseAbs().maxCoeff(&worst);
  return fmt::format(
      "no position near the given one satisfies the constraints; the worst is {} with a residual of {:.3g}",
      dae::quoted(evaluation.structure().constraint_names[static_cast<std::size_t>(worst)]), size);
}

}  // namespace

AccelerationStatus complete_state(const MethodContext& context, dae::State& state, const dae::State& near) {
  dae::Evaluation& evaluation = context.evaluation;
  evaluation.set_velocity(state.v);
  const AccelerationStatus status = context.accelerations.solve(near);
  state.a = evaluation.point().a;
  state.lambda = evaluation.point().lambda;
  state.x = evaluation.point().x;
  state.x_rate = evaluation.point().x_rate;
  return status;
}

AccelerationStatus complete_rates(const MethodContext& context, dae::State& state) {
  dae::Evaluation& evaluation = context.evaluation;
  if (evaluation.structure().n_x() == 0) return AccelerationStatus::kSolved;
  evaluation.set(state);
  state.x_rate = evaluation.state_rate();
  return std::isfinite(state.x_rate.sum()) ? AccelerationStatus::kSolved : AccelerationStatus::kNotFinite;
}

ContinuousSolution::ContinuousSolution(const MethodContext& context, Method& method)
    : context_(context), method_(method), state_(dae::State::zero(context.evaluation.structure())) {}

const dae::State* ContinuousSolution::at(double t, Detail detail) {
  const dae::State& last = method_.state();
  if (t == last.t) return &last;
  method_.interpolate(t, state_);
  if (detail == Detail::kInterpolated) return &state_;
  if (detail == Detail::kAccelerations && method_.interpolates_accelerations()) return &state_;
  dae::Evaluation& evaluation = context_.evaluation;
  const dae::Structure& s = evaluation.structure();
  evaluation.set_x(state_.x);
  if (detail == Detail::kConsistent && (s.n_g > 0 || !s.has_trivial_kinematics)) {
    const MetricUse use = method_.dense_degree() > kLongStepDegree ? MetricUse::kRenew : MetricUse::kPresent;
    if (!context_.projector.project_position(t, state_.q, context_.norm.q_weights(), use).ok()) {
      return nullptr;
    }
  }
  evaluation.set_position(t, state_.q);
  if (context_.accelerations.factor_position() != AccelerationStatus::kSolved) return nullptr;
  if (detail == Detail::kConsistent) {
    context_.projector.project_velocity(state_.v);
    state_.x = evaluation.follow_position();
  }
  const AccelerationStatus status =
      method_.gives_accelerations() ? complete_rates(context_, state_) : complete_state(context_, state_, last);
  return status == AccelerationStatus::kSolved ? &state_ : nullptr;
}

namespace {

/// Moves q and v onto their constraints, x with them. What went wrong.
std::string put_onto_constraints(const MethodContext& context, dae::State& state, bool assemble) {
  dae::Evaluation& evaluation = context.evaluation;
  const dae::Structure& s = evaluation.structure();
  evaluation.set(state);
  if (s.n_g > 0 || !s.has_trivial_kinematics) {
    const linalg::Vector given = state.q;
    const kinematics::PositionProjection outcome =
        context.projector.project_position(state.t, state.q, context.norm.q_weights(), MetricUse::kRenew);
    if (outcome.metric != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation, outcome.metric);
    if (!outcome.ok()) {
      state.q = given;
      if (!assemble || !context.projector.assemble_position(state.t, state.q)) {
        evaluation.set_position(state.t, given);
        return describe_violation(evaluation);
      }
    }
  }
  evaluation.set_position(state.t, state.q);
  const AccelerationStatus status = context.accelerations.factor_position();
  if (status != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation, status);
  context.projector.project_velocity(state.v);
  state.x = evaluation.follow_position();
  return {};
}

}  // namespace

std::string make_consistent(const MethodContext& context, Method& method, dae::State& state, bool assemble) {
  if (std::string trouble = put_onto_constraints(context, state, assemble); !trouble.empty()) return trouble;
  return kinematics::describe_failure(context.evaluation, method.gives_accelerations()
                                                              ? method.complete_start(state)
                                                              : complete_state(context, state, state));
}

std::string make_consistent(const MethodContext& context, dae::State& state, bool assemble) {
  if (std::string trouble = put_onto_constraints(context, state, assemble); !trouble.empty()) return trouble;
  return kinematics::describe_failure(context.evaluation, complete_state(context, state, state));
}

}  // namespace trammel::integrators
