#pragma once

// A mechanism as data: bodies with markers, joints, motions, forces, extra states, events. Nothing is computed here;
// system/ turns a model into equations, io/ reads one from a file. Items refer to each other by index into the vectors
// of the model; names are for people.
//
// SI units, radians, right-handed frames. A planar model lies in the x-y plane: z components are zero and rotations are
// about z. R_BM turns components in a marker's axes into components in the axes of its body.

#include <Eigen/Core>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "trammel/math/spline.h"
#include "trammel/model/expression/expression.h"
#include "trammel/model/shape.h"
#include "trammel/model/signal.h"

namespace trammel::model {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::Vector4d;
using expression::Program;

enum class Space { kPlanar, kSpatial };

/// The index that stands for the ground in place of a body.
inline constexpr int kGround = -1;

struct Body {
  std::string name;
  double mass = 0;                       ///< [kg], >= 0
  Vector3d centre = Vector3d::Zero();    ///< centre of mass in the body frame [m]
  Matrix3d inertia = Matrix3d::Zero();   ///< about the centre of mass, body axes [kg m^2]; planar: only (2,2) counts
  Vector3d position = Vector3d::Zero();  ///< of the body frame's origin, in the ground frame [m]
  Vector4d orientation{1, 0, 0, 0};      ///< Euler parameters of the body frame in the ground frame, scalar first
  double angle = 0;                      ///< of a planar body [rad], turns counted; orientation says the same
  Vector3d velocity = Vector3d::Zero();  ///< of the body frame's origin, ground axes [m/s]
  Vector3d angular_velocity = Vector3d::Zero();  ///< body axes [rad/s]
  bool has_position = false;                     ///< whether the file says where the body is; else joints place it
  bool has_orientation = false;                  ///< the same for its orientation
  bool is_held = false;                          ///< assembly must not move it
  std::vector<Shape> shapes;                     ///< for pictures
};

/// A point with axes on a body.
struct Marker {
  std::string name;                             ///< "crank.tip"; "crank" is the body frame itself
  int body = kGround;                           ///< index into Model::bodies or kGround
  Vector3d position = Vector3d::Zero();         ///< in the body frame [m]
  Matrix3d orientation = Matrix3d::Identity();  ///< R_BM
};

enum class JointType {
  kRevolute,
  kTranslational,
  kCylindrical,
  kSpherical,
  kUniversal,
  kFixed,
  kPlanar,
  kInLine,
  kInPlane,
  kParallel,
  kPerpendicular,
  kOrientation,
  kDistance,
  kRevoluteSpherical,
  kGear,
  kCoupler,
  kScrew,
  kRackAndPinion,
  kConstantVelocity,
  kPointOnCurve,
  kRolling,
};

/// Scalar coordinates that joints offer.
enum class CoordinateKind {
  kAngle,        ///< about the z axis of marker I, from its x axis to the x axis of marker J [rad], turns counted
  kTravel,       ///< of marker J's point along the z axis of marker I (planar: its x axis) [m]
  kX,            ///< of marker J's point along the x axis of marker I [m]
  kY,            ///< ... y axis
  kZ,            ///< ... z axis
  kDistance,     ///< between the points of the markers [m]
  kFirstAngle,   ///< universal joint: about the z axis of I, from its x axis to the z axis of J [rad]
  kSecondAngle,  ///< universal joint: about the z axis of J, from its x axis to the z axis of I [rad]
};

/// A coordinate of a joint, as gears, motions and forces refer to it.
struct JointCoordinate {
  int joint = -1;
  CoordinateKind kind = CoordinateKind::kAngle;

  bool operator==(const JointCoordinate&) const = default;
};

/// A multiple of a coordinate in a coupling of coordinates.
struct CouplingTerm {
  double weight = 1;
  JointCoordinate coordinate;
};

/// A value of a joint coordinate at the start; where it is given, assembly keeps it.
struct InitialCoordinate {
  CoordinateKind kind = CoordinateKind::kAngle;
  std::optional<double> value;  ///< [rad] or [m]; angles may hold several turns
  std::optional<double> rate;   ///< [rad/s] or [m/s]
};

struct Joint {
  std::string name;
  JointType type = JointType::kRevolute;
  int i = -1;  ///< marker on the first body
  int j = -1;  ///< marker on the second body; what the joint measures is J seen from I
  /// Distance: length [m], negative: that of the assembled start. Revolute-spherical: length. Screw: travel per turn
  /// [m]. Rolling: radius of the disc [m].
  double parameter = 0;
  /// Gear, coupler, rack-and-pinion: sum of weight * coordinate = constant, the constant being that of the start.
  std::vector<CouplingTerm> terms;
  /// Point-on-curve: the curve that marker J's point follows, in the x-y plane of marker I.
  int curve = -1;
  bool curve_is_polar = false;  ///< radius over angle instead of y over x
  std::vector<InitialCoordinate> initial;
};

enum class MotionLevel { kPosition, kVelocity, kAcceleration };

/// Drives a joint coordinate, or a coordinate of marker `i` seen from marker `j`, as a function of time.
struct Motion {
  std::string name;
  JointCoordinate coordinate;                ///< of a joint, or
  int i = -1;                                ///< marker that is driven, seen from
  int j = -1;                                ///< this marker, along
  CoordinateKind kind = CoordinateKind::kX;  ///< this coordinate
  MotionLevel level = MotionLevel::kPosition;
  Program function;         ///< of t alone [m, rad, and their rates]
  double initial_rate = 0;  ///< for kAcceleration: rate at the start [m/s, rad/s]
};

/// One-sided stops: stiffness * penetration^exponent + damping * step(penetration, 0, 0, depth, 1), never pulling.
struct Stop {
  double lower = -1e300, upper = 1e300;  ///< range that is free
  double stiffness = 0;
  double exponent = 1.5;
  double damping = 0;
  double depth = 1e-3;
};

/// How the value of a scalar force follows from its coordinate c and the rate c'. All parts add up:
///   F = preload - stiffness (c - reference) - damping c' - S(c - reference) - D(c') - friction(c') + expression
/// F > 0 acts to increase the coordinate: two markers are pushed apart, an angle is opened.
struct ForceLaw {
  using Stop = model::Stop;

  double stiffness = 0;      ///< [N/m] or [N m/rad]
  double damping = 0;        ///< [N s/m] or [N m s/rad]
  double reference = 0;      ///< free length [m] or free angle [rad]
  double preload = 0;        ///< [N] or [N m]
  int stiffness_curve = -1;  ///< S: force over deflection, index of a curve
  int damping_curve = -1;    ///< D: force over rate
  /// Smoothed Coulomb and Stribeck friction: (F_c + (F_s - F_c) exp(-(c'/v_s)^2)) tanh(c'/v_d).
  double coulomb = 0;                ///< F_c [N] or [N m]
  double breakaway = 0;              ///< F_s; 0: the same as F_c
  double stribeck_velocity = 0;      ///< v_s; 0: no Stribeck effect
  double smoothing_velocity = 1e-3;  ///< v_d, > 0
  std::optional<model::Stop> stop;
  std::optional<Program> expression;
};

/// A force along one scalar coordinate: a joint's, or the distance between two markers.
struct ScalarForce {
  JointCoordinate coordinate;  ///< of a joint, or
  int i = -1, j = -1;          ///< the distance between these markers
  ForceLaw law;
};

/// Force and torque given by their components.
struct VectorForce {
  int i = -1;      ///< marker at whose point the force acts
  int j = -1;      ///< marker on the body that carries the reaction, at the same point; -1: no reaction
  int frame = -1;  ///< marker whose axes the components refer to; -1: the ground's
  std::array<std::optional<Program>, 3> force;   ///< [N]
  std::array<std::optional<Program>, 3> torque;  ///< [N m]

  /// A component: 0..2 force, 3..5 torque.
  const std::optional<Program>& part(int component) const {
    return (component < 3 ? force : torque)[static_cast<std::size_t>(component % 3)];
  }
};

/// Six-component bushing: on the body of marker J, at its point and in the axes of marker I, it exerts
///   (force, torque) = preload - stiffness d - damping d'
/// with d the displacement of J from I and its small rotations, d' the velocity and angular velocity of J seen from I.
struct Bushing {
  int i = -1;
  int j = -1;
  Eigen::Matrix<double, 6, 6> stiffness = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 6> damping = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> preload = Eigen::Matrix<double, 6, 1>::Zero();  ///< on J, axes of I
};

/// Dry friction in a joint coordinate, in proportion to what the joint bears. Slipping in the direction s = +-1,
///   F = -s mu L - viscous c',
/// sticking, whatever holds the coordinate up to static_mu L. With the force and the torque of the joint at marker J in
/// the axes of marker I, the load L is
///   turning  radius |F_r| + thrust_radius |F_z| + 2 radius |M_r| / length + radius preload    [N m]
///   sliding  |F_n| + 2 |M_n| / length + preload                                               [N]
/// where r and n mean the components across the axis, and lengths that are zero leave their terms out.
struct DryFriction {
  JointCoordinate coordinate;  ///< angle of a revolute or travel of a translational joint
  double mu = 0;               ///< while slipping, >= 0
  double static_mu = 0;        ///< while sticking, >= mu
  double radius = 0;           ///< of a pin [m]
  double thrust_radius = 0;    ///< of its collar [m]
  double length = 0;           ///< of the bearing, over which it carries moments [m]
  double preload = 0;          ///< normal force besides that of the joint, of a brake [N]
  double viscous = 0;          ///< [N s/m] or [N m s/rad]
};

struct Force {
  std::string name;
  std::string type;  ///< as the user called it: "spring-damper", "bushing", ...
  // Exactly one of these.
  std::optional<ScalarForce> scalar;
  std::optional<VectorForce> vector;
  std::optional<Bushing> bushing;
  std::optional<DryFriction> friction;

  /// The expression of a component (scalar: 0; vector: 0..2 force, 3..5 torque), or null.
  const Program* program(int component) const;
  /// All expressions.
  std::vector<const Program*> programs() const;
};

/// x' = function, or 0 = function (which may use x') when implicit.
struct ExtraState {
  std::string name;
  bool is_implicit = false;
  bool is_algebraic = false;  ///< 0 = x - function: a variable that depends on itself
  Program function;
  double initial = 0;
  double initial_rate = 0;  ///< implicit: where to look for x' at the start
};

/// A named expression: algebraic variable or output.
struct Definition {
  std::string name;
  std::string unit;
  Program function;
};

struct EventRule {
  std::string name;
  Program function;
  int direction = 0;  ///< +1 rising, -1 falling, 0 both
  bool stops = false;
  std::vector<std::pair<int, Program>> assignments;  ///< extra states that get new values at the event
  double threshold = 0;                              ///< the value of the function at which the event happens
  double noise = 0;                                  ///< how far the function must pass it on either side, >= 0
};

/// More than any method's: a limit against slips.
inline constexpr int kLargestContinuousDegree = 100;

struct SimulationSettings {
  double t_start = 0;  ///< [s]
  double t_end = 1;    ///< [s]
  std::optional<std::string> method;
  std::optional<std::string> coordinates;  ///< auto, body or joint
  std::optional<double> tolerance;
  std::optional<double> output_interval;  ///< [s]
  /// Store the continuous solution of the columns that match; of all, when there are no patterns.
  std::optional<std::vector<std::string>> continuous;
  std::optional<int> continuous_degree;  ///< the largest of its polynomials
  std::map<std::string, std::string> method_options;
  std::optional<double> max_step;  ///< [s]
  bool finds_switches = true;      ///< step exactly on the discontinuities of expressions
};

struct Curve {
  std::string name;
  math::Spline spline;
};

struct ModelParameter {
  std::string name;
  double value = 0;
  std::string meaning;
};

struct Model {
  std::string name;
  std::string summary;
  Space space = Space::kSpatial;
  Vector3d gravity = Vector3d::Zero();  ///< [m/s^2]
  std::vector<ModelParameter> parameters;
  std::vector<Body> bodies;
  std::vector<Marker> markers;
  std::vector<Joint> joints;
  std::vector<Motion> motions;
  std::vector<Force> forces;
  std::vector<Curve> curves;
  std::vector<ExtraState> states;
  std::vector<Definition> variables;
  std::vector<Definition> outputs;
  std::vector<EventRule> events;
  std::vector<Signal> signals;  ///< what the inputs of the programs mean
  std::vector<Shape> ground_shapes;
  SimulationSettings simulation;
  std::string source;  ///< text of the model file

  bool is_planar() const { return space == Space::kPlanar; }
  /// The value that a coordinate of a joint has at the start, where the joint or a motion gives it, with its turns.
  std::optional<double> start_value(const JointCoordinate& which) const;
  /// Index of the item of that name, or -1.
  int find_body(const std::string& name) const;
  int find_marker(const std::string& name) const;
  int find_joint(const std::string& name) const;
  int find_force(const std::string& name) const;
  int find_state(const std::string& name) const;
  int find_variable(const std::string& name) const;
  int find_curve(const std::string& name) const;
  const std::string& body_name(int body) const;  ///< "ground" for kGround
  /// The given components (0..2 force, 3..5 torque) that a component of a vector force in ground axes is made of.
  std::vector<int> find_parts(const VectorForce& force, int component) const;
  /// The expressions that a signal is the value of, or is made of: of variables and forces; of others none.
  std::vector<const Program*> programs_of(const Signal& signal) const;
};

}  // namespace trammel::model
