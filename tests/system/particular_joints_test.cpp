// Single joints: the names of their rows, what they hold, what pushes through them, and how they turn, by hand.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <numbers>

#include "tests/support/models.h"
#include "tests/system/reference_mechanism.h"
#include "trammel/kkt/accelerations.h"
#include "trammel/model/joint_types.h"
#include "trammel/system/probe.h"

namespace trammel::system {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using model::CoordinateKind;
using model::JointType;
using model::Space;
using testing::add_body;
using testing::add_coupling;
using testing::add_joint;
using testing::add_joint_at;
using testing::add_marker;
using testing::kGround;
using testing::make_model;
using testing::Matrix3d;
using testing::Placement;
using testing::Random;
using testing::Vec12;
using testing::Vector3d;
using enum model::JointType;

/// Null space of the Jacobian at the given state: the motions that the joints allow.
MatrixXd free_motions(const Mechanism& system) {
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  return Eigen::FullPivLU<MatrixXd>(testing::dense_jacobian(evaluation)).setThreshold(1e-9).kernel();
}

TEST(Joints, ACouplingOfOneJointsCoordinatesPushesBothBodiesAlike) {
  Random random(3);
  auto model = make_model(Space::kSpatial);
  for (const char* name : {"a", "b"}) {
    add_body(*model, name, 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
    model->bodies.back().centre = random.vector();
  }
  const int tube = add_joint_at(*model, "tube", kCylindrical, 0, 1, random.vector(), random.rotation());
  const int thread = add_coupling(*model, "thread", kCoupler,
                                  {{0.3, {tube, CoordinateKind::kAngle}}, {-2, {tube, CoordinateKind::kTravel}}});
  const Mechanism system(model);
  dae::State state = system.given_state();
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const int row = system.constraints().joint_rows()[static_cast<std::size_t>(thread)][0];
  const Vec12<double> force = testing::expand(*model, testing::dense_jacobian(evaluation).row(row).transpose());
  const testing::TotalWrench total = testing::calc_total(testing::bodies_of(system, state), force);
  EXPECT_NEAR(force.segment<3>(0).norm(), 2, 1e-13);
  EXPECT_LT(total.force.norm(), 1e-13);
  EXPECT_LT(total.moment.norm(), 1e-13);
}

TEST(Joints, RowsHaveNamesThatSayWhatTheyPrevent) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "door", 1, Vector3d(1, 1, 1));
  add_joint_at(*model, "hinge", kRevolute, kGround, 0, Vector3d::Zero());
  add_joint_at(*model, "wheel", kRolling, kGround, 0, Vector3d::Zero(),
               Eigen::AngleAxisd(1.5, Vector3d::UnitX()).toRotationMatrix(), 0.5);
  add_joint_at(*model, "rod", kDistance, kGround, 0, Vector3d::Ones(), Matrix3d::Identity(), 1);
  add_joint_at(*model, "bolt", kScrew, kGround, 0, Vector3d::Zero(), Matrix3d::Identity(), 0.1);
  const Mechanism system(model);
  const std::vector<std::string> expected{"revolute 'hinge': translation along x",
                                          "revolute 'hinge': translation along y",
                                          "revolute 'hinge': translation along z",
                                          "revolute 'hinge': rotation about its y axis",
                                          "revolute 'hinge': rotation about its x axis",
                                          "rolling 'wheel': height over the plane",
                                          "distance 'rod': change of length",
                                          "screw 'bolt': translation along its x axis",
                                          "screw 'bolt': translation along its y axis",
                                          "screw 'bolt': rotation about its y axis",
                                          "screw 'bolt': rotation about its x axis",
                                          "screw 'bolt': travel per turn",
                                          "rolling 'wheel': slip along x of the plane",
                                          "rolling 'wheel': slip along y of the plane"};
  EXPECT_EQ(system.structure().constraint_names, expected);
  EXPECT_EQ(system.constraints().joint_rows()[1], (std::vector<int>{5, 12, 13}));
}

// "rotation about its x axis" is the row whose multiplier is a torque about x of marker I.
TEST(Joints, NamesOfRotationRowsNameTheAxisOfTheirTorque) {
  Random random(4);
  for (const JointType type : {kRevolute, kFixed, kTranslational, kCylindrical, kPlanar, kParallel, kOrientation}) {
    auto model = make_model(Space::kSpatial);
    add_body(*model, "door", 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
    const Matrix3d axes = random.rotation();
    add_joint_at(*model, "j", type, kGround, 0, random.vector(), axes);
    const Mechanism system(model);
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    const MatrixXd G = testing::dense_jacobian(evaluation);
    const Matrix3d R = testing::bodies_of(system, system.given_state())[0].R;
    int found = 0;
    for (int row = 0; row < system.structure().m(); ++row) {
      const std::string& name = system.structure().constraint_names[static_cast<std::size_t>(row)];
      for (int k = 0; k < 3; ++k) {
        if (name != fmt::format("{} 'j': rotation about its {} axis", model::joint_type(type).name, "xyz"[k])) continue;
        ++found;
        const Vector3d torque = axes.transpose() * R * G.row(row).segment<3>(3).transpose();
        EXPECT_NEAR(std::abs(torque[k]), 1, 1e-14) << name;
        EXPECT_NEAR(torque.norm(), 1, 1e-14) << name;
      }
    }
    EXPECT_GE(found, 2);
  }
}

TEST(Joints, RowsCanBeLeftOut) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "door", 1, Vector3d(1, 1, 1));
  add_joint_at(*model, "hinge", kRevolute, kGround, 0, Vector3d::Zero());
  model->joints[0].initial.push_back({CoordinateKind::kAngle, 0.3, std::nullopt});
  CompileOptions options;
  options.constraints.dropped = {"revolute 'hinge': translation along y", "revolute 'hinge': initial angle"};
  options.constraints.with_initial_values = true;
  const Mechanism system(model, options);
  EXPECT_EQ(system.structure().m(), 4);
  EXPECT_EQ(system.structure().constraint_names[1], "revolute 'hinge': translation along z");
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  const MatrixXd G = testing::dense_jacobian(evaluation);
  EXPECT_EQ(VectorXd(G.row(0)), VectorXd(VectorXd::Unit(6, 0)));
  EXPECT_EQ(VectorXd(G.row(1)), VectorXd(VectorXd::Unit(6, 2)));
}

TEST(Joints, InitialCoordinatesHoldJointsWhereAssemblyWantsThem) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "door", 1, Vector3d(1, 1, 1), Vector3d::Zero(), testing::turned_about_z(0.2));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  add_joint(*model, "hinge", kCylindrical, i, j);
  model->simulation.t_start = 2;
  model->joints[0].initial.push_back({CoordinateKind::kAngle, 0.3 + 4 * std::numbers::pi, 1.5});
  model->joints[0].initial.push_back({CoordinateKind::kTravel, std::nullopt, -0.7});
  CompileOptions options;
  options.constraints.with_initial_values = options.constraints.with_initial_rates = true;
  const Mechanism system(model, options);
  const dae::Structure& s = system.structure();
  ASSERT_EQ(s.m(), 7);
  ASSERT_EQ(s.n_g, 5);
  EXPECT_EQ(s.constraint_names[4], "cylindrical 'hinge': initial angle");
  EXPECT_EQ(s.constraint_names[5], "cylindrical 'hinge': initial angle rate");
  EXPECT_EQ(s.constraint_names[6], "cylindrical 'hinge': initial travel rate");
  dae::Evaluation evaluation(system);
  evaluation.set(system.given_state());
  EXPECT_NEAR(evaluation.constraint()[4], 0.2 - 0.3, 1e-14);  // whole turns do not count
  EXPECT_NEAR(evaluation.velocity_offset()[5], -1.5, 1e-14);
  EXPECT_NEAR(evaluation.velocity_offset()[6], 0.7, 1e-14);
}

TEST(Joints, TheMultiplierOfARodIsItsForce) {
  // A ball of 2 kg hangs from a rod of 0.7 m; then it swings with 3 m/s, and the rod pulls by m v^2 / l more.
  for (const Space space : {Space::kPlanar, Space::kSpatial}) {
    for (const double speed : {0.0, 3.0}) {
      auto model = make_model(space, Vector3d(0, -9.81, 0));
      add_body(*model, "ball", 2, Vector3d(1, 1, 1), Vector3d(0, -0.7, 0));
      model->bodies[0].velocity[0] = speed;
      const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
      add_joint(*model, "rod", kDistance, i, j, 0.7);
      const Mechanism system(model);
      dae::Evaluation evaluation(system);
      kkt::AccelerationSolver solver(evaluation);
      dae::State state = system.given_state();
      evaluation.set(state);
      ASSERT_EQ(solver.factor_position(), kkt::AccelerationStatus::kSolved);
      ASSERT_EQ(solver.solve(state), kkt::AccelerationStatus::kSolved);
      const double pull = 2 * 9.81 + 2 * speed * speed / 0.7;
      EXPECT_NEAR(evaluation.point().lambda[0], pull, 1e-12 * pull);  // > 0: pulled
      Probe probe(system);
      probe.set(evaluation.point());
      EXPECT_NEAR(probe.calc_reaction(0)[1], pull, 1e-12 * pull);  // upwards on the ball
      EXPECT_NEAR(probe.calc_reaction(0).norm(), pull, 1e-12 * pull);
    }
  }
}

TEST(Joints, ARodOfNegativeLengthIsAsLongAsAtTheStart) {
  auto model = make_model(Space::kSpatial);
  add_body(*model, "ball", 2, Vector3d(1, 1, 1), Vector3d(1, 2, 2));
  const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
  add_joint(*model, "rod", kDistance, i, j, -1);
  const Mechanism system(model);
  dae::Evaluation evaluation(system);
  dae::State state = system.given_state();
  evaluation.set(state);
  EXPECT_EQ(evaluation.constraint()[0], 0);
  state.q.head<3>() << 1, 0, 0;
  evaluation.set(state);
  EXPECT_NEAR(evaluation.constraint()[0], -2, 1e-14);
}

TEST(Joints, CrossJointTurnsByTheTextbookRatio) {
  // Shaft a along x, shaft b bent by beta in the x-y plane; the pins of the cross are perpendicular to their shafts:
  // w_b / w_a = cos(beta) / (1 - sin^2(beta) cos^2(theta)), theta = 0 where the pin of a stands across the plane.
  const double beta = 0.6;
  for (const double theta : {0.0, 0.4, 1.1, 2.0, 2.9}) {
    auto model = make_model(Space::kSpatial);
    const Vector3d along_a = Vector3d::UnitX(), along_b(std::cos(beta), std::sin(beta), 0);
    const Vector3d pin_a = Eigen::AngleAxisd(theta, along_a) * Vector3d::UnitY();
    const Vector3d pin_b = along_b.cross(pin_a).normalized();
    const auto axes_with_z = [](const Vector3d& z, const Vector3d& x) {
      Matrix3d axes;
      axes << x, z.cross(x), z;
      return axes;
    };
    add_body(*model, "a", 1, Vector3d(1, 1, 1));
    add_body(*model, "b", 1, Vector3d(1, 1, 1));
    add_joint_at(*model, "bearing_a", kRevolute, kGround, 0, -along_a, axes_with_z(along_a, Vector3d::UnitZ()));
    add_joint_at(*model, "bearing_b", kRevolute, kGround, 1, along_b, axes_with_z(along_b, Vector3d::UnitZ()));
    const int i = add_marker(*model, 0, Vector3d::Zero(), axes_with_z(pin_a, along_a));
    const int j = add_marker(*model, 1, Vector3d::Zero(), axes_with_z(pin_b, along_b));
    add_joint(*model, "cross", kUniversal, i, j);
    const Mechanism system(model);
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-14);
    const MatrixXd motion = free_motions(system);
    ASSERT_EQ(motion.cols(), 1);
    const double w_a = motion.col(0).segment<3>(3).dot(along_a), w_b = motion.col(0).segment<3>(9).dot(along_b);
    // The pin of a lies in the plane of the shafts (and turns with most slip) at theta = 0 here.
    const double across = std::cos(theta);
    EXPECT_NEAR(w_b / w_a, std::cos(beta) / (1 - std::pow(std::sin(beta) * across, 2)), 1e-12) << theta;
  }
}

TEST(Joints, ConstantVelocityJointTurnsBothShaftsAlike) {
  Random random(9);
  const double beta = 0.7;
  const Vector3d along_a = Vector3d::UnitZ(), along_b(std::sin(beta), 0, std::cos(beta));
  for (const double theta : {0.0, 0.5, 1.3, 2.2, 3.0}) {
    auto model = make_model(Space::kSpatial);
    // b is a bent about the normal of both shafts, at every turn of a.
    const Matrix3d R_a = testing::turned_about_z(theta);
    const Matrix3d bend = Eigen::AngleAxisd(beta, Vector3d::UnitY()).toRotationMatrix();
    add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d::Zero(), R_a);
    add_body(*model, "b", 1, Vector3d(1, 1, 1), Vector3d::Zero(), bend * R_a);
    add_joint_at(*model, "bearing_a", kRevolute, kGround, 0, -along_a, Matrix3d::Identity());
    add_joint_at(*model, "bearing_b", kRevolute, kGround, 1, along_b, bend);
    const int i = add_marker(*model, 0), j = add_marker(*model, 1);
    add_joint(*model, "joint", kConstantVelocity, i, j);
    const Mechanism system(model);
    dae::Evaluation evaluation(system);
    evaluation.set(system.given_state());
    EXPECT_LT(evaluation.constraint().cwiseAbs().maxCoeff(), 1e-14);
    const MatrixXd motion = free_motions(system);
    ASSERT_EQ(motion.cols(), 1);
    EXPECT_NEAR(motion(5, 0), motion(11, 0), 1e-12) << theta;
  }
}

TEST(Joints, CoordinatesAreWhatTheirNamesSay) {
  // Marker J: 0.3 along x, -0.4 along y, 1.2 along z of marker I and turned by 0.5 about z.
  Random random(10);
  auto model = make_model(Space::kSpatial);
  add_body(*model, "a", 1, Vector3d(1, 1, 1), random.vector(), random.rotation());
  add_body(*model, "b", 1, Vector3d(1, 1, 1));
  model->bodies[0].centre = random.vector();
  model->bodies[1].centre = random.vector();
  const Placement I{random.vector(), random.rotation()}, J{random.vector(), random.rotation()};
  const Placement between{Vector3d(0.3, -0.4, 1.2), testing::turned_about_z(0.5)};
  const Placement A{model->bodies[0].position, math::rotation_from_quaternion(model->bodies[0].orientation)};
  const Placement B = A * I * between * J.inverse();
  testing::set_pose(model->bodies[1], B.p, B.R);
  const int i = add_marker(*model, 0, I.p, I.R), j = add_marker(*model, 1, J.p, J.R);
  const int joint = add_joint(*model, "j", kInPlane, i, j);
  const int back = add_joint(*model, "back", kInPlane, j, i);
  const Mechanism system(model);
  Probe probe(system);
  probe.set(system.given_state());
  const auto value = [&](int of, CoordinateKind kind) { return probe.calc_joint_coordinate({of, kind}); };
  EXPECT_NEAR(value(joint, CoordinateKind::kX), 0.3, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kY), -0.4, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kZ), 1.2, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kTravel), 1.2, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kDistance), 1.3, 1e-14);
  EXPECT_NEAR(value(joint, CoordinateKind::kAngle), 0.5, 1e-14);
  EXPECT_NEAR(value(back, CoordinateKind::kAngle), -0.5, 1e-14);
  EXPECT_NEAR(value(back, CoordinateKind::kTravel), -1.2, 1e-14);
}

TEST(Joints, AnglesOfACrossJoint) {
  // J = I turned by alpha about z, by a quarter about y (so that z of J is perpendicular), and by -beta about its z.
  for (const double alpha : {-2.0, 0.3, 1.4}) {
    for (const double beta : {-0.8, 0.6, 3.0}) {
      auto model = make_model(Space::kSpatial);
      const Matrix3d quarter = Eigen::AngleAxisd(std::numbers::pi / 2, Vector3d::UnitY()).toRotationMatrix();
      add_body(*model, "a", 1, Vector3d(1, 1, 1), Vector3d::Zero(),
               testing::turned_about_z(alpha) * quarter * testing::turned_about_z(-beta));
      const int i = add_marker(*model, kGround), j = add_marker(*model, 0);
      add_joint(*model, "cross", kUniversal, i, j);
      const Mechanism system(model);
      Probe probe(system);
      probe.set(system.given_state());
      EXPECT_NEAR(probe.calc_joint_coordinate({0, CoordinateKind::kFirstAngle}), alpha, 1e-13);
      // z of I in the axes of J: Rz(beta) Ry(-90) z = Rz(beta) (-x).
      const double second = std::remainder(beta + std::numbers::pi, 2 * std::numbers::pi);
      EXPECT_NEAR(probe.calc_joint_coordinate({0, CoordinateKind::kSecondAngle}), second, 1e-13);
    }
  }
}

}  // namespace
}  // namespace trammel::system
