#include "trammel/analyses/friction_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/linalg/rank.h"

namespace trammel::analyses {

using dae::State;
using system::FrictionMode;

namespace {

// Slower than this [m/s, rad/s] is at rest. Roots of slip velocities are located to 1e-13 of a step.
constexpr double kRest = 1e-9;
// What others hold may seem to move at most this fast [m/s, rad/s]: methods that do not project velocities leave errors
// of the tolerance in them. What is held and accelerates by more than the second number [m/s^2, rad/s^2] does move: a
// motion drives it.
constexpr double kHeldRest = 1e-6, kHeldAcceleration = 1e-6;
// How far above its limit an element must be to be let go, as a share; one whose limit was located may be this much
// below. Multipliers are solved for to 1e-12 and better.
constexpr double kAbove = 1e-9, kLocated = 1e-6;
// A lock whose row is closer than this to the span of the others is left open. Where a joint of a moving loop turns
// back, its row depends on the others up to the error of the root, and a lock would stop the whole loop: at 10 rad/s
// this allows slip velocities of 1e-3, far more than roots leave. At rest others hold such a joint.
constexpr linalg::RankOptions kLockRank{.tolerance = 1e-4};
// Multipliers below this share of the largest are round-off.
constexpr double kRoundOff = 1e-11;

}  // namespace

FrictionModes::FrictionModes(std::shared_ptr<const system::Mechanism> mechanism)
    : mechanism_(std::move(mechanism)),
      probe_(*mechanism_),
      evaluation_(*mechanism_),
      accelerations_(evaluation_),
      projector_(evaluation_, accelerations_),
      elements_(static_cast<std::size_t>(frictions().count())),
      last_t_(std::numeric_limits<double>::quiet_NaN()) {}

double FrictionModes::calc_limit(int element) const {
  return frictions().data(element).static_mu * probe_.calc_friction_load(element);
}

double FrictionModes::calc_margin(const State& state, int element) {
  if (is_free(element)) return 1;
  probe_.set(state);
  const FrictionMode mode = probe_.friction_mode(element);
  if (system::is_slipping(mode)) return system::direction_of(mode) * probe_.calc_friction_rate(element);
  if (mode != FrictionMode::kStuck) return kHeldRest - std::abs(probe_.calc_friction_rate(element));
  const double limit = calc_limit(element), held = std::abs(state.lambda[frictions().lock_row(element)]);
  const double noise = kRoundOff * linalg::largest_abs(state.lambda) + std::numeric_limits<double>::min();
  return (limit - held + noise) / (limit + held + noise);
}

double FrictionModes::calc_edge(const State& state, int element, int edge) {
  probe_.set(state);
  return system::is_slipping(probe_.friction_mode(element)) ? probe_.calc_friction_edge(element, edge) : 1.0;
}

/// Several elements may change at one time, one call each: what is known of the earlier ones still holds.
void FrictionModes::note_cause(const State& state, int element) {
  if (state.t != last_t_) {
    for (Element& e : elements_) e.breaks = e.stops = false;
    last_t_ = state.t;
  }
  if (element < 0) return;
  Element& e = elements_[static_cast<std::size_t>(element)];
  const FrictionMode mode = system::to_friction_mode(state.x[frictions().mode_state(element)]);
  e.breaks = e.breaks || mode == FrictionMode::kStuck;
  e.stops = e.stops || (system::is_slipping(mode) && !e.breaks);
}

void FrictionModes::begin_trials(const State& state, bool is_start) {
  probe_.set(state);
  for (int k = 0; k < frictions().count(); ++k) {
    Element& e = elements_[static_cast<std::size_t>(k)];
    const FrictionMode mode = probe_.friction_mode(k);
    const double rate = probe_.calc_friction_rate(k);
    const bool may_move = !e.stops && !e.breaks && mode != FrictionMode::kStuck;
    const double rest = is_start || system::is_slipping(mode) ? kRest : kHeldRest;
    const bool moves = is_free(k) || (may_move && std::abs(rate) > rest);
    e.trial = moves ? Trial::kMoves : Trial::kLocked;
    e.direction = is_free(k) ? 1 : moves ? (rate > 0 ? 1 : -1) : 0;
    e.is_open = e.was_tried = e.was_turned = false;
  }
}

/// Where one element stops, the constraints may stop others with it, as in a loop with one degree of freedom: they are
/// at rest, too, although round-off keeps their own roots apart. Velocities then are exactly those of rest.
void FrictionModes::find_rest(State& state) {
  const auto is_locked = [](const Element& e) { return e.trial == Trial::kLocked; };
  for (int k = 0; k < frictions().count() && std::any_of(elements_.begin(), elements_.end(), is_locked); ++k) {
    State still = state;
    set_trial_modes(still);
    evaluation_.set(still);
    if (accelerations_.factor_position() != kkt::AccelerationStatus::kSolved) return;
    projector_.project_velocity(still.v);
    if (!(linalg::largest_abs(still.v - state.v) <= kHeldRest)) return;
    state.v = still.v;
    if (!lock_those_at_rest(state)) return;
  }
}

/// True when some of those that seemed to move do not.
bool FrictionModes::lock_those_at_rest(const State& state) {
  probe_.set(state);
  bool found = false;
  for (int k = 0; k < frictions().count(); ++k) {
    Element& e = elements_[static_cast<std::size_t>(k)];
    if (e.trial != Trial::kMoves || is_free(k) || std::abs(probe_.calc_friction_rate(k)) > kRest) continue;
    e.trial = Trial::kLocked;
    e.direction = 0;
    found = true;
  }
  return found;
}

/// The modes of the trial; locks that earlier rows imply are left open.
void FrictionModes::set_trial_modes(State& state) {
  for (int k = 0; k < frictions().count(); ++k) {
    Element& e = elements_[static_cast<std::size_t>(k)];
    state.x[frictions().mode_state(k)] = e.trial == Trial::kLocked ? 0 : e.direction;
    e.is_open = false;
  }
  evaluation_.set(state);
  const linalg::RankReport rank =
      linalg::find_dependent_rows(evaluation_.structure().jacobian, evaluation_.jacobian(), kLockRank);
  for (const linalg::DependentRow& row : rank.dependent) {
    for (int k = 0; k < frictions().count(); ++k) {
      Element& e = elements_[static_cast<std::size_t>(k)];
      if (frictions().lock_row(k) != row.row || e.trial != Trial::kLocked) continue;
      e.is_open = true;
      state.x[frictions().mode_state(k)] = static_cast<double>(FrictionMode::kIdle);
    }
  }
}

/// a and lambda in the modes of the trial.
bool FrictionModes::solve(State& state) {
  set_trial_modes(state);
  evaluation_.set(state);
  if (accelerations_.factor_position() != kkt::AccelerationStatus::kSolved) return false;
  if (accelerations_.solve(state) != kkt::AccelerationStatus::kSolved) return false;
  state.a = evaluation_.point().a;
  state.lambda = evaluation_.point().lambda;
  probe_.set(state);
  return true;
}

/// The locked element that is farthest above its limit; false when all are below.
bool FrictionModes::let_one_go(const State& state) {
  const double noise = kRoundOff * linalg::largest_abs(state.lambda);
  Element* worst = nullptr;
  double largest = 0, multiplier = 0;
  for (int k = 0; k < frictions().count(); ++k) {
    Element& e = elements_[static_cast<std::size_t>(k)];
    if (e.trial != Trial::kLocked || e.is_open) continue;
    const double limit = calc_limit(k), held = state.lambda[frictions().lock_row(k)];
    const double size = limit + std::abs(held);
    const double excess = std::abs(held) - limit + (e.breaks ? kLocated : -kAbove) * size - noise;
    if (!(excess > largest * size)) continue;
    worst = &e;
    largest = excess / size;
    multiplier = held;
  }
  if (worst == nullptr) return false;
  worst->trial = Trial::kLetGo;
  worst->direction = multiplier > 0 ? 1 : -1;  // the lock exerts -multiplier, against the load
  return true;
}

/// An element that was let go and would move against the direction of its friction can be held after all; if it cannot,
/// others take it along that way.
bool FrictionModes::lock_or_turn_one() {
  for (int k = 0; k < frictions().count(); ++k) {
    Element& e = elements_[static_cast<std::size_t>(k)];
    if (e.trial != Trial::kLetGo || e.was_turned) continue;
    const double against = -e.direction * probe_.calc_friction_acceleration(k);
    if (!(against > kHeldAcceleration)) continue;
    if (e.was_tried || e.breaks) {
      e.direction = -e.direction;
      e.was_turned = true;
    } else {
      e.trial = Trial::kLocked;
      e.was_tried = true;
    }
    return true;
  }
  return false;
}

/// Whether the locks that the state switches on depend on each other or on other rows.
bool FrictionModes::has_dependent_lock(const State& state) {
  evaluation_.set(state);
  const linalg::RankReport rank =
      linalg::find_dependent_rows(evaluation_.structure().jacobian, evaluation_.jacobian(), kLockRank);
  const std::vector<int>& locks = evaluation_.structure().switchable_rows;
  return std::any_of(rank.dependent.begin(), rank.dependent.end(), [&](const linalg::DependentRow& row) {
    return !row.terms.empty() && std::binary_search(locks.begin(), locks.end(), row.row);
  });
}

void FrictionModes::set_modes(State& state, const State& before) {
  State scratch = state;
  for (int k = 0; k < frictions().count(); ++k) {
    const Element& e = elements_[static_cast<std::size_t>(k)];
    double& mode = state.x[frictions().mode_state(k)];
    if (e.trial == Trial::kMoves) continue;
    if (e.trial == Trial::kLocked && !e.is_open) {
      const bool was_stuck = system::to_friction_mode(before.x[frictions().mode_state(k)]) == FrictionMode::kStuck;
      if (!was_stuck) state.x[frictions().anchor_state(k)] = probe_.calc_friction_coordinate(k);
      continue;
    }
    const double acceleration = probe_.calc_friction_acceleration(k);
    scratch.x[frictions().mode_state(k)] = 0;
    const bool is_held = has_dependent_lock(scratch);
    scratch.x[frictions().mode_state(k)] = state.x[frictions().mode_state(k)];
    if (is_held && std::abs(acceleration) > kHeldAcceleration) {
      mode = acceleration > 0 ? 1 : -1;  // driven by a motion
    } else if (is_held && e.trial == Trial::kLetGo) {
      mode = static_cast<double>(e.direction > 0 ? FrictionMode::kHeld : FrictionMode::kHeldBack);
    }
  }
}

std::vector<std::string> FrictionModes::settle(State& state, int element) {
  note_cause(state, element);
  State trial = state;
  begin_trials(state, element < 0);
  find_rest(trial);
  // Each element is let go at most twice, locked again at most once and turned at most once.
  for (int k = 0; k <= 4 * frictions().count() && solve(trial); ++k) {
    if (!let_one_go(trial) && !lock_or_turn_one()) break;
  }
  set_modes(trial, state);
  std::vector<std::string> happened;
  for (int k = 0; k < frictions().count(); ++k) {
    const auto slips = [&](const State& s) {
      const FrictionMode mode = system::to_friction_mode(s.x[frictions().mode_state(k)]);
      return system::is_slipping(mode) ? system::direction_of(mode) : 0;
    };
    const int before = slips(state), after = slips(trial);
    if (before == after) continue;
    happened.push_back(frictions().name(k) + (after == 0 ? " sticks" : before == 0 ? " slips" : " reverses"));
  }
  state.x = trial.x;
  state.v = trial.v;
  return happened;
}

}  // namespace trammel::analyses
