#pragma once

// Angles that count their turns.

#include <cmath>
#include <numbers>

namespace trammel::math {

inline constexpr double kTurn = 2 * std::numbers::pi;

/// The whole turns nearest to an angle [rad].
inline double whole_turns(double angle) { return kTurn * std::round(angle / kTurn); }

/// The angle with as many turns added or taken as bring it nearest to another one.
inline double nearest_turn(double angle, double near) { return angle + whole_turns(near - angle); }

}  // namespace trammel::math
