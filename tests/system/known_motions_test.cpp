// Mechanisms whose motion is known: free bodies, couplings over many turns, rolling discs, motions that are given, and
// bodies without mass.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "tests/support/models.h"
#include "tests/system/mechanism_runs.h"

namespace trammel::system {
namespace {

using Eigen::VectorXd;
using model::CoordinateKind;
using model::MotionLevel;
using model::Space;
using testing::add_body;
using testing::add_coupling;
using testing::add_joint;
using testing::add_joint_at;
using testing::add_joint_force;
using testing::add_marker;
using testing::add_motion;
using testing::axes_along;
using testing::compile;
using testing::energy_of;
using testing::kGround;
using testing::make_model;
using testing::Matrix3d;
using testing::Model;
using testing::run;
using testing::turned_about_z;
using testing::Vector3d;
using testing::with_accelerations;
using enum model::JointType;

constexpr double kPi = std::numbers::pi;

// --- free bodies ----------------------------------------------------------------------------------------------------

TEST(FreeBody, KeepsItsAngularMomentum) {
  auto model = make_model(Space::kSpatial);
  Matrix3d inertia = Vector3d(1, 2, 2.7).asDiagonal();
  inertia(0, 1) = inertia(1, 0) = 0.3;
  add_body(*model, "stone", 2, inertia);
  model->bodies[0].centre = Vector3d(0.3, 0.2, -0.4);
  model->bodies[0].angular_velocity = Vector3d(0.1, 3, 0.2);  // near the middle axis: it tumbles
  model->bodies[0].velocity = Vector3d(1, 2, 3);
  const Mechanism system(model);
  const auto momentum = [&](const dae::State& state) -> Vector3d {
    const Matrix3d R = math::rotation_from_quaternion(state.q.segment<4>(3));
    return R * inertia * state.v.segment<3>(3);
  };
  const dae::State start = system.given_state(), end = run(system, 10).state;
  EXPECT_LT((momentum(end) - momentum(start)).norm(), 1e-7);
  EXPECT_NEAR(energy_of(system, end), energy_of(system, start), 1e-7);
  // The centre of mass goes straight, with the velocity that the frame's origin and the rotation give it.
  const Vector3d v = Vector3d(1, 2, 3) + Vector3d(0.1, 3, 0.2).cross(Vector3d(0.3, 0.2, -0.4));
  EXPECT_LT((end.q.head<3>() - Vector3d(0.3, 0.2, -0.4) - 10 * v).norm(), 1e-7);
  EXPECT_GT((end.v.tail<3>() - start.v.tail<3>()).norm(), 1e-3);
}

TEST(FreeBody, ASymmetricTopNutatesAtItsRate) {
  // w_x + i w_y turns with (C - A) / A w_z in the body.
  auto model = make_model(Space::kSpatial);
  add_body(*model, "top", 1, Vector3d(2, 2, 3));
  model->bodies[0].angular_velocity = Vector3d(0.5, 0, 4);
  const Mechanism system(model);
  const dae::State end = run(system, 5).state;
  const double angle = (3.0 - 2.0) / 2.0 * 4 * 5;
  EXPECT_LT((end.v.tail<3>() - Vector3d(0.5 * std::cos(angle), 0.5 * std::sin(angle), 4)).norm(), 1e-8);
}

// --- couplings over many turns --------------------------------------------------------------------------------------

/// Two wheels on askew axes.
std::shared_ptr<Model> make_wheels() {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "first", 1, Vector3d(0.1, 0.1, 0.2));
  add_body(*model, "second", 1, Vector3d(0.1, 0.1, 0.05), Vector3d(1, 0, 0));
  add_joint_at(*model, "axle_1", kRevolute, kGround, 0, Vector3d::Zero(), axes_along(Vector3d(0.3, -0.2, 1)));
  add_joint_at(*model, "axle_2", kRevolute, kGround, 1, Vector3d(1, 0, 0), axes_along(Vector3d(1, 0.5, 0.2)));
  add_coupling(*model, "gear", kGear, {{2.5, {0, CoordinateKind::kAngle}}, {-1, {1, CoordinateKind::kAngle}}});
  return model;
}

TEST(Gear, KeepsItsRatioOverManyTurnsInSpace) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    auto model = make_wheels();
    add_joint_force(*model, "motor", {0, CoordinateKind::kAngle}).expression = compile(*model, "4 + 3 * sin(t)");
    const Mechanism system(model);
    ASSERT_EQ(system.structure().n_x(), 2);
    const dae::State end = run(system, 12, tolerance).state;
    Probe probe(system);
    probe.set(end);
    const double first = probe.calc_joint_coordinate({0, CoordinateKind::kAngle});
    const double second = probe.calc_joint_coordinate({1, CoordinateKind::kAngle});
    EXPECT_GT(std::abs(first), 20 * 2 * kPi);
    EXPECT_NEAR(second, 2.5 * first, 100 * tolerance);
    EXPECT_NEAR(probe.calc_joint_rate({1, CoordinateKind::kAngle}),
                2.5 * probe.calc_joint_rate({0, CoordinateKind::kAngle}), 1e-8);
    // The inertia that the motor turns is J_1 + 2.5^2 J_2, both about their axles.
    const auto about = [&](int body, const Vector3d& axis) {
      const Vector3d u = axis.normalized();
      return u.dot(model->bodies[static_cast<std::size_t>(body)].inertia * u);
    };
    const double inertia = about(0, Vector3d(0.3, -0.2, 1)) + 6.25 * about(1, Vector3d(1, 0.5, 0.2));
    // 4 t + 3 (1 - cos t) integrated: angle = (2 t^2 + 3 (t - sin t)) / J.
    EXPECT_NEAR(first, (2 * 144 + 3 * (12 - std::sin(12.0))) / inertia, 100 * tolerance * std::abs(first));
  }
}

// Steps of more than half a turn: which turn an angle is in must come from the counters at the time of the projection.
TEST(Gear, KeepsItsRatioInStepsOfWholeTurns) {
  for (const double tolerance : {1e-2, 1e-1, 1.0}) {
    auto model = make_wheels();
    const Mechanism system(model);
    dae::State start = system.given_state();
    start.v << Vector3d::Zero(), 6 * Vector3d(0.3, -0.2, 1).normalized(), Vector3d::Zero(),
        15 * Vector3d(1, 0.5, 0.2).normalized();
    integrators::Options options = integrators::Options::with_tolerance(tolerance);
    options.output.kind = integrators::OutputKind::kUniform;
    options.output.interval = 0.05;
    Probe probe(system);
    double longest = 0, worst = 0;
    integrators::Observers observers;
    observers.step = [&](const integrators::StepRecord& step) { longest = std::max(longest, step.h); };
    observers.output = [&](const dae::State& state) {
      probe.set(state);
      worst = std::max(worst, std::abs(2.5 * probe.calc_joint_coordinate({0, CoordinateKind::kAngle}) -
                                       probe.calc_joint_coordinate({1, CoordinateKind::kAngle})));
    };
    const integrators::RunResult result = integrators::integrate(system, start, 20, options, {}, observers);
    EXPECT_EQ(result.status, integrators::RunStatus::kCompleted) << result.brief_report();
    if (tolerance == 1.0) {
      EXPECT_GT(15 * longest, kPi);
    }
    EXPECT_LT(worst, 0.1) << "at tolerance " << tolerance;  // a turn missed is 2 pi or more
  }
}

TEST(Gear, KeepsItsRatioFromAnyNumberOfTurns) {
  auto model = make_wheels();
  model->joints[0].initial.push_back({CoordinateKind::kAngle, 4 * 2 * kPi, std::nullopt});
  model->joints[1].initial.push_back({CoordinateKind::kAngle, -2 * 2 * kPi, std::nullopt});
  add_joint_force(*model, "motor", {0, CoordinateKind::kAngle}).expression = compile(*model, "-3");
  const Mechanism system(model);
  const double constant = 2.5 * 4 * 2 * kPi + 2 * 2 * kPi;
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-12);
  const dae::State end = run(system, 5, 1e-8).state;
  Probe probe(system);
  probe.set(end);
  EXPECT_NEAR(2.5 * probe.calc_joint_coordinate({0, CoordinateKind::kAngle}) -
                  probe.calc_joint_coordinate({1, CoordinateKind::kAngle}),
              constant, 1e-7);
  EXPECT_LT(probe.calc_joint_coordinate({0, CoordinateKind::kAngle}), 0);
}

TEST(Screw, TravelsByItsPitchAndHasTheInertiaOfItsTurning) {
  auto model = make_model(Space::kSpatial);
  const double pitch = 0.05, mass = 3, inertia = 0.002, push = 7;
  add_body(*model, "nut", mass, Vector3d(0.01, 0.01, inertia));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  const int thread = add_joint(*model, "thread", kScrew, i, j, pitch);
  add_joint_force(*model, "push", {thread, CoordinateKind::kTravel}).preload = push;
  const Mechanism system(model);
  const double per_metre = 2 * kPi / pitch, a = push / (mass + inertia * per_metre * per_metre);
  const dae::State state = with_accelerations(system, system.given_state());
  EXPECT_NEAR(state.a[2], a, 1e-12);
  EXPECT_NEAR(state.a[5], a * per_metre, 1e-10);
  const double t_end = 3;
  const dae::State end = run(system, t_end, 1e-8).state;
  Probe probe(system);
  probe.set(end);
  const double travel = probe.calc_joint_coordinate({thread, CoordinateKind::kTravel});
  const double angle = probe.calc_joint_coordinate({thread, CoordinateKind::kAngle});
  EXPECT_NEAR(travel, 0.5 * a * t_end * t_end, 1e-6);
  EXPECT_GT(angle, 2 * 2 * kPi);
  EXPECT_NEAR(angle, travel * per_metre, 1e-6);
}

TEST(RackAndPinion, TravelsByTheRadiusTimesTheAngle) {
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    auto model = make_model(space);
    const double radius = 0.3;
    add_body(*model, "pinion", 1, Vector3d(1, 1, 0.2));
    add_body(*model, "rack", 2, Vector3d(1, 1, 1), Vector3d(0, -radius, 0));
    const int axle = add_joint_at(*model, "axle", kRevolute, kGround, 0, Vector3d::Zero());
    const Matrix3d along_x = space == Space::kPlanar ? Matrix3d::Identity() : axes_along(Vector3d::UnitX());
    const int slide = add_joint_at(*model, "slide", kTranslational, kGround, 1, Vector3d(0, -radius, 0), along_x);
    add_coupling(*model, "teeth", kRackAndPinion,
                 {{radius, {axle, CoordinateKind::kAngle}}, {-1, {slide, CoordinateKind::kTravel}}});
    add_joint_force(*model, "motor", {axle, CoordinateKind::kAngle}).expression = compile(*model, "1.5");
    const Mechanism system(model);
    const dae::State end = run(system, 10, 1e-8).state;
    Probe probe(system);
    probe.set(end);
    const double expected = 0.5 * 1.5 / (0.2 + 2 * radius * radius) * 100;
    EXPECT_NEAR(probe.calc_joint_coordinate({axle, CoordinateKind::kAngle}), expected, 1e-5);
    EXPECT_NEAR(probe.calc_joint_coordinate({slide, CoordinateKind::kTravel}), radius * expected, 1e-5);
  }
}

// --- rolling --------------------------------------------------------------------------------------------------------

TEST(RollingDisc, RollsInACircle) {
  // A thin disc of radius R that leans inwards by alpha while its centre goes round in a circle of radius b:
  //   W^2 = m g R tan(alpha) / ((C / R + m R) b + A sin(alpha)),   spin about its axis -b W / R,
  // from the moment of the contact force about the centre, A and C the moments of inertia across and along the axis.
  const double m = 2, R = 0.4, alpha = 0.35, b = 1.3, g = 9.81, A = m * R * R / 4, C = m * R * R / 2;
  const double W = std::sqrt(m * g * R * std::tan(alpha) / ((C / R + m * R) * b + A * std::sin(alpha)));
  const Vector3d n(std::cos(alpha), 0, std::sin(alpha));   // axis of the disc, outwards and up
  const Vector3d u(-std::sin(alpha), 0, std::cos(alpha));  // from the contact to the centre
  const double spin = -b * W / R - W * std::sin(alpha);    // relative to the frame that goes round
  Matrix3d axes;
  axes << u, n.cross(u), n;
  auto model = make_model(Space::kSpatial, Vector3d(0, 0, -g));
  add_body(*model, "disc", m, Vector3d(A, A, C), Vector3d(b, 0, R * std::cos(alpha)), axes);
  model->bodies[0].velocity = Vector3d(0, b * W, 0);
  model->bodies[0].angular_velocity = axes.transpose() * (W * Vector3d::UnitZ() + spin * n);
  const int floor = add_marker(*model, kGround), hub = add_marker(*model, 0);
  add_joint(*model, "contact", kRolling, floor, hub, R);
  const Mechanism system(model);
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-14);
  VectorXd slip = VectorXd::Zero(3);
  evaluation.calc_velocity_residual(slip);
  EXPECT_LT(slip.cwiseAbs().maxCoeff(), 1e-14);
  const dae::State at_start = with_accelerations(system, system.given_state());
  EXPECT_LT((at_start.a.head<3>() - Vector3d(-b * W * W, 0, 0)).norm(), 1e-12);

  const double t_end = 1.7 * 2 * kPi / W;
  const integrators::RunResult result = run(system, t_end);
  const Vector3d centre(b * std::cos(W * t_end), b * std::sin(W * t_end), R * std::cos(alpha));
  EXPECT_LT((result.state.q.head<3>() - centre).norm(), 1e-6);
  EXPECT_NEAR(energy_of(system, result.state), energy_of(system, system.given_state()), 1e-7);
  EXPECT_LT(result.drift.velocity, 1e-9);
}

TEST(RollingDisc, WobblesWithoutSlippingAndKeepsItsEnergy) {
  auto model = make_model(Space::kSpatial, Vector3d(0, 0, -9.81));
  const double R = 0.5;
  // Upright, rolling along y, with a push that makes it lean; the plane is a tilted one.
  const Matrix3d slope = Eigen::AngleAxisd(0.1, Vector3d::UnitX()).toRotationMatrix();
  add_body(*model, "disc", 1, Vector3d(R * R / 4, R * R / 4, R * R / 2), slope * Vector3d(0, 0, R),
           slope * axes_along(Vector3d::UnitX()));
  const Vector3d w = slope * Vector3d(-6, 0.4, 0.3);
  const Matrix3d axes = math::rotation_from_quaternion(model->bodies[0].orientation);
  model->bodies[0].angular_velocity = axes.transpose() * w;
  model->bodies[0].velocity = w.cross(slope * Vector3d(0, 0, R));
  const int floor = add_marker(*model, kGround, Vector3d::Zero(), slope), hub = add_marker(*model, 0);
  add_joint(*model, "contact", kRolling, floor, hub, R);
  const Mechanism system(model);
  const integrators::RunResult result = run(system, 2);
  EXPECT_NEAR(energy_of(system, result.state), energy_of(system, system.given_state()), 1e-7);
  EXPECT_LT(result.drift.position, 1e-9);
  EXPECT_LT(result.drift.velocity, 1e-9);
  EXPECT_GT(result.state.q.head<3>().norm(), 1);
}

// --- motions --------------------------------------------------------------------------------------------------------

TEST(Motions, OfPositionVelocityAndAccelerationAgree) {
  // angle = 0.3 + 2 t + 5 sin(2 t) / 2, over several turns.
  const auto angle = [](double t) { return 0.3 + 2 * t + 2.5 * std::sin(2 * t); };
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    for (const MotionLevel level : {MotionLevel::kPosition, MotionLevel::kVelocity, MotionLevel::kAcceleration}) {
      auto model = make_model(space, Vector3d(0, -9.81, 0));
      add_body(*model, "wheel", 2, Vector3d(0.3, 0.3, 0.5), Vector3d::Zero(), turned_about_z(0.3));
      model->bodies[0].centre = Vector3d(0.4, 0, 0);
      model->simulation.t_start = 0;
      const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
      add_joint(*model, "axle", kRevolute, i, j);
      const char* functions[] = {"0.3 + 2 * t + 2.5 * sin(2 * t)", "2 + 5 * cos(2 * t)", "-10 * sin(2 * t)"};
      add_motion(*model, "drive", {0, CoordinateKind::kAngle}, level, functions[static_cast<int>(level)]);
      model->motions[0].initial_rate = 7;
      const Mechanism system(model);
      const dae::Structure& s = system.structure();
      EXPECT_EQ(s.n_g, s.m());
      EXPECT_EQ(s.constraint_names.back(), "motion 'drive'");
      dae::State start = system.given_state();
      start.v[start.v.size() - 1] = 7;
      const double t_end = 6.5;
      const dae::State end = run(system, start, t_end, 1e-9).state;
      const Eigen::Index last = end.v.size() - 1;
      EXPECT_NEAR(end.v[last], 2 + 5 * std::cos(2 * t_end), 1e-9);
      EXPECT_NEAR(end.a[last], -10 * std::sin(2 * t_end), 1e-8);
      Probe probe(system);
      probe.set(end);
      EXPECT_NEAR(std::remainder(probe.calc_joint_coordinate({0, CoordinateKind::kAngle}) - angle(t_end), 2 * kPi), 0,
                  1e-6);
      // The multiplier is minus the torque of the motor: J angle'' + m g x about the axle.
      const double phi = angle(t_end);
      const double torque = (0.5 + 2 * 0.16) * -10 * std::sin(2 * t_end) + 2 * 9.81 * 0.4 * std::cos(phi);
      EXPECT_NEAR(-end.lambda[s.m() - 1], torque, 1e-5);
    }
  }
}

TEST(Motions, OfMarkersDriveThemSeenFromOthers) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "table", 1, Vector3d(1, 1, 1), Vector3d(1, 2, 3));
  const Matrix3d axes = Eigen::AngleAxisd(0.7, Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  model::Motion motion;
  motion.name = "lift";
  motion.i = add_marker(*model, 0);
  motion.j = add_marker(*model, kGround, Vector3d(0.5, 0, 0), axes);
  motion.kind = CoordinateKind::kY;
  const double y = axes.col(1).dot(Vector3d(0.5, 2, 3));
  motion.function = compile(*model, fmt::format("{:.17g} + 0.5 * t^2", y));
  model->motions.push_back(motion);
  const Mechanism system(model);
  const dae::State end = run(system, 2).state;
  // Pushed along y of the marker, and nowhere else.
  EXPECT_LT((end.q.head<3>() - Vector3d(1, 2, 3) - 2 * axes.col(1)).norm(), 1e-8);
  EXPECT_LT((end.a.head<3>() - axes.col(1)).norm(), 1e-8);
}

TEST(Motions, OfTheAngleOfAMarker) {
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    auto model = make_model(space);
    add_body(*model, "table", 1, Vector3d(1, 1, 2));
    model::Motion motion;
    motion.name = "turn";
    motion.i = add_marker(*model, 0, Vector3d(1, 0, 0), turned_about_z(0.5));
    motion.j = add_marker(*model, kGround, Vector3d::Zero(), turned_about_z(0.2));
    motion.kind = CoordinateKind::kAngle;
    motion.function = compile(*model, "0.3 + t^2");  // several turns
    model->motions.push_back(motion);
    const Mechanism system(model);
    const dae::State end = run(system, 4).state;
    Probe probe(system);
    probe.set(end);
    const Matrix3d& R = probe.frames()[1].R;
    EXPECT_NEAR(std::remainder(std::atan2(R(1, 0), R(0, 0)) - 16, 2 * kPi), 0, 1e-9);
    EXPECT_NEAR(-end.lambda[system.structure().m() - 1], 2 * 2, 1e-8);  // inertia times angular acceleration
    if (space == Space::kPlanar) {
      EXPECT_NEAR(end.q[2], 16, 1e-9);
    }
  }
}

TEST(Motions, OfAnyIntegrandAreIntegratedToTwelveDigits) {
  Model model;
  const auto integral = [&](const std::string& text, double from, double to) {
    return TimeFunction::integral_of(compile(model, text), from, to).calc(to).value;
  };
  EXPECT_NEAR(integral("exp(-t^2)", 0, 2), std::sqrt(kPi) / 2 * std::erf(2.0), 1e-13);
  EXPECT_NEAR(integral("sin(40 * t)", 0, 10), (1 - std::cos(400.0)) / 40, 1e-12);
  EXPECT_NEAR(integral("sin(1000 * t)", 0, 20), (1 - std::cos(20000.0)) / 1000, 1e-11);  // noise of t counts here
  EXPECT_NEAR(integral("abs(t - 0.3)", -1, 1), (1.69 + 0.49) / 2, 1e-12);
  EXPECT_NEAR(integral("t^3", 1, -2), (16.0 - 1) / 4, 1e-12);
  EXPECT_NEAR(integral("if(t < 0.3, 0, 1)", 0, 1), 0.7, 1e-14);
  EXPECT_NEAR(integral("if(t > 1 and t < 1.002, 50, 0)", 0, 5), 0.1, 1e-13);
  EXPECT_NEAR(integral("step(t, 1, 0, 1.001, 50) - step(t, 1.002, 0, 1.003, 50)", 0, 5), 0.1, 1e-13);
  EXPECT_NEAR(integral("if(sin(100 * pi * t) > 0, 1, 0)", 0, 10), 5, 1e-11);
  EXPECT_NEAR(integral("1000 * exp(-((t - 0.5) / 0.001)^2)", 0, 1), std::sqrt(kPi), 1e-9);
  const TimeValue value = TimeFunction::of(compile(model, "t^3")).calc(2);
  EXPECT_NEAR(value.value, 8, 1e-14);
  EXPECT_NEAR(value.first, 12, 1e-14);
  EXPECT_NEAR(value.second, 12, 1e-14);
  const TimeValue integrated = TimeFunction::integral_of(compile(model, "t^3"), 0, 1).calc(2);
  EXPECT_NEAR(integrated.value, 4, 1e-13);
  EXPECT_NEAR(integrated.first, 8, 1e-14);
  EXPECT_NEAR(integrated.second, 12, 1e-14);
  const TimeValue twice = TimeFunction::double_integral_of(compile(model, "if(t < 1, t^3, 0)"), 0, 4, 3).calc(3);
  EXPECT_NEAR(twice.value, 9 + 0.05 + 2 * 0.25, 1e-13);
  EXPECT_NEAR(twice.first, 3.25, 1e-14);
  EXPECT_EQ(twice.second, 0);
}

// --- bodies without mass --------------------------------------------------------------------------------------------

TEST(MasslessBodies, AreAsGoodAsRods) {
  // A bob on a massless link with two hinges, or on a rod: the same pendulum, in the plane and in space.
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    const auto make = [&](bool with_link) {
      auto model = make_model(space, Vector3d(0, -9.81, 0));
      const Vector3d at(0.6, -0.3, 0), bearing(0, 0, 0);
      add_body(*model, "bob", 1.5, Vector3d(0.1, 0.2, 0.3), at);
      model->bodies[0].velocity = Vector3d(0.3, 0.6, 0);
      if (with_link) {
        add_body(*model, "link", 0, Vector3d(0, 0, 0));
        model->bodies[1].angular_velocity = Vector3d(0, 0, 1);
        add_joint_at(*model, "bearing", kRevolute, kGround, 1, bearing);
        add_joint_at(*model, "pin", kRevolute, 1, 0, at);
      } else {
        const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
        add_joint(*model, "rod", kDistance, i, j, at.norm());
      }
      return std::make_shared<Mechanism>(model);
    };
    const auto link = make(true), rod = make(false);
    const dae::State with_link = with_accelerations(*link, link->given_state());
    const dae::State with_rod = with_accelerations(*rod, rod->given_state());
    const Eigen::Index n = space == Space::kPlanar ? 3 : 6;
    EXPECT_LT((with_link.a.head(n) - with_rod.a).norm(), 1e-12);
    Probe probe(*link), rod_probe(*rod);
    probe.set(with_link);
    rod_probe.set(with_rod);
    EXPECT_LT((probe.calc_reaction(1).head<3>() - rod_probe.calc_reaction(0).head<3>()).norm(), 1e-12);
    const dae::State end = run(*link, 2).state, end_of_rod = run(*rod, 2).state;
    EXPECT_LT((end.q.head<3>() - end_of_rod.q.head<3>()).norm(), 1e-7);
  }
}

}  // namespace
}  // namespace trammel::system
