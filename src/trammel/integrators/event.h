#pragma once

// Switching functions whose roots are located along a run, and what is done there.

#include <functional>
#include <string>
#include <vector>

#include "trammel/dae/state.h"
#include "trammel/math/sign_changes.h"

namespace trammel::integrators {

enum class Crossing { kAny, kRising, kFalling };

enum class EventAction {
  kReport,   ///< note the time and go on
  kStop,     ///< end the run at the root
  kRestart,  ///< call `change` at the root and start the method anew from the state it leaves
};

struct Event {
  std::string name;
  /// The switching function; reads t, q, v, x and, if needs_accelerations, also a and lambda.
  std::function<double(const dae::State&)> function;
  Crossing crossing = Crossing::kAny;
  EventAction action = EventAction::kReport;
  /// Values of at most this size count as noise: a root is seen only between two larger values of opposite sign.
  double threshold = 0;
  /// Whether `function` reads a or lambda (each look then costs a solution of the equations of motion).
  bool needs_accelerations = false;
  /// The times in (from, to] at which the event happens, for an event that depends on time alone: steps then end right
  /// before them, and `function` is not looked at. Only for edges.
  std::function<std::vector<math::SignChange>(double from, double to)> instants;
  /// An edge of the equations and not of the user's making (with kRestart): the method starts anew there, but the event
  /// is not recorded, and edges that follow each other too closely are stepped over.
  bool is_edge = false;
  /// For kRestart: changes q, v or x in place. The state is projected on the constraints afterwards.
  std::function<void(dae::State&)> change;
  /// For kRestart, in place of `change`, of equations that have modes (friction sticks or slips): `function` is a
  /// margin, positive while the present modes hold; this chooses them anew, in x, and returns what happened, which is
  /// recorded in place of the name. Called at the start of a run, too, where nothing is recorded.
  std::function<std::vector<std::string>(dae::State&, bool is_start)> settle;
};

/// A root that was found.
struct EventRecord {
  std::string name;
  double t;
};

}  // namespace trammel::integrators
