#pragma once

// Expressions in model files: "step(t, 0, 0, 1, 5) * 30 deg", "-k*(hinge.angle - 0.1) - c*hinge.rate".
//
// clang-format off
//   numbers      1, .5, 1e-3; the constants pi and e, unless the scope has such names
//   operators    or ||, and &&, not !, < <= > >= == !=, + -, * /, unary -, ^ or ** (to the right: 2^3^2 = 512), and
//                behind a number, name, call or parenthesis the units deg (pi/180) and rad (1); from loose to tight
//   truth        comparisons give 1 or 0, and every number but 0 is true
//   names        letters, digits and underscores, joined by dots: hinge.angle. A hyphen is a minus, so names with
//                hyphens are quoted by ' or `: 'upper-arm'.angle; among the arguments of a measure no quotes are needed
//   calls        of functions() and of the measures of the scope: dx(wheel.hub, ground.origin)
// clang-format on
//
// Equal parts are computed once, constant parts at compile time. A constant part that has no finite value is an error,
// unless it stands in a branch of if(), and, or that is never taken.

#include <string>

#include "trammel/model/expression/expression_error.h"
#include "trammel/model/expression/functions.h"
#include "trammel/model/expression/program.h"
#include "trammel/model/expression/scope.h"

namespace trammel::model::expression {

inline constexpr int kLongestText = 20000;   ///< bytes of an expression
inline constexpr int kDeepestNesting = 200;  ///< parentheses, calls and signs within each other
inline constexpr int kMostSwitches = 1000;   ///< of one expression
inline constexpr int kMostArguments = 100;   ///< of a function that takes any number

/// Throws ExpressionError.
Program compile(const std::string& text, Scope& scope);

/// The value of arithmetic among constants; throws ExpressionError, also when the value depends on a signal.
double evaluate(const std::string& text, Scope& scope);

}  // namespace trammel::model::expression
