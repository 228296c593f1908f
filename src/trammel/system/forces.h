#pragma once

// The applied forces of a compiled model: gravity and gyroscopic torques of the bodies, and the force elements, by kind
// in contiguous arrays. Every element gives its generalised forces and their exact derivatives by q, v and x, dry
// friction (dry_friction.h) also by lambda.
//
// A generalised force on a body is (force in ground axes, torque about the centre of mass in body axes).

#include <array>
#include <vector>

#include "trammel/system/dry_friction.h"
#include "trammel/system/signals.h"

namespace trammel::system {

/// Power and energy of all elements at one moment.
struct EnergyFlow {
  double potential = 0;   ///< stored in springs and gravity [J]
  double dissipated = 0;  ///< power that dampers and friction take out [W]
  double driven = 0;      ///< power that expressions and preset components put in [W]
};

class Forces {
 public:
  /// Keeps references.
  Forces(const model::Model& model, const BodyTable& bodies, const Signals& signals, const DryFrictions& frictions);

  const DryFrictions& frictions() const { return frictions_; }

  linalg::Pattern pattern_by_q() const { return {bodies_.n_v(), bodies_.n_v(), by_q_}; }
  linalg::Pattern pattern_by_v() const { return {bodies_.n_v(), bodies_.n_v(), by_v_}; }
  linalg::Pattern pattern_by_lambda(int m) const { return {bodies_.n_v(), m, frictions_.by_lambda()}; }
  linalg::Pattern pattern_by_x(int n_x) const { return {bodies_.n_v(), n_x, by_x_}; }

  /// Adds the generalised forces: gravity, and the gyroscopic torques -w x J w, ...
  void add_body_forces(const SignalInput& in, linalg::VectorOut f) const;
  /// ... and those of the elements.
  void add_element_forces(const SignalInput& in, SignalWork& work, linalg::VectorOut f) const;
  bool has_elements() const { return !element_of_.empty(); }
  void calc_by_q(const SignalInput& in, SignalWork& work, double* values) const;
  void calc_by_v(const SignalInput& in, SignalWork& work, double* values) const;
  void calc_by_x(const SignalInput& in, SignalWork& work, double* values) const;
  void calc_by_lambda(const SignalInput& in, double* values) const { frictions_.calc_by_lambda(in, values); }
  /// Whether all forces have a potential energy or do no work, so that energy is kept.
  bool is_conservative() const { return is_conservative_; }
  EnergyFlow calc_energy(const SignalInput& in, SignalWork& work) const;

  /// The value of a scalar force or of friction [N, N m], or force and torque of the others on the body of the marker
  /// they act on, at that marker's point, ground axes.
  int value_count(int force) const;
  void calc_values(const SignalInput& in, SignalWork& work, int force, double* values) const;
  /// In words, why a force is not a finite number; empty when it is one. The signals that it needs are computed.
  std::string describe_fault(const SignalInput& in, SignalWork& work, int force) const;
  /// The signals that the forces need, in the order in which they are computed.
  const std::vector<int>& order() const { return order_; }

 private:
  struct ScalarElement {
    int force;
    PlacedCoordinate coordinate;
    int counter;
    ScalarLaw law;
    SlotList slots;
    int q, v, x;  // places of its values in the three derivatives
  };
  struct VectorElement {
    int force;
    MarkerGeometry i, j, frame;
    bool has_reaction;
    std::array<ProgramUse, 6> components;
    std::array<bool, 6> is_used;
    SlotList slots;           // of the bodies of i and j
    std::vector<int> frames;  // bodies whose motion turns or shifts it
    int q, v, x;
  };
  struct BushingElement {
    int force;
    MarkerGeometry i, j;
    model::Bushing data;
    SlotList slots;
    int q, v;
  };

  void add_scalar(const model::Model& model, int index);
  void add_vector(const model::Model& model, int index);
  void add_bushing(const model::Model& model, int index);
  /// Places of a product of rows (slots of a and b) and the part of a support that lies in [first, last).
  int add_support_entries(std::vector<linalg::Entry>& entries, int a, int b, const SlotList& slots,
                          const std::vector<int>& support, int first, int last) const;

  /// Where the points of a distance coincide, G and the rate are those of parting. Between points that rest there, a
  /// force has no direction: G is then not a number, unless the force is zero. The derivatives of the force are there
  /// by_value D^T D by q, where one exists, and by_rate G G^T + across (D^T D - G G^T) by v; D^T D: parting_hessian().
  struct ScalarState {
    Vector12 G;
    double c, rate;
    ScalarLaw::Value law;
    double total;
    bool is_degenerate;
    double across;
  };
  ScalarState eval_scalar(const ScalarElement& e, const SignalInput& in, SignalWork& work) const;
  template <class T>
  static Eigen::Matrix<T, 12, 1> calc_wrench(const VectorElement& e, const Eigen::Matrix<double, 6, 1>& components,
                                             const BodyState<T>& A, const BodyState<T>& B, const BodyState<T>& C);
  template <class T>
  static Eigen::Matrix<T, 12, 1> calc_wrench(const BushingElement& e, const BodyState<T>& A, const BodyState<T>& B);
  template <class Element>
  void add_to(const Element& e, int a, int b, const Vector12& wrench, linalg::VectorOut f) const;
  void add_frame_columns(const VectorElement& e, const Eigen::Matrix<double, 6, 1>& components, const SignalInput& in,
                         double*& values) const;
  /// The columns by the unknowns [first, last) that its expressions depend on.
  void add_program_columns(const VectorElement& e, const SignalInput& in, SignalWork& work, int first, int last,
                           double*& values) const;
  void add_bushing_columns(const BushingElement& e, const SignalInput& in, bool by_velocity, double* values) const;
  static double calc_bushing_potential(const BushingElement& e, const BodyState<double>& A, const BodyState<double>& B,
                                       const TwistPair& xi, double& rate);
  Eigen::Matrix<double, 6, 1> eval_components(const VectorElement& e, SignalWork& work) const;

  const model::Model& model_;
  const BodyTable& bodies_;
  const Signals& signals_;
  const DryFrictions& frictions_;
  int friction_q_ = 0, friction_v_ = 0;  // where their values begin in the derivatives
  Eigen::Vector3d gravity_;
  std::vector<ScalarElement> scalars_;
  std::vector<VectorElement> vectors_;
  std::vector<BushingElement> bushings_;
  std::vector<std::pair<int, int>> element_of_;  // kind (0 scalar, 1 vector, 2 bushing, 3 friction) and place
  std::vector<linalg::Entry> by_q_, by_v_, by_x_;
  std::vector<int> order_;  // signals that the forces need
  bool is_conservative_ = true;
};

}  // namespace trammel::system
