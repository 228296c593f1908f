// The stiff double pendulum of the thesis, 5.1: variant A of the case, over 2 s, body1.angle and its rate. Errors are
// those of error_analysis.h at the accepted steps, against the continuous solution of `projection` at 1e-12, which
// stability makes so fine that it is exact to 1e-11.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stdexcept>

#include "bench/markdown_table.h"
#include "bench/state_space/tables.h"
#include "cases/reference.h"
#include "trammel/analyses/run_variables.h"

namespace trammel::bench {
namespace {

using analyses::ReferenceCurves;
using analyses::RunVariables;
using analyses::VariableError;

constexpr int kTheta1 = 2;
constexpr double kEnd = 2;
constexpr const char* kAngles = "body1.angle,body2.angle";
const std::vector<std::string> kMethods{"for-sdirk", "for-rosen", "ssp-sdirk", "infl-sdirk",
                                        "ssp-trap",  "infl-trap", "hht"};

RunVariables make_variables() {
  return {{"theta1", "omega1"}, [] {
            return [](const dae::State& state, std::span<double> values) {
              values[0] = state.q[kTheta1];
              values[1] = state.v[kTheta1];
            };
          }};
}

ReferenceCurves record(const CompareProblem& problem, const std::string& method, double tolerance) {
  analyses::RecordedCurves recorded =
      record_curves(problem, make_options(method, tolerance), make_variables(), problem.t_end);
  if (!recorded.obstacle.empty()) throw std::runtime_error("reference: " + recorded.obstacle);
  return recorded.curves;
}

/// The double pendulum and its reference.
struct Pendulum {
  explicit Pendulum(const cases::ParameterValues& parameters = {})
      : problem(make_problem("double-pendulum", parameters, kEnd)), curves(record(problem, "projection", 1e-12)) {}

  CompareProblem problem;
  RunVariables variables = make_variables();
  ReferenceCurves curves;
};

const Pendulum& stiff_pendulum() {
  static const Pendulum pendulum;
  return pendulum;
}

struct AnalysedRun {
  RunResult result;
  VariableError theta, omega;
};

/// Of the pendulum's problem, or of a part of it.
AnalysedRun analyse(const Pendulum& pendulum, const Options& options, const CompareProblem* part = nullptr) {
  analyses::RunErrors errors(pendulum.variables, pendulum.curves);
  analyses::SampledRun run =
      run_or_throw(part ? *part : pendulum.problem, options,
                   {.times = {}, .interval = [&](const auto& interval) { errors.add(interval); }});
  const std::vector<VariableError> list = errors.list();
  return {std::move(run.result), list[0], list[1]};
}

bool has_coordinates(const std::string& method) { return has_option(*integrators::find_method(method), "independent"); }

MethodOptions coordinates(const std::string& method, bool takes_angles, MethodOptions settings = {}) {
  if (takes_angles && has_coordinates(method)) settings["independent"] = kAngles;
  return settings;
}

std::string relative_cell(const VariableError& error) { return error.relative ? cell(*error.relative) : "-"; }

/// Delta of the thesis' tables 20 to 23 at 1e-2 to 1e-5.
struct Printed {
  std::array<double, 4> theta, mean, omega;
};
const std::map<std::string, Printed> kPrinted{{"for-sdirk",
                                               {{0.032796853, 0.003786645, 0.000754569, 0.000170609},
                                                {0.0011473218, 0.0001111233, 0.0000196565, 0.0000042108},
                                                {0.228908866, 0.031312203, 0.006406932, 0.001485443}}},
                                              {"for-rosen",
                                               {{0.005223114, 0.000419882, 0.000049169, 0.000019027},
                                                {0.0002292862, 0.0000138890, 0.0000011485, 0.0000002516},
                                                {0.040612125, 0.003792150, 0.000865201, 0.000234310}}}};

std::string printed_cell(const std::string& method, double tolerance, std::array<double, 4> Printed::*column) {
  const auto found = kPrinted.find(method);
  const long place = std::lround(-std::log10(tolerance)) - 2;
  if (found == kPrinted.end() || place > 3) return "-";
  return cell((found->second.*column)[static_cast<std::size_t>(place)]);
}

}  // namespace

void print_pendulum_reference(const StudyOptions&) {
  const cases::Reference exact = cases::load_reference(std::string(TRAMMEL_REFERENCE_DIR) + "/double-pendulum-a.json");
  const auto compare = [&](const ReferenceCurves& curves, std::array<double, 2>& distance) {
    for (const cases::ReferencePoint& point : exact.points) {
      if (point.t > curves[0]->end()) continue;
      distance[0] = std::max(distance[0], std::abs(curves[0]->calc(point.t).value - point.values.at("body1.angle")));
      distance[1] = std::max(distance[1], std::abs(curves[1]->calc(point.t).value - point.values.at("body1.angle'")));
    }
  };
  print_header({"continuous solution of", "tolerance", "largest distance of theta1 to the exact values",
                "largest distance of omega1"});
  const auto print = [&](const char* method, double tolerance, const ReferenceCurves& curves) {
    std::array<double, 2> distance{};
    compare(curves, distance);
    print_row({method, tolerance_cell(tolerance), cell(distance[0], "{:.1e}"), cell(distance[1], "{:.1e}")});
  };
  print("projection", 1e-12, stiff_pendulum().curves);
  print("for-sdirk", 1e-11, record(stiff_pendulum().problem, "for-sdirk", 1e-11));
  print("bdf-i3", 1e-9, record(stiff_pendulum().problem, "bdf-i3", 1e-9));
}

void print_pendulum_errors(const StudyOptions&) {
  const Pendulum& pendulum = stiff_pendulum();
  for (const bool takes_angles : {true, false}) {
    fmt::print("{}\n\n", takes_angles ? "Independent coordinates: both angles."
                                      : "\nIndependent coordinates: chosen by the method.");
    print_header({"method", "tolerance", "steps", "rejected for error", "not solved", "Jacobians", "iterations a step",
                  "charts anew", "t*", "error of theta1", "in tolerances", "thesis", "relative [%]", "mean (5.3)",
                  "thesis", "error of omega1", "in tol (1 + max)", "thesis"});
    for (const std::string& method : kMethods) {
      if (!takes_angles && !has_coordinates(method)) continue;
      for (const double tolerance : decades(2, 8)) {
        const auto [run, theta, omega] =
            analyse(pendulum, make_options(method, tolerance, coordinates(method, takes_angles), kEnd));
        if (!is_complete(run)) {
          print_row({method, tolerance_cell(tolerance), trouble_cell(run)});
          continue;
        }
        print_row({method, tolerance_cell(tolerance), cell(run.statistics.steps), cell(run.statistics.rejected_error),
                   cell(run.statistics.rejected_convergence), cell(count_jacobians(run)),
                   cell(calc_iterations_per_step(run), "{:.1f}"), cell(count_chart_changes(run)),
                   cell(theta.t, "{:.3f}"), cell(theta.largest), cell(theta.largest / tolerance),
                   printed_cell(method, tolerance, &Printed::theta), relative_cell(theta), cell(theta.mean),
                   printed_cell(method, tolerance, &Printed::mean), cell(omega.largest),
                   cell(omega.largest / (tolerance * (1 + omega.scale))),
                   printed_cell(method, tolerance, &Printed::omega)});
      }
    }
  }
}

void print_pendulum_limit(const StudyOptions&) {
  print_header({"method", "coordinates", "tolerance", "steps, no step above 0.02 s (default)", "error of theta1",
                "steps, no limit", "error of theta1"});
  for (const char* method : {"for-sdirk", "for-rosen"}) {
    for (const bool takes_angles : {true, false}) {
      for (const double tolerance : decades(2, 6)) {
        const MethodOptions settings = coordinates(method, takes_angles);
        const auto limited = analyse(stiff_pendulum(), make_options(method, tolerance, settings));
        const auto free = analyse(stiff_pendulum(), make_options(method, tolerance, settings, kEnd));
        print_row({method, takes_angles ? "angles" : "automatic", tolerance_cell(tolerance),
                   cell(limited.result.statistics.steps), cell(limited.theta.largest),
                   cell(free.result.statistics.steps), cell(free.theta.largest)});
      }
    }
  }
}

namespace {

/// Settings of an option one below the other; the first is the default.
void print_alternatives(const std::string& option, const std::vector<const char*>& values,
                        const std::vector<std::string>& methods, const std::vector<double>& tolerances) {
  print_header({"method", "coordinates", "tolerance", option, "steps", "rejected for error", "not solved", "iterations",
                "Jacobians", "error of theta1", "in tolerances", "steps, to the first"});
  for (const std::string& method : methods) {
    for (const bool takes_angles : {true, false}) {
      for (const double tolerance : tolerances) {
        double first = 0;
        for (const char* value : values) {
          const AnalysedRun run =
              analyse(stiff_pendulum(),
                      make_options(method, tolerance, coordinates(method, takes_angles, {{option, value}}), kEnd));
          const integrators::Statistics& counts = run.result.statistics;
          const auto steps = static_cast<double>(counts.steps);
          if (first == 0) first = steps;
          print_row({method, takes_angles ? "angles" : "automatic", tolerance_cell(tolerance), value,
                     cell(counts.steps), cell(counts.rejected_error), cell(counts.rejected_convergence),
                     cell(counts.newton_iterations), cell(count_jacobians(run.result)),
                     is_complete(run.result) ? cell(run.theta.largest) : "failed", cell(run.theta.largest / tolerance),
                     cell(steps / first, "{:.2f}")});
        }
      }
    }
  }
}

}  // namespace

void print_pendulum_filter(const StudyOptions&) {
  print_alternatives("filter", {"yes", "no"}, {"for-sdirk", "for-rosen", "ssp-sdirk"}, decades(3, 8));
}

void print_pendulum_newton(const StudyOptions&) {
  print_alternatives("newton_tolerance", {"1e-3", "0.03", "1e-5"}, {"for-sdirk", "ssp-sdirk"}, {1e-3, 1e-5, 1e-7});
}

void print_pendulum_norm(const StudyOptions&) {
  print_alternatives("error", {"all", "independent"}, {"for-sdirk", "for-rosen"}, {1e-3, 1e-5, 1e-7});
}

namespace {

/// The pendulum from 0.1 s on, where the fast motion of the start is over, without step control.
CompareProblem after_transient(const Pendulum& pendulum) {
  CompareProblem problem = pendulum.problem;
  const double begin = 0.1;
  analyses::SampledRun run =
      run_sampled(pendulum.problem, make_options("projection", 1e-12), {.times = {begin}, .states = 1});
  problem.start = run.states.front();
  return problem;
}

}  // namespace

void print_pendulum_order(const StudyOptions&) {
  const Pendulum soft({{"k2", 300}, {"c2", 50}});
  for (const bool is_stiff : {false, true}) {
    fmt::print("{}\n\n", is_stiff ? "\nStiff: k2 = 3e5 N m/rad, c2 = 5e4 N m s/rad."
                                  : "Not stiff: k2 = 300 N m/rad, c2 = 50 N m s/rad.");
    const Pendulum& whole = is_stiff ? stiff_pendulum() : soft;
    const CompareProblem problem = after_transient(whole);
    std::vector<int> divisions;
    for (int steps = 50; steps <= 3200; steps *= 2) divisions.push_back(steps);
    std::vector<std::string> header{"method", "coordinates", "of"};
    for (const int steps : divisions) header.push_back(fmt::format("h = {:.2e} s", (kEnd - problem.start.t) / steps));
    print_header(header);
    for (const std::string& method : kMethods) {
      for (const bool takes_angles : {true, false}) {
        if (!takes_angles && !has_coordinates(method)) continue;
        std::array<std::vector<std::string>, 2> rows;
        std::array<double, 2> last{};
        for (std::size_t i : {0, 1}) {
          rows[i] = {method, has_coordinates(method) ? (takes_angles ? "angles" : "automatic") : "-",
                     i == 0 ? "theta1" : "omega1"};
        }
        for (const int steps : divisions) {
          Options options = make_options(method, 1e-6, coordinates(method, takes_angles));
          options.h_fixed = (kEnd - problem.start.t) / steps;
          const AnalysedRun run = analyse(whole, options, &problem);
          const std::array<double, 2> errors{run.theta.largest, run.omega.largest};
          for (std::size_t i : {0, 1}) {
            if (!is_complete(run.result)) {
              rows[i].push_back(fmt::format("failed at {:.2g} s", run.result.state.t));
              last[i] = 0;
              continue;
            }
            const double before = std::exchange(last[i], errors[i]);
            rows[i].push_back(before > 0 ? fmt::format("{:.1e} ({:.1f})", errors[i], std::log2(before / errors[i]))
                                         : fmt::format("{:.1e}", errors[i]));
          }
        }
        for (const std::vector<std::string>& row : rows) print_row(row);
      }
    }
  }
}

}  // namespace trammel::bench
