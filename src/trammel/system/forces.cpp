#include "trammel/system/forces.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "trammel/linalg/parallel.h"
#include "trammel/system/bushing_load.h"

namespace trammel::system {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using linalg::Entry;
using linalg::VectorOut;

namespace {

// Derivatives of bushings that a thread is worth. One takes 3.5 microseconds, and waking a thread some ten: shared
// between two threads, those of 1000 took 0.69 of the time. The forces, 0.13 microseconds each, gained nothing.
constexpr int kBushingGrain = 32;

constexpr auto kAll = [](int) { return true; };

/// The generalised force of a force F and torque M (ground axes) at the ground point P.
template <class T>
Eigen::Matrix<T, 6, 1> at_centre(const BodyState<T>& body, const math::Vector3<T>& P, const math::Vector3<T>& F,
                                 const math::Vector3<T>& M) {
  Eigen::Matrix<T, 6, 1> result;
  const math::Vector3<T> torque = (P - body.r).cross(F) + M;
  result << F, body.R.transpose() * torque;
  return result;
}

/// Calls visit(k) for the elements k, which write only what is their own: threads share those that are many.
template <class Elements, class Visit>
void share(const Elements& elements, int grain, const Visit& visit) {
  linalg::parallel_for_ranges(static_cast<int>(elements.size()), grain, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) visit(static_cast<std::size_t>(k));
  });
}

bool is_zero(const model::Program& program) { return program.is_constant() && program.constant() == 0; }

}  // namespace

Forces::Forces(const model::Model& model, const BodyTable& bodies, const Signals& signals,
               const DryFrictions& frictions)
    : model_(model), bodies_(bodies), signals_(signals), frictions_(frictions), gravity_(model.gravity) {
  if (!bodies.is_planar()) {
    for (int frame = 1; frame < bodies.frames(); ++frame) {
      for (int j = 3; j < 6; ++j) {
        for (int i = 3; i < 6; ++i) by_v_.push_back({bodies.column(frame, i), bodies.column(frame, j)});
      }
    }
  }
  std::vector<const model::Program*> programs;
  for (std::size_t k = 0; k < model.forces.size(); ++k) {
    const model::Force& force = model.forces[k];
    if (force.scalar) {
      add_scalar(model, static_cast<int>(k));
    } else if (force.vector) {
      add_vector(model, static_cast<int>(k));
    } else if (force.friction) {
      element_of_.emplace_back(3, frictions.element_of(static_cast<int>(k)));
      is_conservative_ = false;
    } else {
      add_bushing(model, static_cast<int>(k));
    }
    const std::vector<const model::Program*> own = force.programs();
    programs.insert(programs.end(), own.begin(), own.end());
  }
  order_ = signals.order_of(programs);
  friction_q_ = static_cast<int>(by_q_.size());
  friction_v_ = static_cast<int>(by_v_.size());
  by_q_.insert(by_q_.end(), frictions.by_q().begin(), frictions.by_q().end());
  by_v_.insert(by_v_.end(), frictions.by_v().begin(), frictions.by_v().end());
}

int Forces::add_support_entries(std::vector<Entry>& entries, int a, int b, const SlotList& slots,
                                const std::vector<int>& support, int first, int last) const {
  for (const int slot : slots) {
    for (const int z : support) {
      if (z >= first && z < last) entries.push_back({bodies_.pair_column(a, b, slot), z - first});
    }
  }
  return static_cast<int>(entries.size());
}

void Forces::add_scalar(const model::Model& model, int index) {
  const model::ScalarForce& force = *model.forces[static_cast<std::size_t>(index)].scalar;
  ScalarElement e{};
  e.force = index;
  e.counter = -1;
  if (force.coordinate.joint >= 0) {
    e.coordinate = make_joint_coordinate(model, force.coordinate);
    e.counter = signals_.counter_of(force.coordinate);
  } else {
    const MarkerGeometry I = marker_geometry(model, force.i), J = marker_geometry(model, force.j);
    e.coordinate = {model::Coordinate::distance(I.s, J.s), I.frame, J.frame};
  }
  e.law = ScalarLaw(model, force.law, signals_);
  const int a = e.coordinate.a, b = e.coordinate.b, n = bodies_.n_v();
  e.slots = bodies_.pair_slots(a, b, [&](int k) { return e.coordinate.coordinate.uses(k); });
  e.q = static_cast<int>(by_q_.size());
  e.v = static_cast<int>(by_v_.size());
  e.x = static_cast<int>(by_x_.size());
  for (auto* entries : {&by_q_, &by_v_}) {
    for (const int i : e.slots) {
      for (const int j : e.slots) entries->push_back({bodies_.pair_column(a, b, i), bodies_.pair_column(a, b, j)});
    }
  }
  const std::vector<int>& support = e.law.expression().support();
  add_support_entries(by_q_, a, b, e.slots, support, 0, n);
  add_support_entries(by_v_, a, b, e.slots, support, n, 2 * n);
  add_support_entries(by_x_, a, b, e.slots, support, 2 * n, 1 << 30);
  const model::ForceLaw& law = force.law;
  is_conservative_ = is_conservative_ && law.damping == 0 && law.damping_curve < 0 && law.coulomb == 0 &&
                     law.breakaway == 0 && !(law.stop && law.stop->damping != 0) && !law.expression;
  element_of_.emplace_back(0, static_cast<int>(scalars_.size()));
  scalars_.push_back(std::move(e));
}

void Forces::add_vector(const model::Model& model, int index) {
  const model::VectorForce& force = *model.forces[static_cast<std::size_t>(index)].vector;
  VectorElement e{};
  e.force = index;
  e.i = marker_geometry(model, force.i);
  e.j = marker_geometry(model, force.j);
  e.has_reaction = force.j >= 0;
  e.frame = marker_geometry(model, force.frame);
  for (int k = 0; k < 6; ++k) {
    const auto& part = k < 3 ? force.force[static_cast<std::size_t>(k)] : force.torque[static_cast<std::size_t>(k - 3)];
    const auto at = static_cast<std::size_t>(k);
    e.is_used[at] = part && !is_zero(*part);
    if (e.is_used[at]) e.components[at] = ProgramUse(*part, signals_);
  }
  const int a = e.i.frame, b = e.has_reaction ? e.j.frame : 0, n = bodies_.n_v();
  e.slots = bodies_.pair_slots(a, b, kAll);
  for (const int frame : {a, b, e.frame.frame}) {
    if (frame != 0 && std::find(e.frames.begin(), e.frames.end(), frame) == e.frames.end()) e.frames.push_back(frame);
  }
  e.q = static_cast<int>(by_q_.size());
  e.v = static_cast<int>(by_v_.size());
  e.x = static_cast<int>(by_x_.size());
  for (const int frame : e.frames) {
    for (const int i : e.slots) {
      for (const int j : bodies_.slots(frame))
        by_q_.push_back({bodies_.pair_column(a, b, i), bodies_.column(frame, j)});
    }
  }
  for (std::size_t k = 0; k < 6; ++k) {
    if (!e.is_used[k]) continue;
    const std::vector<int>& support = e.components[k].support();
    add_support_entries(by_q_, a, b, e.slots, support, 0, n);
    add_support_entries(by_v_, a, b, e.slots, support, n, 2 * n);
    add_support_entries(by_x_, a, b, e.slots, support, 2 * n, 1 << 30);
  }
  is_conservative_ = false;
  element_of_.emplace_back(1, static_cast<int>(vectors_.size()));
  vectors_.push_back(std::move(e));
}

void Forces::add_bushing(const model::Model& model, int index) {
  const model::Bushing& bushing = *model.forces[static_cast<std::size_t>(index)].bushing;
  BushingElement e{index, marker_geometry(model, bushing.i), marker_geometry(model, bushing.j), bushing, {}, 0, 0};
  e.slots = bodies_.pair_slots(e.i.frame, e.j.frame, kAll);
  e.q = static_cast<int>(by_q_.size());
  e.v = static_cast<int>(by_v_.size());
  for (auto* entries : {&by_q_, &by_v_}) {
    for (const int j : e.slots) {
      for (const int i : e.slots) {
        entries->push_back(
            {bodies_.pair_column(e.i.frame, e.j.frame, i), bodies_.pair_column(e.i.frame, e.j.frame, j)});
      }
    }
  }
  is_conservative_ = false;
  element_of_.emplace_back(2, static_cast<int>(bushings_.size()));
  bushings_.push_back(std::move(e));
}

// --- element by element ---------------------------------------------------------------------------------------------

Forces::ScalarState Forces::eval_scalar(const ScalarElement& e, const SignalInput& in, SignalWork& work) const {
  const model::Coordinate& coordinate = e.coordinate.coordinate;
  const FramePair f = e.coordinate.frames(in.frames);
  const TwistPair xi = e.coordinate.twists(in.twists);
  ScalarState s;
  s.c = signals_.calc_joint_coordinate(in, e.coordinate, e.counter);
  s.is_degenerate = s.c == 0 && coordinate.is_degenerate(f);
  const bool parts = s.is_degenerate && coordinate.parting_gradient(f, xi, s.G);
  if (!parts) coordinate.gradient(f, s.G);
  s.rate = s.is_degenerate && !parts ? 0.0 : s.G.dot(xi.stacked());
  s.law = e.law.calc(s.c, s.rate);
  s.total = s.law.force + (e.law.has_expression() ? e.law.expression().eval(work) : 0.0);
  s.across = s.law.by_rate;
  if (parts) s.across = s.total / s.rate;
  if (s.is_degenerate && !parts && s.total != 0) s.G.setConstant(std::numeric_limits<double>::quiet_NaN());
  return s;
}

Eigen::Matrix<double, 6, 1> Forces::eval_components(const VectorElement& e, SignalWork& work) const {
  Eigen::Matrix<double, 6, 1> components;
  for (int k = 0; k < 6; ++k) {
    const auto at = static_cast<std::size_t>(k);
    components[k] = e.is_used[at] ? e.components[at].eval(work) : 0.0;
  }
  return components;
}

template <class T>
Eigen::Matrix<T, 12, 1> Forces::calc_wrench(const VectorElement& e, const Eigen::Matrix<double, 6, 1>& components,
                                            const BodyState<T>& A, const BodyState<T>& B, const BodyState<T>& C) {
  const math::Matrix3<T> axes = C.R * e.frame.axes.cast<T>();
  const math::Vector3<T> F = axes * components.head<3>().cast<T>(), M = axes * components.tail<3>().cast<T>();
  const math::Vector3<T> P = A.r + A.R * e.i.s.cast<T>();
  Eigen::Matrix<T, 12, 1> wrench = Eigen::Matrix<T, 12, 1>::Zero();
  wrench.template head<6>() = at_centre<T>(A, P, F, M);
  if (e.has_reaction) wrench.template tail<6>() = -at_centre<T>(B, P, F, M);
  return wrench;
}

template <class T>
Eigen::Matrix<T, 12, 1> Forces::calc_wrench(const BushingElement& e, const BodyState<T>& A, const BodyState<T>& B) {
  const MarkerState<T> I = place(A, e.i), J = place(B, e.j);
  const Eigen::Matrix<T, 6, 1> load = calc_bushing_load(e.data, I, J);
  const math::Vector3<T> F = load.template head<3>(), M = load.template tail<3>();
  Eigen::Matrix<T, 12, 1> wrench;
  wrench << -at_centre<T>(A, J.P, F, M), at_centre<T>(B, J.P, F, M);
  return wrench;
}

template <class Element>
void Forces::add_to(const Element& e, int a, int b, const Vector12& wrench, VectorOut f) const {
  for (const int slot : e.slots) f[bodies_.pair_column(a, b, slot)] += wrench[slot];
}

void Forces::add_body_forces(const SignalInput& in, VectorOut f) const {
  if (bodies_.is_planar()) {
    for (int frame = 1; frame < bodies_.frames(); ++frame) {
      f.segment<2>(bodies_.v_of(frame)) += bodies_.mass(frame) * gravity_.head<2>();
    }
    return;
  }
  for (int frame = 1; frame < bodies_.frames(); ++frame) {
    const Vector3d& w = in.twists[static_cast<std::size_t>(frame)].w;
    auto of_body = f.segment<6>(bodies_.v_of(frame));
    of_body.head<3>() += bodies_.mass(frame) * gravity_;
    of_body.tail<3>() -= w.cross(bodies_.inertia(frame) * w);
  }
}

void Forces::add_element_forces(const SignalInput& in, SignalWork& work, VectorOut f) const {
  signals_.calc_values(in, order_, work);
  for (const ScalarElement& e : scalars_) {
    const ScalarState s = eval_scalar(e, in, work);
    add_to(e, e.coordinate.a, e.coordinate.b, s.total * s.G, f);
  }
  for (const VectorElement& e : vectors_) {
    const int b = e.has_reaction ? e.j.frame : 0;
    add_to(e, e.i.frame, b,
           calc_wrench<double>(e, eval_components(e, work), in.body(e.i.frame), in.body(b), in.body(e.frame.frame)), f);
  }
  for (const BushingElement& e : bushings_) {
    add_to(e, e.i.frame, e.j.frame, calc_wrench<double>(e, in.body(e.i.frame), in.body(e.j.frame)), f);
  }
  frictions_.calc(in, f);
}

namespace {

/// Adds G (gradient of an expression), restricted to the unknowns in [first, last).
void add_outer(const SlotList& slots, const Vector12& G, const std::vector<int>& support, const double* gradient,
               int first, int last, double*& values) {
  for (const int slot : slots) {
    for (std::size_t k = 0; k < support.size(); ++k) {
      if (support[k] >= first && support[k] < last) *values++ += G[slot] * gradient[k];
    }
  }
}

}  // namespace

void Forces::calc_by_q(const SignalInput& in, SignalWork& work, double* values) const {
  signals_.calc_gradients(in, order_, work);
  const int n = bodies_.n_v();
  Matrix12 H;
  Vector12 rate_gradient;
  for (const ScalarElement& e : scalars_) {
    const ScalarState s = eval_scalar(e, in, work);
    const FramePair f = e.coordinate.frames(in.frames);
    if (s.is_degenerate) {
      e.coordinate.coordinate.parting_hessian(f, H);
      H *= s.law.by_value;
    } else {
      e.coordinate.coordinate.hessian(f, H);
      e.coordinate.coordinate.rate_gradient(f, e.coordinate.twists(in.twists), rate_gradient);
      H *= s.total;
      H += s.G * (s.law.by_value * s.G + s.law.by_rate * rate_gradient).transpose();
    }
    double* out = values + e.q;
    for (const int i : e.slots) {
      for (const int j : e.slots) *out++ += H(i, j);
    }
    if (!e.law.has_expression()) continue;
    const ProgramUse& expression = e.law.expression();
    work.gather_room.assign(expression.support().size(), 0.0);
    expression.eval_gradient(signals_, work, 1, work.gather_room.data());
    add_outer(e.slots, s.G, expression.support(), work.gather_room.data(), 0, n, out);
  }
  for (const VectorElement& e : vectors_) {
    double* out = values + e.q;
    add_frame_columns(e, eval_components(e, work), in, out);
    add_program_columns(e, in, work, 0, n, out);
  }
  share(bushings_, kBushingGrain,
        [&](std::size_t k) { add_bushing_columns(bushings_[k], in, false, values + bushings_[k].q); });
  frictions_.calc_by_q(in, values + friction_q_);
}

void Forces::calc_by_v(const SignalInput& in, SignalWork& work, double* values) const {
  signals_.calc_gradients(in, order_, work);
  const int n = bodies_.n_v();
  if (!bodies_.is_planar()) {
    double* out = values;
    for (int frame = 1; frame < bodies_.frames(); ++frame, out += 9) {
      const Vector3d& w = in.twists[static_cast<std::size_t>(frame)].w;
      const Matrix3d& J = bodies_.inertia(frame);
      Eigen::Map<Matrix3d> block(out);
      block = math::skew(Vector3d(J * w)) - math::skew(w) * J;
    }
  }
  for (const ScalarElement& e : scalars_) {
    const ScalarState s = eval_scalar(e, in, work);
    double* out = values + e.v;
    if (s.is_degenerate) {
      Matrix12 H;
      e.coordinate.coordinate.parting_hessian(e.coordinate.frames(in.frames), H);
      H = s.across * H + (s.law.by_rate - s.across) * s.G * s.G.transpose();
      for (const int i : e.slots) {
        for (const int j : e.slots) *out++ += H(i, j);
      }
    } else {
      for (const int i : e.slots) {
        for (const int j : e.slots) *out++ += s.law.by_rate * s.G[i] * s.G[j];
      }
    }
    if (!e.law.has_expression()) continue;
    const ProgramUse& expression = e.law.expression();
    work.gather_room.assign(expression.support().size(), 0.0);
    expression.eval_gradient(signals_, work, 1, work.gather_room.data());
    add_outer(e.slots, s.G, expression.support(), work.gather_room.data(), n, 2 * n, out);
  }
  for (const VectorElement& e : vectors_) {
    double* out = values + e.v;
    add_program_columns(e, in, work, n, 2 * n, out);
  }
  share(bushings_, kBushingGrain,
        [&](std::size_t k) { add_bushing_columns(bushings_[k], in, true, values + bushings_[k].v); });
  frictions_.calc_by_v(in, values + friction_v_);
}

void Forces::calc_by_x(const SignalInput& in, SignalWork& work, double* values) const {
  signals_.calc_gradients(in, order_, work);
  const int n = bodies_.n_v();
  for (const ScalarElement& e : scalars_) {
    if (!e.law.has_expression()) continue;
    const ScalarState s = eval_scalar(e, in, work);
    const ProgramUse& expression = e.law.expression();
    work.gather_room.assign(expression.support().size(), 0.0);
    expression.eval_gradient(signals_, work, 1, work.gather_room.data());
    double* out = values + e.x;
    add_outer(e.slots, s.G, expression.support(), work.gather_room.data(), 2 * n, 1 << 30, out);
  }
  for (const VectorElement& e : vectors_) {
    double* out = values + e.x;
    add_program_columns(e, in, work, 2 * n, 1 << 30, out);
  }
}

void Forces::add_frame_columns(const VectorElement& e, const Eigen::Matrix<double, 6, 1>& components,
                               const SignalInput& in, double*& values) const {
  const int a = e.i.frame, b = e.has_reaction ? e.j.frame : 0, c = e.frame.frame;
  for (const int frame : e.frames) {
    const BodyState<D6> moved = with_variables(in.body(frame), false);
    const auto state = [&](int which) { return which == frame ? moved : cast<D6>(in.body(which)); };
    const Eigen::Matrix<D6, 12, 1> wrench = calc_wrench<D6>(e, components, state(a), state(b), state(c));
    for (const int i : e.slots) {
      for (const int j : bodies_.slots(frame)) *values++ += wrench[i].derivative[static_cast<std::size_t>(j)];
    }
  }
}

void Forces::add_program_columns(const VectorElement& e, const SignalInput& in, SignalWork& work, int first, int last,
                                 double*& values) const {
  const int b = e.has_reaction ? e.j.frame : 0;
  for (int k = 0; k < 6; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (!e.is_used[at]) continue;
    const Vector12 direction = calc_wrench<double>(e, Eigen::Matrix<double, 6, 1>::Unit(k), in.body(e.i.frame),
                                                   in.body(b), in.body(e.frame.frame));
    const ProgramUse& component = e.components[at];
    work.gather_room.assign(component.support().size(), 0.0);
    component.eval_gradient(signals_, work, 1, work.gather_room.data());
    add_outer(e.slots, direction, component.support(), work.gather_room.data(), first, last, values);
  }
}

void Forces::add_bushing_columns(const BushingElement& e, const SignalInput& in, bool by_velocity,
                                 double* values) const {
  const int a = e.i.frame, b = e.j.frame;
  const BodyState<double> A = in.body(a), B = in.body(b);
  for (const int frame : {a, b}) {
    if (frame == 0) continue;
    const bool moves_A = frame == a;
    const Eigen::Matrix<D6, 12, 1> wrench = calc_wrench<D6>(e, moves_A ? with_variables(A, by_velocity) : cast<D6>(A),
                                                            moves_A ? cast<D6>(B) : with_variables(B, by_velocity));
    for (const int j : bodies_.slots(frame)) {
      for (const int i : e.slots) *values++ += wrench[i].derivative[static_cast<std::size_t>(j)];
    }
  }
}

// --- energy and values ----------------------------------------------------------------------------------------------

EnergyFlow Forces::calc_energy(const SignalInput& in, SignalWork& work) const {
  EnergyFlow flow;
  for (int frame = 1; frame < bodies_.frames(); ++frame) {
    flow.potential -= bodies_.mass(frame) * gravity_.dot(in.frames[static_cast<std::size_t>(frame)].r);
  }
  signals_.calc_values(in, order_, work);
  for (const ScalarElement& e : scalars_) {
    const ScalarState s = eval_scalar(e, in, work);
    flow.potential += s.law.potential;
    // What of the law does not come from the potential is damping or friction.
    flow.dissipated -= e.law.calc_dissipative(s.c, s.rate) * s.rate;
    flow.driven += (s.total - s.law.force) * s.rate;
  }
  for (const VectorElement& e : vectors_) {
    const int b = e.has_reaction ? e.j.frame : 0;
    const Vector12 wrench =
        calc_wrench<double>(e, eval_components(e, work), in.body(e.i.frame), in.body(b), in.body(e.frame.frame));
    const TwistPair xi{in.twists[static_cast<std::size_t>(e.i.frame)], in.twists[static_cast<std::size_t>(b)]};
    flow.driven += wrench.dot(xi.stacked());
  }
  for (const BushingElement& e : bushings_) {
    const BodyState<double> A = in.body(e.i.frame), B = in.body(e.j.frame);
    const Vector12 wrench = calc_wrench<double>(e, A, B);
    const TwistPair xi{in.twists[static_cast<std::size_t>(e.i.frame)], in.twists[static_cast<std::size_t>(e.j.frame)]};
    double rate = 0;
    flow.potential += calc_bushing_potential(e, A, B, xi, rate);
    flow.dissipated -= wrench.dot(xi.stacked()) + rate;
  }
  flow.dissipated += frictions_.calc_dissipated(in);
  return flow;
}

/// deflection^T K deflection / 2 - preload . deflection, and its rate.
double Forces::calc_bushing_potential(const BushingElement& e, const BodyState<double>& A, const BodyState<double>& B,
                                      const TwistPair& xi, double& rate) {
  using D1 = math::Dual<double, 1>;
  const auto moving = [](const BodyState<double>& body, const Twist& twist) {
    BodyState<D1> moved = cast<D1>(body);
    math::Vector3<D1> dphi;
    for (int k = 0; k < 3; ++k) {
      moved.r[k].derivative[0] = twist.v[k];
      dphi[k].derivative[0] = twist.w[k];
    }
    moved.R += (moved.R * math::skew(dphi)).eval();
    return moved;
  };
  const MarkerState<D1> I = place(moving(A, xi.A), e.i), J = place(moving(B, xi.B), e.j);
  const Eigen::Matrix<D1, 6, 1> deflection = calc_bushing_deflection(I, J);
  const Eigen::Matrix<D1, 6, 1> load = 0.5 * (e.data.stiffness.cast<D1>() * deflection) - e.data.preload.cast<D1>();
  const D1 potential = load.dot(deflection);
  rate = potential.derivative[0];
  return potential.value;
}

int Forces::value_count(int force) const {
  const int kind = element_of_[static_cast<std::size_t>(force)].first;
  return kind == 0 || kind == 3 ? 1 : 6;
}

void Forces::calc_values(const SignalInput& in, SignalWork& work, int force, double* values) const {
  const auto [kind, at] = element_of_[static_cast<std::size_t>(force)];
  const auto k = static_cast<std::size_t>(at);
  if (kind == 0) {
    values[0] = eval_scalar(scalars_[k], in, work).total;
    return;
  }
  if (kind == 3) {
    values[0] = frictions_.calc_value(in, at);
    return;
  }
  Vector12 wrench;
  int side = 0;
  MarkerGeometry marker;
  if (kind == 1) {
    const VectorElement& e = vectors_[k];
    const int b = e.has_reaction ? e.j.frame : 0;
    wrench = calc_wrench<double>(e, eval_components(e, work), in.body(e.i.frame), in.body(b), in.body(e.frame.frame));
    marker = e.i;
  } else {
    const BushingElement& e = bushings_[k];
    wrench = calc_wrench<double>(e, in.body(e.i.frame), in.body(e.j.frame));
    marker = e.j;
    side = 6;
  }
  Eigen::Map<Wrench>(values, 6) =
      move_to_marker(wrench.segment<6>(side), in.frames[static_cast<std::size_t>(marker.frame)], marker);
}

std::string Forces::describe_fault(const SignalInput& in, SignalWork& work, int force) const {
  const auto [kind, at] = element_of_[static_cast<std::size_t>(force)];
  const auto k = static_cast<std::size_t>(at);
  if (kind == 0) {
    const ScalarElement& e = scalars_[k];
    const ScalarState s = eval_scalar(e, in, work);
    if (std::isfinite(s.total) && s.G.allFinite()) return {};
    if (e.law.has_expression() && !std::isfinite(e.law.expression().eval(work))) {
      return signals_.describe_fault(e.law.expression(), work);
    }
    if (s.is_degenerate) return fmt::format("its points coincide, so that {:g} N have no direction", s.total);
    const std::string curve = e.law.find_left_curve(model_, s.c, s.rate);
    return curve.empty() ? fmt::format("its coordinate is {:g} and the rate {:g}", s.c, s.rate) : curve;
  }
  if (kind == 1) {
    const VectorElement& e = vectors_[k];
    for (std::size_t i = 0; i < e.components.size(); ++i) {
      if (!e.is_used[i] || std::isfinite(e.components[i].eval(work))) continue;
      return signals_.describe_fault(e.components[i], work);
    }
  }
  Wrench values = Wrench::Zero();
  calc_values(in, work, force, values.data());
  return values.allFinite() ? "" : "positions or velocities are too large";
}

}  // namespace trammel::system
