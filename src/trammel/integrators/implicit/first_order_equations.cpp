#include "trammel/integrators/implicit/first_order_equations.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::Derivative;
using linalg::Pattern;
using linalg::VectorIn;

FirstOrderEquations::FirstOrderEquations(const MethodContext& context, const ErrorNorm& norm,
                                         const StepEquationsOptions& options)
    : context_(context),
      evaluation_(context.evaluation),
      norm_(norm),
      options_(options),
      n_v_(evaluation_.structure().n_v()),
      n_x_(evaluation_.structure().n_x()),
      m_(evaluation_.structure().m()),
      n_g_(evaluation_.structure().n_g),
      velocity_by_q_(evaluation_.structure().pattern(Derivative::kVelocityByQ), n_g_),
      jacobian_of_v_(evaluation_.structure().jacobian, n_g_),
      diagonal_(Pattern::diagonal(n_v_)),
      terms_(make_terms()),
      solver_(make_layout()),
      policy_(options.policy) {
  trial_ = dae::State::zero(evaluation_.structure());
  q_0_ = q_known_ = displacement_ = v_known_ = a_predicted_ = dq_ = dv_ = Vector::Zero(n_v_);
  x_known_ = x_rate_predicted_ = dx_ = Vector::Zero(n_x_);
  lambda_predicted_ = lower_ = Vector::Zero(m_);
  upper_ = Vector::Zero(2 * n_v_ + n_x_);
  ones_ = Vector::Ones(n_v_);
  values_.reserve(terms_.size() + 5);
}

std::vector<FirstOrderEquations::Term> FirstOrderEquations::make_terms() const {
  const dae::Structure& s = evaluation_.structure();
  const int q = 0, v = n_v_, x = 2 * n_v_, lambda = x + n_x_;
  const int balance = 0, states = 2 * n_v_;
  std::vector<Term> terms;
  const auto add = [&](Derivative which, int row, int column) {
    const Pattern& pattern = which == Derivative::kVelocityByQ ? velocity_by_q_.pattern() : s.pattern(which);
    if (pattern.size() > 0) terms.push_back({which, row, column, &pattern});
  };
  add(Derivative::kForceByV, balance, v);
  add(Derivative::kForceByQ, balance, q);
  if (options_.newton != NewtonKind::kQuasi) {
    add(Derivative::kInertiaByQ, balance, q);
    add(Derivative::kReactionByQ, balance, q);
  }
  add(Derivative::kForceByLambda, balance, lambda);
  add(Derivative::kForceByX, balance, x);
  add(Derivative::kVelocityByQ, lambda + n_g_, q);
  add(Derivative::kStateByXRate, states, x);
  add(Derivative::kStateByX, states, x);
  add(Derivative::kStateByA, states, v);
  add(Derivative::kStateByV, states, v);
  add(Derivative::kStateByQ, states, q);
  add(Derivative::kStateByLambda, states, lambda);
  return terms;
}

kkt::Layout FirstOrderEquations::make_layout() const {
  const dae::Structure& s = evaluation_.structure();
  kkt::Layout layout;
  layout.upper = 2 * n_v_ + n_x_;
  layout.lower = m_;
  layout.jacobian = &s.jacobian;
  layout.blocks.push_back({&s.mass, 0, n_v_});
  layout.blocks.push_back({&diagonal_, n_v_, 0});
  layout.blocks.push_back({&diagonal_, n_v_, n_v_});
  // The solver places all of G at the columns of q; nonholonomic rows belong to those of v.
  layout.blocks.push_back({&jacobian_of_v_.pattern(), layout.upper + n_g_, 0});
  layout.blocks.push_back({&jacobian_of_v_.pattern(), layout.upper + n_g_, n_v_});
  for (const Term& term : terms_) layout.blocks.push_back({term.pattern, term.row, term.column});
  return layout;
}

void FirstOrderEquations::set_known(double t, VectorIn displacement, VectorIn v, VectorIn x) {
  trial_.t = t;
  displacement_ = displacement;
  v_known_ = v;
  x_known_ = x;
}

void FirstOrderEquations::set_prediction(VectorIn a, VectorIn lambda, VectorIn x_rate) {
  a_predicted_ = a;
  lambda_predicted_ = lambda;
  x_rate_predicted_ = x_rate;
}

void FirstOrderEquations::predict_trial() {
  q_known_ = q_0_ + displacement_ - c_.c_v * v_known_;
  trial_.v = v_known_ + c_.c_v * a_predicted_;
  trial_.q = q_known_ + c_.c_v * trial_.v;
  trial_.lambda = lambda_predicted_;
  trial_.x = x_known_ + c_.c_x * x_rate_predicted_;
  update_rates();
}

void FirstOrderEquations::update_rates() {
  trial_.a = (trial_.v - v_known_) / c_.c_v;
  trial_.x_rate = (trial_.x - x_known_) / c_.c_x;
}

bool FirstOrderEquations::solve(const StepCoefficients& coefficients, const CorrectionScale& scale) {
  c_ = coefficients;
  const bool is_full = options_.newton == NewtonKind::kFull;
  std::optional<RenewalCause> cause = is_full ? RenewalCause::kEveryIteration : policy_.should_renew(c_.c_v);
  for (;; cause = RenewalCause::kFailure) {
    predict_trial();
    if (cause && !renew(*cause)) return false;
    bool is_first = true;
    const auto iterate = [&] {
      const bool renews = is_full && !std::exchange(is_first, false);
      return renews && !renew(RenewalCause::kEveryIteration) ? std::nan("") : correct(scale);
    };
    outcome_ = math::iterate_newton(
        iterate,
        {.max_iterations = options_.max_iterations, .tolerance = options_.tolerance, .floor = round_off(scale)},
        policy_.rate());
    policy_.note_iteration(outcome_);
    context_.statistics.newton_iterations += outcome_.iterations;
    if (outcome_.converged()) return true;
    if (!policy_.is_worth_renewing()) return false;
  }
}

void FirstOrderEquations::note_accepted_step() {
  policy_.note_accepted_step();
  context_.statistics.renewals = policy_.counts();
}

kkt::BlockValues FirstOrderEquations::eval_term(const Term& term) {
  switch (term.which) {
    case Derivative::kForceByQ:
    case Derivative::kForceByV:
    case Derivative::kForceByX:
    case Derivative::kForceByLambda: return {evaluation_.derivative(term.which), -1};
    case Derivative::kInertiaByQ: return {evaluation_.derivative(term.which, trial_.a), 1};
    case Derivative::kReactionByQ: return {evaluation_.derivative(term.which, trial_.lambda), 1};
    case Derivative::kStateByA: return {evaluation_.derivative(term.which), 1 / c_.c_v};
    case Derivative::kStateByXRate: return {evaluation_.derivative(term.which), 1 / c_.c_x};
    case Derivative::kVelocityByQ: return {velocity_by_q_.select(evaluation_.derivative(term.which)), 1};
    default: return {evaluation_.derivative(term.which), 1};
  }
}

bool FirstOrderEquations::renew(RenewalCause cause) {
  evaluation_.set(trial_);
  const double* nonholonomic = jacobian_of_v_.select(evaluation_.jacobian());
  values_.clear();
  values_.push_back({evaluation_.mass(), 1 / c_.c_v});
  values_.push_back({ones_.data(), 1 / c_.c_v});
  values_.push_back({ones_.data(), -1});
  values_.push_back({nonholonomic, -1});
  values_.push_back({nonholonomic, 1});
  for (const Term& term : terms_) values_.push_back(eval_term(term));
  policy_.note_renewal(cause, c_.c_v);
  factors_ = solver_.factor(values_, evaluation_.jacobian());
  if (!factors_.ok) policy_.note_restart();  // what could not be factorised is not used again
  return factors_.ok;
}

/// One correction; the trial has moved by it. Returns its norm.
double FirstOrderEquations::correct(const CorrectionScale& scale) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set(trial_);
  auto balance = upper_.head(n_v_);
  balance = evaluation_.force();
  s.mass.add_product(evaluation_.mass(), trial_.a, -1, balance);
  if (m_ > 0) s.jacobian.add_transposed_product(evaluation_.jacobian(), trial_.lambda, -1, balance);
  upper_.segment(n_v_, n_v_) = trial_.v - (trial_.q - q_known_) / c_.c_v;
  if (n_x_ > 0) upper_.tail(n_x_) = -evaluation_.state_residual();
  if (m_ > n_g_) {
    evaluation_.calc_velocity_residual(lower_);
    lower_ = -lower_;
  }
  lower_.head(n_g_) = -evaluation_.constraint();
  solver_.solve(upper_, lower_);
  trial_.q += upper_.head(n_v_);
  trial_.v += upper_.segment(n_v_, n_v_);
  trial_.x += upper_.tail(n_x_);
  trial_.lambda += lower_;
  update_rates();
  dq_ = scale.q * upper_.head(n_v_);
  dv_ = scale.v * upper_.segment(n_v_, n_v_);
  dx_ = scale.x * upper_.tail(n_x_);
  const double norm = norm_.calc(dq_, dv_, dx_);
  return std::isfinite(lower_.sum()) ? norm : std::nan("");
}

/// What a correction is made of when only rounding errors are left, as in StepEquations.
double FirstOrderEquations::round_off(const CorrectionScale& scale) {
  constexpr double kDigits = 4 * std::numeric_limits<double>::epsilon();
  dq_ = kDigits * scale.q * trial_.q;
  dv_.setConstant(kDigits * scale.v / c_.c_v * linalg::largest_abs(trial_.q));
  dx_ = kDigits * scale.x * trial_.x;
  return norm_.calc(dq_, dv_, dx_);
}

double FirstOrderEquations::calc_rcond(const StepCoefficients& coefficients) {
  c_ = coefficients;
  return renew(RenewalCause::kAge) ? solver_.calc_rcond() : 0;
}

std::string FirstOrderEquations::describe_trouble() {
  using kkt::AccelerationStatus;
  evaluation_.set(trial_);
  const bool is_finite =
      factors_.ok ? std::isfinite(outcome_.correction) : factors_.cause != linalg::FactorCause::kNotFinite;
  if (!is_finite) return kinematics::describe_failure(evaluation_, AccelerationStatus::kNotFinite);
  if (!factors_.ok) return kinematics::describe_failure(evaluation_, AccelerationStatus::kSingular);
  return fmt::format(
      "Newton's iteration did not converge (rate {:.2g} after {} iterations); the largest correction is that of {}",
      outcome_.rate, outcome_.iterations, norm_.find_worst(evaluation_.structure(), dq_, dv_, dx_));
}

}  // namespace trammel::integrators
