#pragma once

// A compiled expression: a flat list of operations that is evaluated and differentiated without allocation.
//
// Values of the inputs come in the order of inputs(); the caller owns the working memory, so that one program can run
// in several threads. Evaluation never throws for what the numbers are: outside of the domain of a function (sqrt(-1),
// a curve that refuses to extrapolate) the value is NaN, which passes through everything but the branch of an if() that
// is not taken and the operand of and/or that does not decide. Derivatives are exact; at corners they are those of
// math/dual.h, in both modes.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "trammel/model/expression/tape.h"

namespace trammel::model::expression {

struct Switch;

/// Cheap to copy: the contents are immutable and shared.
class Program {
 public:
  /// The constant 0.
  Program();
  static Program constant(double value);

  /// The distinct signals in the order of first use.
  std::span<const int> inputs() const { return contents_->tape.inputs; }
  bool is_constant() const { return contents_->tape.code.empty(); }
  /// The value of a constant; NaN of anything else.
  double constant() const { return contents_->constant; }

  /// Whether it is a comparison or joins comparisons, so that its value is 0 or 1.
  bool is_condition() const;

  /// The numbers that eval() needs to work; 0 for a constant.
  int work_size() const { return static_cast<int>(contents_->tape.code.size()); }
  /// T is double or a dual number of any depth: seeded with d/dt, it gives rates; nested, higher derivatives.
  template <class T>
  T eval(std::span<const T> inputs, std::span<T> work) const {
    if (is_constant()) return T(contents_->constant);
    check_sizes(inputs.size(), work.size(), work_size());
    return eval_tape(contents_->tape, inputs, work);
  }

  int gradient_work_size() const { return kGradientNumbers * work_size(); }
  /// The value, and its derivatives by all inputs at a few times the cost of the value, whatever their number.
  double eval_gradient(std::span<const double> inputs, std::span<double> work, std::span<double> gradient) const;

  /// Where a value that is not a finite number comes from; asked for where eval() gave one.
  Fault find_fault(std::span<const double> inputs, std::span<double> work) const;

  /// As the user wrote it.
  const std::string& text() const { return contents_->text; }
  /// Where the value or a low derivative of it may jump; empty for the functions of switches.
  const std::vector<Switch>& switches() const { return contents_->switches; }

 private:
  friend class Compiler;

  struct Contents {
    Tape tape;  ///< without code: a constant
    double constant = 0.0;
    std::string text;
    std::vector<Switch> switches;
  };

  explicit Program(std::shared_ptr<const Contents> contents) : contents_(std::move(contents)) {}
  void check_sizes(std::size_t inputs, std::size_t work, int work_wanted) const;

  std::shared_ptr<const Contents> contents_;
};

/// An edge of an expression: where `function` changes sign, a derivative of the expression may jump. The function is
/// continuous wherever its own arguments are, is zero on the edge, and depends on some input; its inputs() are a part
/// of those of the program. Comparisons by == and != have none (they hold at single points), nor has the cut of atan2.
struct Switch {
  Program function;
  std::string text;  ///< for reports: "abs(x) at x = 0"
  int order = 0;     ///< the lowest derivative that may jump: 0 the value, 1 the slope, 2 the curvature, ...
};

}  // namespace trammel::model::expression
