#include "trammel/integrators/implicit/first_order_equations.h"

#include <cmath>

namespace trammel::integrators {

using dae::Derivative;
using linalg::Pattern;

FirstOrderEquations::FirstOrderEquations(const MethodContext& context, const ErrorNorm& norm,
                                         const StepEquationsOptions& options)
    : ImplicitStep(context, norm, options),
      velocity_by_q_(evaluation_.structure().pattern(Derivative::kVelocityByQ), n_g_),
      jacobian_of_v_(evaluation_.structure().jacobian, n_g_),
      diagonal_(Pattern::diagonal(n_v_)),
      terms_(make_terms()) {
  solver_.emplace(make_layout());
  q_known_ = Vector::Zero(n_v_);
  ones_ = Vector::Ones(n_v_);
  lower_ = Vector::Zero(m_);
  upper_ = Vector::Zero(2 * n_v_ + n_x_);
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
  layout.switchable_rows = s.switchable_rows;
  layout.blocks.push_back({&s.mass, 0, n_v_});
  layout.blocks.push_back({&diagonal_, n_v_, 0});
  layout.blocks.push_back({&diagonal_, n_v_, n_v_});
  // The solver places all of G at the columns of q; nonholonomic rows belong to those of v.
  layout.blocks.push_back({&jacobian_of_v_.pattern(), layout.upper + n_g_, 0});
  layout.blocks.push_back({&jacobian_of_v_.pattern(), layout.upper + n_g_, n_v_});
  for (const Term& term : terms_) layout.blocks.push_back({term.pattern, term.row, term.column});
  return layout;
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

void FirstOrderEquations::eval_matrix() {
  const double* nonholonomic = jacobian_of_v_.select(evaluation_.jacobian());
  values_.push_back({evaluation_.mass(), 1 / c_.c_v});
  values_.push_back({ones_.data(), 1 / c_.c_v});
  values_.push_back({ones_.data(), -1});
  values_.push_back({nonholonomic, -1});
  values_.push_back({nonholonomic, 1});
  for (const Term& term : terms_) values_.push_back(eval_term(term));
}

bool FirstOrderEquations::correct(const CorrectionScale& scale) {
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
  solver_->solve(upper_, lower_);
  trial_.q += upper_.head(n_v_);
  trial_.v += upper_.segment(n_v_, n_v_);
  trial_.x += upper_.tail(n_x_);
  trial_.lambda += lower_;
  update_rates();
  dq_ = scale.q * upper_.head(n_v_);
  dv_ = scale.v * upper_.segment(n_v_, n_v_);
  dx_ = scale.x * upper_.tail(n_x_);
  return std::isfinite(upper_.sum() + lower_.sum());
}

}  // namespace trammel::integrators
