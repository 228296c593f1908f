#include "cases/hmmwv.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <iterator>
#include <vector>

namespace trammel::cases {
namespace {

using Eigen::Vector3d;

/// Where the frame of a body is: origin [m] and rotation vector [rad].
struct Pose {
  Vector3d origin, turn;
};

// The car at rest on its wheels, found by `trammel statics`; those of the left side stand with the points below.
const Pose kChassis{{0, 0, 0.5502061485}, {0, 0.0171571646, 0}};

// Points of the left side in the frame of the vehicle: x forward, y to the left, z up, origin midway between the axles
// at the height of the lower pivots [m]. The drawing shows the loaded car; ours is lighter and stands higher.
struct Axle {
  const char* name;
  Vector3d wheel_centre, wheel_mass;
  Vector3d upper_front, upper_rear, upper_ball, upper_mass;
  Vector3d lower_front, lower_rear, lower_ball, lower_mass;
  Vector3d shock_on_chassis, shock_on_arm, spring_on_chassis, spring_on_arm;
  Vector3d tie_rod_inner, tie_rod_outer;
  double stiffness, free_length;  ///< of the spring [N/m], [m]
  Pose upper_arm, lower_arm, wheel;
};

const Axle kFront{
    .name = "front",
    .wheel_centre = {1.648579, 0.909701, -0.026289},
    .wheel_mass = {1.648579, 0.875617, -0.026289},
    .upper_front = {1.64105, 0.44596, 0.244622},
    .upper_rear = {1.420751, 0.477736, 0.19556},
    .upper_ball = {1.63593, 0.715518, 0.215494},
    .upper_mass = {1.583428, 0.58867, 0.217805},
    .lower_front = {1.912231, 0.307086, 0.0},
    .lower_rear = {1.465699, 0.307086, 0.0},
    .lower_ball = {1.653405, 0.786511, -0.11811},
    .lower_mass = {1.688965, 0.546811, -0.059055},
    .shock_on_chassis = {1.792978, 0.497789, 0.323139},
    .shock_on_arm = {1.786171, 0.543179, -0.046609},
    .spring_on_chassis = {1.792978, 0.509778, 0.197485},
    .spring_on_arm = {1.786171, 0.543179, -0.046609},
    .tie_rod_inner = {1.438648, 0.448437, 0.054229},
    .tie_rod_outer = {1.513146, 0.821106, -0.016332},
    .stiffness = 167070.939,
    .free_length = 0.339344,
    .upper_arm = {{-0.0187677494, 0.0301598353, 0.6630285660}, {-0.1680176559, 0.0413034045, -0.0359086155}},
    .lower_arm = {{0.0005111989, 0.0014489960, 0.5799982925}, {-0.0971804351, 0.0171436590, 0.0008336908}},
    .wheel = {{-0.0005453140, -0.0015230616, 0.5610026901}, {-0.0150923003, 0.0443700890, -0.0059149209}}};
const Axle kRear{
    .name = "rear",
    .wheel_centre = {-1.653405, 0.909701, -0.026289},
    .wheel_mass = {-1.653405, 0.875617, -0.026289},
    .upper_front = {-1.339855, 0.462257, 0.227594},
    .upper_rear = {-1.611863, 0.462049, 0.223764},
    .upper_ball = {-1.653405, 0.715518, 0.2159},
    .upper_mass = {-1.564632, 0.588848, 0.220777},
    .lower_front = {-1.465699, 0.307086, 0.0},
    .lower_rear = {-1.912231, 0.307086, 0.0},
    .lower_ball = {-1.653405, 0.786511, -0.11811},
    .lower_mass = {-1.688965, 0.546786, -0.059055},
    .shock_on_chassis = {-1.792978, 0.497789, 0.323139},
    .shock_on_arm = {-1.786171, 0.543941, -0.038379},
    .spring_on_chassis = {-1.792978, 0.501574, 0.256489},
    .spring_on_arm = {-1.786171, 0.543179, -0.046609},
    .tie_rod_inner = {-1.465699, 0.416052, 0.058674},
    .tie_rod_outer = {-1.518683, 0.821106, -0.009271},
    .stiffness = 369167.231,
    .free_length = 0.381762,
    .upper_arm = {{0.0006396565, -0.0587634209, 0.7434470643}, {-0.3873242053, 0.0166459777, -0.0021306747}},
    .lower_arm = {{0.0011040932, 0.0068190191, 0.6145515646}, {-0.2111262394, 0.0170933828, 0.0018112083}},
    .wheel = {{0.0038034333, -0.0201054868, 0.4796670818}, {-0.0412918110, 0.0200653906, 0.0062974189}}};

// Our own reading of the thesis' bushing: springs and dampers of this length and these coefficients.
constexpr double kBushingLength = 0.1, kBushingStiffness = 2e7, kBushingDamping = 2e6;

// The wheel is a disc: over the cylinder its centre follows a circle of both radii.
constexpr const char* kHead = R"yaml(model: HMMWV14
summary: a car of 14 bodies drives over a bump
gravity: [0, 0, -9.81]
parameters:
  speed: { value: 4.4704, meaning: "of the car [m/s]" }
  bump: { value: 0.05, meaning: "radius of the half cylinder on the road [m]" }
  bump_x: { value: 4.1, meaning: "where it lies [m]" }
  tyre_radius: { value: 0.4699, meaning: "without load [m]" }
  tyre_stiffness: { value: 296325, meaning: "[N/m]" }
  tyre_damping: { value: 3502, meaning: "[N s/m]" }
  reach: { value: "sqrt((tyre_radius + bump)^2 - tyre_radius^2)", meaning: "at which a wheel meets the bump [m]" }
ground:
  shapes:
    - { type: box, size: [22, 4, 0.02], position: [7, 0, -0.01], color: "#d5d8dc" }
    - { type: cylinder, radius: bump, length: 4, position: [bump_x, 0, 0], orientation: { axis: [1, 0, 0], angle: 90 deg }, color: "#c0883a" }
curves:
  front_shock: { kind: linear, points: [[-1, -12521.564], [0, 0], [1, 22460.008]] }
  rear_shock: { kind: linear, points: [[-1, -14535.522], [0, 0], [1, 35025.354]] }
)yaml";

// Pictures only: body, bonnet and cabin.
constexpr const char* kChassisShapes = R"yaml(    shapes:
      - { type: box, size: [4.4, 1.0, 0.25], position: [0, 0, 0.3], color: "#8a9a5b" }
      - { type: box, size: [1.3, 1.5, 0.3], position: [1.6, 0, 0.6], color: "#8a9a5b" }
      - { type: box, size: [2.9, 1.7, 0.75], position: [-0.6, 0, 0.8], color: "#76854d" }
)yaml";

/// The lines of a body that say where it is, and that it drives.
std::string place(const std::string& origin, const std::string& turn) {
  return fmt::format("    position: {}\n    orientation: {{ rotation_vector: {} }}\n    velocity: [speed, 0, 0]\n",
                     origin, turn);
}

std::string list(const Vector3d& p) { return fmt::format("[{}, {}, {}]", p.x(), p.y(), p.z()); }

/// One corner of the car. All frames are that of the vehicle in the drawing, so that a point has the same coordinates
/// on both bodies that share it.
class Corner {
 public:
  Corner(const Axle& axle, int side, UpperHinge hinge)
      : axle_(axle), side_(side), hinge_(hinge), name_(fmt::format("{}_{}", axle.name, side > 0 ? "left" : "right")) {}

  void write_chassis_markers(std::string& text) const {
    write_marker(text, "upper_hinge", hinge_frame(axle_.upper_front, axle_.upper_rear));
    write_marker(text, "lower_hinge", hinge_frame(axle_.lower_front, axle_.lower_rear));
    write_marker(text, "spring", point(axle_.spring_on_chassis));
    write_marker(text, "shock", point(axle_.shock_on_chassis));
    if (!is_steered()) write_marker(text, "tie_rod", point(axle_.tie_rod_inner));
    if (hinge_ == UpperHinge::kBushing) {
      const Vector3d hinge = axle_.upper_front - axle_.upper_rear;
      const Vector3d normal = hinge.cross(axle_.upper_ball - axle_.upper_rear).normalized();
      const Vector3d across = normal.cross(hinge).normalized();
      write_marker(text, "bushing_normal", point(axle_.upper_front + kBushingLength * normal));
      write_marker(text, "bushing_across", point(axle_.upper_front + kBushingLength * across));
    }
  }
  void write_rack_markers(std::string& text) const {
    if (is_steered()) write_marker(text, "tie_rod", point(axle_.tie_rod_inner));
  }

  void write_bodies(std::string& text) const {
    // Moments across are half of that about the normal, as of plates; the source's are smaller still, which no body
    // has.
    write_body(text, "upper_arm", "mass: 5.813\n    inertia: [0.03138, 0.03138, 0.06276]", axle_.upper_mass,
               axle_.upper_arm);
    write_plane(text, axle_.upper_front, axle_.upper_rear, axle_.upper_ball);
    write_point(text, "front", axle_.upper_front);
    write_body(text, "lower_arm", "mass: 23.965\n    inertia: [0.4469, 0.4469, 0.8938]", axle_.lower_mass,
               axle_.lower_arm);
    write_plane(text, axle_.lower_front, axle_.lower_rear, axle_.lower_ball);
    write_point(text, "spring", axle_.spring_on_arm);
    write_point(text, "shock", axle_.shock_on_arm);
    // Carrier, spindle, rim and tyre in one.
    write_body(text, "wheel", "mass: 90.555\n    inertia: [4.89475, 7.58122, 4.77282]", axle_.wheel_mass, axle_.wheel);
    text += "    markers:\n";
    write_point(text, "centre", axle_.wheel_centre);
    write_point(text, "upper_ball", axle_.upper_ball);
    write_point(text, "lower_ball", axle_.lower_ball);
    write_point(text, "tie_rod", axle_.tie_rod_outer);
    write_wheel_shapes(text);
  }

  void write_joints(std::string& text) const {
    fmt::format_to(std::back_inserter(text),
                   R"yaml(  {0}_upper_hinge: {{ type: {1}, between: [chassis.{0}_upper_hinge, {0}_upper_arm.hinge] }}
  {0}_lower_hinge: {{ type: revolute, between: [chassis.{0}_lower_hinge, {0}_lower_arm.hinge] }}
  {0}_upper_ball: {{ type: spherical, between: [{0}_upper_arm.ball, {0}_wheel.upper_ball] }}
  {0}_lower_ball: {{ type: spherical, between: [{0}_lower_arm.ball, {0}_wheel.lower_ball] }}
  {0}_tie_rod: {{ type: distance, between: [{2}.{0}_tie_rod, {0}_wheel.tie_rod], length: {3} }}
)yaml",
                   name_, hinge_ == UpperHinge::kRevolute ? "revolute" : "spherical", is_steered() ? "rack" : "chassis",
                   (axle_.tie_rod_outer - axle_.tie_rod_inner).norm());
  }

  void write_variables(std::string& text) const {
    fmt::format_to(std::back_inserter(text),
                   R"yaml(  {0}_ahead: {0}_wheel.centre.x - bump_x
  {0}_road: sqrt(max((tyre_radius + bump)^2 - {0}_ahead^2, tyre_radius^2))
  {0}_climb: if({0}_ahead^2 < reach^2, -{0}_ahead/{0}_road*{0}_wheel.centre.vx, 0)
  {0}_deflection: {0}_road - {0}_wheel.centre.z
)yaml",
                   name_);
  }
  void write_forces(std::string& text) const {
    fmt::format_to(
        std::back_inserter(text),
        R"yaml(  {0}_spring: {{ type: spring-damper, between: [chassis.{0}_spring, {0}_lower_arm.spring], stiffness: {1}, free_length: {2} }}
  {0}_shock: {{ type: spring-damper, between: [chassis.{0}_shock, {0}_lower_arm.shock], damping_curve: {3}_shock }}
  {0}_tyre:
    type: point-force
    at: {0}_wheel.centre
    force: [0, 0, "if({0}_deflection > 0, max(0, tyre_stiffness*{0}_deflection + tyre_damping*({0}_climb - {0}_wheel.centre.vz)), 0)"]
)yaml",
        name_, axle_.stiffness, axle_.free_length, axle_.name);
    if (hinge_ == UpperHinge::kRevolute) return;
    for (const char* direction : {"normal", "across"}) {
      fmt::format_to(std::back_inserter(text),
                     "  {0}_bushing_{1}: {{ type: spring-damper, between: [chassis.{0}_bushing_{1}, "
                     "{0}_upper_arm.front], stiffness: {2}, damping: {3}, free_length: {4} }}\n",
                     name_, direction, kBushingStiffness, kBushingDamping, kBushingLength);
    }
  }
  void write_outputs(std::string& text) const {
    fmt::format_to(std::back_inserter(text), "  {0}_load: {{ value: {0}_tyre.fz, unit: N }}\n", name_);
  }
  void write_events(std::string& text) const {
    fmt::format_to(std::back_inserter(text), "  {0}_meets_bump: {{ when: {0}_ahead + reach, direction: rising }}\n",
                   name_);
  }

 private:
  bool is_steered() const { return &axle_ == &kFront; }
  std::string point(Vector3d p) const {
    p.y() *= side_;
    return list(p);
  }
  /// Rotation vectors are mirrored the other way.
  std::string turn(Vector3d phi) const {
    phi.x() *= side_;
    phi.z() *= side_;
    return list(phi);
  }
  void write_body(std::string& text, const char* what, const char* inertia, const Vector3d& mass,
                  const Pose& pose) const {
    fmt::format_to(std::back_inserter(text), "  {}_{}:\n    {}\n    centre_of_mass: {}\n{}", name_, what, inertia,
                   point(mass), place(point(pose.origin), turn(pose.turn)));
  }
  /// Axes of inertia, hinge and ball of an arm.
  void write_plane(std::string& text, const Vector3d& front, const Vector3d& rear, const Vector3d& ball) const {
    fmt::format_to(std::back_inserter(text),
                   "    inertia_axes: {{ directions: {{ x: {}, y: {} }} }}\n    markers:\n      hinge: {}\n",
                   point(front - rear), point(ball - rear), hinge_frame(front, rear));
    write_point(text, "ball", ball);
  }
  void write_point(std::string& text, const char* what, const Vector3d& p) const {
    fmt::format_to(std::back_inserter(text), "      {}: {}\n", what, point(p));
  }
  /// The tyre, and bars from its centre to the joints.
  void write_wheel_shapes(std::string& text) const {
    fmt::format_to(
        std::back_inserter(text),
        "    shapes:\n      - {{ type: cylinder, radius: tyre_radius, length: 0.3, position: {0}, orientation: {{ "
        "axis: "
        "[1, 0, 0], angle: 90 deg }}, color: \"#4a4f57\" }}\n      - {{ type: line, points: [{1}, {0}, {2}] }}\n",
        point(axle_.wheel_centre), point(axle_.upper_ball), point(axle_.lower_ball));
  }
  std::string hinge_frame(const Vector3d& front, const Vector3d& rear) const {
    return fmt::format("{{ position: {}, orientation: {{ directions: {{ z: {}, x: [0, 0, 1] }} }} }}",
                       point(0.5 * (front + rear)), point(front - rear));
  }
  void write_marker(std::string& text, const char* what, const std::string& place) const {
    fmt::format_to(std::back_inserter(text), "      {}_{}: {}\n", name_, what, place);
  }

  const Axle& axle_;
  int side_;
  UpperHinge hinge_;
  std::string name_;
};

}  // namespace

std::vector<Parameter> hmmwv14_parameters() {
  return {{"speed", 4.4704, "of the car; 10 mph by default [m/s]"},
          {"bump", 0.05, "radius of the half cylinder on the road [m]", 1e-6},
          {"bump_x", 4.1, "where it lies; the front wheels start at 1.65 m, the rear ones at -1.65 m [m]"},
          {"tyre_radius", 0.4699, "without load [m]", 0.1},
          {"tyre_stiffness", 296325, "of a tyre, vertical [N/m]", 0},
          {"tyre_damping", 3502, "of a tyre, vertical [N s/m]", 0}};
}

std::string write_hmmwv14(UpperHinge hinge) {
  std::vector<Corner> corners;
  for (const Axle* axle : {&kFront, &kRear}) {
    for (const int side : {1, -1}) corners.emplace_back(*axle, side, hinge);
  }
  std::string text = kHead;
  const auto write_all = [&](auto write) {
    for (const Corner& corner : corners) (corner.*write)(text);
  };
  const std::string chassis = place(list(kChassis.origin), list(kChassis.turn));
  constexpr const char* slide =
      "{ position: [1.438648, 0, 0.054229], orientation: { directions: { z: [0, 1, 0], x: [1, 0, 0] } } }";
  text += "bodies:\n  chassis:\n    mass: 2086.52\n    inertia: [1078.52, 2955.66, 3570.2]\n";
  text += "    centre_of_mass: [0.056, 0, 0.213]\n" + chassis + kChassisShapes;
  fmt::format_to(std::back_inserter(text), "    markers:\n      rack: {}\n", slide);
  write_all(&Corner::write_chassis_markers);
  text += "  rack:\n    mass: 9.072\n    inertia: [1, 1, 1]\n    centre_of_mass: [1.438648, 0, 0.054229]\n" + chassis;
  fmt::format_to(std::back_inserter(text), "    markers:\n      slide: {}\n", slide);
  write_all(&Corner::write_rack_markers);
  write_all(&Corner::write_bodies);
  text += "joints:\n  steering: { type: translational, between: [chassis.rack, rack.slide] }\n";
  write_all(&Corner::write_joints);
  if (hinge == UpperHinge::kBushing) text += "motions:\n  straight_ahead: { joint: steering, travel: 0 }\n";
  text += "variables:\n";
  write_all(&Corner::write_variables);
  text += "forces:\n";
  if (hinge == UpperHinge::kRevolute) {
    text += "  steering_column: { type: torsion-spring, joint: steering, stiffness: 200000, damping: 2000 }\n";
  }
  write_all(&Corner::write_forces);
  text += "outputs:\n";
  write_all(&Corner::write_outputs);
  text += "events:\n";
  write_all(&Corner::write_events);
  text += "simulation: { t_end: 3, tolerance: 1.0e-4, outputs: { every: 0.01 } }\n";
  return text;
}

}  // namespace trammel::cases
