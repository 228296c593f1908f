#include "trammel/io/mechanism_columns.h"

#include <algorithm>
#include <array>

#include "trammel/analyses/model_events.h"
#include "trammel/math/quaternion.h"
#include "trammel/math/turns.h"
#include "trammel/model/joint_types.h"

namespace trammel::io {

using Eigen::Vector3d;
using system::MarkerGeometry;
using system::MarkerState;

namespace {

constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};

std::string ground(const std::string& what) { return what + ", ground axes"; }

}  // namespace

MechanismColumns::MechanismColumns(const system::Mechanism& mechanism)
    : mechanism_(mechanism),
      probe_(mechanism),
      evaluation_(mechanism),
      velocity_residual_(linalg::Vector::Zero(mechanism.structure().m())) {
  add_body_columns();
  add_marker_columns();
  add_joint_columns();
  add_force_columns();
  add_state_columns();
  add("energy.kinetic", "J", "energies", "kinetic energy of all bodies");
  add("energy.potential", "J", "energies", "potential energy of gravity and springs");
  add("energy.total", "J", "energies", "kinetic and potential energy");
  if (mechanism.energy_states() >= 0) {
    add("energy.dissipated", "J", "energies", "taken out by dampers and friction since the start");
    add("energy.driven", "J", "energies", "put in by motions and expressions since the start");
    add("energy.balance", "J", "energies", "total + dissipated - driven - total at the start: zero but for errors");
  }
  add("drift.position", "", "constraints", "largest residual of the position constraints [m, rad or 1]");
  add("drift.velocity", "", "constraints", "largest residual of the velocity constraints [m/s, rad/s or 1/s]");
}

void MechanismColumns::add(const std::string& name, const char* unit, const char* group, std::string description) {
  columns_.push_back({name, unit, group, std::move(description)});
}

void MechanismColumns::add_wrench(const std::string& prefix, const char* group, const std::string& where) {
  for (int k = 0; k < 6; ++k) {
    if (!is_shown(k)) continue;
    const std::string name = std::string(k < 3 ? "f" : "t") + kAxes[static_cast<std::size_t>(k % 3)];
    add(prefix + name, k < 3 ? "N" : "N m", group, ground((k < 3 ? "force" : "torque") + where));
  }
}

void MechanismColumns::append_wrench(const double* wrench) {
  for (int k = 0; k < 6; ++k) {
    if (is_shown(k)) values_.push_back(wrench[k]);
  }
}

void MechanismColumns::add_body_columns() {
  const int axes = mechanism_.bodies().is_planar() ? 2 : 3;
  for (const model::Body& body : mechanism_.model().bodies) {
    const std::string& n = body.name;
    const auto each_axis = [&](const char* prefix, const char* unit, const std::string& what) {
      for (int k = 0; k < axes; ++k)
        add(n + "." + prefix + kAxes[static_cast<std::size_t>(k)], unit, "bodies", ground(what));
    };
    each_axis("", "m", "position of the body frame's origin");
    if (axes == 2) {
      add(n + ".angle", "rad", "bodies", "rotation of the body frame about z");
    } else {
      for (const char* e : {"e0", "e1", "e2", "e3"}) {
        add(n + "." + e, "", "bodies", "Euler parameter of the body frame, scalar first");
      }
    }
    each_axis("v", "m/s", "velocity of the body frame's origin");
    if (axes == 2) {
      add(n + ".angle_rate", "rad/s", "bodies", "angular velocity about z");
    } else {
      for (const char* k : kAxes) add(n + ".w" + k, "rad/s", "bodies", "angular velocity, body axes");
    }
    each_axis("a", "m/s^2", "acceleration of the body frame's origin");
    if (axes == 2) {
      add(n + ".angle_acceleration", "rad/s^2", "bodies", "angular acceleration about z");
    } else {
      for (const char* k : kAxes) add(n + ".alpha_" + k, "rad/s^2", "bodies", "angular acceleration, body axes");
    }
  }
}

void MechanismColumns::add_marker_columns() {
  const model::Model& model = mechanism_.model();
  const int axes = model.is_planar() ? 2 : 3;
  for (std::size_t m = 0; m < model.markers.size(); ++m) {
    const model::Marker& marker = model.markers[m];
    const bool is_unnamed = marker.name.find('/') != std::string::npos;  // made for one joint
    if (marker.body == model::kGround || is_unnamed || marker.name == model.body_name(marker.body)) continue;
    markers_.push_back(static_cast<int>(m));
    for (int k = 0; k < axes; ++k) {
      add(marker.name + "." + kAxes[static_cast<std::size_t>(k)], "m", "markers", ground("position"));
    }
    for (int k = 0; k < axes; ++k) {
      add(marker.name + ".v" + kAxes[static_cast<std::size_t>(k)], "m/s", "markers", ground("velocity"));
    }
  }
}

void MechanismColumns::add_joint_columns() {
  const model::Model& model = mechanism_.model();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const model::Joint& joint = model.joints[j];
    for (const model::CoordinateKind kind : model::joint_type(joint.type).coordinates(model.space)) {
      const bool is_angle = model::is_angle(kind);
      coordinates_.push_back({static_cast<int>(j), kind});
      const std::string name = joint.name + "." + model::to_string(kind);
      add(name, is_angle ? "rad" : "m", "joints", "coordinate of the second marker seen from the first");
      add(name + "_rate", is_angle ? "rad/s" : "m/s", "joints", "its rate");
    }
  }
  angles_.resize(coordinates_.size());
  for (const model::Joint& joint : model.joints) {
    if (joint.j < 0) {
      add(joint.name + ".multiplier", "", "reactions", "generalised force of the coupling per unit of its equation");
      continue;
    }
    const std::string& on = model.body_name(model.markers[static_cast<std::size_t>(joint.j)].body);
    const std::string where = " on " + on + " at " + model.markers[static_cast<std::size_t>(joint.j)].name;
    add_wrench(joint.name + ".reaction.", "reactions", where);
  }
  for (const model::Motion& motion : model.motions) {
    add(motion.name + ".force", "", "reactions",
        "force [N] or torque [N m] that drives the coordinate, positive to increase it");
  }
}

void MechanismColumns::add_force_columns() {
  const model::Model& model = mechanism_.model();
  for (std::size_t k = 0; k < model.forces.size(); ++k) {
    const model::Force& force = model.forces[k];
    if (force.friction) {
      const char* unit = model::is_angle(force.friction->coordinate.kind) ? "N m" : "N";
      add(force.name + ".value", unit, "forces", "friction or holding force, positive increases the coordinate");
      add(force.name + ".load", unit, "forces", "load on the joint: friction is the coefficient times this");
      add(force.name + ".mode", "", "forces", "1 slipping forwards, -1 backwards, 0 sticking or held by others");
      continue;
    }
    if (mechanism_.forces().value_count(static_cast<int>(k)) == 1) {
      const bool is_torque = force.scalar->coordinate.joint >= 0 && model::is_angle(force.scalar->coordinate.kind);
      add(force.name + ".value", is_torque ? "N m" : "N", "forces", "positive increases the coordinate it acts on");
      continue;
    }
    add_wrench(force.name + ".", "forces", " at its marker");
  }
}

void MechanismColumns::add_state_columns() {
  const model::Model& model = mechanism_.model();
  for (const model::ExtraState& state : model.states) add(state.name, "", "states", "extra state");
  first_program_ = columns_.size();
  for (const auto* definitions : {&model.variables, &model.outputs}) {
    for (const model::Definition& definition : *definitions) {
      columns_.push_back({definition.name, definition.unit, definitions == &model.variables ? "variables" : "outputs",
                          definition.function.text()});
      programs_.emplace_back(definition.function, mechanism_.signals());
    }
  }
}

std::vector<std::size_t> MechanismColumns::find_jumping() const {
  const model::Model& model = mechanism_.model();
  const std::vector<const model::Program*> watched = analyses::find_watched_programs(mechanism_);
  const auto jumps_unwatched = [&](const model::Program& program) {
    const auto& switches = program.switches();
    return std::find(watched.begin(), watched.end(), &program) == watched.end() &&
           std::any_of(switches.begin(), switches.end(), [](const auto& edge) { return edge.order == 0; });
  };
  std::vector<std::size_t> jumping;
  std::size_t place = first_program_;
  for (const auto* definitions : {&model.variables, &model.outputs}) {
    for (const model::Definition& definition : *definitions) {
      bool jumps = jumps_unwatched(definition.function);
      for (const int signal : mechanism_.signals().order_of({&definition.function})) {
        const model::Signal& s = model.signals[static_cast<std::size_t>(signal)];
        if (s.kind != model::SignalKind::kVariable) continue;
        jumps = jumps || jumps_unwatched(model.variables[static_cast<std::size_t>(s.index)].function);
      }
      if (jumps) jumping.push_back(place);
      ++place;
    }
  }
  return jumping;
}

void MechanismColumns::list_bodies() {
  const system::BodyTable& bodies = mechanism_.bodies();
  const int axes = bodies.is_planar() ? 2 : 3;
  const auto append = [&](const Vector3d& vector, int count) {
    values_.insert(values_.end(), vector.data(), vector.data() + count);
  };
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const auto k = static_cast<std::size_t>(frame);
    const MarkerState<double> origin = probe_.calc_marker({frame, -bodies.centre(frame), Eigen::Matrix3d::Identity()});
    append(origin.P, axes);
    if (axes == 2) {
      values_.push_back(probe_.frames()[k].angle);
    } else {
      for (int e = 0; e < 4; ++e) values_.push_back(probe_.state().q[bodies.q_of(frame) + 3 + e]);
    }
    append(origin.V, axes);
    const Vector3d &w = probe_.twists()[k].w, &alpha = probe_.accelerations()[k].w;
    if (axes == 2) {
      values_.push_back(w[2]);
    } else {
      append(w, 3);
    }
    append(origin.A, axes);
    if (axes == 2) {
      values_.push_back(alpha[2]);
    } else {
      append(alpha, 3);
    }
  }
}

void MechanismColumns::list_markers() {
  const int axes = mechanism_.bodies().is_planar() ? 2 : 3;
  for (const int m : markers_) {
    const MarkerState<double> marker = probe_.calc_marker(system::marker_geometry(mechanism_.model(), m));
    values_.insert(values_.end(), marker.P.data(), marker.P.data() + axes);
    values_.insert(values_.end(), marker.V.data(), marker.V.data() + axes);
  }
}

double MechanismColumns::continue_angle(std::size_t k, double angle, double rate) {
  const model::JointCoordinate& which = coordinates_[k];
  const double expected = has_last_ ? angles_[k].value + 0.5 * (angles_[k].rate + rate) * (probe_.state().t - last_t_)
                                    : mechanism_.model().start_value(which).value_or(angle);
  angle = math::nearest_turn(angle, expected);
  angles_[k] = {angle, rate};
  return angle;
}

void MechanismColumns::list_joints() {
  const model::Model& model = mechanism_.model();
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const model::JointCoordinate& which = coordinates_[k];
    const double rate = probe_.calc_joint_rate(which);
    double value = probe_.calc_joint_coordinate(which);
    const bool is_counted = model.is_planar() || mechanism_.signals().counter_of(which) >= 0;
    if (model::is_angle(which.kind) && !is_counted) value = continue_angle(k, value, rate);
    values_.push_back(value);
    values_.push_back(rate);
  }
  const dae::State& state = probe_.state();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (model.joints[j].j < 0) {
      const std::vector<int>& rows = mechanism_.constraints().joint_rows()[j];
      values_.push_back(rows.empty() ? 0.0 : -state.lambda[rows.front()]);
      continue;
    }
    append_wrench(probe_.calc_reaction(static_cast<int>(j)).data());
  }
  for (const std::vector<int>& rows : mechanism_.constraints().motion_rows()) {
    values_.push_back(rows.empty() ? 0.0 : -state.lambda[rows.front()]);
  }
}

void MechanismColumns::list_forces() {
  std::array<double, 6> values{};
  for (std::size_t k = 0; k < mechanism_.model().forces.size(); ++k) {
    probe_.calc_force_values(static_cast<int>(k), values.data());
    if (const int element = mechanism_.forces().frictions().element_of(static_cast<int>(k)); element >= 0) {
      const system::FrictionMode mode = probe_.friction_mode(element);
      const int direction = system::is_slipping(mode) ? system::direction_of(mode) : 0;
      values_.insert(values_.end(), {values[0], probe_.calc_friction_load(element), static_cast<double>(direction)});
      continue;
    }
    if (mechanism_.forces().value_count(static_cast<int>(k)) == 1) {
      values_.push_back(values[0]);
    } else {
      append_wrench(values.data());
    }
  }
}

void MechanismColumns::list_energies() {
  const double kinetic = probe_.calc_kinetic_energy(), potential = probe_.calc_energy().potential;
  const double total = kinetic + potential;
  values_.insert(values_.end(), {kinetic, potential, total});
  if (mechanism_.energy_states() < 0) return;
  const double dissipated = probe_.state().x[mechanism_.energy_states()];
  const double driven = probe_.state().x[mechanism_.energy_states() + 1];
  if (!first_total_) first_total_ = total + dissipated - driven;
  values_.insert(values_.end(), {dissipated, driven, total + dissipated - driven - *first_total_});
}

const std::vector<double>& MechanismColumns::list(const dae::State& state) {
  values_.clear();
  probe_.set(state);
  list_bodies();
  list_markers();
  list_joints();
  list_forces();
  for (std::size_t k = 0; k < mechanism_.model().states.size(); ++k) {
    values_.push_back(state.x[static_cast<Eigen::Index>(k)]);
  }
  for (const system::ProgramUse& program : programs_) values_.push_back(probe_.eval(program));
  list_energies();
  evaluation_.set(state);
  evaluation_.calc_velocity_residual(velocity_residual_);
  values_.push_back(linalg::largest_abs(evaluation_.constraint()));
  values_.push_back(linalg::largest_abs(velocity_residual_));
  last_t_ = state.t;
  has_last_ = true;
  return values_;
}

}  // namespace trammel::io
