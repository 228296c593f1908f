#pragma once

// Which joints with dry friction stick and which slip, at a moment at which that may change.
//
// An element that moves slips in the direction in which it does. Those at rest stick as long as what holds them stays
// below the static limit. It is found by trial: all are locked, the one farthest above its limit is let go in the
// direction of its load, and so on until all limits are kept. Locks that others imply (several joints of one loop) are
// left open: such an element is idle, or, once it had to be let go, bears its sliding friction while others hold it.
// Theory: docs/theory/friction.md, section 3.

#include <memory>
#include <string>
#include <vector>

#include "trammel/dae/evaluation.h"
#include "trammel/kinematics/projection.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/system/probe.h"

namespace trammel::analyses {

class FrictionModes {
 public:
  /// The mechanism has dry friction.
  explicit FrictionModes(std::shared_ptr<const system::Mechanism> mechanism);

  /// Positive while the mode of an element holds: its slip velocity, what is left of its limit as a share, or how much
  /// of a motion is still taken for rest. The state needs lambda.
  double calc_margin(const dae::State& state, int element);
  /// A component of a load at whose zero the equations have an edge [N, N m]; 1 while it does not count.
  double calc_edge(const dae::State& state, int element, int edge);

  /// Chooses the modes anew when the margin of an element was found to vanish, or at the start of a run (-1). Changes
  /// modes and anchors in x and, by round-off, what has come to rest in v, and returns what happened: "brake sticks".
  std::vector<std::string> settle(dae::State& state, int element);

 private:
  enum class Trial { kMoves, kLocked, kLetGo };
  struct Element {
    Trial trial = Trial::kMoves;
    int direction = 0;        // in which it slips or is let go
    bool breaks = false;      // its limit was found to be reached
    bool stops = false;       // its slip velocity was found to vanish
    bool is_open = false;     // locked, but others imply the lock
    bool was_tried = false;   // locked again after it was let go
    bool was_turned = false;  // let go in the other direction than that of its load
  };

  const system::DryFrictions& frictions() const { return mechanism_->forces().frictions(); }
  /// Without friction nothing sticks, and the direction does not matter.
  bool is_free(int element) const { return frictions().data(element).static_mu == 0; }
  void note_cause(const dae::State& state, int element);
  void begin_trials(const dae::State& state, bool is_start);
  void find_rest(dae::State& state);
  bool lock_those_at_rest(const dae::State& state);
  bool solve(dae::State& state);
  void set_trial_modes(dae::State& state);
  bool has_dependent_lock(const dae::State& state);
  bool let_one_go(const dae::State& state);
  bool lock_or_turn_one();
  void set_modes(dae::State& state, const dae::State& before);
  double calc_limit(int element) const;

  std::shared_ptr<const system::Mechanism> mechanism_;
  system::Probe probe_;
  dae::Evaluation evaluation_;
  kkt::AccelerationSolver accelerations_;
  kinematics::Projector projector_;
  std::vector<Element> elements_;
  double last_t_ = 0;
};

}  // namespace trammel::analyses
