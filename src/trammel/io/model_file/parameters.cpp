#include "trammel/io/model_file/parameters.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "trammel/model/expression/expression.h"

namespace trammel::io::model_file {
namespace {

using model::expression::Meaning;
using State = Parameters::Parameter::State;

// Each parameter on the way from one to another takes a share of the stack.
constexpr std::size_t kLongestPath = 200;

// The scalar that holds the value.
const Node* value_of(const Entry& entry) {
  return entry.value->is_map() ? entry.value->get("value") : entry.value.get();
}

}  // namespace

Parameters::Parameters(const std::vector<Entry>& entries, std::map<std::string, double> given, Problems& problems)
    : problems_(problems) {
  for (const Entry& entry : entries) {
    index_.emplace(entry.key, parameters_.size());
    Parameter& parameter = parameters_.emplace_back();
    parameter.entry = &entry;
    if (const auto found = given.find(entry.key); found != given.end()) {
      parameter.value = found->second;
      parameter.state = State::kKnown;
    }
  }
}

void Parameters::evaluate_all() {
  for (Parameter& parameter : parameters_) {
    if (parameter.state == State::kUnknown) evaluate(parameter);
  }
}

void Parameters::evaluate(Parameter& parameter) {
  parameter.state = State::kBeingEvaluated;
  path_.push_back(&parameter);
  std::optional<double> value;
  try {
    const Node* node = value_of(*parameter.entry);
    if (node != nullptr) value = evaluate_scalar(*node, *this, problems_);
  } catch (const UnusableParameter&) {
    value.reset();  // reported where it was found
  }
  path_.pop_back();
  parameter.state = value ? State::kKnown : State::kUnusable;
  if (value) parameter.value = *value;
}

std::optional<Meaning> Parameters::find(const std::string& name) {
  const auto found = index_.find(name);
  // Time is known, so that a message can say that it has no place here.
  if (found == index_.end() && (name == "t" || name == "time")) return Meaning::signal(0);
  if (found == index_.end()) return std::nullopt;
  Parameter& parameter = parameters_[found->second];
  if (parameter.state == State::kUnknown) {
    if (path_.size() >= kLongestPath) {
      problems_.add(parameter.entry->place,
                    fmt::format("more than {} parameters each refer to the next", kLongestPath));
      parameter.state = State::kUnusable;
    } else {
      evaluate(parameter);
    }
  }
  if (parameter.state == State::kBeingEvaluated) report_cycle(parameter);
  if (parameter.state != State::kKnown) throw UnusableParameter{};
  return Meaning::constant(parameter.value);
}

void Parameters::report_cycle(const Parameter& first) {
  std::string cycle;
  bool is_in_cycle = false;
  for (const Parameter* parameter : path_) {
    is_in_cycle = is_in_cycle || parameter == &first;
    if (is_in_cycle) cycle += parameter->entry->key + " -> ";
  }
  problems_.add(first.entry->place, "parameters refer to each other in a circle: " + cycle + first.entry->key);
}

std::vector<std::string> Parameters::names() const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_) names.push_back(parameter.entry->key);
  return names;
}

std::optional<double> evaluate_scalar(const Node& node, model::expression::Scope& scope, Problems& problems) {
  if (!node.is_scalar()) {
    problems.add_if_first(node.place, "expected a number, found " + describe_kind(node));
    return std::nullopt;
  }
  double value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [rest, error] = std::from_chars(node.text.data(), end, value);
  try {
    if (error != std::errc{} || rest != end) value = model::expression::evaluate(node.text, scope);
  } catch (const model::expression::ExpressionError& problem) {
    report_expression(node, problem, problems);
    return std::nullopt;
  }
  if (!std::isfinite(value)) {
    problems.add(node.place, fmt::format("the number {} is not finite", quoted(node.text)));
    return std::nullopt;
  }
  return value;
}

void report_expression(const Node& node, const model::expression::ExpressionError& error, Problems& problems) {
  const int columns = node.text_column < 0 ? 0 : node.text_column + error.position();
  problems.add(node.place.behind(columns), error.what());
}

}  // namespace trammel::io::model_file
