#include "trammel/integrators/implicit/stabilised_equations.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::Derivative;
using linalg::Pattern;
using linalg::VectorIn;

StabilisedEquations::StabilisedEquations(const MethodContext& context, const ErrorNorm& norm,
                                         const StabilisedOptions& options)
    : ImplicitStep(context, norm, options.newton),
      settings_(options),
      holonomic_(evaluation_.structure().jacobian, 0, n_g_),
      holonomic_transposed_(holonomic_.pattern().transposed()),
      diagonal_(Pattern::diagonal(n_v_)),
      terms_(make_terms()) {
  const dae::Structure& s = evaluation_.structure();
  if (options.multipliers != MultiplierUse::kUnknowns) split_.emplace(s, options.split, options.max_condition_growth);
  solver_.emplace(make_layout());
  q_known_ = q_start_ = v_start_ = Vector::Zero(n_v_);
  x_start_ = Vector::Zero(n_x_);
  lambda_start_ = mu_of_all_ = dlambda_ = lower_ = Vector::Zero(m_);
  mu_start_ = mu_ = dmu_ = Vector::Zero(n_g_);
  ones_ = Vector::Ones(n_v_);
  if (settings_.differentiates_reactions) reaction_by_mu_ = Vector::Zero(s.pattern(Derivative::kReactionByQ).size());
  upper_ = Vector::Zero(2 * n_v_ + n_x_ + n_g_);
  values_.reserve(terms_.size() + 6);
}

std::vector<StabilisedEquations::Term> StabilisedEquations::make_terms() const {
  const dae::Structure& s = evaluation_.structure();
  const int v = 0, q = n_v_, x = 2 * n_v_, lambda = x + n_x_ + n_g_;
  const int balance = 0, states = x, velocities = lambda;
  std::vector<Term> terms;
  const auto add = [&](Derivative which, int row, int column) {
    if (s.pattern(which).size() > 0) terms.push_back({which, row, column, &s.pattern(which)});
  };
  add(Derivative::kForceByV, balance, v);
  add(Derivative::kForceByQ, balance, q);
  if (options_.newton != NewtonKind::kQuasi) add(Derivative::kInertiaByQ, balance, q);
  if (settings_.differentiates_reactions && options_.newton != NewtonKind::kQuasi) {
    add(Derivative::kReactionByQ, balance, q);
  }
  add(Derivative::kForceByLambda, balance, lambda);
  add(Derivative::kForceByX, balance, x);
  add(Derivative::kVelocityByQ, velocities, q);
  add(Derivative::kStateByXRate, states, x);
  add(Derivative::kStateByX, states, x);
  add(Derivative::kStateByA, states, v);
  add(Derivative::kStateByV, states, v);
  add(Derivative::kStateByQ, states, q);
  add(Derivative::kStateByLambda, states, lambda);
  return terms;
}

kkt::Layout StabilisedEquations::make_layout() const {
  const dae::Structure& s = evaluation_.structure();
  const int mu = 2 * n_v_ + n_x_;
  kkt::Layout layout;
  layout.upper = mu + n_g_;
  layout.lower = m_;
  layout.jacobian = &s.jacobian;
  layout.switchable_rows = s.switchable_rows;
  layout.blocks.push_back({&s.mass});
  layout.blocks.push_back({&diagonal_, n_v_, 0});
  layout.blocks.push_back({&diagonal_, n_v_, n_v_});
  layout.blocks.push_back({&holonomic_transposed_, n_v_, mu});
  layout.blocks.push_back({&holonomic_.pattern(), mu, n_v_});
  if (settings_.differentiates_reactions) {
    layout.blocks.push_back({&s.pattern(Derivative::kReactionByQ), n_v_, n_v_});
  }
  for (const Term& term : terms_) layout.blocks.push_back({term.pattern, term.row, term.column});
  return layout;
}

void StabilisedEquations::set_past(double t, VectorIn q, VectorIn v, VectorIn x) {
  trial_.t = t;
  q_known_ = q;
  v_known_ = v;
  x_known_ = x;
}

void StabilisedEquations::set_start(VectorIn q, VectorIn v, VectorIn x, VectorIn lambda, VectorIn mu) {
  q_start_ = q;
  v_start_ = v;
  x_start_ = x;
  lambda_start_ = lambda;
  mu_start_ = mu;
}

void StabilisedEquations::predict_trial() {
  trial_.q = q_start_;
  trial_.v = v_start_;
  trial_.x = x_start_;
  trial_.lambda = lambda_start_;
  mu_ = mu_start_;
  update_rates();
  if (!split_) return;
  evaluation_.set(trial_);
  if (settings_.multipliers == MultiplierUse::kReset) {
    renew_split(true);
    calc_imbalance();
    reset_multipliers();
  } else if (settings_.split_point != SplitPoint::kMatrix) {
    renew_split(true);
  }
}

void StabilisedEquations::update_rates() {
  trial_.a = (trial_.v - v_known_) / c_.c_v;
  trial_.x_rate = (trial_.x - x_known_) / c_.c_x;
  split_is_of_trial_ = false;
}

/// P and the pseudo-inverse at the trial, where the evaluation stands.
void StabilisedEquations::renew_split(bool may_choose) {
  if (std::exchange(split_is_of_trial_, true)) return;
  split_is_regular_ = split_->renew(evaluation_.jacobian(), may_choose);
}

/// f - M v' and v - q' into the first two parts of upper_.
void StabilisedEquations::calc_imbalance() {
  auto balance = upper_.head(n_v_);
  balance = evaluation_.force();
  evaluation_.structure().mass.add_product(evaluation_.mass(), trial_.a, -1, balance);
  upper_.segment(n_v_, n_v_) = trial_.v - (trial_.q - q_known_) / c_.c_v;
}

/// (7), from what calc_imbalance() has left.
void StabilisedEquations::reset_multipliers() {
  if (!split_is_regular_) return;
  split_->solve_lambda(upper_.head(n_v_), trial_.lambda);
  split_->solve_mu(upper_.segment(n_v_, n_v_), mu_);
  evaluation_.set_lambda(trial_.lambda);
}

kkt::BlockValues StabilisedEquations::eval_term(const Term& term) {
  switch (term.which) {
    case Derivative::kForceByQ:
    case Derivative::kForceByV:
    case Derivative::kForceByX:
    case Derivative::kForceByLambda: return {evaluation_.derivative(term.which), -1};
    case Derivative::kInertiaByQ: return {evaluation_.derivative(term.which, trial_.a), 1};
    case Derivative::kReactionByQ: return {evaluation_.derivative(term.which, trial_.lambda), 1};
    case Derivative::kStateByA: return {evaluation_.derivative(term.which), 1 / c_.c_v};
    case Derivative::kStateByXRate: return {evaluation_.derivative(term.which), 1 / c_.c_x};
    default: return {evaluation_.derivative(term.which), 1};
  }
}

void StabilisedEquations::eval_matrix() {
  if (settings_.multipliers == MultiplierUse::kEliminated) {
    if (settings_.split_point != SplitPoint::kPrediction) renew_split(true);
    calc_imbalance();
    reset_multipliers();
  }
  c_of_matrix_ = c_.c_v;
  const double* holonomic = holonomic_.select(evaluation_.jacobian());
  values_.push_back({evaluation_.mass(), 1 / c_.c_v});
  values_.push_back({ones_.data(), -1});
  values_.push_back({ones_.data(), 1 / c_.c_v});
  values_.push_back({holonomic, 1});
  values_.push_back({holonomic, 1});
  if (settings_.differentiates_reactions) {
    mu_of_all_.head(n_g_) = mu_;
    // Copied: the same derivative is asked for once more, for lambda.
    std::copy_n(evaluation_.derivative(Derivative::kReactionByQ, mu_of_all_), reaction_by_mu_.size(),
                reaction_by_mu_.data());
    values_.push_back({reaction_by_mu_.data(), 1});
  }
  for (const Term& term : terms_) values_.push_back(eval_term(term));
}

bool StabilisedEquations::correct(const CorrectionScale& scale) {
  const Pattern& jacobian = evaluation_.structure().jacobian;
  const bool is_eliminated = settings_.multipliers == MultiplierUse::kEliminated;
  evaluation_.set(trial_);
  calc_imbalance();
  if (is_eliminated) {
    if (settings_.split_point == SplitPoint::kIterate) renew_split(false);
    reset_multipliers();
  }
  if (!split_is_regular_) return false;
  const double* G = is_eliminated ? split_->jacobian() : evaluation_.jacobian();
  mu_of_all_.head(n_g_) = mu_;
  auto balance = upper_.head(n_v_), kinematic = upper_.segment(n_v_, n_v_);
  jacobian.add_transposed_product(G, trial_.lambda, -1, balance);
  jacobian.add_transposed_product(G, mu_of_all_, -1, kinematic);
  if (n_x_ > 0) upper_.segment(2 * n_v_, n_x_) = -evaluation_.state_residual();
  upper_.tail(n_g_) = -evaluation_.constraint();
  if (m_ > 0) {
    evaluation_.calc_velocity_residual(lower_);
    lower_ = -lower_;
  }
  solver_->solve(upper_, lower_);
  // A matrix of another step size errs where the step counts, and not where it does not: half of it is made good.
  const double relaxation = 2 / (1 + c_of_matrix_ / c_.c_v);
  upper_ *= relaxation;
  lower_ *= relaxation;
  dv_ = upper_.head(n_v_);
  dq_ = upper_.segment(n_v_, n_v_);
  dx_ = upper_.segment(2 * n_v_, n_x_);
  trial_.v += dv_;
  trial_.q += dq_;
  trial_.x += dx_;
  if (!is_eliminated) {
    dmu_ = upper_.tail(n_g_);
    dlambda_ = lower_;
    mu_ += dmu_;
    trial_.lambda += dlambda_;
  }
  update_rates();
  dv_ *= scale.v;
  dq_ *= scale.q;
  dx_ *= scale.x;
  return std::isfinite(upper_.sum() + lower_.sum());
}

/// Multipliers may count like positions and velocities.
double StabilisedEquations::measure_correction() {
  const bool has_v = settings_.counts_velocities;
  const double rest = has_v ? norm_.calc(dq_, dv_, dx_) : norm_.calc_without_velocities(dq_, dx_);
  if (!settings_.counts_multipliers || m_ == 0) return rest;
  const auto square = [&](double change, double value) {
    const double e = change / (norm_.rtol() * std::abs(value) + norm_.atol());
    return e * e;
  };
  const double n = (has_v ? 2 : 1) * n_v_ + n_x_;
  double sum = rest * rest * n;
  for (int i = 0; i < m_; ++i) sum += square(dlambda_[i], trial_.lambda[i]);
  for (int i = 0; i < n_g_; ++i) sum += square(dmu_[i], mu_[i]);
  return std::sqrt(sum / (n + m_ + n_g_));
}

std::string StabilisedEquations::describe_trouble() {
  if (split_is_regular_) return ImplicitStep::describe_trouble();
  evaluation_.set(trial_);
  return kinematics::describe_failure(evaluation_, kkt::AccelerationStatus::kSingular);
}

}  // namespace trammel::integrators
