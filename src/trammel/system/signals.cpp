#include "trammel/system/signals.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "trammel/math/dual.h"
#include "trammel/math/turns.h"
#include "trammel/system/bushing_load.h"
#include "trammel/system/support.h"

namespace trammel::system {
namespace {

using model::Signal;
using model::SignalKind;

/// A measure between markers: of a seen from b, in the axes of c, derivatives as seen from d. Of a bushing between a
/// and b: a component of what it exerts on b, ground axes.
template <class T>
T calc_measure(const Signal& signal, const model::Bushing* bushing, const MarkerState<T>& a, const MarkerState<T>& b,
               const MarkerState<T>& c, const MarkerState<T>& d) {
  using std::atan2, std::sqrt, math::atan2, math::sqrt;
  using Vector = math::Vector3<T>;
  const int k = signal.component;
  const Vector x = a.P - b.P;
  const auto along = [&](const Vector& vector) { return c.axes.col(k).dot(vector); };
  const auto size = [](const Vector& vector) { return T(sqrt(vector.squaredNorm())); };
  const Vector velocity = a.V - b.V - d.W.cross(x);
  const auto acceleration = [&]() -> Vector {
    return a.A - b.A - d.W_rate.cross(x) - 2.0 * d.W.cross(velocity) - d.W.cross(Vector(d.W.cross(x)));
  };
  switch (signal.kind) {
    case SignalKind::kDisplacement: return along(x);
    case SignalKind::kDistance: return size(x);
    case SignalKind::kVelocity: return along(velocity);
    case SignalKind::kSpeed: return size(velocity);
    case SignalKind::kSeparationRate:
      // Points that coincide part at the speed they have.
      return x.squaredNorm() == 0 ? size(a.V - b.V) : T(x.dot(a.V - b.V) / size(x));
    case SignalKind::kAngle: {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      return atan2(T(b.axes.col(j).dot(a.axes.col(i))), T(b.axes.col(i).dot(a.axes.col(i))));
    }
    case SignalKind::kAngularVelocity: return along(a.W - b.W);
    case SignalKind::kAngularSpeed: return size(a.W - b.W);
    case SignalKind::kAcceleration: return along(acceleration());
    case SignalKind::kAccelerationSize: return size(acceleration());
    case SignalKind::kAngularAcceleration: return along(a.W_rate - b.W_rate - d.W.cross(Vector(a.W - b.W)));
    case SignalKind::kForceValue: return calc_bushing_load(*bushing, a, b)[k];
    default: throw std::logic_error("not a measure");
  }
}

bool is_measure(SignalKind kind) {
  return kind >= SignalKind::kDisplacement && kind <= SignalKind::kAngularAcceleration;
}

double reaction_component(const Signal& signal, const SignalInput& in, const MarkerGeometry& J) {
  const Wrench wrench = move_to_marker((*in.joint_wrenches)[static_cast<std::size_t>(signal.index)],
                                       in.frames[static_cast<std::size_t>(J.frame)], J);
  const Eigen::Vector3d value = wrench.segment<3>(signal.kind == SignalKind::kReactionForce ? 0 : 3);
  return signal.component < 3 ? value[signal.component] : value.norm();
}

}  // namespace

Signals::Signals(const model::Model& model, const BodyTable& bodies,
                 const std::vector<std::pair<model::JointCoordinate, int>>& counters)
    : model_(model), bodies_(bodies), counters_(counters), infos_(model.signals.size()) {
  std::vector<int> marks(infos_.size(), 0);
  for (std::size_t k = 0; k < infos_.size(); ++k) set_up(static_cast<int>(k), marks);
}

int Signals::counter_of(const model::JointCoordinate& which) const {
  for (const auto& [coordinate, state] : counters_) {
    if (coordinate == which) return state;
  }
  return -1;
}

/// Supports follow from what a signal depends on, so those come first; resolve_algebraic_loops() has made sure that
/// there is no circle.
void Signals::set_up(int signal, std::vector<int>& marks) {
  const auto k = static_cast<std::size_t>(signal);
  if (marks[k] != 0) return;
  marks[k] = 1;
  const Signal& s = model_.signals[k];
  Info& info = infos_[k];
  for (const model::Program* program : model_.programs_of(s)) {
    for (const int input : program->inputs()) {
      info.needs.push_back(input);
      set_up(input, marks);
    }
    largest_program_ =
        std::max({largest_program_, static_cast<std::size_t>(program->gradient_work_size()), program->inputs().size()});
  }
  if (is_measure(s.kind)) {
    set_up_measure(s, info);
  } else if (s.kind == SignalKind::kState) {
    info.support = {2 * bodies_.n_v() + s.index};
  } else if (s.kind == SignalKind::kVariable) {
    info.program = ProgramUse(model_.variables[static_cast<std::size_t>(s.index)].function, *this);
    info.support = info.program.support();
  } else if (s.kind == SignalKind::kJointCoordinate || s.kind == SignalKind::kJointRate) {
    const model::JointCoordinate which{s.index, static_cast<model::CoordinateKind>(s.component)};
    info.coordinate = make_joint_coordinate(model_, which);
    info.counter = counter_of(which);
    const SlotList slots = bodies_.pair_slots(info.coordinate.a, info.coordinate.b, [](int) { return true; });
    for (const int slot : slots) {
      const int column = bodies_.pair_column(info.coordinate.a, info.coordinate.b, slot);
      info.support.push_back(column);
      if (s.kind == SignalKind::kJointRate) info.support.push_back(bodies_.n_v() + column);
    }
    make_unique(info.support);
  } else if (s.kind == SignalKind::kForceValue) {
    set_up_force_value(s, info);
  } else if (s.kind == SignalKind::kReactionForce || s.kind == SignalKind::kReactionTorque) {
    info.b = marker_geometry(model_, model_.joints[static_cast<std::size_t>(s.index)].j);
  }
  info.offset = static_cast<int>(gradient_size_);
  gradient_size_ += info.support.size();
}

void Signals::set_up_measure(const Signal& signal, Info& info) const {
  info.a = marker_geometry(model_, signal.a);
  info.b = marker_geometry(model_, signal.b);
  info.c = marker_geometry(model_, signal.c);
  info.d = marker_geometry(model_, signal.d);
  if (signal.kind == SignalKind::kAngle) {
    info.angle_offset =
        std::atan2(info.a.axes(1, 0), info.a.axes(0, 0)) - std::atan2(info.b.axes(1, 0), info.b.axes(0, 0));
  }
  for (const MarkerGeometry* m : {&info.a, &info.b, &info.c, &info.d}) {
    if (m->frame != 0) info.frames.push_back(m->frame);
  }
  make_unique(info.frames);
  for (const int half : {0, 1}) {
    for (const int frame : info.frames) {
      for (const int slot : bodies_.slots(frame)) {
        info.support.push_back(half * bodies_.n_v() + bodies_.column(frame, slot));
      }
    }
  }
}

void Signals::set_up_force_value(const Signal& signal, Info& info) const {
  const model::Force& force = model_.forces[static_cast<std::size_t>(signal.index)];
  if (force.vector) {
    info.c = marker_geometry(model_, force.vector->frame);
    for (const int part : model_.find_parts(*force.vector, signal.component)) {
      const ProgramUse& use = info.parts.emplace_back(part % 3, ProgramUse(*force.vector->part(part), *this)).second;
      info.support.insert(info.support.end(), use.support().begin(), use.support().end());
    }
    if (info.c.frame != 0 && !info.parts.empty()) {
      for (const int slot : bodies_.slots(info.c.frame)) {
        if (slot >= 3) info.support.push_back(bodies_.column(info.c.frame, slot));
      }
    }
    make_unique(info.support);
    return;
  }
  if (force.bushing) {
    info.bushing = &*force.bushing;
    set_up_measure({.a = force.bushing->i, .b = force.bushing->j, .text = {}}, info);
    return;
  }
  const model::ScalarForce& scalar = *force.scalar;
  if (scalar.coordinate.joint >= 0) {
    info.coordinate = make_joint_coordinate(model_, scalar.coordinate);
    info.counter = counter_of(scalar.coordinate);
  } else {
    const MarkerGeometry I = marker_geometry(model_, scalar.i), J = marker_geometry(model_, scalar.j);
    info.coordinate = {model::Coordinate::distance(I.s, J.s), I.frame, J.frame};
  }
  info.law = ScalarLaw(model_, scalar.law, *this);
  const SlotList slots = bodies_.pair_slots(info.coordinate.a, info.coordinate.b, [](int) { return true; });
  for (const int slot : slots) {
    const int column = bodies_.pair_column(info.coordinate.a, info.coordinate.b, slot);
    info.support.push_back(column);
    info.support.push_back(bodies_.n_v() + column);
  }
  const std::vector<int>& more = info.law.expression().support();
  info.support.insert(info.support.end(), more.begin(), more.end());
  make_unique(info.support);
}

SignalWork Signals::make_work() const {
  SignalWork work;
  work.values.resize(infos_.size());
  work.gradients.resize(gradient_size_);
  std::size_t largest = largest_program_ + 16, largest_support = 0;
  // Programs of forces, states, outputs and events run in the same room.
  const auto consider = [&](const model::Program& program) {
    largest = std::max({largest, static_cast<std::size_t>(program.gradient_work_size()), program.inputs().size()});
    std::size_t all_supports = 0;
    for (const int input : program.inputs()) all_supports += support(input).size();
    largest_support = std::max(largest_support, all_supports);
  };
  for (const model::Force& force : model_.forces) {
    for (const model::Program* program : force.programs()) consider(*program);
  }
  for (const model::ExtraState& state : model_.states) consider(state.function);
  for (const model::Definition& output : model_.outputs) consider(output.function);
  for (const model::EventRule& event : model_.events) {
    consider(event.function);
    for (const auto& [state, program] : event.assignments) consider(program);
  }
  for (const auto& info : infos_) consider(info.program.program());
  work.inputs.resize(largest);
  work.work.resize(largest);
  work.partials.resize(largest);
  work.gather_room.reserve(largest_support);
  return work;
}

void Signals::visit(int signal, std::vector<char>& marks, std::vector<int>& order) const {
  const auto k = static_cast<std::size_t>(signal);
  if (marks[k] != 0) return;
  marks[k] = 1;
  for (const int needed : infos_[k].needs) visit(needed, marks, order);
  order.push_back(signal);
}

std::vector<int> Signals::order_of(const std::vector<const model::Program*>& programs) const {
  std::vector<char> marks(infos_.size(), 0);
  std::vector<int> order;
  for (const model::Program* program : programs) {
    for (const int input : program->inputs()) visit(input, marks, order);
  }
  return order;
}

std::vector<int> Signals::order_of_all() const {
  std::vector<char> marks(infos_.size(), 0);
  std::vector<int> order;
  for (std::size_t k = 0; k < infos_.size(); ++k) visit(static_cast<int>(k), marks, order);
  return order;
}

bool Signals::needs_accelerations(std::span<const int> order) const {
  return std::any_of(order.begin(), order.end(),
                     [&](int k) { return model_.signals[static_cast<std::size_t>(k)].needs_accelerations(); });
}

bool Signals::needs_reactions(std::span<const int> order) const {
  return std::any_of(order.begin(), order.end(),
                     [&](int k) { return model_.signals[static_cast<std::size_t>(k)].needs_reactions(); });
}

double Signals::calc_joint_coordinate(const SignalInput& in, const PlacedCoordinate& placed, int counter) const {
  const double c = placed.coordinate.value(placed.frames(in.frames));
  return counter < 0 ? c : math::nearest_turn(c, in.at.x[counter]);
}

double Signals::calc_value(int signal, const SignalInput& in, SignalWork& work) const {
  const Signal& s = model_.signals[static_cast<std::size_t>(signal)];
  const Info& info = infos_[static_cast<std::size_t>(signal)];
  switch (s.kind) {
    case SignalKind::kTime: return in.at.t;
    case SignalKind::kState: return in.at.x[s.index];
    case SignalKind::kStateRate: return in.at.x_rate[s.index];
    case SignalKind::kVariable: return info.program.eval(work);
    case SignalKind::kJointCoordinate: return calc_joint_coordinate(in, info.coordinate, info.counter);
    case SignalKind::kJointRate: return info.coordinate.calc_rate(in.frames, in.twists);
    case SignalKind::kReactionForce:
    case SignalKind::kReactionTorque: return reaction_component(s, in, info.b);
    case SignalKind::kForceValue: {
      if (model_.forces[static_cast<std::size_t>(s.index)].vector) return calc_vector_force(s, info, in, work);
      if (info.bushing) break;
      const double c = calc_joint_coordinate(in, info.coordinate, info.counter);
      const double force = info.law.calc(c, info.coordinate.calc_rate(in.frames, in.twists)).force;
      return force + (info.law.has_expression() ? info.law.expression().eval(work) : 0.0);
    }
    default: break;
  }
  if (s.kind == SignalKind::kAngle && bodies_.is_planar() && s.component == 2) {
    return in.frames[static_cast<std::size_t>(info.a.frame)].angle -
           in.frames[static_cast<std::size_t>(info.b.frame)].angle + info.angle_offset;
  }
  const auto state = [&](const MarkerGeometry& m) { return place(in.body(m.frame), m); };
  return calc_measure<double>(s, info.bushing, state(info.a), state(info.b), state(info.c), state(info.d));
}

void Signals::add_coordinate_gradient(const Info& info, const SignalInput& in, double by_value, double by_rate,
                                      double* gradient) const {
  const int a = info.coordinate.a, b = info.coordinate.b;
  const FramePair f = info.coordinate.frames(in.frames);
  Vector12 G, n;
  info.coordinate.coordinate.gradient(f, G);
  info.coordinate.coordinate.rate_gradient(f, info.coordinate.twists(in.twists), n);
  for (const int slot : bodies_.pair_slots(a, b, [](int) { return true; })) {
    const int column = bodies_.pair_column(a, b, slot);
    gradient[place_in(info.support, column)] += by_value * G[slot] + by_rate * n[slot];
    if (by_rate != 0) gradient[place_in(info.support, bodies_.n_v() + column)] += by_rate * G[slot];
  }
}

void Signals::calc_measure_gradient(const Signal& signal, const Info& info, const SignalInput& in,
                                    double* gradient) const {
  if (signal.kind == SignalKind::kAngle && bodies_.is_planar() && signal.component == 2) {
    for (const auto& [marker, sign] : {std::pair{&info.a, 1.0}, std::pair{&info.b, -1.0}}) {
      if (marker->frame != 0) gradient[place_in(info.support, bodies_.column(marker->frame, 5))] += sign;
    }
    return;
  }
  double* out = gradient;
  for (const bool by_velocity : {false, true}) {
    for (const int frame : info.frames) {
      const BodyState<D6> moved = with_variables(in.body(frame), by_velocity);
      const auto state = [&](const MarkerGeometry& m) {
        return place(m.frame == frame ? moved : cast<D6>(in.body(m.frame)), m);
      };
      const D6 value =
          calc_measure<D6>(signal, info.bushing, state(info.a), state(info.b), state(info.c), state(info.d));
      for (const int slot : bodies_.slots(frame)) *out++ = value.derivative[static_cast<std::size_t>(slot)];
    }
  }
}

double Signals::add_program_gradient(const Info& info, const ProgramUse& program, double scale, SignalWork& work,
                                     double* gradient) const {
  // The program's support is a part of the signal's.
  work.gather_room.assign(program.support().size(), 0.0);
  const double value = program.eval_gradient(*this, work, scale, work.gather_room.data());
  for (std::size_t k = 0; k < program.support().size(); ++k) {
    gradient[place_in(info.support, program.support()[k])] += work.gather_room[k];
  }
  return value;
}

double Signals::calc_vector_force(const Signal& signal, const Info& info, const SignalInput& in,
                                  SignalWork& work) const {
  const Eigen::Matrix3d axes = in.frames[static_cast<std::size_t>(info.c.frame)].R * info.c.axes;
  double sum = 0;
  for (const auto& [axis, program] : info.parts) sum += axes(signal.component % 3, axis) * program.eval(work);
  return sum;
}

void Signals::calc_vector_force_gradient(const Signal& signal, const Info& info, const SignalInput& in,
                                         SignalWork& work, double* gradient) const {
  const Eigen::Matrix3d& R = in.frames[static_cast<std::size_t>(info.c.frame)].R;
  const int row = signal.component % 3;
  Eigen::Vector3d own = Eigen::Vector3d::Zero();
  for (const auto& [axis, program] : info.parts) {
    own[axis] = add_program_gradient(info, program, R.row(row).dot(info.c.axes.col(axis)), work, gradient);
  }
  if (info.c.frame == 0 || info.parts.empty()) return;
  // A small rotation of the body adds R (dphi x f), f being the force in body axes.
  const Eigen::RowVector3d by_rotation = -R.row(row) * math::skew(Eigen::Vector3d(info.c.axes * own));
  for (const int slot : bodies_.slots(info.c.frame)) {
    if (slot >= 3) gradient[place_in(info.support, bodies_.column(info.c.frame, slot))] += by_rotation[slot - 3];
  }
}

void Signals::calc_gradient(int signal, const SignalInput& in, SignalWork& work, double* gradient) const {
  const Signal& s = model_.signals[static_cast<std::size_t>(signal)];
  const Info& info = infos_[static_cast<std::size_t>(signal)];
  std::fill_n(gradient, info.support.size(), 0.0);
  switch (s.kind) {
    case SignalKind::kState: gradient[0] = 1; return;
    case SignalKind::kVariable: info.program.eval_gradient(*this, work, 1, gradient); return;
    case SignalKind::kJointCoordinate: add_coordinate_gradient(info, in, 1, 0, gradient); return;
    case SignalKind::kJointRate: add_coordinate_gradient(info, in, 0, 1, gradient); return;
    case SignalKind::kForceValue: {
      if (model_.forces[static_cast<std::size_t>(s.index)].vector) {
        calc_vector_force_gradient(s, info, in, work, gradient);
        return;
      }
      if (info.bushing) {
        calc_measure_gradient(s, info, in, gradient);
        return;
      }
      const ScalarLaw::Value law = info.law.calc(calc_joint_coordinate(in, info.coordinate, info.counter),
                                                 info.coordinate.calc_rate(in.frames, in.twists));
      add_coordinate_gradient(info, in, law.by_value, law.by_rate, gradient);
      if (!info.law.has_expression()) return;
      add_program_gradient(info, info.law.expression(), 1, work, gradient);
      return;
    }
    default: break;
  }
  if (is_measure(s.kind) && !s.needs_accelerations()) calc_measure_gradient(s, info, in, gradient);
}

void Signals::calc_values(const SignalInput& in, std::span<const int> order, SignalWork& work) const {
  for (const int signal : order) work.values[static_cast<std::size_t>(signal)] = calc_value(signal, in, work);
}

void Signals::calc_gradients(const SignalInput& in, std::span<const int> order, SignalWork& work) const {
  for (const int signal : order) {
    work.values[static_cast<std::size_t>(signal)] = calc_value(signal, in, work);
    calc_gradient(signal, in, work, work.gradients.data() + infos_[static_cast<std::size_t>(signal)].offset);
  }
}

std::string Signals::describe_fault(const ProgramUse& program, SignalWork& work) const {
  const model::expression::Fault fault = program.find_fault(work);
  const std::string text = '"' + program.program().text() + '"';
  if (fault.input < 0) return fault.text.empty() ? text : text + " takes " + fault.text;
  const Signal& signal = model_.signals[static_cast<std::size_t>(fault.input)];
  std::string reads = text + " reads " + signal.text;
  if (signal.kind != SignalKind::kVariable) return reads;
  return reads + ", " + describe_fault(infos_[static_cast<std::size_t>(fault.input)].program, work);
}

}  // namespace trammel::system
