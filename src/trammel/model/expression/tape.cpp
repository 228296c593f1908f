#include "trammel/model/expression/tape.h"

#include <fmt/format.h>

#include <algorithm>

namespace trammel::model::expression {
namespace {

/// The two operands by which an instruction can be differentiated. A condition has no influence in the small.
struct Operands {
  int first, second;
};

Operands differentiable_operands(const Instruction& instruction) {
  if (instruction.operation == Operation::kSelect) return {instruction.b, instruction.c};
  return {instruction.a, instruction.b};
}

/// What an adjoint adds to that of an operand: nothing when the operand does not move the result, even when the adjoint
/// is infinite or NaN.
double contribution(double adjoint, double partial) { return partial == 0.0 ? 0.0 : adjoint * partial; }

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::kTan: return "tan";
    case Operation::kAsin: return "asin";
    case Operation::kAcos: return "acos";
    case Operation::kSinh: return "sinh";
    case Operation::kCosh: return "cosh";
    case Operation::kExp: return "exp";
    case Operation::kLog: return "log";
    case Operation::kLog10: return "log10";
    case Operation::kSqrt: return "sqrt";
    case Operation::kHypot: return "hypot";
    case Operation::kAdd: return " + ";
    case Operation::kSubtract: return " - ";
    case Operation::kMultiply: return " * ";
    case Operation::kDivide: return " / ";
    default: return "^";
  }
}

}  // namespace

Fault find_fault(const Tape& tape, std::span<const double> results) {
  std::size_t at = tape.code.size() - 1;
  for (;;) {
    const Instruction& here = tape.code[at];
    if (here.operation == Operation::kInput) return {here.index, {}};
    const std::array<int, 3> from = operands(here);
    int cause = -1;
    for (int k = 0; k < operand_count(here.operation); ++k) {
      // Of the branches of an if() only the one that is taken counts.
      const bool is_passed_by = here.operation == Operation::kSelect && k > 0 && (results[here.a] != 0.0) != (k == 1);
      if (!is_passed_by && !std::isfinite(results[from[k]])) cause = from[k];
    }
    if (cause < 0) break;
    at = static_cast<std::size_t>(cause);
  }
  const Instruction& here = tape.code[at];
  const double a = results[here.a];
  const auto in_brackets = [](double x) { return x < 0 ? fmt::format("({:g})", x) : fmt::format("{:g}", x); };
  switch (here.operation) {
    case Operation::kCurve:
    case Operation::kCurveSlope:
    case Operation::kCurveBend: {
      const std::vector<double>& knots = tape.curves[here.index]->knots();
      const bool is_before = a < knots.front();
      return {-1, fmt::format("a curve {} at {:g}", is_before ? "before its begin" : "beyond its end",
                              is_before ? knots.front() : knots.back())};
    }
    case Operation::kSquare: return {-1, fmt::format("{}^2", in_brackets(a))};
    case Operation::kPowerOf:
      return {-1, fmt::format("{}^{}", in_brackets(a), in_brackets(tape.constants[here.index]))};
    case Operation::kHypot: return {-1, fmt::format("hypot({:g}, {:g})", a, results[here.b])};
    default: break;
  }
  if (operand_count(here.operation) == 1) return {-1, fmt::format("{}({:g})", name_of(here.operation), a)};
  return {-1, fmt::format("{}{}{}", in_brackets(a), name_of(here.operation), in_brackets(results[here.b]))};
}

NearestKnot find_nearest_knot(const math::Spline& curve, double x) {
  const std::vector<double>& knots = curve.knots();
  auto i = std::lower_bound(knots.begin(), knots.end(), x) - knots.begin();
  if (i == std::ssize(knots) || (i > 0 && x - knots[i - 1] < knots[i] - x)) --i;
  return {knots[i], i % 2 == 0 ? 1.0 : -1.0};
}

double eval_tape_gradient(const Tape& tape, std::span<const double> inputs, std::span<double> work,
                          std::span<double> gradient) {
  using Local = math::Dual<double, 2>;
  const std::size_t n = tape.code.size();
  const std::span<double> value = work.subspan(0, n), adjoint = work.subspan(n, n);
  const std::span<double> by_first = work.subspan(2 * n, n), by_second = work.subspan(3 * n, n);

  for (std::size_t i = 0; i < n; ++i) {
    const Instruction& next = tape.code[i];
    adjoint[i] = 0.0;
    switch (next.operation) {
      case Operation::kConstant: value[i] = tape.constants[next.index]; break;
      case Operation::kInput: value[i] = inputs[next.index]; break;
      default: {
        const Operands operands = differentiable_operands(next);
        const Local first = Local::variable(value[operands.first], 0);
        const Local second = Local::variable(value[operands.second], 1);
        const Local result = next.operation == Operation::kSelect
                                 ? calc_operation<Local>(next, tape, Local(value[next.a]), first, second)
                                 : calc_operation<Local>(next, tape, first, second, first);
        value[i] = result.value;
        by_first[i] = result.derivative[0];
        by_second[i] = result.derivative[1];
      }
    }
  }

  std::fill(gradient.begin(), gradient.end(), 0.0);
  adjoint[n - 1] = 1.0;
  for (std::size_t i = n; i-- > 0;) {
    const Instruction& next = tape.code[i];
    // Zero also for all that only the branch of an if() needs that is not taken, whatever its derivatives are.
    if (next.operation == Operation::kConstant || adjoint[i] == 0.0) continue;
    if (next.operation == Operation::kInput) {
      gradient[next.index] += adjoint[i];
    } else {
      const Operands operands = differentiable_operands(next);
      adjoint[operands.first] += contribution(adjoint[i], by_first[i]);
      adjoint[operands.second] += contribution(adjoint[i], by_second[i]);
    }
  }
  return value[n - 1];
}

}  // namespace trammel::model::expression
