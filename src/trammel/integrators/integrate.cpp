#include "trammel/integrators/integrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <utility>

#include "trammel/dae/state_check.h"
#include "trammel/integrators/continuous_solution.h"
#include "trammel/integrators/event_locator.h"
#include "trammel/integrators/initial_step.h"
#include "trammel/integrators/method.h"
#include "trammel/integrators/output_schedule.h"
#include "trammel/integrators/step_controller.h"
#include "trammel/integrators/stopwatch.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {
namespace {

using dae::State;
using linalg::largest_abs;

// Attempts in a row whose equations could not be solved before a run is given up.
constexpr int kMaxFailuresInARow = 12;
// Restarts in a row, each this close to the last one (relative to the time), before a run is given up: a ball that
// comes to rest bounces without end in a finite time, and from some bounce on the flight cannot be resolved.
constexpr int kMaxEventsCloseTogether = 5;
constexpr double kAccumulationInterval = 1e-9;
// Steps in a row that are too small ever to reach the end within the step limit before a run is given up: near
// round-off smaller steps no longer mean smaller errors, and the run would go on for days.
constexpr int kMaxHopelessSteps = 100'000;
// Crossings of the same edge, few steps apart and within this share of the time span, before a run is given up: it
// chatters.
constexpr int kMaxCrossingsInARow = 1000;
constexpr int kStepsBetweenCrossings = 3;
constexpr double kChatteringShare = 1e-3;
// A constraint that others should imply is open when its residual exceeds this many weights of the positions, or this
// share of the size of the mechanism.
constexpr double kOpenWeights = 1000, kOpenShare = 1e-2;
// How often a step is taken back to end before an edge, and how far before, relative to the step.
constexpr int kMaxRetakes = 4;
constexpr double kEdgeMargin = 1e-10;
constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
// What may be missing of a step that is as long as it was asked for, relative to it.
constexpr double kWholeStep = 1e-6;
// The share of a run that one step may span where constraints are switched on and off: what sticks has no error, and
// steps that grow without end would jump over loads that make it slip.
constexpr double kStickingStepShare = 0.01;
// A run is doubted when velocities violate their constraints by this times w^(2/3), w the largest weight: errors of a
// second-order method are a few times that. Bare hht on the pendulum: 3 to 5 where it is right, 33 to 53 where not.
constexpr double kDoubtfulDrift = 15;
// A run that should keep its energy is doubted when it changes by this many tolerances.
constexpr double kDoubtfulEnergy = 20;

/// One run, from its checks to its result.
class Run {
 public:
  Run(const dae::ConstrainedSystem& system, double t_end, const Options& options, const std::vector<Event>& events,
      const Observers& observers, const MethodEntry& entry)
      : options_(options),
        observers_(observers),
        events_(events),
        t_end_(t_end),
        evaluation_(system),
        accelerations_(evaluation_, {.back_end = linear_solver(entry, options.method_options)}),
        projector_(evaluation_, accelerations_),
        norm_(system.structure(), options.rtol, options.atol),
        context_{evaluation_,        accelerations_,         projector_, norm_,
                 result_.statistics, options.method_options, horizon_,   options.h_fixed > 0},
        method_(entry.make(context_)),
        solution_(context_, *method_),
        locator_(events, solution_, options.event_checks) {
    result_.method = entry.name;
    largest_step_share_ = entry.largest_step_share;
    if (!system.structure().switchable_rows.empty()) {
      largest_step_share_ = std::min(largest_step_share_, kStickingStepShare);
    }
  }

  RunResult execute(const State& start);

 private:
  bool begin(const State& start);
  std::string settle_start(State& state);
  void finish();
  bool advance();
  double limit_step(double h) const;
  bool attempt_until_accepted();
  void fail_for_small_step(double smallest, bool was_tried);
  std::string describe_position();
  void check_energy();
  void check_drift();
  bool note_step(double begin);
  bool check_implied();
  std::vector<Root>::const_iterator find_cut(const std::vector<Root>& roots) const;
  bool retake_to_edge(double begin, const std::vector<Root>& roots);
  bool handle_events(double begin, const std::vector<Root>& roots, double& end, bool& changed);
  bool is_chattering(std::size_t edge, double t);
  bool change_and_restart(State state, const std::string& name);
  bool handle_caused_events();
  bool restart_consistently(State& state, const std::string& what);
  void collect_instants(double t_start);
  void choose_horizon(double t);
  bool pass_instant();
  void write_output(double begin, double end);
  void hand_over_interval(double begin, double end);
  bool is_close_to_last_event(double t) const;
  bool is_cancelled() const;
  bool is_interrupted();
  void restart(const State& state, const std::vector<std::size_t>& fired);
  void finish_statistics();

  void emit(const State& state);
  void stop(StopReason reason, std::string text);
  void fail(FailureCause cause, std::string message);

  const Options& options_;
  const Observers& observers_;
  const std::vector<Event>& events_;
  double t_start_ = 0, t_end_;
  double horizon_ = 0;  // the next time that a step must hit
  std::vector<math::SignChange> instants_;
  std::size_t next_instant_ = 0;
  std::optional<std::size_t> edge_;  // the event whose edge is the horizon
  double edge_margin_ = 0;           // how far before the edge the horizon lies
  int retakes_ = 0;                  // of the present step
  RunResult result_;
  dae::Evaluation evaluation_;
  kkt::AccelerationSolver accelerations_;
  kinematics::Projector projector_;
  ErrorNorm norm_;
  MethodContext context_;
  std::unique_ptr<Method> method_;
  ContinuousSolution solution_;
  EventLocator locator_;
  StepController controller_;
  std::optional<OutputSchedule> schedule_;
  Stopwatch stopwatch_;
  double next_progress_ = 0;
  double largest_step_share_ = 1;  // of the run, where the user gives no largest step
  double h_ = 0;                   // to be tried next
  double h_tried_ = 0;             // last attempted
  double h_done_ = 0;
  double energy_scale_ = 0;                           // largest kinetic energy [J]
  double error_done_ = 0;                             // last accepted
  long iterations_noted_ = 0, rejections_noted_ = 0;  // up to the last accepted step
  linalg::Vector residual_;
  std::vector<std::size_t> fired_;
  double last_event_t_ = 0;
  int events_close_together_ = 0;
  int hopeless_steps_ = 0;
  std::size_t crossed_edge_ = 0;
  long last_crossing_ = -1;  // step in which it was crossed
  double first_crossing_t_ = 0;
  int crossings_in_a_row_ = 0;
  long lost_outputs_ = 0;
  double first_lost_output_ = 0;
  bool continues_ = false;  // the next interval begins where the last one has ended
  bool has_begun_ = false;
  bool finished_ = false;
};

RunResult Run::execute(const State& start) {
  try {
    if (begin(start)) {
      while (!finished_ && method_->state().t < t_end_) {
        if (!advance()) break;
      }
    }
  } catch (const std::exception& error) {
    // A function of the user, or memory; what was computed until then is kept.
    fail(FailureCause::kException, fmt::format("at t = {:g}: {}", method_->state().t, error.what()));
  }
  if (has_begun_) {
    if (!finished_) {
      result_.status = RunStatus::kCompleted;
      result_.reason = "reached the end time";
    }
    finish();
  }
  finish_statistics();
  return std::move(result_);
}

/// The last state, its output and energy, and what the user should know.
void Run::finish() {
  if (result_.state.q.size() == 0) result_.state = method_->state();
  if (lost_outputs_ > 0) {
    result_.notes.push_back(
        fmt::format("{} output points, the first at t = {:g}, could not be put onto the constraints "
                    "and were left out",
                    lost_outputs_, first_lost_output_));
  }
  method_->add_notes(result_.notes);
  if (result_.failure.cause == FailureCause::kException) return;  // the functions of the user are not called again
  if (schedule_->wants_last(result_.state.t)) emit(result_.state);
  evaluation_.set(result_.state);
  result_.final_energy = evaluation_.calc_energy();
  check_energy();
  check_drift();
}

/// Checks and completes the start state. False when the run cannot begin.
bool Run::begin(const State& start) {
  const dae::Structure& s = evaluation_.structure();
  State state = start;
  residual_ = linalg::Vector::Zero(s.m());
  t_start_ = start.t;
  norm_.set_weights(state);
  std::string problem = make_consistent(context_, *method_, state, true);
  if (problem.empty()) problem = settle_start(state);
  if (!problem.empty()) {
    result_.state = start;
    fail(FailureCause::kInconsistentStart, fmt::format("at the start (t = {:g}): {}", start.t, problem));
    result_.failure.t = start.t;
    return false;
  }
  const double moved_q = largest_abs(state.q - start.q), moved_v = largest_abs(state.v - start.v);
  if (moved_q > 1e-9 * std::max(1.0, largest_abs(start.q))) {
    result_.notes.push_back(
        fmt::format("the initial positions were moved by up to {:.3g} onto the constraints", moved_q));
  }
  if (moved_v > 1e-9 * std::max(1.0, largest_abs(start.v))) {
    result_.notes.push_back(
        fmt::format("the initial velocities were changed by up to {:.3g} to satisfy the constraints", moved_v));
  }
  evaluation_.set(state);
  result_.initial_energy = evaluation_.calc_energy();
  last_event_t_ = state.t - 1;
  schedule_.emplace(options_.output, state.t, t_end_);
  collect_instants(state.t);
  restart(state, {});
  has_begun_ = true;
  if (schedule_->wants_start()) emit(state);
  if (options_.h_initial > 0 && options_.h_fixed == 0) h_ = options_.h_initial;
  next_progress_ = observers_.progress_interval;
  return true;
}

/// Chooses the modes of the equations, where they have some.
std::string Run::settle_start(State& state) {
  bool has_modes = false;
  for (const Event& event : events_) {
    if (!event.settle) continue;
    event.settle(state, true);
    has_modes = true;
  }
  return has_modes ? make_consistent(context_, *method_, state, false) : "";
}

/// Starts the method at a consistent state.
void Run::restart(const State& state, const std::vector<std::size_t>& fired) {
  choose_horizon(state.t);
  continues_ = false;
  method_->start(state);
  controller_.reset();
  norm_.set_weights(state);
  h_ = options_.h_fixed > 0 ? options_.h_fixed : calc_initial_step(context_, *method_, state, t_end_ - state.t);
  locator_.start(state, fired);
}

/// One accepted step with everything that belongs to it. False when the run is over.
bool Run::advance() {
  const double begin = method_->state().t;
  if (!attempt_until_accepted()) return false;
  double end = method_->state().t;
  const bool looks = !locator_.is_idle();
  if (looks && retake_to_edge(begin, locator_.find_roots(begin, end))) return !is_interrupted();
  if (!note_step(begin)) return false;
  bool changed = false;
  if (looks && !handle_events(begin, locator_.roots(), end, changed)) return false;
  if (!changed) {
    write_output(begin, end);
    hand_over_interval(begin, end);
    if (end == horizon_ && end < t_end_ && !pass_instant()) return false;
  }
  return !is_interrupted();
}

/// The first root that ends the step: those that stop or restart do, but edges right behind the last event do not.
std::vector<Root>::const_iterator Run::find_cut(const std::vector<Root>& roots) const {
  return std::find_if(roots.begin(), roots.end(), [&](const Root& r) {
    const Event& event = events_[r.event];
    if (event.is_edge && is_close_to_last_event(r.t)) return false;
    return event.action != EventAction::kReport;
  });
}

/// A step across an edge is wrong behind it, and before it, too, where it looked ahead. It is taken back, and the next
/// one ends right before the edge; when that one finds the edge at an earlier time, once more.
bool Run::retake_to_edge(double begin, const std::vector<Root>& roots) {
  const auto cut = find_cut(roots);
  const double end = method_->state().t;
  if (cut == roots.end() || !events_[cut->event].is_edge) return false;
  const double margin = kEdgeMargin * (end - begin) + 16 * kRoundOff * std::abs(end);
  const double target = cut->t - margin;
  if (!(target > begin + margin) || retakes_ >= kMaxRetakes || options_.h_fixed > 0) return false;
  const std::size_t event = cut->event;
  if (!method_->undo()) return false;
  locator_.undo();
  ++retakes_;
  edge_ = event;
  edge_margin_ = margin;
  horizon_ = target;
  h_ = target - begin;
  return true;
}

/// The edges that are known beforehand, a little wider than they are: what jumps may see its argument rounded otherwise
/// than the function that knows the edge. Those that touch are one.
void Run::collect_instants(double t_start) {
  for (const Event& event : events_) {
    if (!event.instants) continue;
    for (math::SignChange instant : event.instants(t_start, t_end_)) {
      instant.before -= 4 * kRoundOff * std::abs(instant.before);
      instant.after = std::min(instant.after + 4 * kRoundOff * std::abs(instant.after), t_end_);
      if (instant.before > t_start && instant.before < t_end_) instants_.push_back(instant);
    }
  }
  std::sort(instants_.begin(), instants_.end(),
            [](const math::SignChange& a, const math::SignChange& b) { return a.before < b.before; });
  std::size_t count = 0;
  for (const math::SignChange& instant : instants_) {
    if (count > 0 && instant.before <= instants_[count - 1].after) {
      instants_[count - 1].after = std::max(instants_[count - 1].after, instant.after);
    } else {
      instants_[count++] = instant;
    }
  }
  instants_.resize(count);
}

void Run::choose_horizon(double t) {
  edge_.reset();
  retakes_ = 0;
  while (next_instant_ < instants_.size() && instants_[next_instant_].before <= t) ++next_instant_;
  horizon_ = next_instant_ < instants_.size() ? instants_[next_instant_].before : t_end_;
}

/// Goes on behind an edge that the last step ended on.
bool Run::pass_instant() {
  State state = method_->state();
  fired_.clear();
  if (edge_) {
    if (is_chattering(*edge_, state.t)) return false;
    // So little farther that it does not matter how.
    const double h = std::min(2 * edge_margin_, t_end_ - state.t);
    evaluation_.system().retract(method_->state().q, h * state.v, state.q);
    state.v += h * state.a;
    state.x += h * state.x_rate;
    state.t += h;
    fired_.push_back(*edge_);
    last_event_t_ = state.t;
  } else {
    state.t = instants_[next_instant_].after;
  }
  return restart_consistently(state, fmt::format("behind the edge of the equations at t = {:g}", state.t)) &&
         handle_caused_events();
}

double Run::limit_step(double h) const {
  const double t = method_->state().t, left = horizon_ - t;
  const bool is_fixed = options_.h_fixed > 0;
  if (!is_fixed)
    h = std::min(h, std::isfinite(options_.h_max) ? options_.h_max : largest_step_share_ * (t_end_ - t_start_));
  // A last step that would leave a sliver is stretched, one that would leave a short step is halved.
  if (h >= left * (1 - 1e-6)) return left;
  if (!is_fixed && h > 0.5 * left) h = 0.5 * left;
  return (t + h) - t;  // what the time can resolve, so that the formula and the clock agree
}

bool Run::attempt_until_accepted() {
  Statistics& statistics = result_.statistics;
  const double t = method_->state().t;
  const double smallest = std::max(options_.h_min, 16 * kRoundOff * std::max(std::abs(t), std::abs(t_end_) * 1e-3));
  int failures = 0;
  bool was_rejected = false;
  for (;;) {
    const double h = limit_step(h_);
    h_tried_ = h;
    if (!(h > smallest) && h < horizon_ - t) {
      fail_for_small_step(smallest, was_rejected);
      return false;
    }
    if (statistics.steps + statistics.rejected_error + statistics.rejected_convergence >= options_.max_steps) {
      stop(StopReason::kStepLimit, fmt::format("the limit of {} steps was reached at t = {:g}", options_.max_steps, t));
      return false;
    }
    const StepOutcome outcome = method_->attempt(h);
    const bool solved = outcome.status == StepStatus::kSolved;
    if (solved && (options_.h_fixed > 0 || outcome.error <= 1)) {
      method_->accept();
      h_done_ = method_->state().t - t;
      error_done_ = outcome.error;
      if (options_.h_fixed == 0) {
        const double next =
            method_->propose_step().value_or(controller_.after_accepted(h, method_->order(), outcome.error));
        // A step cut short by the end or by the limits says little about larger ones; one that the method ended does.
        const bool is_whole = h_done_ >= h * (1 - kWholeStep);
        h_ = is_whole && h < h_ ? std::max(next, std::min(h_, 5 * h)) : next;
      }
      return true;
    }
    ++(solved ? statistics.rejected_error : statistics.rejected_convergence);
    if (options_.h_fixed > 0) {
      fail(FailureCause::kMethod,
           fmt::format("at t = {:g} the fixed step of {:g} s could not be computed: {}; use a smaller one", t, h,
                       method_->describe_trouble()));
      return false;
    }
    if (solved) {
      h_ = method_->propose_step().value_or(controller_.after_rejected(h, method_->order(), outcome.error));
      failures = 0;
    } else {
      h_ = controller_.after_failure(h);
      ++failures;
    }
    if (failures >= kMaxFailuresInARow) {
      const std::string trouble = method_->describe_trouble();  // before describe_position() moves the evaluation
      fail(FailureCause::kEquations,
           fmt::format("at t = {:g} the equations could not be solved, last with h = {:.3g}: {}{}", t, h, trouble,
                       describe_position()));
      return false;
    }
    was_rejected = true;
    if (is_interrupted()) return false;
  }
}

void Run::fail_for_small_step(double smallest, bool was_tried) {
  // What was wrong with the attempt comes first: describe_position() moves the evaluation.
  const std::string trouble = was_tried ? "; " + method_->describe_trouble() : "";
  fail(FailureCause::kStepTooSmall,
       fmt::format(
           "at t = {:g} the step would have to be smaller than {:.3g} s{}. A looser tolerance, another method, or a "
           "look for a discontinuity there may help{}",
           method_->state().t, smallest, trouble, describe_position()));
}

/// A sentence about the position where a run came to its end, if there is something to say.
std::string Run::describe_position() {
  const State& state = method_->state();
  evaluation_.set_position(state.t, state.q);
  if (evaluation_.structure().m() == 0) return {};
  const std::string singularity = kinematics::describe_near_singularity(evaluation_);
  return singularity.empty() ? "" : ". At this time " + singularity;
}

/// Statistics and drift of the step just accepted. False when steps have become hopelessly small.
bool Run::note_step(double begin) {
  Statistics& statistics = result_.statistics;
  ++statistics.steps;
  const State& state = method_->state();
  const long iterations = statistics.newton_iterations;
  const long rejections = statistics.rejected_error + statistics.rejected_convergence;
  if (observers_.step) {
    observers_.step({state.t, h_done_, error_done_, method_->order(), iterations - iterations_noted_,
                     rejections - rejections_noted_});
  }
  iterations_noted_ = iterations;
  rejections_noted_ = rejections;
  if (state.t < t_end_ || statistics.steps == 1) {
    const double h = state.t - begin;
    statistics.smallest_step = statistics.steps == 1 ? h : std::min(statistics.smallest_step, h);
    statistics.largest_step = std::max(statistics.largest_step, h);
  }
  evaluation_.set_position(state.t, state.q);
  evaluation_.set_velocity(state.v);
  evaluation_.set_x(state.x);
  result_.drift.position = std::max(result_.drift.position, largest_abs(evaluation_.constraint()));
  if (residual_.size() > 0) {
    evaluation_.calc_velocity_residual(residual_);
    result_.drift.velocity = std::max(result_.drift.velocity, largest_abs(residual_));
  }
  if (!check_implied()) return false;
  if (evaluation_.structure().keeps_energy) energy_scale_ = std::max(energy_scale_, evaluation_.calc_kinetic_energy());
  const bool is_hopeless = h_done_ * static_cast<double>(options_.max_steps) < t_end_ - state.t;
  hopeless_steps_ = is_hopeless ? hopeless_steps_ + 1 : 0;
  if (hopeless_steps_ < kMaxHopelessSteps) return true;
  fail(FailureCause::kStepTooSmall,
       fmt::format("at t = {:g} steps of {:.3g} s would take more than {} to the end; the tolerance may be below what "
                   "round-off allows ({})",
                   state.t, h_done_, options_.max_steps, method_->describe_trouble()));
  return false;
}

/// Constraints that were left out must stay closed.
bool Run::check_implied() {
  const kinematics::OpenConstraint open = kinematics::find_open_implied(evaluation_);
  result_.drift.position = std::max(result_.drift.position, open.residual);
  const double size = 1 + largest_abs(method_->state().q);
  const double limit = std::min(kOpenWeights * norm_.q_weights().maxCoeff(), kOpenShare * size);
  if (open.residual <= limit) return true;
  fail(FailureCause::kEquations, fmt::format("at t = {:.10g} {}", method_->state().t,
                                             kinematics::describe_open_implied(evaluation_.structure(), open)));
  return false;
}

/// Notes that an edge was crossed. True when the motion does nothing but cross it to and fro; the run has failed then.
bool Run::is_chattering(std::size_t edge, double t) {
  const bool goes_on = edge == crossed_edge_ && result_.statistics.steps <= last_crossing_ + kStepsBetweenCrossings;
  last_crossing_ = result_.statistics.steps;
  crossed_edge_ = edge;
  if (!goes_on) {
    crossings_in_a_row_ = 0;
    first_crossing_t_ = t;
  }
  if (++crossings_in_a_row_ < kMaxCrossingsInARow || t - first_crossing_t_ > kChatteringShare * (t_end_ - t_start_)) {
    return false;
  }
  fail(FailureCause::kMethod,
       fmt::format(
           "at t = {:.10g} the motion chatters: it goes to and fro across {}. The value on either side drives it "
           "to the other; make the expression continuous there (friction, smooth_sign, step), or let an event "
           "change the model",
           t, events_[edge].name));
  return true;
}

/// Records the roots of the step. A stop or a restart cuts the step at its root (`end`), with output written up to
/// there.
bool Run::handle_events(double begin, const std::vector<Root>& roots, double& end, bool& changed) {
  if (roots.empty()) return true;
  const auto edge = std::find_if(roots.begin(), roots.end(), [&](const Root& r) { return events_[r.event].is_edge; });
  if (edge != roots.end() && is_chattering(edge->event, edge->t)) return false;
  // The first root that stops or restarts cuts the step. Roots that only round-off keeps apart from it count as one.
  const auto cut = find_cut(roots);
  const bool is_cut = cut != roots.end();
  const double together = 1e-10 * (end - begin);
  if (is_cut) end = cut->t;
  fired_.clear();
  const Event* stopping = nullptr;
  for (const Root& root : roots) {
    if (is_cut && root.t > end + together) break;  // what lies beyond a cut has not happened
    const Event& event = events_[root.event];
    const bool at_cut = is_cut && root.t >= end - together;
    if (!event.is_edge && !event.settle) result_.events.push_back({event.name, at_cut ? end : root.t});
    if (at_cut) fired_.push_back(root.event);
    if (event.action == EventAction::kStop && !stopping) stopping = &event;
  }
  if (!is_cut) return true;

  write_output(begin, end);
  changed = true;
  const State* at_root = solution_.at(end, Detail::kConsistent);
  const std::string& name = events_[cut->event].name;
  if (!at_root) {
    fail(FailureCause::kEquations,
         fmt::format("the state at the event '{}' (t = {:g}) could not be computed", name, end));
    return false;
  }
  State state = *at_root;
  hand_over_interval(begin, end);
  if (stopping) {
    result_.state = state;
    stop(StopReason::kEvent, fmt::format("event '{}' at t = {:.10g}", stopping->name, end));
    return false;
  }
  locator_.cut(state);
  return change_and_restart(std::move(state), name);
}

/// Lets the events that fired change the state, makes it consistent and starts the method anew.
bool Run::change_and_restart(State state, const std::string& name) {
  const double t = state.t;
  for (const std::size_t i : fired_) {
    if (events_[i].change) events_[i].change(state);
    if (!events_[i].settle) continue;
    for (std::string& what : events_[i].settle(state, false)) result_.events.push_back({std::move(what), t});
  }
  state.t = t;
  const std::vector<std::string> problems =
      dae::find_state_problems(evaluation_.structure(), state, fmt::format("after the event '{}' the state", name));
  if (!problems.empty()) {
    result_.state = method_->state();
    fail(FailureCause::kEquations,
         fmt::format("after the event '{}' at t = {:g}: {}", name, t, fmt::join(problems, "; ")));
    return false;
  }
  events_close_together_ = is_close_to_last_event(t) ? events_close_together_ + 1 : 0;
  last_event_t_ = t;
  if (events_close_together_ > kMaxEventsCloseTogether) {
    result_.state = state;
    fail(FailureCause::kMethod,
         fmt::format(
             "event '{}' happens faster and faster and accumulates at t = {:.10g}; let it stop the run, or change "
             "the model when the motion between events becomes small",
             name, t));
    return false;
  }
  return restart_consistently(state, fmt::format("after the event '{}' at t = {:g}", name, t)) &&
         handle_caused_events();
}

/// Events that the changes of others made happen, at the same time.
bool Run::handle_caused_events() {
  fired_.clear();
  const Event* stopping = nullptr;
  for (const std::size_t i : locator_.caused()) {
    const Event& event = events_[i];
    if (event.is_edge) continue;
    if (!event.settle) result_.events.push_back({event.name, method_->state().t});
    if (event.action == EventAction::kStop && !stopping) stopping = &event;
    if (event.action == EventAction::kRestart) fired_.push_back(i);
  }
  if (stopping) {
    stop(StopReason::kEvent, fmt::format("event '{}' at t = {:.10g}", stopping->name, method_->state().t));
    return false;
  }
  return fired_.empty() || change_and_restart(method_->state(), events_[fired_.front()].name);
}

bool Run::restart_consistently(State& state, const std::string& what) {
  const std::string problem = make_consistent(context_, *method_, state, false);
  if (!problem.empty()) {
    result_.state = method_->state();
    fail(FailureCause::kEquations, fmt::format("{}: {}", what, problem));
    return false;
  }
  ++result_.statistics.restarts;
  if (schedule_->wants_changes()) emit(state);
  restart(state, fired_);
  return true;
}

/// Energy that should be kept and is not tells of errors that no step saw.
void Run::check_energy() {
  if (!evaluation_.structure().keeps_energy || !result_.initial_energy || !result_.final_energy) return;
  const double change = std::abs(*result_.final_energy - *result_.initial_energy);
  const double limit = kDoubtfulEnergy * std::max(options_.rtol * energy_scale_, options_.atol);
  if (options_.h_fixed > 0 || !(change > limit)) return;
  result_.notes.push_back(fmt::format(
      "the energy changed by {:.3g} J although nothing takes or gives energy ({:.2g} of the largest kinetic "
      "energy): the result is less accurate than it should be; use a smaller tolerance",
      change, change / energy_scale_));
}

/// A method that lets velocities leave their constraints may have left the solution, too.
void Run::check_drift() {
  const double drift = result_.drift.velocity;
  if (!(drift > kDoubtfulDrift * std::pow(norm_.v_weights().maxCoeff(), 2.0 / 3))) return;
  result_.notes.push_back(fmt::format(
      "the velocities violated their constraints by up to {:.3g}, far more than the tolerance: the result is "
      "doubtful; use a method or an option that projects them",
      drift));
}

bool Run::is_close_to_last_event(double t) const {
  return t - last_event_t_ <= kAccumulationInterval * std::max(1.0, std::abs(t));
}

void Run::write_output(double begin, double end) {
  if (!observers_.output) return;
  double t = 0;
  while (!is_cancelled() && schedule_->take(begin, end, t)) {
    if (const State* state = solution_.at(t, Detail::kConsistent)) {
      emit(*state);
    } else if (lost_outputs_++ == 0) {
      first_lost_output_ = t;
    }
  }
}

void Run::hand_over_interval(double begin, double end) {
  if (!observers_.interval || !(end > begin)) return;  // an event may cut a step where it begins
  observers_.interval({begin, end, method_->dense_degree(), std::exchange(continues_, true),
                       [this](double t) { return solution_.at(t, Detail::kConsistent); }});
}

bool Run::is_cancelled() const { return options_.cancel && options_.cancel->load(std::memory_order_relaxed); }

bool Run::is_interrupted() {
  if (is_cancelled()) {
    stop(StopReason::kCancelled, fmt::format("cancelled at t = {:g}", method_->state().t));
    return true;
  }
  const bool has_limit = std::isfinite(options_.time_limit);
  if (!has_limit && !observers_.progress) return false;
  const double seconds = stopwatch_.wall_seconds();
  if (has_limit && seconds > options_.time_limit) {
    stop(StopReason::kTimeLimit,
         fmt::format("the time limit of {:g} s was reached at t = {:g}", options_.time_limit, method_->state().t));
    return true;
  }
  if (observers_.progress && seconds >= next_progress_) {
    next_progress_ = seconds + observers_.progress_interval;
    observers_.progress({method_->state().t, t_end_, h_done_, result_.statistics.steps, seconds});
  }
  return false;
}

void Run::emit(const State& state) {
  if (!observers_.output) return;
  ++result_.statistics.outputs;
  observers_.output(state);
}

void Run::stop(StopReason reason, std::string text) {
  finished_ = true;
  result_.status = RunStatus::kStopped;
  result_.stop_reason = reason;
  result_.reason = std::move(text);
}

void Run::fail(FailureCause cause, std::string message) {
  finished_ = true;
  result_.status = RunStatus::kFailed;
  result_.failure = {cause, method_->state().t, h_tried_, message};
  result_.reason = std::move(message);
}

void Run::finish_statistics() {
  Statistics& statistics = result_.statistics;
  statistics.evaluations += evaluation_.counts();
  statistics.linear += accelerations_.counts();
  method_->add_counts(statistics);
  statistics.wall_seconds = stopwatch_.wall_seconds();
  statistics.cpu_seconds = stopwatch_.cpu_seconds();
}

std::vector<std::string> find_problems(const MethodEntry& method, const dae::ConstrainedSystem& system,
                                       const State& start, double t_end, const Options& options,
                                       const std::vector<Event>& events) {
  std::vector<std::string> problems = options.validate(start.t, t_end);
  const dae::Structure& s = system.structure();
  for (std::string& problem : dae::find_state_problems(s, start, "the start state")) {
    problems.push_back(std::move(problem));
  }
  if (s.n_v() == 0) problems.push_back("the system has no coordinates");
  const auto settles = [](const Event& event) { return static_cast<bool>(event.settle); };
  if (!s.switchable_rows.empty() && std::none_of(events.begin(), events.end(), settles)) {
    problems.push_back(
        "the system has constraints that events switch on and off (friction that sticks and slips), but was given none "
        "of those events; analyses::make_events() makes them");
  }
  for (const Event& event : events) {
    if (!event.function && !event.instants)
      problems.push_back(fmt::format("event '{}' has no switching function", event.name));
    if (!(event.threshold >= 0)) problems.push_back(fmt::format("the threshold of event '{}' is negative", event.name));
  }
  if (options.h_fixed > 0 && !method.capabilities.fixed_steps) {
    problems.push_back(
        fmt::format("method '{}' chooses its steps itself and cannot take fixed ones; leave the fixed step out, or use "
                    "another method",
                    method.name));
  }
  for (std::string& obstacle : find_obstacles(method, s, options.method_options))
    problems.push_back(std::move(obstacle));
  return problems;
}

RunResult refuse(const State& start, const Options& options, std::string reason) {
  RunResult result;
  result.method = options.method;
  result.state = start;
  result.failure = {FailureCause::kInvalidInput, start.t, 0, reason};
  result.reason = std::move(reason);
  return result;
}

}  // namespace

RunResult integrate(const dae::ConstrainedSystem& system, const State& start, double t_end, const Options& options,
                    const std::vector<Event>& events, const Observers& observers) {
  if (const MethodEntry* method = find_method(options.method)) {
    return integrate_with(*method, system, start, t_end, options, events, observers);
  }
  std::vector<std::string> names;
  for (const MethodEntry* m : methods()) names.push_back(m->name);
  return refuse(start, options,
                fmt::format("there is no method '{}'; there are: {}", options.method, fmt::join(names, ", ")));
}

RunResult integrate_with(const MethodEntry& method, const dae::ConstrainedSystem& system, const State& start,
                         double t_end, const Options& options, const std::vector<Event>& events,
                         const Observers& observers) {
  const std::vector<std::string> problems = find_problems(method, system, start, t_end, options, events);
  if (!problems.empty()) return refuse(start, options, fmt::format("{}", fmt::join(problems, "; ")));
  State complete = State::zero(system.structure());
  complete.t = start.t;
  complete.q = start.q;
  complete.v = start.v;
  complete.x = start.x;
  const auto take = [](const linalg::Vector& given, linalg::Vector& guess) {
    if (given.size() == guess.size() && given.allFinite()) guess = given;
  };
  take(start.a, complete.a);  // where to look for reactions that forces depend on
  take(start.lambda, complete.lambda);
  take(start.x_rate, complete.x_rate);
  return Run(system, t_end, options, events, observers, method).execute(complete);
}

}  // namespace trammel::integrators
