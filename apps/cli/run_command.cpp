// trammel run CASE: integrates a case and reports.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <optional>

#include "cases/case.h"
#include "commands.h"
#include "near_names.h"
#include "run_summary.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"
#include "trammel/io/csv_writer.h"

namespace trammel::cli {
namespace {

using integrators::OutputKind;

struct RunArguments {
  std::string problem;
  std::string method = "projection";
  std::vector<std::string> method_options;
  std::optional<double> tolerance, rtol, atol, t_end, h_max, h_fixed, time_limit;
  std::optional<long> max_steps;
  std::vector<std::string> parameters;
  std::string out;
  std::optional<double> every, gap;
  std::vector<double> at;
  bool every_step = false;
  bool as_json = false;
  bool with_events = false;
  bool quiet = false;
};

/// Rows of a result file when the user does not say how many.
constexpr int kDefaultOutputs = 200;

std::atomic<bool> interrupted{false};

extern "C" void on_interrupt(int) { interrupted.store(true); }

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

const cases::CaseEntry& find_entry(const std::string& name) {
  if (const cases::CaseEntry* entry = cases::find_case(name)) return *entry;
  std::vector<std::string> names;
  for (const cases::CaseEntry* entry : cases::cases()) names.push_back(entry->name);
  throw InputError(describe_unknown("case", name, names));
}

cases::Case build(const RunArguments& arguments) {
  const cases::CaseEntry& entry = find_entry(arguments.problem);
  cases::ParameterValues changes;
  for (const std::string& text : arguments.parameters) {
    const auto [name, value] = split_assignment(text, "-p");
    changes[name] = to_number(value, "parameter '" + name + "'");
  }
  try {
    return cases::build_case(entry, changes);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

integrators::OutputOptions output_options(const RunArguments& arguments, double span) {
  integrators::OutputOptions output;
  const int chosen = (arguments.every ? 1 : 0) + (arguments.gap ? 1 : 0) + (arguments.every_step ? 1 : 0) +
                     (arguments.at.empty() ? 0 : 1);
  if (chosen > 1) throw InputError("choose one of --every, --max-interval, --every-step and --at");
  if (chosen == 1 && arguments.out.empty()) throw InputError("output points need a file: add --out FILE.csv");
  if (arguments.every_step) {
    output.kind = OutputKind::kSteps;
  } else if (arguments.gap) {
    output.kind = OutputKind::kMaximalInterval;
    output.interval = *arguments.gap;
  } else if (!arguments.at.empty()) {
    output.kind = OutputKind::kPoints;
    output.points = arguments.at;
  } else if (arguments.every || (!arguments.out.empty() && span > 0)) {
    output.kind = OutputKind::kUniform;
    output.interval = arguments.every.value_or(span / kDefaultOutputs);
  }
  return output;
}

integrators::Options integration_options(const RunArguments& arguments, double t_start, double t_end) {
  integrators::Options options;
  if (!integrators::find_method(arguments.method)) {
    std::vector<std::string> names;
    for (const integrators::MethodEntry* entry : integrators::methods()) names.push_back(entry->name);
    throw InputError(describe_unknown("method", arguments.method, names));
  }
  options.method = arguments.method;
  for (const std::string& text : arguments.method_options) {
    const auto [name, value] = split_assignment(text, "--option");
    options.method_options[name] = value;
  }
  if (arguments.tolerance) options.rtol = options.atol = *arguments.tolerance;
  if (arguments.rtol) options.rtol = *arguments.rtol;
  if (arguments.atol) options.atol = *arguments.atol;
  if (arguments.h_max) options.h_max = *arguments.h_max;
  if (arguments.h_fixed) options.h_fixed = *arguments.h_fixed;
  if (arguments.max_steps) options.max_steps = *arguments.max_steps;
  if (arguments.time_limit) options.time_limit = *arguments.time_limit;
  options.output = output_options(arguments, t_end - t_start);
  options.cancel = &interrupted;
  return options;
}

void print_progress(const integrators::Progress& p) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  fmt::print(stderr, "{}t = {:.6g} of {:.6g} s, {} steps, h = {:.3g} s, {:.0f} s elapsed{}", terminal ? "\r" : "", p.t,
             p.t_end, p.steps, p.h, p.seconds, terminal ? "   " : "\n");
}

int run(const RunArguments& arguments) {
  const cases::Case problem = build(arguments);
  const double t_end = arguments.t_end.value_or(problem.t_end);
  const integrators::Options options = integration_options(arguments, problem.start.t, t_end);

  integrators::Observers observers;
  bool showed_progress = false;
  if (!arguments.quiet) {
    observers.progress_interval = 1;
    observers.progress = [&](const integrators::Progress& p) {
      showed_progress = true;
      print_progress(p);
    };
  }
  std::unique_ptr<io::CsvWriter> writer;
  if (!arguments.out.empty()) {
    if (!arguments.out.ends_with(".csv")) {
      throw InputError(fmt::format("'{}' has no known format: results are written as .csv", arguments.out));
    }
    try {
      writer = std::make_unique<io::CsvWriter>(arguments.out, problem.system->structure());
    } catch (const std::runtime_error& error) {
      throw InputError(error.what());
    }
    observers.output = [&](const dae::State& state) {
      writer->write(state);
      if (writer->has_failed()) interrupted.store(true);  // a run whose results are lost need not go on
    };
  }

  std::signal(SIGINT, on_interrupt);
  const std::vector<integrators::Event> events =
      arguments.with_events ? problem.events : std::vector<integrators::Event>{};
  const integrators::RunResult result =
      integrators::integrate(*problem.system, problem.start, t_end, options, events, observers);
  if (showed_progress && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\n");
  if (result.failure.cause == integrators::FailureCause::kInvalidInput) throw InputError(result.reason);

  std::string saved;
  std::string not_saved;
  if (writer) {
    try {
      writer->finish();
      saved = fmt::format("  results        {} ({} rows)\n", arguments.out, writer->rows());
    } catch (const std::runtime_error& error) {
      not_saved = error.what();
    }
  }
  if (arguments.as_json) {
    fmt::print("{}\n", summarize_as_json(arguments.problem, problem, result).dump(2));
    if (!result.ok()) fmt::print(stderr, "trammel: {}\n", result.reason);
  } else {
    fmt::print(result.ok() ? stdout : stderr, "{}{}", summarize(arguments.problem, problem, result), saved);
  }
  if (!not_saved.empty()) fmt::print(stderr, "trammel: {}\n", not_saved);
  return result.ok() && not_saved.empty() ? kDone : kSimulationFailed;
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate a case and report");
  auto a = std::make_shared<RunArguments>();
  command->add_option("case", a->problem, "Name of a case; 'trammel cases' lists them")->required();
  command->add_option("--method", a->method, "Integration method; 'trammel methods' lists them")->capture_default_str();
  command->add_option("--option", a->method_options, "Setting of the method, name=value (repeatable)")
      ->allow_extra_args(false);
  command->add_option("--tol", a->tolerance, "Relative and absolute tolerance (default 1e-6)");
  command->add_option("--rtol", a->rtol, "Relative tolerance alone");
  command->add_option("--atol", a->atol, "Absolute tolerance alone");
  command->add_option("--t-end", a->t_end, "End time [s]; default: that of the case");
  command->add_option("-p", a->parameters, "Parameter of the case, name=value (repeatable)")->allow_extra_args(false);
  command->add_option("--out", a->out, "Write results to this file (.csv)");
  command->add_option("--every", a->every, "Results at this interval [s]; default: 200 intervals");
  command->add_option("--max-interval", a->gap, "Results at every step, and between so that no gap is larger [s]");
  command->add_flag("--every-step", a->every_step, "Results at every accepted step");
  command->add_option("--at", a->at, "Results at these times [s]")->delimiter(',')->allow_extra_args(false);
  command->add_flag("--events", a->with_events, "Look for the events of the case, and stop where they say so");
  command->add_option("--max-step", a->h_max, "Largest step [s]");
  command->add_option("--fixed-step", a->h_fixed, "Steps of this size, without error control [s]");
  command->add_option("--max-steps", a->max_steps, "Stop after so many steps");
  command->add_option("--time-limit", a->time_limit, "Stop after so many seconds of wall clock");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->add_flag("-q,--quiet", a->quiet, "No progress on standard error");
  command->callback([&action, a] { action = [a] { return run(*a); }; });
}

}  // namespace trammel::cli
