#pragma once

// What the names in an expression mean. The compiler of expressions knows numbers, operators and functions; everything
// else (parameters, joint angles, distances between markers, curves) it asks of a Scope.

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trammel/math/spline.h"

namespace trammel::model::expression {

/// A name or a measure stands for a number that is known now, or for a signal whose value comes with each evaluation.
struct Meaning {
  bool is_constant = false;
  double value = 0.0;  ///< of a constant
  int input = 0;       ///< of a signal: an id that the scope chooses; equal ids are the same signal

  static Meaning constant(double value) { return {true, value, 0}; }
  static Meaning signal(int input) { return {false, 0.0, input}; }
};

/// A measure that cannot be taken, with the argument that is to blame (from 0), or kWholeCall.
class ScopeError : public std::runtime_error {
 public:
  static constexpr int kWholeCall = -1;

  explicit ScopeError(const std::string& message, int argument = kWholeCall)
      : std::runtime_error(message), argument_(argument) {}
  int argument() const { return argument_; }

 private:
  int argument_;
};

/// Names arrive as one string, parts joined by dots and without quotes: "hinge.angle", "upper-arm.rate". A scope is
/// asked about every name of the text, also in parts that turn out not to matter (a branch that is never taken).
class Scope {
 public:
  virtual ~Scope() = default;

  virtual std::optional<Meaning> find(const std::string& name) = 0;
  /// All names that find() knows, for suggestions.
  virtual std::vector<std::string> names() const = 0;
  /// What to write instead of a name that find() does not know, as "accelerations are measures: accx(arm)"; empty where
  /// near names are all there is to say.
  virtual std::string hint(const std::string& name) const;

  /// Whether this is a function whose arguments are names, not numbers: dx(wheel.hub, ground.origin). The functions of
  /// the language (functions.h) are found first.
  virtual bool is_measure(const std::string& function) const;
  /// Throws ScopeError. Called for measures only; there may be any number of arguments, also none.
  virtual Meaning call(const std::string& function, std::span<const std::string> arguments);
  virtual std::vector<std::string> measures() const;

  /// The curve of spline(name, x), or null. Programs keep a copy.
  virtual const math::Spline* find_curve(const std::string& name);
  virtual std::vector<std::string> curve_names() const;
};

}  // namespace trammel::model::expression
