#include "problem.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "commands.h"
#include "trammel/analyses/model_notes.h"
#include "trammel/io/model_reader.h"
#include "trammel/model/expression/expression.h"
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
    throw InputError(error.what(), error.problems());
  }
}

/// For arithmetic among numbers.
class NoNames final : public model::expression::Scope {
 public:
  std::optional<model::expression::Meaning> find(const std::string& /*name*/) override { return std::nullopt; }
  std::vector<std::string> names() const override { return {}; }
};

}  // namespace

std::pair<std::string, std::string> split_assignment(const std::string& text, const char* option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(fmt::format("'{} {}' is not of the form name=value", option, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

double to_number(const std::string& text, const std::string& what) {
  NoNames scope;
  try {
    return model::expression::evaluate(text, scope);
  } catch (const model::expression::ExpressionError& error) {
    throw InputError(fmt::format("the value '{}' of {} is not a number: {}", text, what, error.message()));
  }
}

void require_finite(double value, const char* option) {
  if (!std::isfinite(value)) throw InputError(fmt::format("{} is {}, but must be a finite number", option, value));
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) fmt::print(stderr, "trammel: {}\n", note);
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
      problem.notes = analyses::find_overruled_velocities(*problem.prepared.mechanism);
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
  print_notes(problem.given.warnings);
  print_notes(problem.notes);
  return problem;
}

}  // namespace trammel::cli
