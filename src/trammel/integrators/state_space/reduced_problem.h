#pragma once

// A system as an ordinary differential equation, for codes and loops of one's own: everything that the reduced
// equations work with, in one object. docs/guide/reduced-equations.md has a complete example.
//
//   ReducedProblem problem(system);
//   ReducedEquations& equations = problem.equations();
//   std::string trouble = problem.begin(state);   // consistent, complete, and a chart chosen there

#include <limits>
#include <string>

#include "trammel/integrators/state_space/reduced_equations.h"

namespace trammel::integrators {

struct ReducedOptions {
  /// What is dependent is found to far below rtol |q| + atol, with the |q| of the last set_weights().
  double rtol = 1e-10;
  double atol = 1e-10;
  ChartOptions chart = {};
  kkt::BackEnd back_end = kkt::BackEnd::kAutomatic;  ///< of the equations of accelerations
};

class ReducedProblem {
 public:
  /// The system must outlive the problem. Throws std::invalid_argument, with the reasons, when its constraints are not
  /// holonomic, when q' is not v, or when it has states in implicit form.
  explicit ReducedProblem(const dae::ConstrainedSystem& system, const ReducedOptions& options = {});
  ReducedProblem(const ReducedProblem&) = delete;
  ReducedProblem& operator=(const ReducedProblem&) = delete;
  ~ReducedProblem() = default;

  ReducedEquations& equations() { return equations_; }
  /// What an IntegrationJacobian is made with.
  const MethodContext& context() const { return context_; }

  /// Moves positions and velocities of a state onto their constraints, completes it (a, lambda, x'), and chooses the
  /// chart there. An empty string, or what went wrong.
  [[nodiscard]] std::string begin(dae::State& state);
  /// Takes the size of the positions and velocities from a state; begin() does so.
  void set_weights(const dae::State& state) { norm_.set_weights(state); }

  /// The work so far.
  Statistics statistics() const;

 private:
  MethodOptions no_options_;
  double horizon_ = std::numeric_limits<double>::max();
  Statistics statistics_;
  dae::Evaluation evaluation_;
  kkt::AccelerationSolver accelerations_;
  kinematics::Projector projector_;
  ErrorNorm norm_;
  MethodContext context_;
  ReducedEquations equations_;
};

}  // namespace trammel::integrators
