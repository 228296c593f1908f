// coordinates_study [TABLE]...
//
// Joint against body coordinates: how much less time the same method takes at equal error in the coordinates of the
// joints, on the cases and on chains and trees, on one thread. Behind the rule of `--coordinates auto`
// (analyses/coordinates.h).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bench/experiment.h"
#include "bench/markdown_table.h"
#include "bench/rod_tree.h"
#include "bench/stopwatch.h"
#include "bench/study.h"
#include "bench/text_case.h"
#include "trammel/analyses/coordinates.h"
#include "trammel/analyses/joint_coordinates.h"
#include "trammel/linalg/parallel.h"

namespace trammel::bench {
namespace {

using analyses::FormKind;

constexpr std::array kMethods{"projection", "mexx", "hht", "bdf-i3"};
constexpr int kSamples = 20;
constexpr double kMostSeconds = 1;  // of a run; tighter tolerances are left out then

struct Row {
  std::string name;
  CompareProblem problem;
  std::vector<double> tolerances;
};

/// What a run took, and its largest error at the samples, relative to 1 + the size of the position.
struct Cost {
  double error = 0, seconds = 0;
};

analyses::Trajectory sample(const CompareProblem& problem, const Options& options) {
  analyses::SamplingOptions sampling;
  for (int k = 1; k <= kSamples; ++k) {
    sampling.times.push_back(problem.start.t + (problem.t_end - problem.start.t) * k / kSamples);
  }
  return run_or_throw(problem, options, sampling).trajectory;
}

double calc_error(const analyses::Trajectory& found, const analyses::Trajectory& expected) {
  const Eigen::Index rows = std::min(found.q.rows(), expected.q.rows());
  const auto difference = (found.q.topRows(rows) - expected.q.topRows(rows)).cwiseAbs().array();
  return (difference / (1 + expected.q.topRows(rows).cwiseAbs().array())).maxCoeff();
}

std::vector<Cost> measure(CompareProblem problem, const std::string& method, FormKind kind,
                          const std::vector<double>& tolerances, const analyses::Trajectory& reference) {
  problem.form = kind;
  std::vector<Cost> costs;
  for (const double tolerance : tolerances) {
    Options options = make_options(method, tolerance);
    options.time_limit = kMostSeconds;
    // Without the set-up of joint coordinates, which is a column of its own.
    double seconds = std::numeric_limits<double>::infinity(), spent = 0;
    RunResult result;
    for (int k = 0; k < 10 && spent < 0.1; ++k) {
      result = run_or_throw(problem, options).result;
      if (!is_complete(result)) return costs;
      seconds = std::min(seconds, result.statistics.cpu_seconds);
      spent += result.statistics.cpu_seconds;
    }
    costs.push_back({calc_error(sample(problem, options), reference), seconds});
  }
  return costs;
}

/// Seconds at an error, between the two runs around it; nothing outside of the curve.
std::optional<double> seconds_at(const std::vector<Cost>& costs, double error) {
  for (std::size_t k = 1; k < costs.size(); ++k) {
    const Cost &loose = costs[k - 1], &tight = costs[k];
    if (!(tight.error <= error && error <= loose.error && tight.error < loose.error)) continue;
    const double share = std::log(error / loose.error) / std::log(tight.error / loose.error);
    return loose.seconds * std::pow(tight.seconds / loose.seconds, share);
  }
  return std::nullopt;
}

/// Of the times at equal errors, body coordinates over joint coordinates; the geometric mean over the errors that both
/// have reached. Where runs are as exact as can be at any tolerance, over equal tolerances.
std::string compare_costs(const std::vector<Cost>& body, const std::vector<Cost>& joint) {
  double sum = 0;
  int count = 0;
  for (const Cost& cost : body) {
    if (const auto other = seconds_at(joint, cost.error)) sum += std::log(cost.seconds / *other), ++count;
  }
  for (const Cost& cost : joint) {
    if (const auto other = seconds_at(body, cost.error)) sum += std::log(*other / cost.seconds), ++count;
  }
  if (count > 0) return fmt::format("{:.2f}", std::exp(sum / count));
  for (std::size_t k = 0; k < std::min(body.size(), joint.size()); ++k) {
    sum += std::log(body[k].seconds / joint[k].seconds), ++count;
  }
  return count > 0 ? fmt::format("({:.2f})", std::exp(sum / count)) : "-";
}

std::string choose(const analyses::TreeSizes& sizes) {
  const bool for_explicit = analyses::advise_coordinates(sizes, false).prefers_joints,
             for_implicit = analyses::advise_coordinates(sizes, true).prefers_joints;
  if (for_explicit == for_implicit) return for_explicit ? "joint" : "body";
  return for_explicit ? "joint if explicit" : "joint if implicit";
}

void print(const Row& row) {
  const double begin = processor_seconds();
  analyses::make_joint_form(row.problem.mechanism, row.problem.start);
  const double setup = processor_seconds() - begin;
  const analyses::TreeSizes sizes = analyses::calc_tree_sizes(*row.problem.mechanism);
  std::vector<std::string> cells{row.name,
                                 cell(static_cast<long>(sizes.bodies)),
                                 fmt::format("{} / {}", sizes.body_unknowns, sizes.joint_unknowns),
                                 fmt::format("{:.1f}", sizes.mean_depth),
                                 choose(sizes),
                                 fmt::format("{:.1f}", 1e3 * setup)};
  std::optional<analyses::Trajectory> reference;
  for (const auto& [method, tolerance] : {std::pair{"projection", 1e-11}, {"bdf-i3", 1e-10}, {"hht", 1e-8}}) {
    Options options = make_options(method, tolerance);
    options.time_limit = 4 * kMostSeconds;
    analyses::Trajectory found = sample(row.problem, options);
    if (found.t.size() < kSamples) continue;
    reference = std::move(found);
    break;
  }
  for (const char* method : kMethods) {
    const integrators::MethodEntry& entry = *integrators::find_method(method);
    CompareProblem joint = row.problem;
    joint.form = FormKind::kJoint;
    if (!reference || !analyses::find_obstacle(joint, entry, {}).empty()) {
      cells.emplace_back("-");
      continue;
    }
    const bool is_plain = analyses::is_spatial(row.problem.mechanism.get()) && !entry.capabilities.general_kinematics;
    const auto of_body =
        measure(row.problem, method, is_plain ? FormKind::kPlain : FormKind::kQuasi, row.tolerances, *reference);
    const auto of_joint = measure(row.problem, method, FormKind::kJoint, row.tolerances, *reference);
    cells.push_back(compare_costs(of_body, of_joint));
  }
  print_row(cells);
  std::fflush(stdout);
}

void print_heads() {
  std::vector<std::string> header{"mechanism",  "bodies", "unknowns body / joint",
                                  "mean depth", "chosen", "set-up [ms]"};
  header.insert(header.end(), kMethods.begin(), kMethods.end());
  print_header(header);
}

void print_cases() {
  print_heads();
  for (const cases::CaseEntry* entry : cases::cases()) {
    if (!entry->model) continue;
    try {
      print({entry->name, make_problem(entry->name), {1e-3, 1e-4, 1e-5, 1e-6, 1e-7}});
    } catch (const std::exception& error) {
      fmt::print("{}: {}\n", entry->name, error.what());
    }
  }
}

void print_trees() {
  print_heads();
  for (const bool is_planar : {true, false}) {
    for (const auto& [name, make] : {std::pair{"chain", &RodTree::chain}, std::pair{"binary tree", &RodTree::binary}}) {
      for (const int n : {1, 3, 10, 30, 100, 1000}) {
        const cases::Case c = build_text(name, make(n, is_planar).write_model());
        CompareProblem problem{.system = c.system, .mechanism = c.mechanism, .start = c.start};
        problem.t_end = n <= 10 ? 1 : n <= 100 ? 0.2 : 0.05;
        print(
            {fmt::format("{} {} of {}", is_planar ? "planar" : "spatial", name, n), problem, {1e-3, 1e-4, 1e-5, 1e-6}});
      }
    }
  }
}

constexpr std::array kTables{
    StudyTable<>{"cases", "Time in body coordinates over time in joint coordinates, the cases", print_cases},
    StudyTable<>{"trees", "The same, chains and trees of hinged rods", print_trees},
};

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  namespace bench = trammel::bench;
  trammel::linalg::set_thread_limit(1);
  return bench::print_tables("coordinates_study [TABLE]...", bench::kTables, bench::words_of(argc, argv));
}
