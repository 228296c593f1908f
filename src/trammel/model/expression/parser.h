#pragma once

// Reads the text of an expression into a graph, by recursive descent: each function of the parser reads one kind of
// phrase and leaves the token behind it as the next.

#include <string>
#include <vector>

#include "trammel/model/expression/definition.h"
#include "trammel/model/expression/graph.h"
#include "trammel/model/expression/scope.h"
#include "trammel/model/expression/token.h"

namespace trammel::model::expression {

class Parser {
 public:
  /// All three are kept by reference.
  Parser(const std::string& text, Scope& scope, Graph& graph) : text_(text), scope_(scope), graph_(graph) {}

  /// The node of the whole text. Throws ExpressionError.
  int parse();

 private:
  using Value = Call::Argument;

  /// Operators that bind at least as tightly as `level`.
  Value parse_operators(int level);
  Value parse_prefix(int level);
  Value parse_operand();  ///< with the unit behind it
  Value parse_parenthesis();
  Value parse_name();
  Value parse_function(const Definition& definition, const Token& name);
  Value parse_measure(const Token& name);
  std::vector<Value> parse_arguments();
  const math::Spline& parse_curve(const Definition& definition);
  /// A name alone, where nothing else can stand; the rule says so.
  Token parse_plain_name(const std::string& rule);

  Value combine(TokenKind operation, const Value& left, const Value& right);
  Value use(const Meaning& meaning, Place place);
  void advance();
  /// Consumes the closing parenthesis and returns its end.
  int close(Place opened);

  [[noreturn]] void fail(const std::string& message, Place place) const;
  [[noreturn]] void fail_at_next(const std::string& missing) const;
  [[noreturn]] void refuse_function(const Token& name);
  [[noreturn]] void refuse_name(const Token& name);
  void check_count(const Function& function, int count, Place place) const;

  const std::string& text_;
  Scope& scope_;
  Graph& graph_;
  Token next_;
  int depth_ = 0;  ///< of phrases within phrases
};

}  // namespace trammel::model::expression
