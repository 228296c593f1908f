#pragma once

// Reference solutions of the cases: files of cases/reference/, one for each set of parameters. A file says how it was
// computed and how exact it is; values carry the name of the position, velocity or constraint row (for its multiplier)
// that they belong to, and accelerations are named a(velocity). Files of limits/ hold what a case tends to, for
// infinite stiffness say, under the same names.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cases/case.h"

namespace trammel::cases {

struct ReferencePoint {
  double t;
  std::map<std::string, double> values;
};

struct Reference {
  std::string name;  ///< of the file, without its extension
  std::string case_name;
  ParameterValues parameters;
  std::string origin;
  std::vector<ReferencePoint> points;                      ///< by time
  std::map<std::string, std::vector<double>> event_times;  ///< all roots of an event up to the case's end, or its stop
};

/// Throws std::runtime_error naming the file when it cannot be read or lacks something.
Reference load_reference(const std::filesystem::path& file);
/// Every *.json file of a folder, by name; not those of folders in it.
std::vector<Reference> load_references(const std::filesystem::path& folder);

/// The number in `state` that a reference calls `name`. Throws std::out_of_range when there is none.
double& named_value(const dae::Structure& structure, dae::State& state, const std::string& name);
double named_value(const dae::Structure& structure, const dae::State& state, const std::string& name);

/// Whether the point has all positions and velocities.
bool is_complete(const dae::Structure& structure, const ReferencePoint& point);
/// The state with the values of the point, and zero where it has none.
dae::State to_state(const dae::Structure& structure, const ReferencePoint& point);

}  // namespace trammel::cases
