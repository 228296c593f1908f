#pragma once

// The functions of the expression language, as a table for those who list them.

#include <span>
#include <string_view>

namespace trammel::model::expression {

struct Function {
  std::string_view name;
  std::string_view signature;  ///< as a user writes it: "step(x, x0, h0, x1, h1)"
  int fewest_arguments;
  int most_arguments;
  std::string_view help;  ///< one line
};

/// In the order in which a manual would list them.
std::span<const Function> functions();

}  // namespace trammel::model::expression
