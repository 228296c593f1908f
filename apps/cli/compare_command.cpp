// trammel compare CASE|FILE: which method for this problem. Runs every method at several tolerances, measures errors
// against a reference, prints tables and advice and writes a page.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>

#include "commands.h"
#include "compare_json.h"
#include "compare_page.h"
#include "compare_reference.h"
#include "compare_store.h"
#include "compare_variables.h"
#include "coordinates_option.h"
#include "page.h"
#include "problem.h"
#include "run_control.h"
#include "trammel/analyses/joint_coordinates.h"
#include "trammel/analyses/model_notes.h"
#include "trammel/io/part_file.h"
#include "trammel/io/result_header.h"
#include "trammel/model/near_names.h"

namespace trammel::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompareArguments {
  ProblemRequest request;
  std::vector<std::string> methods;
  std::vector<double> tolerances;
  std::vector<std::string> variables;
  std::optional<double> t_end;
  std::optional<std::string> reference, out;
  std::optional<std::string> asked_coordinates;
  std::string coordinates;  ///< those or, when none are asked for, the model's
  int samples = 100;
  double time_limit = 60;
  int jobs = 0;
  bool fresh = false, as_json = false, quiet = false;
};

/// On a terminal, one line on standard error that is written over.
class CompareProgressLine {
 public:
  explicit CompareProgressLine(bool quiet) : is_shown_(!quiet && isatty(STDERR_FILENO) != 0) {}
  void show(const analyses::CompareProgress& progress) {
    if (!is_shown_) return;
    std::string line = progress.total == 0 ? "looking for a reference solution"
                                           : fmt::format("{} of {} runs done", progress.done, progress.total);
    for (const std::string& run : progress.running) line += (line.ends_with("done") ? "; now " : ", ") + run;
    fmt::print(stderr, "\r{}\033[K", line.substr(0, kWidth));
    std::fflush(stderr);
    was_shown_ = true;
  }
  void end() {
    if (was_shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  static constexpr std::size_t kWidth = 79;
  bool is_shown_;
  bool was_shown_ = false;
};

/// The name of the problem as part of a file's name.
std::string to_file_name(const std::string& request) {
  std::string name = std::filesystem::path(request).stem().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '-';
  }
  return name;
}

void check_methods(const std::vector<std::string>& methods) {
  std::vector<std::string> known;
  for (const integrators::MethodEntry* entry : integrators::methods()) known.push_back(entry->name);
  for (const std::string& name : methods) {
    if (!integrators::find_method(name)) throw InputError(model::describe_unknown("method", name, known));
  }
}

/// In which coordinates the methods integrate, in words: "those of the joints (...): projection, mexx". Empty for
/// equations.
std::string describe_forms(const CompareArguments& arguments, const Problem& problem,
                           const analyses::CompareOptions& options) {
  if (!problem.given.mechanism) return {};
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
  for (const integrators::MethodEntry* method : integrators::methods()) {
    const auto& wanted = options.methods;
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), method->name) == wanted.end()) continue;
    const auto found = options.method_options.find(method->name);
    analyses::Form form;
    try {
      form = analyses::choose_form(
          problem.given.mechanism, problem.given.start, *method, to_form_kind(arguments.coordinates),
          found == options.method_options.end() ? integrators::MethodOptions{} : found->second);
    } catch (const std::invalid_argument&) {
      continue;  // it is listed among those that cannot
    }
    const std::string text = describe_coordinates(form);
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.first == text; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {text, {}});
    kind->second.push_back(method->name);
  }
  if (kinds.size() == 1) return kinds.front().first;
  std::string all;
  for (const auto& [text, names] : kinds) {
    all += fmt::format("{}{}: {}", all.empty() ? "" : "; ", text, fmt::join(names, ", "));
  }
  return all;
}

/// Throws InputError when the problem has no such coordinates.
void check_coordinates(const CompareArguments& arguments, const Problem& problem) {
  if (to_form_kind(arguments.coordinates) != analyses::FormKind::kJoint) return;
  try {
    analyses::make_joint_form(problem.given.mechanism, problem.given.start);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

/// A problem for each thread. The system is shared; events are made anew.
analyses::ProblemFactory make_factory(const std::shared_ptr<const Problem>& problem, const ProblemRequest& request,
                                      double t_end, std::optional<analyses::FormKind> form) {
  return [problem, request, t_end, form] {
    const cases::Case own = problem->model ? cases::make_case(problem->prepared) : load_problem(request).given;
    // As in `trammel run`, events of cases given by equations are not looked for.
    return analyses::CompareProblem{
        own.system, own.mechanism, own.start, t_end, problem->model ? own.events : std::vector<integrators::Event>{},
        form};
  };
}

analyses::CompareOptions make_options(const CompareArguments& arguments, const Problem& problem) {
  analyses::CompareOptions options;
  options.methods = arguments.methods;
  if (!arguments.tolerances.empty()) options.tolerances = arguments.tolerances;
  options.samples = arguments.samples;
  options.time_limit = arguments.time_limit;
  options.jobs = arguments.jobs;
  options.cancel = &interruption();
  if (problem.model) {
    const model::SimulationSettings& settings = problem.model->simulation;
    if (settings.max_step) options.h_max = *settings.max_step;
    // Options of the file belong to its method.
    const std::string method = settings.method.value_or(integrators::Options{}.method);
    for (const auto& [name, value] : settings.method_options) options.method_options[method][name] = value;
  }
  if (const std::vector<std::string> problems = options.validate(); !problems.empty()) {
    throw InputError(problems.front());
  }
  return options;
}

/// When a file was changed last, and its size: enough to know that it is another one.
Json identify_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto changed = std::filesystem::last_write_time(path, ignored).time_since_epoch().count();
  return {{"path", path.string()}, {"changed", changed}, {"size", std::filesystem::file_size(path, ignored)}};
}

/// The equations at the start as one number: it changes with files that a model includes, too.
std::string identify_equations(const cases::Case& given) {
  dae::Evaluation evaluation(*given.system);
  evaluation.set(given.start);
  std::string numbers;
  const auto add = [&](const auto& values) {
    for (const double value : values) numbers += fmt::format("{} ", value);
  };
  add(given.start.q);
  add(given.start.v);
  add(given.start.x);
  add(evaluation.force());
  const dae::Structure& s = given.system->structure();
  const auto add_matrix = [&](const linalg::Pattern& pattern, const double* values) {
    add(std::span(values, static_cast<std::size_t>(pattern.size())));
  };
  add_matrix(s.mass, evaluation.mass());
  add_matrix(s.jacobian, evaluation.jacobian());
  for (const auto which : {dae::Derivative::kForceByQ, dae::Derivative::kForceByV}) {
    add_matrix(s.pattern(which), evaluation.derivative(which));
  }
  return fmt::format("{:x}", std::hash<std::string>{}(numbers));
}

/// All that results depend on. Methods and tolerances are not among it: other ones are added to those that are there.
Json list_settings(const CompareArguments& arguments, const Problem& problem, const analyses::CompareOptions& options,
                   double t_end) {
  Json settings{{"version", TRAMMEL_VERSION},
                {"program", identify_file("/proc/self/exe")},
                {"problem", arguments.request.name},
                {"parameters", problem.parameters},
                {"source", problem.model ? fmt::format("{:x}", std::hash<std::string>{}(problem.model->source)) : ""},
                {"equations", identify_equations(problem.given)},
                {"t_end", t_end},
                {"samples", options.samples},
                {"time_limit", options.time_limit},
                {"tightest", *std::min_element(options.tolerances.begin(), options.tolerances.end())},
                {"h_max", fmt::format("{}", options.h_max)},
                {"method_options", options.method_options}};
  if (arguments.coordinates != kBodyCoordinates) settings["coordinates"] = arguments.coordinates;
  if (arguments.reference) settings["reference"] = identify_file(*arguments.reference);
  if (!options.variables.is_empty()) settings["variables"] = options.variables.names;
  return settings;
}

CompareContext describe_context(const CompareArguments& arguments, const Problem& problem, double t_end) {
  std::vector<std::string> words{arguments.request.name};
  for (const std::string& parameter : arguments.request.parameters) words.insert(words.end(), {"-p", parameter});
  if (arguments.t_end) words.insert(words.end(), {"--t-end", fmt::format("{}", *arguments.t_end)});
  if (arguments.asked_coordinates) words.insert(words.end(), {"--coordinates", *arguments.asked_coordinates});
  CompareContext context;
  context.name = problem.name;
  context.request = quote_request(words);
  context.version = TRAMMEL_VERSION;
  context.machine = describe_machine();
  context.created = io::time_now();
  context.t_begin = problem.given.start.t;
  context.t_end = t_end;
  context.samples = arguments.samples;
  context.time_limit = arguments.time_limit;
  return context;
}

/// Writes the page; empty, or why that was not possible.
std::string write_report(const std::string& path, const analyses::Comparison& comparison, CompareContext& context) {
  try {
    io::PartFile file(path);
    file.append(make_compare_page(comparison, context));
    file.commit();
    context.report = path;
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

int report(const analyses::Comparison& comparison, CompareContext context, const CompareArguments& arguments,
           const std::string& path, CompareStore& store) {
  std::string trouble;
  if (!comparison.is_cancelled) trouble = write_report(path, comparison, context);
  if (arguments.as_json) {
    fmt::print("{}\n", to_json(comparison, context).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    fmt::print("{}", describe_comparison(comparison, context));
    if (!context.report.empty()) fmt::print("\nreport\n  {}\n", context.report);
  }
  if (comparison.is_cancelled) {
    if (comparison.runs.empty()) {
      fmt::print(stderr, "trammel: interrupted before a run was finished; nothing is kept\n");
    } else {
      fmt::print(stderr, "trammel: interrupted; {} runs are kept in {}, and the same command goes on from there\n",
                 comparison.runs.size(), store.path());
    }
    return kSimulationFailed;
  }
  if (!trouble.empty()) {
    fmt::print(stderr, "trammel: {}\n", trouble);
    return kSimulationFailed;
  }
  store.remove();
  if (comparison.has_completed_run()) return kDone;
  fmt::print(stderr, "trammel: no method got through\n");
  return kSimulationFailed;
}

int run(CompareArguments arguments) {
  check_methods(arguments.methods);
  if (arguments.t_end) require_finite(*arguments.t_end, "--t-end");
  constexpr int kMostSamples = 100'000;
  if (arguments.samples > kMostSamples) {
    throw InputError(fmt::format("--samples is {}, but must be at most {}", arguments.samples, kMostSamples));
  }
  const auto problem = std::make_shared<const Problem>(load_ready_problem(arguments.request));
  arguments.coordinates = choose_coordinates(arguments.asked_coordinates, *problem);
  if (problem->given.mechanism) {
    print_notes(analyses::find_massless_bodies(*problem->given.mechanism, problem->given.start));
  }
  const double t_end = arguments.t_end.value_or(problem->given.t_end);
  if (!(t_end > problem->given.start.t)) {
    throw InputError(fmt::format("the end time {:g} s is not after the start {:g} s: there is nothing to compare",
                                 t_end, problem->given.start.t));
  }
  analyses::CompareOptions options = make_options(arguments, *problem);
  check_coordinates(arguments, *problem);
  const analyses::ProblemFactory factory =
      make_factory(problem, arguments.request, t_end, to_form_kind(arguments.coordinates));
  std::optional<analyses::ReferenceSolution> given;
  if (arguments.reference) given = load_reference_file(*arguments.reference, factory(), arguments.samples);
  ChosenVariables variables;
  if (!arguments.variables.empty()) {
    variables = choose_variables(arguments.variables, problem, arguments.request, arguments.reference);
    options.variables = variables.request;
  }

  const std::string path = arguments.out.value_or("compare-" + to_file_name(arguments.request.name) + ".html");
  check_page_name(path);
  check_page_place(path);
  CompareStore store(path + ".runs.jsonl", list_settings(arguments, *problem, options, t_end), arguments.fresh);
  analyses::CompareStart start = store.earlier();
  if (given) start.reference = std::move(given);
  start.curves = std::move(variables.curves);
  if (!arguments.quiet && !start.runs.empty()) {
    fmt::print(stderr, "trammel: {} taken over from {}; --fresh begins anew\n",
               start.runs.size() == 1 ? "1 finished run is" : fmt::format("{} finished runs are", start.runs.size()),
               store.path());
  } else if (!arguments.quiet && store.has_replaced()) {
    fmt::print(stderr, "trammel: {} was of other settings; the comparison begins anew\n", store.path());
  }

  catch_interrupts();
  CompareProgressLine line(arguments.quiet);
  analyses::CompareObserver observer;
  observer.reference = [&](const analyses::ReferenceSolution& reference) { store.add(reference); };
  observer.stiffness = [&](const analyses::Stiffness& stiffness) { store.add(stiffness); };
  observer.run = [&](const analyses::ComparedRun& finished) { store.add(finished); };
  observer.progress = [&](const analyses::CompareProgress& progress) { line.show(progress); };
  const analyses::Comparison comparison = compare(factory, options, observer, std::move(start));
  line.end();
  CompareContext context = describe_context(arguments, *problem, t_end);
  context.variables = std::move(variables.columns);
  context.coordinates = describe_forms(arguments, *problem, options);
  return report(comparison, std::move(context), arguments, path, store);
}

}  // namespace

void add_compare_command(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("compare", "Find out which method suits a case or a model file");
  auto a = std::make_shared<CompareArguments>();
  add_problem_options(*command, a->request);
  command->add_option("--methods", a->methods, "Methods to compare, a,b,c; 'trammel methods' lists them (default: all)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--tols", a->tolerances, "Tolerances, default 1e-3,1e-4,...,1e-9")
      ->delimiter(',')
      ->allow_extra_args(false);
  add_coordinates_option(*command, a->asked_coordinates);
  command->add_option("--t-end", a->t_end, "End time [s]; default: that of the case");
  command->add_option("--samples", a->samples, "Number of times at which errors are measured (default 100)");
  command->add_option("--reference", a->reference,
                      "Result file to measure errors by (.h5 or .csv); default: found by two methods");
  command
      ->add_option("--variables", a->variables,
                   "Analyse the errors of these columns of results one by one, a,b,c; * stands for any text, ? for any "
                   "letter")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--time-limit", a->time_limit, "Stop a run after so many seconds (default 60)");
  command->add_option("--jobs", a->jobs, "Runs at the same time (default: as many as processors)")
      ->check(CLI::Range(1, 1024));
  command->add_option("-o,--out", a->out, "Report to write (default compare-NAME.html)");
  command->add_flag("--fresh", a->fresh, "Do not go on where an interrupted comparison stopped");
  command->add_flag("--json", a->as_json, "Print one JSON object and nothing else");
  command->add_flag("-q,--quiet", a->quiet, "No progress on standard error");
  command->callback([&action, a] { action = [a] { return run(*a); }; });
}

}  // namespace trammel::cli
