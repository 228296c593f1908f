#include "trammel/integrators/state_space/sdirk_method.h"

#include "trammel/integrators/state_space/descriptor_stage.h"
#include "trammel/integrators/tableaus/dense_weight.h"

namespace trammel::integrators {

std::unique_ptr<StageEquations> make_stage_equations(Formulation formulation, const MethodContext& context,
                                                     ReducedEquations& equations, const StateSpaceOptions& options) {
  if (formulation == Formulation::kDescriptor) {
    return std::make_unique<DescriptorStage>(context, equations, options.stage);
  }
  const ResidualKind residual =
      formulation == Formulation::kStateSpace ? ResidualKind::kStateSpace : ResidualKind::kFirstOrder;
  return std::make_unique<ReducedStage>(context, equations, residual, options.jacobian, options.stage);
}

SdirkMethod::SdirkMethod(const MethodContext& context, const Sdirk& tableau, Formulation formulation,
                         const StateSpaceOptions& options)
    : StateSpaceMethod(context, options),
      tableau_(tableau),
      stages_(make_stage_equations(formulation, context, equations_, options)) {
  rates_ = last_rates_ = Eigen::MatrixXd::Zero(equations_.size(), tableau.stages);
  known_ = Vector::Zero(equations_.size());
  unknown_ = Vector::Zero(n_w_ + n_x_);
}

void SdirkMethod::begin_anew() {
  stages_->note_restart();
  last_h_ = 0;
}

/// w'' and x' of stage i, from the stages before it; of the first one from the last step; of the last one from the
/// embedded formula, which needs no last stage.
void SdirkMethod::predict(int i, double h) {
  const auto rates = [&](const Eigen::MatrixXd& k, int j) { return k.col(j).tail(n_w_ + n_x_); };
  const auto c = [&](int j) { return tableau_.c[static_cast<std::size_t>(j)]; };
  const int last = tableau_.stages - 1;
  if (i == 0 && last_h_ == 0) {
    equations_.chart().reduce(state_.a, unknown_.head(n_w_));
    unknown_.tail(n_x_) = state_.x_rate;
  } else if (i == 0) {
    const double ahead = c(0) * h / last_h_ / (1 - c(1));
    unknown_ = (1 + ahead) * rates(last_rates_, last) - ahead * rates(last_rates_, 1);
  } else if (i == last) {
    unknown_.setZero();
    for (int j = 0; j < last; ++j) {
      const std::size_t k = static_cast<std::size_t>(j);
      unknown_ += ((tableau_.b[k] - tableau_.e[k] - a(i, j)) / tableau_.gamma) * rates(rates_, j);
    }
  } else if (i == 1) {
    unknown_ = rates(rates_, 0);
  } else {
    const double share = (c(i) - c(0)) / (c(1) - c(0));
    unknown_ = (1 - share) * rates(rates_, 0) + share * rates(rates_, 1);
  }
}

bool SdirkMethod::advance(double h) {
  const double c = tableau_.gamma * h;
  if (!stages_->prepare(state_, StageWeights::of_first_order(c))) return false;
  for (int i = 0; i < tableau_.stages; ++i) {
    known_ = y_;
    for (int j = 0; j < i; ++j) known_ += (h * a(i, j)) * rates_.col(j);
    predict(i, h);
    const double ahead = tableau_.c[static_cast<std::size_t>(i)] * h;
    if (i == 0) {
      stage_.a = state_.a;
      stage_.lambda = state_.lambda;
      stage_.x_rate = state_.x_rate;
    }
    predict_state(ahead, stage_);
    auto rate = rates_.col(i);
    // w = w_* + c w' with w' = w'_* + c w''
    known_.head(n_w_) += c * known_.segment(n_w_, n_w_);
    if (!stages_->solve(context_.end_of_step(state_.t, ahead), known_, unknown_, stage_)) return false;
    rate.head(n_w_) = known_.segment(n_w_, n_w_) + c * unknown_.head(n_w_);
    rate.tail(n_w_ + n_x_) = unknown_;
  }
  // The last stage is the end of the step.
  const auto rate = rates_.col(tableau_.stages - 1);
  y_trial_ = known_;
  y_trial_.head(n_w_) += (c * c) * rate.segment(n_w_, n_w_);
  y_trial_.tail(n_w_ + n_x_) += c * rate.tail(n_w_ + n_x_);
  error_.setZero();
  for (int i = 0; i < tableau_.stages; ++i) error_ += (h * tableau_.e[static_cast<std::size_t>(i)]) * rates_.col(i);
  if (options_.filters_error) stages_->filter(error_);
  return true;
}

void SdirkMethod::note_accepted() {
  stages_->note_accepted_step();
  last_rates_.swap(rates_);
  last_h_ = h_;
}

void SdirkMethod::interpolate_reduced(double theta, VectorOut y) {
  y = y_begin_;
  for (int i = 0; i < tableau_.stages; ++i) {
    const double weight = eval_dense_weight(dense_row(tableau_.dense, i, tableau_.dense_degree), theta);
    y += (h_ * weight) * last_rates_.col(i);
  }
}

}  // namespace trammel::integrators
