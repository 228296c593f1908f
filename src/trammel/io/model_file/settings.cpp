// Reads what only the whole model has: name, gravity and how to simulate it.

#include <fmt/format.h>

#include <cmath>

#include "trammel/io/model_file/section_readers.h"

namespace trammel::io::model_file {
namespace {

void read_continuous(PartReader& reader, const Node& outputs) {
  model::SimulationSettings& settings = reader.model().simulation;
  const Node* node = outputs.get("continuous");
  if (node != nullptr && (node->is_list() || reader.values().flag(outputs, "continuous"))) {
    settings.continuous.emplace();
    for (const NodePtr& item : node->items) settings.continuous->push_back(item->text);
    if (node->is_list() && node->items.empty()) reader.problems().add(node->place, "the list of columns is empty");
  }
  const std::optional<double> degree = reader.values().number(outputs, "continuous_degree", Range::kPositive);
  if (!degree) return;
  if (*degree != std::floor(*degree) || *degree > model::kLargestContinuousDegree) {
    reader.problems().add(outputs.get("continuous_degree")->place,
                          fmt::format("continuous_degree must be a whole number from 1 to {}, but is {}",
                                      model::kLargestContinuousDegree, *degree));
    return;
  }
  settings.continuous_degree = static_cast<int>(*degree);
}

void read_simulation(PartReader& reader, const Node& map) {
  Values& values = reader.values();
  model::SimulationSettings& settings = reader.model().simulation;
  values.read(map, "t_start", settings.t_start);
  values.read(map, "t_end", settings.t_end);
  if (settings.t_end < settings.t_start) {
    const Node* node = map.has("t_end") ? map.get("t_end") : map.get("t_start");
    reader.problems().add(node->place, fmt::format("the simulation ends at {} s, before its start at {} s",
                                                   settings.t_end, settings.t_start));
  }
  if (const Node* method = map.get("method"); method != nullptr && method->is_scalar()) settings.method = method->text;
  if (const Node* wanted = map.get("coordinates"); wanted != nullptr && wanted->is_scalar()) {
    settings.coordinates = wanted->text;
  }
  settings.tolerance = values.number(map, "tolerance", Range::kPositive);
  settings.max_step = values.number(map, "max_step", Range::kPositive);
  if (map.has("find_switches")) settings.finds_switches = values.flag(map, "find_switches");
  if (const Node* outputs = map.get("outputs")) {
    settings.output_interval = values.number(*outputs, "every", Range::kPositive);
    read_continuous(reader, *outputs);
  }
  if (const Node* options = map.get("options")) {
    for (const Entry& entry : options->entries) {
      if (entry.value->is_scalar()) settings.method_options[entry.key] = entry.value->text;
    }
  }
}

}  // namespace

void read_settings(PartReader& reader) {
  const Contents& contents = *reader.part().contents;
  model::Model& model = reader.model();
  if (const Node* name = contents.setting("model")) model.name = name->text;
  if (const Node* summary = contents.setting("summary")) model.summary = summary->text;
  if (const Node* gravity = contents.setting("gravity")) {
    if (const auto value = reader.values().vector(*gravity)) model.gravity = *value;
  }
  if (const Node* simulation = contents.setting("simulation"); simulation != nullptr && simulation->is_map()) {
    read_simulation(reader, *simulation);
  }
}

}  // namespace trammel::io::model_file
