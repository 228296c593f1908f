// trammel run CASE|FILE: integrates a case or a model file and reports.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

#include "commands.h"
#include "coordinates_option.h"
#include "page.h"
#include "problem.h"
#include "result_output.h"
#include "run_control.h"
#include "trammel/analyses/form.h"
#include "trammel/analyses/model_notes.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"
#include "trammel/linalg/parallel.h"
#include "trammel/model/near_names.h"

namespace trammel::cli {
namespace {

using integrators::OutputKind;

struct RunArguments {
  ProblemRequest request;
  std::optional<std::string> method;
  std::optional<std::string> form;
  std::optional<std::string> asked_coordinates;
  std::string coordinates;  ///< those or, when none are asked for, the model's
  std::vector<std::string> method_options;
  std::optional<double> tolerance, rtol, atol, t_end, h_initial, h_max, h_fixed, time_limit;
  std::optional<long> max_steps;
  int threads = 0;
  std::optional<std::string> out;
  std::optional<double> every, gap;
  std::vector<double> at;
  bool every_step = false;
  bool as_json = false;
  bool with_events = false;
  bool quiet = false;
  bool without_energy = false;
  std::string continuous;  ///< columns of the continuous solution, kAllColumns; empty: none
  std::optional<int> continuous_degree;
  std::string report;  ///< page to write, kNamedByRun: named after the results; empty: none
};

constexpr const char* kNamedByRun = "*";
constexpr const char* kAllColumns = "*";

/// Rows of a result file when the user does not say how many.
constexpr int kDefaultOutputs = 200;

integrators::OutputOptions output_options(const RunArguments& arguments, const Problem& problem, double t_end) {
  const double span = t_end - problem.given.start.t;
  integrators::OutputOptions output;
  const int chosen = (arguments.every ? 1 : 0) + (arguments.gap ? 1 : 0) + (arguments.every_step ? 1 : 0) +
                     (arguments.at.empty() ? 0 : 1);
  if (chosen > 1) throw InputError("choose one of --every, --max-interval, --every-step and --at");
  if (chosen == 1 && !arguments.out) throw InputError("output points need a file: add --out FILE.h5 or FILE.csv");
  if (arguments.every_step) {
    output.kind = OutputKind::kSteps;
  } else if (arguments.gap) {
    output.kind = OutputKind::kMaximalInterval;
    output.interval = *arguments.gap;
  } else if (!arguments.at.empty()) {
    output.kind = OutputKind::kPoints;
    output.points = arguments.at;
  } else if (arguments.every || (arguments.out && span > 0)) {
    output.kind = OutputKind::kUniform;
    const std::optional<double> of_model = problem.model ? problem.model->simulation.output_interval : std::nullopt;
    output.interval = arguments.every.value_or(of_model.value_or(span / kDefaultOutputs));
  }
  return output;
}

/// The settings of the model, where the command line does not say otherwise.
void apply_model_settings(const model::SimulationSettings& settings, integrators::Options& options) {
  if (settings.method) options.method = *settings.method;
  if (settings.tolerance) options.rtol = options.atol = *settings.tolerance;
  if (settings.max_step) options.h_max = *settings.max_step;
}

integrators::Options integration_options(const RunArguments& arguments, const Problem& problem, double t_end) {
  integrators::Options options;
  if (problem.model) apply_model_settings(problem.model->simulation, options);
  // Options of the file belong to its method.
  if (problem.model && (!arguments.method || *arguments.method == options.method)) {
    for (const auto& [name, value] : problem.model->simulation.method_options) options.method_options[name] = value;
  }
  if (arguments.method) options.method = *arguments.method;
  if (!integrators::find_method(options.method)) {
    std::vector<std::string> names;
    for (const integrators::MethodEntry* entry : integrators::methods()) names.push_back(entry->name);
    throw InputError(model::describe_unknown("method", options.method, names));
  }
  for (const std::string& text : arguments.method_options) {
    const auto [name, value] = split_assignment(text, "--option");
    options.method_options[name] = value;
  }
  if (arguments.tolerance) options.rtol = options.atol = *arguments.tolerance;
  if (arguments.rtol) options.rtol = *arguments.rtol;
  if (arguments.atol) options.atol = *arguments.atol;
  if (arguments.h_max) options.h_max = *arguments.h_max;
  if (arguments.h_initial) {
    if (*arguments.h_initial == 0) throw InputError("the first step is 0, but must be positive");
    options.h_initial = *arguments.h_initial;
  }
  if (arguments.h_fixed) {
    if (*arguments.h_fixed == 0) throw InputError("the fixed step is 0, but must be positive");
    options.h_fixed = *arguments.h_fixed;
  }
  if (arguments.max_steps) options.max_steps = *arguments.max_steps;
  if (arguments.time_limit) options.time_limit = *arguments.time_limit;
  options.output = output_options(arguments, problem, t_end);
  options.cancel = &interruption();
  return options;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) {
    if (!part.empty()) parts.push_back(part);
  }
  if (parts.empty()) throw InputError("--continuous names no column");
  return parts;
}

/// The continuous solution that the user asks for, or otherwise the model; nothing when none is to be stored.
std::optional<ContinuousRequest> choose_continuous(const RunArguments& a, const Problem& problem) {
  const model::SimulationSettings settings = problem.model ? problem.model->simulation : model::SimulationSettings{};
  const int limit = model::kLargestContinuousDegree;
  ContinuousRequest request{{}, a.continuous_degree.value_or(settings.continuous_degree.value_or(limit))};
  if (a.continuous.empty() && !settings.continuous) {
    if (a.continuous_degree) throw InputError("--continuous-degree needs --continuous");
    return std::nullopt;
  }
  if (request.max_degree < 1 || request.max_degree > limit) {
    throw InputError(fmt::format("--continuous-degree is {}, but must be from 1 to {}", request.max_degree, limit));
  }
  if (a.continuous.empty()) {
    // A model file serves runs without results and with rows alone, too.
    if (!a.out) return std::nullopt;
    if (!io::has_hdf5_name(*a.out)) {
      print_notes({"the model asks for the continuous solution, which only .h5 files hold: it is not stored"});
      return std::nullopt;
    }
    request.names = *settings.continuous;
  } else if (!a.out || !io::has_hdf5_name(*a.out)) {
    throw InputError("the continuous solution needs what only .h5 files hold: write --out FILE.h5");
  } else if (a.continuous != kAllColumns) {
    request.names = split_list(a.continuous);
  }
  return request;
}

io::ResultHeader describe_run(const integrators::Options& options, const analyses::Form& form, const Problem& problem) {
  io::ResultHeader header;
  header.method = options.method;
  header.tolerance = options.rtol;
  header.attributes.emplace_back("atol", fmt::format("{}", options.atol));
  if (problem.given.mechanism) header.attributes.emplace_back("coordinates", name_coordinates(form));
  for (const auto& [name, value] : options.method_options) header.attributes.emplace_back("option " + name, value);
  header.step_columns = {{"t", "s", "", "end of the step"},
                         {"h", "s", "", "its size"},
                         {"error", "", "", "its error, at most 1 when accepted"},
                         {"order", "", "", "of the formula"},
                         {"iterations", "", "", "Newton iterations of all attempts at it"},
                         {"rejected", "", "", "attempts before the one that was accepted"}};
  return header;
}

/// The form that the user asks for, or the one that the method can take.
analyses::Form choose_form(const RunArguments& arguments, const Problem& problem, const integrators::Options& options) {
  std::optional<analyses::FormKind> wanted = to_form_kind(arguments.coordinates);
  if (wanted == analyses::FormKind::kJoint && arguments.form == "plain") {
    throw InputError("--form plain is a form of body coordinates: take --coordinates body");
  }
  // A form of body coordinates leaves nothing to choose.
  if (arguments.form && wanted != analyses::FormKind::kJoint)
    wanted = *arguments.form == "plain" ? analyses::FormKind::kPlain : analyses::FormKind::kQuasi;
  if (wanted == analyses::FormKind::kPlain && !analyses::is_spatial(problem.given.mechanism.get())) {
    throw InputError("--form plain is for spatial models: others have v = q' anyway");
  }
  try {
    return analyses::choose_form(problem.given.mechanism, problem.given.start,
                                 *integrators::find_method(options.method), wanted, options.method_options);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

/// The names of page and results where the user leaves them to the program.
void name_files(RunArguments& a) {
  if (a.report.empty()) return;
  using std::filesystem::path;
  const bool has_name = a.report != kNamedByRun;
  if (has_name) check_page_name(a.report);
  if (a.out && !io::has_hdf5_name(*a.out)) {
    throw InputError("a page needs what only .h5 files hold: write --out FILE.h5, or leave --out away");
  }
  // Dots in the name of a model belong to it.
  const std::string model = path(a.request.name).stem().string();
  if (!has_name) a.report = a.out ? path(*a.out).replace_extension(".html").string() : model + ".html";
  if (!a.out) a.out = has_name ? path(a.report).replace_extension(".h5").string() : model + ".h5";
}

/// A page that cannot be written is said, and changes nothing of what has been printed.
int finish_page(const RunArguments& a, int status) {
  try {
    const io::PageReport page = write_page(*a.out, a.report, {});
    print_notes(page.notes);
    const bool to_errors = a.as_json || status != kDone;
    fmt::print(to_errors ? stderr : stdout, "  page           {} ({} frames)\n", a.report, page.rows);
    return status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "trammel: {}\n", error.what());
    return kSimulationFailed;
  }
}

int run(RunArguments arguments) {
  check_out(arguments.out);
  name_files(arguments);
  if (arguments.t_end) require_finite(*arguments.t_end, "--t-end");
  if (arguments.threads < 0) {
    throw InputError(fmt::format("--threads is {}, but must be 1 or more, or 0 for all processors", arguments.threads));
  }
  linalg::set_thread_limit(arguments.threads);
  arguments.request.options.with_energy_states = arguments.out && !arguments.without_energy;
  const Problem problem = load_ready_problem(arguments.request);
  arguments.coordinates = choose_coordinates(arguments.asked_coordinates, problem);
  if (problem.given.mechanism) {
    print_notes(analyses::find_massless_bodies(*problem.given.mechanism, problem.given.start));
  }
  const double t_end = arguments.t_end.value_or(problem.given.t_end);
  const integrators::Options options = integration_options(arguments, problem, t_end);
  const analyses::Form form = choose_form(arguments, problem, options);

  integrators::Observers observers;
  ProgressLine progress(observers, arguments.quiet);
  ResultOutput results(arguments.out, problem, describe_run(options, form, problem),
                       choose_continuous(arguments, problem));
  if (results.has_file()) {
    observers.output = [&](const dae::State& state) { results.write_row(form.to_quasi(state)); };
    observers.step = [&](const integrators::StepRecord& step) { results.write_step(step); };
  }
  if (results.is_continuous()) {
    observers.interval = [&](const integrators::SolutionInterval& interval) {
      for (const auto& piece : analyses::in_quasi_form_by_turning(interval, form)) results.write_interval(piece);
    };
  }

  if (!arguments.report.empty()) check_page_place(arguments.report);
  catch_interrupts();
  const bool with_events = arguments.with_events || problem.model;
  const std::vector<integrators::Event> events =
      with_events ? analyses::events_in_form(problem.given.events, form) : std::vector<integrators::Event>{};
  integrators::RunResult result = integrators::integrate(
      form.system_of(*problem.given.system), form.from_quasi(problem.given.start), t_end, options, events, observers);
  progress.end();
  if (result.failure.cause == integrators::FailureCause::kInvalidInput) throw InputError(result.reason);
  result.state = form.to_quasi(result.state);
  for (std::string& note : results.notes()) result.notes.push_back(std::move(note));
  const int status = results.finish(result, arguments.as_json, &form);
  if (arguments.report.empty() || !results.has_saved_rows()) return status;
  return finish_page(arguments, status);
}

}  // namespace

void add_run_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate a case or a model file and report");
  auto a = std::make_shared<RunArguments>();
  add_problem_options(*command, a->request);
  command->add_option("--method", a->method,
                      "Integration method; 'trammel methods' lists them (default: that of the file, or projection)");
  command
      ->add_option(
          "--form", a->form,
          "Velocities of spatial models: quasi (angular velocity) or plain (rates of Euler parameters); default: "
          "quasi, or plain for methods that need it")
      ->check(CLI::IsMember({"quasi", "plain"}));
  add_coordinates_option(*command, a->asked_coordinates);
  command->add_flag("--strict", a->request.options.is_strict, "Redundant constraints of a model are an error");
  command->add_flag("--no-energy", a->without_energy, "Do not integrate the energy balance of a model for --out");
  command->add_option("--option", a->method_options, "Setting of the method, name=value (repeatable)")
      ->allow_extra_args(false);
  command->add_option("--tol", a->tolerance, "Relative and absolute tolerance (default 1e-6)");
  command->add_option("--rtol", a->rtol, "Relative tolerance alone");
  command->add_option("--atol", a->atol, "Absolute tolerance alone");
  command->add_option("--t-end", a->t_end, "End time [s]; default: that of the case");
  command->add_option("--out", a->out, "Write results to this file (.h5 or .csv)");
  command->add_flag(fmt::format("--report{{{}}}", kNamedByRun), a->report,
                    "Write an HTML page with animation and plots as well; --report=FILE.html names it (default: after "
                    "the results)");
  command->add_flag(fmt::format("--continuous{{{}}}", kAllColumns), a->continuous,
                    "Store the continuous solution of all columns in the .h5 file, for 'trammel results --at'; "
                    "--continuous='crank.*,slider.x' of these");
  command->add_option("--continuous-degree", a->continuous_degree,
                      "Largest degree of its polynomials (default: that of the method)");
  command->add_option("--every", a->every, "Results at this interval [s]; default: 200 intervals");
  command->add_option("--max-interval", a->gap, "Results at every step, and between so that no gap is larger [s]");
  command->add_flag("--every-step", a->every_step, "Results at every accepted step");
  command->add_option("--at", a->at, "Results at these times [s]")->delimiter(',')->allow_extra_args(false);
  command->add_flag("--events", a->with_events, "Look for the events of the case, and stop where they say so");
  command->add_option("--first-step", a->h_initial, "Size of the first attempt [s]; default: found from the start");
  command->add_option("--max-step", a->h_max, "Largest step [s]");
  command->add_option("--fixed-step", a->h_fixed, "Steps of this size, without error control [s]");
  command->add_option("--max-steps", a->max_steps, "Stop after so many steps");
  command->add_option("--time-limit", a->time_limit, "Stop after so many seconds of wall clock");
  command->add_option("--threads", a->threads,
                      "Share the loops over large models between so many threads at most; 1: none but the main one; 0: "
                      "as many as there are processors. The results have the same bits");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->add_flag("-q,--quiet", a->quiet, "No progress on standard error");
  command->callback([&action, a] { action = [a] { return run(*a); }; });
}

}  // namespace trammel::cli
