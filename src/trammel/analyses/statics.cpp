#include "trammel/analyses/statics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/analyses/checks.h"
#include "trammel/analyses/equilibrium.h"

namespace trammel::analyses {

using linalg::largest_abs;

namespace {

constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
constexpr int kMaxHalvings = 12;
// Iterations to put a step back onto the constraints; a step that needs more is too long.
constexpr int kMaxClosing = 15;
// The shift that keeps Newton's matrix regular, relative to the stiffness: it falls with the residual, which leaves the
// convergence quadratic (Yamashita and Fukushima 2001), down to what only a singular matrix feels.
constexpr double kLargestShift = 1e-6, kLeastShift = 1e-14;
// Load stepping: first and least step, iterations that a step may take.
constexpr double kFirstLoadStep = 0.1, kLeastLoadStep = 1e-3;
constexpr int kLoadIterations = 20, kMaxLoadSteps = 100;
// Relaxation: way of the first step in `length` of the metric, residual (relative) that is left to Newton's iteration,
// how much of the way that iteration may go, and the size up to which the lowest curvature is computed in every step.
constexpr double kFirstRelaxation = 0.1, kRelaxed = 1e-7, kPolishRange = 0.2;
constexpr int kCurvatureSize = 120;
constexpr double kShorter = 0.3;  // factor of the shift after a step that could have been longer
// Pushes away from an unstable equilibrium, in radians or `length` of the metric.
constexpr double kFirstPush = 0.02;
// Work against the forces along a step, relative to its length and the largest force, that counts as climbing; and the
// gain of energy, relative to force and size. Both are far above round-off.
constexpr double kClimbing = 1e-6;
constexpr double kDistinct = 1e-4;  // distance of two equilibria, relative to the size
constexpr int kMaxPushes = 4;

/// One search, from the assembled position to the result.
class Search {
 public:
  Search(const dae::ConstrainedSystem& system, const dae::State& start, const StaticsOptions& options)
      : options_(options),
        evaluation_(system),
        metric_((evaluation_.set(start), make_metric(evaluation_, options.assembly.metric))),
        equations_(evaluation_, metric_),
        positions_(evaluation_, metric_, {.tolerance = options.assembly.tolerance}) {
    start_.state = start;
    start_.moved = Vector::Zero(system.structure().n_v());
  }

  StaticsResult execute();

 private:
  bool find_any(RestState& at);
  bool iterate_newton(RestState& at, int max_iterations);
  bool step_loads(RestState& at);
  bool relax(RestState& at);
  bool relax_and_polish(RestState& at);

  bool is_converged(const RestState& at);
  bool attempt_factor(double shift);
  bool search_line(RestState& at, double force_unit);
  bool attempt_relaxation(RestState& at, double& shift);
  bool attempt_move(const RestState& from, double share, RestState& to);
  bool close(RestState& at);
  double calc_largest_share() const;
  double calc_lowest_curvature();

  void judge(const RestState& at);
  bool is_uphill(const RestState& at);
  bool descend_from_start(RestState& at);
  void choose_downhill(RestState& at);
  void leave_unstable(RestState& at);
  bool push(const RestState& from, double way, RestState& to);
  void report_failure(const RestState& at);
  double calc_size(const RestState& at) const { return std::max(metric_.length, largest_abs(at.state.q)); }

  const StaticsOptions& options_;
  dae::Evaluation evaluation_;
  CoordinateMetric metric_;
  EquilibriumEquations equations_;
  PositionSolver positions_;
  StaticsResult result_;
  RestState start_;
  bool climbed_ = false;  // some step of Newton's iteration went against the forces
  double peak_ = 0;       // of the force scale, so that forces that vanish in equilibrium are judged by what they were
  Vector delta_, delta_lambda_, delta_x_;
};

/// Puts a position back onto the constraints.
bool Search::close(RestState& at) {
  if (!positions_.close(at.state.t, at.state.q, at.moved, kMaxClosing).closed) return false;
  evaluation_.set(at.state);
  at.state.x = evaluation_.follow_position();
  return true;
}

/// A share of the step, put back onto the constraints, with the residuals there. Multipliers are those of least
/// squares: where rows depend on each other, those of the step would grow without bound.
bool Search::attempt_move(const RestState& from, double share, RestState& to) {
  to = from;
  evaluation_.system().retract(from.state.q, share * delta_, to.state.q);
  to.moved += share * delta_;
  to.state.lambda += share * delta_lambda_;
  to.state.x += share * delta_x_;
  if (!close(to)) return false;
  if (!evaluation_.structure().force_depends_on_lambda() && !equations_.estimate_multipliers(to)) return false;
  return equations_.eval_residuals(to);
}

/// The share of the step that the limits allow: angles by max_rotation, and nothing leaves the neighbourhood at once.
double Search::calc_largest_share() const {
  const double rotation = metric_.largest_rotation(delta_), way = metric_.largest(delta_);
  double share = 1;
  if (rotation > options_.max_rotation) share = options_.max_rotation / rotation;
  const double range = 10 * calc_size(start_);
  return way > range ? std::min(share, range / way) : share;
}

/// eval_residuals() and eval_matrices() were called at this state.
bool Search::is_converged(const RestState& at) {
  const double size = calc_size(at);
  const double allowed = options_.tolerance * peak_ + 16 * kRoundOff * equations_.stiffness_scale() * size;
  return equations_.force_error() <= allowed &&
         equations_.constraint_error() <= options_.assembly.tolerance + 64 * kRoundOff * size &&
         equations_.state_error() <= options_.tolerance * std::max(1.0, largest_abs(at.state.x));
}

bool Search::attempt_factor(double shift) {
  for (int attempt = 0; attempt < 7; ++attempt, shift *= 100) {
    if (equations_.factor(shift, 0).ok) return true;
  }
  return false;
}

bool Search::search_line(RestState& at, double force_unit) {
  const double before = equations_.calc_merit(force_unit);
  double share = calc_largest_share();
  RestState trial;
  for (int halving = 0; halving <= kMaxHalvings; ++halving, share *= 0.5) {
    if (!attempt_move(at, share, trial)) continue;
    if (!(equations_.calc_merit(force_unit) < before * (1 - 1e-4 * share))) continue;
    at = trial;
    return true;
  }
  return false;
}

bool Search::iterate_newton(RestState& at, int max_iterations) {
  for (int iteration = 0; iteration <= max_iterations; ++iteration) {
    if (!equations_.eval_residuals(at)) return false;
    peak_ = std::max(peak_, equations_.force_scale());
    equations_.eval_matrices(at);
    if (is_converged(at)) return true;
    if (iteration == max_iterations) break;
    const double unit = peak_ > 0 ? peak_ : 1.0;
    const double relative = std::min(1.0, equations_.force_error() / unit);
    if (!attempt_factor(equations_.stiffness_scale() * std::max(kLeastShift, kLargestShift * relative))) return false;
    equations_.solve(delta_, delta_lambda_, delta_x_);
    ++result_.iterations;
    if (!delta_.allFinite()) return false;
    const double work = delta_.dot(equations_.force_residual());
    if (!search_line(at, unit)) return false;
    climbed_ = climbed_ || work < -kClimbing * metric_.norm(delta_) * unit;
  }
  return false;
}

bool Search::step_loads(RestState& at) {
  RestState best = start_;
  equations_.set_load(1, 0);
  if (!equations_.estimate_multipliers(best) || !equations_.eval_residuals(best)) return false;
  const double stiffness = equations_.force_error() / (options_.max_rotation * metric_.length);
  best.state.lambda.setZero();
  double load = 0, step = kFirstLoadStep;
  for (int count = 0; load < 1 && step >= kLeastLoadStep && count < kMaxLoadSteps; ++count) {
    const double next = std::min(1.0, load + step);
    equations_.set_load(next, stiffness);
    RestState trial = best;
    if (iterate_newton(trial, kLoadIterations)) {
      best = trial;
      load = next;
      step *= 1.5;
    } else {
      step *= 0.5;
    }
  }
  equations_.set_load(1, 0);
  if (load < 1) return false;
  at = best;
  return true;
}

/// The lowest curvature of the energy on the manifold in the metric W, where it is cheap to know.
double Search::calc_lowest_curvature() {
  const dae::Structure& s = evaluation_.structure();
  if (s.n_v() > kCurvatureSize) return 0;
  const Eigen::MatrixXd N = calc_null_space(s.jacobian.to_dense(evaluation_.jacobian()));
  if (N.cols() == 0) return 0;
  const Eigen::MatrixXd K = N.transpose() * calc_stiffness(evaluation_).K * N;
  const Eigen::MatrixXd W = N.transpose() * metric_.weights.cwiseAbs2().asDiagonal() * N;
  return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(0.5 * (K + K.transpose()), W, Eigen::EigenvaluesOnly)
      .eigenvalues()[0];
}

/// A step of the implicit Euler rule, with a larger shift (a smaller step) where it does not follow the forces.
bool Search::attempt_relaxation(RestState& at, double& shift) {
  const Vector force_before = equations_.force_residual();
  const double scale = equations_.stiffness_scale(), before = equations_.force_error();
  RestState trial;
  for (int attempt = 0; attempt < 20; ++attempt, shift *= 4) {
    if (!equations_.eval_residuals(at) || !equations_.factor(shift, shift / scale).ok) continue;
    equations_.solve(delta_, delta_lambda_, delta_x_);
    ++result_.iterations;
    if (!delta_.allFinite()) continue;
    const double share = calc_largest_share();
    const double stretch = metric_.norm(delta_);
    if (equations_.calc_curvature(delta_) < -0.75 * shift * stretch * stretch) continue;
    if (!attempt_move(at, share, trial)) continue;
    // Work of the forces along the step: when it is negative, the step went beyond the bottom.
    const double push_before = delta_.dot(force_before), push_after = delta_.dot(equations_.force_residual());
    if (push_before + push_after < -1e-8 * stretch * peak_) continue;
    at = trial;
    // Where the forces still push ahead, the next step may be longer; near the bottom as much as the forces fell
    // (switched evolution relaxation).
    const double fall = equations_.force_error() / std::max(before, 1e-300);
    if (push_after >= -0.1 * std::abs(push_before)) shift *= std::clamp(fall, 0.05, kShorter);
    return true;
  }
  return false;
}

bool Search::relax(RestState& at) {
  equations_.set_load(1, 0);
  if (!equations_.estimate_multipliers(at) || !equations_.eval_residuals(at)) return false;
  double shift = equations_.force_error() / (kFirstRelaxation * metric_.length);
  for (int step = 0; step < options_.max_relaxation_steps; ++step) {
    peak_ = std::max(peak_, equations_.force_scale());
    if (equations_.force_error() <= kRelaxed * peak_ && equations_.constraint_error() <= 1e-6 * metric_.length &&
        equations_.state_error() <= 1e-6 * std::max(1.0, largest_abs(at.state.x))) {
      return true;
    }
    equations_.eval_matrices(at);
    shift = std::max({shift, kLeastShift * equations_.stiffness_scale(), -1.5 * calc_lowest_curvature()});
    if (!attempt_relaxation(at, shift)) return false;
  }
  return false;
}

bool Search::relax_and_polish(RestState& at) {
  if (!relax(at)) return false;
  RestState polished = at;
  if (!iterate_newton(polished, options_.max_newton_iterations)) return false;
  if (metric_.largest(polished.moved - at.moved) > kPolishRange * metric_.length) return false;
  at = polished;
  return true;
}

bool Search::find_any(RestState& at) {
  const auto succeed = [&](StaticsStage stage) {
    result_.stage = stage;
    return true;
  };
  at = start_;
  equations_.set_load(1, 0);
  if (!equations_.estimate_multipliers(at)) return false;
  if (iterate_newton(at, options_.max_newton_iterations)) return succeed(StaticsStage::kNewton);
  if (options_.load_stepping && step_loads(at)) return succeed(StaticsStage::kLoadStepping);
  if (options_.max_relaxation_steps == 0) return false;
  at = start_;
  return relax_and_polish(at) && succeed(StaticsStage::kRelaxation);
}

/// Completes the state and computes its stability.
void Search::judge(const RestState& at) {
  const int n_v = evaluation_.structure().n_v();
  result_.state = at.state;
  equations_.eval_residuals(at);
  result_.residual = largest_abs(equations_.force_residual());
  result_.stability = Stability::kUnknown;
  result_.modes.clear();
  if (n_v > options_.max_modal_size) return;
  evaluation_.set(at.state);
  ModalReport report = calc_modes(linearise(evaluation_), options_.modal);
  result_.modes = std::move(report.modes);
  result_.stability = report.stability;
  result_.stable_modes = report.stable;
  result_.neutral_modes = report.neutral;
  result_.unstable_modes = report.unstable;
}

/// Whether an equilibrium that was found from the start can hardly lie downhill from it.
bool Search::is_uphill(const RestState& at) {
  if (climbed_ && result_.stage == StaticsStage::kNewton) return true;
  if (!evaluation_.structure().keeps_energy) return false;
  const auto energy = [&](const RestState& of) {
    evaluation_.set(of.state);
    return evaluation_.calc_energy().value_or(0);
  };
  return energy(at) > energy(start_) + kClimbing * peak_ * calc_size(start_);
}

/// Goes to the equilibrium that relaxation reaches from the start, when that is another one and not unstable.
bool Search::descend_from_start(RestState& at) {
  const StaticsResult before = result_;
  RestState trial = start_;
  if (relax_and_polish(trial) && largest_abs(trial.state.q - at.state.q) > kDistinct * calc_size(at)) {
    judge(trial);
    result_.stage = StaticsStage::kRelaxation;
    if (result_.stability != Stability::kUnstable) {
      at = trial;
      return true;
    }
  }
  const int iterations = result_.iterations;
  result_ = before;
  result_.iterations = iterations;
  return false;
}

/// Moves along the mode that grows fastest and back onto the constraints.
bool Search::push(const RestState& from, double way, RestState& to) {
  const Mode* fastest = nullptr;
  for (const Mode& mode : result_.modes) {
    if (!fastest || mode.eigenvalue.real() > fastest->eigenvalue.real()) fastest = &mode;
  }
  if (!fastest) return false;
  delta_ = fastest->shape.real();
  const double size = metric_.largest(delta_);
  if (!(size > 0)) return false;
  delta_ *= way * metric_.length / size;
  to = from;
  to.moved += delta_;
  evaluation_.system().retract(from.state.q, delta_, to.state.q);
  return close(to);
}

void Search::leave_unstable(RestState& at) {
  const StaticsResult unstable = result_;
  double way = kFirstPush;
  for (int attempt = 0; attempt < kMaxPushes && result_.stability == Stability::kUnstable; ++attempt) {
    RestState trial;
    // Forth, then back, then farther.
    const bool found = push(at, attempt % 2 == 0 ? way : -way, trial) && relax_and_polish(trial);
    if (attempt % 2 == 1) way *= 5;
    if (!found) continue;
    at = trial;
    judge(at);
    result_.stage = StaticsStage::kRelaxation;
  }
  if (result_.stability != Stability::kUnstable) {
    result_.notes.emplace_back("an unstable equilibrium was found first and left along the mode that grows");
    return;
  }
  const int iterations = result_.iterations;
  result_ = unstable;
  result_.iterations = iterations;
  result_.notes.emplace_back("no stable equilibrium was found near this one");
}

void Search::choose_downhill(RestState& at) {
  const bool is_unstable = result_.stability == Stability::kUnstable;
  const bool is_from_above = result_.stage != StaticsStage::kRelaxation && (is_unstable || is_uphill(at));
  if (is_from_above && descend_from_start(at)) {
    result_.notes.push_back(fmt::format("{} equilibrium was found first; this one lies downhill from the start",
                                        is_unstable ? "an unstable" : "another"));
  } else if (is_unstable) {
    leave_unstable(at);
  }
}

void Search::report_failure(const RestState& at) {
  const dae::Structure& s = evaluation_.structure();
  result_.state = at.state;
  if (!equations_.eval_residuals(at)) {
    result_.message = "no equilibrium was found: forces or constraints are not finite numbers on the way";
    const std::string trouble = evaluation_.find_trouble();
    if (!trouble.empty()) result_.message += "; " + trouble;
    return;
  }
  Eigen::Index worst = 0;
  const Vector weighted = equations_.force_residual().cwiseAbs().cwiseQuotient(metric_.weights);
  weighted.maxCoeff(&worst);
  result_.residual = largest_abs(equations_.force_residual());
  result_.message = fmt::format(
      "no equilibrium was found in {} iterations; the largest unbalanced force, {:.3g}, acts on {}. Something may move "
      "freely under its load, or the start may be too far away",
      result_.iterations, equations_.force_residual()[worst], coordinate_name(s, static_cast<int>(worst)));
}

StaticsResult Search::execute() {
  RestState at;
  if (!find_any(at)) {
    report_failure(at);
    return std::move(result_);
  }
  result_.ok = true;
  judge(at);
  const bool can_choose = options_.max_relaxation_steps > 0 && result_.stability != Stability::kUnknown;
  if (options_.prefer_stable && can_choose) choose_downhill(at);
  if (result_.stability == Stability::kUnknown) {
    result_.notes.push_back(fmt::format("stability was not computed: {} velocity coordinates, and the limit is {}",
                                        evaluation_.structure().n_v(), options_.max_modal_size));
  }
  if (result_.neutral_modes > 0) {
    result_.notes.push_back(fmt::format(
        "the equilibrium is not isolated: {} no resistance",
        result_.neutral_modes == 1 ? "1 motion meets" : fmt::format("{} motions meet", result_.neutral_modes)));
  }
  result_.message =
      fmt::format("{} equilibrium by {} in {} iterations; largest unbalanced force {:.2g}",
                  to_string(result_.stability), to_string(result_.stage), result_.iterations, result_.residual);
  return std::move(result_);
}

/// The constraints that move at the state, in words; empty when none does.
std::string describe_motions(const dae::ConstrainedSystem& system, const dae::State& at) {
  dae::Evaluation evaluation(system);
  evaluation.set_position(at.t, at.q);
  const Vector& rate = evaluation.velocity_offset();
  std::vector<std::string> moving;
  for (int i = 0; i < rate.size(); ++i) {
    if (std::abs(rate[i]) <= 1e-9) continue;
    moving.push_back(fmt::format(
        "{} (rate {:.3g})", dae::quoted(system.structure().constraint_names[static_cast<std::size_t>(i)]), -rate[i]));
  }
  if (moving.empty()) return {};
  return fmt::format(
      "there is no equilibrium while motions move: at t = {:g} {} {}. Hold them, or choose a time at "
      "which they rest",
      at.t, list_names(moving), moving.size() > 1 ? "are moving" : "is moving");
}

}  // namespace

std::string to_string(StaticsStage stage) {
  switch (stage) {
    case StaticsStage::kNewton: return "Newton's iteration";
    case StaticsStage::kLoadStepping: return "load stepping";
    case StaticsStage::kRelaxation: return "relaxation";
    case StaticsStage::kNone: break;
  }
  return "nothing";
}

std::vector<std::string> StaticsOptions::validate(const dae::Structure& structure) const {
  std::vector<std::string> problems = assembly.validate(structure);
  const auto require = [&](bool condition, std::string message) {
    if (!condition) problems.push_back(std::move(message));
  };
  require(tolerance > 0 && tolerance < 1, fmt::format("the tolerance is {}, but must lie between 0 and 1", tolerance));
  require(max_rotation > 0, fmt::format("the largest rotation in a step is {}, but must be positive", max_rotation));
  require(max_newton_iterations > 0,
          fmt::format("max_newton_iterations is {}, but must be positive", max_newton_iterations));
  require(max_relaxation_steps >= 0,
          fmt::format("max_relaxation_steps is {}, but must not be negative", max_relaxation_steps));
  require(max_modal_size >= 0, fmt::format("max_modal_size is {}, but must not be negative", max_modal_size));
  return problems;
}

std::string StaticsResult::brief_report() const {
  std::string text = message + "\n";
  for (const std::string& note : notes) text += fmt::format("note: {}\n", note);
  if (stability == Stability::kUnknown) return text;
  text +=
      fmt::format("  modes          {} stable, {} neutral, {} unstable\n", stable_modes, neutral_modes, unstable_modes);
  for (const Mode& mode : modes) {
    text += fmt::format("  mode           {:.6g} Hz, damping ratio {:.4g}\n", mode.frequency_hz, mode.damping_ratio);
  }
  return text;
}

StaticsResult find_equilibrium(const dae::ConstrainedSystem& system, const dae::State& guess,
                               const StaticsOptions& options) {
  const dae::Structure& s = system.structure();
  StaticsResult refusal;
  refusal.state = guess;
  dae::State start = guess;
  start.v = Vector::Zero(s.n_v());
  std::vector<std::string> problems = options.validate(s);
  for (std::string& problem : dae::find_state_problems(s, start)) problems.push_back(std::move(problem));
  if (s.n_v() == 0) problems.emplace_back("the system has no coordinates");
  if (!s.switchable_rows.empty()) {
    problems.emplace_back("statics cannot take friction that sticks and slips; prepare the model without dry friction");
  }
  if (!problems.empty()) {
    refusal.message = fmt::format("{}", fmt::join(problems, "; "));
    return refusal;
  }
  const AssemblyResult assembly = assemble(system, start, options.assembly);
  refusal.message = describe_motions(system, assembly.state);
  if (refusal.message.empty() && !assembly.ok) refusal.message = assembly.message;
  if (!refusal.message.empty()) return refusal;
  start = dae::State::zero(s);
  start.t = guess.t;
  start.q = assembly.state.q;
  start.x = guess.x;
  return Search(system, start, options).execute();
}

}  // namespace trammel::analyses
