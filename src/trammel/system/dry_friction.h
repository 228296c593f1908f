#pragma once

// Dry friction in joints, in proportion to the load L(q, lambda) that a joint bears (model::DryFriction). Theory:
// docs/theory/friction.md.
//
// What an element does is said by its mode, an extra state that only events change, so that the equations are smooth in
// between (the load itself has an edge where a single component that it is the size of changes sign):
//
//   stuck    a row c(q) = anchor holds the coordinate c; its multiplier is the negative of the holding force
//   slips    -s mu L on the coordinate, s = +-1
//   held     at rest because others hold it; -s mu L as well, which is its share of the holding
//   idle     the same without a share: free of Coulomb friction
//
// and -viscous c' in every mode.

#include <string>
#include <vector>

#include "trammel/system/constraints.h"
#include "trammel/system/signals.h"

namespace trammel::system {

enum class FrictionMode { kStuck = 0, kSlips = 1, kSlipsBack = -1, kHeld = 2, kHeldBack = -2, kIdle = 3 };
/// The mode that a state means: what interpolation leaves of it is rounded.
FrictionMode to_friction_mode(double state);
inline bool is_slipping(FrictionMode mode) { return mode == FrictionMode::kSlips || mode == FrictionMode::kSlipsBack; }
/// s above: the direction in which an element slips or would; 0 where it exerts no sliding friction.
int direction_of(FrictionMode mode);

class DryFrictions {
 public:
  /// Keeps references. With `first_state` < 0 the elements have no modes: there is no dry friction, only the viscous
  /// part. Throws std::invalid_argument for joints that cannot have it.
  DryFrictions(const model::Model& model, const BodyTable& bodies, const Constraints& constraints, int first_state);

  /// The rows that hold what sticks, for a model whose friction has the states from `first_state` on: mode and anchor
  /// of each element, in the order of the forces.
  static std::vector<LockRow> make_locks(const model::Model& model, int first_state);
  static std::vector<std::string> state_names(const model::Model& model);

  int count() const { return static_cast<int>(elements_.size()); }
  /// The force of the model that an element is, and the element that is a force.
  int force(int element) const { return elements_[static_cast<std::size_t>(element)].force; }
  int element_of(int force) const;
  const std::string& name(int element) const;
  const model::DryFriction& data(int element) const { return elements_[static_cast<std::size_t>(element)].data; }
  /// Extra states, and the row of the lock; -1 where there is no dry friction.
  int mode_state(int element) const { return elements_[static_cast<std::size_t>(element)].mode; }
  int anchor_state(int element) const { return elements_[static_cast<std::size_t>(element)].anchor; }
  int lock_row(int element) const { return elements_[static_cast<std::size_t>(element)].lock_row; }
  bool is_active() const { return is_active_; }

  const std::vector<linalg::Entry>& by_q() const { return by_q_; }
  const std::vector<linalg::Entry>& by_v() const { return by_v_; }
  const std::vector<linalg::Entry>& by_lambda() const { return by_lambda_; }

  /// Adds the generalised forces, without those of locks, which are reactions.
  void calc(const SignalInput& in, linalg::VectorOut f) const;
  void calc_by_q(const SignalInput& in, double* values) const;
  void calc_by_v(const SignalInput& in, double* values) const;
  void calc_by_lambda(const SignalInput& in, double* values) const;
  /// Power that friction takes out [W].
  double calc_dissipated(const SignalInput& in) const;

  FrictionMode mode(const SignalInput& in, int element) const;
  double calc_coordinate(const SignalInput& in, int element) const;
  double calc_rate(const SignalInput& in, int element) const;
  double calc_acceleration(const SignalInput& in, int element) const;
  /// L [N] or [N m].
  double calc_load(const SignalInput& in, int element) const;
  /// On the coordinate: friction, or what holds it [N] or [N m].
  double calc_value(const SignalInput& in, int element) const;
  /// The components whose sizes the load is a sum of, where they stand alone: L has an edge where one changes sign.
  int edge_count(int element) const;
  double calc_edge(const SignalInput& in, int element, int edge) const;

 private:
  struct Element {
    int force;
    model::DryFriction data;
    PlacedCoordinate coordinate;
    bool turns;
    MarkerGeometry i, j;
    std::vector<Constraints::JointRow> rows;
    SlotList slots;      // of the coordinate
    SlotList all_slots;  // of both bodies
    int mode = -1, anchor = -1, lock_row = -1;
    int q = 0, v = 0, lambda = 0;  // places of its values in the derivatives
  };
  /// The load and its derivatives by the displacements of both bodies and by the multipliers of Element::rows.
  struct Load {
    double value = 0;
    Vector12 by_q;
    Wrench by_wrench;
  };

  void add(const model::Model& model, int index);
  const Element& at(int element) const { return elements_[static_cast<std::size_t>(element)]; }
  Wrench calc_wrench(const Element& e, const SignalInput& in) const;
  template <class T>
  Eigen::Matrix<T, 6, 1> calc_components(const Element& e, const Eigen::Matrix<T, 6, 1>& wrench,
                                         const math::Matrix3<T>& R_A, const math::Matrix3<T>& R_B) const;
  template <class T>
  T calc_load(const Element& e, const Eigen::Matrix<T, 6, 1>& components) const;
  Eigen::Matrix<double, 6, 1> calc_components(const Element& e, const SignalInput& in) const;
  Load calc_load_gradient(const Element& e, const SignalInput& in) const;
  /// s mu: what the load is multiplied by.
  double calc_factor(const Element& e, const SignalInput& in) const;
  /// The components that the load takes the size of one by one, of calc_components().
  std::vector<int> single_components(const Element& e) const;

  const model::Model& model_;
  const BodyTable& bodies_;
  const Constraints& constraints_;
  int first_state_;
  bool is_active_;
  std::vector<Element> elements_;
  std::vector<std::vector<int>> edges_;
  std::vector<linalg::Entry> by_q_, by_v_, by_lambda_;
};

}  // namespace trammel::system
