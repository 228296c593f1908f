#include "trammel/analyses/assemble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "trammel/analyses/checks.h"

namespace trammel::analyses {

using linalg::Entry;
using linalg::largest_abs;

namespace {

// Where the violation cannot be reduced (a guess in a singular position, such as a rod of length zero), the guess is
// moved by these distances, in radians and in `length` of the metric, and tried again.
constexpr std::array kNudges{1e-3, 1e-2, 1e-1};

// Rows below this share of the worst are not named: the least-squares position is not found to the last digit.
constexpr double kWorthNaming = 1e-2;

std::vector<AssemblyResult::Open> find_open(const std::vector<std::string>& names, VectorIn violation,
                                            VectorIn allowed) {
  std::vector<AssemblyResult::Open> open;
  const double least = kWorthNaming * largest_abs(violation);
  for (int i = 0; i < violation.size(); ++i) {
    if (std::abs(violation[i]) <= std::max(allowed[i], least)) continue;
    open.push_back({i, names[static_cast<std::size_t>(i)], std::abs(violation[i])});
  }
  std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.violation > b.violation; });
  return open;
}

std::string describe(const std::vector<AssemblyResult::Open>& open) {
  std::vector<std::string> rows;
  for (const AssemblyResult::Open& row : open)
    rows.push_back(fmt::format("{} by {:.3g}", dae::quoted(row.name), row.violation));
  return list_names(rows);
}

/// One assembly, from the guess to the result.
class Assembly {
 public:
  Assembly(const dae::ConstrainedSystem& system, const dae::State& guess, const AssemblyOptions& options)
      : options_(options),
        guess_(guess),
        evaluation_(system),
        metric_(prepare(evaluation_, guess_, options)),
        positions_(evaluation_, metric_,
                   {.tolerance = options.tolerance,
                    .max_rotation = options.max_rotation,
                    .max_iterations = options.max_iterations},
                   options.fixed_velocities) {}

  AssemblyResult execute() {
    result_.state = guess_;
    if (assemble_positions() && (!options_.with_velocities || assemble_velocities())) {
      result_.ok = true;
      result_.message = fmt::format("assembled in {} iterations; moved by {:.3g}, largest violation {:.2g}",
                                    result_.iterations, result_.moved, result_.largest_violation);
    }
    return std::move(result_);
  }

 private:
  /// Brings the guess to positions that make sense (unit quaternions) and the evaluation to the guess.
  static CoordinateMetric prepare(dae::Evaluation& evaluation, dae::State& guess, const AssemblyOptions& options) {
    if (!evaluation.structure().has_trivial_kinematics) {
      const Vector given = guess.q;
      evaluation.system().retract(given, Vector::Zero(evaluation.structure().n_v()), guess.q);
    }
    evaluation.set(guess);
    return make_metric(evaluation, options.metric);
  }

  bool assemble_positions();
  bool assemble_velocities();
  Closing close_from(VectorIn nudge, Vector& q, Vector& moved);
  Vector make_nudge(double size) const;
  void report_open_positions(bool finite);
  std::string describe_held() const;

  const AssemblyOptions& options_;
  dae::State guess_;
  dae::Evaluation evaluation_;
  CoordinateMetric metric_;
  PositionSolver positions_;
  AssemblyResult result_;
};

Vector Assembly::make_nudge(double size) const {
  const int n_v = evaluation_.structure().n_v();
  Vector nudge(n_v);
  // No structure that a mechanism could share, and the same at every run.
  for (int i = 0; i < n_v; ++i) nudge[i] = size * std::sin(1.0 + 1.7 * i) * metric_.length / metric_.weights[i];
  for (const int i : options_.fixed_velocities) nudge[i] = 0;
  return nudge;
}

Closing Assembly::close_from(VectorIn nudge, Vector& q, Vector& moved) {
  moved = nudge;
  if (nudge.isZero(0)) {
    q = guess_.q;
  } else {
    evaluation_.system().retract(guess_.q, nudge, q);
  }
  const Closing closing = positions_.close(guess_.t, q, moved);
  result_.iterations += closing.iterations;
  return closing;
}

bool Assembly::assemble_positions() {
  const dae::Structure& s = evaluation_.structure();
  Vector q = guess_.q, moved = Vector::Zero(s.n_v());
  Closing closing = close_from(Vector::Zero(s.n_v()), q, moved);
  if (!closing.closed && closing.finite) {
    double best = largest_abs(evaluation_.constraint());
    Vector q_trial = q, moved_trial = moved;
    for (const double size : kNudges) {
      const Closing trial = close_from(make_nudge(size), q_trial, moved_trial);
      const double violation = trial.finite ? largest_abs(evaluation_.constraint()) : best;
      if (!(violation < best) && !trial.closed) continue;
      best = violation;
      q = q_trial;
      moved = moved_trial;
      closing = trial;
      if (closing.closed) break;
    }
  }
  if (closing.closed && options_.nearest) result_.iterations += positions_.settle(guess_.t, q, moved);
  result_.state.q = q;
  result_.moved = metric_.norm(moved);
  evaluation_.set_position(guess_.t, q);
  result_.largest_violation = largest_abs(evaluation_.constraint());
  if (!closing.closed) report_open_positions(closing.finite);
  return closing.closed;
}

void Assembly::report_open_positions(bool finite) {
  const std::vector<std::string>& names = evaluation_.structure().constraint_names;
  if (!finite) {
    const dae::Structure& s = evaluation_.structure();
    const Vector& g = evaluation_.constraint();
    const double* G = evaluation_.jacobian();
    Vector sums = g.cwiseProduct(Vector::Zero(g.size()));  // NaN where a value of the row is not finite
    const bool is_value = !sums.allFinite();
    for (int k = 0; k < s.jacobian.size() && !is_value; ++k) {
      if (s.jacobian[k].row < g.size()) sums[s.jacobian[k].row] += 0 * G[k];
    }
    std::vector<std::string> rows;
    for (Eigen::Index i = 0; i < g.size(); ++i) {
      if (!std::isfinite(sums[i])) rows.push_back(dae::quoted(names[static_cast<std::size_t>(i)]));
    }
    result_.message = fmt::format("{} {} is not a finite number at the given position",
                                  is_value ? "constraint" : "the gradient of constraint", list_names(rows));
    return;
  }
  result_.open = find_open(names, evaluation_.constraint(), positions_.calc_allowed_violation());
  result_.message = fmt::format(
      "no position near the given one satisfies the constraints{}; still open: {}. The dimensions do not fit together, "
      "or the given position is too far from an assembled one",
      describe_held(), describe(result_.open));
}

std::string Assembly::describe_held() const {
  std::vector<std::string> names;
  for (const int i : options_.fixed_velocities) names.push_back(coordinate_name(evaluation_.structure(), i));
  return names.empty() ? "" : fmt::format(" while {} {} held", list_names(names), names.size() > 1 ? "are" : "is");
}

bool Assembly::assemble_velocities() {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set_velocity(guess_.v);
  Vector residual(s.m()), change(s.n_v()), allowed(s.m());
  // What a row may miss depends on the size of its terms.
  const auto set_allowed = [&](VectorIn v) {
    allowed = evaluation_.velocity_offset().cwiseAbs();
    const double* G = evaluation_.jacobian();
    for (int k = 0; k < s.jacobian.size(); ++k) {
      const Entry& e = s.jacobian[k];
      allowed[e.row] = std::max(allowed[e.row], std::abs(G[k] * v[e.column]));
    }
    allowed = options_.velocity_tolerance * allowed.cwiseMax(1.0);
  };
  evaluation_.calc_velocity_residual(residual);
  set_allowed(guess_.v);
  // Velocities that satisfy the constraints to round-off stay as they are.
  const bool is_consistent = (residual.cwiseAbs().array() <= 1e-6 * allowed.array()).all();
  if (!is_consistent && positions_.least_change().factor(evaluation_.jacobian(), s.m()).ok) {
    positions_.least_change().solve(-residual, change);
    result_.state.v = guess_.v + change;
    result_.velocity_changed = metric_.norm(change);
    evaluation_.set_velocity(result_.state.v);
    evaluation_.calc_velocity_residual(residual);
    set_allowed(result_.state.v);
  }
  result_.largest_velocity_violation = largest_abs(residual);
  result_.open = find_open(s.constraint_names, residual, allowed);
  if (result_.open.empty() && result_.state.v.allFinite()) return true;
  result_.message = fmt::format("the position closes, but no velocities satisfy the constraints{}; contradiction in {}",
                                describe_held(), describe(result_.open));
  return false;
}

}  // namespace

std::vector<std::string> AssemblyOptions::validate(const dae::Structure& structure) const {
  std::vector<std::string> problems =
      ClosingOptions{.tolerance = tolerance, .max_rotation = max_rotation, .max_iterations = max_iterations}.validate();
  if (!std::isfinite(velocity_tolerance) || velocity_tolerance <= 0) {
    problems.push_back(
        fmt::format("the tolerance of velocity constraints is {}, but must be positive", velocity_tolerance));
  }
  for (const int i : fixed_velocities) {
    if (i >= 0 && i < structure.n_v()) continue;
    problems.push_back(
        fmt::format("the fixed coordinate {} does not exist: there are {} velocity coordinates", i, structure.n_v()));
  }
  for (std::string& problem : metric.validate(structure.n_v())) problems.push_back(std::move(problem));
  return problems;
}

AssemblyResult assemble(const dae::ConstrainedSystem& system, const dae::State& guess, const AssemblyOptions& options) {
  const dae::Structure& s = system.structure();
  std::vector<std::string> problems = options.validate(s);
  for (std::string& problem : dae::find_state_problems(s, guess)) problems.push_back(std::move(problem));
  if (!problems.empty()) {
    AssemblyResult result;
    result.state = guess;
    result.message = fmt::format("{}", fmt::join(problems, "; "));
    return result;
  }
  return Assembly(system, complete_state(s, guess), options).execute();
}

}  // namespace trammel::analyses
