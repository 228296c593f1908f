#include "trammel/integrators/state_space/stage_equations.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::State;

namespace {
// With fixed steps no tolerance says how exact a step has to be: the formula is solved as well as it can be.
constexpr int kMaxIterationsOfFixedSteps = 50;
constexpr double kToleranceOfFixedSteps = 1e-9;
constexpr double kDigits = 4 * std::numeric_limits<double>::epsilon();
}  // namespace

StageEquations::StageEquations(const MethodContext& context, ReducedEquations& equations, const StageOptions& options)
    : context_(context),
      equations_(equations),
      evaluation_(context.evaluation),
      n_v_(equations.structure().n_v()),
      n_w_(equations.n_w()),
      n_x_(equations.n_x()),
      m_(equations.structure().m()),
      options_(options),
      policy_(options.policy) {
  known_ = y_ = scaled_ = Vector::Zero(equations.size());
  correction_ = guess_ = Vector::Zero(n_w_ + n_x_);
  stage_guess_ = point_ = State::zero(equations.structure());
}

void StageEquations::note_accepted_step() {
  policy_.note_accepted_step();
  context_.statistics.renewals = policy_.counts();
}

bool StageEquations::renew(RenewalCause cause, const State& at) {
  policy_.note_renewal(cause, weights_.v);
  is_singular_ = !eval_derivatives(at) || !factor(weights_);
  is_factored_ = !is_singular_;
  if (is_singular_) policy_.note_restart();
  return is_factored_;
}

bool StageEquations::prepare(const State& begin, const StageWeights& weights) {
  begin_ = &begin;
  const bool is_other = !(weights == weights_);
  weights_ = weights;
  outcome_ = {};
  if (const auto cause = policy_.should_renew(weights.v)) return renew(*cause, begin);
  if (!is_other && is_factored_) return true;
  is_singular_ = !factor(weights_);
  is_factored_ = !is_singular_;
  return is_factored_;
}

/// Derivatives at the stage as it is guessed. Where stiff directions turn, those of the begin of the step let the
/// iteration diverge long before the error asks for a smaller one: double pendulum at 1e-5 in Cartesian coordinates,
/// 852 steps and 188 attempts without solution with those alone.
bool StageEquations::renew_at_guess() {
  set_y(guess_);
  point_ = stage_guess_;
  return equations_.eval(t_, y_, point_) && renew(RenewalCause::kFailure, point_);
}

void StageEquations::set_y(VectorIn unknown) {
  y_ = known_;
  y_.head(n_w_) += weights_.q * unknown.head(n_w_);
  y_.segment(n_w_, n_w_) += weights_.v * unknown.head(n_w_);
  y_.tail(n_x_) += weights_.x * unknown.tail(n_x_);
}

double StageEquations::calc_correction_norm() {
  scaled_.head(n_w_) = weights_.q * correction_.head(n_w_);
  scaled_.segment(n_w_, n_w_) = weights_.v * correction_.head(n_w_);
  scaled_.tail(n_x_) = weights_.x * correction_.tail(n_x_);
  return equations_.calc_norm(scaled_);
}

bool StageEquations::solve(double t, VectorIn known, VectorOut unknown, State& stage) {
  t_ = t;
  known_ = known;
  guess_ = unknown;
  stage_guess_ = stage;
  bool was_renewed_here = false;
  for (;;) {
    is_first_ = true;
    const auto iterate = [&] {
      const bool ok = correct(unknown, stage);
      is_first_ = false;
      return ok ? calc_correction_norm() : std::nan("");
    };
    // Positions and velocities are known to their last digits; where forces are stiff, velocities to those of positions
    // over the step.
    scaled_ = kDigits * known_;
    const double floor = equations_.calc_norm(scaled_);
    scaled_.segment(n_w_, n_w_) += (kDigits * weights_.v / weights_.q) * known_.head(n_w_);
    const double stiff_floor = equations_.calc_norm(scaled_);
    outcome_ = math::iterate_newton(
        iterate,
        {.max_iterations = context_.has_fixed_step ? kMaxIterationsOfFixedSteps : options_.max_iterations,
         .tolerance = context_.has_fixed_step ? kToleranceOfFixedSteps : options_.tolerance,
         .floor = floor},
        policy_.rate());
    policy_.note_iteration(outcome_);
    context_.statistics.newton_iterations += outcome_.iterations;
    if (outcome_.converged()) return true;
    if (outcome_.correction <= stiff_floor) return true;  // no failure, but rounding errors; nan is not below
    if (policy_.is_worth_renewing()) {
      if (!renew(RenewalCause::kFailure, *begin_)) return false;
    } else if (std::exchange(was_renewed_here, true) || !renew_at_guess()) {
      return false;
    }
    unknown = guess_;
    stage = stage_guess_;
  }
}

std::string StageEquations::describe_trouble() {
  if (std::string trouble = equations_.describe_trouble(); !trouble.empty()) return trouble;
  if (is_singular_) {
    return kinematics::describe_failure(evaluation_, std::isfinite(evaluation_.force().sum())
                                                         ? kkt::AccelerationStatus::kSingular
                                                         : kkt::AccelerationStatus::kNotFinite);
  }
  if (outcome_.iterations == 0 || outcome_.converged()) return {};
  if (!std::isfinite(outcome_.correction)) {
    return kinematics::describe_failure(evaluation_, kkt::AccelerationStatus::kNotFinite);
  }
  return fmt::format(
      "Newton's iteration did not converge (rate {:.2g} after {} iterations); the largest correction is that of {}",
      outcome_.rate, outcome_.iterations, equations_.find_worst(scaled_));
}

ReducedStage::ReducedStage(const MethodContext& context, ReducedEquations& equations, ResidualKind residual,
                           JacobianKind jacobian, const StageOptions& options)
    : StageEquations(context, equations, options), residual_(residual), jacobian_(context, equations, jacobian) {
  balance_ = work_ = Vector::Zero(n_v_);
}

bool ReducedStage::correct(VectorOut unknown, State& stage) {
  set_y(unknown);
  if (residual_ == ResidualKind::kFirstOrder) {
    if (!equations_.eval(t_, y_, stage)) return false;
    auto deviation = work_.head(n_w_);
    equations_.chart().reduce(stage.a, deviation);
    deviation -= unknown.head(n_w_);
    correction_.head(n_w_).noalias() = jacobian_.mass() * deviation;
  } else if (!equations_.recover(t_, y_, stage) || !eval_balance(unknown, stage)) {
    return false;
  }
  correction_.tail(n_x_) = stage.x_rate - unknown.tail(n_x_);
  jacobian_.solve(correction_);
  unknown += correction_;
  return std::isfinite(correction_.sum());
}

/// P^T (f - M a) into the correction; a, lambda = Z^T (f - M a) and x' into the stage.
bool ReducedStage::eval_balance(VectorIn unknown, State& stage) {
  const dae::Structure& s = equations_.structure();
  kinematics::Parametrisation& chart = equations_.chart();
  if (!equations_.factor_chart()) return false;
  evaluation_.set_velocity(stage.v);
  chart.extend_along(evaluation_.jacobian(), unknown.head(n_w_), stage.a);
  if (m_ > 0) {
    chart.solve(evaluation_.acceleration_bias(), work_);
    stage.a += work_;
  }
  balance_ = evaluation_.force();
  s.mass.add_product(evaluation_.mass(), stage.a, -1, balance_);
  chart.reduce_along(evaluation_.jacobian(), balance_, correction_.head(n_w_));
  if (m_ > 0) chart.solve_transposed(balance_, stage.lambda);
  if (n_x_ > 0) {
    evaluation_.set_acceleration(stage.a);
    evaluation_.set_lambda(stage.lambda);
    stage.x_rate = evaluation_.state_rate();
  }
  return std::isfinite(correction_.sum());
}

}  // namespace trammel::integrators
