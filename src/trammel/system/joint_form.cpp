#include "trammel/system/joint_form.h"

#include <algorithm>
#include <utility>

#include "trammel/system/joint_form_room.h"

namespace trammel::system {

using dae::MatrixValues;
using dae::Point;
using dae::State;
using dae::VectorIn;
using dae::VectorOut;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using linalg::Vector;

JointForm::Room::Room(const Mechanism& system, const JointTree& tree, const Layout& layout) {
  const dae::Structure& s = system.structure();
  static_cast<State&>(inner) = State::zero(s);
  inner.workspace = system.make_workspace();
  places = tree.make_places();
  V = C = W = tree.make_field();
  c = y = z = Vector::Zero(s.n_v());
  zero = Vector::Zero(tree.n_v());
  jacobian = Vector::Zero(s.jacobian.size());
  const auto frames = static_cast<std::size_t>(system.bodies().frames());
  wrenches.resize(frames);
  loads.resize(frames);
  composites.resize(frames);
  if (s.m() > 0) J.resize(static_cast<std::size_t>(tree.matrix_size()));
  int largest = 0;
  for (const linalg::Pattern& pattern : s.derivatives) largest = std::max(largest, pattern.size());
  derivative = Vector::Zero(largest);
  half.reserve(static_cast<std::size_t>(layout.jacobian.half_size()));
}

// --- bodies

void JointForm::write_velocities(const std::vector<BodyFrame>& frames, const std::vector<Screw>& twists,
                                 VectorOut xi) const {
  const BodyTable& bodies = inner_->bodies();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const Screw& V = twists[static_cast<std::size_t>(frame)];
    const int i = bodies.v_of(frame);
    if (bodies.is_planar()) {
      xi.segment<3>(i) << V.v[0], V.v[1], V.w[2];
    } else {
      xi.segment<3>(i) = V.v;
      xi.segment<3>(i + 3).noalias() = frames[static_cast<std::size_t>(frame)].R.transpose() * V.w;
    }
  }
}

void JointForm::lower(Room& room, VectorIn x, VectorOut xi) const {
  tree_->calc_field(room.places, x, room.W);
  write_velocities(room.places.frames, room.W.bodies, xi);
}

void JointForm::add_turning(const TreeField& V, std::vector<Screw>& rates) {
  for (std::size_t k = 1; k < rates.size(); ++k) rates[k].v += V.bodies[k].w.cross(V.bodies[k].v);
}

void JointForm::lower_rate(Room& room, VectorIn u, VectorIn x, TreeField& A, VectorOut xi_rate) const {
  tree_->calc_rate_field(room.places, room.V, u, x, A);
  write_velocities(room.places.frames, A.bodies, xi_rate);
  const BodyTable& bodies = inner_->bodies();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const Screw& V = room.V.bodies[static_cast<std::size_t>(frame)];
    const Vector3d turning = V.w.cross(V.v);
    const int i = bodies.v_of(frame);
    xi_rate.segment<2>(i) += turning.head<2>();
    if (!bodies.is_planar()) xi_rate[i + 2] += turning[2];
  }
}

void JointForm::write_wrenches(const std::vector<BodyFrame>& frames, VectorIn z, std::vector<Screw>& wrenches) const {
  const BodyTable& bodies = inner_->bodies();
  wrenches[0] = Screw();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    Screw& wrench = wrenches[static_cast<std::size_t>(frame)];
    const int i = bodies.v_of(frame);
    if (bodies.is_planar()) {
      wrench = {{z[i], z[i + 1], 0}, {0, 0, z[i + 2]}};
    } else {
      wrench.v = z.segment<3>(i);
      wrench.w.noalias() = frames[static_cast<std::size_t>(frame)].R * z.segment<3>(i + 3);
    }
  }
}

void JointForm::write_positions(const TreePlaces& places, VectorOut q) const {
  const BodyTable& bodies = inner_->bodies();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const BodyFrame& body = places.frames[static_cast<std::size_t>(frame)];
    const int i = bodies.q_of(frame);
    if (bodies.is_planar()) {
      q.segment<3>(i) << body.r[0], body.r[1], body.angle;
    } else {
      q.segment<7>(i) << body.r, places.turns[static_cast<std::size_t>(frame)];
    }
  }
}

// --- stages

std::unique_ptr<dae::Workspace> JointForm::make_workspace() const {
  return std::make_unique<Room>(*inner_, *tree_, layout_);
}

void JointForm::prepare_position(Point& at) const {
  Room& room = at.workspace_as<Room>();
  room.has_J = room.has_jacobian = false;
  room.inner.t = at.t;
  tree_->calc_places(at.q.data(), room.places);
  write_positions(room.places, room.inner.q);
  inner_->prepare_position(room.inner);
}

void JointForm::prepare_velocity(Point& at) const {
  Room& room = at.workspace_as<Room>();
  room.has_c = room.has_velocity_by_q = room.has_c_by_q = room.has_c_by_v = false;
  tree_->calc_field(room.places, at.v, room.V);
  write_velocities(room.places.frames, room.V.bodies, room.inner.v);
  inner_->prepare_velocity(room.inner);
}

void JointForm::pass_on_states(const Point& at, Room& room) const {
  if (structure().n_x() == 0 || room.inner.x == at.x) return;
  room.inner.x = at.x;
  if (!structure().switchable_rows.empty()) room.has_jacobian = false;
}

void JointForm::pass_on(const Point& at, Room& room) const {
  room.inner.lambda = at.lambda;
  if (structure().n_x() == 0) return;
  pass_on_states(at, room);
  room.inner.x_rate = at.x_rate;
  lower_rate(room, at.v, at.a, room.W, room.inner.a);
}

const Vector& JointForm::eval_c(const Point& at, Room& room) const {
  if (!room.has_c) lower_rate(room, at.v, room.zero, room.C, room.c);
  room.has_c = true;
  return room.c;
}

const PathMatrix& JointForm::eval_J(Room& room) const {
  if (!room.has_J) {
    room.J.resize(static_cast<std::size_t>(tree_->matrix_size()));
    tree_->calc_jacobian(room.places, room.J);
    room.has_J = true;
  }
  return room.J;
}

const double* JointForm::eval_inner_jacobian(Room& room) const {
  if (!room.has_jacobian && inner_->structure().m() > 0) {
    room.jacobian.setZero();
    inner_->calc_jacobian(room.inner, {inner_->structure().jacobian, room.jacobian.data()});
    room.has_jacobian = true;
  }
  return room.jacobian.data();
}

// --- the quantities of (2) to (4)

/// Composite bodies: a unit of each velocity gives all that hang behind it the same twist, and the wrench which that
/// takes is projected on the velocities of the path.
void JointForm::calc_mass(const Point& at, MatrixValues M) const {
  Room& room = at.workspace_as<Room>();
  const BodyTable& bodies = inner_->bodies();
  const TreePlaces& places = room.places;
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const Matrix3d& R = places.frames[static_cast<std::size_t>(frame)].R;
    room.composites[static_cast<std::size_t>(frame)] = {bodies.mass(frame), Vector3d::Zero(),
                                                        R * bodies.inertia(frame) * R.transpose()};
  }
  const std::vector<int>& order = tree_->order();
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const int frame = *it;
    const Room::Composite& body = room.composites[static_cast<std::size_t>(frame)];
    const Vector3d& r = places.frames[static_cast<std::size_t>(frame)].r;
    const std::vector<int>& path = tree_->path(frame);
    const int above = tree_->path_size(frame) - tree_->velocity_count(frame);
    for (int i = 0; i < tree_->velocity_count(frame); ++i) {
      const Screw& S = places.screws[static_cast<std::size_t>(tree_->first_velocity(frame) + i)];
      const Vector3d F = body.mass * S.v + S.w.cross(body.moment);
      const Vector3d N = body.inertia * S.w + body.moment.cross(S.v);
      Vector3d torque = N;
      for (int n = above + i; n >= 0; --n) {
        const int early = path[static_cast<std::size_t>(n)];
        if (n < above) torque = N + (r - places.frames[static_cast<std::size_t>(tree_->frame_of(early))].r).cross(F);
        const Screw& T = places.screws[static_cast<std::size_t>(early)];
        const double value = T.v.dot(F) + T.w.dot(torque);
        M[static_cast<int>(layout_.mass.lower(frame, i, n))] = value;
        M[static_cast<int>(layout_.mass.upper(frame, i, n))] = value;
      }
    }
    const int parent = tree_->parent(frame);
    if (parent <= 0) continue;
    Room::Composite& whole = room.composites[static_cast<std::size_t>(parent)];
    const Vector3d d = r - places.frames[static_cast<std::size_t>(parent)].r;
    const Vector3d& h = body.moment;
    whole.mass += body.mass;
    whole.moment += h + body.mass * d;
    // -(skew(d) skew(h) + skew(h) skew(d) + mass skew(d)^2)
    whole.inertia += body.inertia - d * h.transpose() - h * d.transpose() - body.mass * d * d.transpose();
    whole.inertia.diagonal().array() += 2 * d.dot(h) + body.mass * d.squaredNorm();
  }
}

void JointForm::calc_tree(const Point& at, dae::TreeValues& values) const {
  const Room& room = at.workspace_as<Room>();
  const BodyTable& bodies = inner_->bodies();
  const int width = tree_->width(), shift_size = structure().tree->shift_size();
  double *inertia = values.inertia.data(), *axes = values.axes.data(), *shift = values.shift.data();
  std::fill(values.inertia.begin(), values.inertia.end(), 0.0);
  for (const int frame : tree_->order()) {
    const BodyFrame& body = room.places.frames[static_cast<std::size_t>(frame)];
    Eigen::Map<Eigen::MatrixXd> M(inertia, width, width);
    const int parts = width == 3 ? 2 : 3;
    for (int k = 0; k < parts; ++k) M(k, k) = bodies.mass(frame);
    if (width == 3) {
      M(2, 2) = bodies.inertia(frame)(2, 2);
    } else {
      const Matrix3d turned = body.R * bodies.inertia(frame) * body.R.transpose();
      M.bottomRightCorner<3, 3>() = turned;
    }
    inertia += width * width;
    for (int i = 0; i < tree_->velocity_count(frame); ++i) {
      const Screw& S = room.places.screws[static_cast<std::size_t>(tree_->first_velocity(frame) + i)];
      for (int k = 0; k < parts; ++k) *axes++ = S.v[k];
      for (int k = width == 3 ? 2 : 0; k < 3; ++k) *axes++ = S.w[k];
    }
    const Vector3d d = body.r - room.places.frames[static_cast<std::size_t>(tree_->parent(frame))].r;
    for (int k = 0; k < shift_size; ++k) *shift++ = d[k];
  }
}

void JointForm::calc_constraint(const Point& at, VectorOut g) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_constraint(room.inner, g);
}

void JointForm::calc_implied(const Point& at, VectorOut residuals) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_implied(room.inner, residuals);
}

void JointForm::calc_jacobian(const Point& at, MatrixValues G) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  layout_.jacobian.gather(0, eval_inner_jacobian(room), eval_J(room), 1, G.data());
}

void JointForm::calc_velocity_offset(const Point& at, VectorOut g_t) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_velocity_offset(room.inner, g_t);
}

void JointForm::calc_inner_force(const Point& at, Room& room) const {
  pass_on(at, room);
  room.z.setZero();
  inner_->calc_force(room.inner, room.z);
  inner_->structure().mass.add_product(inner_mass_.data(), eval_c(at, room), -1, room.z);
}

void JointForm::calc_force(const Point& at, VectorOut f) const {
  Room& room = at.workspace_as<Room>();
  calc_inner_force(at, room);
  write_wrenches(room.places.frames, room.z, room.wrenches);
  tree_->add_projected(room.places, room.wrenches, f);
}

bool JointForm::calc_acceleration_bias(const Point& at, VectorOut bias) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_acceleration_bias(room.inner, bias);
  inner_->structure().jacobian.add_product(eval_inner_jacobian(room), eval_c(at, room), -1, bias);
  return true;
}

void JointForm::calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const {
  tree_->calc_position_rate(q, v, q_rate);
}

void JointForm::retract(VectorIn q, VectorIn delta, VectorOut result) const { tree_->retract(q, delta, result); }

void JointForm::calc_state_rate(const Point& at, VectorOut rate) const {
  Room& room = at.workspace_as<Room>();
  pass_on(at, room);
  inner_->calc_state_rate(room.inner, rate);
}

void JointForm::calc_state_residual(const Point& at, VectorOut d) const {
  Room& room = at.workspace_as<Room>();
  pass_on(at, room);
  inner_->calc_state_residual(room.inner, d);
}

void JointForm::calc_following_states(const Point& at, VectorOut x) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_following_states(room.inner, x);
}

std::optional<double> JointForm::calc_potential_energy(const Point& at) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  return inner_->calc_potential_energy(room.inner);
}

std::string JointForm::find_trouble(const Point& at) const {
  Room& room = at.workspace_as<Room>();
  pass_on(at, room);
  return inner_->find_trouble(room.inner);
}

}  // namespace trammel::system
