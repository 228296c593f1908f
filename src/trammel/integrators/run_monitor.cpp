#include "trammel/integrators/run_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/kinematics/redundancy.h"

namespace trammel::integrators {

using dae::State;
using linalg::largest_abs;

namespace {
// Steps in a row that are too small ever to reach the end within the step limit before a run is given up: near
// round-off smaller steps no longer mean smaller errors, and the run would go on for days.
constexpr int kMaxHopelessSteps = 100'000;
// A constraint that others should imply is open when its residual exceeds this many weights of the positions, or this
// share of the size of the mechanism.
constexpr double kOpenWeights = 1000, kOpenShare = 1e-2;
// A run is doubted when velocities violate their constraints by this times w^(2/3), w the largest weight: errors of a
// second-order method are a few times that. Bare hht on the pendulum: 3 to 5 where it is right, 33 to 53 where not.
constexpr double kDoubtfulDrift = 15;
// A run that should keep its energy is doubted when it changes by this many tolerances.
constexpr double kDoubtfulEnergy = 20;
}  // namespace

RunMonitor::RunMonitor(const MethodContext& context, Method& method, const Options& options, double t_end,
                       RunResult& result)
    : evaluation_(context.evaluation),
      norm_(context.norm),
      method_(method),
      options_(options),
      t_end_(t_end),
      result_(result),
      residual_(linalg::Vector::Zero(context.evaluation.structure().m())) {}

std::optional<RunEnd> RunMonitor::note_step(double h) {
  const State& state = method_.state();
  note_size(state, h);
  evaluation_.set_position(state.t, state.q);
  evaluation_.set_velocity(state.v);
  evaluation_.set_x(state.x);
  note_drift();
  if (std::optional<RunEnd> end = check_implied(state)) return end;
  if (evaluation_.structure().keeps_energy) energy_scale_ = std::max(energy_scale_, evaluation_.calc_kinetic_energy());
  return check_progress(state, h);
}

void RunMonitor::note_size(const State& state, double h) {
  Statistics& statistics = result_.statistics;
  const bool is_first = statistics.steps == 1;
  if (!is_first && !(state.t < t_end_)) return;  // cut to hit the end
  statistics.smallest_step = is_first ? h : std::min(statistics.smallest_step, h);
  statistics.largest_step = std::max(statistics.largest_step, h);
}

void RunMonitor::note_drift() {
  Drift& drift = result_.drift;
  drift.position = std::max(drift.position, largest_abs(evaluation_.constraint()));
  if (residual_.size() == 0) return;
  evaluation_.calc_velocity_residual(residual_);
  drift.velocity = std::max(drift.velocity, largest_abs(residual_));
}

/// Constraints that were left out must stay closed.
std::optional<RunEnd> RunMonitor::check_implied(const State& state) {
  const kinematics::OpenConstraint open = kinematics::find_open_implied(evaluation_);
  result_.drift.position = std::max(result_.drift.position, open.residual);
  const double size = 1 + largest_abs(state.q);
  const double limit = std::min(kOpenWeights * norm_.q_weights().maxCoeff(), kOpenShare * size);
  if (open.residual <= limit) return std::nullopt;
  return RunEnd::failed(
      FailureCause::kEquations,
      fmt::format("at t = {:.10g} {}", state.t, kinematics::describe_open_implied(evaluation_.structure(), open)));
}

/// Steps must lead to the end of the run.
std::optional<RunEnd> RunMonitor::check_progress(const State& state, double h) {
  const bool is_hopeless = h * static_cast<double>(options_.max_steps) < t_end_ - state.t;
  hopeless_steps_ = is_hopeless ? hopeless_steps_ + 1 : 0;
  if (hopeless_steps_ < kMaxHopelessSteps) return std::nullopt;
  return RunEnd::failed(
      FailureCause::kStepTooSmall,
      fmt::format("at t = {:g} steps of {:.3g} s would take more than {} to the end; the tolerance may be below what "
                  "round-off allows ({})",
                  state.t, h, options_.max_steps, method_.describe_trouble()));
}

void RunMonitor::add_doubts() {
  doubt_energy();
  doubt_drift();
}

/// Energy that should be kept and is not tells of errors that no step saw.
void RunMonitor::doubt_energy() {
  if (!evaluation_.structure().keeps_energy || !result_.initial_energy || !result_.final_energy) return;
  const double change = std::abs(*result_.final_energy - *result_.initial_energy);
  const double limit = kDoubtfulEnergy * std::max(options_.rtol * energy_scale_, options_.atol);
  if (options_.h_fixed > 0 || !(change > limit)) return;
  result_.notes.push_back(fmt::format(
      "the energy changed by {:.3g} J although nothing takes or gives energy ({:.2g} of the largest kinetic "
      "energy): the result is less accurate than it should be; use a smaller tolerance",
      change, change / energy_scale_));
}

/// A method that lets velocities leave their constraints may have left the solution, too.
void RunMonitor::doubt_drift() {
  const double drift = result_.drift.velocity;
  if (!(drift > kDoubtfulDrift * std::pow(norm_.v_weights().maxCoeff(), 2.0 / 3))) return;
  result_.notes.push_back(fmt::format(
      "the velocities violated their constraints by up to {:.3g}, far more than the tolerance: the result is "
      "doubtful; use a method or an option that projects them",
      drift));
}

}  // namespace trammel::integrators
