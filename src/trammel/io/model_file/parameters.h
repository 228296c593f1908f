#pragma once

// The parameters of a model or sub-model: named numbers that may be written as expressions of each other, in any order.

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "trammel/io/model_file/document.h"
#include "trammel/model/expression/expression_error.h"
#include "trammel/model/expression/scope.h"

namespace trammel::io::model_file {

/// Thrown by find() for a parameter whose value has been found to be wrong, so that the consequences are not reported.
struct UnusableParameter {};

class Parameters final : public model::expression::Scope {
 public:
  /// The entries below "parameters"; values that are given from outside take the place of those in the file.
  Parameters(const std::vector<Entry>& entries, std::map<std::string, double> given, Problems& problems);

  /// Evaluates all and reports what is wrong.
  void evaluate_all();

  std::optional<model::expression::Meaning> find(const std::string& name) override;
  std::vector<std::string> names() const override;

  bool has(const std::string& name) const { return index_.contains(name); }
  struct Parameter {
    const Entry* entry;
    enum class State { kUnknown, kBeingEvaluated, kKnown, kUnusable } state = State::kUnknown;
    double value = 1;  ///< stands in when the value is unusable
  };
  const std::vector<Parameter>& all() const { return parameters_; }

 private:
  void evaluate(Parameter& parameter);
  void report_cycle(const Parameter& first);

  std::vector<Parameter> parameters_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<const Parameter*> path_;  ///< those being evaluated, each because of the one before
  Problems& problems_;
};

/// The value of a scalar that is a number or an expression, or nothing after a report.
std::optional<double> evaluate_scalar(const Node& node, model::expression::Scope& scope, Problems& problems);

/// Points to the place inside of the scalar.
void report_expression(const Node& node, const model::expression::ExpressionError& error, Problems& problems);

}  // namespace trammel::io::model_file
