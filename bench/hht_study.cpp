// hht_study [TABLE]...
//
// What the method hht does on the cases, as tables in Markdown: how its error follows the tolerance, how reactions
// ring, what its heuristics bring, what it costs. Without TABLE, all of them. Errors are those of positions against
// `projection` at a tight tolerance or against a closed solution, never against hht itself. Times are processor times
// of whole runs, set-up included, medians of some repetitions. docs/studies/hht.md shows and explains the tables.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "bench/markdown_table.h"
#include "bench/study.h"
#include "cases/case.h"
#include "cases/reference.h"
#include "trammel/integrators/implicit/step_equations.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/stopwatch.h"
#include "trammel/system/mechanism.h"
#include "trammel/system/plain_form.h"

namespace trammel::bench {
namespace {

using cases::Case;
using dae::Derivative;
using dae::State;
using integrators::MethodOptions;
using integrators::Options;
using integrators::OutputKind;
using integrators::RunResult;
using integrators::Statistics;
using linalg::largest_abs;
using linalg::Vector;

constexpr int kEndTimes = 8;

// --- printing

std::string share(long part, long whole, const char* format = "{:.2f}") {
  return fmt::format(fmt::runtime(format), static_cast<double>(part) / static_cast<double>(std::max(whole, 1L)));
}

std::string first_words(const std::string& text) { return text.substr(0, 90); }

// --- running

/// A case, how long it runs, and how exact its reference is.
struct Problem {
  std::string name;
  cases::ParameterValues parameters = {};
  double t_end = 1;
  double reference_tolerance = 1e-11;
  std::string label = {};  ///< its name when empty

  std::string title() const { return label.empty() ? name : label; }
};

Case build(const Problem& problem) { return build_case(*cases::find_case(problem.name), problem.parameters); }

using Output = std::function<void(const State&)>;

/// Events read the state in the form of the case.
std::vector<integrators::Event> lift(std::vector<integrators::Event> events, const system::PlainForm& plain) {
  for (integrators::Event& event : events) {
    event.function = [&plain, inner = event.function](const State& state) { return inner(plain.to_quasi(state)); };
    if (event.change) throw std::logic_error("events that change the state are not lifted");
  }
  return events;
}

/// A run; a method that wants q' = v gets the equations in that form, and the states come back in that of the case.
RunResult run(const Case& setup, double t_end, const Options& options, const Output& output = {}) {
  const std::vector<integrators::Event> events = setup.mechanism ? setup.events : std::vector<integrators::Event>{};
  integrators::Observers observers;
  observers.output = output;
  const bool is_general = integrators::find_method(options.method)->capabilities.general_kinematics;
  if (is_general || setup.system->structure().has_trivial_kinematics) {
    return integrate(*setup.system, setup.start, t_end, options, events, observers);
  }
  const system::PlainForm plain(setup.mechanism, setup.mechanism->rotations());
  if (output) observers.output = [&](const State& state) { output(plain.to_quasi(state)); };
  RunResult result = integrate(plain, plain.to_plain(setup.start), t_end, options, lift(events, plain), observers);
  result.state = plain.to_quasi(result.state);
  return result;
}

Options with_method(const std::string& method) {
  Options options;
  options.method = method;
  return options;
}

Options hht(double tolerance, const MethodOptions& settings = {}) {
  Options options = Options::with_tolerance(tolerance);
  options.method = "hht";
  options.method_options = settings;
  return options;
}

bool is_complete(const RunResult& result) { return result.status == integrators::RunStatus::kCompleted; }

/// States at the given times; throws when the run does not reach its end.
std::vector<State> collect(const Case& setup, double t_end, Options options, std::vector<double> times) {
  std::vector<State> states;
  options.output = {.kind = OutputKind::kPoints, .points = std::move(times)};
  const RunResult result = run(setup, t_end, options, [&](const State& state) { states.push_back(state); });
  if (!is_complete(result)) throw std::runtime_error(result.reason);
  return states;
}

std::vector<double> calc_end_times(double t_start, double t_end) {
  std::vector<double> times;
  for (int i = 1; i <= kEndTimes; ++i) times.push_back(t_start + (t_end - t_start) * i / kEndTimes);
  return times;
}

std::vector<State> calc_reference(const Problem& problem, const Case& setup) {
  return collect(setup, problem.t_end, Options::with_tolerance(problem.reference_tolerance),
                 calc_end_times(setup.start.t, problem.t_end));
}

/// A run with its error, and what the run cost.
struct Measurement {
  double tolerance = 0;
  double error = 0;
  Statistics statistics = {};
  std::string trouble = {};  ///< empty when the run reached its end

  long rejected() const { return statistics.rejected_error + statistics.rejected_convergence; }
  long attempts() const { return statistics.steps + rejected(); }
  long jacobians() const { return std::accumulate(statistics.renewals.begin(), statistics.renewals.end(), 0L); }
};

/// Root mean square over the end times of the largest error of a position.
Measurement measure(const Case& setup, const std::vector<State>& reference, Options options) {
  Measurement m{.tolerance = options.rtol};
  std::vector<double> times;
  for (const State& state : reference) times.push_back(state.t);
  options.output = {.kind = OutputKind::kPoints, .points = times};
  double sum = 0;
  std::size_t count = 0;
  const RunResult result = run(setup, times.back(), options, [&](const State& state) {
    if (count < reference.size()) sum += std::pow(largest_abs(state.q - reference[count].q), 2);
    ++count;
  });
  m.statistics = result.statistics;
  m.error = std::sqrt(sum / static_cast<double>(reference.size()));
  if (!is_complete(result)) m.trouble = result.reason;
  if (m.trouble.empty() && count != reference.size()) m.trouble = "output points are missing";
  return m;
}

/// Median processor time of a run [s]; long runs are not repeated.
double measure_seconds(const Case& setup, double t_end, const Options& options) {
  constexpr double kEnough = 0.5;
  constexpr std::size_t kRepetitions = 15;
  std::vector<double> times;
  const integrators::Stopwatch all;
  while (times.size() < kRepetitions && (times.empty() || all.cpu_seconds() < kEnough)) {
    const integrators::Stopwatch one;
    run(setup, t_end, options);
    times.push_back(one.cpu_seconds());
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

/// Slope of log(error) over log(tolerance), by least squares.
double fit_slope(std::span<const Measurement> rows) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Measurement& row : rows) {
    const double u = std::log(row.tolerance), w = std::log(row.error);
    n += 1, x += u, y += w, xx += u * u, xy += u * w;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

std::vector<double> decades(int first, int last) {
  std::vector<double> tolerances;
  for (int digits = first; digits <= last; ++digits) tolerances.push_back(std::pow(10, -digits));
  return tolerances;
}

// --- tolerance, proportional

std::vector<Problem> make_problems() {
  return {{.name = "pendulum", .t_end = 2},
          {.name = "andrews", .t_end = 0.03},
          {.name = "slider-crank", .parameters = {{"driven", 0}}, .t_end = 1},
          {.name = "double-pendulum", .t_end = 2},
          {.name = "bushing-pendulum", .t_end = 1},
          {.name = "hmmwv14", .t_end = 1}};
}

/// The error divided by tol^power is what the goals are about.
void print_errors(const MethodOptions& settings, double power, const std::vector<double>& tolerances) {
  print_header({"case", "tol", "error", power == 1 ? "error/tol" : "error/tol^(2/3)", "steps", "rejected %",
                "iterations/step", "Jacobians/step"});
  std::vector<std::string> slopes;
  for (const Problem& problem : make_problems()) {
    const Case setup = build(problem);
    const std::vector<State> reference = calc_reference(problem, setup);
    std::vector<Measurement> rows;
    for (const double tolerance : tolerances) {
      const Measurement m = measure(setup, reference, hht(tolerance, settings));
      const long steps = m.statistics.steps;
      const bool is_done = m.trouble.empty();
      if (is_done) rows.push_back(m);
      print_row({problem.title(), fmt::format("{:.0e}", tolerance),
                 is_done ? fmt::format("{:.2e}", m.error) : first_words(m.trouble),
                 is_done ? fmt::format("{:.3g}", m.error / std::pow(tolerance, power)) : "-", fmt::format("{}", steps),
                 share(100 * m.rejected(), m.attempts(), "{:.1f}"), share(m.statistics.newton_iterations, steps),
                 share(m.jacobians(), steps, "{:.3f}")});
    }
    if (rows.size() > 1) slopes.push_back(fmt::format("{} {:.2f}", problem.title(), fit_slope(rows)));
  }
  fmt::print("\nSlope of log error over log tol: {}.\n", fmt::join(slopes, ", "));
}

void print_tolerance() { print_errors({}, 2.0 / 3, decades(3, 8)); }
void print_proportional() { print_errors({{"control", "per-unit-step"}}, 1, decades(3, 6)); }

// --- ringing

/// Largest errors over all accepted steps, relative to the largest value of the reference at the same times.
struct StepErrors {
  double q = 0, lambda = 0;
};

StepErrors calc_step_errors(const Case& setup, double t_end, std::span<const State> states, double tolerance) {
  std::vector<double> times;
  for (const State& state : states) times.push_back(state.t);
  const std::vector<State> reference = collect(setup, t_end, Options::with_tolerance(tolerance), times);
  if (reference.size() != states.size()) throw std::runtime_error("the reference lacks output points");
  StepErrors error, size;
  for (std::size_t i = 0; i < states.size(); ++i) {
    error.q = std::max(error.q, largest_abs(states[i].q - reference[i].q));
    error.lambda = std::max(error.lambda, largest_abs(states[i].lambda - reference[i].lambda));
    size.q = std::max(size.q, largest_abs(reference[i].q));
    size.lambda = std::max(size.lambda, largest_abs(reference[i].lambda));
  }
  return {error.q / size.q, error.lambda / size.lambda};
}

void print_ringing() {
  print_header({"case", "alpha", "after_step", "error of lambda", "error of q", "steps", "rejected %"});
  const std::vector<Problem> problems{{.name = "pendulum", .t_end = 2},
                                      {.name = "andrews", .t_end = 0.03},
                                      {.name = "double-pendulum", .t_end = 2},
                                      {.name = "bushing-pendulum", .t_end = 1}};
  for (const Problem& problem : problems) {
    const Case setup = build(problem);
    for (const char* alpha : {"-0.3", "-0.05", "0"}) {
      for (const char* after : {"project", "accelerations", "nothing"}) {
        Options options = hht(1e-5, {{"alpha", alpha}, {"after_step", after}});
        options.output.kind = OutputKind::kSteps;
        options.max_steps = 300'000;  // where the scheme rings itself to death
        std::vector<State> states;
        const RunResult result = run(setup, problem.t_end, options, [&](const State& s) { states.push_back(s); });
        const Measurement m{.statistics = result.statistics};
        std::vector<std::string> row{problem.title(), alpha, after};
        if (is_complete(result)) {
          states.erase(states.begin());  // the start is exact
          const StepErrors e = calc_step_errors(setup, problem.t_end, states, 1e-10);
          row.insert(row.end(), {fmt::format("{:.1e}", e.lambda), fmt::format("{:.1e}", e.q)});
        } else {
          row.insert(row.end(), {first_words(result.reason), "-"});
        }
        row.push_back(fmt::format("{}", m.statistics.steps));
        row.push_back(share(100 * m.rejected(), m.attempts(), "{:.1f}"));
        print_row(row);
      }
    }
  }
}

// --- heuristics

void print_heuristics() {
  print_header({"case", "setting", "error", "steps", "rejected %", "iterations/step", "Jacobians/step",
                "factorisations/step", "ms"});
  const std::vector<std::pair<std::string, MethodOptions>> settings{{"default", {}},
                                                                    {"predictor=0", {{"predictor", "0"}}},
                                                                    {"predictor=1", {{"predictor", "1"}}},
                                                                    {"predictor=2", {{"predictor", "2"}}},
                                                                    {"newton=full", {{"newton", "full"}}},
                                                                    {"newton=quasi", {{"newton", "quasi"}}},
                                                                    {"filter=no", {{"filter", "no"}}}};
  const std::vector<Problem> problems{{.name = "pendulum", .t_end = 2},
                                      {.name = "andrews", .t_end = 0.03},
                                      {.name = "double-pendulum", .t_end = 2},
                                      {.name = "hmmwv14", .t_end = 1}};
  for (const Problem& problem : problems) {
    const Case setup = build(problem);
    const std::vector<State> reference = calc_reference(problem, setup);
    for (const auto& [name, values] : settings) {
      const Options options = hht(1e-6, values);
      const Measurement m = measure(setup, reference, options);
      const long steps = m.statistics.steps;
      print_row({problem.title(), name, m.trouble.empty() ? fmt::format("{:.2e}", m.error) : first_words(m.trouble),
                 fmt::format("{}", steps), share(100 * m.rejected(), m.attempts(), "{:.1f}"),
                 share(m.statistics.newton_iterations, steps), share(m.jacobians(), steps, "{:.3f}"),
                 share(m.statistics.linear.factorizations, steps),
                 fmt::format("{:.2f}", 1e3 * measure_seconds(setup, problem.t_end, options))});
    }
  }
}

// --- alpha

void print_alpha() {
  constexpr double kSilentlyWrong = 100;
  const std::array<double, 5> alphas{0, -0.05, -0.1, -0.3, -1.0 / 3};
  std::vector<std::string> header{"variant", "tol"};
  for (const double alpha : alphas) header.push_back(fmt::format("alpha = {:.3g}", alpha));
  print_header(header);
  for (const int variant : {0, 1}) {
    const Problem problem{.name = "double-pendulum", .parameters = {{"variant", variant}}, .t_end = 2};
    const Case setup = build(problem);
    const State exact =
        collect(setup, problem.t_end, Options::with_tolerance(problem.reference_tolerance), {problem.t_end}).back();
    for (const double tolerance : decades(2, 8)) {
      std::vector<std::string> row{fmt::format("{}", variant), fmt::format("{:.0e}", tolerance)};
      for (const double alpha : alphas) {
        const RunResult result = run(setup, problem.t_end, hht(tolerance, {{"alpha", fmt::format("{}", alpha)}}));
        const double error = largest_abs(result.state.q - exact.q) / std::pow(tolerance, 2.0 / 3);
        row.push_back(!is_complete(result)     ? first_words(result.reason)
                      : error > kSilentlyWrong ? fmt::format("**{:.3g} WRONG**", error)
                                               : fmt::format("{:.3g}", error));
      }
      print_row(row);
    }
  }
}

// --- condition

/// The parts of a run that a method works with, without the run.
struct Bench {
  explicit Bench(const dae::ConstrainedSystem& system)
      : evaluation(system),
        accelerations(evaluation),
        projector(evaluation, accelerations),
        norm(system.structure(), 1e-6, 1e-6),
        context{evaluation, accelerations, projector, norm, statistics, options, horizon} {}

  dae::Evaluation evaluation;
  kkt::AccelerationSolver accelerations;
  kinematics::Projector projector;
  integrators::ErrorNorm norm;
  Statistics statistics;
  MethodOptions options;
  double horizon = 1e300;
  integrators::MethodContext context;
};

/// Matrices of Newton's iteration as full ones, at a complete state of a system without extra states.
class FullMatrices {
 public:
  FullMatrices(dae::Evaluation& evaluation, const State& at) {
    const dae::Structure& s = evaluation.structure();
    evaluation.set(at);
    const auto derivative = [&](Derivative which, const Vector& direction) -> Eigen::MatrixXd {
      const linalg::Pattern& pattern = s.pattern(which);
      if (pattern.size() == 0) return Eigen::MatrixXd::Zero(s.n_v(), s.n_v());
      return pattern.to_dense(evaluation.derivative(which, direction));
    };
    M_ = s.mass.to_dense(evaluation.mass());
    G_ = s.jacobian.to_dense(evaluation.jacobian());
    f_v_ = derivative(Derivative::kForceByV, Vector());
    K_ = derivative(Derivative::kInertiaByQ, at.a) + derivative(Derivative::kReactionByQ, at.lambda) -
         derivative(Derivative::kForceByQ, Vector());
  }

  /// [(1 + w) M - c_v f_v + c_q K, G^T; G, 0]
  Eigen::MatrixXd second_order(const integrators::StepCoefficients& c) const {
    const Eigen::Index n = M_.rows(), m = G_.rows();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
    A.topLeftCorner(n, n) = (1 + c.w) * M_ - c.c_v * f_v_ + c.c_q * K_;
    A.topRightCorner(n, m) = G_.transpose();
    A.bottomLeftCorner(m, n) = G_;
    return A;
  }
  /// [c I, -I, 0; K, c M - f_v, G^T; G, 0, 0]: positions, velocities and multipliers as unknowns, nothing scaled.
  Eigen::MatrixXd first_order(double c) const {
    const Eigen::Index n = M_.rows(), m = G_.rows();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n + m, 2 * n + m);
    A.topLeftCorner(n, n) = c * Eigen::MatrixXd::Identity(n, n);
    A.block(0, n, n, n) = -Eigen::MatrixXd::Identity(n, n);
    A.block(n, 0, n, n) = K_;
    A.block(n, n, n, n) = c * M_ - f_v_;
    A.topRightCorner(2 * n, m).bottomRows(n) = G_.transpose();
    A.bottomLeftCorner(m, n) = G_;
    return A;
  }

 private:
  Eigen::MatrixXd M_, G_, f_v_, K_;
};

/// In the 2-norm, by the inverse: of it the largest singular value is wanted, which is found to all digits where the
/// smallest one of the matrix itself is not. In long double, because conditions beyond 1e16 occur.
double calc_condition(const Eigen::MatrixXd& A) {
  using Matrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  const auto norm = [](const Matrix& B) { return Eigen::JacobiSVD<Matrix>(B).singularValues()[0]; };
  const Matrix B = A.cast<long double>();
  return static_cast<double>(norm(B) * norm(Eigen::PartialPivLU<Matrix>(B).inverse()));
}

void print_condition() {
  print_header({"case", "h", "condition of hht", "condition of the first-order form", "1/rcond in hht"});
  const std::vector<Problem> problems{{.name = "pendulum", .t_end = 2}, {.name = "andrews", .t_end = 0.03}};
  for (const Problem& problem : problems) {
    const Case setup = build(problem);
    const State state =
        collect(setup, 0.5 * problem.t_end, Options::with_tolerance(1e-11), {0.5 * problem.t_end}).back();
    Bench bench(*setup.system);
    const FullMatrices matrices(bench.evaluation, state);
    integrators::StepEquations equations(bench.context, bench.norm, {});
    bench.norm.set_weights(state);
    for (const double h : decades(1, 7)) {
      constexpr double alpha = -0.3, beta = (1 - alpha) * (1 - alpha) / 4, gamma = 0.5 - alpha;
      const integrators::StepCoefficients c{beta * h * h, gamma * h, gamma * h, -alpha / (1 + alpha)};
      // The known parts are such that the state itself solves the equations.
      equations.set_begin(state);
      equations.set_known(state.t, -c.c_q * state.a, state.v - c.c_v * state.a, state.x);
      equations.set_prediction(state.a, state.lambda, state.x_rate);
      if (!equations.solve(c, {})) throw std::runtime_error(equations.describe_trouble());
      print_row({problem.title(), fmt::format("{:.0e}", h),
                 fmt::format("{:.3g}", calc_condition(matrices.second_order(c))),
                 fmt::format("{:.3g}", calc_condition(matrices.first_order(1 / h))),
                 fmt::format("{:.3g}", 1 / equations.calc_rcond(c))});
    }
  }
}

// --- work at equal error

/// What a run at some tolerance cost, and how wrong it was.
struct Work {
  double error, seconds, steps, evaluations;
};

/// Work as a function of the error: straight lines between runs, all logarithmic. A run whose error a tighter tolerance
/// exceeds was lucky; it counts with the larger one.
class WorkCurve {
 public:
  /// From the loosest tolerance to the tightest.
  explicit WorkCurve(std::span<const Work> runs) {
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      points_.push_back(*run);
      if (points_.size() > 1) {
        points_.back().error = std::max(run->error, points_[points_.size() - 2].error * (1 + 1e-9));
      }
    }
  }
  /// The most exact run.
  std::optional<Work> best() const { return points_.empty() ? std::nullopt : std::optional(points_.front()); }
  /// Nothing outside of what was measured, but for errors larger than all: then the cheapest run.
  std::optional<Work> at(double error) const {
    if (points_.empty() || error < points_.front().error) return std::nullopt;
    const auto after = std::find_if(points_.begin(), points_.end(), [&](const Work& w) { return w.error > error; });
    if (after == points_.end()) return points_.back();
    const auto before = std::prev(after);
    const double s = std::log(error / before->error) / std::log(after->error / before->error);
    const auto between = [s](double a, double b) { return a * std::pow(b / a, s); };
    return Work{error, between(before->seconds, after->seconds), between(before->steps, after->steps),
                between(before->evaluations, after->evaluations)};
  }

 private:
  std::vector<Work> points_;  // from the smallest error on
};

using ErrorOf = std::function<double(const State&)>;

/// Runs at tolerances a factor of sqrt(10) apart, until the error falls below `enough` or a run takes too long.
WorkCurve calc_work(const Case& setup, double t_end, Options options, const ErrorOf& error_of, double enough) {
  constexpr double kLoosest = 1e-2, kTightest = 1e-13, kTooLong = 15;
  std::vector<Work> runs;
  int in_a_row = 0;
  for (double tolerance = kLoosest; tolerance > kTightest; tolerance /= std::sqrt(10)) {
    options.rtol = options.atol = tolerance;
    const RunResult result = run(setup, t_end, options);
    if (!is_complete(result)) {
      fmt::print(stderr, "{}, tolerance {:.1e}: {}\n", options.method, tolerance, result.reason);
      continue;
    }
    const double error = error_of(result.state), seconds = measure_seconds(setup, t_end, options);
    const Statistics& s = result.statistics;
    runs.push_back({error, seconds, static_cast<double>(s.steps), static_cast<double>(s.evaluations.force)});
    // Two runs in a row, so that luck does not end the search.
    in_a_row = error < enough ? in_a_row + 1 : 0;
    if (in_a_row == 2 || seconds > kTooLong) break;
  }
  return WorkCurve(runs);
}

ErrorOf error_against(const State& exact) {
  return [exact](const State& state) { return largest_abs(state.q - exact.q); };
}

State calc_end(const Problem& problem, const Case& setup) {
  return collect(setup, problem.t_end, Options::with_tolerance(problem.reference_tolerance), {problem.t_end}).back();
}

void print_stiff() {
  if (!integrators::find_method("bdf-i3")) {
    fmt::print("The method bdf-i3 is not there.\n");
    return;
  }
  print_header(
      {"case", "error", "hht ms", "steps", "evaluations", "bdf-i3 ms", "steps", "evaluations", "time of bdf-i3 / hht"});
  const std::vector<Problem> problems{
      {.name = "double-pendulum", .t_end = 2},
      {.name = "bushing-pendulum", .parameters = {{"eps", 1e-5}}, .t_end = 1, .label = "bushing-pendulum, eps = 1e-5"},
      {.name = "slider-crank-bushings", .t_end = 1},
      {.name = "hmmwv14", .t_end = 1}};
  for (const Problem& problem : problems) {
    const Case setup = build(problem);
    const ErrorOf error_of = error_against(calc_end(problem, setup));
    constexpr double kSmallest = 1e-6;
    const WorkCurve first = calc_work(setup, problem.t_end, with_method("hht"), error_of, kSmallest);
    const WorkCurve second = calc_work(setup, problem.t_end, with_method("bdf-i3"), error_of, kSmallest);
    for (const double error : decades(3, 6)) {
      std::vector<std::string> row{problem.title(), fmt::format("{:.0e}", error)};
      const std::optional<Work> a = first.at(error), b = second.at(error);
      for (const std::optional<Work>& work : {a, b}) {
        row.push_back(work ? fmt::format("{:.2f}", 1e3 * work->seconds) : "-");
        row.push_back(work ? fmt::format("{:.0f}", work->steps) : "-");
        row.push_back(work ? fmt::format("{:.0f}", work->evaluations) : "-");
      }
      row.push_back(a && b ? fmt::format("{:.2f}", b->seconds / a->seconds) : "-");
      print_row(row);
    }
  }
}

// --- chains

/// The angle of the cranks of the four-bar with n loops from the vertical: theta'' = k sin(theta), theta = 0 and
/// theta' = 1 at the start. By the classical formula of Runge and Kutta, to 1e-12.
double calc_four_bar_angle(int n, double t_end) {
  constexpr int kSteps = 20'000;
  const double k = 9.81 * 3 * (3 * n + 1) / (2.0 * (4 * n + 1)), h = t_end / kSteps;
  double angle = 0, rate = 1;
  for (int i = 0; i < kSteps; ++i) {
    const double k1 = rate, l1 = k * std::sin(angle);
    const double k2 = rate + h / 2 * l1, l2 = k * std::sin(angle + h / 2 * k1);
    const double k3 = rate + h / 2 * l2, l3 = k * std::sin(angle + h / 2 * k2);
    const double k4 = rate + h * l3, l4 = k * std::sin(angle + h * k3);
    angle += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    rate += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  return angle;
}

/// Largest error of the angle of a crank [rad], which is that of its tip [m].
ErrorOf error_of_cranks(const Case& setup, int n, double t_end) {
  return [&structure = setup.system->structure(), n,
          exact = std::numbers::pi / 2 - calc_four_bar_angle(n, t_end)](const State& state) {
    double error = 0;
    for (int k = 0; k <= n; ++k) {
      error = std::max(error, std::abs(cases::named_value(structure, state, fmt::format("crank_{}.angle", k)) - exact));
    }
    return error;
  };
}

/// The free end of the last rod, 1 m along the x axis of its frame.
Vector find_tip(const Case& setup, const State& state) {
  const cases::BodyPose rod = setup.bodies(state).back();
  const Vector& p = rod.orientation;
  const Vector axis{
      {1 - 2 * (p[2] * p[2] + p[3] * p[3]), 2 * (p[1] * p[2] + p[0] * p[3]), 2 * (p[1] * p[3] - p[0] * p[2])}};
  return rod.position + axis;
}

ErrorOf error_of_tip(const Case& setup, const Problem& problem) {
  return [&setup, tip = find_tip(setup, calc_end(problem, setup))](const State& state) {
    return (find_tip(setup, state) - tip).norm();
  };
}

void print_cost_of_size() {
  print_header({"case", "n", "steps", "rejected %", "iterations/step", "Jacobians/step", "us/step", "us/iteration",
                "us/step/n", "us/step/n, over that of the row above"});
  const std::vector<std::pair<std::string, std::vector<int>>> sizes{{"spatial-chain", {10, 40, 160}},
                                                                    {"four-bar", {10, 40, 160}}};
  constexpr double kEnd = 2, kTolerance = 1e-5;
  for (const auto& [name, counts] : sizes) {
    double last = 0;
    for (const int n : counts) {
      const Case setup = build({.name = name, .parameters = {{"n", n}}});
      const RunResult result = run(setup, kEnd, hht(kTolerance));
      if (!is_complete(result)) {
        print_row({name, fmt::format("{}", n), first_words(result.reason), "", "", "", "", "", "", ""});
        continue;
      }
      const Measurement m{.statistics = result.statistics};
      const long steps = m.statistics.steps, iterations = m.statistics.newton_iterations;
      const double time = 1e6 * measure_seconds(setup, kEnd, hht(kTolerance)), step = time / static_cast<double>(steps);
      print_row({name, fmt::format("{}", n), fmt::format("{}", steps),
                 share(100 * m.rejected(), m.attempts(), "{:.1f}"), share(iterations, steps),
                 share(m.jacobians(), steps, "{:.3f}"), fmt::format("{:.1f}", step),
                 fmt::format("{:.1f}", time / static_cast<double>(iterations)), fmt::format("{:.2f}", step / n),
                 last > 0 ? fmt::format("{:.2f}", step / n / last) : "-"});
      last = step / n;
    }
  }
}

/// What other programs need, and for which error.
struct Mark {
  double error;
  std::string text;
};

/// Time to reach the errors of the marks, and steps in brackets.
void print_marks(const std::string& title, const Case& setup, double t_end, const ErrorOf& error_of,
                 const std::vector<Mark>& marks, std::span<const std::string> methods) {
  double smallest = marks.front().error;
  for (const Mark& mark : marks) smallest = std::min(smallest, mark.error);
  std::vector<WorkCurve> curves;
  for (const std::string& method : methods) {
    curves.push_back(calc_work(setup, t_end, with_method(method), error_of, smallest));
  }
  for (const Mark& mark : marks) {
    std::vector<std::string> row{title, fmt::format("{:.0e}", mark.error)};
    for (const WorkCurve& curve : curves) {
      const std::optional<Work> work = curve.at(mark.error), best = curve.best();
      row.push_back(work   ? fmt::format("{:.1f} ({:.0f})", 1e3 * work->seconds, work->steps)
                    : best ? fmt::format("not reached; {:.0e} in {:.1f}", best->error, 1e3 * best->seconds)
                           : "not reached");
    }
    row.push_back(mark.text);
    print_row(row);
  }
}

void print_chains() {
  print_cost_of_size();
  fmt::print("\n");
  std::vector<std::string> methods{"hht"};
  if (integrators::find_method("bdf-i3")) methods.emplace_back("bdf-i3");
  methods.emplace_back("projection");
  std::vector<std::string> header{"case", "error"};
  for (const std::string& method : methods) header.push_back(fmt::format("{} ms (steps)", method));
  header.emplace_back("mark");
  print_header(header);
  {
    const Problem chain{.name = "spatial-chain", .parameters = {{"n", 40}}, .t_end = 1};
    const Case setup = build(chain);
    print_marks("spatial-chain, n = 40, tip at 1 s", setup, chain.t_end, error_of_tip(setup, chain),
                {{2e-6, "Exudyn 206 ms"}, {1e-8, "Simbody 43 ms"}}, methods);
  }
  {
    const Problem bars{.name = "four-bar", .parameters = {{"n", 40}}, .t_end = 2};
    const Case setup = build(bars);
    print_marks("four-bar, n = 40, cranks at 2 s", setup, bars.t_end, error_of_cranks(setup, 40, bars.t_end),
                {{6e-6, "Exudyn 1200 ms"}, {4e-7, "Simbody 2100 ms"}}, methods);
  }
  {
    const Problem pendulum{.name = "double-pendulum", .t_end = 2};
    const Case setup = build(pendulum);
    print_marks("double-pendulum, at 2 s", setup, pendulum.t_end, error_against(calc_end(pendulum, setup)),
                {{3e-6, "Exudyn 284 ms"}, {2e-6, "Simbody, BDF 14 ms"}}, methods);
  }
}

constexpr std::array kTables{
    StudyTable<>{"tolerance", "Error against tolerance", print_tolerance},
    StudyTable<>{"proportional", "Error against tolerance, control = per-unit-step", print_proportional},
    StudyTable<>{"ringing", "Errors over all accepted steps, tolerance 1e-5", print_ringing},
    StudyTable<>{"heuristics", "What the heuristics bring, tolerance 1e-6", print_heuristics},
    StudyTable<>{"alpha", "Stiff double pendulum: error at the end / tol^(2/3)", print_alpha},
    StudyTable<>{"condition", "Condition of Newton's matrix", print_condition},
    StudyTable<>{"stiff", "hht and bdf-i3 at equal error", print_stiff},
    StudyTable<>{"chains", "Long chains", print_chains},
};

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  return trammel::bench::print_tables("hht_study [TABLE]...", trammel::bench::kTables,
                                      trammel::bench::words_of(argc, argv));
}
