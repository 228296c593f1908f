// The HMMWV14 with stiff bushings of the thesis, 5.2 and 5.3: at rest on its wheels it drives at 10 mph over a half
// cylinder, which the front wheels meet at 0.498 s and the rear ones at 1.238 s. Spatial, in plain form: 98
// coordinates, 80 constraints. The largest step is 1 s, as in the thesis.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <stdexcept>

#include "bench/markdown_table.h"
#include "bench/state_space/tables.h"
#include "trammel/analyses/run_variables.h"
#include "trammel/figures/figure.h"

namespace trammel::bench {
namespace {

constexpr const char* kCase = "hmmwv14-bushings";
constexpr double kLargestStep = 0.05, kThesisLargestStep = 1;
const std::vector<std::string> kImplicit{"ssp-trap", "infl-sdirk", "infl-trap", "for-sdirk", "for-rosen"};

/// Seconds of the thesis' tables: a row for each length from 1 to 4 s, a column for each tolerance from 1e-2 to 1e-5.
using PrintedTimes = std::array<std::array<double, 4>, 4>;
const std::map<std::string, PrintedTimes> kPrinted{
    {"ssp-trap", {{{42, 54, 122, 312}, {79, 140, 330, 849}, {92, 168, 400, 1053}, {98, 179, 424, 1095}}}},
    {"infl-sdirk", {{{33, 52, 90, 170}, {69, 124, 218, 433}, {81, 150, 248, 493}, {84, 155, 256, 500}}}},
    {"infl-trap", {{{42, 61, 158, 463}, {79, 155, 420, 1198}, {92, 189, 524, 1521}, {100, 206, 552, 1568}}}},
    {"for-sdirk", {{{10.1, 21, 33, 57}, {25.3, 49, 78, 139}, {29.5, 58, 92, 166}, {30, 61, 94, 184}}}},
    {"for-rosen", {{{5.6, 13.2, 40.7, 172}, {12.6, 32.6, 95, 405}, {13, 36.3, 105, 422}, {13.3, 37, 106, 428}}}}};
/// Table 24, 1 s.
constexpr std::array<double, 4> kPrintedExplicit{3618, 3641, 3667, 3663};
/// for-sdirk at 1e-3 over 1 s, to which all times are divided.
constexpr double kPrintedUnit = 21;

std::vector<std::string> list_explicit_methods() {
  std::vector<std::string> methods;
  for (const char* method : {"explicit-adams", "explicit-rk"}) {
    if (has_method(method)) methods.emplace_back(method);
  }
  methods.emplace_back("projection");
  return methods;
}

double time_unit() {
  static const double seconds =
      run_timed(make_problem(kCase, {}, 1), make_options("for-sdirk", 1e-3, {}, kLargestStep), 2).seconds;
  return seconds;
}

}  // namespace

void print_vehicle_explicit(const StudyOptions& options) {
  fmt::print("Time unit: for-sdirk at 1e-3 over 1 s, {:.3f} s here, 21 s in the thesis.\n\n", time_unit());
  print_header({"method", "tolerance", "length [s]", "steps", "steps for 1 s", "rejected", "time [s]",
                "time for 1 s [s]", "in units", "thesis"});
  for (const std::string& method : list_explicit_methods()) {
    const std::vector<double> tolerances = decades(2, 5);
    for (std::size_t k = 0; k < tolerances.size(); ++k) {
      std::vector<double> lengths{0.02, 0.04, 0.08};
      if (options.is_full && tolerances[k] == 1e-3) lengths.push_back(1);
      for (const double length : lengths) {
        const TimedRun run = run_timed(make_problem(kCase, {}, length), make_options(method, tolerances[k]), 0);
        if (!is_complete(run.result)) {
          print_row({method, tolerance_cell(tolerances[k]), cell(length), trouble_cell(run.result)});
          continue;
        }
        const double steps = static_cast<double>(run.result.statistics.steps);
        print_row({method, tolerance_cell(tolerances[k]), cell(length), cell(run.result.statistics.steps),
                   cell(steps / length, "{:.0f}"), cell(count_rejected(run.result)), cell(run.seconds, "{:.3f}"),
                   cell(run.seconds / length, "{:.1f}"), cell(run.seconds / length / time_unit(), "{:.0f}"),
                   cell(kPrintedExplicit[k] / kPrintedUnit, "{:.0f}")});
      }
    }
  }
}

void print_vehicle_times(const StudyOptions& options) {
  fmt::print("Times in units of for-sdirk at 1e-3 over 1 s: {:.3f} s here, 21 s in the thesis. Ours / thesis'.\n\n",
             time_unit());
  std::vector<std::string> header{"method", "length [s]"};
  for (const double tolerance : decades(2, 5)) header.push_back(tolerance_cell(tolerance));
  for (const double tolerance : decades(2, 5)) header.push_back("thesis " + tolerance_cell(tolerance));
  print_header(header);
  std::vector<std::string> methods = kImplicit;
  methods.emplace_back("ssp-sdirk");
  methods.emplace_back("hht");
  for (const std::string& method : methods) {
    for (int length = 1; length <= 4; ++length) {
      std::vector<std::string> ours{method, std::to_string(length)}, theirs;
      const auto printed = kPrinted.find(method);
      const std::vector<double> tolerances = decades(2, 5);
      for (std::size_t k = 0; k < tolerances.size(); ++k) {
        const TimedRun run = run_timed(make_problem(kCase, {}, length),
                                       make_options(method, tolerances[k], {}, kLargestStep), options.is_full ? 3 : 0);
        ours.push_back(is_complete(run.result) ? cell(run.seconds / time_unit(), "{:.2f}") : trouble_cell(run.result));
        theirs.push_back(printed == kPrinted.end()
                             ? "-"
                             : cell(printed->second[static_cast<std::size_t>(length - 1)][k] / kPrintedUnit, "{:.2f}"));
      }
      ours.insert(ours.end(), theirs.begin(), theirs.end());
      print_row(ours);
    }
  }
}

namespace {

/// Height of the chassis, with a reference.
struct Height {
  explicit Height(double t_end) : problem(make_problem(kCase, {}, t_end)) {
    const std::vector<std::string>& names = problem.system->structure().position_names;
    const auto place = static_cast<Eigen::Index>(std::find(names.begin(), names.end(), "chassis.z") - names.begin());
    variables = {{"chassis.z"}, [place] {
                   return [place](const dae::State& state, std::span<double> values) { values[0] = state.q[place]; };
                 }};
    reference = record("for-sdirk", 1e-8);
  }
  analyses::ReferenceCurves record(const char* method, double tolerance) const {
    analyses::RecordedCurves recorded =
        record_curves(problem, make_options(method, tolerance), variables, problem.t_end);
    if (!recorded.obstacle.empty()) throw std::runtime_error("reference: " + recorded.obstacle);
    return recorded.curves;
  }
  std::pair<RunResult, analyses::VariableError> analyse(const Options& options) const {
    analyses::RunErrors errors(variables, reference);
    analyses::SampledRun run =
        run_sampled(problem, options, {.times = {}, .interval = [&](const auto& interval) { errors.add(interval); }});
    return {std::move(run.result), errors.list().front()};
  }

  CompareProblem problem;
  analyses::RunVariables variables;
  analyses::ReferenceCurves reference;
};

}  // namespace

void print_vehicle_steps(const StudyOptions& options) {
  const double t_end = 4;
  const Height height(t_end);
  const auto [other, distance] = height.analyse(make_options("bdf-i3", 1e-8, {}, kLargestStep));
  fmt::print("Errors against for-sdirk at 1e-8, from which bdf-i3 at 1e-8 is {:.1e} m away.\n\n", distance.largest);
  print_header({"method", "tolerance", "steps", "rejected for error", "not solved", "Jacobians", "iterations a step",
                "factorisations", "charts anew", "error of the chassis' height [m]", "in tolerances",
                "no step above 1 s: steps", "not solved", "error [m]"});
  std::vector<std::string> methods = kImplicit;
  methods.emplace_back("ssp-sdirk");
  methods.emplace_back("hht");
  methods.emplace_back("bdf-i3");
  for (const std::string& method : methods) {
    for (const double tolerance : decades(2, options.is_full ? 7 : 6)) {
      if (tolerance < 1e-5 && method.ends_with("trap") && !options.is_full) continue;
      const auto [run, error] = height.analyse(make_options(method, tolerance, {}, kLargestStep));
      const auto [free, free_error] = height.analyse(make_options(method, tolerance, {}, kThesisLargestStep));
      if (!is_complete(run)) {
        print_row({method, tolerance_cell(tolerance), trouble_cell(run)});
        continue;
      }
      print_row({method, tolerance_cell(tolerance), cell(run.statistics.steps), cell(run.statistics.rejected_error),
                 cell(run.statistics.rejected_convergence), cell(count_jacobians(run)),
                 cell(calc_iterations_per_step(run), "{:.1f}"), cell(run.statistics.linear.factorizations),
                 cell(count_chart_changes(run)), cell(error.largest), cell(error.largest / tolerance),
                 cell(free.statistics.steps), cell(free.statistics.rejected_convergence),
                 is_complete(free) ? cell(free_error.largest) : trouble_cell(free)});
    }
  }
}

namespace {

struct StepHistory {
  std::vector<double> t, h;
  std::vector<long> iterations;
};

StepHistory record_steps(const std::string& method, double t_end) {
  const CompareProblem problem = make_problem(kCase, {}, t_end);
  const analyses::Form form =
      analyses::choose_form(problem.mechanism, problem.start, *integrators::find_method(method));
  StepHistory history;
  integrators::Observers observers;
  observers.step = [&](const integrators::StepRecord& step) {
    history.t.push_back(step.t);
    history.h.push_back(step.h);
    history.iterations.push_back(step.newton_iterations);
  };
  const dae::ConstrainedSystem& system =
      form.plain ? static_cast<const dae::ConstrainedSystem&>(*form.plain) : *problem.system;
  const RunResult run =
      integrate(system, form.from_quasi(problem.start), t_end, make_options(method, 1e-3, {}, kThesisLargestStep),
                events_in_form(problem.events, form), observers);
  if (!is_complete(run)) throw std::runtime_error(method + ": " + run.reason);
  return history;
}

void draw_histories(const std::filesystem::path& file, const std::vector<std::pair<std::string, StepHistory>>& runs) {
  figures::Panel panel;
  panel.title = "Step sizes, HMMWV14 with bushings, tolerance 1e-3";
  panel.x = {.label = "time [s]"};
  panel.y = {.label = "step [s]", .is_log = true, .limits = figures::Limits{1e-6, 2}};
  panel.marks = {{0.498, "front wheels"}, {1.238, "rear wheels"}};
  for (const auto& [name, history] : runs) {
    panel.series.push_back({.name = name, .x = history.t, .y = history.h});
  }
  figures::Figure figure;
  figure.panels.push_back(std::move(panel));
  std::ofstream out(file);
  out << to_svg(figure);
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace

void print_vehicle_history(const StudyOptions& options) {
  constexpr std::array<double, 9> kEdges{0, 0.49, 0.6, 1.2, 1.4, 2, 3, 4, 30};
  std::map<std::string, StepHistory> histories;
  for (const std::string& method : kImplicit) histories.emplace(method, record_steps(method, kEdges.back()));
  std::vector<std::string> header{"method", "steps, median and largest step [s], iterations a step"};
  for (std::size_t k = 1; k < kEdges.size(); ++k)
    header.push_back(fmt::format("{:g} to {:g} s", kEdges[k - 1], kEdges[k]));
  print_header(header);
  for (const std::string& method : kImplicit) {
    const StepHistory& history = histories.at(method);
    std::array<std::vector<std::string>, 4> rows;
    const std::array<const char*, 4> titles{"steps", "median", "largest", "iterations"};
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = {method, titles[r]};
    for (std::size_t k = 1; k < kEdges.size(); ++k) {
      std::vector<double> sizes;
      long iterations = 0;
      for (std::size_t i = 0; i < history.t.size(); ++i) {
        if (history.t[i] <= kEdges[k - 1] || history.t[i] > kEdges[k]) continue;
        sizes.push_back(history.h[i]);
        iterations += history.iterations[i];
      }
      std::sort(sizes.begin(), sizes.end());
      const auto count = static_cast<long>(sizes.size());
      rows[0].push_back(cell(count));
      rows[1].push_back(sizes.empty() ? "-" : cell(sizes[sizes.size() / 2]));
      rows[2].push_back(sizes.empty() ? "-" : cell(sizes.back()));
      rows[3].push_back(sizes.empty() ? "-"
                                      : cell(static_cast<double>(iterations) / static_cast<double>(count), "{:.1f}"));
    }
    for (const std::vector<std::string>& row : rows) print_row(row);
  }
  if (options.figures.empty()) return;
  const auto pick = [&](std::initializer_list<const char*> names, double t_end) {
    std::vector<std::pair<std::string, StepHistory>> runs;
    for (const char* name : names) runs.emplace_back(name, record_steps(name, t_end));
    return runs;
  };
  draw_histories(options.figures / "state-space-steps-4s.svg", pick({"for-sdirk", "ssp-trap", "for-rosen"}, 4));
  draw_histories(options.figures / "state-space-steps-30s.svg", pick({"for-rosen", "infl-sdirk"}, 30));
}

void print_vehicle_jacobian(const StudyOptions& options) {
  print_header({"method", "jacobian", "length [s]", "steps", "Jacobians", "time [s]", "to blocks",
                "thesis: numeric to analytic"});
  constexpr std::array<double, 4> kPrintedRatio{104.0 / 21, 229.0 / 49, 269.0 / 58, 278.0 / 61};
  for (const char* method : {"for-sdirk", "for-rosen", "ssp-trap"}) {
    for (int length = 1; length <= 4; ++length) {
      if (std::string_view(method) != "for-sdirk" && length != 1 && !options.is_full) continue;
      double blocks = 0;
      for (const char* kind : {"blocks", "columns", "numerical"}) {
        const TimedRun run = run_timed(make_problem(kCase, {}, length),
                                       make_options(method, 1e-3, {{"jacobian", kind}}, kLargestStep), 0);
        if (blocks == 0) blocks = run.seconds;
        print_row({method, kind, std::to_string(length),
                   is_complete(run.result) ? cell(run.result.statistics.steps) : trouble_cell(run.result),
                   cell(count_jacobians(run.result)), cell(run.seconds, "{:.3f}"), cell(run.seconds / blocks, "{:.2f}"),
                   std::string_view(method) == "for-sdirk" && std::string_view(kind) == "numerical"
                       ? cell(kPrintedRatio[static_cast<std::size_t>(length - 1)], "{:.1f}")
                       : "-"});
      }
    }
  }
}

}  // namespace trammel::bench
