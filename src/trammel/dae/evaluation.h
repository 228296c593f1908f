#pragma once

// Evaluates a system at a moving point, each quantity at most once per stage, and counts what it did.
//
// Setting a new position forgets everything, setting a new velocity keeps what depends on the position only, and
// setting the same values again forgets nothing; of what belongs to the position, only g may depend on x, and G and the
// bias where rows can be switched off. One Evaluation belongs to one thread. Memory is taken at construction and at the
// first use of a derivative.

#include "trammel/dae/constrained_system.h"
#include "trammel/dae/evaluation_counts.h"
#include "trammel/dae/numerical_derivative.h"

namespace trammel::dae {

class Evaluation {
 public:
  /// Keeps a reference to the system.
  explicit Evaluation(const ConstrainedSystem& system);

  const ConstrainedSystem& system() const { return system_; }
  const Structure& structure() const { return system_.structure(); }
  const Point& point() const { return point_; }
  const EvaluationCounts& counts() const { return counts_; }

  void set_position(double t, VectorIn q);
  void set_velocity(VectorIn v);
  void set_x(VectorIn x);
  void set_lambda(VectorIn lambda);
  void set_acceleration(VectorIn a);
  void set_x_rate(VectorIn x_rate);
  void set(const State& state);

  // --- position stage
  const double* mass();
  const double* jacobian();
  const Vector& constraint();
  const Vector& velocity_offset();
  /// Of a system with a Structure::tree.
  const TreeValues& tree();
  /// Residuals of the implied constraints; computed at every call.
  const Vector& implied();
  // --- velocity stage
  const Vector& force();
  /// The force as wrenches on the nodes of Structure::tree; null where the system does not give it so.
  const double* tree_force();
  const Vector& acceleration_bias();
  /// Whether the system gives the bias itself, so that it does not come from finite differences.
  bool gives_acceleration_bias();
  // --- extra states
  const Vector& state_rate();
  const Vector& state_residual();
  /// Renews the states that follow the position and returns x.
  const Vector& follow_position();

  /// Values of a derivative at the present point, valid until the same derivative is asked for again. A derivative
  /// whose pattern is empty is never evaluated.
  const double* derivative(Derivative which, VectorIn direction = Vector());

  // --- small compositions
  /// G v + g_t.
  void calc_velocity_residual(VectorOut residual);
  /// v^T M v / 2.
  double calc_kinetic_energy();
  /// v^T M v / 2 + potential; nothing when the system has no potential energy.
  std::optional<double> calc_energy();
  /// ConstrainedSystem::find_trouble() at the present point.
  std::string find_trouble();

 private:
  // One bit per stored quantity.
  enum Quantity : unsigned {
    kMass = 1,
    kJacobian = 2,
    kConstraint = 4,
    kVelocityOffset = 8,
    kForce = 16,
    kBias = 32,
    kStateRate = 64,
    kStateResidual = 128,
    kTree = 256,
    kTreeForce = 512,
  };
  static constexpr unsigned kForces = kForce | kTreeForce;
  static constexpr unsigned kStateQuantities = kStateRate | kStateResidual;

  bool is_fresh(Quantity quantity) const { return (fresh_ & quantity) != 0; }
  void forget(unsigned quantities) { fresh_ &= ~quantities; }
  void forget_by_x();
  void ensure_position();
  void ensure_velocity();
  void calc_bias_by_differences(VectorOut bias);
  double calc_tree_energy();

  const ConstrainedSystem& system_;
  Point point_;
  EvaluationCounts counts_;
  unsigned fresh_ = 0;
  std::optional<bool> gives_bias_;  // known since the first bias
  bool position_prepared_ = false;
  bool velocity_prepared_ = false;
  TreeValues tree_;
  std::vector<double> tree_force_, twists_;  // of the nodes; twists: behind that of the ground
  Vector mass_, jacobian_, constraint_, implied_, velocity_offset_, force_, bias_, state_rate_, state_residual_;
  std::array<Vector, kDerivativeCount> derivatives_;
  std::unique_ptr<NumericalDerivatives> numerical_;
};

}  // namespace trammel::dae
