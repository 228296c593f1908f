#include "cases/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

namespace trammel::cases {
namespace {

std::optional<Eigen::Index> index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

}  // namespace

Reference load_reference(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error(fmt::format("cannot read {}", file.string()));
  try {
    const auto json = nlohmann::json::parse(stream);
    Reference reference;
    reference.name = file.stem().string();
    reference.case_name = json.at("case").get<std::string>();
    reference.parameters = json.at("parameters").get<ParameterValues>();
    reference.origin = json.at("origin").get<std::string>();
    for (const auto& point : json.at("points")) {
      reference.points.push_back(
          {point.at("t").get<double>(), point.at("values").get<std::map<std::string, double>>()});
    }
    reference.event_times = json.at("event_times").get<std::map<std::string, std::vector<double>>>();
    return reference;
  } catch (const nlohmann::json::exception& e) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), e.what()));
  }
}

std::vector<Reference> load_references(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Reference> references;
  references.reserve(files.size());
  for (const auto& file : files) references.push_back(load_reference(file));
  return references;
}

double& named_value(const dae::Structure& structure, dae::State& state, const std::string& name) {
  if (const auto i = index_of(structure.position_names, name)) return state.q[*i];
  if (const auto i = index_of(structure.velocity_names, name)) return state.v[*i];
  if (const auto i = index_of(structure.constraint_names, name)) return state.lambda[*i];
  if (const auto i = index_of(structure.state_names, name)) return state.x[*i];
  if (name.starts_with("a(") && name.ends_with(")")) {
    if (const auto i = index_of(structure.velocity_names, name.substr(2, name.size() - 3))) return state.a[*i];
  }
  throw std::out_of_range(fmt::format("there is no position, velocity, constraint, state or acceleration '{}'", name));
}

double named_value(const dae::Structure& structure, const dae::State& state, const std::string& name) {
  return named_value(structure, const_cast<dae::State&>(state), name);  // which only looks
}

bool is_complete(const dae::Structure& structure, const ReferencePoint& point) {
  const auto has_all = [&](const std::vector<std::string>& names) {
    return std::all_of(names.begin(), names.end(), [&](const std::string& n) { return point.values.contains(n); });
  };
  return has_all(structure.position_names) && has_all(structure.velocity_names);
}

dae::State to_state(const dae::Structure& structure, const ReferencePoint& point) {
  dae::State state = dae::State::zero(structure);
  state.t = point.t;
  for (const auto& [name, value] : point.values) named_value(structure, state, name) = value;
  return state;
}

}  // namespace trammel::cases
