#include "trammel/integrators/extrapolation/half_explicit_euler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "trammel/integrators/extrapolation/step_sequence.h"

namespace trammel::integrators {

using dae::Derivative;
using dae::State;
using kkt::AccelerationStatus;
using linalg::largest_abs;
using linalg::Vector;

namespace {

// Above this feedback of the reactions on themselves the modified scheme is chosen. Errors of the standard scheme decay
// by that factor in each small step and are extrapolated away, up to a point. On the cable drum at 1e-5 (feedback
// mu / 1.1) it is as good as the modified scheme at 0.01; its error is twice as large at 0.05, four times at 0.1, ten
// times at 0.2, and from 0.4 on it needs more than twice the evaluations.
constexpr double kTolerableFeedback = 0.01;
constexpr int kFeedbackIterations = 4;
// Rows that are extrapolated for the values at the start.
constexpr int kStartRows = 5;
// The start is tried with smaller and smaller steps until two extrapolated values agree this well.
constexpr double kStartAccuracy = 1e-10;
constexpr int kStartAttempts = 5;
constexpr int kReactionPasses = 25;

}  // namespace

HalfExplicitEuler::HalfExplicitEuler(const MethodContext& context, FrictionScheme scheme, ForcePlace place,
                                     const kkt::SolverOptions& linear)
    : context_(context),
      evaluation_(context.evaluation),
      layout_(evaluation_.structure()),
      scheme_(scheme),
      place_(place) {
  const dae::Structure& s = evaluation_.structure();
  if (s.force_depends_on_lambda()) {
    with_friction_.emplace(kkt::Layout::mass_with_friction(s), linear.for_unsymmetric());
    friction_ = Vector::Zero(s.pattern(Derivative::kForceByLambda).size());
    blocks_.resize(2);
  }
  force_begin_ = force_ = upper_ = delta_ = Vector::Zero(s.n_v());
  lower_ = Vector::Zero(s.m());
  from_ = to_ = Vector::Zero(layout_.size());
  z_ = Vector::Zero(layout_.z_size());
}

AccelerationStatus HalfExplicitEuler::begin(const State& state) {
  begin_ = &state;
  evaluation_.set(state);
  is_modified_ = with_friction_ && scheme_ == FrictionScheme::kModified;
  if (with_friction_) take_friction();
  if (with_friction_ && scheme_ != FrictionScheme::kModified) {
    const AccelerationStatus status = context_.accelerations.factor_position();
    if (status != AccelerationStatus::kSolved) return status;
    const double feedback = estimate_feedback();
    largest_feedback_ = std::max(largest_feedback_, feedback);
    is_modified_ = scheme_ == FrictionScheme::kAutomatic && !(feedback <= kTolerableFeedback);
  }
  force_begin_ = evaluation_.force();
  return std::isfinite(force_begin_.sum()) ? AccelerationStatus::kSolved : AccelerationStatus::kNotFinite;
}

void HalfExplicitEuler::take_friction() {
  std::copy_n(evaluation_.derivative(Derivative::kForceByLambda), friction_.size(), friction_.data());
}

/// Needs the factorised metric. How much a change of the reactions changes the reactions of the next small step of the
/// standard scheme: the growth of u -> lambda, [M G^T; G 0] (a, lambda) = (F u, 0), in a few iterations.
double HalfExplicitEuler::estimate_feedback() {
  const linalg::Pattern& pattern = evaluation_.structure().pattern(Derivative::kForceByLambda);
  Vector& u = lower_;
  u.setOnes();
  double largest = 0;
  for (int k = 0; k < kFeedbackIterations; ++k) {
    const double size = u.norm();
    if (!(size > 0)) break;
    u /= size;
    upper_.setZero();
    pattern.add_product(friction_.data(), u, 1, upper_);
    u.setZero();
    context_.accelerations.metric().solve(upper_, u);
    largest = std::max(largest, u.norm());
  }
  return largest;
}

AccelerationStatus HalfExplicitEuler::factor_and_solve() {
  if (!is_modified_) {
    const AccelerationStatus status = context_.accelerations.factor_position();
    if (status != AccelerationStatus::kSolved) return status;
    context_.accelerations.metric().solve(upper_, lower_);
    // An iteration may find only now that the matrix is singular.
    return context_.accelerations.metric().is_factored() ? AccelerationStatus::kSolved : AccelerationStatus::kSingular;
  }
  blocks_ = {{evaluation_.mass()}, {friction_.data(), -1}};
  const linalg::FactorStatus status = with_friction_->factor(blocks_, evaluation_.jacobian());
  if (!status.ok) {
    return status.cause == linalg::FactorCause::kNotFinite ? AccelerationStatus::kNotFinite
                                                           : AccelerationStatus::kNoReactions;
  }
  with_friction_->solve(upper_, lower_);
  return AccelerationStatus::kSolved;
}

AccelerationStatus HalfExplicitEuler::take_step(double h, double t, Eigen::Ref<const Vector> from,
                                                Eigen::Ref<Vector> to) {
  const dae::Structure& s = evaluation_.structure();
  if (s.has_trivial_kinematics) {
    layout_.q(to) = layout_.q(from) + h * layout_.v(from);
  } else {
    delta_ = h * layout_.v(from);
    evaluation_.system().retract(layout_.q(from), delta_, layout_.q(to));
  }
  evaluation_.set_position(t, layout_.q(to));
  if (place_ == ForcePlace::kEnd) {
    evaluation_.set_velocity(layout_.v(from));
    evaluation_.set_lambda(layout_.lambda(from));
    upper_ = evaluation_.force();
  } else {
    upper_ = force_;
  }
  if (is_modified_) {
    s.pattern(Derivative::kForceByLambda).add_product(friction_.data(), layout_.lambda(from), -1, upper_);
  }
  if (s.m() > 0) {
    lower_ = evaluation_.velocity_offset();
    s.jacobian.add_product(evaluation_.jacobian(), layout_.v(from), 1, lower_);
    lower_ *= -1 / h;
  }
  const AccelerationStatus status = factor_and_solve();
  if (status != AccelerationStatus::kSolved) return status;
  layout_.a(to) = upper_;
  layout_.lambda(to) = lower_;
  layout_.v(to) = layout_.v(from) + h * upper_;
  evaluation_.set_velocity(layout_.v(to));
  evaluation_.set_lambda(lower_);
  if (s.n_x() > 0) {
    evaluation_.set_acceleration(upper_);
    layout_.x(to) = layout_.x(from) + h * evaluation_.state_rate();
    evaluation_.set_x(layout_.x(to));
  }
  // One sum finds any value that is not finite.
  return std::isfinite(to.sum()) ? AccelerationStatus::kSolved : AccelerationStatus::kNotFinite;
}

AccelerationStatus HalfExplicitEuler::integrate(double h, int n, double t_end, Eigen::Ref<Eigen::MatrixXd> out) {
  context_.statistics.substeps += n;
  layout_.stack(*begin_, out.col(0));
  evaluation_.set_x(begin_->x);
  force_ = force_begin_;
  for (int k = 1; k <= n; ++k) {
    if (k > 1 && place_ == ForcePlace::kBegin) force_ = evaluation_.force();
    const double t = k < n ? begin_->t + k * h : t_end;
    const AccelerationStatus status = take_step(h, t, out.col(k - 1), out.col(k));
    if (status != AccelerationStatus::kSolved) return status;
  }
  return AccelerationStatus::kSolved;
}

AccelerationStatus HalfExplicitEuler::complete(State& state) {
  const dae::Structure& s = evaluation_.structure();
  // In the time h0 positions change by a percent of their size.
  const double speed = std::max(largest_abs(state.v), 1e-10);
  const double h0 = std::clamp(1e-2 * (1 + largest_abs(state.q)) / speed, 1e-10 * (1 + std::abs(state.t)), 1e-2);
  State best = state;
  double least = std::numeric_limits<double>::infinity();
  AccelerationStatus status = AccelerationStatus::kSolved;
  double H = h0;
  for (int attempt = 0; attempt < kStartAttempts && least > kStartAccuracy; ++attempt, H *= 0.1) {
    State trial = state;
    double spread = 0;
    status = complete_at(H, trial, spread);
    if (status != AccelerationStatus::kSolved || !(spread < least)) {
      if (std::isfinite(least)) break;  // round-off has taken over
      continue;
    }
    least = spread;
    best = std::move(trial);
  }
  if (!std::isfinite(least)) return status == AccelerationStatus::kSolved ? AccelerationStatus::kNotFinite : status;
  state = std::move(best);
  evaluation_.set(state);
  if (s.n_x() > 0) {
    state.x_rate = evaluation_.state_rate();
    if (!std::isfinite(state.x_rate.sum())) return AccelerationStatus::kNotFinite;
    evaluation_.set_x_rate(state.x_rate);
  }
  return AccelerationStatus::kSolved;
}

/// With steps of at most H; repeated until the reactions that forces depend on fit the reactions that result.
AccelerationStatus HalfExplicitEuler::complete_at(double H, State& state, double& spread) {
  is_modified_ = with_friction_.has_value();
  for (int pass = 0; pass < (is_modified_ ? kReactionPasses : 1); ++pass) {
    evaluation_.set(state);
    if (is_modified_) take_friction();
    const AccelerationStatus status = extrapolate_start(H, state, spread);
    if (status != AccelerationStatus::kSolved) return status;
    if (!is_modified_) return status;
    const double change = largest_abs(state.lambda - layout_.lambda(from_));  // from_ holds those of before
    if (change <= std::max(spread, 1e-13) * largest_abs(state.lambda)) return status;
  }
  return is_modified_ ? AccelerationStatus::kNoReactions : AccelerationStatus::kSolved;
}

/// a and lambda by extrapolation of one step each of size H / n_j. `spread`: how far apart the last two extrapolated
/// values are, relative to their size.
AccelerationStatus HalfExplicitEuler::extrapolate_start(double H, State& state, double& spread) {
  static constexpr auto kWeights = calc_limit_weights(0, kStartRows - 1),
                        kRougher = calc_limit_weights(1, kStartRows - 1);
  layout_.stack(state, from_);
  force_ = evaluation_.force();
  z_.setZero();
  Vector rougher = Vector::Zero(z_.size());
  for (int row = 0; row < kStartRows; ++row) {
    const auto j = static_cast<std::size_t>(row);
    const double h = H / step_number(row);
    evaluation_.set_x(state.x);
    const AccelerationStatus status = take_step(h, state.t + h, from_, to_);
    if (status != AccelerationStatus::kSolved) return status;
    z_ += kWeights[j] * layout_.z(to_);
    rougher += kRougher[j] * layout_.z(to_);
  }
  const auto n_v = state.a.size(), m = state.lambda.size();
  const auto relative = [](auto&& difference, auto&& value) {
    const double size = largest_abs(value);
    return size > 0 ? largest_abs(difference) / size : 0;
  };
  spread = relative((z_ - rougher).head(n_v), z_.head(n_v)) + relative((z_ - rougher).tail(m), z_.tail(m));
  state.a = z_.head(n_v);
  state.lambda = z_.tail(m);
  return AccelerationStatus::kSolved;
}

void HalfExplicitEuler::add_counts(Statistics& statistics) const {
  if (with_friction_) statistics.linear += with_friction_->counts();
}

}  // namespace trammel::integrators
