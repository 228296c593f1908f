#include "trammel/integrators/implicit/step_equations.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {

using dae::Derivative;
using linalg::Pattern;

StepEquations::StepEquations(const MethodContext& context, const ErrorNorm& norm, const StepEquationsOptions& options)
    : ImplicitStep(context, norm, options),
      constant_mass_(evaluation_.structure().pattern(Derivative::kInertiaByQ).size() == 0),
      nonholonomic_(evaluation_.structure().pattern(Derivative::kVelocityByQ), n_g_),
      terms_(make_terms()) {
  solver_.emplace(make_layout(), options.linear.for_unsymmetric());
  mass_0_ = Vector::Zero(evaluation_.structure().mass.size());
  balance_0_ = delta_ = Vector::Zero(n_v_);
  lower_ = Vector::Zero(m_);
  upper_ = Vector::Zero(n_v_ + n_x_);
  values_.reserve(terms_.size() + 2);
}

std::vector<StepEquations::Term> StepEquations::make_terms() const {
  const dae::Structure& s = evaluation_.structure();
  const int x = n_v_, lambda = n_v_ + n_x_;
  std::vector<Term> terms;
  const auto add = [&](Derivative which, int row, int column) {
    const Pattern& pattern = which == Derivative::kVelocityByQ ? nonholonomic_.pattern() : s.pattern(which);
    if (pattern.size() > 0) terms.push_back({which, row, column, &pattern});
  };
  add(Derivative::kForceByV, 0, 0);
  add(Derivative::kForceByQ, 0, 0);
  if (options_.newton != NewtonKind::kQuasi) {
    add(Derivative::kInertiaByQ, 0, 0);
    add(Derivative::kReactionByQ, 0, 0);
  }
  add(Derivative::kForceByLambda, 0, lambda);
  add(Derivative::kForceByX, 0, x);
  add(Derivative::kVelocityByQ, lambda + n_g_, 0);
  add(Derivative::kStateByXRate, x, x);
  add(Derivative::kStateByX, x, x);
  add(Derivative::kStateByA, x, 0);
  add(Derivative::kStateByV, x, 0);
  add(Derivative::kStateByQ, x, 0);
  add(Derivative::kStateByLambda, x, lambda);
  return terms;
}

kkt::Layout StepEquations::make_layout() const {
  const dae::Structure& s = evaluation_.structure();
  kkt::Layout layout;
  layout.upper = n_v_ + n_x_;
  layout.lower = m_;
  layout.jacobian = &s.jacobian;
  layout.structure = &s;
  layout.switchable_rows = s.switchable_rows;
  layout.blocks.push_back({&s.mass});
  if (!constant_mass_) layout.blocks.push_back({&s.mass});
  for (const Term& term : terms_) layout.blocks.push_back({term.pattern, term.row, term.column});
  return layout;
}

void StepEquations::set_begin(const dae::State& begin) {
  const dae::Structure& s = evaluation_.structure();
  q_0_ = begin.q;
  evaluation_.set(begin);
  balance_0_ = -evaluation_.force();
  if (m_ > 0) s.jacobian.add_transposed_product(evaluation_.jacobian(), begin.lambda, 1, balance_0_);
  if (!constant_mass_) std::copy_n(evaluation_.mass(), mass_0_.size(), mass_0_.data());
}

void StepEquations::predict_trial() {
  trial_.a = a_predicted_;
  trial_.lambda = lambda_predicted_;
  trial_.x_rate = x_rate_predicted_;
  update_trial();
}

void StepEquations::update_trial() {
  delta_ = displacement_ + c_.c_q * trial_.a;
  evaluation_.system().retract(q_0_, delta_, trial_.q);
  trial_.v = v_known_ + c_.c_v * trial_.a;
  trial_.x = x_known_ + c_.c_x * trial_.x_rate;
}

kkt::BlockValues StepEquations::eval_term(const Term& term) {
  switch (term.which) {
    case Derivative::kForceByV: return {evaluation_.derivative(term.which), -c_.c_v};
    case Derivative::kForceByQ: return {evaluation_.derivative(term.which), -c_.c_q};
    case Derivative::kInertiaByQ: return {evaluation_.derivative(term.which, trial_.a), c_.c_q};
    case Derivative::kReactionByQ: return {evaluation_.derivative(term.which, trial_.lambda), c_.c_q};
    case Derivative::kForceByLambda: return {evaluation_.derivative(term.which), -1};
    case Derivative::kForceByX: return {evaluation_.derivative(term.which), -c_.c_x};
    case Derivative::kStateByX: return {evaluation_.derivative(term.which), c_.c_x};
    case Derivative::kStateByV: return {evaluation_.derivative(term.which), c_.c_v};
    case Derivative::kStateByQ: return {evaluation_.derivative(term.which), c_.c_q};
    case Derivative::kVelocityByQ: return {nonholonomic_.select(evaluation_.derivative(term.which)), c_.c_q / c_.c_v};
    default: return {evaluation_.derivative(term.which), 1};
  }
}

void StepEquations::eval_matrix() {
  values_.push_back({evaluation_.mass(), constant_mass_ ? 1 + c_.w : 1});
  if (!constant_mass_) values_.push_back({mass_0_.data(), c_.w});
  for (const Term& term : terms_) values_.push_back(eval_term(term));
}

bool StepEquations::correct(const CorrectionScale& scale) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set(trial_);
  auto balance = upper_.head(n_v_);
  balance = evaluation_.force() - c_.w * balance_0_;
  s.mass.add_product(evaluation_.mass(), trial_.a, constant_mass_ ? -(1 + c_.w) : -1, balance);
  if (!constant_mass_ && c_.w != 0) s.mass.add_product(mass_0_.data(), trial_.a, -c_.w, balance);
  if (m_ > 0) s.jacobian.add_transposed_product(evaluation_.jacobian(), trial_.lambda, -1, balance);
  if (m_ > n_g_) {
    evaluation_.calc_velocity_residual(lower_);
    lower_ /= -c_.c_v;
  }
  lower_.head(n_g_) = evaluation_.constraint() / -c_.c_q;
  if (n_x_ > 0) upper_.tail(n_x_) = -evaluation_.state_residual();
  solver_->solve(upper_, lower_);
  trial_.a += upper_.head(n_v_);
  trial_.lambda += lower_;
  trial_.x_rate += upper_.tail(n_x_);
  update_trial();
  delta_ = (scale.q * c_.c_q) * upper_.head(n_v_);
  if (s.has_trivial_kinematics) {
    dq_ = delta_;
  } else {
    evaluation_.system().calc_position_rate(trial_.q, delta_, dq_);
  }
  dv_ = (scale.v * c_.c_v) * upper_.head(n_v_);
  dx_ = (scale.x * c_.c_x) * upper_.tail(n_x_);
  return std::isfinite(upper_.sum() + lower_.sum());
}

void StepEquations::filter(Vector& r) {
  upper_.head(n_v_) = r;
  upper_.tail(n_x_).setZero();
  lower_.setZero();
  solver_->solve(upper_, lower_);
  r = upper_.head(n_v_);
}

}  // namespace trammel::integrators
