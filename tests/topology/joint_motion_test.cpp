// The motion that a joint leaves free, held against the constraints of the joint.

#include "trammel/topology/joint_motion.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/models.h"
#include "tests/support/reference_bodies.h"
#include "trammel/math/quaternion.h"
#include "trammel/model/joint_types.h"
#include "trammel/system/mechanism.h"

namespace trammel::topology {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using model::JointType;
using testing::Random;

/// One number a step, or the four of a ball.
using Values = std::vector<Vector4d>;

Values random_values(const JointMotion& motion, Random& random) {
  Values values;
  for (const MotionStep& step : motion.steps) {
    if (step.kind == MotionKind::kBall) {
      values.push_back(math::quaternion_from_rotation(random.rotation()));
    } else {
      values.push_back(random.number(-2, 2) * Vector4d::Unit(0));
    }
  }
  return values;
}

/// The product (1) of joint_motion.h.
Pose place(const JointMotion& motion, const Values& values) {
  Pose pose;
  for (std::size_t k = 0; k < motion.steps.size(); ++k) {
    const MotionStep& step = motion.steps[k];
    const double x = values[k][0];
    const Matrix3d turn = Eigen::AngleAxisd(x, step.axis).toRotationMatrix();
    pose = pose * step.before;
    switch (step.kind) {
      case MotionKind::kTurn: pose = pose * Pose{turn, Vector3d::Zero()}; break;
      case MotionKind::kSlide: pose = pose * Pose{Matrix3d::Identity(), x * step.axis}; break;
      case MotionKind::kScrew: pose = pose * Pose{turn, step.pitch * x * step.axis}; break;
      case MotionKind::kBall: pose = pose * Pose{math::rotation_from_quaternion(values[k]), Vector3d::Zero()}; break;
    }
  }
  return pose * motion.end;
}

constexpr double kParameter = 0.7;  // travel a turn of the screw, length of the rod

/// A body whose marker J is seen from marker I of the ground as the pose says, with the joint between them.
std::shared_ptr<const model::Model> make_joint(JointType type, model::Space space, const Pose& pose = {}) {
  const auto model = testing::make_model(space);
  testing::add_body(*model, "body", 1, Vector3d(1, 1, 1), pose.p, pose.R);
  model->bodies.front().angle = std::atan2(pose.R(1, 0), pose.R(0, 0));
  const int i = testing::add_marker(*model, model::kGround), j = testing::add_marker(*model, 0);
  const bool has_parameter = type == JointType::kScrew || type == JointType::kRevoluteSpherical;
  testing::add_joint(*model, "joint", type, i, j, has_parameter ? kParameter : 0);
  return model;
}

const std::set<JointType> kPlanarTypes{JointType::kRevolute, JointType::kTranslational, JointType::kInLine,
                                       JointType::kOrientation, JointType::kFixed};
const std::set<JointType> kSpatialTypes{
    JointType::kRevolute,         JointType::kTranslational, JointType::kCylindrical, JointType::kSpherical,
    JointType::kUniversal,        JointType::kFixed,         JointType::kPlanar,      JointType::kInLine,
    JointType::kInPlane,          JointType::kParallel,      JointType::kOrientation, JointType::kScrew,
    JointType::kRevoluteSpherical};

TEST(JointMotion, ExistsForTheseJointsAndNoOthers) {
  for (const model::JointTypeInfo& info : model::joint_types()) {
    SCOPED_TRACE(info.name);
    if (info.in_plane) {
      EXPECT_EQ(find_joint_motion(*make_joint(info.type, model::Space::kPlanar), 0).has_value(),
                kPlanarTypes.contains(info.type));
    }
    if (info.in_space) {
      EXPECT_EQ(find_joint_motion(*make_joint(info.type, model::Space::kSpatial), 0).has_value(),
                kSpatialTypes.contains(info.type));
    }
  }
}

TEST(JointMotion, KeepsTheConstraintsAndHasAsManyVelocitiesAsTheyLeave) {
  for (const model::Space space : {model::Space::kPlanar, model::Space::kSpatial}) {
    for (const JointType type : space == model::Space::kPlanar ? kPlanarTypes : kSpatialTypes) {
      SCOPED_TRACE(model::joint_type(type).name);
      const JointMotion motion = *find_joint_motion(*make_joint(type, space), 0);
      Random random(17);
      for (int repeat = 0; repeat < 5; ++repeat) {
        const Values values = random_values(motion, random);
        system::CompileOptions options;
        const linalg::Vector start = system::Mechanism(make_joint(type, space)).given_state().q;
        options.constraints.reference = &start;  // of the screw
        const system::Mechanism mechanism(make_joint(type, space, place(motion, values)), options);
        dae::State state = mechanism.given_state();
        // A screw counts its turns.
        for (linalg::Vector::Index k = 0; k < state.x.size(); ++k) state.x[k] = values.back()[0];
        EXPECT_EQ(motion.velocities() + mechanism.structure().m(), mechanism.structure().n_v());
        dae::Point at;
        static_cast<dae::State&>(at) = state;
        at.workspace = mechanism.make_workspace();
        mechanism.prepare_position(at);
        linalg::Vector g = linalg::Vector::Zero(mechanism.structure().n_g);
        mechanism.calc_constraint(at, g);
        EXPECT_LT(linalg::largest_abs(g), 1e-14);
      }
    }
  }
}

TEST(JointMotion, BackwardsIsTheInverse) {
  std::vector<JointMotion> motions{free_motion(model::Space::kPlanar), free_motion(model::Space::kSpatial)};
  for (const JointType type : kSpatialTypes) {
    motions.push_back(*find_joint_motion(*make_joint(type, model::Space::kSpatial), 0));
  }
  Random random(23);
  for (JointMotion motion : motions) {
    motion.end = {random.rotation(), random.vector()};
    const JointMotion back = motion.reversed();
    ASSERT_EQ(back.velocities(), motion.velocities());
    ASSERT_EQ(back.positions(), motion.positions());
    const Values values = random_values(motion, random);
    Values reversed(values.rbegin(), values.rend());
    for (std::size_t k = 0; k < back.steps.size(); ++k) {
      if (back.steps[k].kind == MotionKind::kBall) reversed[k] = math::conjugate(reversed[k]);
    }
    const Pose round = place(motion, values) * place(back, reversed);
    EXPECT_LT((round.R - Matrix3d::Identity()).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT(round.p.norm(), 1e-14);
  }
}

}  // namespace
}  // namespace trammel::topology
