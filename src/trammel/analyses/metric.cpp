#include "trammel/analyses/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace trammel::analyses {

using dae::Derivative;
using linalg::Entry;
using linalg::largest_abs;
using linalg::Pattern;

namespace {

// What a full turn may change of what a radian changes: far above round-off, far below anything that is not periodic.
constexpr double kPeriodicity = 1e-8;

/// A vector-valued function of the position and the places of its derivative.
struct Probe {
  const Pattern* pattern;
  std::function<Vector()> value;  // at the position of the evaluation
};

/// Numbers without structure between 1/2 and 3/2, so that nothing cancels by chance.
Vector make_direction(int size) {
  Vector s(size);
  for (int i = 0; i < size; ++i) s[i] = 1 + 0.5 * std::sin(1.0 + 2.3 * i);
  return s;
}

std::vector<Probe> make_probes(dae::Evaluation& evaluation) {
  const dae::Structure& s = evaluation.structure();
  const Vector direction = make_direction(s.n_v());
  const auto jacobian = [&evaluation, &s, direction] {
    Vector value = Vector::Zero(s.m());
    s.jacobian.add_product(evaluation.jacobian(), direction, 1, value);
    return value;
  };
  const auto mass = [&evaluation, &s, direction] {
    Vector value = Vector::Zero(s.n_v());
    s.mass.add_product(evaluation.mass(), direction, 1, value);
    return value;
  };
  const auto force = [&evaluation] { return Vector(evaluation.force()); };
  return {{&s.pattern(Derivative::kVelocityByQ), jacobian},
          {&s.pattern(Derivative::kInertiaByQ), mass},
          {&s.pattern(Derivative::kForceByQ), force}};
}

/// Largest |a - b| in the rows that each column touches.
Vector calc_changes(const Pattern& pattern, VectorIn a, VectorIn b) {
  Vector changes = Vector::Zero(pattern.columns());
  for (const Entry& e : pattern.entries()) {
    changes[e.column] = std::max(changes[e.column], std::abs(a[e.row] - b[e.row]));
  }
  return changes;
}

void mark_periodic(dae::Evaluation& evaluation, const Probe& probe, VectorIn q, std::vector<bool>& is_rotation) {
  const double t = evaluation.point().t;
  const dae::ConstrainedSystem& system = evaluation.system();
  Vector displaced(q.size()), delta(probe.pattern->columns());
  const auto value_after = [&](const std::vector<int>& columns, double distance) {
    delta.setZero();
    for (const int j : columns) delta[j] = distance;
    system.retract(q, delta, displaced);
    evaluation.set_position(t, displaced);
    return probe.value();
  };
  evaluation.set_position(t, q);
  const Vector here = probe.value();
  for (const std::vector<int>& columns : dae::colour_columns(*probe.pattern)) {
    const Vector radian = calc_changes(*probe.pattern, value_after(columns, 1), here);
    const Vector turn = calc_changes(*probe.pattern, value_after(columns, 2 * std::numbers::pi), here);
    const double noise = kPeriodicity * largest_abs(here);
    for (const int j : columns) {
      if (radian[j] > noise && turn[j] <= kPeriodicity * radian[j]) is_rotation[static_cast<std::size_t>(j)] = true;
    }
  }
}

/// Root of the mean squared size of the columns of one kind that are not zero; 0 when there are none.
double calc_mean(const Vector& squares, const std::vector<bool>& is_rotation, bool kind) {
  double sum = 0;
  int count = 0;
  for (Eigen::Index j = 0; j < squares.size(); ++j) {
    if (is_rotation[static_cast<std::size_t>(j)] != kind || !(squares[j] > 0)) continue;
    sum += squares[j];
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) : 0;
}

double choose_length(dae::Evaluation& evaluation, const std::vector<bool>& is_rotation) {
  const dae::Structure& s = evaluation.structure();
  const auto ratio = [&](const Vector& squares) {
    const double angles = calc_mean(squares, is_rotation, true), lengths = calc_mean(squares, is_rotation, false);
    return angles > 0 && lengths > 0 ? angles / lengths : 0.0;
  };
  Vector squares = Vector::Zero(s.n_v());
  const double* G = evaluation.jacobian();
  for (int k = 0; k < s.jacobian.size(); ++k) squares[s.jacobian[k].column] += G[k] * G[k];
  if (const double length = ratio(squares); length > 0 && std::isfinite(length)) return length;
  squares.setZero();
  const double* M = evaluation.mass();
  for (int k = 0; k < s.mass.size(); ++k) {
    if (s.mass[k].row == s.mass[k].column) squares[s.mass[k].row] += M[k];
  }
  const double length = ratio(squares);
  return length > 0 && std::isfinite(length) ? length : 1;
}

}  // namespace

double CoordinateMetric::largest_rotation(VectorIn delta) const {
  double largest = 0;
  for (const int i : rotations) largest = std::max(largest, std::abs(delta[i]));
  return largest;
}

double CoordinateMetric::largest(VectorIn delta) const { return largest_abs(weights.cwiseProduct(delta)); }

std::vector<std::string> MetricOptions::validate(int n_v) const {
  std::vector<std::string> problems;
  for (const int i : rotations.value_or(std::vector<int>{})) {
    if (i < 0 || i >= n_v) {
      problems.push_back(fmt::format("the angle {} does not exist: there are {} velocity coordinates", i, n_v));
    }
  }
  if (!std::isfinite(length_scale) || length_scale < 0) {
    problems.push_back(fmt::format("the length scale is {}, but must not be negative", length_scale));
  }
  return problems;
}

std::vector<int> find_rotations(dae::Evaluation& evaluation) {
  const Vector q = evaluation.point().q, v = evaluation.point().v;
  const double t = evaluation.point().t;
  std::vector<bool> is_rotation(static_cast<std::size_t>(evaluation.structure().n_v()));
  evaluation.set_velocity(Vector::Zero(v.size()));
  for (const Probe& probe : make_probes(evaluation)) {
    if (probe.pattern->size() > 0) mark_periodic(evaluation, probe, q, is_rotation);
  }
  evaluation.set_position(t, q);
  evaluation.set_velocity(v);
  std::vector<int> rotations;
  for (std::size_t i = 0; i < is_rotation.size(); ++i) {
    if (is_rotation[i]) rotations.push_back(static_cast<int>(i));
  }
  return rotations;
}

CoordinateMetric make_metric(dae::Evaluation& evaluation, const MetricOptions& options) {
  CoordinateMetric metric;
  metric.rotations = options.rotations ? *options.rotations : find_rotations(evaluation);
  std::sort(metric.rotations.begin(), metric.rotations.end());
  const int n_v = evaluation.structure().n_v();
  std::vector<bool> is_rotation(static_cast<std::size_t>(n_v));
  for (const int i : metric.rotations) is_rotation[static_cast<std::size_t>(i)] = true;
  metric.length = options.length_scale > 0 ? options.length_scale : choose_length(evaluation, is_rotation);
  metric.weights = Vector::Ones(n_v);
  for (const int i : metric.rotations) metric.weights[i] = metric.length;
  return metric;
}

}  // namespace trammel::analyses
