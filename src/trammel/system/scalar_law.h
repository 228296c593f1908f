#pragma once

// The law of forces along a coordinate (model::ForceLaw), with its expression.

#include "trammel/system/program_use.h"

namespace trammel::system {

class ScalarLaw {
 public:
  ScalarLaw() = default;
  ScalarLaw(const model::Model& model, const model::ForceLaw& law, const Signals& signals);

  struct Value {
    double force = 0;      ///< F, without the expression
    double by_value = 0;   ///< dF/dc
    double by_rate = 0;    ///< dF/dc'
    double potential = 0;  ///< of the elastic parts [J]
  };
  Value calc(double c, double rate) const;
  /// The part of the force that has no potential: damping and friction.
  double calc_dissipative(double c, double rate) const;
  /// In words, which of its curves refuses to extrapolate there; empty when none does. Forces are then not a number.
  std::string find_left_curve(const model::Model& model, double c, double rate) const;
  bool has_expression() const { return has_expression_; }
  const ProgramUse& expression() const { return expression_; }

 private:
  model::ForceLaw law_;
  const math::Spline* stiffness_curve_ = nullptr;
  const math::Spline* damping_curve_ = nullptr;
  bool has_expression_ = false;
  ProgramUse expression_;
};

}  // namespace trammel::system
