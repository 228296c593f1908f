#include "trammel/model/expression/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace trammel::model::expression {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_commutative(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
    case Operation::kMultiply:
    case Operation::kHypot:
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kAnd:
    case Operation::kOr: return true;
    default: return false;
  }
}

/// Whether results are piecewise constant for any operands.
bool is_discrete_operation(Operation operation) {
  switch (operation) {
    case Operation::kSign:
    case Operation::kFloor:
    case Operation::kCeil:
    case Operation::kRound:
    case Operation::kNot:
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kAnd:
    case Operation::kOr: return true;
    default: return false;
  }
}

}  // namespace

int Graph::add_node(const Instruction& instruction, bool is_discrete) {
  const Key key{static_cast<std::int64_t>(instruction.operation), instruction.a, instruction.b, instruction.c,
                instruction.index};
  const auto [entry, is_new] = known_.try_emplace(key, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({instruction, place_, false, is_discrete, -1});
  return entry->second;
}

int Graph::add_unique_constant(double value, int fault) {
  store_.constants.push_back(value);
  nodes_.push_back({{.index = static_cast<int>(store_.constants.size()) - 1}, place_, true, true, fault});
  return static_cast<int>(nodes_.size()) - 1;
}

int Graph::add_constant(double value) {
  if (!std::isfinite(value)) {
    const std::string what = quotable(text_at(place_));
    return add_fault(what + (std::isnan(value) ? " is not a real number" : " is not a finite number"), place_);
  }
  const Key key{static_cast<std::int64_t>(Operation::kConstant), 0, 0, 0, std::bit_cast<std::int64_t>(value)};
  const auto [entry, is_new] = known_.try_emplace(key, static_cast<int>(nodes_.size()));
  return is_new ? add_unique_constant(value, -1) : entry->second;
}

int Graph::add_fault(const std::string& message, Place place) {
  faults_.push_back({message, place});
  return add_unique_constant(kNaN, static_cast<int>(faults_.size()) - 1);
}

int Graph::add_input(int id) {
  const auto known = std::find(store_.inputs.begin(), store_.inputs.end(), id);
  const auto index = static_cast<int>(known - store_.inputs.begin());
  if (known == store_.inputs.end()) store_.inputs.push_back(id);
  return add_node({.operation = Operation::kInput, .index = index}, false);
}

int Graph::add_curve(Operation operation, const math::Spline& curve, int x) {
  const auto [entry, is_new] = known_curves_.try_emplace(&curve, static_cast<int>(store_.curves.size()));
  if (is_new) store_.curves.push_back(std::make_shared<const math::Spline>(curve));
  const Instruction instruction{.operation = operation, .a = x, .index = entry->second};
  return nodes_[x].is_constant ? fold(instruction) : add_node(instruction, nodes_[x].is_discrete);
}

int Graph::add(Operation operation, int a, int b, int c) {
  Instruction instruction{operation, a, b, c, 0};
  if (is_commutative(operation) && a > b) std::swap(instruction.a, instruction.b);
  if (const int decided = find_decided(instruction); decided >= 0) return decided;
  const std::array<int, 3> from = operands(instruction);
  const auto end = from.begin() + operand_count(operation);
  if (std::all_of(from.begin(), end, [&](int i) { return nodes_[i].is_constant; })) return fold(instruction);
  if (const int simpler = find_simpler(instruction); simpler >= 0) return simpler;
  // A condition that jumps makes the result jump, so a selection is discrete when both branches are.
  const auto moving = operation == Operation::kSelect ? from.begin() + 1 : from.begin();
  const bool is_discrete =
      is_discrete_operation(operation) || std::all_of(moving, end, [&](int i) { return nodes_[i].is_discrete; });
  if (operation == Operation::kPower && is_constant(b) && !is_fault(b)) {
    return add_node({.operation = Operation::kPowerOf, .a = a, .index = nodes_[b].instruction.index}, is_discrete);
  }
  return add_node(instruction, is_discrete);
}

int Graph::fold(const Instruction& instruction) {
  const std::array<int, 3> from = operands(instruction);
  for (int i = 0; i < operand_count(instruction.operation); ++i)
    if (is_fault(from[i])) return add_unique_constant(kNaN, nodes_[from[i]].fault);
  const auto operand = [&](int i) { return i < operand_count(instruction.operation) ? value(from[i]) : 0.0; };
  return add_constant(calc_operation<double>(instruction, store_, operand(0), operand(1), operand(2)));
}

bool Graph::is_value(int node, double wanted) const {
  return is_constant(node) && !is_fault(node) && value(node) == wanted;
}

bool Graph::is_true(int node) const { return is_constant(node) && !is_fault(node) && value(node) != 0.0; }

int Graph::find_decided(const Instruction& instruction) {
  const auto [operation, a, b, c, index] = instruction;
  switch (operation) {
    case Operation::kSelect: return is_true(a) ? b : is_false(a) ? c : -1;
    case Operation::kAnd: return is_false(a) || is_false(b) ? add_constant(0.0) : -1;
    case Operation::kOr: return is_true(a) || is_true(b) ? add_constant(1.0) : -1;
    default: return -1;
  }
}

int Graph::find_simpler(const Instruction& instruction) {
  const auto [operation, a, b, c, index] = instruction;
  switch (operation) {
    case Operation::kAdd: return is_value(a, 0.0) ? b : is_value(b, 0.0) ? a : -1;
    case Operation::kSubtract: return is_value(b, 0.0) ? a : is_value(a, 0.0) ? add(Operation::kNegate, b) : -1;
    case Operation::kMultiply:
      if (is_value(a, 1.0)) return b;
      if (is_value(b, 1.0)) return a;
      if (a == b) return add(Operation::kSquare, a);
      return is_value(a, -1.0) ? add(Operation::kNegate, b) : is_value(b, -1.0) ? add(Operation::kNegate, a) : -1;
    case Operation::kDivide: return is_value(b, 1.0) ? a : -1;
    case Operation::kPower:
      if (is_value(b, 2.0)) return add(Operation::kSquare, a);
      return is_value(b, 1.0) ? a : is_value(b, 0.0) ? add_constant(1.0) : -1;
    case Operation::kMin:
    case Operation::kMax: return a == b ? a : -1;
    case Operation::kSelect: return b == c ? b : -1;
    case Operation::kNegate: {
      const Instruction& negated = nodes_[a].instruction;
      return negated.operation == Operation::kNegate ? negated.a : -1;
    }
    default: return -1;
  }
}

std::pair<int, int> Graph::edge_key(int function) const {
  const Instruction& i = nodes_[function].instruction;
  if (i.operation == Operation::kNegate) return {i.a, -1};
  if (i.operation == Operation::kSubtract) return std::minmax(i.a, i.b);
  return {function, -1};
}

void Graph::add_edge(int owner, int function, const std::string& text, int order) {
  const Instruction& i = nodes_[function].instruction;
  const bool vanishes = i.operation == Operation::kSubtract && i.a == i.b;
  if (!nodes_[function].is_discrete && !vanishes) edges_.push_back({owner, function, text, order});
}

std::vector<int> Graph::needed(int root) const {
  std::vector<bool> is_needed(root + 1, false);
  is_needed[root] = true;
  std::vector<int> nodes;
  for (int i = root; i >= 0; --i) {
    if (!is_needed[i]) continue;
    nodes.push_back(i);
    const Instruction& instruction = nodes_[i].instruction;
    for (int k = 0; k < operand_count(instruction.operation); ++k) is_needed[operands(instruction)[k]] = true;
  }
  std::reverse(nodes.begin(), nodes.end());
  return nodes;
}

const Graph::Fault* Graph::find_fault(const std::vector<int>& nodes) const {
  for (const int i : nodes)
    if (is_fault(i)) return &faults_[nodes_[i].fault];
  return nullptr;
}

int Graph::find_input(const std::vector<int>& nodes) const {
  for (const int i : nodes)
    if (nodes_[i].instruction.operation == Operation::kInput) return i;
  return -1;
}

std::vector<Graph::Edge> Graph::find_edges(const std::vector<int>& nodes) const {
  std::vector<Edge> found;
  std::map<std::pair<int, int>, std::size_t> known;
  for (const Edge& edge : edges_) {
    if (!std::binary_search(nodes.begin(), nodes.end(), edge.owner)) continue;
    const auto [entry, is_new] = known.try_emplace(edge_key(edge.function), found.size());
    if (is_new) {
      found.push_back(edge);
    } else if (edge.order < found[entry->second].order) {
      found[entry->second] = edge;
    }
  }
  return found;
}

Tape Graph::make_tape(const std::vector<int>& nodes) const {
  Tape tape;
  std::map<int, int> new_place, new_input, new_curve;
  for (const int i : nodes) {
    Instruction next = nodes_[i].instruction;
    const int count = operand_count(next.operation);
    next.a = count > 0 ? new_place.at(next.a) : 0;
    next.b = count > 1 ? new_place.at(next.b) : 0;
    next.c = count > 2 ? new_place.at(next.c) : 0;
    const auto take = [&](const auto& from, auto& to, std::map<int, int>& moved) {
      const auto [entry, is_new] = moved.try_emplace(next.index, static_cast<int>(to.size()));
      if (is_new) to.push_back(from[next.index]);
      next.index = entry->second;
    };
    switch (next.operation) {
      case Operation::kConstant:
      case Operation::kPowerOf:
        tape.constants.push_back(store_.constants[next.index]);
        next.index = static_cast<int>(tape.constants.size()) - 1;
        break;
      case Operation::kInput: take(store_.inputs, tape.inputs, new_input); break;
      case Operation::kCurve:
      case Operation::kCurveSlope:
      case Operation::kCurveBend:
      case Operation::kCurveKnots: take(store_.curves, tape.curves, new_curve); break;
      default: break;
    }
    new_place[i] = static_cast<int>(tape.code.size());
    tape.code.push_back(next);
  }
  return tape;
}

}  // namespace trammel::model::expression
