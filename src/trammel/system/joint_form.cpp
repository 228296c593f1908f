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

namespace {

Matrix3d to_matrix(const std::array<double, 6>& a) {
  Matrix3d matrix;
  matrix << a[0], a[1], a[2], a[1], a[3], a[4], a[2], a[4], a[5];
  return matrix;
}

/// What solvers that go along the tree want to know. The width is known to the compiler, so that the loops unroll.
template <int kWidth>
void write_tree(const JointTree& tree, const BodyTable& bodies, const TreePlaces& places,
                const std::vector<std::array<double, 6>>& inertias, dae::TreeValues& values) {
  constexpr int kLinear = kWidth == 3 ? 2 : 3;
  double *M = values.inertia.data(), *axes = values.axes.data(), *shift = values.shift.data();
  for (const int frame : tree.order()) {
    const auto k = static_cast<std::size_t>(frame);
    Eigen::Map<Eigen::Matrix<double, kWidth, kWidth>> inertia(M);
    inertia.setZero();
    inertia.diagonal().template head<kLinear>().setConstant(bodies.mass(frame));
    if constexpr (kWidth == 3) {
      inertia(2, 2) = inertias[k][5];
    } else {
      inertia.template bottomRightCorner<3, 3>() = to_matrix(inertias[k]);
    }
    M += kWidth * kWidth;
    for (int i = 0; i < tree.velocity_count(frame); ++i) {
      const Screw& S = places.screws[static_cast<std::size_t>(tree.first_velocity(frame) + i)];
      for (int n = 0; n < kLinear; ++n) *axes++ = S.v[n];
      for (int n = kWidth == 3 ? 2 : 0; n < 3; ++n) *axes++ = S.w[n];
    }
    const Vector3d d = places.frames[k].r - places.frames[static_cast<std::size_t>(tree.parent(frame))].r;
    for (int n = 0; n < kLinear; ++n) *shift++ = d[n];
  }
}

}  // namespace

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
  inertias.resize(frames);
  // In the plane they do not change.
  for (int frame = 1; frame < system.bodies().frames(); ++frame) {
    inertias[static_cast<std::size_t>(frame)] = {0, 0, 0, 0, 0, system.bodies().inertia(frame)(2, 2)};
  }
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

void JointForm::write_accelerations(const std::vector<BodyFrame>& frames, const std::vector<Screw>& V,
                                    const std::vector<Screw>& rates, VectorOut xi_rate) const {
  write_velocities(frames, rates, xi_rate);
  const BodyTable& bodies = inner_->bodies();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const Screw& of_body = V[static_cast<std::size_t>(frame)];
    const Vector3d turning = of_body.w.cross(of_body.v);
    const int i = bodies.v_of(frame);
    xi_rate.segment<2>(i) += turning.head<2>();
    if (!bodies.is_planar()) xi_rate[i + 2] += turning[2];
  }
}

void JointForm::lower_rate(const Point& at, Room& room, VectorIn x, TreeField& A, VectorOut xi_rate) const {
  eval_fields(at, room);
  tree_->calc_rate_field(room.places, room.V, at.v, x, A);
  write_accelerations(room.places.frames, room.V.bodies, A.bodies, xi_rate);
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

// --- stages

std::unique_ptr<dae::Workspace> JointForm::make_workspace() const {
  return std::make_unique<Room>(*inner_, *tree_, layout_);
}

void JointForm::prepare_position(Point& at) const {
  Room& room = at.workspace_as<Room>();
  room.has_inner_position = room.has_inertias = room.has_J = room.has_jacobian = false;
  room.inner.t = at.t;
  tree_->calc_places(at.q.data(), room.places);
}

void JointForm::prepare_velocity(Point& at) const {
  Room& room = at.workspace_as<Room>();
  room.has_inner_velocity = room.has_motion = room.has_fields = room.has_c = room.has_velocity_by_q = room.has_c_by_q =
      room.has_c_by_v = false;
}

const Point& JointForm::eval_inner_position(Room& room) const {
  if (!room.has_inner_position) inner_->prepare_frames(room.inner, room.places.frames);
  room.has_inner_position = true;
  return room.inner;
}

const Point& JointForm::eval_inner_velocity(const Point& at, Room& room) const {
  eval_inner_position(room);
  if (!room.has_inner_velocity) {
    eval_motion(at, room);
    std::vector<Twist>& twists = inner_->twists(room.inner);
    for (std::size_t k = 1; k < twists.size(); ++k) {
      const Screw& V = room.V.bodies[k];
      twists[k].v = V.v;
      twists[k].w.noalias() = room.places.frames[k].R.transpose() * V.w;
    }
    room.has_inner_velocity = true;
  }
  pass_on(at, room);
  return room.inner;
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
  lower_rate(at, room, at.a, room.W, room.inner.a);
}

/// R J R^T.
void JointForm::eval_inertias(Room& room) const {
  if (room.has_inertias) return;
  const BodyTable& bodies = inner_->bodies();
  for (int frame = 1; frame < bodies.frames() && !bodies.is_planar(); ++frame) {
    const Matrix3d& R = room.places.frames[static_cast<std::size_t>(frame)].R;
    const Matrix3d half = R * bodies.inertia(frame);
    Room::Inertia& inertia = room.inertias[static_cast<std::size_t>(frame)];
    for (int j = 0, k = 0; j < 3; ++j) {
      for (int i = j; i < 3; ++i) inertia[static_cast<std::size_t>(k++)] = half.row(i).dot(R.row(j));
    }
  }
  room.has_inertias = true;
}

void JointForm::eval_motion(const Point& at, Room& room) const {
  if (!room.has_motion) tree_->calc_motion(room.places, at.v, room.V.bodies, room.C.bodies);
  room.has_motion = true;
}

void JointForm::eval_fields(const Point& at, Room& room) const {
  if (room.has_fields) return;
  tree_->calc_field(room.places, at.v, room.V);
  tree_->calc_rate_field(room.places, room.V, at.v, room.zero, room.C);
  room.has_fields = room.has_motion = true;
}

const Vector& JointForm::eval_c(const Point& at, Room& room) const {
  eval_motion(at, room);
  if (!room.has_c) write_accelerations(room.places.frames, room.V.bodies, room.C.bodies, room.c);
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
    inner_->calc_jacobian(eval_inner_position(room), {inner_->structure().jacobian, room.jacobian.data()});
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
  eval_inertias(room);
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const auto k = static_cast<std::size_t>(frame);
    room.composites[k] = {bodies.mass(frame), Vector3d::Zero(), to_matrix(room.inertias[k])};
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
  Room& room = at.workspace_as<Room>();
  eval_inertias(room);
  if (tree_->width() == 3) {
    write_tree<3>(*tree_, inner_->bodies(), room.places, room.inertias, values);
  } else {
    write_tree<6>(*tree_, inner_->bodies(), room.places, room.inertias, values);
  }
}

void JointForm::calc_constraint(const Point& at, VectorOut g) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_constraint(eval_inner_position(room), g);
}

void JointForm::calc_implied(const Point& at, VectorOut residuals) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_implied(eval_inner_position(room), residuals);
}

void JointForm::calc_jacobian(const Point& at, MatrixValues G) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  layout_.jacobian.gather(0, eval_inner_jacobian(room), eval_J(room), 1, G.data());
}

void JointForm::calc_velocity_offset(const Point& at, VectorOut g_t) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_velocity_offset(eval_inner_position(room), g_t);
}

void JointForm::calc_wrenches(const Point& at, Room& room) const {
  const BodyTable& bodies = inner_->bodies();
  const std::vector<BodyFrame>& frames = room.places.frames;
  if (inner_->forces().has_elements()) {
    room.z.setZero();
    inner_->add_element_forces(eval_inner_velocity(at, room), room.z);
    write_wrenches(frames, room.z, room.wrenches);
  } else {
    std::fill(room.wrenches.begin(), room.wrenches.end(), Screw());
  }
  // Gravity, gyroscopic torques -w x J w, and -M c.
  const Vector3d& gravity = inner_->model().gravity;
  eval_motion(at, room);
  if (bodies.is_planar()) {
    for (int frame = 1; frame < bodies.frames(); ++frame) {
      const auto k = static_cast<std::size_t>(frame);
      const Screw &V = room.V.bodies[k], &C = room.C.bodies[k];
      Vector3d& force = room.wrenches[k].v;
      force[0] += bodies.mass(frame) * (gravity[0] - C.v[0] + V.w[2] * V.v[1]);
      force[1] += bodies.mass(frame) * (gravity[1] - C.v[1] - V.w[2] * V.v[0]);
    }
    return;
  }
  eval_inertias(room);
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const auto k = static_cast<std::size_t>(frame);
    const Screw &V = room.V.bodies[k], &C = room.C.bodies[k];
    Screw& wrench = room.wrenches[k];
    const Matrix3d J = to_matrix(room.inertias[k]);
    wrench.v += bodies.mass(frame) * (gravity - C.v - V.w.cross(V.v));
    wrench.w -= J * C.w + V.w.cross(J * V.w);
  }
}

bool JointForm::calc_tree_force(const Point& at, std::vector<double>& wrenches) const {
  Room& room = at.workspace_as<Room>();
  calc_wrenches(at, room);
  double* out = wrenches.data();
  for (const int frame : tree_->order()) {
    const Screw& wrench = room.wrenches[static_cast<std::size_t>(frame)];
    if (tree_->width() == 3) {
      out[0] = wrench.v[0];
      out[1] = wrench.v[1];
      out[2] = wrench.w[2];
    } else {
      std::copy_n(wrench.v.data(), 3, out);
      std::copy_n(wrench.w.data(), 3, out + 3);
    }
    out += tree_->width();
  }
  return true;
}

void JointForm::calc_force(const Point& at, VectorOut f) const {
  Room& room = at.workspace_as<Room>();
  calc_wrenches(at, room);
  tree_->add_projected(room.places, room.wrenches, f);
}

bool JointForm::calc_acceleration_bias(const Point& at, VectorOut bias) const {
  Room& room = at.workspace_as<Room>();
  inner_->calc_acceleration_bias(eval_inner_velocity(at, room), bias);
  inner_->structure().jacobian.add_product(eval_inner_jacobian(room), eval_c(at, room), -1, bias);
  return true;
}

void JointForm::calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const {
  tree_->calc_position_rate(q, v, q_rate);
}

void JointForm::retract(VectorIn q, VectorIn delta, VectorOut result) const { tree_->retract(q, delta, result); }

void JointForm::calc_state_rate(const Point& at, VectorOut rate) const {
  Room& room = at.workspace_as<Room>();
  inner_->calc_state_rate(eval_inner_velocity(at, room), rate);
}

void JointForm::calc_state_residual(const Point& at, VectorOut d) const {
  Room& room = at.workspace_as<Room>();
  inner_->calc_state_residual(eval_inner_velocity(at, room), d);
}

void JointForm::calc_following_states(const Point& at, VectorOut x) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_following_states(eval_inner_position(room), x);
}

std::optional<double> JointForm::calc_potential_energy(const Point& at) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  return inner_->calc_potential_energy(eval_inner_position(room));
}

std::string JointForm::find_trouble(const Point& at) const {
  Room& room = at.workspace_as<Room>();
  return inner_->find_trouble(eval_inner_velocity(at, room));
}

}  // namespace trammel::system
