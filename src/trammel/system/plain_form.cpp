#include "trammel/system/plain_form.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trammel::system {

using dae::Derivative;
using dae::MatrixValues;
using dae::Point;
using dae::State;
using dae::Structure;
using dae::VectorIn;
using dae::VectorOut;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using linalg::Vector;
using math::body_rate_matrix;
using Matrix34 = math::Matrix34<double>;

namespace {

/// Z(z) with L(p)^T z = Z(z) p.
Matrix4d transposed_rate_matrix(const Vector3d& z) {
  Matrix4d Z;
  Z << 0, -z[0], -z[1], -z[2], z[0], 0, z[2], -z[1], z[1], -z[2], 0, z[0], z[2], z[1], -z[0], 0;
  return Z;
}

/// One rotation at a point. Those of position are valid after prepare_position(), the others after prepare_velocity().
struct Turn {
  Vector4d p = Vector4d::Zero();
  double square = 0;  ///< |p|^2
  Matrix34 B = Matrix34::Zero();
  Vector4d p_rate = Vector4d::Zero();
  Vector3d w = Vector3d::Zero();
  double growth = 0;  ///< 2 p.p'/|p|^2, so that c = -growth w

  void set_position(const Vector4d& position) {
    p = position;
    square = p.squaredNorm();
    B = 2 / square * body_rate_matrix(p);
  }
  void set_velocity(const Vector4d& rate) {
    p_rate = rate;
    w = B * p_rate;
    growth = 2 * p.dot(p_rate) / square;
  }

  /// d(B s)/dp = -2 (L(s) + B s p^T)/|p|^2, because L(p) s = -L(s) p.
  Matrix34 lowered_by_p(const Vector4d& s) const { return -2 / square * (body_rate_matrix(s) + B * s * p.transpose()); }
  /// d(B^T z)/dp = 2 (Z(z) - B^T z p^T)/|p|^2.
  Matrix4d lifted_by_p(const Vector3d& z) const {
    return 2 / square * (transposed_rate_matrix(z) - B.transpose() * z * p.transpose());
  }
  /// dc/dp and dc/dp'.
  Matrix34 c_by_p() const {
    return -2 / square * w * (p_rate - growth * p).transpose() - growth * lowered_by_p(p_rate);
  }
  Matrix34 c_by_rate() const { return -2 / square * w * p.transpose() - growth * B; }
};

}  // namespace

class PlainForm::Room final : public dae::Workspace {
 public:
  Room(const dae::ConstrainedSystem& system, const Layout& layout) {
    const Structure& s = system.structure();
    static_cast<State&>(inner) = State::zero(s);
    inner.workspace = system.make_workspace();
    turns.resize(layout.rotations.size());
    B.resize(turns.size());
    R.resize(turns.size());
    c = y = z = Vector::Zero(s.n_v());
    rows = Vector::Zero(s.m());
    mass = Vector::Zero(s.mass.size());
    jacobian = Vector::Zero(s.jacobian.size());
    int largest = 0, largest_half = std::max(layout.mass.half_size(), layout.jacobian.half_size());
    for (const linalg::Pattern& pattern : s.derivatives) largest = std::max(largest, pattern.size());
    for (const LiftedMatrix& lifted : layout.derivatives) largest_half = std::max(largest_half, lifted.half_size());
    derivative = Vector::Zero(largest);
    half = Vector::Zero(largest_half);
  }

  /// R, with `block(turn, rotation)` on each rotation.
  template <class Block>
  const RotationBlocks& fill(const Block& block) {
    for (std::size_t r = 0; r < turns.size(); ++r) R[r] = block(turns[r], static_cast<int>(r));
    return R;
  }

  Point inner;
  std::vector<Turn> turns;
  RotationBlocks B;
  RotationBlocks R;                   ///< other block-diagonal matrices, one after the other
  Vector c;                           ///< of (1), n_v of the inner system
  Vector y, z;                        ///< n_v of the inner system
  Vector rows;                        ///< m of the inner system
  Vector mass, jacobian, derivative;  ///< values of matrices of the inner system
  Vector half;
  bool has_mass = false, has_jacobian = false;  ///< at the present position
};

/// A matrix under construction: S^T sum_k A_k R_k and its further places.
class PlainForm::Sum {
 public:
  Sum(const PlainForm& form, const LiftedMatrix& lifted, Room& work_room, MatrixValues values)
      : room(work_room), form_(form), lifted_(lifted), values_(values.data()) {
    room.half.head(lifted_.half_size()).setZero();
  }

  /// A_k with the given values.
  void add(int k, const double* values, const RotationBlocks& R, double scale) {
    lifted_.gather(k, values, R, scale, room.half.data());
  }
  /// A_k is a derivative of the inner system. False when it is not given.
  bool add(int k, Derivative which, VectorIn s, const RotationBlocks& R, double scale) {
    const linalg::Pattern& pattern = form_.inner().structure().pattern(which);
    if (pattern.size() == 0) return true;
    room.derivative.head(pattern.size()).setZero();
    if (!form_.inner().calc_derivative(which, room.inner, s, {pattern, room.derivative.data()})) return false;
    add(k, room.derivative.data(), R, scale);
    return true;
  }
  void spread() { lifted_.spread(room.half.data(), room.B, values_); }
  /// The further places are the 4 x 4 blocks of the rotations on the diagonal, ...
  void add_block(int rotation, const Matrix4d& block) {
    for (int k = 0; k < 16; ++k) values_[lifted_.further(16 * rotation + k)] += block.data()[k];
  }
  /// ... or the rows of (4).
  void add_row(int rotation, const Vector4d& row) {
    for (int k = 0; k < 4; ++k) values_[lifted_.further(4 * rotation + k)] += row[k];
  }

  Room& room;

 private:
  const PlainForm& form_;
  const LiftedMatrix& lifted_;
  double* values_;
};

PlainForm::PlainForm(const std::shared_ptr<const dae::ConstrainedSystem>& inner, std::vector<RotationSlot> rotations)
    : PlainForm(make_layout(inner.get(), std::move(rotations)), inner) {}

PlainForm::PlainForm(Layout layout, std::shared_ptr<const dae::ConstrainedSystem> inner)
    : ConstrainedSystem(std::move(layout.structure)), inner_(std::move(inner)), layout_(std::move(layout)) {}

// --- conversions

void PlainForm::lower(const RotationBlocks& B, VectorIn u, VectorOut xi) const {
  for (const PlainSlot& slot : layout_.others) xi[slot.v] = u[slot.q];
  for (std::size_t r = 0; r < B.size(); ++r) {
    const RotationSlot& slot = layout_.rotations[r];
    xi.segment<3>(slot.v).noalias() = B[r] * u.segment<4>(slot.q);
  }
}

void PlainForm::add_lifted(const RotationBlocks& B, VectorIn z, VectorOut out) const {
  for (const PlainSlot& slot : layout_.others) out[slot.q] += z[slot.v];
  for (std::size_t r = 0; r < B.size(); ++r) {
    const RotationSlot& slot = layout_.rotations[r];
    out.segment<4>(slot.q).noalias() += B[r].transpose() * z.segment<3>(slot.v);
  }
}

void PlainForm::spread_rows(VectorIn inner, VectorOut rows) const {
  const int n_g = inner_->structure().n_g;
  rows.head(n_g) = inner.head(n_g);
  rows.tail(inner.size() - n_g) = inner.tail(inner.size() - n_g);
}

void PlainForm::gather_rows(VectorIn rows, VectorOut inner) const {
  const int n_g = inner_->structure().n_g;
  inner.head(n_g) = rows.head(n_g);
  inner.tail(inner.size() - n_g) = rows.tail(inner.size() - n_g);
}

State PlainForm::to_plain(const State& quasi) const {
  State plain = State::zero(structure());
  plain.t = quasi.t;
  plain.q = quasi.q;
  plain.x = quasi.x;
  plain.x_rate = quasi.x_rate;
  spread_rows(quasi.lambda, plain.lambda);
  for (const PlainSlot& slot : layout_.others) {
    plain.v[slot.q] = quasi.v[slot.v];
    plain.a[slot.q] = quasi.a[slot.v];
  }
  for (const RotationSlot& slot : layout_.rotations) {
    const Vector4d p = quasi.q.segment<4>(slot.q).normalized();
    const math::Matrix34<double> L = body_rate_matrix(p);
    const Vector4d p_rate = 0.5 * L.transpose() * quasi.v.segment<3>(slot.v);
    plain.q.segment<4>(slot.q) = p;
    plain.v.segment<4>(slot.q) = p_rate;
    plain.a.segment<4>(slot.q) = 0.5 * L.transpose() * quasi.a.segment<3>(slot.v) - p_rate.squaredNorm() * p;
  }
  return plain;
}

State PlainForm::to_quasi(const State& plain) const {
  State quasi = State::zero(inner_->structure());
  quasi.t = plain.t;
  quasi.q = plain.q;
  quasi.x = plain.x;
  quasi.x_rate = plain.x_rate;
  gather_rows(plain.lambda, quasi.lambda);
  for (const PlainSlot& slot : layout_.others) {
    quasi.v[slot.v] = plain.v[slot.q];
    quasi.a[slot.v] = plain.a[slot.q];
  }
  for (const RotationSlot& slot : layout_.rotations) {
    Turn turn;
    turn.set_position(plain.q.segment<4>(slot.q));
    turn.set_velocity(plain.v.segment<4>(slot.q));
    quasi.q.segment<4>(slot.q) = turn.p.normalized();
    quasi.v.segment<3>(slot.v) = turn.w;
    quasi.a.segment<3>(slot.v) = turn.B * plain.a.segment<4>(slot.q) - turn.growth * turn.w;
  }
  return quasi;
}

// --- stages

std::unique_ptr<dae::Workspace> PlainForm::make_workspace() const { return std::make_unique<Room>(*inner_, layout_); }

void PlainForm::prepare_position(Point& at) const {
  Room& room = at.workspace_as<Room>();
  room.has_mass = room.has_jacobian = false;
  room.inner.t = at.t;
  room.inner.q = at.q;
  for (std::size_t r = 0; r < room.turns.size(); ++r) {
    const RotationSlot& slot = layout_.rotations[r];
    Turn& turn = room.turns[r];
    turn.set_position(at.q.segment<4>(slot.q));
    room.B[r] = turn.B;
    room.inner.q.segment<4>(slot.q) = turn.p / std::sqrt(turn.square);
  }
  inner_->prepare_position(room.inner);
}

void PlainForm::prepare_velocity(Point& at) const {
  Room& room = at.workspace_as<Room>();
  for (const PlainSlot& slot : layout_.others) room.inner.v[slot.v] = at.v[slot.q];
  for (std::size_t r = 0; r < room.turns.size(); ++r) {
    const RotationSlot& slot = layout_.rotations[r];
    Turn& turn = room.turns[r];
    turn.set_velocity(at.v.segment<4>(slot.q));
    room.inner.v.segment<3>(slot.v) = turn.w;
    room.c.segment<3>(slot.v) = -turn.growth * turn.w;
  }
  inner_->prepare_velocity(room.inner);
}

void PlainForm::pass_on_states(const Point& at, Room& room) const {
  if (structure().n_x() == 0 || room.inner.x == at.x) return;
  room.inner.x = at.x;
  if (!structure().switchable_rows.empty()) room.has_jacobian = false;
}

void PlainForm::pass_on(const Point& at, Room& room) const {
  gather_rows(at.lambda, room.inner.lambda);
  if (structure().n_x() == 0) return;
  pass_on_states(at, room);
  room.inner.x_rate = at.x_rate;
  lower(room.B, at.a, room.inner.a);
  room.inner.a += room.c;
}

const double* PlainForm::eval_inner_mass(Room& room) const {
  if (!room.has_mass) {
    room.mass.setZero();
    inner_->calc_mass(room.inner, {inner_->structure().mass, room.mass.data()});
    room.has_mass = true;
  }
  return room.mass.data();
}

const double* PlainForm::eval_inner_jacobian(Room& room) const {
  if (!room.has_jacobian && inner_->structure().m() > 0) {
    room.jacobian.setZero();
    inner_->calc_jacobian(room.inner, {inner_->structure().jacobian, room.jacobian.data()});
    room.has_jacobian = true;
  }
  return room.jacobian.data();
}

// --- the quantities of (2) to (5)

void PlainForm::calc_mass(const Point& at, MatrixValues M) const {
  Sum sum(*this, layout_.mass, at.workspace_as<Room>(), M);
  sum.add(0, eval_inner_mass(sum.room), sum.room.B, 1);
  sum.spread();
  for (int r = 0; r < rotation_count(); ++r) {
    const Vector4d& p = sum.room.turns[r].p;
    sum.add_block(r, layout_.sigma[r] * p * p.transpose());
  }
}

void PlainForm::calc_constraint(const Point& at, VectorOut g) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  const int n_g = inner_->structure().n_g;
  if (n_g > 0) inner_->calc_constraint(room.inner, g.head(n_g));
  for (int r = 0; r < rotation_count(); ++r) g[unit_length_row(r)] = 0.5 * (room.turns[r].square - 1);
}

void PlainForm::calc_implied(const Point& at, VectorOut residuals) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_implied(room.inner, residuals);
}

void PlainForm::calc_jacobian(const Point& at, MatrixValues G) const {
  pass_on_states(at, at.workspace_as<Room>());
  Sum sum(*this, layout_.jacobian, at.workspace_as<Room>(), G);
  sum.add(0, eval_inner_jacobian(sum.room), sum.room.B, 1);
  sum.spread();
  for (int r = 0; r < rotation_count(); ++r) sum.add_row(r, sum.room.turns[r].p);
}

void PlainForm::calc_velocity_offset(const Point& at, VectorOut g_t) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  room.rows.setZero();
  if (room.rows.size() > 0) inner_->calc_velocity_offset(room.inner, room.rows);
  spread_rows(room.rows, g_t);
}

void PlainForm::calc_inner_force(const Point& at, Room& room) const {
  pass_on(at, room);
  room.z.setZero();
  inner_->calc_force(room.inner, room.z);
  inner_->structure().mass.add_product(eval_inner_mass(room), room.c, -1, room.z);
}

void PlainForm::calc_force(const Point& at, VectorOut f) const {
  Room& room = at.workspace_as<Room>();
  calc_inner_force(at, room);
  add_lifted(room.B, room.z, f);
  for (int r = 0; r < rotation_count(); ++r) {
    const Turn& turn = room.turns[r];
    f.segment<4>(layout_.rotations[r].q) -= layout_.sigma[r] * turn.p_rate.squaredNorm() * turn.p;
  }
}

bool PlainForm::calc_acceleration_bias(const Point& at, VectorOut bias) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  room.rows.setZero();
  if (room.rows.size() > 0) {
    if (!inner_->calc_acceleration_bias(room.inner, room.rows)) return false;
    inner_->structure().jacobian.add_product(eval_inner_jacobian(room), room.c, -1, room.rows);
  }
  spread_rows(room.rows, bias);
  for (int r = 0; r < rotation_count(); ++r) bias[unit_length_row(r)] = -room.turns[r].p_rate.squaredNorm();
  return true;
}

void PlainForm::calc_state_rate(const Point& at, VectorOut rate) const {
  Room& room = at.workspace_as<Room>();
  pass_on(at, room);
  inner_->calc_state_rate(room.inner, rate);
}

void PlainForm::calc_state_residual(const Point& at, VectorOut d) const {
  Room& room = at.workspace_as<Room>();
  pass_on(at, room);
  inner_->calc_state_residual(room.inner, d);
}

void PlainForm::calc_following_states(const Point& at, VectorOut x) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  inner_->calc_following_states(room.inner, x);
}

std::optional<double> PlainForm::calc_potential_energy(const Point& at) const {
  Room& room = at.workspace_as<Room>();
  pass_on_states(at, room);
  return inner_->calc_potential_energy(room.inner);
}

std::string PlainForm::find_trouble(const Point& at) const {
  Room& room = at.workspace_as<Room>();
  pass_on(at, room);
  return inner_->find_trouble(room.inner);
}

// --- derivatives. Names: f_q, f_v, ... are derivatives of the inner system, w_q = d(B u)/dq.

bool PlainForm::calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const {
  Room& room = at.workspace_as<Room>();
  pass_on(at, room);
  Sum sum(*this, layout_.derivative(which), room, values);
  switch (which) {
    case Derivative::kInertiaByQ: return calc_inertia_by_q(sum, s);
    case Derivative::kReactionByQ: return calc_reaction_by_q(sum, s);
    case Derivative::kForceByQ: return calc_force_by_q(sum, at);
    case Derivative::kForceByV: return calc_force_by_v(sum);
    case Derivative::kVelocityByQ: return calc_velocity_by_q(sum);
    case Derivative::kAccelerationByQ: return calc_acceleration_by_q(sum, s);
    case Derivative::kBiasByV: return calc_bias_by_v(sum);
    case Derivative::kStateByQ: return calc_state_by_q(sum, at.a);
    case Derivative::kStateByV: return calc_state_by_v(sum);
    case Derivative::kForceByLambda:
    case Derivative::kForceByX:
    case Derivative::kStateByXRate:
    case Derivative::kStateByX:
    case Derivative::kStateByA:
    case Derivative::kStateByLambda: break;
  }
  // Lifted as they are.
  if (!sum.add(0, which, s, room.B, 1)) return false;
  sum.spread();
  return true;
}

/// d(B^T M B s + sigma p p.s)/dq
bool PlainForm::calc_inertia_by_q(Sum& sum, VectorIn s) const {
  Room& room = sum.room;
  const double* M = eval_inner_mass(room);
  lower(room.B, s, room.y);
  if (!sum.add(0, Derivative::kInertiaByQ, room.y, room.B, 1)) return false;
  const auto part = [&](int r) { return s.segment<4>(layout_.rotations[r].q); };
  sum.add(1, M, room.fill([&](const Turn& turn, int r) { return turn.lowered_by_p(part(r)); }), 1);
  sum.spread();
  room.z.setZero();
  inner_->structure().mass.add_product(M, room.y, 1, room.z);
  for (int r = 0; r < rotation_count(); ++r) {
    const Turn& turn = room.turns[r];
    Matrix4d block = turn.lifted_by_p(room.z.segment<3>(layout_.rotations[r].v));
    block.noalias() += layout_.sigma[r] * turn.p * part(r).transpose();
    block.diagonal().array() += layout_.sigma[r] * turn.p.dot(part(r));
    sum.add_block(r, block);
  }
  return true;
}

/// d(B^T G^T s + p mu)/dq, where mu are the components of s in the rows of (4)
bool PlainForm::calc_reaction_by_q(Sum& sum, VectorIn s) const {
  Room& room = sum.room;
  gather_rows(s, room.rows);
  if (!sum.add(0, Derivative::kReactionByQ, room.rows, room.B, 1)) return false;
  sum.spread();
  room.z.setZero();
  inner_->structure().jacobian.add_transposed_product(eval_inner_jacobian(room), room.rows, 1, room.z);
  for (int r = 0; r < rotation_count(); ++r) {
    Matrix4d block = room.turns[r].lifted_by_p(room.z.segment<3>(layout_.rotations[r].v));
    block.diagonal().array() += s[unit_length_row(r)];
    sum.add_block(r, block);
  }
  return true;
}

/// d(B^T (f - M c) - sigma p p'.p')/dq
bool PlainForm::calc_force_by_q(Sum& sum, const Point& at) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kForceByQ, Vector(), room.B, 1)) return false;
  const auto w_q = [](const Turn& turn, int) { return turn.lowered_by_p(turn.p_rate); };
  if (!sum.add(1, Derivative::kForceByV, Vector(), room.fill(w_q), 1)) return false;
  if (!sum.add(2, Derivative::kInertiaByQ, room.c, room.B, -1)) return false;
  sum.add(3, eval_inner_mass(room), room.fill([](const Turn& turn, int) { return turn.c_by_p(); }), -1);
  sum.spread();
  calc_inner_force(at, room);
  for (int r = 0; r < rotation_count(); ++r) {
    const Turn& turn = room.turns[r];
    Matrix4d block = turn.lifted_by_p(room.z.segment<3>(layout_.rotations[r].v));
    block.diagonal().array() -= layout_.sigma[r] * turn.p_rate.squaredNorm();
    sum.add_block(r, block);
  }
  return true;
}

/// d(B^T (f - M c) - sigma p p'.p')/du
bool PlainForm::calc_force_by_v(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kForceByV, Vector(), room.B, 1)) return false;
  sum.add(1, eval_inner_mass(room), room.fill([](const Turn& turn, int) { return turn.c_by_rate(); }), -1);
  sum.spread();
  for (int r = 0; r < rotation_count(); ++r) {
    const Turn& turn = room.turns[r];
    sum.add_block(r, -2 * layout_.sigma[r] * turn.p * turn.p_rate.transpose());
  }
  return true;
}

/// d(G B u + g_t)/dq and d(p.p')/dq
bool PlainForm::calc_velocity_by_q(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kVelocityByQ, Vector(), room.B, 1)) return false;
  const auto w_q = [](const Turn& turn, int) { return turn.lowered_by_p(turn.p_rate); };
  sum.add(1, eval_inner_jacobian(room), room.fill(w_q), 1);
  sum.spread();
  for (int r = 0; r < rotation_count(); ++r) sum.add_row(r, room.turns[r].p_rate);
  return true;
}

/// d(G (B s + c) - bias)/dq and d(p.s + p'.p')/dq
bool PlainForm::calc_acceleration_by_q(Sum& sum, VectorIn s) const {
  Room& room = sum.room;
  lower(room.B, s, room.y);
  room.y += room.c;
  if (!sum.add(0, Derivative::kAccelerationByQ, room.y, room.B, 1)) return false;
  const auto part = [&](int r) { return s.segment<4>(layout_.rotations[r].q); };
  const auto y_q = [&](const Turn& turn, int r) -> Matrix34 { return turn.lowered_by_p(part(r)) + turn.c_by_p(); };
  sum.add(1, eval_inner_jacobian(room), room.fill(y_q), 1);
  const auto w_q = [](const Turn& turn, int) { return turn.lowered_by_p(turn.p_rate); };
  if (!sum.add(2, Derivative::kBiasByV, Vector(), room.fill(w_q), -1)) return false;
  sum.spread();
  for (int r = 0; r < rotation_count(); ++r) sum.add_row(r, part(r));
  return true;
}

/// d(bias - G c)/du and d(-p'.p')/du
bool PlainForm::calc_bias_by_v(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kBiasByV, Vector(), room.B, 1)) return false;
  sum.add(1, eval_inner_jacobian(room), room.fill([](const Turn& turn, int) { return turn.c_by_rate(); }), -1);
  sum.spread();
  for (int r = 0; r < rotation_count(); ++r) sum.add_row(r, -2 * room.turns[r].p_rate);
  return true;
}

/// dd/dq of (5)
bool PlainForm::calc_state_by_q(Sum& sum, VectorIn a) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kStateByQ, Vector(), room.B, 1)) return false;
  const auto w_q = [](const Turn& turn, int) { return turn.lowered_by_p(turn.p_rate); };
  if (!sum.add(1, Derivative::kStateByV, Vector(), room.fill(w_q), 1)) return false;
  const auto a_q = [&](const Turn& turn, int r) -> Matrix34 {
    return turn.lowered_by_p(a.segment<4>(layout_.rotations[r].q)) + turn.c_by_p();
  };
  if (!sum.add(2, Derivative::kStateByA, Vector(), room.fill(a_q), 1)) return false;
  sum.spread();
  return true;
}

/// dd/du of (5)
bool PlainForm::calc_state_by_v(Sum& sum) const {
  Room& room = sum.room;
  if (!sum.add(0, Derivative::kStateByV, Vector(), room.B, 1)) return false;
  const auto a_u = [](const Turn& turn, int) { return turn.c_by_rate(); };
  if (!sum.add(1, Derivative::kStateByA, Vector(), room.fill(a_u), 1)) return false;
  sum.spread();
  return true;
}

}  // namespace trammel::system
