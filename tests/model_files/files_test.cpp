// Models of several files and sub-models, and texts that want to break the reader.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numbers>

#include "tests/model_files/reading.h"
#include "trammel/math/quaternion.h"

namespace trammel::io {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;

class ModelFiles : public testing::Test {
 protected:
  ModelFiles() : folder_(fs::temp_directory_path() / ("trammel_model_files_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_ / "parts");
  }
  ~ModelFiles() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  model::Model read_file(const std::string& name) {
    try {
      return read_model_file(folder_ / name);
    } catch (const ModelError& error) {
      ADD_FAILURE() << error.what();
      return {};
    }
  }

  fs::path folder_;
};

TEST_F(ModelFiles, IncludedFilesAddToTheModelAndAreSeenFromTheIncludingFile) {
  write("main.yaml",
        "model: main\nspace: planar\ninclude: [parts/bodies.yaml]\njoints:\n"
        "  j: {type: revolute, between: [ground, a.tip]}\n");
  write("parts/bodies.yaml",
        "model: part\ninclude: [values.yaml]\nbodies: {a: {mass: m, inertia: 1, markers: {tip: [1, 0]}}}\n");
  write("parts/values.yaml", "parameters: {m: 3}\ngravity: [0, -1]\n");
  const model::Model m = read_file("main.yaml");
  EXPECT_EQ(m.name, "main");
  EXPECT_EQ(m.bodies.at(0).mass, 3);
  EXPECT_EQ(m.gravity.y(), -1);
  EXPECT_EQ(m.joints.size(), 1u);
}

TEST_F(ModelFiles, AFileThatTwoFilesIncludeComesInOnce) {
  write("main.yaml", "include: [a.yaml, b.yaml]\n");
  write("a.yaml", "include: [c.yaml]\n");
  write("b.yaml", "include: [c.yaml]\n");
  write("c.yaml", "parameters: {m: 3}\n");
  EXPECT_EQ(read_file("main.yaml").parameters.size(), 1u);
}

TEST_F(ModelFiles, ASubModelFromAFile) {
  write("wheel.yaml", R"(
model: wheel
space: planar
gravity: [0, -5]
parameters: {r: 0.3}
bodies: {disc: {mass: 1, inertia: r^2, position: [r, 0]}}
simulation: {t_end: 99}
)");
  write("car.yaml", R"(
space: planar
parameters: {R: 2}
submodels: {front: {file: wheel.yaml, parameters: {r: 2*R}, position: [10, 0]}, rear: {file: wheel.yaml}}
)");
  const model::Model m = read_file("car.yaml");
  ASSERT_EQ(m.bodies.size(), 2u);
  EXPECT_EQ(m.bodies[0].name, "front.disc");
  EXPECT_EQ(m.bodies[0].inertia(2, 2), 16);
  expect_near(m.bodies[0].position, Vector3d(14, 0, 0));
  EXPECT_EQ(m.bodies[1].name, "rear.disc");
  expect_near(m.bodies[1].position, Vector3d(0.3, 0, 0));
  EXPECT_EQ(m.gravity.norm(), 0) << "gravity is that of the whole";
  EXPECT_EQ(m.simulation.t_end, 1);
  ModelReadOptions options;
  options.parameters = {{"rear.r", 5}};
  EXPECT_EQ(read_model_file(folder_ / "car.yaml", options).bodies[1].inertia(2, 2), 25);
}

TEST_F(ModelFiles, WhatCannotBeReadIsSaid) {
  EXPECT_THROW(read_model_file(folder_ / "nosuch.yaml"), ModelError);
  EXPECT_THROW(read_model_file(folder_), ModelError);
  EXPECT_THROW(read_model_file("/dev/zero"), ModelError);
  EXPECT_EQ(mistakes("include: [/dev/zero]\n"), "test.yaml:1:11: cannot read '/dev/zero': it is not a regular file");
}

const std::string kArm = R"yaml(
definitions:
  arm:
    parameters: {l: 1, k: 100}
    ground: {markers: {base: [0, 0, 1]}}
    bodies:
      link: {mass: 1, inertia: [1, 1, 1], position: [l, 0, 0], velocity: [1, 0, 0], angular_velocity_ground: [1, 0, 0],
             markers: {end: [l/2, 0, 0]}}
    joints: {hinge: {type: revolute, between: [ground.base, link]}, rail: {type: in-line, between: [ground, link.end]}}
    forces: {drive: {type: joint-force, joint: hinge, torque: "-k*hinge.angle + gain - link.x + dx(link, ground)"},
             push: {type: point-force, at: link, force: [1, 0, 0]}}
    states: {x: {derivative: -x}}
    variables: {gain: 2*x}
submodels:
  left: {use: arm, position: [0, 5, 0], orientation: {axis: [0, 0, 1], angle: 90 deg}, parameters: {l: 3}}
  right: {use: arm}
joints:
  tie: {type: spherical, between: [left.link.end, right.link.end]}
outputs:
  o: left.link.x - right.hinge.angle + left.x
)yaml";

TEST(SubModels, NamesGetThePrefixAndParametersTheirValues) {
  const model::Model m = read(kArm);
  EXPECT_EQ(m.bodies.at(0).name, "left.link");
  EXPECT_EQ(m.joints.at(m.joints.size() - 1).name, "right.rail");
  EXPECT_EQ(m.parameters.at(0).name, "left.l");
  EXPECT_EQ(m.parameters.at(0).value, 3);
  EXPECT_EQ(m.parameters.at(2).name, "right.l");
  EXPECT_EQ(m.parameters.at(2).value, 1);
  EXPECT_EQ(m.states.at(1).name, "right.x");
  const model::Joint& tie = m.joints.at(static_cast<std::size_t>(m.find_joint("tie")));
  EXPECT_EQ(m.markers.at(static_cast<std::size_t>(tie.i)).name, "left.link.end");
  EXPECT_EQ(inputs_of(m, m.outputs[0].function),
            (std::vector<std::string>{"left.link.x", "right.hinge.angle", "left.x"}));
}

TEST(SubModels, AreMovedAsAWhole) {
  const model::Model m = read(kArm);
  const model::Body& link = m.bodies[0];
  expect_near(link.position, Vector3d(0, 8, 0));
  expect_near(link.velocity, Vector3d(0, 1, 0));
  expect_near(link.angular_velocity, Vector3d(1, 0, 0));  // turned with the body
  expect_near(math::rotation_from_quaternion(link.orientation), math::rotation_about_z(std::numbers::pi / 2));
  const model::Marker& base = m.markers.at(static_cast<std::size_t>(m.find_marker("left.ground.base")));
  EXPECT_EQ(base.body, model::kGround);
  expect_near(base.position, Vector3d(0, 5, 1));
}

TEST(SubModels, SeeTheirOwnGroundFrame) {
  const model::Model m = read(kArm);
  const int left = m.find_marker("left.ground");
  const model::Joint& rail = m.joints.at(static_cast<std::size_t>(m.find_joint("left.rail")));
  EXPECT_EQ(rail.i, left);
  expect_near(m.markers.at(static_cast<std::size_t>(left)).position, Vector3d(0, 5, 0));
  EXPECT_EQ(m.forces.at(static_cast<std::size_t>(m.find_force("left.push"))).vector->frame, left);
  const model::Program& drive =
      *m.forces.at(static_cast<std::size_t>(m.find_force("left.drive"))).scalar->law.expression;
  // What the sub-model calls link.x is along its own x axis; the whole's left.link.x is along the ground's.
  EXPECT_EQ(inputs_of(m, drive), (std::vector<std::string>{"left.hinge.angle", "left.gain", "left.link.x"}))
      << "link.x and dx(link, ground) are the same";
  EXPECT_EQ(m.signals.at(static_cast<std::size_t>(drive.inputs()[2])).b, left);
  EXPECT_EQ(m.signals.at(static_cast<std::size_t>(drive.inputs()[2])).c, left);
  EXPECT_EQ(m.signals.at(static_cast<std::size_t>(m.outputs[0].function.inputs()[0])).b, -1);
}

TEST(SubModels, CanBeNested) {
  const model::Model m = read(R"(
space: planar
definitions:
  dot: {bodies: {p: {mass: 1, inertia: 0, position: [1, 0]}}}
  pair: {submodels: {a: {use: dot}, b: {use: dot, angle: 180 deg}}}
submodels: {one: {use: pair, position: [0, 3], angle: 90 deg}}
)");
  ASSERT_EQ(m.bodies.size(), 2u);
  EXPECT_EQ(m.bodies[1].name, "one.b.p");
  expect_near(m.bodies[0].position, Vector3d(0, 4, 0));
  expect_near(m.bodies[1].position, Vector3d(0, 2, 0));
  EXPECT_NEAR(m.bodies[1].angle, 1.5 * std::numbers::pi, 1e-14) << "turns are counted";
}

TEST(HardTexts, AreRefusedWithAMessage) {
  EXPECT_EQ(mistakes(std::string(1, '\0')).substr(0, 10), "test.yaml:");
  EXPECT_NE(mistakes("\xff\xfe\x00"), "");
  EXPECT_NE(mistakes("\xef\xbb\xbf"), "");
  EXPECT_NE(mistakes(std::string(200000, '[')), "");
  EXPECT_NE(mistakes(std::string(200000, '{')), "");
  EXPECT_NE(mistakes(std::string(200000, '-')), "");
  std::string steps;
  for (int k = 0; k < 3000; ++k) steps += "- ";
  EXPECT_NE(mistakes(steps), "");
  std::string chain = "parameters:\n";
  for (int k = 0; k < 3000; ++k) chain += "  a" + std::to_string(k) + ": a" + std::to_string(k + 1) + "\n";
  EXPECT_NE(mistakes(chain + "  a3000: 1\n"), "") << "too many parameters that each refer to the next";
  EXPECT_NE(mistakes("bodies: {" + std::string(100000, 'a') + ": 1}"), "");
  std::string nested = "definitions:\n";
  for (int k = 0; k < 3000; ++k) {
    nested += "  d" + std::to_string(k) + ": {submodels: {s: {use: d" + std::to_string(k + 1) + "}}}\n";
  }
  EXPECT_NE(mistakes(nested + "  d3000: {}\nsubmodels: {s: {use: d0}}\n"), "")
      << "too many sub-models within each other";
  EXPECT_NE(mistakes("bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                     "forces: {f: {type: stop, between: [ground, a], stiffness: 1, lower: 1e305}}\n"),
            "");
}

TEST(HardTexts, AnAccountOfManyProblemsEnds) {
  std::string text = "bodies:\n";
  for (int k = 0; k < 5000; ++k) text += "  b" + std::to_string(k) + ": {mass: 1}\n";
  try {
    read_model_text(text, "test.yaml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.problems().size(), 101u);
    EXPECT_EQ(error.problems().back().message, "there are more than 100 problems; those found so far are listed");
  }
}

TEST(HardTexts, LargeModelsAreReadInLinearTime) {
  // Quadratic work on these would take minutes.
  constexpr int n = 5000;
  std::string text = "space: planar\nparameters: {l: 0.1}\nbodies:\n";
  for (int k = 0; k < n; ++k) {
    text += "  b" + std::to_string(k) + ": {mass: 1, inertia: 1, markers: {a: [-l, 0], b: [l, 0]}}\n";
  }
  text += "joints:\n";
  for (int k = 1; k < n; ++k) {
    text += "  j" + std::to_string(k) + ": {type: revolute, between: [b" + std::to_string(k - 1) + ".b, b" +
            std::to_string(k) + ".a]}\n";
  }
  text += "outputs:\n";
  for (int k = 1; k < n; ++k)
    text += "  o" + std::to_string(k) + ": b" + std::to_string(k) + ".x + j" + std::to_string(k) + ".rate\n";
  const model::Model m = read(text);
  EXPECT_EQ(m.bodies.size(), 5000u);
  EXPECT_EQ(m.signals.size(), 2u * (n - 1));
}

}  // namespace
}  // namespace trammel::io
