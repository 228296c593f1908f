// Whole mechanisms: what mechanics says of them must hold, whatever way they are written.

#include "trammel/system/mechanism.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <functional>
#include <numbers>

#include "tests/support/allocation_counter.h"
#include "tests/support/models.h"
#include "tests/support/reference_bodies.h"
#include "tests/system/mechanism_runs.h"
#include "trammel/kinematics/redundancy.h"
#include "trammel/system/plain_form.h"

namespace trammel::system {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using model::CoordinateKind;
using model::MotionLevel;
using model::Space;
using testing::add_body;
using testing::add_bushing;
using testing::add_coupling;
using testing::add_joint;
using testing::add_joint_at;
using testing::add_joint_force;
using testing::add_line_force;
using testing::add_marker;
using testing::add_motion;
using testing::add_vector_force;
using testing::axes_along;
using testing::compile;
using testing::energy_of;
using testing::kGround;
using testing::make_model;
using testing::Matrix3d;
using testing::Model;
using testing::Random;
using testing::relative_error;
using testing::run;
using testing::turned_about_z;
using testing::Vector3d;
using testing::with_accelerations;
using enum model::JointType;

constexpr double kPi = std::numbers::pi;

// --- planar and spatial ---------------------------------------------------------------------------------------------

std::shared_ptr<Model> make_double_pendulum(Space space) {
  auto model = make_model(space, Vector3d(0, -9.81, 0));
  const Vector3d knee(0.8 * std::cos(0.3), 0.8 * std::sin(0.3), 0);
  add_body(*model, "upper", 1.2, Vector3d(0.3, 0.2, 0.4), Vector3d::Zero(), turned_about_z(0.3));
  add_body(*model, "lower", 0.7, Vector3d(0.1, 0.3, 0.2), knee, turned_about_z(-0.9));
  model->bodies[0].centre = Vector3d(0.35, 0.1, 0);
  model->bodies[1].centre = Vector3d(0.5, -0.05, 0);
  add_joint_at(*model, "shoulder", kRevolute, kGround, 0, Vector3d::Zero());
  add_joint_at(*model, "elbow", kRevolute, 0, 1, knee);
  const int from = add_marker(*model, kGround, Vector3d(1, 0.5, 0)), to = add_marker(*model, 1, Vector3d(0.9, 0, 0));
  model::ForceLaw& spring = add_line_force(*model, "spring", from, to);
  spring.stiffness = 15;
  spring.damping = 0.8;
  spring.reference = 0.6;
  model::ForceLaw& torsion = add_joint_force(*model, "torsion", {1, CoordinateKind::kAngle});
  torsion.stiffness = 3;
  torsion.reference = -0.5;
  return model;
}

std::shared_ptr<Model> make_slider_crank(Space space) {
  const bool is_planar = space == Space::kPlanar;
  auto model = make_model(space, Vector3d(0, -9.81, 0));
  const double r = 0.3, l = 1.0, phi = 0.7, psi = std::asin(-r * std::sin(phi) / l);
  const Vector3d pin(r * std::cos(phi), r * std::sin(phi), 0),
      wrist = pin + l * Vector3d(std::cos(psi), std::sin(psi), 0);
  add_body(*model, "crank", 1, Vector3d(0.01, 0.02, 0.03), Vector3d::Zero(), turned_about_z(phi));
  add_body(*model, "rod", 2, Vector3d(0.02, 0.2, 0.2), pin, turned_about_z(psi));
  add_body(*model, "slider", 3, Vector3d(0.1, 0.1, 0.1), wrist);
  model->bodies[0].centre = Vector3d(0.1, 0, 0);
  model->bodies[1].centre = Vector3d(0.45, 0.02, 0);
  add_joint_at(*model, "bearing", kRevolute, kGround, 0, Vector3d::Zero());
  add_joint_at(*model, "pin", kRevolute, 0, 1, pin);
  if (is_planar) {
    add_joint_at(*model, "wrist", kRevolute, 1, 2, wrist);
    add_joint_at(*model, "guide", kTranslational, kGround, 2, wrist);
  } else {
    // A second hinge would prevent what the other joints prevent already.
    add_joint_at(*model, "wrist", kInLine, 1, 2, wrist);
    add_joint_at(*model, "guide", kTranslational, kGround, 2, wrist, axes_along(Vector3d::UnitX()));
  }
  const int wall = add_marker(*model, kGround, Vector3d(2, 0, 0)), piston = add_marker(*model, 2);
  model::ForceLaw& spring = add_line_force(*model, "spring", wall, piston);
  spring.stiffness = 200;
  spring.damping = 3;
  spring.reference = 0.8;
  return model;
}

class PlanarAndSpatial : public ::testing::TestWithParam<std::pair<const char*, std::shared_ptr<Model> (*)(Space)>> {
 protected:
  /// The components of a planar state, out of a spatial one.
  static VectorXd in_plane(const VectorXd& v) {
    VectorXd result(v.size() / 2);
    for (Eigen::Index k = 0; k < v.size() / 6; ++k) result.segment<3>(3 * k) << v[6 * k], v[6 * k + 1], v[6 * k + 5];
    return result;
  }
  static VectorXd positions_in_plane(const VectorXd& q) {
    VectorXd result(q.size() / 7 * 3);
    for (Eigen::Index k = 0; k < q.size() / 7; ++k) {
      const double half = std::atan2(q[7 * k + 6], q[7 * k + 3]);
      result.segment<3>(3 * k) << q[7 * k], q[7 * k + 1], 2 * half;
    }
    return result;
  }
};

TEST_P(PlanarAndSpatial, AreTheSameMechanism) {
  const Mechanism planar(GetParam().second(Space::kPlanar)), spatial(GetParam().second(Space::kSpatial));
  dae::State in_plane_state = planar.given_state(), in_space_state = spatial.given_state();
  // A motion that the joints allow: what is left of any other.
  Random random(1);
  const VectorXd wanted = random.vector_of(in_plane_state.v.size(), 2);
  dae::Evaluation evaluation(planar);
  evaluation.set(in_plane_state);
  const MatrixXd G = planar.structure().jacobian.to_dense(evaluation.jacobian());
  in_plane_state.v = wanted - G.transpose() * (G * G.transpose()).ldlt().solve(G * wanted);
  for (Eigen::Index k = 0; k < in_plane_state.v.size() / 3; ++k) {
    in_space_state.v.segment<6>(6 * k) << in_plane_state.v[3 * k], in_plane_state.v[3 * k + 1], 0, 0, 0,
        in_plane_state.v[3 * k + 2];
  }
  const VectorXd a = with_accelerations(spatial, in_space_state).a;
  EXPECT_LT(relative_error(in_plane(a), with_accelerations(planar, in_plane_state).a), 1e-12);
  for (Eigen::Index k = 0; k < a.size() / 6; ++k) EXPECT_LT(a.segment<3>(6 * k + 2).norm(), 1e-11);
  EXPECT_NEAR(energy_of(planar, in_plane_state), energy_of(spatial, in_space_state), 1e-12);

  const dae::State end = run(planar, in_plane_state, 1).state, end_in_space = run(spatial, in_space_state, 1).state;
  EXPECT_LT(relative_error(in_plane(end_in_space.v), end.v), 1e-7);
  const VectorXd q = positions_in_plane(end_in_space.q);
  for (Eigen::Index k = 0; k < q.size(); ++k) {
    const double difference = k % 3 == 2 ? std::remainder(q[k] - end.q[k], 2 * kPi) : q[k] - end.q[k];
    EXPECT_LT(std::abs(difference), 1e-8) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, PlanarAndSpatial,
                         ::testing::Values(std::pair{"double_pendulum", &make_double_pendulum},
                                           std::pair{"slider_crank", &make_slider_crank}),
                         [](const auto& entry) { return std::string(entry.param.first); });

// --- spatial mechanisms ---------------------------------------------------------------------------------------------

/// A double pendulum whose hinges are askew, with springs; all kinds of motion in it.
std::shared_ptr<Model> make_askew_pendulum() {
  auto model = make_model(Space::kSpatial, Vector3d(0, 0, -9.81));
  Random random(5);
  const Vector3d knee(0.4, 0.1, -0.6);
  Matrix3d inertia = Vector3d(0.05, 0.08, 0.04).asDiagonal();
  inertia(0, 1) = inertia(1, 0) = 0.01;
  add_body(*model, "upper", 1.5, inertia, Vector3d(0.2, 0, -0.3), random.rotation());
  add_body(*model, "lower", 0.8, inertia, knee + Vector3d(0.1, 0.3, -0.2), random.rotation());
  model->bodies[0].centre = random.vector(0.1);
  model->bodies[1].centre = random.vector(0.1);
  add_joint_at(*model, "shoulder", kUniversal, kGround, 0, Vector3d::Zero(), axes_along(Vector3d(1, 0.2, 0.1)));
  // The cross of a universal joint: z of J across z of I.
  const Vector3d z_I = model->markers[0].orientation.col(2);
  const Matrix3d R = math::rotation_from_quaternion(model->bodies[0].orientation);
  model->markers[1].orientation = R.transpose() * axes_along(z_I.unitOrthogonal());
  add_joint_at(*model, "elbow", kRevolute, 0, 1, knee, axes_along(Vector3d(0.3, 1, 0.4)));
  const int from = add_marker(*model, kGround, Vector3d(0.5, 1, -0.5)),
            to = add_marker(*model, 1, Vector3d(0.2, 0.1, 0));
  model::ForceLaw& spring = add_line_force(*model, "spring", from, to);
  spring.stiffness = 20;
  spring.reference = 0.5;
  model::ForceLaw& torsion = add_joint_force(*model, "torsion", {1, CoordinateKind::kAngle});
  torsion.stiffness = 2;
  torsion.reference = 0.8;
  return model;
}

/// Crank and rocker on askew axes, joined by a massless rod with two balls.
std::shared_ptr<Model> make_rod_linkage() {
  auto model = make_model(Space::kSpatial, Vector3d(0, 0, -9.81));
  add_body(*model, "crank", 1, Vector3d(0.01, 0.01, 0.02), Vector3d::Zero());
  add_body(*model, "rocker", 2, Vector3d(0.1, 0.1, 0.1), Vector3d(1, 0.5, 0));
  model->bodies[1].centre = Vector3d(0, 0.1, 0.3);
  add_joint_at(*model, "bearing", kRevolute, kGround, 0, Vector3d::Zero());
  add_joint_at(*model, "hinge", kRevolute, kGround, 1, Vector3d(1, 0.5, 0), axes_along(Vector3d(0.2, 1, 0.1)));
  const int tip = add_marker(*model, 0, Vector3d(0.2, 0.1, 0)), top = add_marker(*model, 1, Vector3d(0, 0.1, 0.7));
  add_joint(*model, "rod", kDistance, tip, top, -1);
  model::ForceLaw& spring = add_joint_force(*model, "spring", {0, CoordinateKind::kAngle});
  spring.stiffness = 1.5;
  spring.reference = 1;
  return model;
}

/// A body on a ball, tied to one that slides and turns on a screw.
std::shared_ptr<Model> make_ball_and_screw() {
  auto model = make_model(Space::kSpatial, Vector3d(0, 0, -9.81));
  add_body(*model, "top", 1, Vector3d(0.1, 0.1, 0.05), Vector3d(0, 0, 0.5));
  add_body(*model, "nut", 0.5, Vector3d(0.02, 0.02, 0.03), Vector3d(1, 0, 0));
  add_joint_at(*model, "ball", kSpherical, kGround, 0, Vector3d::Zero());
  add_joint_at(*model, "thread", kScrew, kGround, 1, Vector3d(1, 0, 0), Matrix3d::Identity(), 0.4);
  const int a = add_marker(*model, 0, Vector3d(0, 0, 0.3)), b = add_marker(*model, 1, Vector3d(0.1, 0, 0.2));
  model::ForceLaw& spring = add_line_force(*model, "spring", a, b);
  spring.stiffness = 40;
  spring.reference = 0.7;
  model->bodies[0].angular_velocity = Vector3d(0.3, 0.1, 15);
  model->bodies[0].velocity = 0.5 * Vector3d(0.1, -0.3, 0);
  return model;
}

class SpatialMechanism : public ::testing::TestWithParam<std::pair<const char*, std::shared_ptr<Model> (*)()>> {};

TEST_P(SpatialMechanism, KeepsItsEnergy) {
  const Mechanism system(GetParam().second());
  EXPECT_TRUE(system.forces().is_conservative());
  const integrators::RunResult result = run(system, 3);
  const double before = energy_of(system, system.given_state()), after = energy_of(system, result.state);
  EXPECT_NEAR(after, before, 1e-7);
  // It does move: speeds of some m/s have come and gone.
  EXPECT_GT(result.statistics.steps, 50);
  EXPECT_LT(result.drift.position, 1e-9);
}

TEST_P(SpatialMechanism, MovesTheSameInPlainForm) {
  const auto system = std::make_shared<const Mechanism>(GetParam().second());
  const PlainForm plain(system, system->rotations());
  dae::State state = run(*system, 0.3, 1e-8).state;  // somewhere on the way
  state = with_accelerations(*system, state);
  const dae::State in_plain = with_accelerations(plain, plain.to_plain(state));
  const dae::State back = plain.to_quasi(in_plain);
  EXPECT_LT(relative_error(back.a, state.a), 1e-11);
  EXPECT_LT(relative_error(back.lambda, state.lambda), 1e-11);
  EXPECT_LT(relative_error(back.x_rate, state.x_rate), 1e-11);

  const dae::State end = run(*system, state, state.t + 1).state;
  const dae::State end_of_plain = plain.to_quasi(run(plain, plain.to_plain(state), state.t + 1).state);
  EXPECT_LT(relative_error(end_of_plain.q, end.q), 1e-7);
  EXPECT_LT(relative_error(end_of_plain.v, end.v), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, SpatialMechanism,
                         ::testing::Values(std::pair{"askew_pendulum", &make_askew_pendulum},
                                           std::pair{"rod_linkage", &make_rod_linkage},
                                           std::pair{"ball_and_screw", &make_ball_and_screw}),
                         [](const auto& entry) { return std::string(entry.param.first); });

// --- energy that comes and goes -------------------------------------------------------------------------------------

/// kinetic + potential + dissipated - driven.
double balance_of(const Mechanism& system, const dae::State& state) {
  const int at = system.energy_states();
  return energy_of(system, state) + state.x[at] - state.x[at + 1];
}

void expect_balance(std::shared_ptr<Model> model, double t_end, double least_dissipated, double least_driven) {
  CompileOptions options;
  options.with_energy_states = true;
  const Mechanism system(std::move(model), options);
  const int at = system.energy_states();
  ASSERT_EQ(at, system.structure().n_x() - 2);
  EXPECT_EQ(system.structure().state_names[static_cast<std::size_t>(at)], "energy.dissipated");
  EXPECT_EQ(system.structure().state_names[static_cast<std::size_t>(at) + 1], "energy.driven");
  const dae::State start = run(system, 1e-9).state;  // velocities that the joints and motions allow
  const dae::State end = run(system, start, t_end, 1e-10).state;
  EXPECT_NEAR(balance_of(system, end), balance_of(system, start), 1e-7);
  EXPECT_GT(end.x[at], least_dissipated);
  EXPECT_GT(std::abs(end.x[at + 1]), least_driven);
}

TEST(Energy, OfADampedMechanismIsDissipated) {
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    auto model = make_double_pendulum(space);
    model::ForceLaw& friction = add_joint_force(*model, "friction", {0, CoordinateKind::kAngle});
    friction.coulomb = 0.3;
    friction.breakaway = 0.5;
    friction.stribeck_velocity = 0.5;
    friction.smoothing_velocity = 0.3;
    expect_balance(model, 2, 0.3, -1);
  }
}

TEST(Energy, ThatMotorsAndMotionsPutInIsCounted) {
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    auto model = make_slider_crank(space);
    add_motion(*model, "drive", {0, CoordinateKind::kAngle}, MotionLevel::kPosition, "0.7 + 3 * t + 0.4 * sin(2 * t)");
    const int tip = add_marker(*model, 2);
    add_vector_force(*model, "gas", tip).force[0] = compile(*model, "-20 * (1 + cos(crank.wz))");
    expect_balance(model, 2, 1, 1);
  }
}

TEST(Energy, WithMotionsOfVelocitiesAndAnExpressionAndABushing) {
  auto model = make_askew_pendulum();
  add_motion(*model, "drive", {1, CoordinateKind::kAngle}, MotionLevel::kVelocity, "2 * cos(3 * t)");
  model::ForceLaw& servo = add_joint_force(*model, "servo", {0, CoordinateKind::kFirstAngle});
  servo.expression = compile(*model, "0.4 * sin(5 * t) - 0.2 * shoulder.angle_1_rate");
  const int i = add_marker(*model, kGround, Vector3d(0.3, 0.1, -0.5)), j = add_marker(*model, 0);
  model::Bushing& bushing = add_bushing(*model, "mount", i, j);
  bushing.stiffness.diagonal() << 5, 6, 7, 0.4, 0.5, 0.6;
  bushing.damping.diagonal() << 0.3, 0.4, 0.2, 0.1, 0.1, 0.1;
  expect_balance(model, 1.5, 0.01, 0.01);
}

TEST(Energy, StoppedByAStopWithDampingIsDissipated) {
  // A ball bounces on a stop at height zero; what it has lost after some bounces is what the stop has taken.
  auto model = make_model(Space::kPlanar, Vector3d(0, -9.81, 0));
  add_body(*model, "ball", 1, Vector3d(1, 1, 1), Vector3d(0, 0.2, 0));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  add_joint(*model, "rail", kOrientation, i, j);
  model::ForceLaw& floor = add_joint_force(*model, "floor", {0, CoordinateKind::kY});
  floor.stop.emplace();
  floor.stop->lower = 0;
  floor.stop->stiffness = 2e3;
  floor.stop->exponent = 2;
  floor.stop->damping = 30;
  floor.stop->depth = 0.02;
  CompileOptions options;
  options.with_energy_states = true;
  const Mechanism system(model, options);
  const dae::State end = run(system, 1.5).state;
  EXPECT_NEAR(balance_of(system, end), 9.81 * 0.2, 1e-7);
  EXPECT_GT(end.x[0], 0.3);
}

// --- models that make no sense --------------------------------------------------------------------------------------

TEST(Mechanism, RefusesTwoMarkersOfOneBody) {
  const auto refusal = [](const std::function<void(Model&)>& add) {
    auto model = make_model(Space::kSpatial);
    add_body(*model, "a", 1, Vector3d(1, 1, 1));
    add_marker(*model, 0);
    add_marker(*model, 0, Vector3d(1, 0, 0));
    add_marker(*model, kGround);
    add(*model);
    try {
      const Mechanism system(model);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string on_a = "has both its markers on the same body, 'a'";
  EXPECT_EQ(refusal([](Model& m) { add_joint(m, "hinge", kRevolute, 0, 1); }), "joint 'hinge' " + on_a);
  EXPECT_EQ(refusal([](Model& m) { add_joint(m, "wall", kFixed, 2, -1); }),
            "joint 'wall' has both its markers on the same body, 'ground'");
  EXPECT_EQ(refusal([](Model& m) { add_line_force(m, "spring", 1, 0); }), "force 'spring' " + on_a);
  EXPECT_EQ(refusal([](Model& m) { add_bushing(m, "mount", 0, 1); }), "force 'mount' " + on_a);
  EXPECT_EQ(refusal([](Model& m) { testing::add_vector_force(m, "push", 0, 1); }), "force 'push' " + on_a);
  EXPECT_EQ(refusal([](Model& m) {
              model::Motion motion;
              motion.name = "drive";
              motion.i = 0;
              motion.j = 1;
              motion.function = compile(m, "t");
              m.motions.push_back(motion);
            }),
            "motion 'drive' " + on_a);
  EXPECT_EQ(refusal([](Model& m) { add_joint(m, "hinge", kRevolute, 2, 1); }), "");
}

// --- states and memory ----------------------------------------------------------------------------------------------

TEST(Mechanism, GivenStateIsThatOfTheCentresOfMass) {
  auto model = make_model(Space::kPlanar);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d(2, 3, 0), turned_about_z(kPi / 2));
  model->bodies[0].centre = Vector3d(0.5, 0.2, 0);
  model->bodies[0].velocity = Vector3d(1, 0, 0);
  model->bodies[0].angular_velocity = Vector3d(0, 0, 2);
  model->simulation.t_start = 1.5;
  const Mechanism planar(model);
  const dae::State state = planar.given_state();
  EXPECT_EQ(state.t, 1.5);
  EXPECT_LT((state.q - Eigen::Vector3d(2 - 0.2, 3 + 0.5, kPi / 2)).norm(), 1e-14);
  // w x arm = 2 z x (-0.2, 0.5) = (-1, -0.4).
  EXPECT_LT((state.v - Eigen::Vector3d(0, -0.4, 2)).norm(), 1e-14);
  auto in_space = std::make_shared<Model>(*model);
  in_space->space = Space::kSpatial;
  const Mechanism spatial(in_space);
  EXPECT_LT((spatial.given_state().q.head<3>() - Vector3d(1.8, 3.5, 0)).norm(), 1e-14);
  EXPECT_LT((spatial.given_state().v.head<3>() - Vector3d(0, -0.4, 0)).norm(), 1e-14);
  EXPECT_LT((spatial.given_state().v.tail<3>() - Vector3d(0, 0, 2)).norm(), 1e-14);
  EXPECT_EQ(spatial.rotations().size(), 1U);
  EXPECT_TRUE(planar.rotations().empty());
}

TEST(Mechanism, KineticEnergyOfTheProbeIsThatOfTheMassMatrix) {
  const Mechanism system(make_askew_pendulum());
  dae::State state = system.given_state();
  Random random(3);
  state.v = random.vector_of(state.v.size());
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const MatrixXd M = system.structure().mass.to_dense(evaluation.mass());
  Probe probe(system);
  probe.set(state);
  EXPECT_NEAR(probe.calc_kinetic_energy(), 0.5 * state.v.dot(M * state.v), 1e-14);
  EXPECT_NEAR(*evaluation.calc_energy(), energy_of(system, state), 1e-13);
}

/// A mechanism with something of everything.
std::shared_ptr<Model> make_everything() {
  auto model = make_askew_pendulum();
  add_body(*model, "wheel", 1, Vector3d(0.1, 0.1, 0.2), Vector3d(3, 0, 0.5), axes_along(Vector3d::UnitX()));
  add_body(*model, "nut", 1, Vector3d(0.1, 0.1, 0.2), Vector3d(5, 0, 0));
  const int floor = add_marker(*model, kGround), hub = add_marker(*model, 2);
  add_joint(*model, "contact", kRolling, floor, hub, 0.5);
  const int thread = add_joint_at(*model, "thread", kScrew, kGround, 3, Vector3d(5, 0, 0), Matrix3d::Identity(), 0.2);
  add_coupling(*model, "coupled", kCoupler,
               {{1, {thread, CoordinateKind::kTravel}}, {0.1, {1, CoordinateKind::kAngle}}});
  add_motion(*model, "drive", {0, CoordinateKind::kFirstAngle}, MotionLevel::kAcceleration, "sin(t)");
  model->states.push_back({"p", false, false, {}, 0.3, 0});
  model->states[0].function = compile(*model, "elbow.angle_rate - p + dm(lower, upper)");
  model->variables.push_back({"gain", "", compile(*model, "1 + p^2")});
  add_line_force(*model, "servo", floor, hub).expression = compile(*model, "gain * vr(wheel, ground)");
  model::VectorForce& push = add_vector_force(*model, "push", hub, floor, hub);
  push.force[0] = compile(*model, "gain");
  push.torque[2] = compile(*model, "-wheel.wz");
  model::Bushing& bushing = add_bushing(*model, "mount", floor, hub);
  bushing.stiffness.setIdentity();
  bushing.damping.setIdentity();
  return model;
}

TEST(Mechanism, EvaluationTakesNoMemory) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  const auto system = std::make_shared<const Mechanism>(make_everything());
  const PlainForm plain(system, system->rotations());
  for (const dae::ConstrainedSystem* form :
       {static_cast<const dae::ConstrainedSystem*>(system.get()), static_cast<const dae::ConstrainedSystem*>(&plain)}) {
    const dae::Structure& s = form->structure();
    dae::Evaluation evaluation(*form);
    dae::State state = form == system.get() ? system->given_state() : plain.to_plain(system->given_state());
    Random random(2);
    const VectorXd direction = random.vector_of(s.n_v()), multipliers = random.vector_of(s.m());
    VectorXd residual = VectorXd::Zero(s.m());
    const auto evaluate = [&] {
      state.t += 1e-3;
      state.q[0] += 1e-3;
      state.v[0] += 1e-3;
      evaluation.set(state);
      evaluation.mass();
      evaluation.jacobian();
      evaluation.constraint();
      evaluation.velocity_offset();
      evaluation.force();
      evaluation.acceleration_bias();
      evaluation.state_rate();
      evaluation.calc_velocity_residual(residual);
      for (int which = 0; which < dae::kDerivativeCount; ++which) {
        const auto derivative = static_cast<dae::Derivative>(which);
        evaluation.derivative(derivative, derivative == dae::Derivative::kReactionByQ ? multipliers : direction);
      }
      evaluation.calc_energy();
    };
    evaluate();
    const long before = testing::allocation_count();
    for (int repeat = 0; repeat < 5; ++repeat) evaluate();
    EXPECT_EQ(testing::allocation_count() - before, 0);
  }
}

TEST(Mechanism, ProbeTakesNoMemoryOnceItHasSeenAState) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  const Mechanism system(make_everything());
  Probe probe(system);
  dae::State state = with_accelerations(system, system.given_state());
  const ProgramUse program(system.model().states[0].function, system.signals());
  const auto look = [&] {
    state.t += 1e-3;
    probe.set(state);
    double values[6];
    for (int force = 0; force < static_cast<int>(system.model().forces.size()); ++force) {
      probe.calc_force_values(force, values);
    }
    for (int joint = 0; joint < 4; ++joint) probe.calc_reaction(joint);
    probe.calc_energy();
    probe.eval(program);
  };
  look();
  const long before = testing::allocation_count();
  for (int repeat = 0; repeat < 5; ++repeat) look();
  EXPECT_EQ(testing::allocation_count() - before, 0);
}

TEST(Mechanism, DerivativesOfExpressionsTakeNoMemoryAtTheFirstTime) {
  if (!testing::kCountsAllocations) GTEST_SKIP() << "sanitizers bring an allocator of their own";
  const Mechanism system(make_everything());
  const dae::State state = system.given_state();
  std::vector<BodyFrame> frames(static_cast<std::size_t>(system.bodies().frames()));
  std::vector<Twist> twists(frames.size());
  system.bodies().calc_frames(state.q.data(), frames);
  system.bodies().calc_twists(state.v.data(), twists);
  const SignalInput in{state, frames, twists};
  std::vector<double> values(static_cast<std::size_t>(system.forces().pattern_by_q().size()));
  SignalWork work = system.signals().make_work();
  const long before = testing::allocation_count();
  system.forces().calc_by_q(in, work, values.data());
  EXPECT_EQ(testing::allocation_count() - before, 0);
}

// --- what is not a finite number is named ---------------------------------------------------------------------------

/// A body with a force and a state by expressions, and a spring by a curve that ends at 1.
std::shared_ptr<Model> make_fragile() {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 2, 3), Vector3d(0.5, 0, 0));
  const int ground = add_marker(*model, kGround), a = add_marker(*model, 0);
  model->variables.push_back({"root", "", compile(*model, "sqrt(0.5 - t)")});
  add_vector_force(*model, "push", a).force[0] = compile(*model, "3*root");
  const std::vector<double> x{0, 0.5, 1}, y{0, 1, 3};
  model->curves.push_back({"rubber", math::Spline::linear(x, y, math::Extrapolation::kRefuse)});
  add_line_force(*model, "band", ground, a).stiffness_curve = 0;
  model->states.emplace_back();
  model->states.back().name = "z";
  model->states.back().function = compile(*model, "if(t > 5, sqrt(-t), exp(t)) / t");
  return model;
}

TEST(Mechanism, ForcesAndStatesThatAreNotFiniteAreNamedWithTheirExpressions) {
  const auto system = std::make_shared<const Mechanism>(make_fragile());
  const PlainForm plain(system, system->rotations());
  const auto trouble = [](const dae::ConstrainedSystem& of, const dae::State& at) {
    dae::Evaluation evaluation(of);
    evaluation.set(at);
    return kinematics::describe_failure(evaluation, kkt::AccelerationStatus::kNotFinite);
  };
  dae::State state = system->given_state();
  state.t = 0.75;
  const std::string push = "force 'push': \"3*root\" reads root, \"sqrt(0.5 - t)\" takes sqrt(-0.25)";
  EXPECT_EQ(trouble(*system, state), "the force on a.x' is not a finite number; " + push);
  EXPECT_EQ(trouble(plain, plain.to_plain(state)), "the force on a.x is not a finite number; " + push);
  state.t = 0;
  EXPECT_EQ(trouble(*system, state),
            "the rate of state z is not a finite number; state 'z': "
            "\"if(t > 5, sqrt(-t), exp(t)) / t\" takes 1 / 0");
  state.t = 0.25;
  state.q[0] = 1.5;
  const std::string band = trouble(*system, state);
  EXPECT_NE(band.find("force 'band': curve 'rubber' is left beyond its end at 1"), std::string::npos) << band;
}

}  // namespace
}  // namespace trammel::system
