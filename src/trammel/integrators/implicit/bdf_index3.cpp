#include "trammel/integrators/implicit/bdf_index3.h"

#include <utility>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/implicit/first_order_equations.h"
#include "trammel/integrators/implicit/step_equations.h"

namespace trammel::integrators {

using kkt::AccelerationStatus;

namespace {

std::unique_ptr<ImplicitStep> make_equations(const MethodContext& context, const BdfIndex3Options& options) {
  if (options.form == BdfForm::kFirstOrder) {
    return std::make_unique<FirstOrderEquations>(context, context.norm, options.equations);
  }
  return std::make_unique<StepEquations>(context, context.norm, options.equations);
}

}  // namespace

BdfIndex3::BdfIndex3(const MethodContext& context, const BdfIndex3Options& options)
    : BdfMethod(context, options, make_equations(context, options)),
      options_(options),
      shifts_(options.projects && n_g_ > 0) {
  known_ = across_ = across_before_ = across_next_ = upper_ = Vector::Zero(n_v_);
  lower_ = Vector::Zero(m_);
}

void BdfIndex3::note_begin() {
  if (!shifts_) return;
  across_ = state_.a;
  evaluation_.set(state_);
  const bool is_first_order = order() == 1;  // v' is known, higher derivatives are not
  if (is_first_order && context_.accelerations.factor_position() == AccelerationStatus::kSolved) {
    set_across(across_);
  } else {
    across_.setZero();
  }
}

/// Leaves of a vector its part across the holonomic constraints. The metric is factorised at the evaluation's position.
void BdfIndex3::set_across(Vector& derivative) {
  lower_.setZero();
  evaluation_.structure().jacobian.add_product(evaluation_.jacobian(), derivative, 1, lower_);
  lower_.tail(m_ - n_g_).setZero();
  upper_.setZero();
  context_.accelerations.metric().solve(upper_, lower_);
  derivative = upper_;
}

/// By (3).
bool BdfIndex3::solve() {
  const double c = 1 / history_.leading_coefficient();
  const double scale = history_.error_constant();
  known_ = (predicted_q() - state_.q) + c * (known_v_ - rate_.head(n_v_));
  if (shifts_) known_ += (c * history_.defect()) * across_;
  if (std::exchange(begin_is_new_, false)) equations_->set_begin(state_);
  equations_->set_known(trial_.t, known_, known_v_, known_x_);
  equations_->set_prediction(predicted_a(), predicted_lambda(), predicted_x_rate());
  return equations_->solve({c * c, c, c, 0}, {scale, scale, scale});
}

/// What the options say about velocities and reactions.
bool BdfIndex3::complete() {
  if (!options_.projects && !options_.consistent_reactions) return true;
  trouble_ = context_.accelerations.factor_position();
  if (trouble_ != AccelerationStatus::kSolved) return false;
  if (options_.projects && m_ > 0) context_.projector.project_velocity(trial_.v);
  if (!options_.consistent_reactions) return true;
  trouble_ = complete_state(context_, trial_, trial_);
  return trouble_ == AccelerationStatus::kSolved;
}

double BdfIndex3::measure(Vector& deviation) {
  const ErrorNorm& norm = context_.norm;
  const auto q = deviation.head(n_v_);
  auto v = deviation.segment(n_v_, n_v_);
  if (options_.judges_velocities) return norm.calc(q, v, deviation.tail(n_x_));
  v.setZero();
  return norm.calc_without_velocities(q, deviation.tail(n_x_));
}

void BdfIndex3::note_judged() {
  if (!shifts_) return;
  history_.calc_derivative(next_order(), stacked_.head(n_y_), work_);
  across_next_ = work_.segment(n_v_, n_v_);
  set_across(across_next_);
}

void BdfIndex3::accept() {
  BdfMethod::accept();
  std::swap(across_before_, across_);
  std::swap(across_, across_next_);
}

bool BdfIndex3::undo() {
  std::swap(across_, across_before_);
  return BdfMethod::undo();
}

}  // namespace trammel::integrators
