#include "trammel/model/expression/expression.h"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "trammel/model/expression/graph.h"
#include "trammel/model/expression/parser.h"

namespace trammel::model::expression {

/// From text to program.
class Compiler {
 public:
  Compiler(const std::string& text, Scope& scope)
      : text_(text), graph_(text), nodes_(graph_.needed(Parser(text_, scope, graph_).parse())) {
    if (const Graph::Fault* const fault = graph_.find_fault(nodes_)) fail(fault->message, fault->place);
  }

  bool is_constant() const { return graph_.is_constant(nodes_.back()); }
  double value() const { return graph_.value(nodes_.back()); }

  Program make_program() const {
    if (is_constant()) return make_program(nodes_, text_, {});
    const std::vector<Graph::Edge> edges = graph_.find_edges(nodes_);
    if (edges.size() > kMostSwitches) {
      fail(fmt::format("the expression has {} corners and jumps; {} are allowed", edges.size(), kMostSwitches), {0, 0});
    }
    std::vector<Switch> switches;
    for (const Graph::Edge& edge : edges) {
      switches.push_back({make_program(graph_.needed(edge.function), edge.text, {}), edge.text, edge.order});
    }
    return make_program(nodes_, text_, std::move(switches));
  }

  [[noreturn]] void refuse_signals() const {
    const Place place = graph_.place(graph_.find_input(nodes_));
    fail(fmt::format("a constant is needed here, but '{}' changes with time", quotable(graph_.text_at(place))), place);
  }

 private:
  Program make_program(const std::vector<int>& nodes, const std::string& text, std::vector<Switch> switches) const {
    auto contents = std::make_shared<Program::Contents>();
    const int root = nodes.back();
    if (graph_.is_constant(root)) {
      contents->constant = graph_.value(root);
    } else {
      contents->constant = std::numeric_limits<double>::quiet_NaN();
      contents->tape = graph_.make_tape(nodes);
    }
    contents->text = text;
    contents->switches = std::move(switches);
    return Program(std::move(contents));
  }

  [[noreturn]] void fail(const std::string& message, Place place) const {
    throw ExpressionError(message, text_, place.begin, place.end - place.begin);
  }

  std::string text_;
  Graph graph_;
  std::vector<int> nodes_;  ///< those that the expression needs
};

Program compile(const std::string& text, Scope& scope) { return Compiler(text, scope).make_program(); }

double evaluate(const std::string& text, Scope& scope) {
  const Compiler compiler(text, scope);
  if (!compiler.is_constant()) compiler.refuse_signals();
  return compiler.value();
}

}  // namespace trammel::model::expression
