#include "trammel/system/dry_friction.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "trammel/model/joint_types.h"

namespace trammel::system {

using linalg::VectorOut;

namespace {

using D12 = math::Dual<double, 12>;

void refuse_other_joints(const model::Model& model, const model::Force& force) {
  const model::Joint& joint = model.joints[static_cast<std::size_t>(force.friction->coordinate.joint)];
  if (joint.type == model::JointType::kRevolute || joint.type == model::JointType::kTranslational) return;
  throw std::invalid_argument(
      fmt::format("dry-friction '{}' acts in the {} joint '{}', but only revolute and translational joints can have it",
                  force.name, model::joint_type(joint.type).name, joint.name));
}

template <class Visit>
void for_each_friction(const model::Model& model, const Visit& visit) {
  for (std::size_t k = 0; k < model.forces.size(); ++k) {
    if (model.forces[k].friction) visit(static_cast<int>(k), model.forces[k]);
  }
}

}  // namespace

FrictionMode to_friction_mode(double state) {
  switch (std::lround(std::isfinite(state) ? state : 3.0)) {
    case 0: return FrictionMode::kStuck;
    case 1: return FrictionMode::kSlips;
    case -1: return FrictionMode::kSlipsBack;
    case 2: return FrictionMode::kHeld;
    case -2: return FrictionMode::kHeldBack;
    default: return FrictionMode::kIdle;
  }
}

int direction_of(FrictionMode mode) {
  switch (mode) {
    case FrictionMode::kSlips:
    case FrictionMode::kHeld: return 1;
    case FrictionMode::kSlipsBack:
    case FrictionMode::kHeldBack: return -1;
    default: return 0;
  }
}

std::vector<LockRow> DryFrictions::make_locks(const model::Model& model, int first_state) {
  std::vector<LockRow> locks;
  for_each_friction(model, [&](int, const model::Force& force) {
    refuse_other_joints(model, force);
    const int state = first_state + 2 * static_cast<int>(locks.size());
    locks.push_back(
        {fmt::format("dry-friction '{}': slipping", force.name), force.friction->coordinate, state, state + 1});
  });
  return locks;
}

std::vector<std::string> DryFrictions::state_names(const model::Model& model) {
  std::vector<std::string> names;
  for_each_friction(model, [&](int, const model::Force& force) {
    names.push_back(force.name + ".mode");
    names.push_back(force.name + ".anchor");
  });
  return names;
}

DryFrictions::DryFrictions(const model::Model& model, const BodyTable& bodies, const Constraints& constraints,
                           int first_state)
    : model_(model),
      bodies_(bodies),
      constraints_(constraints),
      first_state_(first_state),
      is_active_(first_state >= 0) {
  for_each_friction(model, [&](int index, const model::Force&) { add(model, index); });
}

void DryFrictions::add(const model::Model& model, int index) {
  const model::Force& force = model.forces[static_cast<std::size_t>(index)];
  refuse_other_joints(model, force);
  const model::Joint& joint = model.joints[static_cast<std::size_t>(force.friction->coordinate.joint)];
  Element e{};
  e.force = index;
  e.data = *force.friction;
  e.coordinate = make_joint_coordinate(model, e.data.coordinate);
  e.turns = model::is_angle(e.data.coordinate.kind);
  e.i = marker_geometry(model, joint.i);
  e.j = marker_geometry(model, joint.j);
  e.rows = constraints_.find_joint_rows(e.data.coordinate.joint);
  const int a = e.coordinate.a, b = e.coordinate.b;
  e.slots = bodies_.pair_slots(a, b, [&](int k) { return e.coordinate.coordinate.uses(k); });
  e.all_slots = bodies_.pair_slots(a, b, [](int) { return true; });
  if (is_active_) {
    e.mode = first_state_ + 2 * count();
    e.anchor = e.mode + 1;
    e.lock_row = constraints_.lock_rows()[elements_.size()];
  }
  e.q = static_cast<int>(by_q_.size());
  e.v = static_cast<int>(by_v_.size());
  e.lambda = static_cast<int>(by_lambda_.size());
  for (const int i : e.slots) {
    for (const int j : e.all_slots) by_q_.push_back({bodies_.pair_column(a, b, i), bodies_.pair_column(a, b, j)});
    for (const int j : e.slots) by_v_.push_back({bodies_.pair_column(a, b, i), bodies_.pair_column(a, b, j)});
    if (!is_active_) continue;
    for (const Constraints::JointRow& row : e.rows) by_lambda_.push_back({bodies_.pair_column(a, b, i), row.row});
  }
  edges_.push_back(single_components(e));
  elements_.push_back(std::move(e));
}

int DryFrictions::element_of(int force) const {
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    if (elements_[k].force == force) return static_cast<int>(k);
  }
  return -1;
}

const std::string& DryFrictions::name(int element) const {
  return model_.forces[static_cast<std::size_t>(force(element))].name;
}

// --- the load
// ---------------------------------------------------------------------------------------------------------

/// What the joint exerts on the body of marker J, as Constraints::add_joint_wrenches().
Wrench DryFrictions::calc_wrench(const Element& e, const SignalInput& in) const {
  const FramePair f = e.coordinate.frames(in.frames);
  Wrench wrench = Wrench::Zero();
  Vector12 G;
  for (const Constraints::JointRow& row : e.rows) {
    constraints_.calc_gradient(row, f, G);
    wrench -= in.at.lambda[row.row] * G.tail<6>();
  }
  return wrench;
}

/// Force and torque at the point of marker J, axes of marker I.
template <class T>
Eigen::Matrix<T, 6, 1> DryFrictions::calc_components(const Element& e, const Eigen::Matrix<T, 6, 1>& wrench,
                                                     const math::Matrix3<T>& R_A, const math::Matrix3<T>& R_B) const {
  const math::Matrix3<T> axes = R_A * e.i.axes.cast<T>();
  const math::Vector3<T> F = wrench.template head<3>();
  const math::Vector3<T> arm = R_B * e.j.s.cast<T>();
  const math::Vector3<T> M = R_B * wrench.template tail<3>() - arm.cross(F);
  Eigen::Matrix<T, 6, 1> components;
  components << axes.transpose() * F, axes.transpose() * M;
  return components;
}

Eigen::Matrix<double, 6, 1> DryFrictions::calc_components(const Element& e, const SignalInput& in) const {
  return calc_components<double>(e, calc_wrench(e, in), in.frames[static_cast<std::size_t>(e.coordinate.a)].R,
                                 in.frames[static_cast<std::size_t>(e.coordinate.b)].R);
}

template <class T>
T DryFrictions::calc_load(const Element& e, const Eigen::Matrix<T, 6, 1>& c) const {
  using std::abs, std::hypot, math::abs, math::hypot;
  const model::DryFriction& d = e.data;
  const bool is_planar = bodies_.is_planar();
  if (e.turns) {
    T load = d.radius * hypot(c[0], c[1]) + T(d.radius * d.preload);
    if (d.thrust_radius > 0) load += d.thrust_radius * abs(c[2]);
    if (d.length > 0) load += (2 * d.radius / d.length) * hypot(c[3], c[4]);
    return load;
  }
  // Planar slides run along x, spatial ones along z.
  T load = (is_planar ? abs(c[1]) : hypot(c[0], c[1])) + T(d.preload);
  if (d.length > 0) load += (2 / d.length) * (is_planar ? abs(c[5]) : hypot(c[3], c[4]));
  return load;
}

std::vector<int> DryFrictions::single_components(const Element& e) const {
  const bool slides_in_plane = bodies_.is_planar() && !e.turns;
  std::vector<int> found;
  if (slides_in_plane) found.push_back(1);
  if (slides_in_plane && e.data.length > 0) found.push_back(5);
  if (e.turns && e.data.thrust_radius > 0) found.push_back(2);
  return found;
}

int DryFrictions::edge_count(int element) const {
  return static_cast<int>(edges_[static_cast<std::size_t>(element)].size());
}

double DryFrictions::calc_edge(const SignalInput& in, int element, int edge) const {
  return calc_components(at(element), in)[edges_[static_cast<std::size_t>(element)][static_cast<std::size_t>(edge)]];
}

/// The variables of the duals are the wrench and the rotations of both bodies; the wrench itself depends on all
/// displacements by the Hessians of the rows.
DryFrictions::Load DryFrictions::calc_load_gradient(const Element& e, const SignalInput& in) const {
  const FramePair f = e.coordinate.frames(in.frames);
  const Wrench wrench = calc_wrench(e, in);
  Eigen::Matrix<D12, 6, 1> W;
  for (int k = 0; k < 6; ++k) W[k] = D12::variable(wrench[k], k);
  const auto turned = [](const Eigen::Matrix3d& R, int first) {
    math::Vector3<D12> dphi;
    for (int k = 0; k < 3; ++k) dphi[k] = D12::variable(0.0, first + k);
    const math::Matrix3<D12> R_dual = R.cast<D12>();
    return math::Matrix3<D12>(R_dual + R_dual * math::skew(dphi));
  };
  const D12 load = calc_load<D12>(e, calc_components<D12>(e, W, turned(f.A.R, 6), turned(f.B.R, 9)));
  Load result;
  result.value = load.value;
  for (int k = 0; k < 6; ++k) result.by_wrench[k] = load.derivative[static_cast<std::size_t>(k)];
  result.by_q.setZero();
  for (int k = 0; k < 3; ++k) {
    result.by_q[3 + k] = load.derivative[static_cast<std::size_t>(6 + k)];
    result.by_q[9 + k] = load.derivative[static_cast<std::size_t>(9 + k)];
  }
  Matrix12 H;
  for (const Constraints::JointRow& row : e.rows) {
    constraints_.calc_hessian(row, f, H);
    result.by_q -= in.at.lambda[row.row] * H.bottomRows<6>().transpose() * result.by_wrench;
  }
  return result;
}

// --- forces
// -----------------------------------------------------------------------------------------------------------

FrictionMode DryFrictions::mode(const SignalInput& in, int element) const {
  const int state = mode_state(element);
  return state < 0 ? FrictionMode::kIdle : to_friction_mode(in.at.x[state]);
}

double DryFrictions::calc_factor(const Element& e, const SignalInput& in) const {
  return e.mode < 0 ? 0.0 : direction_of(to_friction_mode(in.at.x[e.mode])) * e.data.mu;
}

double DryFrictions::calc_coordinate(const SignalInput& in, int element) const {
  const PlacedCoordinate& c = at(element).coordinate;
  return c.coordinate.value(c.frames(in.frames));
}

double DryFrictions::calc_rate(const SignalInput& in, int element) const {
  return at(element).coordinate.calc_rate(in.frames, in.twists);
}

double DryFrictions::calc_acceleration(const SignalInput& in, int element) const {
  const PlacedCoordinate& c = at(element).coordinate;
  const FramePair f = c.frames(in.frames);
  const TwistPair xi = c.twists(in.twists);
  Vector12 G, n;
  c.coordinate.gradient(f, G);
  c.coordinate.rate_gradient(f, xi, n);
  return G.dot(c.twists(*in.accelerations).stacked()) + n.dot(xi.stacked());
}

double DryFrictions::calc_load(const SignalInput& in, int element) const {
  return calc_load<double>(at(element), calc_components(at(element), in));
}

double DryFrictions::calc_value(const SignalInput& in, int element) const {
  const Element& e = at(element);
  const double factor = calc_factor(e, in);
  double value = -e.data.viscous * calc_rate(in, element);
  if (factor != 0) value -= factor * calc_load(in, element);
  if (mode(in, element) == FrictionMode::kStuck) value -= in.at.lambda[e.lock_row];
  return value;
}

void DryFrictions::calc(const SignalInput& in, VectorOut f) const {
  Vector12 G;
  for (const Element& e : elements_) {
    const double factor = calc_factor(e, in);
    double force = -e.data.viscous * e.coordinate.calc_rate(in.frames, in.twists);
    if (factor != 0) force -= factor * calc_load<double>(e, calc_components(e, in));
    if (force == 0) continue;
    e.coordinate.coordinate.gradient(e.coordinate.frames(in.frames), G);
    for (const int slot : e.slots) f[bodies_.pair_column(e.coordinate.a, e.coordinate.b, slot)] += force * G[slot];
  }
}

void DryFrictions::calc_by_q(const SignalInput& in, double* values) const {
  Matrix12 H;
  Vector12 G, by_q;
  for (const Element& e : elements_) {
    const FramePair f = e.coordinate.frames(in.frames);
    const TwistPair xi = e.coordinate.twists(in.twists);
    const double factor = calc_factor(e, in);
    double force = -e.data.viscous * e.coordinate.coordinate.rate(f, xi);
    e.coordinate.coordinate.rate_gradient(f, xi, by_q);
    by_q *= -e.data.viscous;
    if (factor != 0) {
      const Load load = calc_load_gradient(e, in);
      force -= factor * load.value;
      by_q -= factor * load.by_q;
    }
    e.coordinate.coordinate.gradient(f, G);
    e.coordinate.coordinate.hessian(f, H);
    H *= force;
    H += G * by_q.transpose();
    double* out = values + e.q;
    for (const int i : e.slots) {
      for (const int j : e.all_slots) *out++ += H(i, j);
    }
  }
}

void DryFrictions::calc_by_v(const SignalInput& in, double* values) const {
  Vector12 G;
  for (const Element& e : elements_) {
    if (e.data.viscous == 0) continue;
    e.coordinate.coordinate.gradient(e.coordinate.frames(in.frames), G);
    double* out = values + e.v;
    for (const int i : e.slots) {
      for (const int j : e.slots) *out++ -= e.data.viscous * G[i] * G[j];
    }
  }
}

void DryFrictions::calc_by_lambda(const SignalInput& in, double* values) const {
  Vector12 G, of_row;
  for (const Element& e : elements_) {
    const double factor = calc_factor(e, in);
    if (factor == 0) continue;
    const FramePair f = e.coordinate.frames(in.frames);
    const Load load = calc_load_gradient(e, in);
    e.coordinate.coordinate.gradient(f, G);
    double* out = values + e.lambda;
    const std::size_t rows = e.rows.size();
    for (std::size_t k = 0; k < rows; ++k) {
      constraints_.calc_gradient(e.rows[k], f, of_row);
      const double by_lambda = factor * load.by_wrench.dot(of_row.tail<6>());
      for (std::size_t i = 0; i < e.slots.count; ++i) out[i * rows + k] += by_lambda * G[e.slots.slot[i]];
    }
  }
}

double DryFrictions::calc_dissipated(const SignalInput& in) const {
  double power = 0;
  for (int k = 0; k < count(); ++k) {
    const Element& e = at(k);
    const double rate = calc_rate(in, k), factor = calc_factor(e, in);
    power += e.data.viscous * rate * rate;
    if (factor != 0) power += factor * calc_load(in, k) * rate;
  }
  return power;
}

}  // namespace trammel::system
