#include "trammel/model/expression/program.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace trammel::model::expression {

Program::Program() {
  static const Program zero = constant(0.0);
  contents_ = zero.contents_;
}

Program Program::constant(double value) {
  auto contents = std::make_shared<Contents>();
  contents->constant = value;
  contents->text = fmt::format("{}", value);
  return Program(std::move(contents));
}

bool Program::is_condition() const {
  if (is_constant()) return false;
  switch (contents_->tape.code.back().operation) {
    case Operation::kLess:
    case Operation::kLessEqual:
    case Operation::kEqual:
    case Operation::kNotEqual:
    case Operation::kAnd:
    case Operation::kOr:
    case Operation::kNot: return true;
    default: return false;
  }
}

double Program::eval_gradient(std::span<const double> inputs, std::span<double> work,
                              std::span<double> gradient) const {
  if (is_constant()) return contents_->constant;
  check_sizes(inputs.size(), work.size(), gradient_work_size());
  if (gradient.size() != inputs.size()) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} derivatives, but there is room for {}", text(), inputs.size(), gradient.size()));
  }
  return eval_tape_gradient(contents_->tape, inputs, work, gradient);
}

Fault Program::find_fault(std::span<const double> inputs, std::span<double> work) const {
  if (is_constant() || std::isfinite(eval<double>(inputs, work))) return {};
  return expression::find_fault(contents_->tape, work);
}

void Program::check_sizes(std::size_t inputs, std::size_t work, int work_wanted) const {
  if (inputs != contents_->tape.inputs.size()) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} inputs, but {} were given", text(), contents_->tape.inputs.size(), inputs));
  }
  if (work < static_cast<std::size_t>(work_wanted)) {
    throw std::invalid_argument(fmt::format("'{}' needs {} numbers to work, not {}", text(), work_wanted, work));
  }
}

}  // namespace trammel::model::expression
