#pragma once

// A scope with a few signals, parameters, measures and curves, and short ways to evaluate programs.

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trammel/math/dual.h"
#include "trammel/model/expression/expression.h"

namespace trammel::model::expression {

/// Numbers by name.
class ParameterScope final : public Scope {
 public:
  ParameterScope() = default;
  explicit ParameterScope(std::map<std::string, double> values) : values_(std::move(values)) {}

  void set(const std::string& name, double value) { values_[name] = value; }
  std::optional<Meaning> find(const std::string& name) override {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(Meaning::constant(found->second));
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, value] : values_) names.push_back(name);
    return names;
  }

 private:
  std::map<std::string, double> values_;
};

class SampleScope final : public Scope {
 public:
  std::optional<Meaning> find(const std::string& name) override {
    const auto found = meanings_.find(name);
    return found == meanings_.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, meaning] : meanings_) names.push_back(name);
    return names;
  }
  bool is_measure(const std::string& function) const override { return function == "dx" || function == "vx"; }
  std::vector<std::string> measures() const override { return {"dx", "vx"}; }
  /// dx and vx from a marker to another or to the origin.
  Meaning call(const std::string& function, std::span<const std::string> arguments) override {
    if (arguments.empty() || arguments.size() > 2) throw ScopeError(function + " takes one or two markers");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] != "wheel.hub" && arguments[i] != "upper-arm.tip") {
        throw ScopeError("there is no marker '" + arguments[i] + "'", static_cast<int>(i));
      }
    }
    if (arguments.size() == 2 && arguments[0] == arguments[1]) return Meaning::constant(0.0);
    return Meaning::signal((function == "dx" ? 100 : 200) + (arguments[0] == "wheel.hub" ? 0 : 1));
  }
  const math::Spline* find_curve(const std::string& name) override {
    const auto found = curves_.find(name);
    return found == curves_.end() ? nullptr : &found->second;
  }
  std::vector<std::string> curve_names() const override {
    std::vector<std::string> names;
    for (const auto& [name, curve] : curves_) names.push_back(name);
    return names;
  }

  const math::Spline& curve(const std::string& name) const { return curves_.at(name); }

 private:
  static inline const std::vector<double> kX{-2.0, -0.5, 0.25, 1.0, 3.0}, kY{1.0, -1.0, 0.5, 2.0, 0.0};

  std::map<std::string, Meaning> meanings_{
      {"x", Meaning::signal(10)},
      {"y", Meaning::signal(11)},
      {"z", Meaning::signal(12)},
      {"omega", Meaning::signal(13)},
      {"time", Meaning::signal(14)},
      {"hinge.angle", Meaning::signal(20)},
      {"upper-arm.angle", Meaning::signal(21)},
      {"k", Meaning::constant(3.0)},
      {"zero", Meaning::constant(0.0)},
  };
  std::map<std::string, math::Spline> curves_{
      {"road", math::Spline::linear(kX, kY)},
      {"hill", math::Spline::akima(kX, kY)},
      {"plateau", math::Spline::natural(kX, kY, math::Extrapolation::kClamp)},
      {"rail", math::Spline::akima(kX, kY, math::Extrapolation::kRefuse)},
      {"short-ramp", math::Spline::linear(std::vector<double>{0.0, 1.0}, std::vector<double>{0.0, 1.0})},
  };
};

inline Program compile_sample(const std::string& text) {
  SampleScope scope;
  return compile(text, scope);
}

/// The value of arithmetic among constants.
inline double constant_of(const std::string& text) {
  SampleScope scope;
  return evaluate(text, scope);
}

template <class T>
T eval(const Program& program, const std::vector<T>& inputs) {
  std::vector<T> work(program.work_size());
  return program.eval<T>(inputs, work);
}

/// The value of an expression of signals, given in the order of their first use.
inline double value_of_text(const std::string& text, const std::vector<double>& inputs) {
  return eval(compile_sample(text), inputs);
}

struct ValueAndGradient {
  double value;
  std::vector<double> gradient;
};

/// By the backward sweep.
inline ValueAndGradient eval_backward(const Program& program, const std::vector<double>& inputs) {
  std::vector<double> work(program.gradient_work_size()), gradient(inputs.size());
  const double value = program.eval_gradient(inputs, work, gradient);
  return {value, gradient};
}

/// By dual numbers, one direction after the other.
inline ValueAndGradient eval_forward(const Program& program, const std::vector<double>& inputs) {
  using Number = math::Dual<double, 1>;
  ValueAndGradient result{eval(program, inputs), {}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<Number> seeded(inputs.begin(), inputs.end());
    seeded[i].derivative[0] = 1.0;
    result.gradient.push_back(eval(program, seeded).derivative[0]);
  }
  return result;
}

/// The message, place and picture of the error that a text gives; fails in evaluate() too, which knows more errors.
inline std::optional<ExpressionError> error_of(const std::string& text) {
  SampleScope scope;
  try {
    evaluate(text, scope);
  } catch (const ExpressionError& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace trammel::model::expression
