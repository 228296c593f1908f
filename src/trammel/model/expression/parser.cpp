#include "trammel/model/expression/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "trammel/model/expression/expression.h"
#include "trammel/model/near_names.h"

namespace trammel::model::expression {
namespace {

// From loose to tight.
enum Level : int {
  kNone,
  kOrLevel,
  kAndLevel,
  kNotLevel,
  kCompareLevel,
  kAddLevel,
  kMultiplyLevel,
  kSignLevel,
  kPowerLevel
};

Level binary_level(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOr: return kOrLevel;
    case TokenKind::kAnd: return kAndLevel;
    case TokenKind::kLess:
    case TokenKind::kLessEqual:
    case TokenKind::kGreater:
    case TokenKind::kGreaterEqual:
    case TokenKind::kEqual:
    case TokenKind::kNotEqual: return kCompareLevel;
    case TokenKind::kPlus:
    case TokenKind::kMinus: return kAddLevel;
    case TokenKind::kTimes:
    case TokenKind::kDivide: return kMultiplyLevel;
    case TokenKind::kPower: return kPowerLevel;
    default: return kNone;
  }
}

/// Counts a level of nesting as long as it lives.
class Nesting {
 public:
  explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  int& depth_;
};

/// A dotted name as an expression must write it.
std::string quote_hyphens(const std::string& name) {
  std::string quoted;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    if (begin > 0) quoted += '.';
    quoted += part.find('-') == std::string::npos ? part : "'" + part + "'";
    begin = end + 1;
  }
  return quoted;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

int Parser::parse() {
  if (std::ssize(text_) > kLongestText) {
    fail(fmt::format("the expression has {} characters; {} are allowed", text_.size(), kLongestText),
         {kLongestText, kLongestText + 1});
  }
  advance();
  if (next_.kind == TokenKind::kEnd) fail("the expression is empty", {0, 0});
  const Value value = parse_operators(kOrLevel);
  if (next_.kind != TokenKind::kEnd) fail_at_next("");
  return value.node;
}

void Parser::advance() { next_ = read_token(text_, next_.place.end); }

Parser::Value Parser::parse_operators(int level) {
  Value left = parse_prefix(level);
  while (binary_level(next_.kind) >= level) {
    const TokenKind operation = next_.kind;
    const Level found = binary_level(operation);
    advance();
    if (found == kPowerLevel) {
      const Nesting nesting(depth_);
      left = combine(operation, left, parse_operators(kSignLevel));
    } else {
      left = combine(operation, left, parse_operators(found + 1));
    }
    if (found == kCompareLevel && binary_level(next_.kind) == kCompareLevel) {
      fail("comparisons cannot be chained; join them by 'and'", next_.place);
    }
  }
  return left;
}

Parser::Value Parser::parse_prefix(int level) {
  const Nesting nesting(depth_);
  if (depth_ > kDeepestNesting) {
    fail(fmt::format("more than {} operations are nested here", kDeepestNesting), next_.place);
  }
  const Token sign = next_;
  if (sign.kind == TokenKind::kNot) {
    if (level > kNotLevel) fail("'not' needs parentheses here: (not ...)", sign.place);
    advance();
    const Value operand = parse_operators(kNotLevel);
    const Place place{sign.place.begin, operand.place.end};
    graph_.set_place(place);
    return {graph_.add(Operation::kNot, operand.node), place};
  }
  if (sign.kind == TokenKind::kMinus || sign.kind == TokenKind::kPlus) {
    advance();
    const Value operand = parse_operators(kPowerLevel);
    const Place place{sign.place.begin, operand.place.end};
    graph_.set_place(place);
    return {sign.kind == TokenKind::kMinus ? graph_.add(Operation::kNegate, operand.node) : operand.node, place};
  }
  return parse_operand();
}

Parser::Value Parser::combine(TokenKind operation, const Value& left, const Value& right) {
  const Place place{left.place.begin, right.place.end};
  graph_.set_place(place);
  const auto apply = [&](Operation o) { return Value{graph_.add(o, left.node, right.node), place}; };
  const auto compare = [&](Operation o, int a, int b) {
    const Value result{graph_.add(o, a, b), place};
    const int difference = graph_.add(Operation::kSubtract, left.node, right.node);
    graph_.add_edge(result.node, difference, quotable(graph_.text_at(place)), 0);
    return result;
  };
  switch (operation) {
    case TokenKind::kOr: return apply(Operation::kOr);
    case TokenKind::kAnd: return apply(Operation::kAnd);
    case TokenKind::kLess: return compare(Operation::kLess, left.node, right.node);
    case TokenKind::kLessEqual: return compare(Operation::kLessEqual, left.node, right.node);
    case TokenKind::kGreater: return compare(Operation::kLess, right.node, left.node);
    case TokenKind::kGreaterEqual: return compare(Operation::kLessEqual, right.node, left.node);
    case TokenKind::kEqual: return apply(Operation::kEqual);
    case TokenKind::kNotEqual: return apply(Operation::kNotEqual);
    case TokenKind::kPlus: return apply(Operation::kAdd);
    case TokenKind::kMinus: return apply(Operation::kSubtract);
    case TokenKind::kTimes: return apply(Operation::kMultiply);
    case TokenKind::kDivide: return apply(Operation::kDivide);
    default: return apply(Operation::kPower);
  }
}

Parser::Value Parser::parse_operand() {
  Value value;
  switch (next_.kind) {
    case TokenKind::kNumber: {
      value.place = next_.place;
      graph_.set_place(value.place);
      value.node = graph_.add_constant(next_.number);
      advance();
      break;
    }
    case TokenKind::kName:
    case TokenKind::kUnit: value = parse_name(); break;
    case TokenKind::kOpen: value = parse_parenthesis(); break;
    default: fail_at_next("a value is missing");
  }
  if (next_.kind == TokenKind::kUnit) {
    value.place.end = next_.place.end;
    graph_.set_place(value.place);
    value.node = graph_.add(Operation::kMultiply, value.node, graph_.add_constant(next_.number));
    advance();
  }
  return value;
}

Parser::Value Parser::parse_parenthesis() {
  const Place open = next_.place;
  advance();
  const Value inside = parse_operators(kOrLevel);
  return {inside.node, {open.begin, close(open)}};
}

int Parser::close(Place opened) {
  if (next_.kind == TokenKind::kEnd) fail("this '(' is not closed", opened);
  if (next_.kind != TokenKind::kClose) fail_at_next("");
  const int end = next_.place.end;
  advance();
  return end;
}

Parser::Value Parser::parse_name() {
  const Token name = next_;
  advance();
  if (next_.kind == TokenKind::kOpen) {
    if (const Definition* const definition = find_definition(name.name)) return parse_function(*definition, name);
    if (scope_.is_measure(name.name)) return parse_measure(name);
    refuse_function(name);
  }
  if (const std::optional<Meaning> meaning = scope_.find(name.name)) return use(*meaning, name.place);
  if (name.name == "pi") return use(Meaning::constant(std::numbers::pi), name.place);
  if (name.name == "e") return use(Meaning::constant(std::numbers::e), name.place);
  refuse_name(name);
}

Parser::Value Parser::use(const Meaning& meaning, Place place) {
  graph_.set_place(place);
  return {meaning.is_constant ? graph_.add_constant(meaning.value) : graph_.add_input(meaning.input), place};
}

Parser::Value Parser::parse_function(const Definition& definition, const Token& name) {
  const Place open = next_.place;
  const math::Spline* const curve = definition.takes_curve ? &parse_curve(definition) : nullptr;
  std::vector<Value> arguments;
  // Behind the name of a curve stands the comma that parse_arguments() would have consumed.
  if (!curve || next_.kind == TokenKind::kComma) arguments = parse_arguments();
  const Place place{name.place.begin, close(open)};
  check_count(definition.function, static_cast<int>(arguments.size()) + (curve ? 1 : 0), place);
  return {Call(graph_, definition.function, std::move(arguments), curve).build(definition.formula, place), place};
}

std::vector<Parser::Value> Parser::parse_arguments() {
  std::vector<Value> arguments;
  advance();
  if (next_.kind == TokenKind::kClose) return arguments;
  for (;; advance()) {
    arguments.push_back(parse_operators(kOrLevel));
    if (next_.kind != TokenKind::kComma) return arguments;
  }
}

void Parser::check_count(const Function& function, int count, Place place) const {
  const int fewest = function.fewest_arguments, most = function.most_arguments;
  if (count >= fewest && count <= most) return;
  const auto plural = [](int n) { return n == 1 ? "" : "s"; };
  const std::string wanted = fewest == most          ? fmt::format("{} argument{}", fewest, plural(fewest))
                             : most < kMostArguments ? fmt::format("{} or {} arguments", fewest, most)
                                                     : fmt::format("{} to {} arguments", fewest, most);
  fail(fmt::format("{} takes {}, not {}: {}", function.name, wanted, count, function.signature), place);
}

Token Parser::parse_plain_name(const std::string& rule) {
  Token name = read_token(text_, next_.place.end, Hyphens::kArePartOfNames);
  next_ = name;
  if (name.kind == TokenKind::kEnd) fail_at_next("");
  if (name.kind != TokenKind::kName && name.kind != TokenKind::kUnit) fail(rule, name.place);
  advance();
  if (next_.kind != TokenKind::kComma && next_.kind != TokenKind::kClose && next_.kind != TokenKind::kEnd) {
    fail(rule, next_.place);
  }
  return name;
}

const math::Spline& Parser::parse_curve(const Definition& definition) {
  const Token name =
      parse_plain_name(fmt::format("the first argument is the name of a curve: {}", definition.function.signature));
  const math::Spline* const curve = scope_.find_curve(name.name);
  if (!curve) fail(describe_unknown("curve", quotable(name.name), scope_.curve_names()), name.place);
  return *curve;
}

Parser::Value Parser::parse_measure(const Token& name) {
  const Place open = next_.place;
  std::vector<std::string> arguments;
  std::vector<Place> places;
  if (read_token(text_, open.end).kind == TokenKind::kClose) {
    advance();
  } else {
    do {
      const Token argument = parse_plain_name(fmt::format("the arguments of {} are names", name.name));
      arguments.push_back(argument.name);
      places.push_back(argument.place);
    } while (next_.kind == TokenKind::kComma);
  }
  const Place place{name.place.begin, close(open)};
  try {
    return use(scope_.call(name.name, arguments), place);
  } catch (const ScopeError& error) {
    const bool is_argument = error.argument() >= 0 && error.argument() < static_cast<int>(places.size());
    fail(error.what(), is_argument ? places[error.argument()] : place);
  }
}

void Parser::fail(const std::string& message, Place place) const {
  throw ExpressionError(message, text_, place.begin, place.end - place.begin);
}

void Parser::fail_at_next(const std::string& missing) const {
  const std::string token = quotable(graph_.text_at(next_.place));
  switch (next_.kind) {
    case TokenKind::kEnd: fail("the expression ends too early", next_.place);
    case TokenKind::kNumber:
    case TokenKind::kName:
    case TokenKind::kUnit:
    case TokenKind::kOpen:
    case TokenKind::kNot: fail(fmt::format("an operator is missing before '{}'", token), next_.place);
    case TokenKind::kClose:
      fail(missing.empty() ? "there is no '(' for this ')'" : missing + " before ')'", next_.place);
    case TokenKind::kComma:
      fail(missing.empty() ? "only the arguments of a call are separated by commas" : missing + " before ','",
           next_.place);
    default: fail(fmt::format("{} before '{}'", missing.empty() ? "a value is missing" : missing, token), next_.place);
  }
}

void Parser::refuse_function(const Token& name) {
  if (scope_.find(name.name)) {
    fail(fmt::format("'{0}' is not a function; for a product write {0}*(...)", quotable(name.name)), name.place);
  }
  std::vector<std::string> known;
  for (const Function& function : functions()) known.emplace_back(function.name);
  for (const std::string& measure : scope_.measures()) known.push_back(measure);
  fail(describe_unknown("function", quotable(name.name), known), name.place);
}

void Parser::refuse_name(const Token& name) {
  const std::vector<std::string> known = scope_.names();
  // A hyphen that was meant as a part of the name.
  const Token hyphenated = read_token(text_, name.place.begin, Hyphens::kArePartOfNames);
  std::string whole = hyphenated.name;
  for (std::size_t cut = whole.rfind('-'); cut != std::string::npos; cut = whole.rfind('-')) {
    if (contains(known, whole)) {
      const int end = name.place.begin + static_cast<int>(whole.size());
      fail(fmt::format("a hyphen means minus: for the name with hyphens write {}", quote_hyphens(whole)),
           {name.place.begin, end});
    }
    whole.resize(cut);
  }
  if (name.kind == TokenKind::kUnit) {
    fail(fmt::format("'{0}' stands behind a value: 30 {0}", name.name), name.place);
  }
  if (const Definition* const definition = find_definition(name.name)) {
    fail(fmt::format("'{}' is a function: {}", name.name, definition->function.signature), name.place);
  }
  if (scope_.is_measure(name.name)) fail(fmt::format("'{0}' is a measure: {0}(...)", name.name), name.place);
  if (scope_.find_curve(name.name)) {
    fail(fmt::format("'{0}' is a curve: spline({0}, x)", quotable(name.name)), name.place);
  }
  if (const std::string hint = scope_.hint(name.name); !hint.empty()) {
    fail(fmt::format("there is no name '{}'; {}", quotable(name.name), hint), name.place);
  }
  fail(describe_unknown("name", quotable(name.name), known), name.place);
}

}  // namespace trammel::model::expression
