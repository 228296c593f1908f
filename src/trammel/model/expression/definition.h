#pragma once

// How the calls of functions turn into operations.

#include <string>
#include <utility>
#include <vector>

#include "trammel/model/expression/functions.h"
#include "trammel/model/expression/graph.h"

namespace trammel::model::expression {

/// A call whose arguments are in the graph already.
class Call {
 public:
  struct Argument {
    int node = 0;
    Place place;
  };

  Call(Graph& graph, const Function& function, std::vector<Argument> arguments, const math::Spline* curve)
      : graph_(graph), function_(function), arguments_(std::move(arguments)), curve_(curve) {}

  int size() const { return static_cast<int>(arguments_.size()); }
  Term operator[](int i) const { return {&graph_, arguments_[i].node}; }
  Term number(double value) const { return {&graph_, graph_.add_constant(value)}; }
  Place place(int i) const { return arguments_[i].place; }
  Graph& graph() { return graph_; }
  /// Of spline(curve, ...), whose arguments begin behind the curve.
  const math::Spline& curve() const { return *curve_; }

  /// Notes that the result has an edge where `function` is zero.
  void add_edge(Term function, const std::string& where, int order) { edges_.push_back({function, where, order}); }
  /// An argument for which the function has no meaning: the result is a fault.
  void refuse(int argument, const std::string& message);
  /// Refuses a constant that is not positive, or that equals another argument.
  void require_positive(int argument, const std::string& name);
  void require_different(int argument, int other, const std::string& name, const std::string& other_name);

  /// The node of the result, for the piece of text that the call is.
  int build(Term (*formula)(Call&), Place place);

 private:
  struct Edge {
    Term function;
    std::string where;
    int order;
  };

  bool is_known(int argument) const;

  Graph& graph_;
  const Function& function_;
  std::vector<Argument> arguments_;
  const math::Spline* curve_;
  std::vector<Edge> edges_;
  int fault_ = -1;  ///< the node of the first refusal
};

struct Definition {
  Function function;
  Term (*formula)(Call&);
  bool takes_curve = false;  ///< the first argument is the name of a curve
};

/// Null when there is no such function.
const Definition* find_definition(const std::string& name);

}  // namespace trammel::model::expression
