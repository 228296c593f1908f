// What expressions read: every kind of signal against its definition, and its gradient against dual numbers or
// differences.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <numbers>

#include "tests/support/models.h"
#include "tests/system/reference_mechanism.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/system/probe.h"

namespace trammel::system {
namespace {

using Eigen::VectorXd;
using model::CoordinateKind;
using model::Signal;
using model::SignalKind;
using model::Space;
using testing::add_body;
using testing::add_bushing;
using testing::add_joint;
using testing::add_joint_force;
using testing::add_line_force;
using testing::add_marker;
using testing::add_vector_force;
using testing::compile;
using testing::kGround;
using testing::make_model;
using testing::make_two_bodies;
using testing::Mat3;
using testing::Matrix3d;
using testing::Model;
using testing::moving_state;
using testing::Random;
using testing::RefBodies;
using testing::relative_error;
using testing::Time;
using testing::Vec12;
using testing::Vec3;
using testing::Vector3d;
using enum model::JointType;

constexpr double kTolerance = 1e-11;
constexpr double kTurn = 2 * std::numbers::pi;

/// Values and gradients of all signals of a system at a state.
class Reading {
 public:
  Reading(const Mechanism& system, const dae::State& state) : system_(system), state_(state) {
    const auto frames = static_cast<std::size_t>(system.bodies().frames());
    frames_.resize(frames);
    twists_.resize(frames);
    accelerations_.resize(frames);
    system.bodies().calc_frames(state.q.data(), frames_);
    system.bodies().calc_twists(state.v.data(), twists_);
    system.bodies().calc_twists(state.a.data(), accelerations_);
    wrenches_.resize(system.model().joints.size(), Wrench::Zero());
    system.constraints().add_joint_wrenches(frames_, state.lambda, wrenches_);
    work_ = system.signals().make_work();
    const SignalInput in{state_, frames_, twists_, &accelerations_, &wrenches_};
    system.signals().calc_gradients(in, system.signals().order_of_all(), work_);
  }

  double value(int signal) const { return work_.values[static_cast<std::size_t>(signal)]; }
  /// By all unknowns (q, v, x).
  VectorXd gradient(int signal) const {
    VectorXd result = VectorXd::Zero(2 * state_.v.size() + state_.x.size());
    const double* at = system_.signals().gradient(signal, work_);
    for (const int z : system_.signals().support(signal)) result[z] += *at++;
    return result;
  }

 private:
  const Mechanism& system_;
  dae::State state_;
  std::vector<BodyFrame> frames_;
  std::vector<Twist> twists_, accelerations_;
  std::vector<Wrench> wrenches_;
  SignalWork work_;
};

/// The gradient by differences: the derivative by z_k from central differences extrapolated twice.
VectorXd differentiate(const Mechanism& system, const dae::State& state, int signal) {
  const Eigen::Index n = state.v.size();
  VectorXd result(2 * n + state.x.size());
  for (Eigen::Index k = 0; k < result.size(); ++k) {
    const auto value = [&](double h) {
      dae::State moved = state;
      if (k < n) {
        const VectorXd delta = h * VectorXd::Unit(n, k);
        system.retract(state.q, delta, moved.q);
      } else if (k < 2 * n) {
        moved.v[k - n] += h;
      } else {
        moved.x[k - 2 * n] += h;
      }
      return Reading(system, moved).value(signal);
    };
    const auto central = [&](double h) { return (value(h) - value(-h)) / (2 * h); };
    const double h = 4e-3, D1 = central(h), D2 = central(h / 2), D3 = central(h / 4);
    result[k] = (16 * (4 * D3 - D2) / 3 - (4 * D2 - D1) / 3) / 15;
  }
  return result;
}

// --- measures between markers ---------------------------------------------------------------------------------------

/// A vector given on the way: its components' derivatives.
template <class T>
Vec3<T> rate(const Vec3<Time<T>>& x) {
  return {x[0].derivative[0], x[1].derivative[0], x[2].derivative[0]};
}
template <class T>
Mat3<T> rate(const Mat3<Time<T>>& x) {
  Mat3<T> result;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result(i, j) = x(i, j).derivative[0];
  }
  return result;
}
template <class T>
Vec3<T> unskew(const Mat3<T>& S) {
  return {S(2, 1), S(0, 2), S(1, 0)};
}

template <class T>
T calc_reference(const Model& model, const Signal& s, const RefBodies<T>& bodies, const Vec12<T>& xi) {
  using std::atan2, std::sqrt;
  const auto moving = testing::set_moving(bodies, xi);
  const auto at = [&](int marker) { return testing::place_marker(model, marker, bodies); };
  const auto going = [&](int marker) { return testing::place_marker(model, marker, moving); };
  const Vec3<T> x = at(s.a).P - at(s.b).P;
  // As an observer in d sees it: the rate of the components in the axes of d, turned back.
  const auto x_1 = (going(s.d).axes.transpose() * (going(s.a).P - going(s.b).P)).eval();
  const Vec3<T> velocity = at(s.d).axes * rate<T>(x_1);
  const Mat3<T> turn = at(s.b).axes.transpose() * at(s.a).axes;
  const auto turn_1 = (going(s.b).axes.transpose() * going(s.a).axes).eval();
  const Vec3<T> spin = at(s.b).axes * unskew<T>(rate<T>(turn_1) * turn.transpose());
  const auto component = [&](const Vec3<T>& vector) { return T((at(s.c).axes.transpose() * vector)[s.component]); };
  const auto size = [](const Vec3<T>& vector) { return T(sqrt(T(vector.squaredNorm()))); };
  switch (s.kind) {
    case SignalKind::kDisplacement: return component(x);
    case SignalKind::kDistance: return size(x);
    case SignalKind::kVelocity: return component(velocity);
    case SignalKind::kSpeed: return size(velocity);
    case SignalKind::kSeparationRate: return T(velocity.dot(x)) / size(x);
    case SignalKind::kAngularVelocity: return component(spin);
    case SignalKind::kAngularSpeed: return size(spin);
    case SignalKind::kAngle: {
      // About axis k: of a vector that was across it in b, and where a has it now.
      const int i = (s.component + 1) % 3, j = (s.component + 2) % 3;
      return T(atan2(turn(j, i), turn(i, i)));
    }
    default: throw std::logic_error("not here");
  }
}

std::vector<Signal> all_measures() {
  std::vector<Signal> signals;
  for (const SignalKind kind :
       {SignalKind::kDisplacement, SignalKind::kDistance, SignalKind::kVelocity, SignalKind::kSpeed,
        SignalKind::kSeparationRate, SignalKind::kAngle, SignalKind::kAngularVelocity, SignalKind::kAngularSpeed}) {
    for (int component = 0; component < 3; ++component) {
      // Markers: 0 on the ground, 1 and 2 on a, 3 and 4 on b, -1 the ground frame.
      for (const auto& m : {std::array{1, 3, 2, 4}, {4, 1, -1, -1}, {3, 0, 0, 2}, {1, -1, 4, 3}, {0, 3, 1, 1}}) {
        signals.push_back({kind, -1, component, m[0], m[1], m[2], m[3], "measure"});
      }
    }
  }
  return signals;
}

TEST(Signals, MeasuresBetweenMarkersAndTheirGradients) {
  Random random(1);
  for (const bool is_planar : {true, false}) {
    auto model = make_two_bodies(is_planar, random);
    for (const Signal& s : all_measures()) {
      // In the plane there is nothing out of it.
      const bool is_turn = s.kind == SignalKind::kAngle || s.kind == SignalKind::kAngularVelocity;
      if (!is_planar || (is_turn ? s.component == 2 : s.component < 2)) model->signals.push_back(s);
    }
    const Mechanism system(model);
    for (int sample = 0; sample < 3; ++sample) {
      dae::State state = moving_state(system, random);
      const VectorXd delta = random.vector_of(state.v.size());
      system.retract(state.q, delta, state.q);
      const RefBodies<double> bodies = testing::bodies_of(system, state);
      const Vec12<double> xi = testing::expand(*model, state.v);
      const Reading reading(system, state);
      for (std::size_t k = 0; k < model->signals.size(); ++k) {
        const Signal& s = model->signals[k];
        SCOPED_TRACE(fmt::format("planar {}, kind {}, component {}, markers {} {} {} {}", is_planar,
                                 static_cast<int>(s.kind), s.component, s.a, s.b, s.c, s.d));
        const double expected = calc_reference(*model, s, bodies, xi);
        double given = reading.value(static_cast<int>(k));
        if (s.kind == SignalKind::kAngle) given = std::remainder(given - expected, kTurn) + expected;
        EXPECT_LT(relative_error(given, expected), kTolerance);
        using testing::Twelve;
        const auto by_q = testing::gradient_of(
            calc_reference(*model, s, testing::displace<Twelve>(bodies, testing::twelve_variables()),
                           Vec12<Twelve>(xi.cast<Twelve>())));
        const auto by_v = testing::gradient_of(
            calc_reference(*model, s, testing::displace<Twelve>(bodies, Vec12<Twelve>(Vec12<Twelve>::Zero())),
                           testing::twelve_variables(xi)));
        VectorXd reference(2 * state.v.size());
        reference << testing::restrict(*model, by_q), testing::restrict(*model, by_v);
        EXPECT_LT(relative_error(reading.gradient(static_cast<int>(k)), reference), kTolerance);
      }
    }
  }
}

TEST(Signals, AnglesInThePlaneCountTurns) {
  Random random(2);
  auto model = make_two_bodies(true, random);
  model->signals.push_back({SignalKind::kAngle, -1, 2, 1, 3, -1, -1, "az"});
  const Mechanism system(model);
  dae::State state = system.given_state();
  const double before = Reading(system, state).value(0);
  state.q[2] += 3 * kTurn;
  state.q[5] -= 0.4;
  EXPECT_NEAR(Reading(system, state).value(0), before + 3 * kTurn + 0.4, 1e-12);
}

/// The bodies along a motion with given accelerations, to second order in time.
RefBodies<Time<Time<double>>> accelerate(const RefBodies<double>& bodies, const Vec12<double>& xi,
                                         const Vec12<double>& xi_rate) {
  using T = Time<Time<double>>;
  const T t = T::variable(Time<double>::variable(0.0, 0), 0);
  RefBodies<T> moving;
  for (int k = 0; k < 2; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const Matrix3d W = testing::cross_matrix<double>(xi.segment<3>(6 * k + 3));
    const Matrix3d A = testing::cross_matrix<double>(xi_rate.segment<3>(6 * k + 3));
    moving[at].r = bodies[at].r.cast<T>() + t * xi.segment<3>(6 * k).cast<T>() +
                   T(0.5 * t * t) * xi_rate.segment<3>(6 * k).cast<T>();
    moving[at].R = bodies[at].R.cast<T>() + t * (bodies[at].R * W).cast<T>() +
                   T(0.5 * t * t) * (bodies[at].R * (W * W + A)).cast<T>();
  }
  return moving;
}

TEST(Signals, AccelerationsAsSeenFromAnywhere) {
  Random random(3);
  auto model = make_two_bodies(false, random);
  for (const SignalKind kind :
       {SignalKind::kAcceleration, SignalKind::kAccelerationSize, SignalKind::kAngularAcceleration}) {
    for (int component = 0; component < 3; ++component) {
      for (const auto& m : {std::array{1, 3, 2, 4}, {4, 1, -1, -1}, {3, 0, 0, 2}, {1, -1, 4, 3}, {0, 3, 1, 1}}) {
        model->signals.push_back({kind, -1, component, m[0], m[1], m[2], m[3], "measure"});
      }
    }
  }
  const Mechanism system(model);
  const dae::State state = moving_state(system, random);
  const RefBodies<double> bodies = testing::bodies_of(system, state);
  const auto moving = accelerate(bodies, testing::expand(*model, state.v), testing::expand(*model, state.a));
  const Reading reading(system, state);
  for (std::size_t k = 0; k < model->signals.size(); ++k) {
    const Signal& s = model->signals[k];
    SCOPED_TRACE(fmt::format("kind {}, component {}, markers {} {} {} {}", static_cast<int>(s.kind), s.component, s.a,
                             s.b, s.c, s.d));
    const auto at = [&](int marker) { return testing::place_marker(*model, marker, bodies); };
    const auto going = [&](int marker) { return testing::place_marker(*model, marker, moving); };
    Vec3<double> vector;
    if (s.kind == SignalKind::kAngularAcceleration) {
      // The angular velocity of a relative to b, in the axes of d, along the motion; its derivative turned back.
      const auto turn = (going(s.b).axes.transpose() * going(s.a).axes).eval();
      Mat3<Time<double>> now, axes_b, axes_d;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          now(i, j) = turn(i, j).value;
          axes_b(i, j) = going(s.b).axes(i, j).value;
          axes_d(i, j) = going(s.d).axes(i, j).value;
        }
      }
      const Vec3<Time<double>> spin = axes_b * unskew<Time<double>>(rate<Time<double>>(turn) * now.transpose());
      vector = at(s.d).axes * rate<double>(Vec3<Time<double>>(axes_d.transpose() * spin));
    } else {
      const auto x = (going(s.d).axes.transpose() * (going(s.a).P - going(s.b).P)).eval();
      vector = at(s.d).axes * rate<double>(rate<Time<double>>(x));
    }
    const double expected =
        s.kind == SignalKind::kAccelerationSize ? vector.norm() : (at(s.c).axes.transpose() * vector)[s.component];
    EXPECT_LT(relative_error(reading.value(static_cast<int>(k)), expected), kTolerance);
  }
}

TEST(Signals, AccelerationsInThePlane) {
  // A body that turns about its origin: centripetal and tangential acceleration of its tip.
  auto model = make_model(Space::kPlanar);
  add_body(*model, "a", 1, Vector3d(1, 1, 1));
  add_marker(*model, 0, Vector3d(2, 0, 0), Matrix3d::Identity(), "tip");
  model->outputs.push_back({"x", "", compile(*model, "accx(tip)")});
  model->outputs.push_back({"y", "", compile(*model, "accy(tip)")});
  model->outputs.push_back({"w", "", compile(*model, "wdtz(tip)")});
  const Mechanism system(model);
  dae::State state = system.given_state();
  state.v[2] = 3;
  state.a << 0, 0, 5;
  Probe probe(system);
  probe.set(state);
  const auto value = [&](int k) {
    return probe.eval(ProgramUse(model->outputs[static_cast<std::size_t>(k)].function, system.signals()));
  };
  EXPECT_NEAR(value(0), -18, 1e-13);
  EXPECT_NEAR(value(1), 10, 1e-13);
  EXPECT_NEAR(value(2), 5, 1e-13);
}

// --- joints, forces, states -----------------------------------------------------------------------------------------

TEST(Signals, JointCoordinatesAndRates) {
  Random random(4);
  using K = CoordinateKind;
  for (const bool is_planar : {true, false}) {
    auto model = make_two_bodies(is_planar, random);
    add_joint(*model, "ab", kOrientation, 1, 3);
    add_joint(*model, "bg", kOrientation, 4, 0);
    for (int joint = 0; joint < 2; ++joint) {
      for (const K kind : {K::kAngle, K::kTravel, K::kX, K::kY, K::kZ, K::kDistance, K::kFirstAngle, K::kSecondAngle}) {
        if (is_planar && (kind == K::kZ || kind == K::kFirstAngle || kind == K::kSecondAngle)) continue;
        for (const SignalKind what : {SignalKind::kJointCoordinate, SignalKind::kJointRate}) {
          model->signals.push_back({what, joint, static_cast<int>(kind), -1, -1, -1, -1, "coordinate"});
        }
      }
    }
    const Mechanism system(model);
    const dae::State state = moving_state(system, random);
    const RefBodies<double> bodies = testing::bodies_of(system, state);
    const Reading reading(system, state);
    for (std::size_t k = 0; k < model->signals.size(); ++k) {
      const Signal& s = model->signals[k];
      const model::JointCoordinate which{s.index, static_cast<K>(s.component)};
      SCOPED_TRACE(fmt::format("planar {}, joint {}, kind {}", is_planar, s.index, s.component));
      const auto coordinate = [&](const auto& at) { return testing::coordinate_value(*model, which, at); };
      const double expected = s.kind == SignalKind::kJointCoordinate
                                  ? coordinate(bodies)
                                  : testing::rate_of(coordinate)(bodies, testing::expand(*model, state.v));
      EXPECT_LT(relative_error(reading.value(static_cast<int>(k)), expected), kTolerance);
      const testing::RowReference row = testing::differentiate(coordinate, bodies, testing::expand(*model, state.v));
      VectorXd reference = VectorXd::Zero(2 * state.v.size() + state.x.size());
      const VectorXd G = testing::restrict(*model, row.gradient);
      if (s.kind == SignalKind::kJointCoordinate) {
        reference.head(state.v.size()) = G;
      } else {
        reference.head(2 * state.v.size()) << testing::restrict(*model, row.rate_gradient), G;
      }
      EXPECT_LT(relative_error(reading.gradient(static_cast<int>(k)), reference), kTolerance);
    }
    // In space every angle that is read counts its turns; its rate alone does not.
    EXPECT_EQ(system.structure().n_x(), is_planar ? 0 : 6);
  }
}

TEST(Signals, TurnsOfAJointThatIsReadAreCounted) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d::Zero(), testing::turned_about_z(0.5));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  add_joint(*model, "hinge", kRevolute, i, j);
  model->joints[0].initial.push_back({CoordinateKind::kAngle, 0.5 + 2 * kTurn, std::nullopt});
  model->outputs.push_back({"angle", "rad", compile(*model, "hinge.angle")});
  const Mechanism system(model);
  ASSERT_EQ(system.structure().n_x(), 1);
  Probe probe(system);
  probe.set(system.given_state());
  EXPECT_NEAR(probe.eval(ProgramUse(model->outputs[0].function, system.signals())), 0.5 + 2 * kTurn, 1e-13);
  EXPECT_NEAR(probe.calc_joint_coordinate({0, CoordinateKind::kAngle}), 0.5 + 2 * kTurn, 1e-13);
}

TEST(Signals, TimeStatesVariablesAndForces) {
  Random random(5);
  for (const bool is_planar : {true, false}) {
    auto model = make_two_bodies(is_planar, random);
    add_joint(*model, "ab", kRevolute, 1, 3);
    model->states.push_back({"p", false, false, {}, 0.8, 0});
    model->states.push_back({"r", false, false, {}, -0.3, 0});
    model::ForceLaw& law = add_line_force(*model, "spring", 1, 4);
    law.stiffness = 7;
    law.damping = 0.4;
    law.coulomb = 0.5;
    law.smoothing_velocity = 3;
    law.reference = 0.3;
    law.expression = compile(*model, "p * r * vx(b.q)");
    model::ForceLaw& torsion = add_joint_force(*model, "torsion", {0, CoordinateKind::kAngle});
    torsion.stiffness = 2;
    torsion.damping = 1.5;
    model::VectorForce& push = add_vector_force(*model, "push", 1);
    push.force[0] = compile(*model, "p^2 * t");
    push.torque[2] = compile(*model, "dy(a.p) * r");
    model::Bushing& bushing = add_bushing(*model, "bushing", 2, 4);
    for (double& entry : bushing.stiffness.reshaped()) entry = random.number();
    for (double& entry : bushing.damping.reshaped()) entry = random.number();
    // One on top of the other, used before they are defined in the list of signals.
    for (const char* name : {"first", "second", "third"}) model->variables.push_back({name, "", {}});
    model->variables[2].function = compile(*model, "second * second + first");
    model->variables[1].function = compile(*model, "first * p + spring.value + torsion.value");
    model->variables[0].function = compile(*model, "sin(r) * dm(a.p, b.p) + push.fx");
    model->outputs.push_back({"out", "", compile(*model, "third + push.tz + 0 * t")});
    model->outputs.push_back({"of bushing", "", compile(*model, "bushing.fx + bushing.fy + bushing.tz")});
    const Mechanism system(model);
    dae::State state = moving_state(system, random);
    const Reading reading(system, state);
    const auto value = [&](SignalKind kind, int index, int component = 0) {
      const Signal wanted{kind, index, component, -1, -1, -1, -1, {}};
      for (std::size_t k = 0; k < system.model().signals.size(); ++k) {
        if (system.model().signals[k] == wanted) return reading.value(static_cast<int>(k));
      }
      ADD_FAILURE() << "no such signal";
      return 0.0;
    };
    Probe probe(system);
    probe.set(state);
    double spring = 0, torque = 0;
    probe.calc_force_values(0, &spring);
    probe.calc_force_values(1, &torque);
    const RefBodies<double> bodies = testing::bodies_of(system, state);
    const auto P = [&](int marker) { return testing::place_marker(*model, marker, bodies).P; };
    EXPECT_EQ(value(SignalKind::kTime, -1), 0.7);
    EXPECT_EQ(value(SignalKind::kState, 0), 0.8);
    EXPECT_EQ(value(SignalKind::kState, 1), -0.3);
    EXPECT_LT(relative_error(value(SignalKind::kForceValue, 0), spring), kTolerance);
    EXPECT_LT(relative_error(value(SignalKind::kForceValue, 1), torque), kTolerance);
    EXPECT_NEAR(value(SignalKind::kForceValue, 2, 0), 0.64 * 0.7, 1e-14);
    Wrench on_J;
    probe.calc_force_values(3, on_J.data());
    for (const int component : {0, 1, 5}) {
      EXPECT_LT(relative_error(value(SignalKind::kForceValue, 3, component), on_J[component]), kTolerance);
    }
    const double first = std::sin(-0.3) * (P(1) - P(3)).norm() + 0.64 * 0.7;
    const double second = first * 0.8 + spring + torque;
    EXPECT_LT(relative_error(value(SignalKind::kVariable, 0), first), kTolerance);
    EXPECT_LT(relative_error(value(SignalKind::kVariable, 1), second), kTolerance);
    EXPECT_LT(relative_error(value(SignalKind::kVariable, 2), second * second + first), kTolerance);
    EXPECT_LT(relative_error(probe.eval(ProgramUse(model->outputs[0].function, system.signals())),
                             second * second + first + P(1)[1] * -0.3),
              kTolerance);
    for (std::size_t k = 0; k < system.model().signals.size(); ++k) {
      SCOPED_TRACE(system.model().signals[k].text);
      EXPECT_LT(
          relative_error(reading.gradient(static_cast<int>(k)), differentiate(system, state, static_cast<int>(k))),
          1e-8);
    }
  }
}

// As result files have it, and as for bushings and reactions.
TEST(Signals, VectorForcesAreInGroundAxesWhateverTheirOwn) {
  Random random(15);
  for (const bool is_planar : {true, false}) {
    for (const int frame : {-1, 0, 2, 4}) {  // the ground's axes, those of a ground marker, of a and of b
      SCOPED_TRACE(fmt::format("planar {}, frame {}", is_planar, frame));
      auto model = make_two_bodies(is_planar, random);
      model->states.push_back({"p", false, false, {}, 0.8, 0});
      model::VectorForce& push = add_vector_force(*model, "push", 1, 3, frame);
      push.force[0] = compile(*model, "2 + p * dx(b.q)");
      push.force[1] = compile(*model, "t - vy(a.p)");
      push.torque[2] = compile(*model, "p^2 * dy(a.q)");
      if (!is_planar) {
        push.force[2] = compile(*model, "3 * p");
        push.torque[0] = compile(*model, "wx(a.p, b.p)");
      }
      for (const char* name : {"fx", "fy", "fz", "tx", "ty", "tz"}) {
        const bool is_out_of_plane = name[0] == 'f' ? name[1] == 'z' : name[1] != 'z';
        if (is_planar && is_out_of_plane) continue;
        model->outputs.push_back({name, "", compile(*model, std::string("push.") + name)});
      }
      const Mechanism system(model);
      const dae::State state = moving_state(system, random);
      const Reading reading(system, state);
      Probe probe(system);
      probe.set(state);
      Wrench on_a;
      probe.calc_force_values(0, on_a.data());
      int count = 0;
      for (std::size_t k = 0; k < model->signals.size(); ++k) {
        const Signal& s = model->signals[k];
        if (s.kind != SignalKind::kForceValue) continue;
        ++count;
        SCOPED_TRACE(s.text);
        const int signal = static_cast<int>(k);
        EXPECT_LT(relative_error(reading.value(signal), on_a[s.component]), kTolerance);
        EXPECT_LT(relative_error(reading.gradient(signal), differentiate(system, state, signal)), 1e-8);
      }
      EXPECT_EQ(count, is_planar ? 3 : 6);
    }
  }
}

TEST(Signals, ForcesMayReadVectorForcesInOtherAxes) {
  Random random(16);
  auto model = make_two_bodies(false, random);
  add_vector_force(*model, "push", 1, -1, 4).force[1] = compile(*model, "1 + dx(a.p)^2");
  add_line_force(*model, "spring", 2, 3).expression = compile(*model, "push.fx * push.fz");
  const Mechanism system(model);
  const dae::DerivativeReport report = dae::check_derivatives(system, moving_state(system, random));
  EXPECT_TRUE(report.is_right()) << to_string(report);
  EXPECT_TRUE(report.not_given.empty()) << to_string(report);
}

TEST(Signals, ReactionsOfAPendulum) {
  // Hangs from a pin 1.5 m over its centre of mass, held at an angle: reactions and what their sizes are.
  for (const bool is_planar : {true, false}) {
    auto model = make_model(is_planar ? Space::kPlanar : Space::kSpatial, Vector3d(0, -10, 0));
    add_body(*model, "a", 2, Vector3d(1, 1, 1), Vector3d(1.5, 0, 0));
    const int i = add_marker(*model, kGround), j = add_marker(*model, 0, Vector3d(-1.5, 0, 0));
    add_joint(*model, "wall", kFixed, i, j);
    for (const char* text :
         {"wall.reaction.fx", "wall.reaction.fy", "wall.reaction.tz", "wall.reaction.force", "wall.reaction.torque"}) {
      model->outputs.push_back({text, "", compile(*model, text)});
    }
    const Mechanism system(model);
    dae::Evaluation evaluation(system);
    kkt::AccelerationSolver solver(evaluation);
    evaluation.set(system.given_state());
    ASSERT_EQ(solver.factor_position(), kkt::AccelerationStatus::kSolved);
    ASSERT_EQ(solver.solve(system.given_state()), kkt::AccelerationStatus::kSolved);
    Probe probe(system);
    probe.set(evaluation.point());
    const auto value = [&](std::size_t k) {
      return probe.eval(ProgramUse(model->outputs[k].function, system.signals()));
    };
    EXPECT_NEAR(value(0), 0, 1e-12);
    EXPECT_NEAR(value(1), 20, 1e-12);
    EXPECT_NEAR(value(2), 30, 1e-12);  // at the wall, on the beam
    EXPECT_NEAR(value(3), 20, 1e-12);
    EXPECT_NEAR(value(4), 30, 1e-12);
  }
}

}  // namespace
}  // namespace trammel::system
