#pragma once

// An expression under construction: the operations as nodes, each after its operands. Equal nodes are one, and nodes
// whose operands are constants are constants.
//
// A constant without a finite value (1/0, sqrt(-1)) is a fault. It spoils every node that is computed from it, except
// where if(), and, or decide without it; it is reported when the finished expression still needs it.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trammel/model/expression/tape.h"
#include "trammel/model/expression/token.h"

namespace trammel::model::expression {

class Graph {
 public:
  struct Fault {
    std::string message;
    Place place;
  };
  /// See Switch; the edge counts when the finished expression needs the owner.
  struct Edge {
    int owner;
    int function;
    std::string text;
    int order;
  };

  explicit Graph(std::string text) : text_(std::move(text)) {}

  /// Nodes that follow are made for this piece of the text.
  void set_place(Place place) { place_ = place; }
  std::string text_at(Place place) const { return text_.substr(place.begin, place.end - place.begin); }

  int add_constant(double value);
  int add_input(int id);
  int add(Operation operation, int a, int b = 0, int c = 0);
  int add_curve(Operation operation, const math::Spline& curve, int x);
  /// A constant that must not be needed.
  int add_fault(const std::string& message, Place place);

  void add_edge(int owner, int function, const std::string& text, int order);

  bool is_constant(int node) const { return nodes_[node].is_constant; }
  bool is_fault(int node) const { return nodes_[node].fault >= 0; }
  double value(int node) const { return store_.constants[nodes_[node].instruction.index]; }
  Place place(int node) const { return nodes_[node].place; }

  /// The nodes that `root` needs, in order; itself the last.
  std::vector<int> needed(int root) const;
  /// The first fault among some nodes, or null.
  const Fault* find_fault(const std::vector<int>& nodes) const;
  /// The first signal among some nodes, or -1.
  int find_input(const std::vector<int>& nodes) const;
  /// The edges of some nodes, each function once.
  std::vector<Edge> find_edges(const std::vector<int>& nodes) const;
  Tape make_tape(const std::vector<int>& nodes) const;

 private:
  struct Node {
    Instruction instruction;  ///< refers to nodes of the graph and to the tables in store_
    Place place;
    bool is_constant = false;
    bool is_discrete = false;  ///< jumps or stays, never moves: a constant, a truth, floor(x), sums of such
    int fault = -1;
  };
  using Key = std::array<std::int64_t, 5>;

  int add_node(const Instruction& instruction, bool is_discrete);
  int add_unique_constant(double value, int fault);
  int fold(const Instruction& instruction);
  /// A node that is already there or simpler and has the same value, or -1.
  int find_decided(const Instruction& instruction);
  int find_simpler(const Instruction& instruction);
  bool is_value(int node, double value) const;
  bool is_false(int node) const { return is_value(node, 0.0); }
  bool is_true(int node) const;
  /// Nodes whose zeros are the same have the same key.
  std::pair<int, int> edge_key(int function) const;

  std::string text_;
  Place place_;
  std::vector<Node> nodes_;
  Tape store_;  ///< constants, input ids and curves; no code
  std::vector<Fault> faults_;
  std::vector<Edge> edges_;
  std::map<Key, int> known_;
  std::map<const math::Spline*, int> known_curves_;
};

/// A node in formulas: Term behaves like a number, and adds the operations to its graph.
struct Term {
  Graph* graph;
  int node;

  Term apply(Operation operation) const { return {graph, graph->add(operation, node)}; }
  Term apply(Operation operation, Term b) const { return {graph, graph->add(operation, node, b.node)}; }
  Term number(double value) const { return {graph, graph->add_constant(value)}; }

  // clang-format off
  friend Term operator+(Term a, Term b) { return a.apply(Operation::kAdd, b); }
  friend Term operator-(Term a, Term b) { return a.apply(Operation::kSubtract, b); }
  friend Term operator*(Term a, Term b) { return a.apply(Operation::kMultiply, b); }
  friend Term operator/(Term a, Term b) { return a.apply(Operation::kDivide, b); }
  friend Term operator+(double a, Term b) { return b.number(a) + b; }
  friend Term operator-(double a, Term b) { return b.number(a) - b; }
  friend Term operator*(double a, Term b) { return b.number(a) * b; }
  friend Term operator-(Term a, double b) { return a - a.number(b); }
  friend Term operator-(Term a) { return a.apply(Operation::kNegate); }
  friend Term min(Term a, Term b) { return a.apply(Operation::kMin, b); }
  friend Term max(Term a, Term b) { return a.apply(Operation::kMax, b); }
  friend Term hypot(Term a, Term b) { return a.apply(Operation::kHypot, b); }
  friend Term pow(Term a, Term b) { return a.apply(Operation::kPower, b); }
  // clang-format on
};

}  // namespace trammel::model::expression
