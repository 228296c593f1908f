#include "trammel/system/probe.h"

#include <algorithm>

namespace trammel::system {
namespace {

bool is_same(const dae::State& a, const dae::State& b) {
  const auto is_same_vector = [](const linalg::Vector& u, const linalg::Vector& w) {
    return u.size() == w.size() && u == w;
  };
  return a.t == b.t && is_same_vector(a.q, b.q) && is_same_vector(a.v, b.v) && is_same_vector(a.a, b.a) &&
         is_same_vector(a.lambda, b.lambda) && is_same_vector(a.x, b.x) && is_same_vector(a.x_rate, b.x_rate);
}

}  // namespace

Probe::Probe(const Mechanism& mechanism)
    : mechanism_(mechanism),
      state_(dae::State::zero(mechanism.structure())),
      frames_(static_cast<std::size_t>(mechanism.bodies().frames())),
      twists_(frames_.size()),
      accelerations_(frames_.size()),
      wrenches_(mechanism.model().joints.size()),
      work_(mechanism.signals().make_work()),
      order_(mechanism.signals().order_of_all()) {}

void Probe::set(const dae::State& state) {
  if (has_state_ && is_same(state, state_)) return;
  state_ = state;
  has_state_ = true;
  has_signals_ = false;
  mechanism_.bodies().calc_frames(state.q.data(), frames_);
  mechanism_.bodies().calc_twists(state.v.data(), twists_);
  mechanism_.bodies().calc_twists(state.a.data(), accelerations_);
  std::fill(wrenches_.begin(), wrenches_.end(), Wrench::Zero());
  mechanism_.constraints().add_joint_wrenches(frames_, state.lambda, wrenches_);
}

SignalInput Probe::signal_input() const { return {state_, frames_, twists_, &accelerations_, &wrenches_}; }

void Probe::ensure_signals() {
  if (has_signals_) return;
  mechanism_.signals().calc_values(signal_input(), order_, work_);
  has_signals_ = true;
}

MarkerState<double> Probe::calc_marker(const MarkerGeometry& marker) const {
  return place(signal_input().body(marker.frame), marker);
}

Wrench Probe::calc_reaction(int joint) const {
  const MarkerGeometry J =
      marker_geometry(mechanism_.model(), mechanism_.model().joints[static_cast<std::size_t>(joint)].j);
  return move_to_marker(wrenches_[static_cast<std::size_t>(joint)], frames_[static_cast<std::size_t>(J.frame)], J);
}

double Probe::calc_joint_coordinate(const model::JointCoordinate& which) const {
  return mechanism_.signals().calc_joint_coordinate(signal_input(), make_joint_coordinate(mechanism_.model(), which),
                                                    mechanism_.signals().counter_of(which));
}

double Probe::calc_joint_rate(const model::JointCoordinate& which) const {
  return make_joint_coordinate(mechanism_.model(), which).calc_rate(frames_, twists_);
}

void Probe::calc_force_values(int force, double* values) {
  ensure_signals();
  mechanism_.forces().calc_values(signal_input(), work_, force, values);
}

EnergyFlow Probe::calc_energy() { return mechanism_.forces().calc_energy(signal_input(), work_); }

double Probe::calc_kinetic_energy() const {
  double energy = 0;
  const BodyTable& bodies = mechanism_.bodies();
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const Twist& twist = twists_[static_cast<std::size_t>(frame)];
    energy += 0.5 * bodies.mass(frame) * twist.v.squaredNorm() + 0.5 * twist.w.dot(bodies.inertia(frame) * twist.w);
  }
  return energy;
}

double Probe::eval(const ProgramUse& program) {
  ensure_signals();
  return program.eval(work_);
}

}  // namespace trammel::system
