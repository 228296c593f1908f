// trammel kinematics CASE|FILE: moves a fully driven mechanism and computes its reactions and drive forces.

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "commands.h"
#include "problem.h"
#include "result_output.h"
#include "run_summary.h"
#include "trammel/analyses/kinematics.h"

namespace trammel::cli {
namespace {

struct KinematicsArguments {
  ProblemRequest request;
  std::optional<double> t_end, every;
  std::string out;
  bool as_json = false;
};

/// Intervals of a result file when the user does not say how many.
constexpr int kDefaultIntervals = 200;

int drive(const KinematicsArguments& arguments) {
  const Problem problem = load_ready_problem(arguments.request);
  analyses::KinematicsOptions options;
  options.t_end = arguments.t_end.value_or(problem.given.t_end);
  const double span = options.t_end - problem.given.start.t;
  std::optional<double> interval = arguments.every;
  if (!interval && problem.model) interval = problem.model->simulation.output_interval;
  if (interval || span > 0) {
    options.output.kind = integrators::OutputKind::kUniform;
    options.output.interval = interval.value_or(span / kDefaultIntervals);
  }

  ResultRows rows(problem);
  std::unique_ptr<io::ResultWriter> writer;
  integrators::Observers observers;
  if (!arguments.out.empty()) {
    io::ResultHeader header;
    header.method = "kinematics";
    writer = create_writer(arguments.out, problem, rows, header);
    observers.output = [&](const dae::State& state) { writer->write_row(state.t, rows.list(state)); };
  }
  const integrators::RunResult result = analyses::drive(*problem.given.system, problem.given.start, options, observers);
  if (result.failure.cause == integrators::FailureCause::kInvalidInput) throw InputError(result.reason);
  std::string saved;
  if (writer) {
    writer->finish(summarize_as_json(problem.name, problem.given, result).dump());
    saved = fmt::format("  results        {} ({} rows)\n", arguments.out, writer->rows());
  }
  if (arguments.as_json) {
    fmt::print("{}\n", summarize_as_json(problem.name, problem.given, result).dump(2));
    if (!result.ok()) fmt::print(stderr, "trammel: {}\n", result.reason);
  } else {
    fmt::print(result.ok() ? stdout : stderr, "{}{}", summarize(problem.name, problem.given, result), saved);
  }
  return result.ok() ? kDone : kSimulationFailed;
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
  command->add_flag("--strict", a->request.options.is_strict, "Redundant constraints are an error");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->callback([&action, a] { action = [a] { return drive(*a); }; });
}

}  // namespace trammel::cli
