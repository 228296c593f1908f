#include "trammel/analyses/kinematics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>

#include "trammel/analyses/checks.h"
#include "trammel/analyses/linearise.h"
#include "trammel/integrators/output_schedule.h"
#include "trammel/integrators/stopwatch.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::analyses {

using integrators::FailureCause;
using integrators::OutputKind;
using integrators::RunResult;
using integrators::RunStatus;
using integrators::StopReason;
using linalg::largest_abs;

namespace {

// Newton's iterations of a step, and the largest way from the prediction to the solution (units of max_way): a good
// prediction is closer by far, and another branch is farther.
constexpr int kMaxIterations = 10;
constexpr double kMaxCorrection = 0.5;
// Steps below this share of the span end the analysis: the mechanism locks.
constexpr double kLeastStep = 1e-10;
// A velocity of size 1 of which the constraints leave more than this is not determined by them. Singular values of G
// below about 1e-5 of its rows are damped away (least_change.h) and show in it.
constexpr double kFreeMotion = 1e-2;
// Coordinates up to which a missing motion is looked for by its null space.
constexpr int kMaxSuggestionSize = 1000;
constexpr int kMaxReactionIterations = 50;
// A constraint that others should imply is open when its residual exceeds this share of the size of the mechanism.
constexpr double kOpenShare = 1e-6;

/// One analysis, from its checks to its result.
class Drive {
 public:
  Drive(const dae::ConstrainedSystem& system, const dae::State& start, const KinematicsOptions& options,
        const integrators::Observers& observers)
      : options_(options),
        observers_(observers),
        evaluation_(system),
        metric_((evaluation_.set(start), make_metric(evaluation_, options.assembly.metric))),
        positions_(evaluation_, metric_,
                   {.tolerance = options.assembly.tolerance, .max_rotation = options.assembly.max_rotation}),
        state_(start),
        t_start_(start.t),
        schedule_(options.output, start.t, options.t_end),
        is_every_step_(options.output.kind == OutputKind::kSteps ||
                       options.output.kind == OutputKind::kMaximalInterval),
        last_output_(start.t),
        probe_(system.structure().n_v()) {
    result_.method = "kinematics";
    for (Eigen::Index i = 0; i < probe_.size(); ++i) {
      probe_[i] = (1 + 0.5 * std::sin(1.0 + 2.3 * static_cast<double>(i))) / metric_.weights[i];
    }
  }

  RunResult execute();

 private:
  bool begin();
  bool advance(double target);
  bool attempt(double t, dae::State& next);
  bool complete(dae::State& state);
  bool solve_reactions(dae::State& state);
  double calc_step() const;
  void choose_target();
  void note_step(double h);
  void check_interruption();
  void finish();
  void emit(const dae::State& state);
  void stop(StopReason reason, std::string text);
  void fail(FailureCause cause, std::string message);
  std::string refuse_freedom(const kinematics::RedundancyReport& report);
  std::string describe_lock();

  const KinematicsOptions& options_;
  const integrators::Observers& observers_;
  RunResult result_;
  dae::Evaluation evaluation_;
  CoordinateMetric metric_;
  PositionSolver positions_;
  dae::State state_;
  double t_start_;
  integrators::OutputSchedule schedule_;
  bool is_every_step_;  // is output
  double target_ = 0;
  bool target_is_output_ = false;
  double last_output_;
  double h_tried_ = 0, h_last_ = 0;
  double next_progress_ = 0;
  bool finished_ = false;
  Vector probe_;         // a velocity of no particular structure
  std::string trouble_;  // of the last attempt
  integrators::Stopwatch stopwatch_;
};

/// Names of the coordinates, one a freedom, whose motions would take all freedoms.
std::vector<std::string> suggest_motions(dae::Evaluation& evaluation, const CoordinateMetric& metric) {
  const dae::Structure& s = evaluation.structure();
  if (s.n_v() > kMaxSuggestionSize) return {};
  const Eigen::MatrixXd N = calc_null_space(s.jacobian.to_dense(evaluation.jacobian()).topRows(s.n_g));
  // Pivots of QR: the coordinate that moves most, then the one that moves most when that one is held, and so on.
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(N.transpose() * metric.weights.asDiagonal());
  std::vector<std::string> names;
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    names.push_back(coordinate_name(s, qr.colsPermutation().indices()[k]));
  }
  return names;
}

std::string Drive::refuse_freedom(const kinematics::RedundancyReport& report) {
  const int freedom = report.degrees_of_freedom;
  const std::vector<std::string> names = suggest_motions(evaluation_, metric_);
  // As many rows as coordinates, but not all of them count: perhaps only in this position.
  const bool may_be_singular = report.rows >= evaluation_.structure().n_v();
  return fmt::format(
      "the mechanism is not fully driven: {} degree{} of freedom {} left at t = {:g}{}{}", freedom,
      freedom > 1 ? "s" : "", freedom > 1 ? "are" : "is", state_.t,
      names.empty() ? "" : fmt::format("; give a motion to {}", list_names(names)),
      may_be_singular ? fmt::format(", or start from another position ({})", report.brief_report()) : "");
}

bool Drive::begin() {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set(state_);
  if (s.n_g < s.m()) {
    fail(FailureCause::kInvalidInput,
         "nonholonomic constraints restrict velocities only; positions do not follow from them without integration");
    return false;
  }
  const kinematics::RedundancyReport report = kinematics::find_redundancy(evaluation_);
  if (report.degrees_of_freedom > 0) {
    fail(FailureCause::kInvalidInput, refuse_freedom(report));
    return false;
  }
  if (!complete(state_)) {
    fail(FailureCause::kInconsistentStart, fmt::format("at the start (t = {:g}): {}", state_.t, trouble_));
    return false;
  }
  if (!report.redundant.empty()) {
    result_.notes.push_back(report.brief_report() +
                            "; how reactions are shared between them is not determined, the smallest are given");
  }
  if (s.n_x() > static_cast<int>(s.following_states.size())) {
    result_.notes.emplace_back("extra states keep their values of the start");
  }
  result_.state = state_;
  evaluation_.set(state_);
  result_.initial_energy = evaluation_.calc_energy();
  note_step(0);
  if (schedule_.wants_start()) emit(state_);
  next_progress_ = observers_.progress_interval;
  return true;
}

/// v, a and lambda at the position of a state. False when G does not determine them.
bool Drive::complete(dae::State& state) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set_position(state.t, state.q);
  evaluation_.set_x(state.x);
  state.x = evaluation_.follow_position();
  LeastChange& solver = positions_.least_change();
  if (!solver.factor(evaluation_.jacobian(), s.m()).ok) {
    trouble_ = kinematics::describe_failure(evaluation_, kkt::AccelerationStatus::kNotFinite);
    return false;
  }
  Vector free(s.n_v());
  solver.solve(Vector::Zero(s.m()), probe_, free);
  if (metric_.norm(free) > kFreeMotion * metric_.norm(probe_)) {
    trouble_ = describe_lock();
    return false;
  }
  const auto check = [&](const Vector& rates, const Vector& target, const char* what) {
    Vector residual = -target;
    s.jacobian.add_product(evaluation_.jacobian(), rates, 1, residual);
    const Vector relative = residual.cwiseAbs().cwiseQuotient(solver.row_scales());
    Eigen::Index worst = 0;
    if (relative.maxCoeff(&worst) <= 1e-6 * std::max({1.0, metric_.largest(rates), largest_abs(target)})) return true;
    trouble_ = fmt::format("no {} satisfy the constraints; the worst is {} with a residual of {:.3g}", what,
                           dae::quoted(s.constraint_names[static_cast<std::size_t>(worst)]), residual[worst]);
    return false;
  };
  const Vector rate = -evaluation_.velocity_offset();
  solver.solve(rate, state.v);
  if (!check(state.v, rate, "velocities")) return false;
  evaluation_.set_velocity(state.v);
  const Vector bias = evaluation_.acceleration_bias();
  solver.solve(bias, state.a);
  return check(state.a, bias, "accelerations") && solve_reactions(state);
}

/// (2). Where forces depend on reactions it is iterated.
bool Drive::solve_reactions(dae::State& state) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set_acceleration(state.a);
  Vector inertia = Vector::Zero(s.n_v()), before(s.m());
  s.mass.add_product(evaluation_.mass(), state.a, 1, inertia);
  const int iterations = s.force_depends_on_lambda() ? kMaxReactionIterations : 1;
  for (int k = 0; k < iterations; ++k) {
    evaluation_.set_lambda(state.lambda);
    const Vector b = evaluation_.force() - inertia;
    before = state.lambda;
    positions_.least_change().solve_transposed(b, state.lambda);
    if (!state.lambda.allFinite()) {
      trouble_ = kinematics::describe_failure(evaluation_, kkt::AccelerationStatus::kNotFinite);
      return false;
    }
    if (iterations == 1 || largest_abs(state.lambda - before) <= 1e-12 * largest_abs(state.lambda)) return true;
  }
  trouble_ =
      "the forces that depend on reactions leave no solution for them (they jam); look at the friction coefficients";
  return false;
}

/// Which rows lose their independence, and which coordinates they leave undetermined.
std::string Drive::describe_lock() {
  const dae::Structure& s = evaluation_.structure();
  linalg::RankOptions options;
  options.tolerance = 1e-3;
  const linalg::RankReport rank = linalg::find_dependent_rows(s.jacobian, evaluation_.jacobian(), options);
  std::vector<std::string> rows;
  for (const linalg::DependentRow& row : rank.dependent) {
    rows.push_back(dae::quoted(s.constraint_names[static_cast<std::size_t>(row.row)]));
  }
  // The motion that is left free shows in what the constraints leave of the probe.
  Vector free(s.n_v());
  positions_.least_change().solve(Vector::Zero(s.m()), probe_, free);
  const Vector ways = free.cwiseAbs().cwiseProduct(metric_.weights);
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < ways.size(); ++i) {
    if (ways[i] > 0.3 * ways.maxCoeff()) names.push_back(coordinate_name(s, static_cast<int>(i)));
  }
  const std::string subject = rows.empty() ? "some constraints" : list_names(rows);
  return fmt::format("close to a singular position (dead centre), in which {} {} on others and {} can move undriven",
                     subject, rows.size() == 1 ? "depends" : "depend", list_names(names));
}

/// The step whose predicted way is max_way.
double Drive::calc_step() const {
  const double speed = metric_.largest(state_.v) / metric_.length, turn = metric_.largest(state_.a) / metric_.length;
  const double way = options_.max_way;
  double h = options_.h_max;
  if (speed > 0) h = std::min(h, way / speed);
  if (turn > 0) h = std::min(h, std::sqrt(2 * way / turn));
  // A mechanism at rest may start to move: steps grow from a share of the span.
  const double span = options_.t_end - t_start_;
  return std::min({h, span / 20, h_last_ > 0 ? 4 * h_last_ : span});
}

bool Drive::attempt(double t, dae::State& next) {
  const double h = t - state_.t;
  next = state_;
  next.t = t;
  evaluation_.system().retract(state_.q, h * state_.v + 0.5 * h * h * state_.a, next.q);
  Vector correction = Vector::Zero(state_.v.size());
  const Closing closing = positions_.close(t, next.q, correction, kMaxIterations);
  result_.statistics.newton_iterations += closing.iterations;
  if (!closing.closed) {
    Eigen::Index worst = 0;
    evaluation_.constraint().cwiseAbs().maxCoeff(&worst);
    trouble_ = fmt::format("{} cannot be satisfied (residual {:.3g})",
                           dae::quoted(evaluation_.structure().constraint_names[static_cast<std::size_t>(worst)]),
                           evaluation_.constraint()[worst]);
    return false;
  }
  const kinematics::OpenConstraint open = kinematics::find_open_implied(evaluation_);
  if (open.residual > kOpenShare * metric_.length) {
    trouble_ = kinematics::describe_open_implied(evaluation_.structure(), open);
    return false;
  }
  const double way = metric_.largest(correction) / metric_.length;
  if (way > kMaxCorrection * options_.max_way) {
    trouble_ = "the mechanism jumps";
    return false;
  }
  return true;
}

bool Drive::advance(double target) {
  const double smallest = std::max(kLeastStep * (options_.t_end - t_start_),
                                   16 * std::numeric_limits<double>::epsilon() * std::abs(state_.t));
  double h = std::min(calc_step(), target - state_.t);
  for (;;) {
    if (h >= (target - state_.t) * (1 - 1e-9)) h = target - state_.t;
    h_tried_ = h;
    const double t = h == target - state_.t ? target : state_.t + h;
    dae::State next;
    if (attempt(t, next)) {
      if (!complete(next)) {
        fail(FailureCause::kEquations, fmt::format("at t = {:.10g}: {}", t, trouble_));
        return false;
      }
      state_ = std::move(next);
      note_step(h);
      return true;
    }
    ++result_.statistics.rejected_convergence;
    h *= 0.5;
    if (h < smallest) {
      const std::string last = trouble_;
      evaluation_.set_position(state_.t, state_.q);
      std::string lock;
      if (positions_.least_change().factor(evaluation_.jacobian(), evaluation_.structure().m()).ok) {
        lock = describe_lock();
      }
      fail(FailureCause::kEquations, fmt::format("at t = {:.10g} the mechanism locks: {}; {}", state_.t, last, lock));
      return false;
    }
  }
}

void Drive::note_step(double h) {
  integrators::Statistics& statistics = result_.statistics;
  evaluation_.set_position(state_.t, state_.q);
  evaluation_.set_velocity(state_.v);
  result_.drift.position = std::max(result_.drift.position, largest_abs(evaluation_.constraint()));
  Vector residual(evaluation_.structure().m());
  evaluation_.calc_velocity_residual(residual);
  result_.drift.velocity = std::max(result_.drift.velocity, largest_abs(residual));
  result_.state = state_;
  if (h == 0) return;
  h_last_ = h;
  ++statistics.steps;
  statistics.smallest_step = statistics.steps == 1 ? h : std::min(statistics.smallest_step, h);
  statistics.largest_step = std::max(statistics.largest_step, h);
  if (observers_.step) observers_.step({state_.t, h, 0});
}

/// The next time that must be hit, and whether it is an output point.
void Drive::choose_target() {
  target_ = options_.t_end;
  target_is_output_ = false;
  if (!is_every_step_) target_is_output_ = schedule_.take(state_.t, options_.t_end, target_);
  if (!is_every_step_ && !target_is_output_) target_ = options_.t_end;
  if (options_.output.kind == OutputKind::kMaximalInterval) {
    target_ = std::min(target_, state_.t + options_.output.interval);
  }
}

void Drive::check_interruption() {
  if (options_.cancel && options_.cancel->load(std::memory_order_relaxed)) {
    stop(StopReason::kCancelled, fmt::format("cancelled at t = {:g}", state_.t));
  } else if (result_.statistics.steps + result_.statistics.rejected_convergence >= options_.max_steps) {
    stop(StopReason::kStepLimit,
         fmt::format("the limit of {} steps was reached at t = {:g}", options_.max_steps, state_.t));
  }
  if (finished_ || !observers_.progress || stopwatch_.wall_seconds() < next_progress_) return;
  next_progress_ = stopwatch_.wall_seconds() + observers_.progress_interval;
  observers_.progress({state_.t, options_.t_end, h_last_, result_.statistics.steps, stopwatch_.wall_seconds()});
}

RunResult Drive::execute() {
  try {
    if (begin()) {
      while (!finished_ && state_.t < options_.t_end) {
        choose_target();
        while (!finished_ && state_.t < target_) {
          if (advance(target_) && (is_every_step_ || (target_is_output_ && state_.t == target_))) emit(state_);
          if (!finished_) check_interruption();
        }
      }
      finish();
    }
  } catch (const std::exception& error) {
    fail(FailureCause::kException, fmt::format("at t = {:g}: {}", state_.t, error.what()));
  }
  result_.statistics.evaluations += evaluation_.counts();
  result_.statistics.linear += positions_.least_change().counts();
  result_.statistics.wall_seconds = stopwatch_.wall_seconds();
  result_.statistics.cpu_seconds = stopwatch_.cpu_seconds();
  return std::move(result_);
}

void Drive::finish() {
  if (!finished_) {
    result_.status = RunStatus::kCompleted;
    result_.reason = "reached the end time";
  }
  if (options_.output.kind != OutputKind::kPoints && last_output_ < state_.t) emit(state_);
  evaluation_.set(state_);
  result_.final_energy = evaluation_.calc_energy();
}

void Drive::emit(const dae::State& state) {
  if (!observers_.output) return;
  ++result_.statistics.outputs;
  last_output_ = state.t;
  observers_.output(state);
}

void Drive::stop(StopReason reason, std::string text) {
  finished_ = true;
  result_.status = RunStatus::kStopped;
  result_.stop_reason = reason;
  result_.reason = std::move(text);
}

void Drive::fail(FailureCause cause, std::string message) {
  finished_ = true;
  result_.status = RunStatus::kFailed;
  result_.state = state_;
  result_.failure = {cause, state_.t, h_tried_, message};
  result_.reason = std::move(message);
}

RunResult refuse(const dae::State& start, FailureCause cause, std::string reason) {
  RunResult result;
  result.method = "kinematics";
  result.state = start;
  result.failure = {cause, start.t, 0, reason};
  result.reason = std::move(reason);
  return result;
}

}  // namespace

std::vector<std::string> KinematicsOptions::validate(const dae::Structure& structure, double t_start) const {
  std::vector<std::string> problems = assembly.validate(structure);
  // Times and output points follow the same rules as in an integration.
  integrators::Options run;
  run.output = output;
  run.h_max = h_max;
  run.max_steps = max_steps;
  for (std::string& problem : run.validate(t_start, t_end)) problems.push_back(std::move(problem));
  if (!std::isfinite(max_way) || max_way <= 0) {
    problems.push_back(fmt::format("the largest way of a step is {}, but must be positive", max_way));
  }
  return problems;
}

RunResult drive(const dae::ConstrainedSystem& system, const dae::State& start, const KinematicsOptions& options,
                const integrators::Observers& observers) {
  const dae::Structure& s = system.structure();
  dae::State guess = start;
  if (guess.v.size() == 0) guess.v = Vector::Zero(s.n_v());
  std::vector<std::string> problems = options.validate(s, start.t);
  for (std::string& problem : dae::find_state_problems(s, guess)) problems.push_back(std::move(problem));
  if (s.n_v() == 0) problems.emplace_back("the system has no coordinates");
  if (!s.switchable_rows.empty()) {
    problems.emplace_back(
        "kinematics cannot take friction that sticks and slips; prepare the model without dry friction");
  }
  if (!problems.empty())
    return refuse(start, FailureCause::kInvalidInput, fmt::format("{}", fmt::join(problems, "; ")));
  const AssemblyResult assembly = assemble(system, guess, options.assembly);
  if (!assembly.ok) {
    return refuse(assembly.state, FailureCause::kInconsistentStart,
                  fmt::format("at the start (t = {:g}): {}", start.t, assembly.message));
  }
  RunResult result = Drive(system, assembly.state, options, observers).execute();
  const double moved = largest_abs(assembly.state.q - start.q);
  if (moved > 1e-9 * std::max(1.0, largest_abs(start.q))) {
    result.notes.insert(result.notes.begin(),
                        fmt::format("the initial positions were moved by up to {:.3g} onto the constraints", moved));
  }
  return result;
}

}  // namespace trammel::analyses
