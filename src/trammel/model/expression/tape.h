#pragma once

// The operations of a compiled expression. Everything is built from these few: a function such as impact() becomes
// several of them (functions.cpp), so that each derivative rule exists once, in math/dual.h.
//
// Result i of a tape is that of instruction i, whose operands come before it; the last is the value of the expression.

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/math/dual.h"
#include "trammel/math/spline.h"

namespace trammel::model::expression {

enum class Operation : std::uint8_t {
  // Leaves: `index` is a place among the constants or inputs.
  kConstant,
  kInput,
  // Of a.
  kNegate,
  kSquare,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kExp,
  kLog,
  kLog10,
  kSqrt,
  kAbs,
  kSign,  ///< -1, 0 or 1
  kFloor,
  kCeil,
  kRound,     ///< halves away from zero
  kTriangle,  ///< distance to the nearest integer n, with the sign of (-1)^n (a - n): zero at integers only, slope +-1
  kNot,
  kPowerOf,  ///< a to the power of the constant at `index`
  kCurve,    ///< the curve at `index`
  kCurveSlope,
  kCurveBend,
  kCurveKnots,  ///< distance to the nearest knot of the curve at `index`, its sign alternating from knot to knot
  // Of a and b.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kPower,
  kAtan2,
  kHypot,
  kMin,
  kMax,
  kLess,
  kLessEqual,
  kEqual,
  kNotEqual,
  kAnd,
  kOr,
  // Of a, b and c.
  kSelect,  ///< b if a is true, else c
};

struct Instruction {
  Operation operation = Operation::kConstant;
  int a = 0, b = 0, c = 0;  ///< the instructions whose results are taken; 0 where there is none
  int index = 0;
};

inline int operand_count(Operation operation) {
  if (operation <= Operation::kInput) return 0;
  if (operation <= Operation::kCurveKnots) return 1;
  return operation <= Operation::kOr ? 2 : 3;
}
inline std::array<int, 3> operands(const Instruction& i) { return {i.a, i.b, i.c}; }

struct Tape {
  std::vector<Instruction> code;
  std::vector<double> constants;
  std::vector<int> inputs;
  std::vector<std::shared_ptr<const math::Spline>> curves;
};

inline double calc_log10(double x) { return std::log10(x); }
template <class T, int N>
math::Dual<T, N> calc_log10(const math::Dual<T, N>& x) {
  return math::chain(T(calc_log10(x.value)), x, T(1 / (x.value * std::log(10.0))));
}

inline double calc_sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }

/// The truth of a comparison between numbers one of which may be NaN, which is passed on.
inline double calc_truth(bool holds, double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : holds ? 1.0 : 0.0;
}

/// One operand decides where it can, even when the other is NaN.
inline double calc_and(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : calc_truth(true, a, b); }
inline double calc_or(double a, double b) {
  const bool decided = (a != 0.0 && !std::isnan(a)) || (b != 0.0 && !std::isnan(b));
  return decided ? 1.0 : calc_truth(false, a, b);
}

template <class T>
T calc_triangle(const T& x) {
  const double n = std::round(math::value_of(x));
  const bool odd = std::fmod(n, 2.0) != 0.0;
  return odd ? T(n - x) : T(x - n);
}

/// The derivative of a curve of order 0, 1 or 2; NaN where the curve refuses to extrapolate.
template <class T>
T calc_curve(const math::Spline& curve, int order, const T& x) {
  const double at = math::value_of(x);
  if (std::isnan(at) || !curve.covers(at)) {
    return T(std::numeric_limits<double>::quiet_NaN());
  }
  return order == 0 ? curve.calc_value(x) : order == 1 ? curve.calc_derivative(x) : curve.calc_second_derivative(x);
}

/// The nearest knot of a curve and the sign with which the distance from it counts.
struct NearestKnot {
  double knot;
  double sign;
};
NearestKnot find_nearest_knot(const math::Spline& curve, double x);

/// The result of an instruction other than a leaf for the values of its operands.
template <class T>
T calc_operation(const Instruction& instruction, const Tape& tape, const T& a, const T& b, const T& c) {
  using math::exp, math::log, math::sqrt, math::abs, math::pow, math::atan2, math::hypot;
  using math::sin, math::cos, math::tan, math::asin, math::acos, math::atan, math::sinh, math::cosh, math::tanh;
  using math::value_of;
  const auto curve = [&]() -> const math::Spline& { return *tape.curves[instruction.index]; };
  switch (instruction.operation) {
    case Operation::kConstant:
    case Operation::kInput: break;
    case Operation::kNegate: return -a;
    case Operation::kSquare: return a * a;
    case Operation::kSin: return sin(a);
    case Operation::kCos: return cos(a);
    case Operation::kTan: return tan(a);
    case Operation::kAsin: return asin(a);
    case Operation::kAcos: return acos(a);
    case Operation::kAtan: return atan(a);
    case Operation::kSinh: return sinh(a);
    case Operation::kCosh: return cosh(a);
    case Operation::kTanh: return tanh(a);
    case Operation::kExp: return exp(a);
    case Operation::kLog: return log(a);
    case Operation::kLog10: return calc_log10(a);
    case Operation::kSqrt: return sqrt(a);
    case Operation::kAbs: return abs(a);
    case Operation::kSign: return T(calc_sign(value_of(a)));
    case Operation::kFloor: return T(std::floor(value_of(a)));
    case Operation::kCeil: return T(std::ceil(value_of(a)));
    case Operation::kRound: return T(std::round(value_of(a)));
    case Operation::kTriangle: return calc_triangle(a);
    case Operation::kNot: return T(calc_truth(value_of(a) == 0.0, value_of(a), 0.0));
    case Operation::kPowerOf: return pow(a, tape.constants[instruction.index]);
    case Operation::kCurve: return calc_curve(curve(), 0, a);
    case Operation::kCurveSlope: return calc_curve(curve(), 1, a);
    case Operation::kCurveBend: return calc_curve(curve(), 2, a);
    case Operation::kCurveKnots: {
      const NearestKnot nearest = find_nearest_knot(curve(), value_of(a));
      return (a - nearest.knot) * nearest.sign;
    }
    case Operation::kAdd: return a + b;
    case Operation::kSubtract: return a - b;
    case Operation::kMultiply: return a * b;
    case Operation::kDivide: return a / b;
    case Operation::kPower: return pow(a, b);
    case Operation::kAtan2: return atan2(a, b);
    case Operation::kHypot: return hypot(a, b);
    case Operation::kMin: return b < a || std::isnan(value_of(b)) ? b : a;
    case Operation::kMax: return a < b || std::isnan(value_of(b)) ? b : a;
    case Operation::kLess: return T(calc_truth(a < b, value_of(a), value_of(b)));
    case Operation::kLessEqual: return T(calc_truth(a <= b, value_of(a), value_of(b)));
    case Operation::kEqual: return T(calc_truth(a == b, value_of(a), value_of(b)));
    case Operation::kNotEqual: return T(calc_truth(a != b, value_of(a), value_of(b)));
    case Operation::kAnd: return T(calc_and(value_of(a), value_of(b)));
    case Operation::kOr: return T(calc_or(value_of(a), value_of(b)));
    case Operation::kSelect: return std::isnan(value_of(a)) ? T(value_of(a)) : value_of(a) != 0.0 ? b : c;
  }
  return T(std::numeric_limits<double>::quiet_NaN());
}

/// The value of a tape that is not empty; `work` has room for one number per instruction.
template <class T>
T eval_tape(const Tape& tape, std::span<const T> inputs, std::span<T> work) {
  for (std::size_t i = 0; i < tape.code.size(); ++i) {
    const Instruction& next = tape.code[i];
    switch (next.operation) {
      case Operation::kConstant: work[i] = T(tape.constants[next.index]); break;
      case Operation::kInput: work[i] = inputs[next.index]; break;
      default: work[i] = calc_operation<T>(next, tape, work[next.a], work[next.b], work[next.c]);
    }
  }
  return work[tape.code.size() - 1];
}

/// Where a value that is not a finite number comes from.
struct Fault {
  int input = -1;    ///< place of the input that is none, or
  std::string text;  ///< the operation that makes one of finite numbers: "sqrt(-0.25)"
};
/// Of the last result, which is not finite; `results` are those that eval_tape() left.
Fault find_fault(const Tape& tape, std::span<const double> results);

/// Numbers of working memory per instruction for the gradient: value, partial derivatives by a pair of operands,
/// adjoint.
inline constexpr int kGradientNumbers = 4;

/// The value of a tape that is not empty and its derivatives by the inputs, by one sweep forwards and one backwards.
double eval_tape_gradient(const Tape& tape, std::span<const double> inputs, std::span<double> work,
                          std::span<double> gradient);

}  // namespace trammel::model::expression
