// mexx_study [TABLE]...
//
// The experiments of the MEXX report (chapter 5) with our method mexx, printed beside the report's figures as tables in
// Markdown. Without TABLE, all of them. Counting rules of the report: nfcn is the number of evaluations of (M, G, g_t),
// that is small steps and velocity projections, the first one included; nsol adds the iterations of the position
// projections. Times are processor times of whole runs, medians of repetitions that take turns. docs/studies/mexx.md
// shows and explains the tables.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/markdown_table.h"
#include "bench/study.h"
#include "cases/case.h"
#include "cases/reference.h"
#include "trammel/integrators/integrate.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::bench {
namespace {

using cases::Case;
using integrators::Options;
using integrators::RunResult;
using integrators::RunStatus;

// The report's first step, the same for all problems [s].
constexpr double kFirstStep = 1e-3;

Case build(const std::string& name, const cases::ParameterValues& parameters = {}) {
  return build_case(*cases::find_case(name), parameters);
}

Options mexx(double tolerance, const integrators::MethodOptions& settings = {}) {
  Options options = Options::with_tolerance(tolerance);
  options.method = "mexx";
  options.h_initial = kFirstStep;
  options.method_options = settings;
  return options;
}

struct Counts {
  long nstep = 0, nfcn = 0, nsol = 0;
};

Counts count(const RunResult& run) {
  const long nfcn = run.statistics.substeps + run.statistics.steps + 1;
  return {run.statistics.steps, nfcn, nfcn + run.statistics.newton_iterations};
}

std::string ratio(long ours, long reports) {
  return fmt::format("{:.2f}", static_cast<double>(ours) / static_cast<double>(reports));
}

double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Median processor times of the given runs, which take turns [s].
std::vector<double> measure(const std::vector<std::function<void()>>& runs, int repetitions) {
  std::vector<std::vector<double>> times(runs.size());
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const double begin = processor_seconds();
      runs[i]();
      if (repetition > 0) times[i].push_back(processor_seconds() - begin);  // the first one warms up
    }
  }
  std::vector<double> medians;
  for (std::vector<double>& t : times) {
    std::nth_element(t.begin(), t.begin() + static_cast<std::ptrdiff_t>(t.size() / 2), t.end());
    medians.push_back(t[t.size() / 2]);
  }
  return medians;
}

double end_value(const std::string& file, const std::string& name) {
  const cases::Reference reference = cases::load_reference(std::string(TRAMMEL_REFERENCE_DIR) + "/" + file + ".json");
  return reference.points.back().values.at(name);
}

// --- table 5.1

void print_drum() {
  struct Row {
    double mu;
    Counts standard, modified;  // of the report; 0: it failed
  };
  constexpr std::array<Row, 8> kRows{{{0, {7, 99, 107}, {7, 99, 107}},
                                      {0.125, {8, 102, 111}, {7, 99, 107}},
                                      {0.25, {9, 112, 122}, {7, 99, 107}},
                                      {0.5, {10, 162, 173}, {7, 99, 107}},
                                      {0.75, {23, 273, 297}, {7, 105, 114}},
                                      {1, {76, 1082, 1159}, {7, 87, 95}},
                                      {1.25, {47, 0, 0}, {9, 149, 159}},
                                      {1.5, {23, 0, 0}, {8, 114, 123}}}};
  print_header({"scheme", "mu", "report: nstep", "nfcn", "nsol", "ours: nstep", "nfcn", "nsol", "nfcn ratio",
                "error of y", "end"});
  for (const char* scheme : {"standard", "modified", "automatic"}) {
    for (const Row& row : kRows) {
      const Case drum = build("cable-drum", {{"mu", row.mu}});
      const RunResult run = integrate(*drum.system, drum.start, drum.t_end, mexx(1e-5, {{"friction", scheme}}));
      const Counts ours = count(run);
      const Counts& theirs = std::string_view(scheme) == "standard" ? row.standard : row.modified;
      const bool has_failed = theirs.nfcn == 0;
      const double exact = end_value(fmt::format("cable-drum-mu{:g}", row.mu), "load.y");
      print_row({scheme, fmt::format("{:g}", row.mu), std::to_string(theirs.nstep),
                 has_failed ? "failed" : std::to_string(theirs.nfcn), has_failed ? "-" : std::to_string(theirs.nsol),
                 std::to_string(ours.nstep), std::to_string(ours.nfcn), std::to_string(ours.nsol),
                 has_failed ? "-" : ratio(ours.nfcn, theirs.nfcn),
                 run.ok() ? fmt::format("{:.1e}", std::abs(run.state.q[0] - exact)) : "-",
                 run.ok() ? "4" : fmt::format("failed at {:.3g}", run.state.t)});
    }
  }
}

// --- table 5.2

void print_seven_bodies() {
  struct Row {
    double tolerance;
    Counts counts;
  };
  constexpr std::array<Row, 5> kRows{{{1e-3, {17, 488, 511}},
                                      {1e-5, {26, 925, 957}},
                                      {1e-7, {23, 1530, 1563}},
                                      {1e-9, {32, 2533, 2571}},
                                      {1e-11, {37, 3554, 3611}}}};
  const Case c = build("andrews");
  const double exact = end_value("andrews", "beta");
  print_header({"tolerance", "report: nstep", "nfcn", "nsol", "ours: nstep", "nfcn", "nsol", "nfcn ratio",
                "error of beta / tolerance"});
  for (const Row& row : kRows) {
    const RunResult run = integrate(*c.system, c.start, c.t_end, mexx(row.tolerance));
    const Counts ours = count(run);
    print_row({fmt::format("{:.0e}", row.tolerance), std::to_string(row.counts.nstep), std::to_string(row.counts.nfcn),
               std::to_string(row.counts.nsol), std::to_string(ours.nstep), std::to_string(ours.nfcn),
               std::to_string(ours.nsol), ratio(ours.nfcn, row.counts.nfcn),
               fmt::format("{:.1f}", std::abs(run.state.q[0] - exact) / row.tolerance)});
  }
}

/// What dense output and roots cost on the seven-body mechanism, and how exact the roots are.
void print_dense() {
  const Case c = build("andrews");
  const cases::Reference reference = cases::load_reference(std::string(TRAMMEL_REFERENCE_DIR) + "/andrews.json");
  const std::vector<double>& exact = reference.event_times.at(c.events.front().name);
  integrators::Observers observer;
  double sum = 0;
  observer.output = [&](const dae::State& state) { sum += state.q[0]; };
  const auto with_points = [](Options options, int points) {
    options.output.kind = integrators::OutputKind::kPoints;
    for (int i = 1; i <= points; ++i) options.output.points.push_back(0.03 * i / (points + 1));
    return options;
  };
  print_header({"tolerance", "accelerations", "plain [ms]", "dense output, a point a step", "dense output, 100 points",
                "roots, a look a step", "roots, four looks a step", "roots found", "largest error of a root [s]"});
  for (const double tolerance : {1e-3, 1e-5, 1e-7, 1e-9}) {
    for (const char* accelerations : {"solved", "extrapolated"}) {
      const Options options = mexx(tolerance, {{"accelerations", accelerations}});
      const auto run = [&](const Options& o, const std::vector<integrators::Event>& events, bool observes) {
        return integrate(*c.system, c.start, c.t_end, o, events, observes ? observer : integrators::Observers{});
      };
      const RunResult with_roots = run(options, c.events, false);
      double largest = 0;
      const std::size_t found = with_roots.events.size();
      for (std::size_t i = 0; i < std::min(found, exact.size()); ++i) {
        largest = std::max(largest, std::abs(with_roots.events[i].t - exact[i]));
      }
      const Options sparse = with_points(options, static_cast<int>(with_roots.statistics.steps)),
                    dense = with_points(options, 100);
      Options one_look = options;
      one_look.event_checks = 1;
      const std::vector<double> seconds =
          measure({[&] { run(options, {}, false); }, [&] { run(sparse, {}, true); }, [&] { run(dense, {}, true); },
                   [&] { run(one_look, c.events, false); }, [&] { run(options, c.events, false); }},
                  101);
      const auto extra = [&](int i) {
        return fmt::format("+{:.0f} %", 100 * (seconds[static_cast<std::size_t>(i)] / seconds[0] - 1));
      };
      print_row({fmt::format("{:.0e}", tolerance), accelerations, fmt::format("{:.3f}", 1e3 * seconds[0]), extra(1),
                 extra(2), extra(3), extra(4), fmt::format("{} of {}", found, exact.size()),
                 fmt::format("{:.1e}", largest)});
    }
  }
}

// --- table 5.3

void print_truck() {
  struct Row {
    int road;
    double tolerance;
    Counts counts;
  };
  constexpr std::array<Row, 10> kRows{{{1, 1e-3, {692, 9492, 10185}},
                                       {1, 1e-5, {552, 16489, 17042}},
                                       {1, 1e-7, {511, 32772, 33284}},
                                       {1, 1e-9, {595, 53904, 54500}},
                                       {1, 1e-11, {766, 81473, 82240}},
                                       {0, 1e-3, {301, 5749, 6051}},
                                       {0, 1e-5, {274, 13540, 13815}},
                                       {0, 1e-7, {304, 25200, 25505}},
                                       {0, 1e-9, {349, 38282, 38632}},
                                       {0, 1e-11, {492, 54255, 54748}}}};
  print_header({"road", "tolerance", "report: nstep", "nfcn", "nfcn/nstep", "ours: nstep", "nfcn", "nfcn/nstep",
                "time [ms]", "bdf-i3 [ms]", "hht [ms]"});
  for (const Row& row : kRows) {
    const Case c = build("truck", {{"road", row.road}});
    const auto run = [&](Options options, const char* method) {
      options.method = method;
      return integrate(*c.system, c.start, c.t_end, options);
    };
    const Counts ours = count(run(mexx(row.tolerance), "mexx"));
    std::vector<std::string> times;
    for (const char* method : {"mexx", "bdf-i3", "hht"}) {
      // hht is of second order: below 1e-7 it would run for minutes.
      if (std::string_view(method) == "hht" && row.tolerance < 1e-7) {
        times.emplace_back("-");
        continue;
      }
      const Options options = Options::with_tolerance(row.tolerance);
      times.push_back(fmt::format("{:.1f}", 1e3 * measure({[&] { run(options, method); }}, 3).front()));
    }
    const auto per_step = [](const Counts& n) {
      return fmt::format("{:.1f}", static_cast<double>(n.nfcn) / static_cast<double>(n.nstep));
    };
    print_row({row.road == 0 ? "sine" : "measured", fmt::format("{:.0e}", row.tolerance),
               std::to_string(row.counts.nstep), std::to_string(row.counts.nfcn), per_step(row.counts),
               std::to_string(ours.nstep), std::to_string(ours.nfcn), per_step(ours), times[0], times[1], times[2]});
  }
}

// --- tables 5.5 and 5.6

void print_chain() {
  struct Row {
    int n;
    double tolerance;
    Counts counts;
  };
  constexpr std::array<Row, 9> kRows{{{16, 1e-3, {13, 583, 597}},
                                      {16, 1e-5, {13, 846, 862}},
                                      {16, 1e-7, {17, 1396, 1414}},
                                      {32, 1e-3, {13, 473, 488}},
                                      {32, 1e-5, {12, 759, 774}},
                                      {32, 1e-7, {15, 1204, 1220}},
                                      {64, 1e-3, {13, 444, 460}},
                                      {64, 1e-5, {15, 890, 906}},
                                      {64, 1e-7, {15, 1164, 1180}}}};
  print_header({"n", "tolerance", "report: nstep", "nfcn", "nsol", "ours: nstep", "nfcn", "nsol", "nfcn ratio"});
  for (const Row& row : kRows) {
    const Case c = build("insulator-chain", {{"n", row.n}});
    const Counts ours = count(integrate(*c.system, c.start, 0.1, mexx(row.tolerance)));
    print_row({std::to_string(row.n), fmt::format("{:.0e}", row.tolerance), std::to_string(row.counts.nstep),
               std::to_string(row.counts.nfcn), std::to_string(row.counts.nsol), std::to_string(ours.nstep),
               std::to_string(ours.nfcn), std::to_string(ours.nsol), ratio(ours.nfcn, row.counts.nfcn)});
  }
  fmt::print("\n");
  const Case c = build("insulator-chain", {{"n", 32}});
  for (const double tolerance : {1e-5, 1e-8}) {
    const RunResult run = integrate(*c.system, c.start, 0.2, mexx(tolerance), c.events);
    fmt::print("First turn of the top insulator at n = 32, tolerance {:.0e}: {} (report: 0.1283)\n", tolerance,
               run.events.empty() ? "none" : fmt::format("{:.7f}", run.events.front().t));
  }
}

/// Cost of a small step by the length of the chain, with sparse and with full matrices.
void print_linear() {
  print_header({"n", "linear_solver", "nfcn", "time [ms]", "microseconds a small step", "the same a link"});
  for (const int n : {16, 32, 64, 256, 1024, 4096}) {
    for (const char* solver : {"sparse", "lu", "symmetric"}) {
      if (std::string_view(solver) != "sparse" && n > 64) continue;
      const Case c = build("insulator-chain", {{"n", n}});
      const Options options = mexx(1e-5, {{"linear_solver", solver}});
      const double t_end = n > 256 ? 0.02 : 0.1;
      RunResult run;
      const double seconds =
          measure({[&] { run = integrate(*c.system, c.start, t_end, options); }}, n > 100 ? 3 : 11).front();
      const Counts ours = count(run);
      const double each = 1e6 * seconds / static_cast<double>(ours.nfcn);
      print_row({std::to_string(n), solver, std::to_string(ours.nfcn), fmt::format("{:.2f}", 1e3 * seconds),
                 fmt::format("{:.2f}", each), fmt::format("{:.3f}", each / n)});
    }
  }
  fmt::print(
      "\nDecomposition and solution alone, [M G^T; G 0] of the chain (report, table 5.6, in seconds: full 0.131, "
      "0.466, 1.800; symmetric 0.163, 0.582, 2.242; sparse, known order, 0.022, 0.041, 0.086):\n\n");
  print_header({"n", "linear_solver", "decomposition [microseconds]", "solution [microseconds]"});
  for (const int n : {16, 32, 64}) {
    for (const kkt::BackEnd back_end : {kkt::BackEnd::kDenseLu, kkt::BackEnd::kDenseSymmetric, kkt::BackEnd::kSparse}) {
      const Case c = build("insulator-chain", {{"n", n}});
      dae::Evaluation evaluation(*c.system);
      evaluation.set_position(0, c.start.q);
      kkt::AccelerationSolver solver(evaluation, {.back_end = back_end});
      linalg::Vector upper = linalg::Vector::Ones(c.system->structure().n_v());
      linalg::Vector lower = linalg::Vector::Zero(c.system->structure().m());
      constexpr int kTimes = 100;
      const std::vector<double> seconds = measure({[&] {
                                                     for (int i = 0; i < kTimes; ++i) {
                                                       if (solver.factor_position() != kkt::AccelerationStatus::kSolved)
                                                         throw std::runtime_error("singular");
                                                     }
                                                   },
                                                   [&] {
                                                     for (int i = 0; i < kTimes; ++i) {
                                                       upper.setOnes();
                                                       lower.setZero();
                                                       solver.metric().solve(upper, lower);
                                                     }
                                                   }},
                                                  5);
      print_row({std::to_string(n), to_string(back_end), fmt::format("{:.1f}", 1e6 * seconds[0] / kTimes),
                 fmt::format("{:.1f}", 1e6 * seconds[1] / kTimes)});
    }
  }
}

// --- drift

/// Constraints over a million steps of the pendulum.
void print_drift() {
  print_header({"tolerance", "steps", "time simulated [s]", "largest |g|", "largest |G v|", "change of energy"});
  const Case c = build("pendulum");
  for (const auto& [tolerance, t_end] : {std::pair(1e-4, 4.04e5), std::pair(1e-8, 1.47e5)}) {
    const RunResult run = integrate(*c.system, c.start, t_end, mexx(tolerance));
    print_row({fmt::format("{:.0e}", tolerance), std::to_string(run.statistics.steps),
               fmt::format("{:.3g}", run.state.t), fmt::format("{:.1e}", run.drift.position),
               fmt::format("{:.1e}", run.drift.velocity),
               fmt::format("{:.1e}", std::abs(run.final_energy.value_or(0) - run.initial_energy.value_or(0)))});
  }
}

constexpr std::array kTables{
    StudyTable<>{"drum", "Cable drum with dry friction (table 5.1, tolerance 1e-5)", print_drum},
    StudyTable<>{"seven-body", "Seven-body mechanism (table 5.2)", print_seven_bodies},
    StudyTable<>{"dense", "Dense output and roots of the crank's acceleration", print_dense},
    StudyTable<>{"truck", "Truck (table 5.3; its data are not the report's)", print_truck},
    StudyTable<>{"chain", "Insulator chain to t = 0.1 (table 5.5)", print_chain},
    StudyTable<>{"linear", "Linear algebra on the chain (tables 5.5, 5.6)", print_linear},
    StudyTable<>{"drift", "Drift over a million steps", print_drift},
};

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::print_tables("mexx_study [TABLE]...", trammel::bench::kTables,
                                      trammel::bench::words_of(argc, argv));
}
