// trammel statics CASE|FILE: finds a position of rest and tells whether it is stable.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "problem.h"
#include "run_summary.h"
#include "trammel/analyses/statics.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;

struct StaticsArguments {
  ProblemRequest request;
  bool any_equilibrium = false;
  bool as_json = false;
};

Json describe(const Problem& problem, const analyses::StaticsResult& result) {
  Json modes = Json::array();
  for (const analyses::Mode& mode : result.modes) {
    modes.push_back({{"frequency", mode.frequency_hz},
                     {"damping_ratio", mode.damping_ratio},
                     {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}}});
  }
  const dae::State& s = result.state;
  return {{"schema", "trammel.statics/1"},
          {"case", problem.name},
          {"status", result.ok ? "completed" : "failed"},
          {"reason", result.message},
          {"stage", to_string(result.stage)},
          {"iterations", result.iterations},
          {"residual", result.residual},
          {"stability", to_string(result.stability)},
          {"modes", modes},
          {"q", std::vector<double>(s.q.begin(), s.q.end())},
          {"lambda", std::vector<double>(s.lambda.begin(), s.lambda.end())},
          {"x", std::vector<double>(s.x.begin(), s.x.end())},
          {"bodies", describe_bodies(problem.given, s)},
          {"notes", result.notes}};
}

int find(const StaticsArguments& arguments) {
  const Problem problem = load_ready_problem(arguments.request);
  analyses::StaticsOptions options;
  options.prefer_stable = !arguments.any_equilibrium;
  const analyses::StaticsResult result =
      analyses::find_equilibrium(*problem.given.system, problem.given.start, options);
  if (arguments.as_json) {
    fmt::print("{}\n", describe(problem, result).dump(2));
  } else {
    fmt::print(result.ok ? stdout : stderr, "{}: {}", problem.name, result.brief_report());
    if (result.ok) fmt::print("{}", list_positions(problem.given, result.state));
  }
  if (!result.ok) fmt::print(stderr, "trammel: {}\n", result.message);
  return result.ok ? kDone : kSimulationFailed;
}

}  // namespace

void add_statics_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("statics", "Find a position of rest and tell whether it is stable");
  auto a = std::make_shared<StaticsArguments>();
  add_problem_options(*command, a->request);
  command->add_flag("--any", a->any_equilibrium, "Take the nearest equilibrium, also when it is unstable");
  a->request.options.with_dry_friction = false;
  command->add_flag("--strict", a->request.options.is_strict, "Redundant constraints are an error");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->callback([&action, a] { action = [a] { return find(*a); }; });
}

}  // namespace trammel::cli
