#pragma once

// Models of up to two bodies in numbers of any kind, written plainly from the model and nothing else: where the markers
// are, how they move, and what the textbook says each joint keeps at zero.

#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "tests/support/models.h"
#include "tests/support/reference_bodies.h"
#include "trammel/dae/evaluation.h"
#include "trammel/system/mechanism.h"

namespace trammel::testing {

// --- models to compare -----------------------------------------------------------------------------------------------

/// Where a frame is, seen from another.
struct Placement {
  Vector3d p = Vector3d::Zero();
  Matrix3d R = Matrix3d::Identity();

  Placement operator*(const Placement& next) const { return {p + R * next.p, R * next.R}; }
  Placement inverse() const { return {-(R.transpose() * p), R.transpose()}; }
};

/// Two bodies anywhere, with markers 0 (g) on the ground, 1 and 2 (a.p, a.q) on a, 3 and 4 (b.p, b.q) on b.
inline std::shared_ptr<Model> make_two_bodies(bool is_planar, Random& random,
                                              const Vector3d& gravity = Vector3d::Zero()) {
  auto model = make_model(is_planar ? model::Space::kPlanar : model::Space::kSpatial, gravity);
  const auto vector = [&] {
    Vector3d v = random.vector();
    if (is_planar) v[2] = 0;
    return v;
  };
  const auto rotation = [&] { return is_planar ? random.planar_rotation(random.number(-2, 2)) : random.rotation(); };
  for (const char* name : {"a", "b"}) {
    Matrix3d inertia = Vector3d(1, 1.5, 2).asDiagonal();
    inertia(0, 1) = inertia(1, 0) = 0.2;
    inertia(0, 2) = inertia(2, 0) = -0.1;
    add_body(*model, name, random.number(0.5, 2), inertia, vector(), rotation());
    model->bodies.back().centre = vector();
  }
  add_marker(*model, kGround, vector(), rotation(), "g");
  add_marker(*model, 0, vector(), rotation(), "a.p");
  add_marker(*model, 0, vector(), rotation(), "a.q");
  add_marker(*model, 1, vector(), rotation(), "b.p");
  add_marker(*model, 1, vector(), rotation(), "b.q");
  return model;
}

/// The given positions at another time; everything that changes them is random.
inline dae::State moving_state(const system::Mechanism& system, Random& random) {
  dae::State state = system.given_state();
  state.t = 0.7;
  state.v = random.vector_of(state.v.size(), 2);
  state.a = random.vector_of(state.a.size(), 2);
  state.lambda = random.vector_of(state.lambda.size(), 2);
  state.x_rate = random.vector_of(state.x_rate.size(), 2);
  return state;
}

// --- the textbook ----------------------------------------------------------------------------------------------------

template <class T>
struct RefMarker {
  Vec3<T> P;
  Mat3<T> axes;
  T angle;  ///< of the marker's x axis in a planar model, turns counted
};

template <class T>
RefMarker<T> place_marker(const model::Model& model, int marker, const RefBodies<T>& bodies) {
  using std::atan2;
  if (marker < 0) return {Vec3<T>::Zero(), Mat3<T>::Identity(), T(0)};
  const model::Marker& m = model.markers[static_cast<std::size_t>(marker)];
  const double offset = atan2(m.orientation(1, 0), m.orientation(0, 0));
  if (m.body == model::kGround) return {m.position.cast<T>(), m.orientation.cast<T>(), T(offset)};
  const RefBody<T>& body = bodies[static_cast<std::size_t>(m.body)];
  const Eigen::Vector3d centre = model.bodies[static_cast<std::size_t>(m.body)].centre;
  const Vec3<T> origin = body.r - body.R * centre.cast<T>();
  return {origin + body.R * m.position.cast<T>(), body.R * m.orientation.cast<T>(), T(body.angle + offset)};
}

/// A joint coordinate between the turns -1/2 and 1/2.
template <class T>
T coordinate_value(const model::Model& model, const model::JointCoordinate& which, const RefBodies<T>& bodies) {
  using std::atan2, std::sqrt;
  using Kind = model::CoordinateKind;
  const model::Joint& joint = model.joints[static_cast<std::size_t>(which.joint)];
  const RefMarker<T> I = place_marker(model, joint.i, bodies), J = place_marker(model, joint.j, bodies);
  const Mat3<T> turn = I.axes.transpose() * J.axes;
  const Vec3<T> d = I.axes.transpose() * (J.P - I.P);
  switch (which.kind) {
    case Kind::kAngle: return model.is_planar() ? T(J.angle - I.angle) : T(atan2(turn(1, 0), turn(0, 0)));
    case Kind::kTravel: return model.is_planar() ? d[0] : d[2];
    case Kind::kX: return d[0];
    case Kind::kY: return d[1];
    case Kind::kZ: return d[2];
    case Kind::kDistance: return T(sqrt(T(d.squaredNorm())));
    case Kind::kFirstAngle: return T(atan2(turn(1, 2), turn(0, 2)));
    case Kind::kSecondAngle: return T(atan2(turn(2, 1), turn(2, 0)));
  }
  return T(0);
}

/// What the holonomic rows of a joint keep at zero, in their order; couplings without their constant.
template <class T>
std::vector<T> joint_values(const model::Model& model, int index, const RefBodies<T>& bodies) {
  using std::atan2, std::sqrt, std::hypot;
  using enum model::JointType;
  const model::Joint& joint = model.joints[static_cast<std::size_t>(index)];
  if (!joint.terms.empty()) {
    T sum(0);
    for (const model::CouplingTerm& term : joint.terms) {
      sum += term.weight * coordinate_value(model, term.coordinate, bodies);
    }
    return {sum};
  }
  const RefMarker<T> I = place_marker(model, joint.i, bodies), J = place_marker(model, joint.j, bodies);
  const Vec3<T> way = J.P - I.P;               // ground axes
  const Vec3<T> d = I.axes.transpose() * way;  // axes of I
  const Mat3<T> turn = I.axes.transpose() * J.axes;
  const T length = T(sqrt(T(way.squaredNorm())));
  T angle = J.angle - I.angle;  // where it must vanish, whole turns do not count
  constexpr double kTurn = 2 * std::numbers::pi;
  angle -= kTurn * std::round(math::value_of(angle) / kTurn);
  if (model.is_planar()) {
    switch (joint.type) {
      case kRevolute: return {way[0], way[1]};
      case kTranslational: return {d[1], angle};
      case kFixed: return {way[0], way[1], angle};
      case kInLine: return {d[1]};
      case kOrientation: return {angle};
      case kDistance: return {T(length - joint.parameter)};
      case kPointOnCurve: {
        const math::Spline& curve = model.curves[static_cast<std::size_t>(joint.curve)].spline;
        if (joint.curve_is_polar)
          return {T(sqrt(T(d[0] * d[0] + d[1] * d[1])) - curve.calc_value(T(atan2(d[1], d[0]))))};
        return {T(d[1] - curve.calc_value(d[0]))};
      }
      default: throw std::logic_error("no planar joint");
    }
  }
  // turn(i, j) is the cosine between axis i of I and axis j of J.
  switch (joint.type) {
    case kRevolute: return {way[0], way[1], way[2], turn(0, 2), turn(1, 2)};
    case kTranslational: return {d[0], d[1], turn(0, 2), turn(1, 2), turn(0, 1)};
    case kCylindrical: return {d[0], d[1], turn(0, 2), turn(1, 2)};
    case kScrew: {
      // Behind the rows of a cylindrical joint: travel - pitch / (2 pi) angle, without its constant.
      const T turned = T(atan2(turn(1, 0), turn(0, 0)));
      return {d[0], d[1], turn(0, 2), turn(1, 2), T(d[2] - joint.parameter / (2 * std::numbers::pi) * turned)};
    }
    case kSpherical: return {way[0], way[1], way[2]};
    case kUniversal: return {way[0], way[1], way[2], turn(2, 2)};
    case kFixed: return {way[0], way[1], way[2], turn(0, 2), turn(1, 2), turn(0, 1)};
    case kPlanar: return {d[2], turn(0, 2), turn(1, 2)};
    case kInLine: return {d[0], d[1]};
    case kInPlane: return {d[2]};
    case kParallel: return {turn(0, 2), turn(1, 2)};
    case kPerpendicular: return {turn(2, 2)};
    case kOrientation: return {turn(0, 2), turn(1, 2), turn(0, 1)};
    case kDistance: return {T(length - joint.parameter)};
    case kRevoluteSpherical: return {T(length - joint.parameter), d[2]};
    case kConstantVelocity: return {way[0], way[1], way[2], T(turn(0, 1) - turn(1, 0))};
    case kRolling: {
      // Height of the lowest point of the disc: cosine of the tilt is turn(2, 2).
      const T sine = T(sqrt(T(turn(2, 0) * turn(2, 0) + turn(2, 1) * turn(2, 1))));
      return {T(d[2] - joint.parameter * sine)};
    }
    default: throw std::logic_error("no spatial joint");
  }
}

/// The velocity of a body's point (ground axes) under the twist in places at, ..., at + 5 of xi.
template <class T>
Vec3<T> point_velocity(const model::Model& model, int marker, const RefBodies<T>& bodies, const Vec12<T>& xi,
                       const Vec3<T>& P) {
  const int body = marker < 0 ? model::kGround : model.markers[static_cast<std::size_t>(marker)].body;
  if (body == model::kGround) return Vec3<T>::Zero();
  const RefBody<T>& of = bodies[static_cast<std::size_t>(body)];
  const Vec3<T> w = of.R * Vec3<T>(xi.template segment<3>(6 * body + 3)), arm = P - of.r;
  return Vec3<T>(xi.template segment<3>(6 * body)) + w.cross(arm);
}

/// How fast the lowest point of a disc (as a point of the disc) slips along x (0) or y (1) of the plane.
template <class T>
T slip_velocity(const model::Model& model, int index, int direction, const RefBodies<T>& bodies, const Vec12<T>& xi) {
  using std::sqrt;
  const model::Joint& joint = model.joints[static_cast<std::size_t>(index)];
  const RefMarker<T> I = place_marker(model, joint.i, bodies), J = place_marker(model, joint.j, bodies);
  const Vec3<T> n = I.axes.col(2), z = J.axes.col(2), across = z.cross(n), down = z.cross(across);
  const Vec3<T> contact = J.P + down * T(joint.parameter / sqrt(T(down.squaredNorm())));
  return I.axes.col(direction).dot(point_velocity(model, joint.j, bodies, xi, contact) -
                                   point_velocity(model, joint.i, bodies, xi, contact));
}

// --- between the two worlds -----------------------------------------------------------------------------------------

/// The bodies of a state, from its coordinates.
inline RefBodies<double> bodies_of(const system::Mechanism& system, const dae::State& state) {
  RefBodies<double> bodies;
  const bool is_planar = system.model().is_planar();
  for (std::size_t k = 0; k < system.model().bodies.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k) * (is_planar ? 3 : 7);
    if (is_planar) {
      bodies[k].angle = state.q[at + 2];
      bodies[k].r << state.q[at], state.q[at + 1], 0;
      bodies[k].R = Eigen::AngleAxisd(bodies[k].angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    } else {
      bodies[k].r = state.q.segment<3>(at);
      bodies[k].R =
          Eigen::Quaterniond(state.q[at + 3], state.q[at + 4], state.q[at + 5], state.q[at + 6]).toRotationMatrix();
    }
  }
  return bodies;
}

/// The places of the twelve that are velocities of the system, in their order.
inline std::vector<int> used_places(const model::Model& model) {
  std::vector<int> places;
  for (int body = 0; body < static_cast<int>(model.bodies.size()); ++body) {
    for (int k = 0; k < 6; ++k) {
      if (!model.is_planar() || k < 2 || k == 5) places.push_back(6 * body + k);
    }
  }
  return places;
}
inline Vec12<double> expand(const model::Model& model, const Eigen::VectorXd& v) {
  Vec12<double> xi = Vec12<double>::Zero();
  Eigen::Index at = 0;
  for (const int k : used_places(model)) xi[k] = v[at++];
  return xi;
}
inline Eigen::VectorXd restrict(const model::Model& model, const Vec12<double>& xi) {
  const std::vector<int> places = used_places(model);
  Eigen::VectorXd v(static_cast<Eigen::Index>(places.size()));
  for (std::size_t k = 0; k < places.size(); ++k) v[static_cast<Eigen::Index>(k)] = xi[places[k]];
  return v;
}
inline Eigen::MatrixXd restrict(const model::Model& model, const Mat12& H) {
  const std::vector<int> places = used_places(model);
  const auto n = static_cast<Eigen::Index>(places.size());
  Eigen::MatrixXd result(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      result(i, j) = H(places[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

/// Force and moment about the origin of the ground that generalised forces on both bodies add up to.
struct TotalWrench {
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), moment = Eigen::Vector3d::Zero();
};
inline TotalWrench calc_total(const RefBodies<double>& bodies, const Vec12<double>& f) {
  TotalWrench total;
  for (int k = 0; k < 2; ++k) {
    const RefBody<double>& body = bodies[static_cast<std::size_t>(k)];
    const Eigen::Vector3d F = f.segment<3>(6 * k), M = f.segment<3>(6 * k + 3);
    total.force += F;
    total.moment += body.r.cross(F) + body.R * M;
  }
  return total;
}

inline Eigen::MatrixXd dense_jacobian(dae::Evaluation& evaluation) {
  return evaluation.structure().jacobian.to_dense(evaluation.jacobian());
}
inline Eigen::MatrixXd dense_derivative(dae::Evaluation& evaluation, dae::Derivative which,
                                        const Eigen::VectorXd& direction = Eigen::VectorXd()) {
  return evaluation.structure().pattern(which).to_dense(evaluation.derivative(which, direction));
}

}  // namespace trammel::testing
