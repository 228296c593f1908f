#include "bench/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <string_view>

namespace trammel::bench {
namespace {

double process_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

CompareProblem make_problem(const std::string& name, const cases::ParameterValues& parameters, double t_end) {
  const cases::Case c = build_case(*cases::find_case(name), parameters);
  CompareProblem problem{.system = c.system, .mechanism = c.mechanism, .start = c.start};
  problem.t_end = t_end > 0 ? t_end : c.t_end;
  if (c.mechanism) problem.events = c.events;
  return problem;
}

Options make_options(const std::string& method, double tolerance, const MethodOptions& settings, double h_max) {
  Options options = Options::with_tolerance(tolerance);
  options.method = method;
  options.method_options = settings;
  options.h_max = h_max;
  return options;
}

bool is_complete(const RunResult& run) { return run.status == integrators::RunStatus::kCompleted; }

bool has_method(const std::string& name) { return integrators::find_method(name) != nullptr; }

long count_rejected(const RunResult& run) {
  return run.statistics.rejected_error + run.statistics.rejected_convergence;
}

long count_jacobians(const RunResult& run) {
  return std::accumulate(run.statistics.renewals.begin(), run.statistics.renewals.end(), 0L);
}

long count_chart_changes(const RunResult& run) {
  constexpr std::string_view kWords = "chosen anew ";
  for (const std::string& note : run.notes) {
    const std::size_t found = note.find(kWords);
    if (found == std::string::npos) continue;
    long count = 0;
    std::from_chars(note.data() + found + kWords.size(), note.data() + note.size(), count);
    return count;
  }
  return 0;
}

double calc_iterations_per_step(const RunResult& run) {
  return static_cast<double>(run.statistics.newton_iterations) /
         static_cast<double>(std::max(run.statistics.steps, 1L));
}

analyses::SampledRun run_or_throw(const CompareProblem& problem, const Options& options,
                                  const analyses::SamplingOptions& sampling) {
  analyses::SampledRun run = run_sampled(problem, options, sampling);
  if (!run.obstacle.empty()) throw std::runtime_error(options.method + ": " + run.obstacle);
  return run;
}

TimedRun run_timed(const CompareProblem& problem, const Options& options, double enough) {
  constexpr std::size_t kMostRepetitions = 15;
  TimedRun timed;
  std::vector<double> times;
  double spent = 0;
  while (times.empty() || (spent < enough && times.size() < kMostRepetitions)) {
    const double begin = process_seconds();
    analyses::SampledRun run = run_or_throw(problem, options);
    times.push_back(process_seconds() - begin);
    spent += times.back();
    timed.result = std::move(run.result);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  timed.seconds = *middle;
  return timed;
}

std::vector<double> decades(int first, int last) {
  std::vector<double> values;
  for (int digits = first; digits <= last; ++digits) values.push_back(std::pow(10.0, -digits));
  return values;
}

std::string cell(double value, const char* format) { return fmt::format(fmt::runtime(format), value); }
std::string cell(long value) { return std::to_string(value); }
std::string tolerance_cell(double tolerance) { return fmt::format("{:.0e}", tolerance); }

std::string trouble_cell(const RunResult& run) {
  return fmt::format("{} at t = {:.3g} s: {}", to_string(run.status), run.state.t, run.reason.substr(0, 80));
}

}  // namespace trammel::bench
