// coordinate_split_study [TABLE]...
//
// The experiments of the report of Yen and Petzold (1996, chapter 5) with bdf-ggl, bdf-ggl-star, bdf-cs and bdf-cm,
// printed beside the report's figures as tables in Markdown, and what these methods and hht cost on a chain with stiff
// bushings whose smooth motion is wanted. Without TABLE, all of them. fevals of the report are counted as Newton
// iterations, jevals as new iteration matrices, etfs and ctfs as steps rejected for their error and for iterations that
// did not converge. docs/studies/coordinate-split.md shows and explains the tables.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/experiment.h"
#include "bench/markdown_table.h"
#include "bench/study.h"
#include "cases/reference.h"

namespace trammel::bench {
namespace {

using cases::ParameterValues;

/// A method with settings, under the name that tables have for it.
struct Iteration {
  std::string_view label;
  const char* method;
  MethodOptions settings = {};
};

/// What the report counts.
struct Counts {
  long steps = 0, fevals = 0, jevals = 0, etfs = 0, ctfs = 0;
};

Counts count(const RunResult& run) {
  return {run.statistics.steps, run.statistics.newton_iterations, count_jacobians(run), run.statistics.rejected_error,
          run.statistics.rejected_convergence};
}

struct ReportRow {
  double tolerance, eps;
  std::array<Counts, 4> counts;  ///< of GGL, GGL*, CS, CM
};

/// The four iterations of the report, and at the end CM as it converges, which the report does not have.
std::vector<Iteration> list_iterations() {
  return {{"GGL", "bdf-ggl"},
          {"GGL*", "bdf-ggl-star"},
          {"CS", "bdf-cs"},
          {"CM, frozen P", "bdf-cm", {{"projector", "frozen"}}},
          {"CM, current P", "bdf-cm", {{"projector", "current"}}}};
}

/// DASSL's rules and order 2 at most; a step may be as long as the run.
Options make_report_options(const Iteration& iteration, double tolerance, const MethodOptions& more, double t_end) {
  MethodOptions settings{{"rules", "dassl"}, {"max_order", "2"}};
  settings.insert(iteration.settings.begin(), iteration.settings.end());
  settings.insert(more.begin(), more.end());
  Options options = make_options(iteration.method, tolerance, settings, t_end);
  options.time_limit = 60;
  return options;
}

void print_counts_header(std::vector<std::string> first) {
  for (const char* name : {"iteration", "report: steps", "fevals", "jevals", "etfs", "ctfs", "ours: steps", "fevals",
                           "jevals", "etfs", "ctfs", "ratio of steps"}) {
    first.emplace_back(name);
  }
  print_header(first);
}

void print_counts(std::vector<std::string> cells, std::string_view label, const Counts* theirs, const RunResult& run) {
  const auto add = [&](const Counts& n) {
    for (const long value : {n.steps, n.fevals, n.jevals, n.etfs, n.ctfs}) cells.push_back(cell(value));
  };
  cells.emplace_back(label);
  if (theirs != nullptr) {
    add(*theirs);
  } else {
    cells.insert(cells.end(), 5, "-");
  }
  if (is_complete(run)) {
    const Counts ours = count(run);
    add(ours);
    const auto ratio = [&] { return static_cast<double>(ours.steps) / static_cast<double>(theirs->steps); };
    cells.push_back(theirs != nullptr ? cell(ratio(), "{:.2f}") : "-");
  } else {
    cells.push_back(trouble_cell(run));
  }
  print_row(cells);
}

// --- tables 5.1 and 5.2: the point mass

void print_point_mass(const std::string& name, const ParameterValues& parameters, std::span<const ReportRow> rows) {
  print_counts_header({"TOL", "eps"});
  for (const ReportRow& row : rows) {
    ParameterValues values = parameters;
    values["eps"] = row.eps;
    const CompareProblem problem = make_problem(name, values);
    std::size_t i = 0;
    for (const Iteration& iteration : list_iterations()) {
      const Options options = make_report_options(iteration, row.tolerance, {{"error", "positions"}}, problem.t_end);
      const RunResult run = run_or_throw(problem, options).result;
      const Counts* theirs = i < row.counts.size() ? &row.counts[i++] : nullptr;
      print_counts({tolerance_cell(row.tolerance), tolerance_cell(row.eps)}, iteration.label, theirs, run);
    }
  }
}

constexpr std::array<ReportRow, 3> kLinearForce{{
    {1e-3, 1e-4, {{{446, 1713, 263, 47, 0}, {478, 1304, 127, 45, 0}, {381, 1036, 106, 46, 0}, {373, 963, 96, 38, 0}}}},
    {1e-3,
     1e-5,
     {{{431, 1726, 261, 34, 2}, {500, 1324, 139, 52, 2}, {447, 1281, 116, 56, 2}, {456, 1180, 115, 58, 1}}}},
    {1e-3, 1e-6, {{{427, 1693, 275, 41, 8}, {478, 1247, 123, 44, 4}, {414, 1139, 119, 38, 5}, {325, 844, 81, 34, 1}}}},
}};

void print_linear_force() {
  for (const int variant : {1, 2}) {
    fmt::print("Stiffness along x {}:\n\n", variant == 1 ? "1/eps, as printed" : "1/eps^2");
    print_point_mass("point-mass-linear", {{"variant", variant}}, kLinearForce);
    fmt::print("\n");
  }
}

constexpr std::array<ReportRow, 3> kSpring{{
    {1e-3, 1e-4, {{{109, 383, 56, 13, 0}, {109, 337, 45, 13, 0}, {150, 474, 58, 20, 0}, {72, 208, 31, 7, 0}}}},
    {1e-3, 1e-5, {{{105, 416, 68, 11, 0}, {105, 387, 47, 12, 0}, {135, 455, 56, 18, 0}, {66, 205, 32, 4, 0}}}},
    {1e-4, 1e-4, {{{822, 2534, 337, 78, 0}, {818, 2572, 242, 82, 0}, {943, 2727, 217, 66, 0}, {193, 577, 56, 14, 0}}}},
}};

void print_spring() { print_point_mass("point-mass-spring", {}, kSpring); }

/// How much the steps of table 5.2 depend on the first of them, about which the report says nothing.
void print_first_steps() {
  print_header({"TOL", "eps", "iteration", "report", "least", "median", "most"});
  for (const ReportRow& row : kSpring) {
    const CompareProblem problem = make_problem("point-mass-spring", {{"eps", row.eps}});
    std::size_t i = 0;
    for (const Iteration& iteration : list_iterations()) {
      if (i == row.counts.size()) break;
      std::vector<long> steps;
      for (double exponent = -11; exponent <= -4; exponent += 0.25) {
        Options options = make_report_options(iteration, row.tolerance, {{"error", "positions"}}, problem.t_end);
        options.h_initial = std::pow(10.0, exponent);
        steps.push_back(run_or_throw(problem, options).result.statistics.steps);
      }
      std::sort(steps.begin(), steps.end());
      print_row({tolerance_cell(row.tolerance), tolerance_cell(row.eps), std::string(iteration.label),
                 cell(row.counts[i++].steps), cell(steps.front()), cell(steps[steps.size() / 2]), cell(steps.back())});
    }
  }
}

// --- tables 5.3 and 5.4: two bodies and a bushing

constexpr std::array<ReportRow, 4> kBushing{{
    {1e-3, 1e-3, {{{59, 141, 46, 0, 12}, {62, 154, 48, 0, 13}, {62, 156, 48, 0, 13}, {62, 156, 48, 0, 13}}}},
    {1e-4, 1e-3, {{{61, 136, 27, 1, 5}, {77, 193, 65, 1, 16}, {77, 193, 65, 1, 16}, {77, 193, 65, 1, 16}}}},
    {1e-5, 1e-3, {{{108, 259, 77, 1, 21}, {87, 215, 54, 0, 13}, {87, 215, 54, 0, 13}, {87, 215, 54, 0, 13}}}},
    {1e-4,
     1e-6,
     {{{5267, 10536, 7899, 0, 2633}, {2251, 4900, 3360, 1, 1120}, {2252, 4901, 3361, 1, 1120}, {20, 40, 7, 0, 0}}}},
}};

void print_bushing() {
  print_counts_header({"gravity", "eps", "TOL"});
  for (const double gravity : {0.0, 9.81}) {
    for (const ReportRow& row : kBushing) {
      const CompareProblem problem = make_problem("bushing-pendulum", {{"eps", row.eps}, {"g", gravity}});
      std::size_t i = 0;
      for (const Iteration& iteration : list_iterations()) {
        // Positions and velocities, of GGL all of them and of the others the independent ones.
        const MethodOptions judged =
            iteration.label == "GGL" ? MethodOptions{} : MethodOptions{{"judged", "independent"}};
        const Options options = make_report_options(iteration, row.tolerance, judged, problem.t_end);
        const RunResult run = run_or_throw(problem, options).result;
        const Counts* theirs = i < row.counts.size() ? &row.counts[i++] : nullptr;
        print_counts({cell(gravity, "{:g}"), tolerance_cell(row.eps), tolerance_cell(row.tolerance)}, iteration.label,
                     theirs, run);
      }
    }
  }
}

// --- the chain with bushings

/// The smooth motion of a case: a reference at the times of the samples.
class SmoothMotion {
 public:
  explicit SmoothMotion(const std::string& file)
      : reference_(cases::load_reference(std::string(TRAMMEL_REFERENCE_DIR) + "/" + file)) {
    for (const cases::ReferencePoint& point : reference_.points) {
      if (point.t > 0) times_.push_back(point.t);
    }
  }

  const std::vector<double>& times() const { return times_; }
  const ParameterValues& parameters() const { return reference_.parameters; }

  struct Errors {
    double position = 0, velocity = 0;
  };
  /// Root mean square over the times of the largest error of a position and of a velocity.
  Errors calc_errors(const dae::Structure& structure, std::span<const dae::State> states) const {
    Errors sums;
    const std::size_t first = reference_.points.size() - times_.size();
    for (std::size_t k = 0; k < times_.size(); ++k) {
      const dae::State exact = cases::to_state(structure, reference_.points[first + k]);
      sums.position += (states[k].q - exact.q).cwiseAbs2().maxCoeff();
      sums.velocity += (states[k].v - exact.v).cwiseAbs2().maxCoeff();
    }
    const auto count = static_cast<double>(times_.size());
    return {std::sqrt(sums.position / count), std::sqrt(sums.velocity / count)};
  }

 private:
  cases::Reference reference_;
  std::vector<double> times_;
};

std::vector<Iteration> list_competitors() {
  std::vector<Iteration> iterations{
      {"bdf-ggl", "bdf-ggl"},
      {"bdf-ggl-star", "bdf-ggl-star"},
      {"bdf-cs", "bdf-cs"},
      {"bdf-cs, positions", "bdf-cs", {{"error", "positions"}}},
      {"bdf-cm, current P", "bdf-cm", {{"projector", "current"}}},
      {"bdf-cm, P of the predictor", "bdf-cm", {{"projector", "predictor"}}},
      {"bdf-cm, frozen P", "bdf-cm", {{"projector", "frozen"}}},
      {"bdf-cm, frozen P, positions", "bdf-cm", {{"projector", "frozen"}, {"error", "positions"}}},
      {"bdf-i3", "bdf-i3"},
      {"hht", "hht"}};
  return iterations;
}

/// Error against the smooth motion, and cost, where the bushings oscillate with the given offset.
void print_chain() {
  constexpr double kTimeLimit = 60;
  const SmoothMotion smooth("bushing-chain-24-smooth.json");
  print_header({"offset [m]", "method", "tolerance", "error of positions", "of velocities", "steps", "rejected",
                "iterations", "Jacobians", "time [ms]"});
  for (const double offset : {1e-6, 1e-4}) {
    ParameterValues parameters = smooth.parameters();
    parameters["offset"] = offset;
    const CompareProblem problem = make_problem("bushing-chain", parameters, smooth.times().back());
    for (const Iteration& iteration : list_competitors()) {
      for (const double tolerance : decades(2, 7)) {
        Options options = make_options(iteration.method, tolerance, iteration.settings);
        options.time_limit = kTimeLimit;
        const analyses::SampledRun sampled = run_or_throw(
            problem, options, {.times = smooth.times(), .states = static_cast<int>(smooth.times().size())});
        const std::vector<std::string> names{tolerance_cell(offset), std::string(iteration.label),
                                             tolerance_cell(tolerance)};
        if (!is_complete(sampled.result)) {
          print_row({names[0], names[1], names[2], trouble_cell(sampled.result)});
          break;  // tighter tolerances take longer
        }
        const auto [position, velocity] = smooth.calc_errors(problem.system->structure(), sampled.states);
        const TimedRun timed = run_timed(problem, options, 0.2);
        const RunResult& run = timed.result;
        print_row({names[0], names[1], names[2], cell(position, "{:.1e}"), cell(velocity, "{:.1e}"),
                   cell(run.statistics.steps), cell(count_rejected(run)), cell(run.statistics.newton_iterations),
                   cell(count_jacobians(run)), cell(1e3 * timed.seconds, "{:.1f}")});
        if (timed.seconds > kTimeLimit / 10) break;
      }
    }
  }
}

constexpr std::array kTables{
    StudyTable<>{"linear", "Point mass with a linear force (table 5.1)", print_linear_force},
    StudyTable<>{"spring", "Point mass with a spring (table 5.2)", print_spring},
    StudyTable<>{"first-step", "Steps of table 5.2 over first steps from 1e-11 to 1e-4 s", print_first_steps},
    StudyTable<>{"bushing", "Two bodies and a bushing (tables 5.3 and 5.4)", print_bushing},
    StudyTable<>{"chain", "A chain of 24 rods with 12 stiff bushings: error against its smooth motion", print_chain},
};

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::print_tables("coordinate_split_study [TABLE]...", trammel::bench::kTables,
                                      trammel::bench::words_of(argc, argv));
}
