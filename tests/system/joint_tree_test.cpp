// A tree of joints: turns, signs, and what it refuses. Its kinematics are held against constraints, differences and the
// equations of all bodies in joint_form_test.cpp.

#include "trammel/system/joint_tree.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/support/models.h"
#include "tests/support/reference_bodies.h"
#include "trammel/math/quaternion.h"
#include "trammel/system/marker_geometry.h"

namespace trammel::system {
namespace {

using Eigen::Vector3d;
using linalg::Vector;
using model::JointType;

JointTree make_tree(const model::Model& model, const Vector& q) {
  const BodyTable bodies(model);
  return {model, bodies, topology::find_spanning_tree(topology::make_graph(model)), q};
}

Vector given_positions(const model::Model& model) {
  Vector q, v;
  calc_given_state(model, BodyTable(model), q, v);
  return q;
}

/// Bodies one behind the other, tied by hinges.
std::shared_ptr<model::Model> make_chain(int n, model::Space space) {
  const auto model = testing::make_model(space);
  for (int k = 0; k < n; ++k) {
    testing::add_body(*model, "link" + std::to_string(k), 1, Vector3d(1, 1, 1), Vector3d(k, 0, 0));
    const int i = testing::add_marker(*model, k - 1, k == 0 ? Vector3d::Zero() : Vector3d(Vector3d::UnitX()));
    const int j = testing::add_marker(*model, k);
    testing::add_joint(*model, "hinge" + std::to_string(k), JointType::kRevolute, i, j);
  }
  return model;
}

TEST(JointTree, CountsTheTurnsOfPlanarBodies) {
  const auto model = make_chain(2, model::Space::kPlanar);
  model->bodies[0].angle = 20;
  model->bodies[0].orientation = math::quaternion_from_rotation(testing::turned_about_z(20));
  model->bodies[1].angle = 7;
  model->bodies[1].orientation = math::quaternion_from_rotation(testing::turned_about_z(7));
  model->bodies[1].position = testing::turned_about_z(20) * Vector3d::UnitX();
  const Vector given = given_positions(*model);
  const JointTree tree = make_tree(*model, given);
  std::vector<BodyFrame> frames(3);
  BodyTable(*model).calc_frames(given.data(), frames);
  Vector q = Vector::Zero(2);
  tree.calc_coordinates(frames, q);
  EXPECT_NEAR(q[0], 20, 1e-14);
  EXPECT_NEAR(q[1], 7 - 20, 1e-14);
  TreePlaces places = tree.make_places();
  q[0] += 50;
  tree.calc_places(q.data(), places);
  EXPECT_NEAR(places.frames[1].angle, 70, 1e-13);
  EXPECT_NEAR(places.frames[2].angle, 57, 1e-13);
}

TEST(JointTree, KeepsTheSignsOfEulerParameters) {
  const auto model = make_chain(3, model::Space::kSpatial);
  for (const unsigned signs : {0U, 1U, 2U, 3U, 4U, 5U, 6U, 7U}) {
    Vector given = given_positions(*model);
    for (int k = 0; k < 3; ++k) {
      if ((signs >> k & 1U) != 0) given.segment<4>(7 * k + 3) *= -1;
    }
    const JointTree tree = make_tree(*model, given);
    const Vector q = Vector::Zero(3);
    const std::vector<Eigen::Vector4d> turns = tree.calc_turns(q.data());
    for (int k = 0; k < 3; ++k) {
      EXPECT_LT((turns[static_cast<std::size_t>(k + 1)] - given.segment<4>(7 * k + 3)).norm(), 1e-14);
    }
  }
}

TEST(JointTree, NamesTheJointThatIsNotAssembled) {
  const auto model = make_chain(2, model::Space::kSpatial);
  Vector q = given_positions(*model);
  q[7] += 0.01;
  try {
    make_tree(*model, q);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'hinge1' is not assembled"), std::string::npos) << error.what();
  }
}

TEST(JointTree, RefusesTreesWhoseMatricesWouldFillTheMemory) {
  const auto model = make_chain(6500, model::Space::kPlanar);
  try {
    make_tree(*model, given_positions(*model));
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("6500 bodies"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("use body coordinates"), std::string::npos) << error.what();
  }
}

TEST(JointTree, NamesTheBalls) {
  const auto model = testing::make_model(model::Space::kSpatial);
  testing::add_body(*model, "chassis", 1, Vector3d(1, 1, 1));
  EXPECT_EQ(make_tree(*model, given_positions(*model)).describe_ball(), "body 'chassis', which floats,");
  const int i = testing::add_marker(*model, model::kGround), j = testing::add_marker(*model, 0);
  testing::add_joint(*model, "point", JointType::kSpherical, i, j);
  EXPECT_EQ(make_tree(*model, given_positions(*model)).describe_ball(), "joint 'point'");
  model->joints[0].type = JointType::kRevolute;
  EXPECT_FALSE(make_tree(*model, given_positions(*model)).has_balls());
}

}  // namespace
}  // namespace trammel::system
