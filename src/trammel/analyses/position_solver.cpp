#include "trammel/analyses/position_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::analyses {

using linalg::Entry;
using linalg::largest_abs;

namespace {

constexpr double kRoundOff = std::numeric_limits<double>::epsilon();
// Relative damping (least_change.h) after a step that was not worth it, and the largest one that is tried: the step is
// then a thousandth of one along the gradient.
constexpr double kFirstDamping = 1e-5;
constexpr double kLargestDamping = 1e3;
// The share of the forecast reduction that a step must bring.
constexpr double kAcceptable = 0.1;
// Iterations over which the squared violation must fall to this share; at a double root it falls to a sixteenth in
// each, at a position that cannot be closed it tends to a limit.
constexpr int kPatience = 8;
constexpr double kWorthwhile = 0.999;
constexpr int kMaxSettlings = 40;
// The nearest position is found to this share of the way that was gone.
constexpr double kSettled = 1e-8;

}  // namespace

std::vector<std::string> ClosingOptions::validate() const {
  std::vector<std::string> problems;
  const auto require = [&](bool condition, std::string message) {
    if (!condition) problems.push_back(std::move(message));
  };
  require(std::isfinite(tolerance) && tolerance > 0,
          fmt::format("the tolerance of constraints is {}, but must be positive", tolerance));
  require(max_rotation > 0, fmt::format("the largest rotation in a step is {}, but must be positive", max_rotation));
  require(max_iterations > 0, fmt::format("max_iterations is {}, but must be positive", max_iterations));
  return problems;
}

PositionSolver::PositionSolver(dae::Evaluation& evaluation, const CoordinateMetric& metric,
                               const ClosingOptions& options, const std::vector<int>& held)
    : evaluation_(evaluation),
      metric_(metric),
      options_(options),
      least_change_(evaluation.structure(), metric.weights, held) {
  const dae::Structure& s = evaluation.structure();
  right_side_ = Vector::Zero(s.m());
  step_ = Vector::Zero(s.n_v());
  trial_ = Vector::Zero(s.n_q());
}

Vector PositionSolver::calc_allowed_violation() {
  const dae::Structure& s = evaluation_.structure();
  const double size = std::max(1.0, largest_abs(evaluation_.point().q));
  const double* G = evaluation_.jacobian();
  Vector allowed = Vector::Constant(s.n_g, options_.tolerance);
  for (int k = 0; k < s.jacobian.size(); ++k) {
    const Entry& e = s.jacobian[k];
    if (e.row < s.n_g) allowed[e.row] += 16 * kRoundOff * size * std::abs(G[k]);
  }
  return allowed;
}

bool PositionSolver::is_closed() {
  return (evaluation_.constraint().cwiseAbs().array() <= calc_allowed_violation().array()).all();
}

double PositionSolver::calc_merit(VectorIn scales) {
  const Vector& g = evaluation_.constraint();
  return g.cwiseQuotient(scales.head(g.size())).squaredNorm();
}

double PositionSolver::calc_forecast(VectorIn scales) {
  const dae::Structure& s = evaluation_.structure();
  Vector linear = -right_side_;
  s.jacobian.add_product(evaluation_.jacobian(), step_, 1, linear);
  return linear.head(s.n_g).cwiseQuotient(scales.head(s.n_g)).squaredNorm();
}

void PositionSolver::limit_rotation(Vector& u) const {
  const double largest = metric_.largest_rotation(u);
  if (largest > options_.max_rotation) u *= options_.max_rotation / largest;
}

bool PositionSolver::attempt_step(double t, Vector& q, Vector& moved) {
  const dae::Structure& s = evaluation_.structure();
  evaluation_.set_position(t, q);
  const Vector g = evaluation_.constraint();
  right_side_.setZero();
  right_side_.head(s.n_g) = -g;
  damping_ = damping_ <= kFirstDamping ? LeastChange::kLeastDamping : 1e-2 * damping_;
  for (; damping_ <= kLargestDamping; damping_ = std::max(kFirstDamping, 10 * damping_)) {
    evaluation_.set_position(t, q);
    if (!least_change_.factor(evaluation_.jacobian(), s.n_g, damping_)) return false;
    const Vector& scales = least_change_.row_scales();
    before_ = calc_merit(scales);
    least_change_.solve(right_side_, step_);
    limit_rotation(step_);
    const double forecast = calc_forecast(scales);
    // Below round-off of the position there is nothing to gain.
    if (!(metric_.largest(step_) > kRoundOff * std::max(metric_.length, largest_abs(q)))) break;
    evaluation_.system().retract(q, step_, trial_);
    evaluation_.set_position(t, trial_);
    merit_ = calc_merit(scales);
    if (!(merit_ < before_ - kAcceptable * (before_ - forecast))) continue;
    q = trial_;
    moved += step_;
    return true;
  }
  evaluation_.set_position(t, q);
  return false;
}

Closing PositionSolver::close(double t, Vector& q, Vector& moved, int max_iterations) {
  Closing closing;
  evaluation_.set_position(t, q);
  const dae::Structure& s = evaluation_.structure();
  const auto is_finite = [&] {
    return std::isfinite(evaluation_.constraint().sum()) &&
           std::isfinite(Vector::Map(evaluation_.jacobian(), s.jacobian.size()).sum());
  };
  if (!is_finite()) return {.closed = false, .finite = false, .iterations = 0};
  closing.closed = is_closed();
  if (closing.closed) return closing;
  damping_ = LeastChange::kLeastDamping;
  std::vector<double> factors;  // of the squared violation, one a step
  while (!closing.closed && closing.iterations < max_iterations) {
    ++closing.iterations;
    if (!attempt_step(t, q, moved)) return closing;
    if (!is_finite()) return {.closed = false, .finite = false, .iterations = closing.iterations};
    closing.closed = is_closed();
    factors.push_back(merit_ / before_);
    if (factors.size() < kPatience || closing.closed) continue;
    double product = 1;
    for (std::size_t k = factors.size() - kPatience; k < factors.size(); ++k) product *= factors[k];
    if (product > kWorthwhile) return closing;
  }
  // Convergence is quadratic: one more step reaches round-off.
  if (closing.closed) attempt_step(t, q, moved);
  return closing;
}

int PositionSolver::settle(double t, Vector& q, Vector& moved) {
  const dae::Structure& s = evaluation_.structure();
  const double noise = 1e-9 * std::max(metric_.length, largest_abs(q));
  Vector q_trial, moved_trial;
  for (int iteration = 0; iteration < kMaxSettlings; ++iteration) {
    const double way = metric_.norm(moved);
    if (way <= noise) return iteration;
    evaluation_.set_position(t, q);
    if (!least_change_.factor(evaluation_.jacobian(), s.n_g)) return iteration;
    right_side_.setZero();
    right_side_.head(s.n_g) = -evaluation_.constraint();
    Vector u(s.n_v());
    least_change_.solve(right_side_, -moved, u);
    limit_rotation(u);
    if (metric_.norm(u) <= kSettled * way) {
      attempt_step(t, q, moved);  // to round-off
      return iteration;
    }
    bool is_nearer = false;
    for (int halving = 0; !is_nearer && halving < 4; ++halving, u *= 0.5) {
      q_trial = q;
      moved_trial = moved + u;
      evaluation_.system().retract(q, u, q_trial);
      is_nearer = close(t, q_trial, moved_trial).closed && metric_.norm(moved_trial) < way * (1 - 1e-12);
    }
    if (!is_nearer) break;
    q = q_trial;
    moved = moved_trial;
  }
  attempt_step(t, q, moved);
  return kMaxSettlings;
}

}  // namespace trammel::analyses
