#include "cases/planar_scene.h"

#include <algorithm>

namespace trammel::cases {
namespace {

io::SceneAttachment attach(const PlanarScene::At& at) { return {at.body, {at.x, at.y, 0}}; }

}  // namespace

PlanarScene::PlanarScene(double gravity) {
  scene_.is_planar = true;
  scene_.gravity = {0, -gravity, 0};
}

int PlanarScene::add_body(const std::string& name, double mass, std::vector<model::Shape> shapes) {
  io::SceneBody body{name, {name + ".x", name + ".y", ""}, name + ".angle", {}, Eigen::Vector3d::Zero(), mass};
  body.shapes = std::move(shapes);
  scene_.bodies.push_back(std::move(body));
  return static_cast<int>(scene_.bodies.size()) - 1;
}

void PlanarScene::add_joint(const std::string& name, const std::string& type, const At& first, const At& second) {
  scene_.joints.push_back({name, type, attach(first), attach(second)});
}

void PlanarScene::add_spring(const std::string& name, const At& first, const At& second) {
  io::SceneForce spring;
  spring.name = name;
  spring.type = "spring-damper";
  spring.i = attach(first);
  spring.j = attach(second);
  spring.is_line = true;
  scene_.forces.push_back(std::move(spring));
}

void PlanarScene::add_point(const std::string& name, const At& at) {
  io::ScenePoint point{name, {at.x, at.y, 0}};
  if (at.body == model::kGround) {
    scene_.ground_points.push_back(std::move(point));
  } else {
    scene_.bodies[static_cast<std::size_t>(at.body)].points.push_back(std::move(point));
  }
}

model::Shape disc(double radius, double x, double y) {
  model::Shape shape;
  shape.type = model::ShapeType::kCylinder;
  shape.position = {x, y, 0};
  shape.radius = radius;
  shape.length = 0.2 * radius;
  return shape;
}

model::Shape box(double width, double height, double x, double y) {
  model::Shape shape;
  shape.type = model::ShapeType::kBox;
  shape.position = {x, y, 0};
  shape.size = {width, height, 0.2 * std::min(width, height)};
  return shape;
}

}  // namespace trammel::cases
