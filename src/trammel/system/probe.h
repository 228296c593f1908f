#pragma once

// What an observer may want to know of a mechanism at a complete state: poses, reactions, forces, energies, the values
// of expressions. One per thread; set() a state, then ask.

#include "trammel/system/mechanism.h"

namespace trammel::system {

class Probe {
 public:
  /// Keeps a reference.
  explicit Probe(const Mechanism& mechanism);

  const Mechanism& mechanism() const { return mechanism_; }
  /// The state needs a and lambda where accelerations and reactions are asked for. Copied; nothing is computed again
  /// for the state that is set already.
  void set(const dae::State& state);

  const dae::State& state() const { return state_; }
  const std::vector<BodyFrame>& frames() const { return frames_; }
  const std::vector<Twist>& twists() const { return twists_; }
  const std::vector<Acceleration>& accelerations() const { return accelerations_; }

  /// A marker's point, its velocity and acceleration (ground axes), its axes R_GM and the angular velocity (ground
  /// axes).
  MarkerState<double> calc_marker(const MarkerGeometry& marker) const;
  /// What a joint exerts on the body of its marker J at that marker's point: force and torque, ground axes [N, N m].
  Wrench calc_reaction(int joint) const;
  double calc_joint_coordinate(const model::JointCoordinate& which) const;
  double calc_joint_rate(const model::JointCoordinate& which) const;
  /// As Forces::calc_values.
  void calc_force_values(int force, double* values);
  /// Of a dry friction, an element of Forces::frictions(): its mode, load, slip velocity, and coordinate, and a
  /// component of the load where that has an edge.
  FrictionMode friction_mode(int element) const { return frictions().mode(signal_input(), element); }
  double calc_friction_load(int element) const { return frictions().calc_load(signal_input(), element); }
  double calc_friction_rate(int element) const { return frictions().calc_rate(signal_input(), element); }
  double calc_friction_acceleration(int element) const {
    return frictions().calc_acceleration(signal_input(), element);
  }
  double calc_friction_coordinate(int element) const { return frictions().calc_coordinate(signal_input(), element); }
  double calc_friction_edge(int element, int edge) const {
    return frictions().calc_edge(signal_input(), element, edge);
  }
  EnergyFlow calc_energy();
  double calc_kinetic_energy() const;
  /// The value of an expression of the model.
  double eval(const ProgramUse& program);

 private:
  const DryFrictions& frictions() const { return mechanism_.forces().frictions(); }
  SignalInput signal_input() const;
  void ensure_signals();

  const Mechanism& mechanism_;
  dae::State state_;
  std::vector<BodyFrame> frames_;
  std::vector<Twist> twists_;
  std::vector<Acceleration> accelerations_;
  std::vector<Wrench> wrenches_;
  SignalWork work_;
  std::vector<int> order_;  // all signals, each after what it depends on
  bool has_state_ = false, has_signals_ = false;
};

}  // namespace trammel::system
