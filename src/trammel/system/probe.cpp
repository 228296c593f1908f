#include "trammel/system/probe.h"

#include <algorithm>

namespace trammel::system {

Probe::Probe(const Mechanism& mechanism)
    : mechanism_(mechanism),
      state_(dae::State::zero(mechanism.structure())),
      frames_(static_cast<std::size_t>(mechanism.bodies().frames())),
      twists_(frames_.size()),
      accelerations_(frames_.size()),
      motions_(mechanism.constraints().time_functions().size()),
      wrenches_(mechanism.model().joints.size()),
      work_(mechanism.signals().make_work()),
      order_(mechanism.signals().order_of_all()) {}

void Probe::set(const dae::State& state) {
  state_ = state;
  has_signals_ = false;
  mechanism_.bodies().calc_frames(state.q.data(), frames_);
  mechanism_.bodies().calc_twists(state.v.data(), twists_);
  mechanism_.bodies().calc_twists(state.a.data(), accelerations_);
  for (std::size_t k = 0; k < motions_.size(); ++k) {
    motions_[k] = mechanism_.constraints().time_functions()[k].calc(state.t);
  }
  std::fill(wrenches_.begin(), wrenches_.end(), Wrench::Zero());
  mechanism_.constraints().add_joint_wrenches(constraint_input(), state.lambda, wrenches_);
}

ConstraintInput Probe::constraint_input() const { return {frames_, twists_, motions_, state_.x.data()}; }

SignalInput Probe::signal_input() const { return {state_, frames_, twists_, &accelerations_, &wrenches_}; }

void Probe::ensure_signals() {
  if (has_signals_) return;
  mechanism_.signals().calc_values(signal_input(), order_, work_);
  has_signals_ = true;
}

MarkerState<double> Probe::calc_marker(const MarkerGeometry& marker) const {
  const auto k = static_cast<std::size_t>(marker.frame);
  return place(BodyState<double>{frames_[k].r, frames_[k].R, twists_[k].v, twists_[k].w, accelerations_[k].v,
                                 accelerations_[k].w},
               marker);
}

Wrench Probe::calc_reaction(int joint) const {
  const MarkerGeometry J =
      marker_geometry(mechanism_.model(), mechanism_.model().joints[static_cast<std::size_t>(joint)].j);
  const Wrench& at_centre = wrenches_[static_cast<std::size_t>(joint)];
  const Eigen::Matrix3d& R = frames_[static_cast<std::size_t>(J.frame)].R;
  Wrench result;
  const Eigen::Vector3d force = at_centre.head<3>();
  result << force, R * at_centre.tail<3>() - (R * J.s).cross(force);
  return result;
}

double Probe::calc_joint_coordinate(const model::JointCoordinate& which) const {
  return mechanism_.signals().calc_joint_coordinate(signal_input(), make_joint_coordinate(mechanism_.model(), which),
                                                    mechanism_.signals().counter_of(which));
}

double Probe::calc_joint_rate(const model::JointCoordinate& which) const {
  const PlacedCoordinate placed = make_joint_coordinate(mechanism_.model(), which);
  const auto a = static_cast<std::size_t>(placed.a), b = static_cast<std::size_t>(placed.b);
  Vector12 G;
  placed.coordinate.gradient({frames_[a], frames_[b]}, G);
  return G.dot(TwistPair{twists_[a], twists_[b]}.stacked());
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
