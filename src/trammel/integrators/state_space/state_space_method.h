#pragma once

// What methods in independent coordinates share: charts and their changes, states from y = (w, w', x), messages.
// A method says how y advances.

#include <memory>
#include <string>
#include <vector>

#include "trammel/integrators/state_space/reduced_equations.h"
#include "trammel/integrators/state_space/stage_equations.h"

namespace trammel::integrators {

struct StateSpaceOptions {
  ChartOptions chart;
  JacobianKind jacobian = JacobianKind::kAutomatic;
  bool filters_error = true;
  bool measures_independent = false;
  StageOptions stage;
};

/// What a method does with derivatives: nothing, solves linear equations, or iterates.
enum class MatrixUse { kNone, kLinear, kNewton };

/// The options of methods in independent coordinates, behind those of their own.
std::vector<MethodOptionInfo> with_state_space_settings(std::vector<MethodOptionInfo> own,
                                                        MatrixUse use = MatrixUse::kNewton);
/// MethodEntry::find_conflicts of them.
std::vector<std::string> find_state_space_conflicts(const MethodOptions& options);
/// The option 'jacobian' of methods with the matrix of integration_jacobian.h.
MethodOptionInfo jacobian_option();
/// What a user chose of them.
StateSpaceOptions read_state_space_settings(const MethodEntry& entry, const MethodOptions& options,
                                            const dae::Structure& structure);
/// What methods in independent coordinates can take.
inline constexpr Capabilities kStateSpaceCapabilities{.nonholonomic = false,
                                                      .implicit_states = false,
                                                      .reaction_dependent_forces = true,
                                                      .general_kinematics = false,
                                                      .switched_rows = false};

/// The same of methods that eliminate reactions from the balance.
inline constexpr Capabilities kEliminatedReactions{.nonholonomic = false,
                                                   .implicit_states = false,
                                                   .reaction_dependent_forces = false,
                                                   .general_kinematics = false,
                                                   .switched_rows = false};

class StateSpaceMethod : public Method {
 public:
  void start(const dae::State& state) override;
  StepOutcome attempt(double h) override;
  void accept() override;
  bool undo() override;
  const dae::State& state() const override { return state_; }
  void interpolate(double t, dae::State& out) override;
  void add_counts(Statistics& statistics) const override;
  void add_notes(std::vector<std::string>& notes) const override;
  std::string describe_trouble() override;

  ReducedEquations& equations() { return equations_; }

 protected:
  using Vector = linalg::Vector;
  using VectorIn = linalg::VectorIn;
  using VectorOut = linalg::VectorOut;

  StateSpaceMethod(const MethodContext& context, const StateSpaceOptions& options);

  /// The state or the chart is another one.
  virtual void begin_anew() {}
  /// From y_ to y_trial_ at trial_.t; error_ is the estimate, filtered. False when equations could not be solved. A
  /// method that chooses its own steps ends where it likes: it sets trial_.t and h_.
  virtual bool advance(double h) = 0;
  /// q and v of trial_ as they are to be expected at the end of the step, after advance(): where to look for dependent
  /// coordinates.
  virtual void predict_trial();
  /// The weighted error of the step, when trial_ is complete.
  virtual double calc_error() { return equations_.calc_norm(error_); }
  virtual void note_accepted() {}
  /// y at the share theta of the last accepted step, from y_begin_ on.
  virtual void interpolate_reduced(double theta, VectorOut y) = 0;
  /// Why advance() returned false; empty: the equations know.
  virtual std::string describe_advance() { return {}; }
  virtual void add_matrix_counts(Statistics& /*statistics*/) const {}
  virtual std::string describe_matrix() const { return {}; }

  /// q, v, a that are to be expected `ahead` of the begin of the step: where to look for dependent coordinates.
  void predict_state(double ahead, dae::State& out) const;

  MethodContext context_;
  ReducedEquations equations_;
  StateSpaceOptions options_;
  int n_w_, n_x_;
  dae::State begin_, state_, trial_, stage_;
  Vector y_begin_, y_, y_trial_, error_, y_work_;
  double h_ = 0;

 private:
  bool complete_trial();
  bool stays_in_chart();
  bool choose_chart();

  bool chart_is_due_ = true;
  bool chart_is_fresh_ = false;  // chosen at state_
};

}  // namespace trammel::integrators
