#include "trammel/integrators/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>

#include "trammel/dae/state_check.h"

namespace trammel::integrators {

using dae::State;
using linalg::largest_abs;

namespace {

// The share of a run that one step may span where constraints are switched on and off: what sticks has no error, and
// steps that grow without end would jump over loads that make it slip.
constexpr double kStickingStepShare = 0.01;

double calc_largest_step(const MethodEntry& entry, const dae::Structure& structure, const Options& options,
                         double span) {
  if (std::isfinite(options.h_max)) return options.h_max;
  const double share = structure.switchable_rows.empty() ? 1 : kStickingStepShare;
  return std::min(entry.largest_step_share, share) * span;
}

}  // namespace

Run::Run(const MethodEntry& entry, const dae::ConstrainedSystem& system, const State& start, double t_end,
         const Options& options, const std::vector<Event>& events, const Observers& observers)
    : start_(start),
      t_end_(t_end),
      options_(options),
      events_(events),
      observers_(observers),
      horizon_(t_end),
      evaluation_(system),
      accelerations_(evaluation_, {.back_end = linear_solver(entry, options.method_options)}),
      projector_(evaluation_, accelerations_),
      norm_(system.structure(), options.rtol, options.atol),
      context_{evaluation_,        accelerations_,         projector_,   norm_,
               result_.statistics, options.method_options, horizon_.t(), options.h_fixed > 0},
      method_(entry.make(context_)),
      solution_(context_, *method_),
      locator_(events, solution_, options.event_checks),
      endless_(start.t, t_end),
      interruption_(options, observers, stopwatch_, t_end),
      stepper_(context_, *method_, options, interruption_, t_end,
               calc_largest_step(entry, system.structure(), options, t_end - start.t)),
      monitor_(context_, *method_, options, t_end, result_),
      output_({options.output, start.t, t_end}, observers, *method_, solution_, interruption_, result_.statistics) {
  result_.method = entry.name;
}

RunResult Run::execute() {
  End end;
  try {
    end = begin();
    while (!end && method_->state().t < t_end_) end = advance();
  } catch (const std::exception& error) {
    // A function of the user, or memory; what was computed until then is kept.
    end = RunEnd::failed(FailureCause::kException, fmt::format("at t = {:g}: {}", time(), error.what()));
  }
  note_end(end);
  if (has_begun_) finish();

  Statistics& statistics = result_.statistics;
  statistics.evaluations += evaluation_.counts();
  statistics.linear += accelerations_.counts();
  statistics.linear_solver = kkt::to_string(accelerations_.metric().back_end());
  method_->add_counts(statistics);
  statistics.wall_seconds = stopwatch_.wall_seconds();
  statistics.cpu_seconds = stopwatch_.cpu_seconds();
  return std::move(result_);
}

/// Makes the start state consistent and starts the method there.
Run::End Run::begin() {
  State state = start_;
  norm_.set_weights(state);
  std::string problem = make_consistent(context_, *method_, state, true);
  if (problem.empty()) problem = settle_start(state);
  if (!problem.empty()) {
    result_.state = start_;
    return RunEnd::failed(FailureCause::kInconsistentStart,
                          fmt::format("at the start (t = {:g}): {}", start_.t, problem));
  }
  note_start(state);
  horizon_.collect_instants(events_, state.t);
  restart(state);
  has_begun_ = true;
  output_.write_start(state);
  if (options_.h_initial > 0 && options_.h_fixed == 0) stepper_.set_next_size(options_.h_initial);
  return std::nullopt;
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

/// The energy of the consistent start state, and how far it is from the one that was given.
void Run::note_start(const State& state) {
  const double moved_q = largest_abs(state.q - start_.q), moved_v = largest_abs(state.v - start_.v);
  if (moved_q > 1e-9 * std::max(1.0, largest_abs(start_.q))) {
    result_.notes.push_back(
        fmt::format("the initial positions were moved by up to {:.3g} onto the constraints", moved_q));
  }
  if (moved_v > 1e-9 * std::max(1.0, largest_abs(start_.v))) {
    result_.notes.push_back(
        fmt::format("the initial velocities were changed by up to {:.3g} to satisfy the constraints", moved_v));
  }
  evaluation_.set(state);
  result_.initial_energy = evaluation_.calc_energy();
}

/// Starts the method at a consistent state, where events may have fired.
void Run::restart(const State& state) {
  horizon_.look_from(state.t);
  output_.break_intervals();
  method_->start(state);
  norm_.set_weights(state);
  stepper_.start(state);
  locator_.start(state, fired_);
}

void Run::note_end(const End& end) {
  if (!end) {
    result_.status = RunStatus::kCompleted;
    result_.reason = "reached the end time";
    return;
  }
  result_.status = end->status;
  result_.stop_reason = end->stop_reason;
  result_.reason = end->text;
  if (end->status == RunStatus::kFailed) {
    result_.failure = {end->failure_cause, time(), stepper_.tried_size(), end->text};
  }
}

/// The last state, its output and energy, and what the user should know.
void Run::finish() {
  if (result_.state.q.size() == 0) result_.state = method_->state();
  output_.add_notes(result_.notes);
  method_->add_notes(result_.notes);
  if (result_.failure.cause == FailureCause::kException) return;  // the functions of the user are not called again
  output_.write_last(result_.state);
  evaluation_.set(result_.state);
  result_.final_energy = evaluation_.calc_energy();
  monitor_.add_doubts();
}

/// One accepted step with everything that belongs to it.
Run::End Run::advance() {
  const double begin = method_->state().t;
  if (End over = stepper_.advance()) return over;
  const double end = method_->state().t;
  const bool has_roots = !locator_.find_roots(begin, end).empty();
  if (has_roots && retake_to_edge(begin, end)) return check_interruption();
  if (End over = note_step()) return over;
  const std::optional<Root> cut = has_roots ? record_events(begin, end) : std::nullopt;
  if (End over = cut ? cut_step(begin, *cut) : end_step(begin, end)) return over;
  return check_interruption();
}

/// A step across an edge is wrong behind it, and before it, too, where it looked ahead. It is taken back, and the next
/// one ends right before the edge; when that one finds the edge at an earlier time, once more.
bool Run::retake_to_edge(double begin, double end) {
  const std::optional<Root> cut = find_cut();
  if (!cut || !events_[cut->event].is_edge || options_.h_fixed > 0) return false;
  const std::optional<EdgeStop> stop = horizon_.calc_stop(*cut, begin, end);
  if (!stop || !method_->undo()) return false;
  locator_.undo();
  horizon_.set_stop(*stop);
  stepper_.set_next_size(stop->t - begin);
  return true;
}

/// The step is kept. The run is over when it shows that there is no use in going on.
Run::End Run::note_step() {
  ++result_.statistics.steps;
  const StepRecord record = stepper_.take_record();
  if (observers_.step) observers_.step(record);
  if (End over = monitor_.note_step(record.h)) return over;
  const std::vector<Root>& roots = locator_.roots();
  const auto edge = std::find_if(roots.begin(), roots.end(), [&](const Root& r) { return events_[r.event].is_edge; });
  return edge != roots.end() ? note_crossing(edge->event, edge->t) : std::nullopt;
}

/// Output of a step that nothing cuts; when it has ended before an edge, the run goes on behind that.
Run::End Run::end_step(double begin, double end) {
  output_.write_points(begin, end);
  output_.hand_over_interval(begin, end);
  return end == horizon_.t() && end < t_end_ ? pass_edge() : std::nullopt;
}

Run::End Run::pass_edge() {
  State state = method_->state();
  fired_.clear();
  if (const std::optional<EdgeStop>& edge = horizon_.stop()) {
    if (End over = note_crossing(edge->event, state.t)) return over;
    // So little farther that it does not matter how.
    const double h = std::min(2 * edge->margin, t_end_ - state.t);
    evaluation_.system().retract(method_->state().q, h * state.v, state.q);
    state.v += h * state.a;
    state.x += h * state.x_rate;
    state.t += h;
    fired_.push_back(edge->event);
    endless_.note_passage(state.t);
  } else {
    state.t = horizon_.behind_instant();
  }
  if (End over = restart_consistently(state, fmt::format("behind the edge of the equations at t = {:g}", state.t))) {
    return over;
  }
  return handle_caused_events();
}

Run::End Run::check_interruption() {
  return interruption_.check(method_->state().t, stepper_.accepted_size(), result_.statistics.steps);
}

/// The first root that ends the step: those that stop or restart do, but edges right behind the last event do not.
std::optional<Root> Run::find_cut() const {
  for (const Root& root : locator_.roots()) {
    const Event& event = events_[root.event];
    if (event.action == EventAction::kReport || (event.is_edge && endless_.is_close_to_last(root.t))) continue;
    return root;
  }
  return std::nullopt;
}

/// Records the roots of the step up to the one that cuts it, which is returned. Those that only round-off keeps apart
/// from it count as one with it: they have fired.
std::optional<Root> Run::record_events(double begin, double end) {
  const std::optional<Root> cut = find_cut();
  const double together = 1e-10 * (end - begin);
  fired_.clear();
  for (const Root& root : locator_.roots()) {
    if (cut && root.t > cut->t + together) break;  // what lies beyond a cut has not happened
    const Event& event = events_[root.event];
    const bool at_cut = cut && root.t >= cut->t - together;
    if (!event.is_edge && !event.settle) result_.events.push_back({event.name, at_cut ? cut->t : root.t});
    if (at_cut) fired_.push_back(root.event);
  }
  return cut;
}

/// The step ends at a root already, with output up to there. The run stops, or goes on from a changed state.
Run::End Run::cut_step(double begin, const Root& cut) {
  output_.write_points(begin, cut.t);
  const std::string& name = events_[cut.event].name;
  const State* at_cut = solution_.at(cut.t, Detail::kConsistent);
  if (!at_cut) {
    return RunEnd::failed(FailureCause::kEquations,
                          fmt::format("the state at the event '{}' (t = {:g}) could not be computed", name, cut.t));
  }
  State state = *at_cut;
  output_.hand_over_interval(begin, cut.t);
  if (End over = stop_if_wanted(state.t)) {
    result_.state = std::move(state);
    return over;
  }
  locator_.cut(state);
  return change_and_restart(std::move(state), name);
}

/// Lets the events that fired change the state, makes it consistent and starts the method anew.
Run::End Run::change_and_restart(State state, const std::string& name) {
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
    return RunEnd::failed(FailureCause::kEquations,
                          fmt::format("after the event '{}' at t = {:g}: {}", name, t, fmt::join(problems, "; ")));
  }
  if (endless_.note_change(t)) {
    result_.state = std::move(state);
    return RunEnd::failed(
        FailureCause::kMethod,
        fmt::format(
            "event '{}' happens faster and faster and accumulates at t = {:.10g}; let it stop the run, or change "
            "the model when the motion between events becomes small",
            name, t));
  }
  if (End over = restart_consistently(state, fmt::format("after the event '{}' at t = {:g}", name, t))) return over;
  return handle_caused_events();
}

Run::End Run::restart_consistently(State& state, const std::string& what) {
  const std::string problem = make_consistent(context_, *method_, state, false);
  if (!problem.empty()) {
    result_.state = method_->state();
    return RunEnd::failed(FailureCause::kEquations, fmt::format("{}: {}", what, problem));
  }
  ++result_.statistics.restarts;
  output_.write_change(state);
  restart(state);
  return std::nullopt;
}

/// Events that the changes of others made happen, at the same time.
Run::End Run::handle_caused_events() {
  const double t = method_->state().t;
  fired_.clear();
  for (const std::size_t i : locator_.caused()) {
    const Event& event = events_[i];
    if (event.is_edge) continue;
    if (!event.settle) result_.events.push_back({event.name, t});
    if (event.action != EventAction::kReport) fired_.push_back(i);
  }
  if (End over = stop_if_wanted(t)) return over;
  if (fired_.empty()) return std::nullopt;
  return change_and_restart(method_->state(), events_[fired_.front()].name);
}

/// One of the events that fired at t may stop the run.
Run::End Run::stop_if_wanted(double t) const {
  const auto stops = [&](std::size_t i) { return events_[i].action == EventAction::kStop; };
  const auto stop = std::find_if(fired_.begin(), fired_.end(), stops);
  if (stop == fired_.end()) return std::nullopt;
  return RunEnd::stopped(StopReason::kEvent, fmt::format("event '{}' at t = {:.10g}", events_[*stop].name, t));
}

/// Notes that an edge was crossed. The run is over when the motion does nothing but cross it to and fro.
Run::End Run::note_crossing(std::size_t edge, double t) {
  if (!endless_.note_crossing(edge, t, result_.statistics.steps)) return std::nullopt;
  return RunEnd::failed(
      FailureCause::kMethod,
      fmt::format(
          "at t = {:.10g} the motion chatters: it goes to and fro across {}. The value on either side drives it "
          "to the other; make the expression continuous there (friction, smooth_sign, step), or let an event "
          "change the model",
          t, events_[edge].name));
}

}  // namespace trammel::integrators
