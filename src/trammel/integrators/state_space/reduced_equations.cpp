#include "trammel/integrators/state_space/reduced_equations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::State;
using kkt::AccelerationStatus;

namespace {

// What recovery leaves, relative to the error weights. Errors of recovered positions act like errors of w, also on
// stiff systems, so that a hundredth of Newton's own tolerance is never seen.
constexpr double kRecovered = 1e-5;
constexpr int kMaxIterations = 8;
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();

constexpr double kRecoveredOfFixedSteps = 1e-9;

// The wear of given coordinates that failures are put down to, and a condition with which nothing can be computed.
constexpr double kBad = 50, kUseless = 1e10;

math::NewtonOptions recovery_options(const MethodContext& context, double floor) {
  return {.max_iterations = context.has_fixed_step ? 2 * kMaxIterations : kMaxIterations,
          .tolerance = context.has_fixed_step ? kRecoveredOfFixedSteps : kRecovered,
          .max_rate = 0.5,
          .floor = floor};
}

}  // namespace

ReducedEquations::ReducedEquations(const MethodContext& context, const ChartOptions& options)
    : context_(context),
      evaluation_(context.evaluation),
      options_(options),
      chart_(kinematics::make_parametrisation(options.kind, evaluation_.structure().jacobian, options.independent)),
      n_v_(evaluation_.structure().n_v()),
      n_w_(chart_->dimension()),
      n_x_(evaluation_.structure().n_x()),
      m_(evaluation_.structure().m()) {
  residual_ = Vector::Zero(m_);
  step_ = guess_ = q_error_ = v_error_ = Vector::Zero(n_v_);
  w_work_ = Vector::Zero(n_w_);
  jacobian_at_factor_ = kept_jacobian_ = Vector::Zero(structure().jacobian.size());
}

kinematics::ChartChoice ReducedEquations::choose_chart(const State& at) {
  evaluation_.set_position(at.t, at.q);
  evaluation_.set_x(at.x);
  status_ = AccelerationStatus::kSolved;
  recovery_failed_ = false;
  is_kept_ = false;
  std::copy_n(evaluation_.jacobian(), jacobian_at_factor_.size(), jacobian_at_factor_.data());
  ++factorizations_;
  const kinematics::ChartChoice choice = chart_->choose(evaluation_.jacobian());
  chart_failed_ = choice == kinematics::ChartChoice::kSingular;
  if (chart_failed_) return choice;
  const double condition = chart_->calc_condition();
  const bool is_given = !options_.independent.empty();
  chart_failed_ = is_given && !(condition < kUseless);
  if (chart_failed_) return kinematics::ChartChoice::kSingular;
  first_condition_ = is_given && chart_changes_ >= 0 ? std::min(first_condition_, condition) : condition;
  if (choice == kinematics::ChartChoice::kAnother) ++chart_changes_;
  return choice;
}

bool ReducedEquations::factor_chart() {
  is_kept_ = false;
  std::copy_n(evaluation_.jacobian(), jacobian_at_factor_.size(), jacobian_at_factor_.data());
  ++factorizations_;
  if (chart_->factor(evaluation_.jacobian()).ok) return true;
  recovery_failed_ = true;
  return false;
}

void ReducedEquations::add_counts(Statistics& statistics) const {
  if (m_ > 0) statistics.linear.factorizations += factorizations_;
}

void ReducedEquations::keep_chart() {
  kept_jacobian_ = jacobian_at_factor_;
  is_kept_ = true;
}

bool ReducedEquations::return_to_kept_chart() {
  if (is_kept_) return true;
  jacobian_at_factor_ = kept_jacobian_;
  ++factorizations_;
  is_kept_ = chart_->factor(kept_jacobian_.data()).ok;
  recovery_failed_ = !is_kept_;
  return is_kept_;
}

bool ReducedEquations::is_chart_worn() {
  if (m_ == 0 || !options_.independent.empty()) return false;
  return chart_->calc_condition() > options_.max_condition_growth * first_condition_;
}

double ReducedEquations::calc_wear() {
  return m_ == 0 || options_.independent.empty() ? 1 : chart_->calc_condition() / first_condition_;
}

void ReducedEquations::reduce(const State& state, VectorOut y) const {
  chart_->reduce(state.q, y.head(n_w_));
  chart_->reduce(state.v, y.segment(n_w_, n_w_));
  y.tail(n_x_) = state.x;
}

/// Y^T q = w; the rest of q stays.
void ReducedEquations::set_independent(VectorIn w, Vector& q) {
  chart_->reduce(q, w_work_);
  w_work_ = w - w_work_;
  chart_->add_extended(w_work_, q);
}

bool ReducedEquations::recover(double t, VectorIn y, State& state, Recovery recovery) {
  state.t = t;
  state.x = y.tail(n_x_);
  status_ = AccelerationStatus::kSolved;
  recovery_failed_ = false;
  evaluation_.set_x(state.x);
  return recover_position(state, y.head(n_w_), recovery) && recover_velocity(state, y.segment(n_w_, n_w_), recovery);
}

bool ReducedEquations::recover_position(State& state, VectorIn w, Recovery recovery) {
  set_independent(w, state.q);
  evaluation_.set_position(state.t, state.q);
  if (m_ == 0) return true;
  guess_ = state.q;
  const linalg::Vector& weights = context_.norm.q_weights();
  const auto norm = [&](VectorIn v) {
    return std::sqrt(v.cwiseQuotient(weights).squaredNorm() / static_cast<double>(n_v_));
  };
  const auto correct = [&] {
    evaluation_.set_position(state.t, state.q);
    chart_->solve(evaluation_.constraint(), step_);
    state.q -= step_;
    return norm(step_);
  };
  const double floor = 4 * kRoundOff * norm(state.q);
  math::NewtonOutcome outcome = math::iterate_newton(correct, recovery_options(context_, floor), 0.1);
  if (!outcome.converged()) {
    // The factors may be of another position: once more with those of this one, or of the guess, when they led astray.
    if (outcome.status != math::NewtonStatus::kTooSlow) state.q = guess_;
    evaluation_.set_position(state.t, state.q);
    if (!factor_chart()) return false;
    outcome = math::iterate_newton(correct, recovery_options(context_, floor), 0.1);
  }
  recovery_failed_ = !outcome.converged();
  if (recovery_failed_) return false;
  evaluation_.set_position(state.t, state.q);
  if (recovery == Recovery::kTight) {
    if (!factor_chart()) return false;
    double size = correct();
    for (int k = 0; k < kMaxIterations && size > floor; ++k) {
      const double next = correct();
      if (!(next < 0.5 * size)) break;
      size = next;
    }
    evaluation_.set_position(state.t, state.q);
  }
  return true;
}

bool ReducedEquations::recover_velocity(State& state, VectorIn w_rate, Recovery recovery) {
  set_independent(w_rate, state.v);
  if (m_ == 0) return true;
  const linalg::Vector& weights = context_.norm.v_weights();
  const auto norm = [&](VectorIn v) {
    return std::sqrt(v.cwiseQuotient(weights).squaredNorm() / static_cast<double>(n_v_));
  };
  const auto correct = [&] {
    residual_ = evaluation_.velocity_offset();
    structure().jacobian.add_product(evaluation_.jacobian(), state.v, 1, residual_);
    chart_->solve(residual_, step_);
    state.v -= step_;
    return norm(step_);
  };
  const double floor = 4 * kRoundOff * norm(state.v);
  if (recovery == Recovery::kTight) {  // the factors are those of this position
    for (int k = 0; k < 3 && correct() > floor; ++k) {
    }
    return true;
  }
  math::NewtonOutcome outcome = math::iterate_newton(correct, recovery_options(context_, floor), 0.1);
  if (!outcome.converged() && outcome.status != math::NewtonStatus::kFailed) {
    if (!factor_chart()) return false;
    outcome = math::iterate_newton(correct, recovery_options(context_, floor), 0.1);
  }
  recovery_failed_ = !outcome.converged();
  return !recovery_failed_;
}

bool ReducedEquations::eval(double t, VectorIn y, State& state, Recovery recovery) {
  return recover(t, y, state, recovery) && eval_accelerations(state);
}

bool ReducedEquations::eval_accelerations(State& state) {
  evaluation_.set_position(state.t, state.q);
  evaluation_.set_x(state.x);
  status_ = context_.accelerations.factor_position();
  if (status_ != AccelerationStatus::kSolved) return false;
  evaluation_.set_velocity(state.v);
  status_ = context_.accelerations.solve(state);
  state.a = evaluation_.point().a;
  state.lambda = evaluation_.point().lambda;
  state.x_rate = evaluation_.point().x_rate;
  return status_ == AccelerationStatus::kSolved;
}

void ReducedEquations::calc_rate(const State& state, VectorOut rate) const {
  chart_->reduce(state.v, rate.head(n_w_));
  chart_->reduce(state.a, rate.segment(n_w_, n_w_));
  rate.tail(n_x_) = state.x_rate;
}

void ReducedEquations::extend_error(VectorIn error, Vector& q_error, Vector& v_error) {
  if (measures_independent_) {
    q_error.setZero();
    v_error.setZero();
    chart_->add_extended(error.head(n_w_), q_error);
    chart_->add_extended(error.segment(n_w_, n_w_), v_error);
    return;
  }
  extend(error.head(n_w_), q_error);
  extend(error.segment(n_w_, n_w_), v_error);
}

double ReducedEquations::calc_norm(VectorIn error) {
  extend_error(error, q_error_, v_error_);
  const double norm = context_.norm.calc(q_error_, v_error_, error.tail(n_x_));
  if (!measures_independent_) return norm;
  // The mean over what is measured.
  return norm * std::sqrt(static_cast<double>(2 * n_v_ + n_x_) / std::max(size(), 1));
}

std::string ReducedEquations::find_worst(VectorIn error) {
  extend_error(error, q_error_, v_error_);
  return context_.norm.find_worst(structure(), q_error_, v_error_, error.tail(n_x_));
}

/// What is wrong with coordinates that the user has given; empty when nothing is.
std::string ReducedEquations::describe_given() {
  if (options_.independent.empty()) return {};
  if (!chart_failed_ && calc_wear() < kBad) return {};
  std::vector<std::string> names;
  for (const int k : options_.independent) names.push_back(structure().position_names[static_cast<std::size_t>(k)]);
  return fmt::format(
      "the independent coordinates that are given ({}) hardly determine the others at this position; give others, or "
      "leave the choice to the program",
      fmt::join(names, ", "));
}

std::string ReducedEquations::describe_trouble() {
  if (std::string trouble = describe_given(); !trouble.empty()) return trouble;
  if (chart_failed_) {
    const std::string singularity = kinematics::describe_near_singularity(evaluation_);
    return "no coordinates are independent here" + (singularity.empty() ? "" : ": " + singularity);
  }
  if (status_ != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation_, status_);
  if (!recovery_failed_) return {};
  Eigen::Index worst = 0;
  const Vector& g = evaluation_.constraint();
  if (!std::isfinite(g.sum())) return kinematics::describe_failure(evaluation_, AccelerationStatus::kNotFinite);
  g.cwiseAbs().maxCoeff(&worst);
  return "the dependent coordinates could not be found from the constraints; the worst is " +
         dae::quoted(structure().constraint_names[static_cast<std::size_t>(worst)]);
}

std::string ReducedEquations::describe_chart() const {
  if (n_w_ == 0) return fmt::format("the constraints determine all {} coordinates", n_v_);
  return chart_->describe(structure());
}

}  // namespace trammel::integrators
