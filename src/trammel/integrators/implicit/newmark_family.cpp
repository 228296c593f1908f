#include "trammel/integrators/implicit/newmark_family.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trammel/integrators/continuous_solution.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::Derivative;
using dae::State;
using kkt::AccelerationStatus;
using linalg::Vector;

namespace {

// The next step aims at an error of kSafety^3, and heeds how the last errors grew (kTrend). Of safety 0.8 to 0.9, trend
// 0 to 1 and growth 1 to 1.2 on five cases at 1e-4 and 1e-6, these keep rejected steps below 5 percent at 1e-6 (0.9
// and no trend: 5 to 12) and the fewest matrices; the errors at equal steps are the same.
constexpr double kSafety = 0.8, kTrend = 0.5;
// A step that could grow by less than this is kept, and so is the matrix that belongs to it.
constexpr double kWorthGrowing = 1.2;
// A formula that hides its error (rho = 1/2) must not hide that of Newton's iteration.
constexpr double kLeastErrorConstant = 1.0 / 12;
// Steps below this size [s] are judged by their error alone, with a tolerance that is smaller by as much.
constexpr double kLeastUnit = 1e-6;
// Formula (3) looks back by alpha h: not farther than the last step.
constexpr double kMinFactor = 0.2, kMaxFactor = 2, kMaxFactorAfterRejection = 0.9;

}  // namespace

NewmarkFamily::NewmarkFamily(const MethodContext& context, const NewmarkOptions& options)
    : context_(context),
      evaluation_(context.evaluation),
      options_(options),
      n_v_(evaluation_.structure().n_v()),
      n_x_(evaluation_.structure().n_x()),
      m_(evaluation_.structure().m()),
      equations_(context, context.norm, options.equations),
      past_(n_v_ + m_ + n_x_, n_v_, options.max_predictor_degree),
      deviation_(n_v_ + m_, n_v_, options.max_predictor_degree) {
  const dae::Structure& s = evaluation_.structure();
  const std::vector<bool> is_algebraic = s.algebraic_states();
  std::vector<bool> is_led(static_cast<std::size_t>(n_x_), false);
  for (const Derivative which : {Derivative::kStateByA, Derivative::kStateByLambda}) {
    for (const linalg::Entry& e : s.pattern(which).entries()) is_led[static_cast<std::size_t>(e.row)] = true;
  }
  for (int i = 0; i < n_x_; ++i) {
    if (is_algebraic[static_cast<std::size_t>(i)]) {
      algebraic_.push_back(i);
    } else if (is_led[static_cast<std::size_t>(i)]) {
      led_by_reactions_.push_back(i);
    }
  }
  if (options.error == ErrorMeasure::kPaper) context.norm.set_rule(WeightRule::kLargestSeen);
  begin_ = state_ = trial_ = State::zero(s);
  a_begin_ = known_ = known_v_ = error_v_ = work_ = Vector::Zero(n_v_);
  rate_begin_ = known_x_ = error_x_ = Vector::Zero(n_x_);
  error_q_ = Vector::Zero(s.n_q());
  stacked_ = Vector::Zero(n_v_ + m_ + n_x_);
  deviations_ = Vector::Zero(n_v_ + m_);
}

void NewmarkFamily::start(const State& state) {
  state_ = state;
  past_.restart();
  deviation_.restart();
  past_.add(state.t, stack(state), context_.norm.v_weights());
  equations_.note_restart();
  h_next_.reset();
  last_error_ = 0;
  was_rejected_ = false;
  begin_is_set_ = false;
}

int NewmarkFamily::order() const {
  const bool is_second_order = std::abs(options_.alpha + options_.gamma - 0.5) < 1e-12;
  return options_.per_unit_step || !is_second_order ? 1 : 2;
}

Vector& NewmarkFamily::stack(const State& state) {
  stacked_ << state.a, state.lambda, state.x_rate;
  return stacked_;
}

/// The numbers of the step. Without a past there is nothing to weigh, and the first step is Newmark's.
void NewmarkFamily::set_formula(double h) {
  Formula& f = formula_;
  f = {.alpha = options_.alpha, .beta = options_.beta, .gamma = options_.gamma};
  const bool begins = past_.count() < 2 && options_.after_step != AfterStep::kNothing;
  if (begins && options_.alpha != 0) f = {};
  const double a = f.alpha;
  // Taylor series of (1)-(3) about t_0, see the theory page.
  f.error_q = a / 2 + f.beta - 1.0 / 6;
  f.error_v1 = a + f.gamma - 0.5;
  f.error_v = -a * (1 - f.gamma) / 2 + f.gamma * (1 + a) / 2 - 1.0 / 6;
  f.c_x = options_.rho > 0 ? options_.rho * h : f.gamma * (1 + a) * h;
}

void NewmarkFamily::set_known(double h) {
  const Formula& f = formula_;
  a_begin_ = state_.a;
  rate_begin_ = state_.x_rate;
  if (options_.after_step != AfterStep::kNothing && f.alpha != 0) {
    const double share = f.alpha * h / (past_.time(0) - past_.time(1));
    a_begin_ += share * (state_.a - past_.value(1).head(n_v_));
    rate_begin_ += share * (state_.x_rate - past_.value(1).tail(n_x_));
  }
  known_ = h * state_.v + (h * h * (0.5 - f.beta)) * a_begin_;
  known_v_ = state_.v + (h * (1 - f.gamma)) * a_begin_;
  if (options_.rho > 0) {
    known_x_ = state_.x + (h - f.c_x) * state_.x_rate;
  } else {
    known_x_ = state_.x + (h * (1 - f.gamma)) * rate_begin_ - (h * f.gamma * f.alpha) * state_.x_rate;
  }
  for (const int i : algebraic_) known_x_[i] = state_.x[i];
  equations_.set_known(context_.end_of_step(state_.t, h), known_, known_v_, known_x_);
}

void NewmarkFamily::predict(double h) {
  past_.predict(state_.t + h, stacked_);
  if (options_.after_step != AfterStep::kNothing) {
    // What is extrapolated belongs to t_1, the unknown to t_1 + alpha h.
    stacked_.head(n_v_) += formula_.alpha * (stacked_.head(n_v_) - state_.a);
    if (deviation_.count() > 0) {
      deviation_.predict(state_.t + h, deviations_);
      stacked_.head(n_v_ + m_) += h * deviations_;
    }
  }
  // The unknown of an algebraic state is its change over c_x, not over h.
  for (const int i : algebraic_) stacked_[n_v_ + m_ + i] *= h / formula_.c_x;
  equations_.set_prediction(stacked_.head(n_v_), stacked_.segment(n_v_, m_), stacked_.tail(n_x_));
}

StepOutcome NewmarkFamily::attempt(double h) {
  h_ = h;
  set_formula(h);
  const Formula& f = formula_;
  if (!std::exchange(begin_is_set_, true)) equations_.set_begin(state_);
  set_known(h);
  predict(h);
  const StepCoefficients c{f.beta * h * h, f.gamma * h, f.c_x, -f.alpha / (1 + f.alpha)};
  // As the error estimates depend on the unknowns.
  const bool with_velocities = options_.error == ErrorMeasure::kAll;
  const double error_x = options_.rho > 0 ? options_.rho - 0.5 : f.error_v;
  const CorrectionScale scale{std::abs(f.error_q) / f.beta, with_velocities ? std::abs(f.error_v) / f.gamma : 0.0,
                              std::max(std::abs(error_x), kLeastErrorConstant) * h / f.c_x};
  trouble_ = AccelerationStatus::kSolved;
  newton_failed_ = !equations_.solve(c, scale);
  if (newton_failed_) return {StepStatus::kNotSolved};
  trial_ = equations_.trial();
  for (const int i : algebraic_) trial_.x_rate[i] = (trial_.x[i] - state_.x[i]) / h;
  context_.norm.set_weights(state_, trial_);
  if (!complete()) return {StepStatus::kNotSolved};
  double error = options_.error == ErrorMeasure::kPaper ? calc_error_of_paper(h) : calc_error(h);
  // Behind a jump the error per unit step does not fall with the step; what is tiny in itself must pass.
  if (options_.per_unit_step) error /= std::max(h, kLeastUnit);
  choose_next_step(h, error);
  return {StepStatus::kSolved, error};
}

/// What the option after_step says.
bool NewmarkFamily::complete() {
  evaluation_.set_position(trial_.t, trial_.q);
  evaluation_.set_x(trial_.x);
  trial_.x = evaluation_.follow_position();
  if (options_.after_step == AfterStep::kNothing) return true;
  trouble_ = context_.accelerations.factor_position();
  if (trouble_ != AccelerationStatus::kSolved) return false;
  if (options_.after_step == AfterStep::kProject && m_ > 0) context_.projector.project_velocity(trial_.v);
  trouble_ = complete_state(context_, trial_, trial_);
  correct_states();
  return trouble_ == AccelerationStatus::kSolved;
}

/// Rates that depend on accelerations or reactions were those of the unknowns of (2), which are of first order only.
void NewmarkFamily::correct_states() {
  for (const int i : led_by_reactions_) {
    trial_.x[i] += formula_.c_x * (trial_.x_rate[i] - equations_.trial().x_rate[i]);
  }
}

double NewmarkFamily::calc_error(double h) {
  const Formula& f = formula_;
  const dae::Structure& s = evaluation_.structure();
  // Positions: error_q h^3 a', with a' from both ends.
  work_ = trial_.a - state_.a;
  error_v_ = (f.error_v1 * h) * work_;
  error_x_ = ((options_.rho > 0 ? options_.rho - 0.5 : f.error_v1) * h) * (trial_.x_rate - state_.x_rate);
  work_ *= f.error_q * h * h;
  if (options_.after_step != AfterStep::kNothing) add_curvature(h);
  for (const int i : algebraic_) error_x_[i] = 0;
  if (options_.filters_error) {
    const double weight = 1 / (1 + f.alpha);
    const auto filter = [&](Vector& error) {
      known_.setZero();
      s.mass.add_product(evaluation_.mass(), error, weight, known_);
      error = known_;
      equations_.filter(error);
    };
    filter(work_);
    if (options_.error == ErrorMeasure::kAll) filter(error_v_);
  }
  evaluation_.system().calc_position_rate(trial_.q, work_, error_q_);
  if (options_.error == ErrorMeasure::kAll) return context_.norm.calc(error_q_, error_v_, error_x_);
  error_v_.setZero();
  return context_.norm.calc_without_velocities(error_q_, error_x_);
}

/// The error of velocities and states, error_v h^3 a'', with a'' from three points. Without a past the whole change of
/// a stands for it: too much by 1/h, for one step.
void NewmarkFamily::add_curvature(double h) {
  const bool has_past = past_.count() > 1;
  const double before = has_past ? past_.time(0) - past_.time(1) : h;
  const double scale = 2 * formula_.error_v * h * h / (h + before);
  error_v_ += scale * (trial_.a - state_.a);
  if (has_past) error_v_ -= (scale * h / before) * (state_.a - past_.value(1).head(n_v_));
  if (options_.rho > 0) return;
  error_x_ += scale * (trial_.x_rate - state_.x_rate);
  if (has_past) error_x_ -= (scale * h / before) * (state_.x_rate - past_.value(1).tail(n_x_));
}

/// (25), (33) and (34) of the HHT paper.
double NewmarkFamily::calc_error_of_paper(double h) {
  const Formula& f = formula_;
  error_v_.setZero();
  work_ = ((f.beta - 1 / (6 * (1 + f.alpha))) * h * h) * (equations_.trial().a - a_begin_);
  evaluation_.system().calc_position_rate(trial_.q, work_, error_q_);
  const double rho = f.c_x / h;
  error_x_ = ((rho - 0.5) * h) * (trial_.x_rate - state_.x_rate);
  for (const int i : algebraic_) error_x_[i] = 0;
  e_q_ = context_.norm.calc_without_velocities(error_q_, Vector());
  e_x_ = n_x_ > 0 ? context_.norm.calc_without_velocities(Vector(), error_x_) : 0;
  return e_q_ > e_x_ || std::isnan(e_q_) ? e_q_ : e_x_;
}

void NewmarkFamily::choose_next_step(double h, double error) {
  const double exponent = 1.0 / (order() + 1);
  const double size = std::max(error, 1e-10);
  double factor = kSafety * std::pow(size, -exponent);
  if (options_.error == ErrorMeasure::kPaper && e_x_ > 0) {
    // (37b) and (38b) of the paper: its error of states goes like h^2.
    factor = kSafety * std::min(std::pow(std::max(e_q_, 1e-10), -exponent), std::pow(e_x_, -0.5));
  }
  if (error <= 1) {
    if (last_error_ > 0) factor *= std::pow(last_error_ / size, kTrend * exponent);
    last_error_ = size;
    factor = std::clamp(factor, kMinFactor, kMaxFactor);
    if (factor > 1 && (factor < kWorthGrowing || was_rejected_)) factor = 1;
  } else {
    factor = std::isfinite(error) ? std::clamp(factor, kMinFactor, kMaxFactorAfterRejection) : kMinFactor;
  }
  was_rejected_ = !(error <= 1);
  h_next_ = h * factor;
}

void NewmarkFamily::accept() {
  std::swap(begin_, state_);
  std::swap(state_, trial_);
  past_.add(state_.t, stack(state_), context_.norm.v_weights());
  if (options_.after_step != AfterStep::kNothing) {
    const State& solved = equations_.trial();
    const double alpha = formula_.alpha;
    deviations_.head(n_v_) = (solved.a - (1 + alpha) * state_.a + alpha * begin_.a) / h_;
    deviations_.tail(m_) = (solved.lambda - state_.lambda) / h_;
    deviation_.add(state_.t, deviations_, context_.norm.v_weights());
  }
  equations_.note_accepted_step();
  begin_is_set_ = false;
}

bool NewmarkFamily::undo() {
  std::swap(state_, begin_);
  past_.remove_newest();
  if (deviation_.count() > 0) deviation_.remove_newest();
  begin_is_set_ = false;
  return true;
}

void NewmarkFamily::interpolate(double t, State& out) {
  // Cubic polynomials through values and rates at both ends.
  const double h = state_.t - begin_.t, s = (t - begin_.t) / h;
  const double r0 = h * s * (1 - s) * (1 - s), r1 = -h * s * s * (1 - s), w1 = s * s * (3 - 2 * s), w0 = 1 - w1;
  out.t = t;
  const dae::ConstrainedSystem& system = evaluation_.system();
  out.q = w0 * begin_.q + w1 * state_.q;
  system.calc_position_rate(begin_.q, begin_.v, error_q_);
  out.q += r0 * error_q_;
  system.calc_position_rate(state_.q, state_.v, error_q_);
  out.q += r1 * error_q_;
  out.v = w0 * begin_.v + w1 * state_.v + r0 * begin_.a + r1 * state_.a;
  out.x = w0 * begin_.x + w1 * state_.x + r0 * begin_.x_rate + r1 * state_.x_rate;
}

std::string NewmarkFamily::describe_trouble() {
  if (newton_failed_) return equations_.describe_trouble();
  if (trouble_ != AccelerationStatus::kSolved) return kinematics::describe_failure(evaluation_, trouble_);
  return "the largest error is that of " +
         context_.norm.find_worst(evaluation_.structure(), error_q_, error_v_, error_x_);
}

}  // namespace trammel::integrators
