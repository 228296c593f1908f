#include "trammel/analyses/model_events.h"

#include <set>

#include "trammel/system/probe.h"

namespace trammel::analyses {
namespace {

using integrators::Crossing;
using integrators::Event;
using integrators::EventAction;
using system::Mechanism;
using system::Probe;
using system::ProgramUse;

// Edges up to this derivative cut steps: jumps of the value and of its slope. Smoother ones cost little accuracy.
constexpr int kHighestEdge = 1;

/// Everything the functions of the events need, shared between them.
struct Shared {
  explicit Shared(std::shared_ptr<const Mechanism> m) : mechanism(std::move(m)), probe(*mechanism) {}
  std::shared_ptr<const Mechanism> mechanism;
  Probe probe;
};

Event make_event(const std::shared_ptr<Shared>& shared, const std::string& name, const model::Program& program) {
  const system::Signals& signals = shared->mechanism->signals();
  const std::vector<int> order = signals.order_of({&program});
  Event event;
  event.name = name;
  event.needs_accelerations = signals.needs_accelerations(order) || signals.needs_reactions(order);
  event.function = [shared, use = ProgramUse(program, signals)](const dae::State& state) {
    shared->probe.set(state);
    return shared->probe.eval(use);
  };
  return event;
}

Event make_model_event(const std::shared_ptr<Shared>& shared, const model::EventRule& rule) {
  Event event = make_event(shared, rule.name, rule.function);
  event.crossing = rule.direction > 0 ? Crossing::kRising : rule.direction < 0 ? Crossing::kFalling : Crossing::kAny;
  event.threshold = rule.threshold;
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

/// The programs that the motion depends on.
std::vector<const model::Program*> dynamic_programs(const model::Model& model) {
  std::vector<const model::Program*> programs;
  for (const model::Force& force : model.forces) {
    if (force.scalar && force.scalar->law.expression) programs.push_back(&*force.scalar->law.expression);
    if (!force.vector) continue;
    for (const auto* parts : {&force.vector->force, &force.vector->torque}) {
      for (const auto& part : *parts) {
        if (part) programs.push_back(&*part);
      }
    }
  }
  for (const model::ExtraState& state : model.states) programs.push_back(&state.function);
  return programs;
}

}  // namespace

std::vector<Event> make_events(std::shared_ptr<const Mechanism> mechanism) {
  const auto shared = std::make_shared<Shared>(std::move(mechanism));
  const model::Model& model = shared->mechanism->model();
  std::vector<Event> events;
  for (const model::EventRule& rule : model.events) events.push_back(make_model_event(shared, rule));
  if (!model.simulation.finds_switches) return events;

  std::vector<const model::Program*> programs = dynamic_programs(model);
  for (const int signal : shared->mechanism->signals().order_of(programs)) {
    const model::Signal& s = model.signals[static_cast<std::size_t>(signal)];
    if (s.kind == model::SignalKind::kVariable) {
      programs.push_back(&model.variables[static_cast<std::size_t>(s.index)].function);
    }
  }
  std::set<std::string> known;
  for (const model::Program* program : programs) {
    for (const model::expression::Switch& edge : program->switches()) {
      if (edge.order > kHighestEdge || !known.insert(program->text() + '\n' + edge.text).second) continue;
      Event event = make_event(shared, edge.text, edge.function);
      event.action = EventAction::kRestart;
      event.is_edge = true;
      events.push_back(std::move(event));
    }
  }
  return events;
}

}  // namespace trammel::analyses
