#pragma once

// What the names in expressions mean in a model. Expressions are compiled to programs whose inputs are indices into
// Model::signals; signals are added as expressions ask for them, equal ones once.
//
// clang-format off
//   t, time                                      time [s]
//   r                                            parameter: a constant
//   pressure                                     extra state, variable
//   hinge.angle, hinge.angle_rate, hinge.rate    joint coordinate and rate ("rate" where there is only one)
//   hinge.reaction.fx ... tz, .force, .torque    reaction on the second body, ground axes, and its sizes
//   spring.value; bushing.fx ... tz              scalar force; other forces
//   crank.x ... z, vx ... vz; crank.tip.x ...    point of a body frame or marker, and its velocity, from the ground
//   crank.wx ... wz                              angular velocity in the body's own axes
//   crank.angle, crank.angle_rate                planar: rotation, with its turns, and rate
//   dx(a, b, c) and so on                        measures between markers, measures_of_markers()
//   der(pressure)                                derivative of a state, in residuals
// clang-format on

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trammel/model/expression/scope.h"
#include "trammel/model/model_index.h"

namespace trammel::model {

/// A function of marker names. Arguments that are left out are the ground frame.
struct Measure {
  std::string_view name;
  std::string_view signature;  ///< as a user writes it: "dx(a, b, c)"
  SignalKind kind;
  int component;
  std::string_view markers;  ///< which of the signal's a, b, c, d the arguments are, in their order
  std::string_view help;     ///< one line
};

/// In the order in which a manual would list them.
std::span<const Measure> measures_of_markers();

class ModelScope final : public expression::Scope {
 public:
  /// The index must outlive the scope. A sub-model has its own view: all its names begin with `prefix` ("left."), which
  /// its expressions do not write, and its ground frame is the marker `ground` (-1: the ground frame itself).
  explicit ModelScope(ModelIndex& index, std::string prefix = {}, int ground = -1);

  std::optional<expression::Meaning> find(const std::string& name) override;
  std::vector<std::string> names() const override;
  std::string hint(const std::string& name) const override;
  bool is_measure(const std::string& function) const override;
  expression::Meaning call(const std::string& function, std::span<const std::string> arguments) override;
  std::vector<std::string> measures() const override;
  const math::Spline* find_curve(const std::string& name) override;
  std::vector<std::string> curve_names() const override;

  const std::string& prefix() const { return prefix_; }
  int ground() const { return ground_; }
  /// The marker that a name stands for: "crank.tip", "crank" (its frame) or "ground"; -1 when there is none.
  int find_marker(const std::string& name);
  /// Bodies and markers as this scope calls them, for suggestions.
  std::vector<std::string> marker_names() const;

 private:
  using Found = std::optional<expression::Meaning>;

  expression::Meaning signal(Signal signal, const std::string& text);
  expression::Meaning state_rate(std::span<const std::string> arguments);
  Found find_of_joint(int joint, const std::string& component, const std::string& text);
  Found find_of_force(int force, const std::string& component, const std::string& text);
  Found find_of_marker(int marker, bool is_body, const std::string& component, const std::string& text);

  ModelIndex& index_;
  std::string prefix_;
  int ground_;
};

}  // namespace trammel::model
