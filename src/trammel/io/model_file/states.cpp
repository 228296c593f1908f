// Reads states, variables, outputs and events.

#include <fmt/format.h>

#include "trammel/io/model_file/section_readers.h"

namespace trammel::io::model_file {
namespace {

using model::Definition;
using model::EventRule;
using model::ExtraState;

void read_state(PartReader& reader, ExtraState& state, const Node& map) {
  const Node* derivative = map.get("derivative");
  const Node* residual = map.get("residual");
  if ((derivative == nullptr) == (residual == nullptr)) {
    reader.problems().add(map.place, "a state needs either 'derivative' or 'residual'");
    return;
  }
  state.is_implicit = residual != nullptr;
  const auto program =
      state.is_implicit ? reader.program(*residual, Purpose::kResidual) : reader.program(*derivative, Purpose::kState);
  if (program) state.function = *program;
  reader.values().read(map, "initial", state.initial);
  reader.values().read(map, "initial_rate", state.initial_rate);
  if (const Node* rate = map.get("initial_rate"); rate != nullptr && !state.is_implicit) {
    reader.problems().add(rate->place, "initial_rate is for states by residual");
  }
}

// An expression, or a map with value and unit.
void read_definition(PartReader& reader, Definition& definition, const Node& node, Purpose purpose) {
  const Node* value = node.is_map() ? node.get("value") : &node;
  if (value == nullptr) return;  // the schema check has said so
  if (const auto program = reader.program(*value, purpose)) definition.function = *program;
  if (const Node* unit = node.get("unit")) definition.unit = unit->text;
}

void read_assignments(PartReader& reader, EventRule& event, const Node& then) {
  const Node* set = then.get("set");
  if (set == nullptr) return;  // the schema check has said so
  for (const Entry& entry : set->entries) {
    const int state = reader.index().find_state(reader.part().prefix + entry.key);
    if (state < 0) {
      std::vector<std::string> known;
      for (const auto& other : reader.model().states) {
        if (other.name.starts_with(reader.part().prefix)) {
          known.push_back(other.name.substr(reader.part().prefix.size()));
        }
      }
      reader.problems().add(entry.place, describe_unknown("state", entry.key, known));
    }
    const auto program = reader.program(*entry.value, Purpose::kEvent);
    if (program && state >= 0) event.assignments.emplace_back(state, *program);
  }
}

void read_event(PartReader& reader, const std::string& name, const Node& map) {
  EventRule event;
  event.name = name;
  if (const Node* when = map.get("when")) {
    if (const auto program = reader.program(*when, Purpose::kEvent)) event.function = *program;
  }
  if (const Node* direction = map.get("direction")) {
    event.direction = direction->text == "rising" ? 1 : direction->text == "falling" ? -1 : 0;
  } else if (event.function.is_condition()) {
    event.direction = 1;  // where it becomes true
  }
  if (event.function.is_condition()) event.threshold = 0.5;
  reader.values().read(map, "threshold", event.threshold);
  reader.values().read(map, "noise", event.noise, Range::kNotNegative);
  if (const Node* then = map.get("then")) {
    event.stops = then->text == "stop";
    if (then->is_map()) read_assignments(reader, event, *then);
  }
  reader.model().events.push_back(std::move(event));
}

}  // namespace

void read_states(PartReader& reader) {
  reader.for_each_map("states", [&](const std::string& name, const Entry& entry) {
    const int k = reader.index().find_state(name);
    if (k >= 0) read_state(reader, reader.model().states[static_cast<std::size_t>(k)], *entry.value);
  });
  for (const Entry& entry : reader.part().contents->section("variables")) {
    const int k = reader.index().find_variable(reader.part().prefix + entry.key);
    if (k < 0) continue;
    read_definition(reader, reader.model().variables[static_cast<std::size_t>(k)], *entry.value, Purpose::kVariable);
  }
}

void read_outputs(PartReader& reader) {
  for (const Entry& entry : reader.part().contents->section("outputs")) {
    Definition output;
    output.name = reader.part().prefix + entry.key;
    read_definition(reader, output, *entry.value, Purpose::kOutput);
    reader.model().outputs.push_back(std::move(output));
  }
}

void read_events(PartReader& reader) {
  reader.for_each_map("events",
                      [&](const std::string& name, const Entry& entry) { read_event(reader, name, *entry.value); });
}

}  // namespace trammel::io::model_file
