// Tangent plane against partition: the comparison that the thesis asks for (appendix B) and does not make.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "bench/markdown_table.h"
#include "bench/state_space/tables.h"
#include "trammel/dae/evaluation.h"
#include "trammel/kinematics/partitioning.h"
#include "trammel/linalg/dense_lu.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::bench {
namespace {

using analyses::ErrorMeasure;
using analyses::Trajectory;
using kinematics::ParametrisationKind;

/// A problem, how its reference is had and how exact that one is compared with another method.
struct Model {
  const char* name;
  cases::ParameterValues parameters;
  double t_end;
  const char* reference_method;
  double reference_tolerance;
};

const std::vector<Model>& models() {
  static const std::vector<Model> list{
      {"double-pendulum", {}, 2, "projection", 1e-12}, {"slider-crank-bushings", {}, 0, "for-sdirk", 1e-9},
      {"hmmwv14-bushings", {}, 2, "for-sdirk", 1e-8},  {"andrews", {}, 0, "projection", 1e-12},
      {"seven-body", {}, 0, "projection", 1e-12},      {"chain", {{"n", 10}}, 0, "projection", 1e-12},
      {"chain", {{"n", 20}}, 0, "projection", 1e-12},  {"spatial-slider-crank", {}, 0, "projection", 1e-11},
      {"bricard", {}, 1.2, "projection", 1e-11},       {"double-wishbone", {}, 0, "for-sdirk", 1e-9},
  };
  return list;
}

std::string title(const Model& model) {
  std::string text = model.name;
  for (const auto& [name, value] : model.parameters) text += fmt::format(" {} = {:g}", name, value);
  return text;
}

std::vector<double> sample_times(const CompareProblem& problem, int count) {
  std::vector<double> times;
  for (int k = 1; k <= count; ++k) times.push_back(problem.start.t + (problem.t_end - problem.start.t) * k / count);
  return times;
}

analyses::SampledRun run_at_samples(const CompareProblem& problem, const Options& options, int samples,
                                    int states = 0) {
  return run_or_throw(problem, options, {.times = sample_times(problem, samples), .states = states});
}

constexpr int kSamples = 100;

ErrorMeasure make_measure(const CompareProblem& problem, const std::string& method, double tolerance) {
  const analyses::SampledRun run = run_at_samples(problem, make_options(method, tolerance), kSamples);
  if (!is_complete(run.result)) throw std::runtime_error(method + ": " + run.result.reason);
  const dae::Structure& s = problem.system->structure();
  return {run.trajectory, s.position_names, s.velocity_names};
}

}  // namespace

void print_charts(const StudyOptions& options) {
  std::vector<std::string> methods{"for-sdirk", "for-rosen"};
  for (const char* method : {"explicit-rk", "explicit-adams"}) {
    if (has_method(method)) methods.emplace_back(method);
  }
  const std::vector<double> tolerances = options.is_full ? decades(3, 7) : std::vector<double>{1e-4, 1e-6};
  print_header({"model", "method", "tolerance", "coordinates", "steps", "rejected for error", "not solved",
                "iterations a step", "Jacobians", "charts anew", "error (rms, relative)", "time [ms]",
                "time, tangent plane / partition"});
  for (const Model& model : models()) {
    const CompareProblem problem = make_problem(model.name, model.parameters, model.t_end);
    const ErrorMeasure measure = make_measure(problem, model.reference_method, model.reference_tolerance);
    for (const std::string& method : methods) {
      // Explicit methods in the stiff models would tell about stability only.
      if (method.starts_with("explicit") && std::string_view(model.reference_method) != "projection") continue;
      for (const double tolerance : tolerances) {
        double first = 0;
        for (const char* kind : {"partition", "tangent-plane"}) {
          Options with = make_options(method, tolerance, {{"coordinates", kind}});
          with.time_limit = 60;
          const analyses::SampledRun sampled = run_at_samples(problem, with, kSamples);
          if (!is_complete(sampled.result)) {
            print_row({title(model), method, tolerance_cell(tolerance), kind, trouble_cell(sampled.result)});
            continue;
          }
          const TimedRun timed = run_timed(problem, with);
          const RunResult& run = timed.result;
          std::string ratio = "-";
          if (std::string_view(kind) == "partition") {
            first = timed.seconds;
          } else if (first > 0) {
            ratio = cell(timed.seconds / first, "{:.2f}");
          }
          print_row({title(model), method, tolerance_cell(tolerance), kind, cell(run.statistics.steps),
                     cell(run.statistics.rejected_error), cell(run.statistics.rejected_convergence),
                     cell(calc_iterations_per_step(run), "{:.1f}"), cell(count_jacobians(run)),
                     cell(count_chart_changes(run)), cell(measure.calc_position_error(sampled.trajectory).rms),
                     cell(1e3 * timed.seconds, "{:.1f}"), ratio});
        }
      }
    }
  }
}

/// |Z| |G| of charts that are chosen at points of the motion, and what becomes of the first of them.
void print_chart_conditions(const StudyOptions&) {
  print_header({"model", "coordinates", "condition, chosen at each point: median", "largest",
                "that of the start, kept: median", "largest"});
  for (const Model& model : models()) {
    const CompareProblem problem = make_problem(model.name, model.parameters, model.t_end);
    const integrators::MethodEntry& method = *integrators::find_method("for-sdirk");
    const analyses::Form form = analyses::choose_form(problem.mechanism, problem.start, method);
    const dae::ConstrainedSystem& system =
        form.plain ? static_cast<const dae::ConstrainedSystem&>(*form.plain) : *problem.system;
    const analyses::SampledRun run = run_at_samples(problem, make_options("for-sdirk", 1e-5), kSamples, kSamples);
    dae::Evaluation evaluation(system);
    for (const ParametrisationKind kind : {ParametrisationKind::kPartitioning, ParametrisationKind::kTangentPlane}) {
      const auto fresh = make_parametrisation(kind, system.structure().jacobian),
                 kept = make_parametrisation(kind, system.structure().jacobian);
      std::vector<double> at_each, from_start;
      for (std::size_t k = 0; k < run.states.size(); ++k) {
        const dae::State state = form.from_quasi(run.states[k]);
        evaluation.set_position(state.t, state.q);
        const double* jacobian = evaluation.jacobian();
        if (fresh->choose(jacobian) != kinematics::ChartChoice::kSingular) at_each.push_back(fresh->calc_condition());
        const bool is_regular =
            k == 0 ? kept->choose(jacobian) != kinematics::ChartChoice::kSingular : kept->factor(jacobian).ok;
        from_start.push_back(is_regular ? kept->calc_condition() : std::numeric_limits<double>::infinity());
      }
      std::sort(at_each.begin(), at_each.end());
      std::sort(from_start.begin(), from_start.end());
      if (at_each.empty()) continue;
      print_row({title(model), kind == ParametrisationKind::kPartitioning ? "partition" : "tangent-plane",
                 cell(at_each[at_each.size() / 2]), cell(at_each.back()), cell(from_start[from_start.size() / 2]),
                 cell(from_start.back())});
    }
  }
}

namespace {

/// Median time of a call [microseconds].
template <typename Call>
double measure_microseconds(const Call& call) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int k = 0; k < 101; ++k) {
    const auto begin = Clock::now();
    call();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + 50, times.end());
  return times[50];
}

}  // namespace

void print_partition_factors(const StudyOptions&) {
  print_header(
      {"model", "constraints", "entries of G_u", "full: factorise [us]", "solve", "sparse: factorise [us]", "solve"});
  const std::vector<std::pair<const char*, cases::ParameterValues>> systems{{"chain", {{"n", 5}}},
                                                                            {"chain", {{"n", 10}}},
                                                                            {"chain", {{"n", 20}}},
                                                                            {"chain", {{"n", 40}}},
                                                                            {"chain", {{"n", 80}}},
                                                                            {"double-wishbone", {}},
                                                                            {"bricard", {}},
                                                                            {"hmmwv14-bushings", {}},
                                                                            {"spatial-chain", {{"n", 5}}},
                                                                            {"spatial-chain", {{"n", 10}}},
                                                                            {"spatial-chain", {{"n", 20}}}};
  for (const auto& [name, parameters] : systems) {
    const CompareProblem problem = make_problem(name, parameters);
    const analyses::Form form =
        analyses::choose_form(problem.mechanism, problem.start, *integrators::find_method("for-sdirk"));
    const dae::ConstrainedSystem& system =
        form.plain ? static_cast<const dae::ConstrainedSystem&>(*form.plain) : *problem.system;
    const dae::Structure& s = system.structure();
    dae::Evaluation evaluation(system);
    const dae::State start = form.from_quasi(problem.start);
    evaluation.set_position(start.t, start.q);
    const double* jacobian = evaluation.jacobian();
    kinematics::Partitioning partition(s.jacobian, {});
    if (partition.choose(jacobian) == kinematics::ChartChoice::kSingular) continue;
    const std::vector<int>& dependent = partition.dependent();
    std::vector<linalg::Entry> entries;
    std::vector<double> values;
    for (int k = 0; k < s.jacobian.size(); ++k) {
      const auto found = std::find(dependent.begin(), dependent.end(), s.jacobian[k].column);
      if (found == dependent.end()) continue;
      entries.push_back({s.jacobian[k].row, static_cast<int>(found - dependent.begin())});
      values.push_back(jacobian[k]);
    }
    const int m = static_cast<int>(dependent.size());
    linalg::DenseLu full(m);
    linalg::SparseLu sparse(linalg::Pattern(m, m, entries));
    linalg::Vector b = linalg::Vector::Ones(m);
    const double full_factor = measure_microseconds([&] {
      auto matrix = full.matrix();
      matrix.setZero();
      for (std::size_t k = 0; k < entries.size(); ++k) matrix(entries[k].row, entries[k].column) += values[k];
      if (!full.factor().ok) throw std::runtime_error("singular");
    });
    const double full_solve = measure_microseconds([&] { full.solve(b.setOnes()); });
    const double sparse_factor = measure_microseconds([&] {
      if (!sparse.factor(values.data()).ok) throw std::runtime_error("singular");
    });
    const double sparse_solve = measure_microseconds([&] { sparse.solve(b.setOnes()); });
    std::string label = name;
    for (const auto& [parameter, value] : parameters) label += fmt::format(" {} = {:g}", parameter, value);
    print_row({label, cell(static_cast<long>(m)), cell(static_cast<long>(entries.size())), cell(full_factor, "{:.1f}"),
               cell(full_solve, "{:.2f}"), cell(sparse_factor, "{:.1f}"), cell(sparse_solve, "{:.2f}")});
  }
}

void print_work_precision(const StudyOptions& options) {
  std::vector<std::string> methods{"for-sdirk", "for-rosen", "ssp-sdirk", "infl-sdirk", "ssp-trap",
                                   "infl-trap", "hht",       "bdf-i3",    "projection", "mexx"};
  for (const char* method : {"explicit-rk", "explicit-adams"}) {
    if (has_method(method)) methods.emplace_back(method);
  }
  print_header(
      {"problem", "method", "tolerance", "steps", "error of positions (rms, relative)", "of velocities", "time [ms]"});
  for (const char* name : {"andrews", "double-pendulum"}) {
    const CompareProblem problem = make_problem(name);
    const ErrorMeasure measure = make_measure(problem, "projection", 1e-12);
    for (const std::string& method : methods) {
      for (const double tolerance : decades(4, 8)) {
        const bool is_slow = method.ends_with("trap") && tolerance < 1e-6;
        if (is_slow && !options.is_full) continue;
        // The largest step of implicit methods is left as it is: a user's run.
        Options with = make_options(method, tolerance);
        with.time_limit = 60;
        const analyses::SampledRun sampled = run_at_samples(problem, with, kSamples);
        if (!is_complete(sampled.result)) {
          print_row({name, method, tolerance_cell(tolerance), trouble_cell(sampled.result)});
          continue;
        }
        const TimedRun timed = run_timed(problem, with, 0.1);
        print_row({name, method, tolerance_cell(tolerance), cell(timed.result.statistics.steps),
                   cell(measure.calc_position_error(sampled.trajectory).rms, "{:.1e}"),
                   cell(measure.calc_velocity_error(sampled.trajectory).rms, "{:.1e}"),
                   cell(1e3 * timed.seconds, "{:.2f}")});
      }
    }
  }
}

}  // namespace trammel::bench
