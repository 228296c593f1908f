// Shapes of bodies and of the ground, and the scene that is made of a model.

#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/model_files/reading.h"
#include "trammel/io/scene.h"
#include "trammel/math/quaternion.h"

namespace trammel::io {
namespace {

using Eigen::Vector3d;
using model::ShapeType;

const char* const kModel = R"(
space: planar
gravity: [0, -9.81]
ground:
  markers: { wall: [2, 0] }
  shapes: [{ type: box, size: [4, 0.1], position: [0, -1], color: "#aabbcc" }]
parameters: { r: 0.5 }
bodies:
  crank:
    mass: 1
    inertia: 1
    markers: { tip: [r, 0], pen: [2*r, 0] }
    shapes:
      - { type: cylinder, radius: r/5 }
      - { type: sphere, radius: 0.1, position: [r, 0] }
      - { type: line, points: [[0, 0], [r, 0], [r, r]], closed: true, angle: 90 deg }
joints:
  pin: { type: revolute, between: [ground, crank] }
forces:
  spring: { type: spring-damper, between: [ground.wall, crank.tip], stiffness: 1 }
)";

TEST(ReadShapes, OfBodiesAndGround) {
  const model::Model m = read(kModel);
  ASSERT_EQ(m.ground_shapes.size(), 1u);
  EXPECT_EQ(m.ground_shapes[0].type, ShapeType::kBox);
  EXPECT_EQ(m.ground_shapes[0].color, "#aabbcc");
  expect_near(m.ground_shapes[0].position, Vector3d(0, -1, 0));
  EXPECT_GT(m.ground_shapes[0].size.z(), 0) << "a picture needs some depth";
  const std::vector<model::Shape>& shapes = m.bodies.at(0).shapes;
  ASSERT_EQ(shapes.size(), 3u);
  EXPECT_EQ(shapes[0].type, ShapeType::kCylinder);
  EXPECT_EQ(shapes[0].radius, 0.1);
  EXPECT_EQ(shapes[1].type, ShapeType::kSphere);
  EXPECT_EQ(shapes[2].points.size(), 3u);
  EXPECT_TRUE(shapes[2].is_closed);
  expect_near(math::rotation_from_quaternion(shapes[2].orientation), math::rotation_about_z(std::numbers::pi / 2));
}

TEST(ReadShapes, GroundShapesOfASubmodelMoveWithIt) {
  const model::Model m = read(R"(
definitions:
  post:
    ground: { shapes: [{ type: box, size: [1, 2, 3], position: [1, 0, 0] }] }
submodels:
  left: { use: post, position: [0, 5, 0], orientation: { axis: [0, 0, 1], angle: 90 deg } }
)");
  ASSERT_EQ(m.ground_shapes.size(), 1u);
  expect_near(m.ground_shapes[0].position, Vector3d(0, 6, 0));
  expect_near(math::rotation_from_quaternion(m.ground_shapes[0].orientation),
              math::rotation_about_z(std::numbers::pi / 2));
}

TEST(Scene, NamesTheColumnsThatMoveAndLoadTheModel) {
  const auto scene = nlohmann::json::parse(to_json(make_scene(read(kModel))));
  EXPECT_EQ(scene["schema"], "trammel.scene/1");
  EXPECT_EQ(scene["planar"], true);
  const auto& body = scene["bodies"][0];
  EXPECT_EQ(body["pose"], (nlohmann::json{{"position", {"crank.x", "crank.y"}}, {"angle", "crank.angle"}}));
  EXPECT_EQ(body["points"][0]["name"], "crank.tip");
  EXPECT_EQ(body["shapes"][2]["points"][2], (nlohmann::json{0.5, 0.5, 0.0}));
  EXPECT_EQ(scene["joints"][0]["type"], "revolute");
  EXPECT_EQ(scene["joints"][0]["force"], (nlohmann::json{"pin.reaction.fx", "pin.reaction.fy", nullptr}));
  EXPECT_EQ(scene["joints"][0]["torque"], (nlohmann::json{nullptr, nullptr, "pin.reaction.tz"}));
  EXPECT_EQ(scene["joints"][0]["i"]["body"], -1);
  EXPECT_EQ(scene["forces"][0]["line"], true);
  EXPECT_EQ(scene["forces"][0]["value"], "spring.value");
  EXPECT_EQ(scene["forces"][0]["i"]["position"], (nlohmann::json{2.0, 0.0, 0.0}));
  EXPECT_EQ(scene["trails"], nlohmann::json{"crank.pen"}) << "the point that nothing holds";
}

}  // namespace
}  // namespace trammel::io
