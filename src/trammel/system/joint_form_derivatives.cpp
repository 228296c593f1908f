// Exact derivatives of the equations in joint coordinates, by the chain rule (docs/theory/joint-coordinates.md). Names:
// f_q, f_v, ... are derivatives of the inner system.

#include "trammel/system/joint_form.h"
#include "trammel/system/joint_form_room.h"

namespace trammel::system {

using dae::Derivative;
using dae::MatrixValues;
using dae::Point;
using dae::VectorIn;
using linalg::Vector;

/// A matrix under construction: J^T sum_k A_k P_k + C.
class JointForm::Sum {
 public:
  Sum(const JointForm& form, const Point& point, const TreeMatrix& matrix, Room& work_room, MatrixValues values)
      : room(work_room), at(point), form_(form), matrix_(matrix), values_(values.data()) {
    room.half.assign(static_cast<std::size_t>(matrix_.half_size()), 0);
  }

  /// A_k with the given values.
  void add(int k, const double* values, const PathMatrix& P, double scale) {
    matrix_.gather(k, values, P, scale, room.half.data());
  }
  /// A_k is a derivative of the inner system. False when it is not given.
  bool add(int k, Derivative which, VectorIn s, const PathMatrix& P, double scale) {
    const linalg::Pattern& pattern = form_.inner().structure().pattern(which);
    if (pattern.size() == 0) return true;
    room.derivative.head(pattern.size()).setZero();
    if (!form_.inner().calc_derivative(which, form_.eval_inner_velocity(at, room), s,
                                       {pattern, room.derivative.data()}))
      return false;
    add(k, room.derivative.data(), P, scale);
    return true;
  }
  void spread() { matrix_.spread(room.places, room.half.data(), values_); }
  /// The derivative of J^T z at fixed z.
  void add_projected(VectorIn z) {
    form_.write_wrenches(room.places.frames, z, room.wrenches);
    add_projected_wrenches();
  }
  /// The same of z as wrenches, in the room.
  void add_projected_wrenches() { matrix_.add_projected_by_q(room.places, room.wrenches, room.loads, values_); }

  Room& room;
  const Point& at;

 private:
  const JointForm& form_;
  const TreeMatrix& matrix_;
  double* values_;
};

const PathMatrix& JointForm::eval_velocity_by_q(const Point& at, Room& room) const {
  if (!room.has_velocity_by_q) {
    eval_fields(at, room);
    room.velocity_by_q.resize(static_cast<std::size_t>(tree_->matrix_size()));
    tree_->calc_velocity_by_q(room.places, room.V, room.velocity_by_q);
    room.has_velocity_by_q = true;
  }
  return room.velocity_by_q;
}

const PathMatrix& JointForm::eval_c_by_q(const Point& at, Room& room) const {
  if (!room.has_c_by_q) {
    eval_fields(at, room);
    room.c_by_q.resize(static_cast<std::size_t>(tree_->matrix_size()));
    tree_->calc_acceleration_by_q(room.places, room.V, room.C, room.c_by_q);
    room.has_c_by_q = true;
  }
  return room.c_by_q;
}

const PathMatrix& JointForm::eval_c_by_v(const Point& at, Room& room) const {
  if (!room.has_c_by_v) {
    eval_fields(at, room);
    room.c_by_v.resize(static_cast<std::size_t>(tree_->matrix_size()));
    tree_->calc_bias_by_u(room.places, room.V, at.v, room.c_by_v);
    room.has_c_by_v = true;
  }
  return room.c_by_v;
}

bool JointForm::calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const {
  Room& room = at.workspace_as<Room>();
  Sum sum(*this, at, layout_.derivative(which), room, values);
  switch (which) {
    case Derivative::kInertiaByQ: return calc_inertia_by_q(sum, s);
    case Derivative::kReactionByQ: return calc_reaction_by_q(sum, s);
    case Derivative::kForceByQ: return calc_force_by_q(sum);
    case Derivative::kForceByV: return calc_force_by_v(sum);
    case Derivative::kVelocityByQ: return calc_velocity_by_q(sum);
    case Derivative::kAccelerationByQ: return calc_acceleration_by_q(sum, s);
    case Derivative::kBiasByV: return calc_bias_by_v(sum);
    case Derivative::kStateByQ: return calc_state_by_q(sum);
    case Derivative::kStateByV: return calc_state_by_v(sum);
    case Derivative::kForceByLambda:
    case Derivative::kForceByX:
    case Derivative::kStateByXRate:
    case Derivative::kStateByX:
    case Derivative::kStateByA:
    case Derivative::kStateByLambda: break;
  }
  // Rows and columns as they are, or projected.
  if (!sum.add(0, which, s, which == Derivative::kStateByA ? eval_J(room) : room.J, 1)) return false;
  sum.spread();
  return true;
}

/// d(J^T M J s)/dq, M constant
bool JointForm::calc_inertia_by_q(Sum& sum, VectorIn s) const {
  Room& room = sum.room;
  lower(room, s, room.y);
  room.P.resize(static_cast<std::size_t>(tree_->matrix_size()));
  tree_->calc_velocity_by_q(room.places, room.W, room.P);
  sum.add(0, inner_mass_.data(), room.P, 1);
  sum.spread();
  room.z.setZero();
  inner_->structure().mass.add_product(inner_mass_.data(), room.y, 1, room.z);
  sum.add_projected(room.z);
  return true;
}

/// d(J^T G^T s)/dq
bool JointForm::calc_reaction_by_q(Sum& sum, VectorIn s) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kReactionByQ, s, eval_J(room), 1)) return false;
  sum.spread();
  room.z.setZero();
  inner_->structure().jacobian.add_transposed_product(eval_inner_jacobian(room), s, 1, room.z);
  sum.add_projected(room.z);
  return true;
}

/// d(J^T (f - M c))/dq
bool JointForm::calc_force_by_q(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kForceByQ, Vector(), eval_J(room), 1)) return false;
  if (!sum.add(1, Derivative::kForceByV, Vector(), eval_velocity_by_q(sum.at, room), 1)) return false;
  sum.add(2, inner_mass_.data(), eval_c_by_q(sum.at, room), -1);
  sum.spread();
  calc_wrenches(sum.at, room);
  sum.add_projected_wrenches();
  return true;
}

/// d(J^T (f - M c))/du
bool JointForm::calc_force_by_v(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kForceByV, Vector(), eval_J(room), 1)) return false;
  sum.add(1, inner_mass_.data(), eval_c_by_v(sum.at, room), -1);
  sum.spread();
  return true;
}

/// d(G J u + g_t)/dq
bool JointForm::calc_velocity_by_q(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kVelocityByQ, Vector(), eval_J(room), 1)) return false;
  sum.add(1, eval_inner_jacobian(room), eval_velocity_by_q(sum.at, room), 1);
  sum.spread();
  return true;
}

/// d(G (J s + c) - bias)/dq
bool JointForm::calc_acceleration_by_q(Sum& sum, VectorIn s) const {
  Room& room = sum.room;
  lower_rate(sum.at, room, s, room.W, room.y);
  if (!sum.add(0, Derivative::kAccelerationByQ, room.y, eval_J(room), 1)) return false;
  room.P.resize(static_cast<std::size_t>(tree_->matrix_size()));
  tree_->calc_acceleration_by_q(room.places, room.V, room.W, room.P);
  sum.add(1, eval_inner_jacobian(room), room.P, 1);
  if (!sum.add(2, Derivative::kBiasByV, Vector(), eval_velocity_by_q(sum.at, room), -1)) return false;
  sum.spread();
  return true;
}

/// d(bias - G c)/du
bool JointForm::calc_bias_by_v(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kBiasByV, Vector(), eval_J(room), 1)) return false;
  sum.add(1, eval_inner_jacobian(room), eval_c_by_v(sum.at, room), -1);
  sum.spread();
  return true;
}

/// dd/dq of (4)
bool JointForm::calc_state_by_q(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kStateByQ, Vector(), eval_J(room), 1)) return false;
  if (!sum.add(1, Derivative::kStateByV, Vector(), eval_velocity_by_q(sum.at, room), 1)) return false;
  if (inner_->structure().pattern(Derivative::kStateByA).size() > 0) {
    lower_rate(sum.at, room, sum.at.a, room.W, room.y);
    room.P.resize(static_cast<std::size_t>(tree_->matrix_size()));
    tree_->calc_acceleration_by_q(room.places, room.V, room.W, room.P);
    if (!sum.add(2, Derivative::kStateByA, Vector(), room.P, 1)) return false;
  }
  sum.spread();
  return true;
}

/// dd/du of (4)
bool JointForm::calc_state_by_v(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kStateByV, Vector(), eval_J(room), 1)) return false;
  if (!sum.add(1, Derivative::kStateByA, Vector(), eval_c_by_v(sum.at, room), 1)) return false;
  sum.spread();
  return true;
}

}  // namespace trammel::system
