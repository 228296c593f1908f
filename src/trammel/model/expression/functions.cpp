#include "trammel/model/expression/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numbers>

#include "trammel/model/expression/definition.h"
#include "trammel/model/expression/expression.h"

namespace trammel::model::expression {
namespace {

template <Operation kOperation>
Term unary(Call& call) {
  return call[0].apply(kOperation);
}

template <Operation kOperation>
Term binary(Call& call) {
  return call[0].apply(kOperation, call[1]);
}

Term make_abs(Call& call) {
  call.add_edge(call[0], "x = 0", 1);
  return call[0].apply(Operation::kAbs);
}

Term make_sign(Call& call) {
  call.add_edge(call[0], "x = 0", 0);
  return call[0].apply(Operation::kSign);
}

/// floor and ceil.
template <Operation kOperation>
Term whole(Call& call) {
  call.add_edge(call[0].apply(Operation::kTriangle), "an integer", 0);
  return call[0].apply(kOperation);
}

Term make_round(Call& call) {
  call.add_edge((call[0] - 0.5).apply(Operation::kTriangle), "a half", 0);
  return call[0].apply(Operation::kRound);
}

Term make_mod(Call& call) {
  const Term turns = call[0] / call[1];
  call.add_edge(turns.apply(Operation::kTriangle), "a multiple of y", 0);
  return call[0] - call[1] * turns.apply(Operation::kFloor);
}

/// min and max of two or more.
template <Operation kOperation>
Term extreme(Call& call) {
  Term result = call[0];
  for (int i = 1; i < call.size(); ++i) {
    call.add_edge(result - call[i], "equal arguments", 1);
    result = result.apply(kOperation, call[i]);
  }
  return result;
}

Term clamp_to_unit(Term s) { return min(max(s, s.number(0.0)), s.number(1.0)); }

Term cubic_ramp(Term s) { return s * s * (3.0 - 2.0 * s); }

/// The way from (x0, h0) to (x1, h1): h0 + (h1 - h0) ramp(s), where s goes from 0 to 1. `order` is the first derivative
/// of the ramp that jumps at its ends.
Term blend(Call& call, Term (*ramp)(Term), int order) {
  const Term x = call[0], x0 = call[1], h0 = call[2], x1 = call[3], h1 = call[4];
  call.require_different(3, 1, "x1", "x0");
  call.add_edge(x - x0, "x = x0", order);
  call.add_edge(x - x1, "x = x1", order);
  return h0 + (h1 - h0) * ramp(clamp_to_unit((x - x0) / (x1 - x0)));
}

Term make_step(Call& call) { return blend(call, cubic_ramp, 2); }

Term make_step5(Call& call) {
  return blend(
      call, [](Term s) { return s * s * s * (10.0 + s * (-15.0 + 6.0 * s)); }, 3);
}

Term make_haversine(Call& call) {
  return blend(
      call, [](Term s) { return 0.5 * (1.0 - (std::numbers::pi * s).apply(Operation::kCos)); }, 2);
}

Term make_smooth_abs(Call& call) {
  call.require_positive(1, "width");
  return hypot(call[0], call[1]);
}

Term make_smooth_sign(Call& call) {
  call.require_positive(1, "width");
  return (call[0] / call[1]).apply(Operation::kTanh);
}

/// min(a, b) = (a + b - |a - b|) / 2 and max(a, b) = (a + b + |a - b|) / 2, with smooth_abs for the absolute value.
Term make_smooth_min(Call& call) {
  call.require_positive(2, "width");
  return 0.5 * (call[0] + call[1] - hypot(call[0] - call[1], call[2]));
}

Term make_smooth_max(Call& call) {
  call.require_positive(2, "width");
  return 0.5 * (call[0] + call[1] + hypot(call[0] - call[1], call[2]));
}

Term make_deadband(Call& call) {
  const Term x = call[0], width = call[1];
  call.add_edge(x - width, "x = width", 1);
  call.add_edge(x + width, "x = -width", 1);
  return x - min(max(x, -width), width);
}

/// What a one-sided stop is made of: stiffness k, exponent e, damping c that is complete at the depth d.
struct Stop {
  Term k, e, c, d;
};

/// The force max(0, k p^e - c rate ramp(p/d)) that opens a stop again, p = max(0, depth), for a rate at which it opens.
/// The force ends at depth 0, or before when the damper would pull.
Term push_back(Call& call, Term depth, Term rate, const Stop& stop, const std::string& place) {
  const Term zero = depth.number(0.0);
  const Term p = max(zero, depth);
  const Term force = stop.k * pow(p, stop.e) - stop.c * rate * cubic_ramp(clamp_to_unit(p / stop.d));
  if (stop.c.node != zero.node) {
    // Outside, where this force is zero throughout, the depth carries the sign on.
    Graph& graph = call.graph();
    const int inside = graph.add(Operation::kLess, zero.node, depth.node);
    call.add_edge({&graph, graph.add(Operation::kSelect, inside, force.node, depth.node)}, "zero force near " + place,
                  1);
  }
  return max(zero, force);
}

Term make_impact(Call& call) {
  call.require_positive(4, "e");
  call.require_positive(6, "d");
  const Term x = call[0], rate = call[1], x1 = call[2];
  call.add_edge(x - x1, "x = x1", 1);
  return push_back(call, x1 - x, rate, {call[3], call[4], call[5], call[6]}, "x1");
}

Term make_bistop(Call& call) {
  call.require_positive(5, "e");
  call.require_positive(7, "d");
  const Term x = call[0], rate = call[1], x1 = call[2], x2 = call[3];
  const Stop stop{call[4], call[5], call[6], call[7]};
  call.add_edge(x - x1, "x = x1", 1);
  call.add_edge(x - x2, "x = x2", 1);
  return push_back(call, x1 - x, rate, stop, "x1") - push_back(call, x - x2, -rate, stop, "x2");
}

Term make_if(Call& call) {
  Graph& graph = call.graph();
  return {&graph, graph.add(Operation::kSelect, call[0].node, call[1].node, call[2].node)};
}

/// Where a derivative of a curve has a jump or a corner; smoother joints are no edges.
void add_curve_edges(Call& call, const math::Spline& curve, int order) {
  Graph& graph = call.graph();
  const Term x = call[0];
  const int first_jump = curve.continuous_derivatives() + 1 - order;
  if (first_jump == 0 || first_jump == 1) {
    call.add_edge({&graph, graph.add_curve(Operation::kCurveKnots, curve, x.node)}, "a knot", first_jump);
  } else if (first_jump > 1 && curve.extrapolation() == math::Extrapolation::kClamp) {
    call.add_edge(x - curve.knots().front(), "the first knot", order == 0 ? 1 : 0);
    call.add_edge(x - curve.knots().back(), "the last knot", order == 0 ? 1 : 0);
  }
}

Term make_spline(Call& call) {
  const math::Spline& curve = call.curve();
  Graph& graph = call.graph();
  const Term x = call[0];
  int order = 0;
  if (call.size() > 1) {
    const int node = call[1].node;
    if (graph.is_fault(node)) return call[1];
    const double wanted = graph.is_constant(node) ? graph.value(node) : -1.0;
    if (wanted != 0.0 && wanted != 1.0 && wanted != 2.0) {
      call.refuse(1, "the order of the derivative must be 0, 1 or 2");
      return x;
    }
    order = static_cast<int>(wanted);
  }
  add_curve_edges(call, curve, order);
  const Operation operation = order == 0   ? Operation::kCurve
                              : order == 1 ? Operation::kCurveSlope
                                           : Operation::kCurveBend;
  return {&graph, graph.add_curve(operation, curve, x.node)};
}

Term make_poly(Call& call) {
  const Term s = call[0] - call[1];
  Term sum = call[call.size() - 1];
  for (int i = call.size() - 2; i >= 2; --i) sum = call[i] + s * sum;
  return sum;
}

constexpr Definition kDefinitions[] = {
    {{"sin", "sin(x)", 1, 1, "sine of an angle in rad"}, unary<Operation::kSin>},
    {{"cos", "cos(x)", 1, 1, "cosine of an angle in rad"}, unary<Operation::kCos>},
    {{"tan", "tan(x)", 1, 1, "tangent of an angle in rad"}, unary<Operation::kTan>},
    {{"asin", "asin(x)", 1, 1, "angle from -pi/2 to pi/2 whose sine is x"}, unary<Operation::kAsin>},
    {{"acos", "acos(x)", 1, 1, "angle from 0 to pi whose cosine is x"}, unary<Operation::kAcos>},
    {{"atan", "atan(x)", 1, 1, "angle between -pi/2 and pi/2 whose tangent is x"}, unary<Operation::kAtan>},
    {{"atan2", "atan2(y, x)", 2, 2, "angle from -pi to pi of the direction (x, y)"}, binary<Operation::kAtan2>},
    {{"sinh", "sinh(x)", 1, 1, "hyperbolic sine"}, unary<Operation::kSinh>},
    {{"cosh", "cosh(x)", 1, 1, "hyperbolic cosine"}, unary<Operation::kCosh>},
    {{"tanh", "tanh(x)", 1, 1, "hyperbolic tangent"}, unary<Operation::kTanh>},
    {{"exp", "exp(x)", 1, 1, "e^x"}, unary<Operation::kExp>},
    {{"log", "log(x)", 1, 1, "natural logarithm"}, unary<Operation::kLog>},
    {{"log10", "log10(x)", 1, 1, "logarithm to the base 10"}, unary<Operation::kLog10>},
    {{"sqrt", "sqrt(x)", 1, 1, "square root"}, unary<Operation::kSqrt>},
    {{"pow", "pow(x, y)", 2, 2, "x^y"}, binary<Operation::kPower>},
    {{"hypot", "hypot(x, y)", 2, 2, "sqrt(x^2 + y^2)"}, binary<Operation::kHypot>},
    {{"abs", "abs(x)", 1, 1, "absolute value"}, make_abs},
    {{"sign", "sign(x)", 1, 1, "-1, 0 or 1"}, make_sign},
    {{"min", "min(a, b, ...)", 2, kMostArguments, "the smallest argument"}, extreme<Operation::kMin>},
    {{"max", "max(a, b, ...)", 2, kMostArguments, "the largest argument"}, extreme<Operation::kMax>},
    {{"mod", "mod(x, y)", 2, 2, "x - y floor(x/y): from 0 to y, also for negative x"}, make_mod},
    {{"floor", "floor(x)", 1, 1, "the next integer below"}, whole<Operation::kFloor>},
    {{"ceil", "ceil(x)", 1, 1, "the next integer above"}, whole<Operation::kCeil>},
    {{"round", "round(x)", 1, 1, "the nearest integer; halves away from zero"}, make_round},
    {{"if", "if(condition, a, b)", 3, 3, "a where the condition holds, else b"}, make_if},
    {{"step", "step(x, x0, h0, x1, h1)", 5, 5, "from h0 at x0 to h1 at x1 by a cubic, constant outside"}, make_step},
    {{"step5", "step5(x, x0, h0, x1, h1)", 5, 5, "like step, by a quintic with continuous curvature"}, make_step5},
    {{"haversine", "haversine(x, x0, h0, x1, h1)", 5, 5, "like step, by half a wave of a cosine"}, make_haversine},
    {{"smooth_abs", "smooth_abs(x, width)", 2, 2, "sqrt(x^2 + width^2)"}, make_smooth_abs},
    {{"smooth_sign", "smooth_sign(x, width)", 2, 2, "tanh(x/width)"}, make_smooth_sign},
    {{"smooth_min", "smooth_min(a, b, width)", 3, 3, "(a + b - smooth_abs(a - b, width))/2"}, make_smooth_min},
    {{"smooth_max", "smooth_max(a, b, width)", 3, 3, "(a + b + smooth_abs(a - b, width))/2"}, make_smooth_max},
    {{"deadband", "deadband(x, width)", 2, 2, "0 from -width to width, outside x shifted towards 0 by width"},
     make_deadband},
    {{"impact", "impact(x, xdot, x1, k, e, cmax, d)", 7, 7,
      "stop at x1: where x < x1, max(0, k (x1 - x)^e - cmax xdot step(x, x1 - d, 1, x1, 0))"},
     make_impact},
    {{"bistop", "bistop(x, xdot, x1, x2, k, e, cmax, d)", 8, 8,
      "stops at x1 and x2: impact from both sides, the force at x2 being negative"},
     make_bistop},
    {{"spline", "spline(curve, x, order)", 2, 3, "value of a curve at x, or its derivative of order 1 or 2"},
     make_spline,
     true},
    {{"poly", "poly(x, x0, a0, a1, ...)", 3, kMostArguments, "a0 + a1 (x - x0) + a2 (x - x0)^2 + ..."}, make_poly},
};

constexpr auto kFunctions = [] {
  std::array<Function, std::size(kDefinitions)> functions{};
  std::transform(std::begin(kDefinitions), std::end(kDefinitions), functions.begin(),
                 [](const Definition& definition) { return definition.function; });
  return functions;
}();

}  // namespace

std::span<const Function> functions() { return kFunctions; }

const Definition* find_definition(const std::string& name) {
  const auto* const found = std::find_if(std::begin(kDefinitions), std::end(kDefinitions),
                                         [&](const Definition& d) { return d.function.name == name; });
  return found == std::end(kDefinitions) ? nullptr : found;
}

bool Call::is_known(int argument) const {
  return graph_.is_constant(arguments_[argument].node) && !graph_.is_fault(arguments_[argument].node);
}

void Call::refuse(int argument, const std::string& message) {
  if (fault_ < 0) fault_ = graph_.add_fault(fmt::format("{}: {}", function_.name, message), place(argument));
}

void Call::require_positive(int argument, const std::string& name) {
  if (!is_known(argument)) return;
  const double value = graph_.value(arguments_[argument].node);
  if (!(value > 0.0)) refuse(argument, fmt::format("{} must be positive, not {}", name, value));
}

void Call::require_different(int argument, int other, const std::string& name, const std::string& other_name) {
  if (!is_known(argument) || !is_known(other)) return;
  const double value = graph_.value(arguments_[argument].node);
  if (value == graph_.value(arguments_[other].node)) {
    refuse(argument, fmt::format("{} must differ from {}, but both are {}", name, other_name, value));
  }
}

int Call::build(Term (*formula)(Call&), Place place) {
  graph_.set_place(place);
  const Term result = formula(*this);
  if (fault_ >= 0) return fault_;
  const std::string text = quotable(graph_.text_at(place));
  for (const Edge& edge : edges_) {
    graph_.add_edge(result.node, edge.function.node, fmt::format("{} at {}", text, edge.where), edge.order);
  }
  return result.node;
}

}  // namespace trammel::model::expression
