#include "trammel/model/expression/scope.h"

namespace trammel::model::expression {

std::string Scope::hint(const std::string& /*name*/) const { return {}; }

bool Scope::is_measure(const std::string& /*function*/) const { return false; }

Meaning Scope::call(const std::string& function, std::span<const std::string> /*arguments*/) {
  throw ScopeError("'" + function + "' cannot be measured here");
}

std::vector<std::string> Scope::measures() const { return {}; }

const math::Spline* Scope::find_curve(const std::string& /*name*/) { return nullptr; }

std::vector<std::string> Scope::curve_names() const { return {}; }

}  // namespace trammel::model::expression
