// work_precision [--json] [--problem NAME] [--repetitions N]
//
// Runs `projection`, the other methods for non-stiff systems and their peers over a range of tolerances and prints what
// each error costs: error against the reference, evaluations, steps, time, and the time divided by what the yardstick
// needs for the same error. The yardstick is `projection` with its automatic choice of the linear solver, in the
// coordinates, of bodies or of joints, in which it is faster on the problem. Times are processor times of runs of
// models that are compiled, of ours and of others, on one thread: medians of repetitions that go round all rows, so
// that a slow moment of the machine hits every method alike.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "bench/markdown_table.h"
#include "bench/peers/contender.h"
#include "bench/peers/erk_peer.h"
#include "bench/peers/ida_peer.h"
#include "bench/peers/problem.h"
#include "bench/peers/simbody_peer.h"
#include "bench/stopwatch.h"
#include "trammel/integrators/integrate.h"
#include "trammel/linalg/parallel.h"

namespace trammel::bench {
namespace {

constexpr std::string_view kYardstick = "projection", kJointYardstick = "projection, joint";
constexpr double kRowSeconds = 1.5;    // of all repetitions of a row, if possible
constexpr double kMostRunSeconds = 3;  // of a run; a method that has needed as much is not asked for tighter tolerances

struct Row {
  std::string problem;
  const Contender* contender;
  double tolerance;
  double error;
  long evaluations;
  long steps;
  std::string solver;
  int repetitions;
  std::vector<double> times;  ///< [s], one a repetition
  double seconds = 0;         ///< median of them
  std::optional<double> ratio;
};

Contender make_own(const Problem& problem, const std::string& method, bool is_joint = false) {
  return {method + (is_joint ? ", joint" : ""), decades(3, problem.most_digits),
          [&problem, method, is_joint](double tolerance) {
            const cases::Case& setup = problem.setup;
            auto options = integrators::Options::with_tolerance(tolerance);
            options.method = method;
            options.time_limit = 5 * kMostRunSeconds;  // by the clock on the wall: others may be at work
            integrators::RunResult run =
                is_joint ? integrate(*problem.joint, problem.joint->from_quasi(setup.start), setup.t_end, options)
                         : integrate(*setup.system, setup.start, setup.t_end, options);
            if (run.status != integrators::RunStatus::kCompleted) throw std::runtime_error(run.reason);
            return Outcome{is_joint ? problem.joint->to_quasi(run.state, false).q : run.state.q,
                           run.statistics.evaluations.force, run.statistics.steps, run.statistics.linear_solver};
          }};
}

std::vector<Contender> make_contenders(const Problem& problem) {
  std::vector<Contender> contenders{make_own(problem, std::string(kYardstick)), make_own(problem, "mexx")};
  if (problem.joint) {
    contenders.push_back(make_own(problem, std::string(kYardstick), true));
    contenders.push_back(make_own(problem, "mexx", true));
  }
  if (problem.rods) {
    for (const auto integrator : {SimbodyIntegrator::kMerson, SimbodyIntegrator::kFeldberg}) {
      contenders.push_back(make_simbody(problem, integrator));
    }
    return contenders;
  }
  contenders.push_back(make_own(problem, "herk"));
  contenders.push_back(make_underlying_ode(problem));
  if (problem.name == "andrews") contenders.push_back(make_reduced_andrews(problem));
  contenders.push_back(make_ida(problem, IdaForm::kStabilised));
  contenders.push_back(make_ida(problem, IdaForm::kIndex1));
  return contenders;
}

/// Time as a function of the error, from the rows of one method: straight lines between points, both logarithmic.
/// A row whose error a tighter tolerance exceeds was lucky; it counts with the larger one.
class WorkCurve {
 public:
  WorkCurve(std::span<const Row> rows, std::string_view method) {
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
      if (row->contender->method != method) continue;
      const double error = points_.empty() ? row->error : std::max(row->error, points_.back().error * (1 + 1e-9));
      points_.push_back({error, row->seconds});
    }
  }
  /// Nothing outside of what was measured.
  std::optional<double> seconds_at(double error) const {
    const auto after = std::find_if(points_.begin(), points_.end(), [&](Point p) { return p.error >= error; });
    if (after == points_.end()) return std::nullopt;
    if (after == points_.begin()) return after->error == error ? std::optional(after->seconds) : std::nullopt;
    const auto before = std::prev(after);
    const double share = std::log(error / before->error) / std::log(after->error / before->error);
    return before->seconds * std::pow(after->seconds / before->seconds, share);
  }

 private:
  struct Point {
    double error, seconds;
  };
  std::vector<Point> points_;  // from the smallest error on
};

/// In the coordinates that need less time for more of the errors.
std::string_view choose_yardstick(std::span<const Row> rows) {
  const WorkCurve body(rows, kYardstick), joint(rows, kJointYardstick);
  int balance = 0;
  for (int digits = 3; digits <= 10; ++digits) {
    const auto one = body.seconds_at(std::pow(10, -digits)), other = joint.seconds_at(std::pow(10, -digits));
    if (one && other) balance += *other < *one ? 1 : -1;
  }
  return balance > 0 ? kJointYardstick : kYardstick;
}

void report_failure(const Problem& problem, const Contender& contender, double tolerance,
                    const std::runtime_error& failure) {
  fmt::print(stderr, "{}, {}, tolerance {:g}: {}\n", problem.name, contender.method, tolerance, failure.what());
}

std::vector<Row> measure(const Problem& problem, const std::vector<Contender>& contenders, int repetitions) {
  std::vector<Row> rows;
  for (const Contender& contender : contenders) {
    for (const double tolerance : contender.tolerances) {
      const double begin = processor_seconds();
      try {
        const Outcome warm_up = contender.run(tolerance);
        const double seconds = std::max(processor_seconds() - begin, 1e-9);
        rows.push_back(
            {problem.name,
             &contender,
             tolerance,
             problem.calc_error(warm_up.q),
             warm_up.evaluations,
             warm_up.steps,
             warm_up.solver,
             std::clamp(static_cast<int>(std::min(kRowSeconds / seconds, 1e6)), std::min(3, repetitions), repetitions),
             {},
             0,
             {}});
      } catch (const std::runtime_error& failure) {
        report_failure(problem, contender, tolerance, failure);
      }
      if (processor_seconds() - begin > 0.9 * kMostRunSeconds) break;
    }
  }
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (Row& row : rows) {
      if (repetition >= row.repetitions) continue;
      const double begin = processor_seconds();
      try {
        row.contender->run(row.tolerance);
        row.times.push_back(processor_seconds() - begin);
      } catch (const std::runtime_error& failure) {  // the time limit, on a busy machine
        report_failure(problem, *row.contender, row.tolerance, failure);
        row.repetitions = repetition;
      }
    }
  }
  std::erase_if(rows, [](const Row& row) { return row.times.empty(); });
  for (Row& row : rows) {
    const auto middle = row.times.begin() + static_cast<std::ptrdiff_t>(row.times.size() / 2);
    std::nth_element(row.times.begin(), middle, row.times.end());
    row.seconds = *middle;
  }
  const WorkCurve yardstick(rows, choose_yardstick(rows));
  for (Row& row : rows) {
    if (const auto seconds = yardstick.seconds_at(row.error)) row.ratio = row.seconds / *seconds;
  }
  return rows;
}

void print_rows(std::span<const Row> rows) {
  fmt::print("{:<20}{:<22}{:>10}{:>12}{:>13}{:>9}{:>11}{:>8}   {}\n", "problem", "method", "tolerance", "error",
             "evaluations", "steps", "time [ms]", "ratio", "linear solver");
  for (const Row& row : rows) {
    fmt::print("{:<20}{:<22}{:>10.0e}{:>12.2e}{:>13}{:>9}{:>11.3f}{:>8}   {}\n", row.problem, row.contender->method,
               row.tolerance, row.error, row.evaluations, row.steps, 1e3 * row.seconds,
               row.ratio ? fmt::format("{:.2f}", *row.ratio) : "-", row.solver);
  }
}

/// Time of every method for errors of 1e-3, 1e-4, ... [ms], and in brackets its ratio to the yardstick.
void print_at_equal_error(const std::string& problem, std::span<const Row> rows,
                          const std::vector<Contender>& contenders) {
  const std::string_view chosen = choose_yardstick(rows);
  fmt::print("\n## {}: times at equal error [ms] (`{}`)\n\n", problem, problem);
  std::vector<std::string> header{"error"};
  for (const Contender& contender : contenders) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.contender == &contender; });
    const std::string solver = row == rows.end() ? "" : row->solver;
    header.push_back(contender.method + (solver.empty() ? "" : ": " + solver));
  }
  print_header(header);
  const WorkCurve yardstick(rows, chosen);
  for (int digits = 3; digits <= 10; ++digits) {
    const double error = std::pow(10, -digits);
    std::vector<std::string> cells{fmt::format("{:.0e}", error)};
    const std::optional<double> unit = yardstick.seconds_at(error);
    for (const Contender& contender : contenders) {
      const std::optional<double> seconds = WorkCurve(rows, contender.method).seconds_at(error);
      const std::string ratio = seconds && unit ? fmt::format(" ({:.2g})", *seconds / *unit) : "";
      cells.push_back(seconds ? fmt::format("{:.3g}{}", 1e3 * *seconds, ratio) : "-");
    }
    print_row(cells);
  }
  fmt::print("\n");
}

nlohmann::json to_json(const Row& row) {
  nlohmann::json json{{"problem", row.problem},         {"method", row.contender->method},
                      {"tolerance", row.tolerance},     {"error", row.error},
                      {"evaluations", row.evaluations}, {"steps", row.steps},
                      {"seconds", row.seconds},         {"ratio", nullptr},
                      {"linear_solver", row.solver}};
  if (row.ratio) json["ratio"] = *row.ratio;
  return json;
}

struct Arguments {
  bool json = false;
  std::string problem;  ///< empty: all
  int repetitions = 15;
};

std::optional<Arguments> parse(std::span<char*> words) {
  Arguments arguments;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    const bool has_value = i + 1 < words.size();
    if (word == "--json") {
      arguments.json = true;
    } else if (word == "--problem" && has_value) {
      arguments.problem = words[++i];
    } else if (word == "--repetitions" && has_value) {
      arguments.repetitions = std::max(1, std::atoi(words[++i]));
    } else {
      return std::nullopt;
    }
  }
  return arguments;
}

/// In the order in which they are printed.
std::vector<std::pair<std::string, std::function<Problem()>>> make_problems() {
  std::vector<std::pair<std::string, std::function<Problem()>>> problems{
      {"andrews", make_andrews}, {"chain-10", make_chain_10}, {"four-bar-40", make_four_bars}};
  for (const int n : {10, 100, 1000}) {
    problems.emplace_back(fmt::format("planar-chain-{}", n), [n] { return make_rods(RodTree::chain(n, true)); });
  }
  for (const int n : {10, 100, 1000}) {
    problems.emplace_back(fmt::format("spatial-chain-{}", n), [n] { return make_rods(RodTree::chain(n, false)); });
  }
  for (const int n : {100, 1000}) {
    problems.emplace_back(fmt::format("spatial-tree-{}", n), [n] { return make_rods(RodTree::binary(n, false)); });
  }
  return problems;
}

int run(const Arguments& arguments) {
  nlohmann::json json{{"schema", "trammel.work_precision/1"}, {"rows", nlohmann::json::array()}};
  for (const auto& [name, make] : make_problems()) {
    if (!arguments.problem.empty() && arguments.problem != name) continue;
    Problem problem = make();
    problem.name = name;
    const std::vector<Contender> contenders = make_contenders(problem);
    const std::vector<Row> rows = measure(problem, contenders, arguments.repetitions);
    if (arguments.json) {
      for (const Row& row : rows) json["rows"].push_back(to_json(row));
    } else {
      print_rows(rows);
      print_at_equal_error(name, rows, contenders);
    }
  }
  if (arguments.json) fmt::print("{}\n", json.dump(1));
  return 0;
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  const auto arguments = trammel::bench::parse({argv, static_cast<std::size_t>(argc)});
  if (!arguments) {
    fmt::print(stderr, "usage: work_precision [--json] [--problem NAME] [--repetitions N]; problems:");
    for (const auto& [name, make] : trammel::bench::make_problems()) fmt::print(stderr, " {}", name);
    fmt::print(stderr, "\n");
    return 2;
  }
  trammel::linalg::set_thread_limit(1);
  return trammel::bench::run(*arguments);
}
