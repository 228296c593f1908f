// Compiles and evaluates arbitrary bytes as an expression: whatever they are, nothing but ExpressionError may come of
// it. Where both modes of differentiation give finite numbers, the value must agree with plain evaluation.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "tests/expression/sample_scope.h"

namespace trammel::model::expression {
namespace {

/// Equal, any NaN being as good as another.
bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void exercise(const Program& program, double at) {
  std::vector<double> inputs(program.inputs().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = at + 0.75 * static_cast<double>(i);
  const double value = eval(program, inputs);
  if (!is_same(eval_backward(program, inputs).value, value)) std::abort();
  const std::vector<math::Dual<double, 1>> duals(inputs.begin(), inputs.end());
  if (!is_same(eval(program, duals).value, value)) std::abort();
  for (const Switch& edge : program.switches()) {
    if (edge.function.is_constant() || !edge.function.switches().empty()) std::abort();
    eval(edge.function, std::vector<double>(edge.function.inputs().size(), at));
  }
}

void compile_and_exercise(const std::string& text) {
  static SampleScope scope;
  try {
    const Program program = compile(text, scope);
    for (const double at : {-1.0, 0.0, 0.3, 1e300}) exercise(program, at);
  } catch (const ExpressionError& error) {
    if (error.position() < 0 || error.position() + error.length() > std::ssize(text)) std::abort();
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  compile_and_exercise(std::string(data, data + size));
  return 0;
}

}  // namespace trammel::model::expression
