#include "trammel/analyses/model_events.h"

#include <algorithm>

#include "trammel/analyses/friction_modes.h"
#include "trammel/system/probe.h"

namespace trammel::analyses {
namespace {

using integrators::Crossing;
using integrators::Event;
using integrators::EventAction;
using math::SignChange;
using model::expression::Switch;
using system::Mechanism;
using system::Probe;
using system::ProgramUse;
using system::TimeFunction;

// Edges up to this derivative of the accelerations cut steps: jumps of their value and of their slope. Smoother ones
// cost little accuracy.
constexpr int kHighestEdge = 1;

/// Everything the functions of the events need, shared between them.
struct Shared {
  explicit Shared(std::shared_ptr<const Mechanism> m) : mechanism(std::move(m)), probe(*mechanism) {}
  std::shared_ptr<const Mechanism> mechanism;
  Probe probe;
};

Event make_event(const std::shared_ptr<Shared>& shared, const std::string& name, const model::Program& program,
                 double level) {
  const system::Signals& signals = shared->mechanism->signals();
  const std::vector<int> order = signals.order_of({&program});
  Event event;
  event.name = name;
  event.needs_accelerations = signals.needs_accelerations(order) || signals.needs_reactions(order);
  event.function = [shared, level, use = ProgramUse(program, signals)](const dae::State& state) {
    shared->probe.set(state);
    return shared->probe.eval(use) - level;
  };
  return event;
}

Event make_model_event(const std::shared_ptr<Shared>& shared, const model::EventRule& rule) {
  Event event = make_event(shared, rule.name, rule.function, rule.threshold);
  event.threshold = rule.noise;
  event.crossing = rule.direction > 0 ? Crossing::kRising : rule.direction < 0 ? Crossing::kFalling : Crossing::kAny;
  event.action = rule.stops ? EventAction::kStop : EventAction::kReport;
  if (!rule.assignments.empty()) {
    event.action = EventAction::kRestart;
    std::vector<std::pair<int, ProgramUse>> assignments;
    for (const auto& [state, program] : rule.assignments) {
      assignments.emplace_back(state, ProgramUse(program, shared->mechanism->signals()));
    }
    event.change = [shared, assignments](dae::State& state) {
      shared->probe.set(state);
      for (const auto& [index, program] : assignments) state.x[index] = shared->probe.eval(program);
    };
  }
  return event;
}

bool depends_on_time_alone(const model::Model& model, const model::Program& program) {
  return std::all_of(program.inputs().begin(), program.inputs().end(), [&](int input) {
    return model.signals[static_cast<std::size_t>(input)].kind == model::SignalKind::kTime;
  });
}

Event make_edge(Event event) {
  event.action = EventAction::kRestart;
  event.is_edge = true;
  return event;
}

Event make_known_edge(const std::string& name, std::function<std::vector<SignChange>(double, double)> instants) {
  Event event;
  event.name = name;
  event.instants = std::move(instants);
  return make_edge(std::move(event));
}

void add_program_edges(const std::shared_ptr<Shared>& shared, std::vector<Event>& events) {
  const model::Model& model = shared->mechanism->model();
  for (const model::Program* program : find_watched_programs(*shared->mechanism)) {
    for (const Switch& edge : program->switches()) {
      if (edge.order > kHighestEdge) continue;
      if (depends_on_time_alone(model, edge.function)) {
        events.push_back(make_known_edge(edge.text, [function = edge.function](double from, double to) {
          return system::find_sign_changes(function, from, to);
        }));
      } else {
        events.push_back(make_edge(make_event(shared, edge.text, edge.function, 0)));
      }
    }
  }
}

// Slip velocities [m/s, rad/s] and shares of a limit below this are noise.
constexpr double kFrictionNoise = 1e-9;
// The same for components of loads, relative to the weight of the mechanism or to 1 N.
constexpr double kLoadNoise = 1e-9;

double calc_weight(const Mechanism& mechanism) {
  double mass = 0;
  for (const model::Body& body : mechanism.model().bodies) mass += body.mass;
  return mass * mechanism.model().gravity.norm();
}

void add_friction_events(const std::shared_ptr<const Mechanism>& mechanism, bool with_edges,
                         std::vector<Event>& events) {
  const system::DryFrictions& frictions = mechanism->forces().frictions();
  if (!frictions.is_active()) return;
  const auto modes = std::make_shared<FrictionModes>(mechanism);
  for (int k = 0; k < frictions.count(); ++k) {
    Event event;
    event.name = frictions.name(k) + " sticks or slips";
    event.function = [modes, k](const dae::State& state) { return modes->calc_margin(state, k); };
    event.settle = [modes, k](dae::State& state, bool is_start) { return modes->settle(state, is_start ? -1 : k); };
    event.crossing = Crossing::kFalling;
    event.action = EventAction::kRestart;
    event.threshold = kFrictionNoise;
    event.needs_accelerations = true;
    events.push_back(std::move(event));
    for (int edge = 0; with_edges && edge < frictions.edge_count(k); ++edge) {
      Event of_load;
      of_load.name = "the load of " + frictions.name(k);
      of_load.function = [modes, k, edge](const dae::State& state) { return modes->calc_edge(state, k, edge); };
      of_load.threshold = kLoadNoise * std::max(1.0, calc_weight(*mechanism));
      of_load.needs_accelerations = true;
      events.push_back(make_edge(std::move(of_load)));
    }
  }
}

}  // namespace

std::vector<const model::Program*> find_watched_programs(const Mechanism& mechanism) {
  const model::Model& model = mechanism.model();
  std::vector<const model::Program*> programs;
  if (!model.simulation.finds_switches) return programs;
  for (const model::Force& force : model.forces) {
    const std::vector<const model::Program*> own = force.programs();
    programs.insert(programs.end(), own.begin(), own.end());
  }
  for (const model::ExtraState& state : model.states) programs.push_back(&state.function);
  for (const int signal : mechanism.signals().order_of(programs)) {
    const model::Signal& s = model.signals[static_cast<std::size_t>(signal)];
    if (s.kind != model::SignalKind::kVariable) continue;
    programs.push_back(&model.variables[static_cast<std::size_t>(s.index)].function);
  }
  return programs;
}

std::vector<Event> make_events(std::shared_ptr<const Mechanism> mechanism) {
  const auto shared = std::make_shared<Shared>(std::move(mechanism));
  const model::Model& model = shared->mechanism->model();
  std::vector<Event> events;
  for (const model::EventRule& rule : model.events) events.push_back(make_model_event(shared, rule));
  add_friction_events(shared->mechanism, model.simulation.finds_switches, events);
  if (!model.simulation.finds_switches) return events;
  add_program_edges(shared, events);
  // Accelerations are the second derivatives of the functions that drive coordinates.
  for (const TimeFunction& function : shared->mechanism->constraints().time_functions()) {
    if (!function.has_edges()) continue;
    events.push_back(make_known_edge(
        "motion", [function](double from, double to) { return function.find_edges(from, to, kHighestEdge + 2); }));
  }
  return events;
}

}  // namespace trammel::analyses
