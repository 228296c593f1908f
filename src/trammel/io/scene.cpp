#include "trammel/io/scene.h"

#include <nlohmann/json.hpp>
#include <set>

#include "trammel/io/base64.h"
#include "trammel/model/joint_types.h"

namespace trammel::io {
namespace {

using Json = nlohmann::ordered_json;
using Eigen::Vector3d;
using model::Model;

/// Models with more points than this without a joint or force get no trails of their own.
constexpr std::size_t kMostTrails = 4;

ColumnNames names_of_axes(const std::string& prefix, bool is_planar) {
  return {prefix + "x", prefix + "y", is_planar ? "" : prefix + "z"};
}

ColumnNames names_of_torque(const std::string& prefix, bool is_planar) {
  if (is_planar) return {"", "", prefix + "tz"};
  return names_of_axes(prefix + "t", false);
}

std::optional<SceneAttachment> attachment(const Model& model, int marker) {
  if (marker < 0) return std::nullopt;
  const model::Marker& m = model.markers[static_cast<std::size_t>(marker)];
  return SceneAttachment{m.body, m.position, m.orientation.col(0), m.orientation.col(2)};
}

SceneBody make_body(const Model& model, const model::Body& body) {
  SceneBody result{body.name, names_of_axes(body.name + ".", model.is_planar()), "", {}, body.centre, body.mass};
  if (model.is_planar()) {
    result.angle = body.name + ".angle";
  } else {
    result.orientation = {body.name + ".e0", body.name + ".e1", body.name + ".e2", body.name + ".e3"};
  }
  result.shapes = body.shapes;
  return result;
}

SceneJoint make_joint(const Model& model, const model::Joint& joint) {
  SceneJoint result{joint.name, model::joint_type(joint.type).name, attachment(model, joint.i),
                    attachment(model, joint.j)};
  if (joint.j < 0) {
    result.i.reset();
    return result;
  }
  result.force = names_of_axes(joint.name + ".reaction.f", model.is_planar());
  result.torque = names_of_torque(joint.name + ".reaction.", model.is_planar());
  return result;
}

SceneForce make_force(const Model& model, const model::Force& force) {
  SceneForce result;
  result.name = force.name;
  result.type = force.type;
  if (force.friction) {
    const model::Joint& of = model.joints[static_cast<std::size_t>(force.friction->coordinate.joint)];
    result.is_line = false;
    result.i = attachment(model, of.i);
    result.j = attachment(model, of.j);
    result.value = force.name + ".value";
    return result;
  }
  if (force.scalar) {
    const int joint = force.scalar->coordinate.joint;
    result.is_line = joint < 0;
    const model::Joint* of_joint = joint < 0 ? nullptr : &model.joints[static_cast<std::size_t>(joint)];
    result.i = attachment(model, of_joint != nullptr ? of_joint->i : force.scalar->i);
    result.j = attachment(model, of_joint != nullptr ? of_joint->j : force.scalar->j);
    result.value = force.name + ".value";
    return result;
  }
  result.i = attachment(model, force.vector ? force.vector->i : force.bushing->i);
  result.j = attachment(model, force.vector ? force.vector->j : force.bushing->j);
  result.force = names_of_axes(force.name + ".f", model.is_planar());
  result.torque = names_of_torque(force.name + ".", model.is_planar());
  return result;
}

/// Markers that a joint or a force uses.
std::set<int> find_used_markers(const Model& model) {
  std::set<int> used;
  for (const model::Joint& joint : model.joints) used.insert({joint.i, joint.j});
  for (const model::Force& force : model.forces) {
    if (force.scalar) used.insert({force.scalar->i, force.scalar->j});
    if (force.bushing) used.insert({force.bushing->i, force.bushing->j});
  }
  return used;
}

void add_points(const Model& model, Scene& scene) {
  const std::set<int> used = find_used_markers(model);
  std::vector<std::string> free_points;
  for (std::size_t m = 0; m < model.markers.size(); ++m) {
    const model::Marker& marker = model.markers[m];
    const bool is_unnamed = marker.name.find('/') != std::string::npos;  // made for one joint
    if (is_unnamed || marker.name == model.body_name(marker.body)) continue;
    if (marker.body == model::kGround) {
      scene.ground_points.push_back({marker.name, marker.position});
      continue;
    }
    scene.bodies[static_cast<std::size_t>(marker.body)].points.push_back({marker.name, marker.position});
    if (!used.contains(static_cast<int>(m))) free_points.push_back(marker.name);
  }
  // A point that nothing holds or loads is there to be looked at.
  if (free_points.size() <= kMostTrails) scene.trails = std::move(free_points);
  if (scene.trails.empty() && !scene.bodies.empty()) scene.trails.push_back(scene.bodies.back().name);
}

Json to_json_list(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

Json name_or_null(const std::string& name) { return name.empty() ? Json(nullptr) : Json(name); }

template <std::size_t n>
Json to_json_list(const std::array<std::string, n>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(name_or_null(name));
  return list;
}

Json describe(const std::optional<SceneAttachment>& at) {
  if (!at) return nullptr;
  return {{"body", at->body},
          {"position", to_json_list(at->position)},
          {"x", to_json_list(at->x)},
          {"z", to_json_list(at->z)}};
}

Json describe(const std::vector<ScenePoint>& points) {
  Json list = Json::array();
  for (const ScenePoint& point : points) {
    list.push_back({{"name", point.name}, {"position", to_json_list(point.position)}});
  }
  return list;
}

Json describe(const model::Shape& shape) {
  const Eigen::Vector4d& p = shape.orientation;
  Json object{{"type", model::to_string(shape.type)},
              {"position", to_json_list(shape.position)},
              {"orientation", {p[0], p[1], p[2], p[3]}},
              {"color", name_or_null(shape.color)}};
  switch (shape.type) {
    case model::ShapeType::kBox: object["size"] = to_json_list(shape.size); break;
    case model::ShapeType::kCylinder: object["length"] = shape.length; [[fallthrough]];
    case model::ShapeType::kSphere: object["radius"] = shape.radius; break;
    case model::ShapeType::kMesh:
      object["vertices"] = numbers_to_base64<float>(shape.mesh->vertices);
      object["triangles"] = numbers_to_base64<std::uint32_t>(shape.mesh->triangles);
      break;
    case model::ShapeType::kLine:
      object["points"] = Json::array();
      for (const Vector3d& point : shape.points) object["points"].push_back(to_json_list(point));
      object["closed"] = shape.is_closed;
      break;
  }
  return object;
}

Json describe(const std::vector<model::Shape>& shapes) {
  Json list = Json::array();
  for (const model::Shape& shape : shapes) list.push_back(describe(shape));
  return list;
}

Json describe(const SceneBody& body, bool is_planar) {
  Json position = to_json_list(body.position);
  if (is_planar) position.erase(2);
  Json pose{{"position", position}};
  if (!body.angle.empty()) {
    pose["angle"] = body.angle;
  } else if (!body.orientation[0].empty()) {
    pose["orientation"] = to_json_list(body.orientation);
  }
  return {{"name", body.name},
          {"pose", pose},
          {"centre", to_json_list(body.centre)},
          {"mass", body.mass},
          {"points", describe(body.points)},
          {"shapes", describe(body.shapes)}};
}

Json describe(const SceneJoint& joint) {
  return {{"name", joint.name},
          {"type", joint.type},
          {"i", describe(joint.i)},
          {"j", describe(joint.j)},
          {"force", to_json_list(joint.force)},
          {"torque", to_json_list(joint.torque)}};
}

Json describe(const SceneForce& force) {
  return {{"name", force.name},
          {"type", force.type},
          {"i", describe(force.i)},
          {"j", describe(force.j)},
          {"line", force.is_line},
          {"value", name_or_null(force.value)},
          {"force", to_json_list(force.force)},
          {"torque", to_json_list(force.torque)}};
}

}  // namespace

Scene make_scene(const Model& model) {
  Scene scene;
  scene.is_planar = model.is_planar();
  scene.gravity = model.gravity;
  scene.ground_shapes = model.ground_shapes;
  for (const model::Body& body : model.bodies) scene.bodies.push_back(make_body(model, body));
  for (const model::Joint& joint : model.joints) scene.joints.push_back(make_joint(model, joint));
  for (const model::Force& force : model.forces) scene.forces.push_back(make_force(model, force));
  add_points(model, scene);
  return scene;
}

std::string to_json(const Scene& scene) {
  Json object{{"schema", "trammel.scene/1"}, {"planar", scene.is_planar}, {"gravity", to_json_list(scene.gravity)}};
  Json bodies = Json::array(), joints = Json::array(), forces = Json::array();
  for (const SceneBody& body : scene.bodies) bodies.push_back(describe(body, scene.is_planar));
  for (const SceneJoint& joint : scene.joints) joints.push_back(describe(joint));
  for (const SceneForce& force : scene.forces) forces.push_back(describe(force));
  object["bodies"] = std::move(bodies);
  object["ground"] = {{"points", describe(scene.ground_points)}, {"shapes", describe(scene.ground_shapes)}};
  object["joints"] = std::move(joints);
  object["forces"] = std::move(forces);
  object["trails"] = scene.trails;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace trammel::io
