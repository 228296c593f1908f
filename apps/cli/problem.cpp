#include "problem.h"

#include <fmt/format.h>

#include <filesystem>

#include "commands.h"
#include "trammel/io/model_reader.h"
#include "trammel/model/near_names.h"

namespace trammel::cli {
namespace {

bool is_file_name(const std::string& name) {
  const auto ends_with = [&](const char* ending) { return name.ends_with(ending); };
  return ends_with(".yaml") || ends_with(".yml") || ends_with(".json") || name.find('/') != std::string::npos;
}

const cases::CaseEntry& find_entry(const std::string& name) {
  if (const cases::CaseEntry* entry = cases::find_case(name)) return *entry;
  std::vector<std::string> names;
  for (const cases::CaseEntry* entry : cases::cases()) names.push_back(entry->name);
  throw InputError(model::describe_unknown("case", name, names) + "; a model file ends with .yaml");
}

model::Model read_file(const std::string& path, const cases::ParameterValues& changes) {
  io::ModelReadOptions options;
  options.parameters = changes;
  try {
    return io::read_model_file(path, options);
  } catch (const io::ModelError& error) {
    throw InputError(error.what());
  }
}

}  // namespace

std::pair<std::string, std::string> split_assignment(const std::string& text, const char* option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(fmt::format("'{} {}' is not of the form name=value", option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double to_number(const std::string& text, const std::string& what) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  if (used == 0 || used != text.size())
    throw InputError(fmt::format("the value '{}' of {} is not a number", text, what));
  return value;
}

void add_problem_options(CLI::App& command, ProblemRequest& request) {
  command.add_option("case", request.name, "Name of a case ('trammel cases' lists them), or a model file (.yaml)")
      ->required();
  command.add_option("-p", request.parameters, "Parameter of the case or file, name=value (repeatable)")
      ->allow_extra_args(false);
}

Problem load_problem(const ProblemRequest& request) {
  cases::ParameterValues changes;
  for (const std::string& text : request.parameters) {
    const auto [name, value] = split_assignment(text, "-p");
    changes[name] = to_number(value, "parameter '" + name + "'");
  }
  Problem problem;
  problem.name = request.name;
  try {
    if (is_file_name(request.name)) {
      problem.model = std::make_shared<const model::Model>(read_file(request.name, changes));
      problem.name =
          problem.model->name.empty() ? std::filesystem::path(request.name).stem().string() : problem.model->name;
    } else {
      const cases::CaseEntry& entry = find_entry(request.name);
      if (entry.model) {
        problem.model = std::make_shared<const model::Model>(cases::build_model(entry, changes));
      } else {
        problem.given = cases::build_case(entry, changes);
      }
      for (const cases::Parameter& p : entry.parameters) problem.parameters.emplace_back(p.name, p.value);
    }
    if (problem.model) {
      problem.parameters.clear();
      for (const model::ModelParameter& p : problem.model->parameters) problem.parameters.emplace_back(p.name, p.value);
      problem.prepared = analyses::prepare(problem.model, request.options);
      if (problem.prepared.ok) problem.given = cases::make_case(problem.prepared);
    }
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
  for (auto& [name, value] : problem.parameters) {
    const auto changed = changes.find(name);
    if (changed != changes.end()) value = changed->second;
  }
  return problem;
}

Problem load_ready_problem(const ProblemRequest& request) {
  Problem problem = load_problem(request);
  if (problem.model && !problem.prepared.ok) throw PreparationError(problem.prepared.message);
  for (const std::string& warning : problem.given.warnings) fmt::print(stderr, "trammel: {}\n", warning);
  return problem;
}

}  // namespace trammel::cli
