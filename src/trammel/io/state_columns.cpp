#include "trammel/io/state_columns.h"

namespace trammel::io {

std::vector<Column> state_columns(const dae::Structure& structure) {
  std::vector<Column> columns;
  for (const std::string& name : structure.position_names) columns.push_back({name, "", "coordinates", "position"});
  for (const std::string& name : structure.velocity_names) columns.push_back({name, "", "coordinates", "velocity"});
  for (const std::string& name : structure.velocity_names) {
    columns.push_back({"a(" + name + ")", "", "coordinates", "acceleration, the rate of " + name});
  }
  for (const std::string& name : structure.constraint_names) {
    columns.push_back({"lambda(" + name + ")", "", "constraints", "multiplier of constraint " + name});
  }
  for (const std::string& name : structure.state_names) columns.push_back({name, "", "states", "extra state"});
  return columns;
}

void list_state(const dae::State& state, std::vector<double>& values) {
  values.clear();
  for (const linalg::Vector* part : {&state.q, &state.v, &state.a, &state.lambda, &state.x}) {
    values.insert(values.end(), part->begin(), part->end());
  }
}

}  // namespace trammel::io
