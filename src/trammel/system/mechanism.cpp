#include "trammel/system/mechanism.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trammel/math/quaternion.h"
#include "trammel/math/turns.h"
#include "trammel/model/algebraic_loops.h"
#include "trammel/model/joint_types.h"

namespace trammel::system {

using dae::Derivative;
using dae::MatrixValues;
using dae::Point;
using dae::VectorIn;
using dae::VectorOut;
using linalg::Entry;
using linalg::Pattern;
using Counters = std::vector<std::pair<model::JointCoordinate, int>>;

namespace {

/// Angles in space that must count their turns: those that rows couple, forces act on, or expressions read.
Counters find_counters(const model::Model& model, const Constraints& constraints, const Constraints& implied,
                       int first_state) {
  Counters counters;
  int next = first_state;
  const auto add = [&](const model::JointCoordinate& which) {
    if (model.is_planar() || which.joint < 0 || !model::is_angle(which.kind)) return;
    const bool is_known =
        std::any_of(counters.begin(), counters.end(), [&](const auto& c) { return c.first == which; });
    if (!is_known) counters.emplace_back(which, next++);
  };
  for (const Constraints* rows : {&constraints, &implied}) {
    for (const model::JointCoordinate& which : rows->counted_angles()) add(which);
  }
  for (const model::Force& force : model.forces) {
    if (!force.scalar) continue;
    const model::ForceLaw& law = force.scalar->law;
    // A constant torque does not depend on the turns, but its potential energy does.
    const bool needs_turns = law.stiffness != 0 || law.preload != 0 || law.stiffness_curve >= 0 || law.stop;
    if (needs_turns) add(force.scalar->coordinate);
  }
  for (const model::Signal& signal : model.signals) {
    if (signal.kind == model::SignalKind::kJointCoordinate) {
      add({signal.index, static_cast<model::CoordinateKind>(signal.component)});
    }
  }
  return counters;
}

/// Between two markers of one body there is nothing to hold, to measure or to push apart.
void refuse_single_bodies(const model::Model& model) {
  const auto body_of = [&](int marker) {
    return marker < 0 ? model::kGround : model.markers[static_cast<std::size_t>(marker)].body;
  };
  const auto check = [&](const char* what, const std::string& name, int i, int j) {
    if (body_of(i) != body_of(j)) return;
    throw std::invalid_argument(
        fmt::format("{} '{}' has both its markers on the same body, '{}'", what, name, model.body_name(body_of(i))));
  };
  for (const model::Joint& joint : model.joints) {
    using enum model::JointType;
    const bool is_coupling = joint.type == kGear || joint.type == kCoupler || joint.type == kRackAndPinion;
    if (!is_coupling) check("joint", joint.name, joint.i, joint.j);
  }
  for (const model::Motion& motion : model.motions) {
    if (motion.coordinate.joint < 0) check("motion", motion.name, motion.i, motion.j);
  }
  for (const model::Force& force : model.forces) {
    if (force.scalar && force.scalar->coordinate.joint < 0)
      check("force", force.name, force.scalar->i, force.scalar->j);
    if (force.bushing) check("force", force.name, force.bushing->i, force.bushing->j);
    if (force.vector && force.vector->j >= 0) check("force", force.name, force.vector->i, force.vector->j);
  }
}

void refuse_accelerations(const model::Model& model, const Signals& signals) {
  for (const model::Force& force : model.forces) {
    for (const int k : signals.order_of(force.programs())) {
      const model::Signal& signal = model.signals[static_cast<std::size_t>(k)];
      if (!signal.needs_accelerations() && !signal.needs_reactions()) continue;
      throw std::invalid_argument("force '" + force.name + "' depends on " + signal.text +
                                  ": forces may depend on positions, velocities, states and time, not on " +
                                  (signal.needs_reactions() ? "reactions" : "accelerations"));
    }
  }
}

/// A rod whose points coincide would hold them in one direction only.
void refuse_empty_rods(const model::Model& model, const BodyTable& bodies, const linalg::Vector* reference) {
  linalg::Vector q, v;
  calc_given_state(model, bodies, q, v);
  std::vector<BodyFrame> frames(static_cast<std::size_t>(bodies.frames()));
  bodies.calc_frames(reference ? reference->data() : q.data(), frames);
  for (std::size_t k = 0; k < model.joints.size(); ++k) {
    const model::Joint& joint = model.joints[k];
    if (joint.type != model::JointType::kDistance || joint.parameter > 0) continue;
    const PlacedCoordinate rod = make_joint_coordinate(model, {static_cast<int>(k), model::CoordinateKind::kDistance});
    if (joint.parameter < 0 && !rod.coordinate.is_degenerate(rod.frames(frames))) continue;
    throw std::invalid_argument("distance '" + joint.name +
                                "' has no length, and its points coincide at the start: give it one, place the bodies "
                                "apart, or use a joint that holds the points together");
  }
}

std::shared_ptr<const model::Model> check_and_cut_loops(std::shared_ptr<const model::Model> model) {
  refuse_single_bodies(*model);
  auto copy = std::make_shared<model::Model>(*model);
  model::resolve_algebraic_loops(*copy);
  if (copy->states.size() == model->states.size()) return model;
  return copy;
}

Pattern mass_pattern(const BodyTable& bodies) {
  std::vector<Entry> entries;
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const int v = bodies.v_of(frame);
    for (int k = 0; k < 3; ++k) entries.push_back({v + k, v + k});
    if (bodies.is_planar()) continue;
    for (int j = 3; j < 6; ++j) {
      for (int i = 3; i < 6; ++i) entries.push_back({v + i, v + j});
    }
  }
  return {bodies.n_v(), bodies.n_v(), std::move(entries)};
}

/// In that pattern: (m, m, J_zz) of a planar body, (m, m, m, J) of one in space. They are the same at every position.
std::vector<double> calc_mass_values(const BodyTable& bodies) {
  std::vector<double> values;
  for (int frame = 1; frame < bodies.frames(); ++frame) {
    const Eigen::Matrix3d& J = bodies.inertia(frame);
    values.insert(values.end(), bodies.is_planar() ? 2 : 3, bodies.mass(frame));
    if (bodies.is_planar()) {
      values.push_back(J(2, 2));
    } else {
      values.insert(values.end(), J.data(), J.data() + J.size());
    }
  }
  return values;
}

}  // namespace

/// What the system is made of; made before the structure that the base class wants.
struct Mechanism::Parts {
  /// The rate of an extra state.
  struct StateRate {
    ProgramUse program;
    bool is_implicit = false;
    bool is_algebraic = false;
    bool is_exact = true;                             // whether its derivatives are known in closed form
    int by_x_rate = 0, by_x = 0, by_q = 0, by_v = 0;  // places of its values in the patterns
    std::vector<std::pair<int, int>> rates;           // inputs of the program that are rates of states: input, state
  };
  struct Counter {
    PlacedCoordinate coordinate;
    SlotList slots;
    model::JointCoordinate which;
    int by_q = 0, by_v = 0;
  };

  Parts(std::shared_ptr<const model::Model> given, const CompileOptions& given_options)
      : model(check_and_cut_loops(std::move(given))),
        options(given_options),
        bodies(*model),
        mass_values(calc_mass_values(bodies)),
        friction_names(options.with_dry_friction ? DryFrictions::state_names(*model) : std::vector<std::string>()),
        constraints(*model, bodies, with_locks(options.constraints)),
        implied(*model, bodies, only_implied(options.constraints)),
        frictions(*model, bodies, constraints, friction_names.empty() ? -1 : first_friction_state()),
        counter_states(find_counters(*model, constraints, implied, first_counter())),
        signals(*model, bodies, counter_states),
        forces(*model, bodies, signals, frictions),
        energy_state(options.with_energy_states ? first_counter() + static_cast<int>(counter_states.size()) : -1) {
    if (options.constraints.reference) {
      reference = *options.constraints.reference;
      options.constraints.reference = &reference;
    }
    refuse_accelerations(*model, signals);
    refuse_empty_rods(*model, bodies, options.constraints.reference);
    for (const auto& [which, state] : counter_states) {
      constraints.set_counter(which, state);
      implied.set_counter(which, state);
      Counter counter{make_joint_coordinate(*model, which), {}, which, 0, 0};
      counter.slots = bodies.pair_slots(counter.coordinate.a, counter.coordinate.b,
                                        [&](int k) { return counter.coordinate.coordinate.uses(k); });
      counters.push_back(std::move(counter));
    }
    std::vector<const model::Program*> programs;
    for (const model::ExtraState& state : model->states) programs.push_back(&state.function);
    state_order = signals.order_of(programs);
    needs_reactions = signals.needs_reactions(state_order);
  }

  int first_friction_state() const { return static_cast<int>(model->states.size()); }
  int first_counter() const { return first_friction_state() + static_cast<int>(friction_names.size()); }
  ConstraintOptions with_locks(ConstraintOptions rows) const {
    if (!friction_names.empty()) rows.locks = DryFrictions::make_locks(*model, first_friction_state());
    return rows;
  }
  static ConstraintOptions only_implied(ConstraintOptions rows) {
    rows.only_implied = true;
    return rows;
  }
  dae::Structure make_structure();
  void add_state_patterns(dae::Structure& s);

  std::shared_ptr<const model::Model> model;
  CompileOptions options;
  linalg::Vector reference;  // that the options refer to
  BodyTable bodies;
  std::vector<double> mass_values;
  std::vector<std::string> friction_names;  // of their states
  Constraints constraints;
  Constraints implied;  // rows that others imply
  DryFrictions frictions;
  Counters counter_states;
  Signals signals;
  Forces forces;
  int energy_state;
  std::vector<StateRate> rates;
  std::vector<Counter> counters;
  std::vector<int> state_order;
  bool needs_reactions = false;
  bool states_are_exact = true;
  bool is_implicit = false;
};

dae::Structure Mechanism::Parts::make_structure() {
  dae::Structure s;
  s.has_trivial_kinematics = bodies.is_planar();
  s.keeps_energy = forces.is_conservative() && model->motions.empty();
  s.is_autonomous = model->motions.empty() &&
                    std::none_of(model->signals.begin(), model->signals.end(),
                                 [](const model::Signal& signal) { return signal.kind == model::SignalKind::kTime; });
  s.position_names = bodies.position_names();
  s.velocity_names = bodies.velocity_names();
  for (int frame = 1; frame < bodies.frames(); ++frame) s.bodies.push_back(bodies.v_of(frame));
  s.constraint_names = constraints.names();
  s.n_g = constraints.holonomic_rows();
  s.implied_names.assign(implied.names().begin(), implied.names().begin() + implied.holonomic_rows());
  for (const model::ExtraState& state : model->states) {
    s.state_names.push_back(state.name);
    is_implicit = is_implicit || state.is_implicit;
  }
  s.state_names.insert(s.state_names.end(), friction_names.begin(), friction_names.end());
  s.switchable_rows = constraints.lock_rows();
  for (const auto& [which, state] : counter_states) {
    s.state_names.push_back(model->joints[static_cast<std::size_t>(which.joint)].name + "." + to_string(which.kind));
    s.following_states.push_back(state);
  }
  if (energy_state >= 0) {
    s.state_names.emplace_back("energy.dissipated");
    s.state_names.emplace_back("energy.driven");
  }
  s.state_form = is_implicit ? dae::StateForm::kImplicit : dae::StateForm::kExplicit;
  const int n = bodies.n_v(), m = constraints.rows();
  s.mass = mass_pattern(bodies);
  s.jacobian = constraints.jacobian_pattern();
  s.pattern(Derivative::kInertiaByQ) = Pattern(n, n);
  s.pattern(Derivative::kReactionByQ) = constraints.reaction_pattern();
  s.pattern(Derivative::kForceByQ) = forces.pattern_by_q();
  s.pattern(Derivative::kForceByV) = forces.pattern_by_v();
  s.pattern(Derivative::kForceByLambda) = forces.pattern_by_lambda(m);
  s.pattern(Derivative::kForceByX) = forces.pattern_by_x(s.n_x());
  s.pattern(Derivative::kVelocityByQ) = s.jacobian;
  s.pattern(Derivative::kAccelerationByQ) = s.jacobian;
  s.pattern(Derivative::kBiasByV) = s.jacobian;
  add_state_patterns(s);
  return s;
}

void Mechanism::Parts::add_state_patterns(dae::Structure& s) {
  const int n = bodies.n_v(), m = constraints.rows(), n_x = s.n_x();
  std::vector<Entry> by_x_rate, by_x, by_q, by_v, by_a, by_lambda;
  const auto fill_row = [](std::vector<Entry>& entries, int row, int columns) {
    for (int k = 0; k < columns; ++k) entries.push_back({row, k});
  };
  for (std::size_t k = 0; k < model->states.size(); ++k) {
    const model::ExtraState& state = model->states[k];
    const int row = static_cast<int>(k);
    StateRate rate;
    rate.program = ProgramUse(state.function, signals);
    rate.is_implicit = state.is_implicit;
    rate.is_algebraic = state.is_algebraic;
    const std::vector<int> order = signals.order_of({&state.function});
    const bool needs_a = signals.needs_accelerations(order), needs_lambda = signals.needs_reactions(order);
    rate.is_exact = !needs_a && !needs_lambda;
    rate.by_x_rate = static_cast<int>(by_x_rate.size());
    rate.by_x = static_cast<int>(by_x.size());
    rate.by_q = static_cast<int>(by_q.size());
    rate.by_v = static_cast<int>(by_v.size());
    if (!state.is_implicit) by_x_rate.push_back({row, row});
    if (state.is_algebraic) by_x.push_back({row, row});
    int input_place = 0;
    for (const int input : state.function.inputs()) {
      const model::Signal& signal = model->signals[static_cast<std::size_t>(input)];
      if (signal.kind == model::SignalKind::kStateRate) {
        rate.rates.emplace_back(input_place, signal.index);
        by_x_rate.push_back({row, signal.index});
      }
      ++input_place;
    }
    if (rate.is_exact) {
      for (const int z : rate.program.support()) {
        if (z < n) {
          by_q.push_back({row, z});
        } else if (z < 2 * n) {
          by_v.push_back({row, z - n});
        } else {
          by_x.push_back({row, z - 2 * n});
        }
      }
    } else {
      states_are_exact = false;
      fill_row(by_q, row, n);
      fill_row(by_v, row, n);
      fill_row(by_x, row, n_x);
      if (needs_a) fill_row(by_a, row, n);
      if (needs_lambda) fill_row(by_lambda, row, m);
    }
    rates.push_back(std::move(rate));
  }
  int row = first_friction_state();
  for (; row < first_counter(); ++row) by_x_rate.push_back({row, row});
  for (Counter& counter : counters) {
    counter.by_q = static_cast<int>(by_q.size());
    counter.by_v = static_cast<int>(by_v.size());
    by_x_rate.push_back({row, row});
    for (const int slot : counter.slots) {
      const int column = bodies.pair_column(counter.coordinate.a, counter.coordinate.b, slot);
      by_q.push_back({row, column});
      by_v.push_back({row, column});
    }
    ++row;
  }
  if (energy_state >= 0) {
    states_are_exact = false;
    for (const int k : {energy_state, energy_state + 1}) {
      by_x_rate.push_back({k, k});
      fill_row(by_q, k, n);
      fill_row(by_v, k, n);
      fill_row(by_x, k, n_x);
      if (k > energy_state || frictions.is_active()) fill_row(by_lambda, k, m);
    }
  }
  s.pattern(Derivative::kStateByXRate) = Pattern(n_x, n_x, std::move(by_x_rate));
  s.pattern(Derivative::kStateByX) = Pattern(n_x, n_x, std::move(by_x));
  s.pattern(Derivative::kStateByQ) = Pattern(n_x, n, std::move(by_q));
  s.pattern(Derivative::kStateByV) = Pattern(n_x, n, std::move(by_v));
  s.pattern(Derivative::kStateByA) = Pattern(n_x, n, std::move(by_a));
  s.pattern(Derivative::kStateByLambda) = Pattern(n_x, m, std::move(by_lambda));
}

struct Mechanism::Work final : dae::Workspace {
  std::vector<BodyFrame> frames;
  std::vector<Twist> twists, directions;
  std::vector<Acceleration> accelerations;
  std::vector<TimeValue> motions, implied_motions;
  std::vector<Wrench> wrenches;
  SignalWork signals;
  std::vector<double> gradient;
  linalg::Vector offset;
};

Mechanism::Mechanism(std::shared_ptr<const model::Model> model, const CompileOptions& options)
    : Mechanism(std::make_unique<Parts>(std::move(model), options)) {}

Mechanism::Mechanism(std::unique_ptr<Parts> parts)
    : ConstrainedSystem(parts->make_structure()),
      parts_(std::move(parts)),
      model_(parts_->model.get()),
      bodies_(parts_->bodies),
      constraints_(parts_->constraints),
      signals_(parts_->signals),
      forces_(parts_->forces),
      energy_state_(parts_->energy_state) {}

Mechanism::~Mechanism() = default;

const std::shared_ptr<const model::Model>& Mechanism::shared_model() const { return parts_->model; }
const CompileOptions& Mechanism::options() const { return parts_->options; }

std::vector<RotationSlot> Mechanism::rotations() const {
  std::vector<RotationSlot> slots;
  if (bodies_.is_planar()) return slots;
  for (int frame = 1; frame < bodies_.frames(); ++frame)
    slots.push_back({bodies_.q_of(frame) + 3, bodies_.v_of(frame) + 3});
  return slots;
}

dae::State Mechanism::given_state() const {
  dae::State state = dae::State::zero(structure());
  state.t = model_->simulation.t_start;
  calc_given_state(*model_, bodies_, state.q, state.v);
  for (std::size_t k = 0; k < model_->states.size(); ++k) {
    state.x[static_cast<Eigen::Index>(k)] = model_->states[k].initial;
    state.x_rate[static_cast<Eigen::Index>(k)] = model_->states[k].initial_rate;
  }
  // What friction does is decided where a run starts.
  const DryFrictions& frictions = parts_->frictions;
  for (int k = 0; frictions.is_active() && k < frictions.count(); ++k) {
    state.x[frictions.mode_state(k)] = static_cast<double>(FrictionMode::kIdle);
  }
  // Counters start with the turns that the model gives them.
  for (const auto& [which, k] : parts_->counter_states) state.x[k] = model_->start_value(which).value_or(0);
  set_counters(state);
  return state;
}

void Mechanism::set_counters(dae::State& state) const {
  std::vector<BodyFrame> frames(static_cast<std::size_t>(bodies_.frames()));
  bodies_.calc_frames(state.q.data(), frames);
  count_turns(frames, state.x, state.x);
}

void Mechanism::count_turns(const std::vector<BodyFrame>& frames, const linalg::Vector& near, VectorOut x) const {
  for (std::size_t k = 0; k < parts_->counters.size(); ++k) {
    const PlacedCoordinate& c = parts_->counters[k].coordinate;
    const int state = parts_->counter_states[k].second;
    x[state] = math::nearest_turn(c.coordinate.value(c.frames(frames)), near[state]);
  }
}

void Mechanism::calc_following_states(const Point& at, VectorOut x) const {
  count_turns(at.workspace_as<Work>().frames, at.x, x);
}

std::unique_ptr<dae::Workspace> Mechanism::make_workspace() const {
  auto work = std::make_unique<Work>();
  const auto frames = static_cast<std::size_t>(bodies_.frames());
  work->frames.resize(frames);
  work->twists.resize(frames);
  work->directions.resize(frames);
  work->accelerations.resize(frames);
  work->motions.resize(constraints_.time_functions().size());
  work->implied_motions.resize(parts_->implied.time_functions().size());
  work->wrenches.resize(model_->joints.size());
  work->signals = signals_.make_work();
  work->gradient.resize(static_cast<std::size_t>(2 * structure().n_v() + structure().n_x()));
  work->offset = linalg::Vector::Zero(structure().m());
  return work;
}

void Mechanism::prepare_position(Point& at) const {
  bodies_.calc_frames(at.q.data(), at.workspace_as<Work>().frames);
  eval_motions(at);
}

void Mechanism::prepare_frames(Point& at, const std::vector<BodyFrame>& frames) const {
  at.workspace_as<Work>().frames = frames;
  eval_motions(at);
}

void Mechanism::eval_motions(const Point& at) const {
  Work& work = at.workspace_as<Work>();
  for (std::size_t k = 0; k < work.motions.size(); ++k) work.motions[k] = constraints_.time_functions()[k].calc(at.t);
}

void Mechanism::prepare_velocity(Point& at) const { bodies_.calc_twists(at.v.data(), twists(at)); }

std::vector<Twist>& Mechanism::twists(Point& at) const { return at.workspace_as<Work>().twists; }

ConstraintInput Mechanism::constraint_input(const Point& at) const {
  Work& work = at.workspace_as<Work>();
  return {work.frames, work.twists, work.motions, at.x.data()};
}

SignalInput Mechanism::signal_input(const Point& at) const {
  Work& work = at.workspace_as<Work>();
  return {at, work.frames, work.twists};
}

void Mechanism::calc_mass(const Point&, MatrixValues M) const {
  std::copy(parts_->mass_values.begin(), parts_->mass_values.end(), M.data());
}

void Mechanism::calc_constraint(const Point& at, VectorOut g) const {
  constraints_.calc_constraint(constraint_input(at), g);
}

void Mechanism::calc_implied(const Point& at, VectorOut residuals) const {
  Work& work = at.workspace_as<Work>();
  for (std::size_t k = 0; k < work.implied_motions.size(); ++k) {
    work.implied_motions[k] = parts_->implied.time_functions()[k].calc(at.t);
  }
  parts_->implied.calc_constraint({work.frames, work.twists, work.implied_motions, at.x.data()}, residuals);
}

void Mechanism::calc_jacobian(const Point& at, MatrixValues G) const {
  constraints_.calc_jacobian(constraint_input(at), G.data());
}

void Mechanism::calc_velocity_offset(const Point& at, VectorOut g_t) const {
  constraints_.calc_velocity_offset(constraint_input(at), g_t);
}

void Mechanism::calc_force(const Point& at, VectorOut f) const {
  forces_.add_body_forces(signal_input(at), f);
  add_element_forces(at, f);
}

void Mechanism::add_element_forces(const Point& at, VectorOut f) const {
  forces_.add_element_forces(signal_input(at), at.workspace_as<Work>().signals, f);
}

bool Mechanism::calc_acceleration_bias(const Point& at, VectorOut bias) const {
  constraints_.calc_bias(constraint_input(at), bias);
  return true;
}

void Mechanism::calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const {
  if (bodies_.is_planar()) {
    q_rate = v;
    return;
  }
  for (int frame = 1; frame < bodies_.frames(); ++frame) {
    const int i = bodies_.q_of(frame), k = bodies_.v_of(frame);
    q_rate.segment<3>(i) = v.segment<3>(k);
    q_rate.segment<4>(i + 3) = 0.5 * math::body_rate_matrix(q.segment<4>(i + 3)).transpose() * v.segment<3>(k + 3);
  }
}

void Mechanism::retract(VectorIn q, VectorIn delta, VectorOut result) const {
  if (bodies_.is_planar()) {
    result = q + delta;
    return;
  }
  for (int frame = 1; frame < bodies_.frames(); ++frame) {
    const int i = bodies_.q_of(frame), k = bodies_.v_of(frame);
    result.segment<3>(i) = q.segment<3>(i) + delta.segment<3>(k);
    result.segment<4>(i + 3) = math::retract(q.segment<4>(i + 3), delta.segment<3>(k + 3)).eval();
  }
}

// --- extra states ---------------------------------------------------------------------------------------------------

void Mechanism::eval_state_signals(const Point& at, bool with_gradients) const {
  Work& work = at.workspace_as<Work>();
  SignalInput in = signal_input(at);
  if (signals_.needs_accelerations(parts_->state_order)) {
    bodies_.calc_twists(at.a.data(), work.accelerations);
    in.accelerations = &work.accelerations;
  }
  if (parts_->needs_reactions) {
    std::fill(work.wrenches.begin(), work.wrenches.end(), Wrench::Zero());
    constraints_.add_joint_wrenches(work.frames, at.lambda, work.wrenches);
    in.joint_wrenches = &work.wrenches;
  }
  if (with_gradients) {
    signals_.calc_gradients(in, parts_->state_order, work.signals);
  } else {
    signals_.calc_values(in, parts_->state_order, work.signals);
  }
}

/// Rates of explicit states, and the values of the functions of implicit ones.
void Mechanism::calc_rates(const Point& at, VectorOut rate) const {
  Work& work = at.workspace_as<Work>();
  if (!parts_->rates.empty()) eval_state_signals(at, false);
  for (std::size_t k = 0; k < parts_->rates.size(); ++k) {
    rate[static_cast<Eigen::Index>(k)] = parts_->rates[k].program.eval(work.signals);
  }
  for (std::size_t k = 0; k < parts_->counters.size(); ++k) {
    rate[parts_->counter_states[k].second] = parts_->counters[k].coordinate.calc_rate(work.frames, work.twists);
  }
  if (energy_state_ >= 0) {
    const EnergyFlow flow = forces_.calc_energy(signal_input(at), work.signals);
    work.offset.setZero();
    constraints_.calc_velocity_offset(constraint_input(at), work.offset);
    rate[energy_state_] = flow.dissipated;
    // The reactions -G^T lambda do work at the rate -lambda . G v = lambda . g_t.
    rate[energy_state_ + 1] = flow.driven + at.lambda.dot(work.offset);
  }
}

void Mechanism::calc_state_rate(const Point& at, VectorOut rate) const { calc_rates(at, rate); }

void Mechanism::calc_state_residual(const Point& at, VectorOut d) const {
  calc_rates(at, d);
  for (Eigen::Index k = 0; k < d.size(); ++k) {
    const auto at_k = static_cast<std::size_t>(k);
    const bool is_user = at_k < parts_->rates.size();
    if (is_user && parts_->rates[at_k].is_algebraic) {
      d[k] = at.x[k] - d[k];
    } else if (!is_user || !parts_->rates[at_k].is_implicit) {
      d[k] = at.x_rate[k] - d[k];
    }
  }
}

bool Mechanism::calc_state_derivative(Derivative which, const Point& at, MatrixValues values) const {
  if (!parts_->states_are_exact) return false;
  Work& work = at.workspace_as<Work>();
  const int n = structure().n_v();
  if (!parts_->rates.empty()) eval_state_signals(at, true);
  for (const Parts::StateRate& rate : parts_->rates) {
    const std::vector<int>& support = rate.program.support();
    std::fill_n(work.gradient.begin(), support.size(), 0.0);
    const double sign = rate.is_implicit && !rate.is_algebraic ? 1 : -1;
    rate.program.eval_gradient(signals_, work.signals, sign, work.gradient.data());
    int by_q = rate.by_q, by_v = rate.by_v, by_x = rate.by_x, by_x_rate = rate.by_x_rate;
    if (which == Derivative::kStateByXRate) {
      if (!rate.is_implicit) values[by_x_rate++] = 1;
      for (const auto& [input, state] : rate.rates) {
        values[by_x_rate++] = work.signals.partials[static_cast<std::size_t>(input)];
      }
      continue;
    }
    if (rate.is_algebraic) {
      if (which == Derivative::kStateByX) values[by_x] = 1;
      ++by_x;
    }
    for (std::size_t k = 0; k < support.size(); ++k) {
      if (support[k] < n) {
        if (which == Derivative::kStateByQ) values[by_q] = work.gradient[k];
        ++by_q;
      } else if (support[k] < 2 * n) {
        if (which == Derivative::kStateByV) values[by_v] = work.gradient[k];
        ++by_v;
      } else {
        if (which == Derivative::kStateByX) values[by_x] = work.gradient[k];
        ++by_x;
      }
    }
  }
  const Pattern& pattern = values.pattern();
  if (which == Derivative::kStateByXRate) {
    // The entries of friction come right before those of the counters, which are the last.
    const int behind = pattern.size() - static_cast<int>(parts_->counters.size());
    for (int k = 1; k <= static_cast<int>(parts_->friction_names.size()); ++k) values[behind - k] = 1;
  }
  Vector12 row;
  for (std::size_t k = 0; k < parts_->counters.size(); ++k) {
    const Parts::Counter& counter = parts_->counters[k];
    const FramePair f = counter.coordinate.frames(work.frames);
    if (which == Derivative::kStateByXRate) {
      // Its entry is the last but those of the counters after it.
      values[pattern.size() - static_cast<int>(parts_->counters.size() - k)] = 1;
    } else if (which == Derivative::kStateByQ) {
      counter.coordinate.coordinate.rate_gradient(f, counter.coordinate.twists(work.twists), row);
      int out = counter.by_q;
      for (const int slot : counter.slots) values[out++] = -row[slot];
    } else if (which == Derivative::kStateByV) {
      counter.coordinate.coordinate.gradient(f, row);
      int out = counter.by_v;
      for (const int slot : counter.slots) values[out++] = -row[slot];
    }
  }
  return true;
}

bool Mechanism::calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const {
  Work& work = at.workspace_as<Work>();
  const auto along = [&](VectorIn direction) -> ConstraintInput {
    bodies_.calc_twists(direction.data(), work.directions);
    return {work.frames, work.directions, work.motions, at.x.data()};
  };
  switch (which) {
    case Derivative::kInertiaByQ: return true;
    case Derivative::kReactionByQ: constraints_.calc_reaction_by_q(constraint_input(at), s, values.data()); return true;
    case Derivative::kForceByQ: forces_.calc_by_q(signal_input(at), work.signals, values.data()); return true;
    case Derivative::kForceByV: forces_.calc_by_v(signal_input(at), work.signals, values.data()); return true;
    case Derivative::kForceByX: forces_.calc_by_x(signal_input(at), work.signals, values.data()); return true;
    case Derivative::kForceByLambda: forces_.calc_by_lambda(signal_input(at), values.data()); return true;
    case Derivative::kVelocityByQ: constraints_.calc_rate_by_q(constraint_input(at), values.data()); return true;
    case Derivative::kAccelerationByQ:
      constraints_.calc_rate_by_q(along(s), values.data());
      constraints_.add_quadratic_by_q(constraint_input(at), values.data());
      return true;
    case Derivative::kBiasByV: constraints_.calc_bias_by_v(constraint_input(at), values.data()); return true;
    default: return calc_state_derivative(which, at, values);
  }
}

std::optional<double> Mechanism::calc_potential_energy(const Point& at) const {
  return forces_.calc_energy(signal_input(at), at.workspace_as<Work>().signals).potential;
}

std::string Mechanism::find_trouble(const Point& at) const {
  constexpr std::size_t kMost = 3;
  Work& work = at.workspace_as<Work>();
  std::vector<std::string> found;
  const SignalInput in = signal_input(at);
  signals_.calc_values(in, forces_.order(), work.signals);
  for (std::size_t k = 0; k < model_->forces.size(); ++k) {
    const std::string fault = forces_.describe_fault(in, work.signals, static_cast<int>(k));
    if (!fault.empty()) found.push_back(fmt::format("force '{}': {}", model_->forces[k].name, fault));
  }
  if (!parts_->rates.empty()) eval_state_signals(at, false);
  for (std::size_t k = 0; k < parts_->rates.size(); ++k) {
    const ProgramUse& program = parts_->rates[k].program;
    if (std::isfinite(program.eval(work.signals))) continue;
    found.push_back(
        fmt::format("state '{}': {}", model_->states[k].name, signals_.describe_fault(program, work.signals)));
  }
  const std::size_t more = found.size() > kMost ? found.size() - kMost : 0;
  found.resize(found.size() - more);
  if (more > 0) found.push_back(fmt::format("and {} more", more));
  return fmt::format("{}", fmt::join(found, "; "));
}

}  // namespace trammel::system
