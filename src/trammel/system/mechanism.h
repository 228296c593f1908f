#pragma once

// A compiled model: bodies, joints and forces as equations (quasi-velocity form; PlainForm lifts it to v = q').
//
// Immutable; everything that changes is in the workspace. Extra states are, in this order: those of the model, mode and
// anchor of each dry friction, one for each angle in space whose turns must be counted, and, if asked for, the energies
// taken out and put in.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "trammel/dae/constrained_system.h"
#include "trammel/model/model.h"
#include "trammel/system/body_table.h"
#include "trammel/system/constraints.h"
#include "trammel/system/forces.h"
#include "trammel/system/plain_form.h"
#include "trammel/system/signals.h"

namespace trammel::system {

struct CompileOptions {
  ConstraintOptions constraints;
  bool with_energy_states = false;  ///< integrate dissipated and driven power along
  /// Dry friction that sticks and slips, which needs the events of analyses/model_events.h. Without it only the viscous
  /// part is there.
  bool with_dry_friction = true;
};

class Mechanism final : public dae::ConstrainedSystem {
 public:
  /// Throws std::invalid_argument with messages for the user when the model makes no sense.
  explicit Mechanism(std::shared_ptr<const model::Model> model, const CompileOptions& options = {});
  ~Mechanism() override;
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;

  const model::Model& model() const { return *model_; }
  const std::shared_ptr<const model::Model>& shared_model() const;
  /// What it was compiled with, so that the model can be compiled again with other rows.
  const CompileOptions& options() const;
  const BodyTable& bodies() const { return bodies_; }
  const Constraints& constraints() const { return constraints_; }
  const Forces& forces() const { return forces_; }
  const Signals& signals() const { return signals_; }
  /// The extra state that holds the energy dissipated so far; the next one that of the drives; -1 when there are none.
  int energy_states() const { return energy_state_; }
  /// Rotations, for PlainForm; empty for planar models.
  std::vector<RotationSlot> rotations() const;

  /// Positions, velocities and extra states that the model gives, not made consistent.
  dae::State given_state() const;
  /// Sets the extra states that count turns from the positions of the state, with the turns nearest to what they are.
  void set_counters(dae::State& state) const;

  void calc_mass(const dae::Point& at, dae::MatrixValues M) const override;
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override;
  void calc_implied(const dae::Point& at, dae::VectorOut residuals) const override;
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override;
  void calc_velocity_offset(const dae::Point& at, dae::VectorOut g_t) const override;
  void calc_force(const dae::Point& at, dae::VectorOut f) const override;
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override;
  void calc_position_rate(dae::VectorIn q, dae::VectorIn v, dae::VectorOut q_rate) const override;
  void retract(dae::VectorIn q, dae::VectorIn delta, dae::VectorOut result) const override;
  void calc_state_rate(const dae::Point& at, dae::VectorOut rate) const override;
  void calc_state_residual(const dae::Point& at, dae::VectorOut d) const override;
  void calc_following_states(const dae::Point& at, dae::VectorOut x) const override;
  bool calc_derivative(dae::Derivative which, const dae::Point& at, dae::VectorIn s,
                       dae::MatrixValues values) const override;
  std::optional<double> calc_potential_energy(const dae::Point& at) const override;
  std::string find_trouble(const dae::Point& at) const override;
  std::unique_ptr<dae::Workspace> make_workspace() const override;
  void prepare_position(dae::Point& at) const override;
  void prepare_velocity(dae::Point& at) const override;

  // --- for forms that know where the bodies are without q and v, which are not looked at then (joint_form.h)
  /// In place of prepare_position().
  void prepare_frames(dae::Point& at, const std::vector<BodyFrame>& frames) const;
  /// In place of prepare_velocity(): to be filled in.
  std::vector<Twist>& twists(dae::Point& at) const;
  /// calc_force() without gravity and gyroscopic torques.
  void add_element_forces(const dae::Point& at, dae::VectorOut f) const;

 private:
  struct Work;
  struct Parts;
  explicit Mechanism(std::unique_ptr<Parts> parts);

  ConstraintInput constraint_input(const dae::Point& at) const;
  SignalInput signal_input(const dae::Point& at) const;
  void eval_motions(const dae::Point& at) const;
  void eval_state_signals(const dae::Point& at, bool with_gradients) const;
  void calc_rates(const dae::Point& at, dae::VectorOut rate) const;
  void count_turns(const std::vector<BodyFrame>& frames, const linalg::Vector& near, dae::VectorOut x) const;
  bool calc_state_derivative(dae::Derivative which, const dae::Point& at, dae::MatrixValues values) const;

  std::unique_ptr<Parts> parts_;
  const model::Model* model_;
  const BodyTable& bodies_;
  const Constraints& constraints_;
  const Signals& signals_;
  const Forces& forces_;
  int energy_state_ = -1;
};

}  // namespace trammel::system
