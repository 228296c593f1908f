#include "trammel/integrators/state_space/descriptor_stage.h"

#include <algorithm>
#include <cmath>

namespace trammel::integrators {

using dae::Derivative;
using dae::State;

namespace {
// How often Z of the last factorisation puts accelerations and reactions right, each time up to terms of the order of
// h. Without it corrections of independent accelerations say little about what is still wrong: on the pendulum Newton's
// iteration stopped at errors thirty times its tolerance.
constexpr int kSweeps = 2;
}  // namespace

DescriptorStage::DescriptorStage(const MethodContext& context, ReducedEquations& equations, const StageOptions& options)
    : StageEquations(context, equations, options), terms_(make_terms()), solver_(make_layout()) {
  const dae::Structure& s = equations.structure();
  mass_ = Vector::Zero(s.mass.size());
  constraint_ = Vector::Zero(s.jacobian.size());
  upper_ = Vector::Zero(n_v_ + n_x_);
  lower_ = lambda_step_ = Vector::Zero(m_);
  work_ = along_q_ = along_v_ = Vector::Zero(n_v_);
  values_.reserve(terms_.size() + 1);
}

std::vector<DescriptorStage::Term> DescriptorStage::make_terms() const {
  const dae::Structure& s = equations_.structure();
  const int x = n_v_, lambda = n_v_ + n_x_;
  std::vector<Term> terms;
  const auto add = [&](Derivative which, int row, int column, double sign, double StageWeights::*weight) {
    const linalg::Pattern& pattern = s.pattern(which);
    if (pattern.size() > 0) terms.push_back({which, row, column, sign, weight, Vector::Zero(pattern.size())});
  };
  add(Derivative::kForceByV, 0, 0, -1, &StageWeights::v);
  add(Derivative::kForceByQ, 0, 0, -1, &StageWeights::q);
  add(Derivative::kInertiaByQ, 0, 0, 1, &StageWeights::q);
  add(Derivative::kReactionByQ, 0, 0, 1, &StageWeights::q);
  add(Derivative::kForceByX, 0, x, -1, &StageWeights::x);
  add(Derivative::kForceByLambda, 0, lambda, -1, nullptr);
  add(Derivative::kAccelerationByQ, lambda, 0, 1, &StageWeights::q);
  add(Derivative::kBiasByV, lambda, 0, -1, &StageWeights::v);
  add(Derivative::kStateByXRate, x, x, 1, nullptr);
  add(Derivative::kStateByX, x, x, 1, &StageWeights::x);
  add(Derivative::kStateByA, x, 0, 1, nullptr);
  add(Derivative::kStateByV, x, 0, 1, &StageWeights::v);
  add(Derivative::kStateByQ, x, 0, 1, &StageWeights::q);
  add(Derivative::kStateByLambda, x, lambda, 1, nullptr);
  return terms;
}

kkt::Layout DescriptorStage::make_layout() const {
  const dae::Structure& s = equations_.structure();
  kkt::Layout layout;
  layout.upper = n_v_ + n_x_;
  layout.lower = m_;
  layout.jacobian = &s.jacobian;
  layout.switchable_rows = s.switchable_rows;
  layout.blocks.push_back({&s.mass});
  for (const Term& term : terms_) layout.blocks.push_back({&s.pattern(term.which), term.row, term.column});
  return layout;
}

bool DescriptorStage::eval_derivatives(const State& begin) {
  evaluation_.set(begin);
  std::copy_n(evaluation_.mass(), mass_.size(), mass_.data());
  std::copy_n(evaluation_.jacobian(), constraint_.size(), constraint_.data());
  for (Term& term : terms_) {
    const double* values = nullptr;
    switch (term.which) {
      case Derivative::kInertiaByQ:
      case Derivative::kAccelerationByQ: values = evaluation_.derivative(term.which, begin.a); break;
      case Derivative::kReactionByQ: values = evaluation_.derivative(term.which, begin.lambda); break;
      default: values = evaluation_.derivative(term.which);
    }
    std::copy_n(values, term.values.size(), term.values.data());
  }
  return equations_.factor_chart();
}

bool DescriptorStage::factor(const StageWeights& weights) {
  values_.clear();
  values_.push_back({mass_.data()});
  for (const Term& term : terms_) {
    values_.push_back({term.values.data(), term.sign * (term.weight ? weights.*term.weight : 1.0)});
  }
  return solver_.factor(values_, constraint_.data()).ok;
}

bool DescriptorStage::correct(VectorOut unknown, State& stage) {
  const dae::Structure& s = equations_.structure();
  // The accelerations are those of the unknown, their dependent part as it is.
  equations_.chart().reduce(stage.a, correction_.head(n_w_));
  correction_.head(n_w_) = unknown.head(n_w_) - correction_.head(n_w_);
  equations_.chart().add_extended(correction_.head(n_w_), stage.a);
  stage.x_rate = unknown.tail(n_x_);
  set_y(unknown);
  if (!equations_.recover(t_, y_, stage)) return false;
  evaluation_.set_velocity(stage.v);
  for (int sweep = 0; sweep <= kSweeps && m_ > 0; ++sweep) {
    lower_ = evaluation_.acceleration_bias();
    s.jacobian.add_product(evaluation_.jacobian(), stage.a, -1, lower_);
    if (sweep == kSweeps) break;
    equations_.chart().solve(lower_, work_);
    stage.a += work_;
  }
  evaluation_.set_acceleration(stage.a);
  evaluation_.set_lambda(stage.lambda);
  evaluation_.set_x_rate(stage.x_rate);
  auto balance = upper_.head(n_v_);
  balance = evaluation_.force();
  s.mass.add_product(evaluation_.mass(), stage.a, -1, balance);
  if (m_ > 0) s.jacobian.add_transposed_product(evaluation_.jacobian(), stage.lambda, -1, balance);
  for (int sweep = 0; sweep < kSweeps && m_ > 0 && !s.force_depends_on_lambda(); ++sweep) {
    equations_.chart().solve_transposed(balance, lambda_step_);
    stage.lambda += lambda_step_;
    s.jacobian.add_transposed_product(evaluation_.jacobian(), lambda_step_, -1, balance);
  }
  if (n_x_ > 0) upper_.tail(n_x_) = -evaluation_.state_residual();
  solver_.solve(upper_, lower_);
  stage.a += upper_.head(n_v_);
  stage.lambda += lower_;
  equations_.chart().reduce(upper_.head(n_v_), correction_.head(n_w_));
  correction_.tail(n_x_) = upper_.tail(n_x_);
  unknown += correction_;
  return std::isfinite(upper_.sum() + lower_.sum());
}

/// (2) for the accelerations of the filtered error, moved along the constraints:
///   e_w' = d_w' + c alpha, e_w = d_w + c e_w', with alpha the change of accelerations that e brings about.
void DescriptorStage::filter(VectorOut error) {
  const dae::Structure& s = equations_.structure();
  const double c = weights_.v;
  kinematics::Parametrisation& chart = equations_.chart();
  correction_.head(n_w_) = error.head(n_w_) + c * error.segment(n_w_, n_w_);
  // Along the constraints where the chart is factorised: the difference to the position of (2) is of higher order.
  equations_.extend(correction_.head(n_w_), along_q_);
  equations_.extend(error.segment(n_w_, n_w_), along_v_);
  upper_.setZero();
  lower_.setZero();
  for (const Term& term : terms_) {
    const linalg::Pattern& pattern = s.pattern(term.which);
    VectorOut target = term.row == 0            ? VectorOut(upper_.head(n_v_))
                       : term.row < n_v_ + n_x_ ? VectorOut(upper_.tail(n_x_))
                                                : VectorOut(lower_);
    if (term.weight == &StageWeights::q) pattern.add_product(term.values.data(), along_q_, -term.sign, target);
    if (term.weight == &StageWeights::v) pattern.add_product(term.values.data(), along_v_, -term.sign, target);
    if (term.weight == &StageWeights::x) pattern.add_product(term.values.data(), error.tail(n_x_), -term.sign, target);
  }
  solver_.solve(upper_, lower_);
  chart.reduce(upper_.head(n_v_), correction_.head(n_w_));
  error.segment(n_w_, n_w_) += c * correction_.head(n_w_);
  error.head(n_w_) += c * error.segment(n_w_, n_w_);
  error.tail(n_x_) += c * upper_.tail(n_x_);
}

}  // namespace trammel::integrators
