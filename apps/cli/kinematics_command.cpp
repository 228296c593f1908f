// trammel kinematics CASE|FILE: moves a fully driven mechanism and computes its reactions and drive forces.

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "commands.h"
#include "problem.h"
#include "result_output.h"
#include "run_control.h"
#include "trammel/analyses/kinematics.h"

namespace trammel::cli {
namespace {

struct KinematicsArguments {
  ProblemRequest request;
  std::optional<double> t_end, every, h_max;
  std::optional<std::string> out;
  bool as_json = false;
  bool quiet = false;
};

/// Intervals of a result file when the user does not say how many.
constexpr int kDefaultIntervals = 200;

analyses::KinematicsOptions kinematics_options(const KinematicsArguments& arguments, const Problem& problem) {
  analyses::KinematicsOptions options;
  options.t_end = arguments.t_end.value_or(problem.given.t_end);
  if (problem.model) options.h_max = problem.model->simulation.max_step.value_or(options.h_max);
  options.h_max = arguments.h_max.value_or(options.h_max);
  options.cancel = &interruption();
  if (arguments.every && !arguments.out) throw InputError("output points need a file: add --out FILE.h5 or FILE.csv");
  const double span = options.t_end - problem.given.start.t;
  std::optional<double> interval = arguments.every;
  if (!interval && problem.model) interval = problem.model->simulation.output_interval;
  if (interval || span > 0) {
    options.output.kind = integrators::OutputKind::kUniform;
    options.output.interval = interval.value_or(span / kDefaultIntervals);
  }
  return options;
}

int drive(const KinematicsArguments& arguments) {
  check_out(arguments.out);
  if (arguments.t_end) require_finite(*arguments.t_end, "--t-end");
  const Problem problem = load_ready_problem(arguments.request);
  const analyses::KinematicsOptions options = kinematics_options(arguments, problem);

  integrators::Observers observers;
  ProgressLine progress(observers, arguments.quiet);
  io::ResultHeader header;
  header.method = "kinematics";
  ResultOutput results(arguments.out, problem, header);
  if (results.has_file()) observers.output = [&](const dae::State& state) { results.write_row(state); };

  catch_interrupts();
  integrators::RunResult result = analyses::drive(*problem.given.system, problem.given.start, options, observers);
  progress.end();
  if (result.failure.cause == integrators::FailureCause::kInvalidInput) throw InputError(result.reason);
  if (problem.model && !problem.model->events.empty()) {
    result.notes.emplace_back("events of the model are not looked for in a kinematic analysis");
  }
  return results.finish(result, arguments.as_json);
}

}  // namespace

void add_kinematics_command(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("kinematics", "Move a fully driven mechanism; reactions and drive forces by inverse dynamics");
  auto a = std::make_shared<KinematicsArguments>();
  add_problem_options(*command, a->request);
  command->add_option("--t-end", a->t_end, "End time [s]; default: that of the case");
  command->add_option("--every", a->every, "Results at this interval [s]; default: that of the file, or 200 intervals");
  command->add_option("--out", a->out, "Write results to this file (.h5 or .csv)");
  command->add_option("--max-step", a->h_max, "Largest step [s]; default: that of the file");
  a->request.options.with_dry_friction = false;
  command->add_flag("--strict", a->request.options.is_strict, "Redundant constraints are an error");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->add_flag("-q,--quiet", a->quiet, "No progress on standard error");
  command->callback([&action, a] { action = [a] { return drive(*a); }; });
}

}  // namespace trammel::cli
