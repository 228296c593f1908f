#pragma once

// Mechanisms for tests of the analyses: planar bodies with pins, guides, motions and springs; spatial bodies with
// revolute joints. Written plainly, with full patterns and without derivatives, so that nothing is shared with what is
// tested.

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "trammel/dae/constrained_system.h"
#include "trammel/math/quaternion.h"

namespace trammel::testing {

using dae::Derivative;
using dae::MatrixValues;
using dae::Point;
using dae::State;
using dae::Structure;
using dae::Vector;
using dae::VectorIn;
using dae::VectorOut;

/// A row g(t, q) = 0 of a planar mechanism, with its gradient, partial derivative by time and bias.
struct PlanarRow {
  std::string name;
  std::function<double(const Point&)> value;
  std::function<void(const Point&, Eigen::Ref<Eigen::RowVectorXd>)> gradient;
  std::function<double(double)> rate = nullptr;  ///< g_t; nothing: zero
};

/// A spring and damper between points of two bodies (body -1 is the ground).
struct PlanarSpring {
  int first, second;
  Eigen::Vector2d p_first, p_second;
  double stiffness, damping, free_length;
};

inline constexpr int kOnGround = -1;

/// Bodies with coordinates x, y, angle.
class PlanarMechanism : public dae::ConstrainedSystem {
 public:
  struct Body {
    std::string name;
    double mass, inertia;
  };
  PlanarMechanism(std::vector<Body> bodies, std::vector<PlanarRow> rows, std::vector<PlanarSpring> springs = {},
                  double gravity = 9.81)
      : ConstrainedSystem(make_structure(bodies, rows)),
        bodies_(std::move(bodies)),
        rows_(std::move(rows)),
        springs_(std::move(springs)),
        gravity_(gravity) {}

  static Eigen::Vector2d point(const State& at, int body, const Eigen::Vector2d& p) {
    if (body < 0) return p;
    return at.q.segment<2>(3 * body) + Eigen::Rotation2Dd(at.q[3 * body + 2]) * p;
  }
  static Eigen::Vector2d point_by_angle(const State& at, int body, const Eigen::Vector2d& p) {
    if (body < 0) return Eigen::Vector2d::Zero();
    const Eigen::Vector2d u = Eigen::Rotation2Dd(at.q[3 * body + 2]) * p;
    return {-u[1], u[0]};
  }
  /// Two rows that hold point p of body a on point r of body b.
  static std::vector<PlanarRow> pin(const std::string& name, int a, Eigen::Vector2d p, int b, Eigen::Vector2d r) {
    std::vector<PlanarRow> rows;
    for (int k = 0; k < 2; ++k) {
      rows.push_back({fmt::format("{}.{}", name, k == 0 ? "x" : "y"),
                      [=](const Point& at) { return point(at, a, p)[k] - point(at, b, r)[k]; },
                      [=](const Point& at, Eigen::Ref<Eigen::RowVectorXd> row) {
                        if (a >= 0) row[3 * a + k] += 1;
                        if (a >= 0) row[3 * a + 2] += point_by_angle(at, a, p)[k];
                        if (b >= 0) row[3 * b + k] -= 1;
                        if (b >= 0) row[3 * b + 2] -= point_by_angle(at, b, r)[k];
                      }});
    }
    return rows;
  }
  /// Coordinate `index` equals value(t), whose derivative is rate(t).
  static PlanarRow motion(const std::string& name, int index, std::function<double(double)> value,
                          std::function<double(double)> rate) {
    return {name, [=](const Point& at) { return at.q[index] - value(at.t); },
            [=](const Point&, Eigen::Ref<Eigen::RowVectorXd> row) { row[index] = 1; },
            [=](double t) { return -rate(t); }};
  }
  static PlanarRow lock(const std::string& name, int index, double value = 0) {
    return motion(
        name, index, [=](double) { return value; }, [](double) { return 0.0; });
  }

  void calc_mass(const Point&, MatrixValues M) const override {
    for (int i = 0; i < static_cast<int>(bodies_.size()); ++i) {
      const Body& body = bodies_[static_cast<std::size_t>(i)];
      M(3 * i, 3 * i) = M(3 * i + 1, 3 * i + 1) = body.mass;
      M(3 * i + 2, 3 * i + 2) = body.inertia;
    }
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    for (std::size_t i = 0; i < rows_.size(); ++i) g[static_cast<Eigen::Index>(i)] = rows_[i].value(at);
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    Eigen::RowVectorXd row(structure().n_v());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      row.setZero();
      rows_[i].gradient(at, row);
      G.dense().row(static_cast<Eigen::Index>(i)) = row;
    }
  }
  void calc_velocity_offset(const Point& at, VectorOut g_t) const override {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].rate) g_t[static_cast<Eigen::Index>(i)] = rows_[i].rate(at.t);
    }
  }
  void calc_force(const Point& at, VectorOut f) const override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      f[static_cast<Eigen::Index>(3 * i + 1)] -= bodies_[i].mass * gravity_;
    }
    for (const PlanarSpring& s : springs_) {
      const Eigen::Vector2d way = point(at, s.first, s.p_first) - point(at, s.second, s.p_second);
      const double length = way.norm();
      const Eigen::Vector2d e = way / length;
      const double speed = e.dot(velocity(at, s.first, s.p_first) - velocity(at, s.second, s.p_second));
      const Eigen::Vector2d force = -(s.stiffness * (length - s.free_length) + s.damping * speed) * e;
      apply(at, s.first, s.p_first, force, f);
      apply(at, s.second, s.p_second, -force, f);
    }
  }

  State at_rest(const std::vector<double>& q) const {
    State s = State::zero(structure());
    s.q = Vector::Map(q.data(), static_cast<Eigen::Index>(q.size()));
    return s;
  }

 private:
  static Structure make_structure(const std::vector<Body>& bodies, const std::vector<PlanarRow>& rows) {
    std::vector<std::string> positions, constraints;
    for (const Body& body : bodies) {
      for (const char* c : {"x", "y", "angle"}) positions.push_back(body.name + "." + c);
    }
    for (const PlanarRow& row : rows) constraints.push_back(row.name);
    return Structure::full(positions, constraints);
  }
  static Eigen::Vector2d velocity(const Point& at, int body, const Eigen::Vector2d& p) {
    if (body < 0) return Eigen::Vector2d::Zero();
    return at.v.segment<2>(3 * body) + at.v[3 * body + 2] * point_by_angle(at, body, p);
  }
  static void apply(const Point& at, int body, const Eigen::Vector2d& p, const Eigen::Vector2d& force, VectorOut f) {
    if (body < 0) return;
    f.segment<2>(3 * body) += force;
    f[3 * body + 2] += point_by_angle(at, body, p).dot(force);
  }

  std::vector<Body> bodies_;
  std::vector<PlanarRow> rows_;
  std::vector<PlanarSpring> springs_;
  double gravity_;
};

inline std::vector<PlanarRow> join(std::initializer_list<std::vector<PlanarRow>> parts) {
  std::vector<PlanarRow> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// A four-bar linkage: crank a, coupler b, rocker c, distance d of the bearings; each bar has its origin at its middle.
struct FourBar {
  double a = 0.4, b = 1.2, c = 0.9, d = 1.0;

  std::vector<PlanarRow> rows() const {
    using P = PlanarMechanism;
    return join({P::pin("bearing", 0, {-a / 2, 0}, kOnGround, {0, 0}), P::pin("knee", 0, {a / 2, 0}, 1, {-b / 2, 0}),
                 P::pin("elbow", 1, {b / 2, 0}, 2, {c / 2, 0}), P::pin("foot", 2, {-c / 2, 0}, kOnGround, {d, 0})});
  }
  static std::vector<PlanarMechanism::Body> bodies() {
    return {{"crank", 1, 0.02}, {"coupler", 3, 0.4}, {"rocker", 2, 0.15}};
  }
  /// The open branch (elbow above the line knee-foot) at the crank angle phi.
  std::vector<double> position(double phi, double side = 1) const {
    const Eigen::Vector2d knee(a * std::cos(phi), a * std::sin(phi)), foot(d, 0), way = foot - knee;
    const double s = way.norm(), along = (s * s + b * b - c * c) / (2 * s);
    const Eigen::Vector2d e = way / s, n(-e[1], e[0]);
    const Eigen::Vector2d elbow = knee + along * e + side * std::sqrt(b * b - along * along) * n;
    const auto bar = [](const Eigen::Vector2d& from, const Eigen::Vector2d& to) {
      const Eigen::Vector2d middle = (from + to) / 2, u = to - from;
      return std::array{middle[0], middle[1], std::atan2(u[1], u[0])};
    };
    const auto crank = bar({0, 0}, knee), coupler = bar(knee, elbow), rocker = bar(foot, elbow);
    return {crank[0], crank[1], crank[2], coupler[0], coupler[1], coupler[2], rocker[0], rocker[1], rocker[2]};
  }
};

/// Rigid bodies with positions r and Euler parameters p; v = (r', angular velocity in the body). Revolute joints.
class SpatialLinkage : public dae::ConstrainedSystem {
 public:
  struct Body {
    std::string name;
    double mass;
    Eigen::Vector3d inertia;
  };
  /// Points and axis in the frames of the bodies; the axis of b is given by two directions across it.
  struct Revolute {
    std::string name;
    int a, b;
    Eigen::Vector3d p_a, p_b, axis_a, across_b1, across_b2;
  };
  SpatialLinkage(std::vector<Body> bodies, std::vector<Revolute> joints, double gravity = 9.81)
      : ConstrainedSystem(make_structure(bodies, joints)),
        bodies_(std::move(bodies)),
        joints_(std::move(joints)),
        gravity_(gravity) {}

  void calc_mass(const Point&, MatrixValues M) const override {
    for (int i = 0; i < size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        M(6 * i + k, 6 * i + k) = body(i).mass;
        M(6 * i + 3 + k, 6 * i + 3 + k) = body(i).inertia[k];
      }
    }
  }
  void calc_force(const Point& at, VectorOut f) const override {
    for (int i = 0; i < size(); ++i) {
      f[6 * i + 2] -= body(i).mass * gravity_;
      const Eigen::Vector3d w = at.v.segment<3>(6 * i + 3);
      f.segment<3>(6 * i + 3) -= w.cross(body(i).inertia.cwiseProduct(w));
    }
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const Revolute& joint = joints_[j];
      const auto row = static_cast<Eigen::Index>(5 * j);
      g.segment<3>(row) =
          place(at, joint.a) + turn(at, joint.a) * joint.p_a - place(at, joint.b) - turn(at, joint.b) * joint.p_b;
      const Eigen::Vector3d axis = turn(at, joint.a) * joint.axis_a;
      g[row + 3] = axis.dot(turn(at, joint.b) * joint.across_b1);
      g[row + 4] = axis.dot(turn(at, joint.b) * joint.across_b2);
    }
  }
  void calc_jacobian(const Point& at, MatrixValues values) const override {
    auto G = values.dense();
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const Revolute& joint = joints_[j];
      const auto row = static_cast<Eigen::Index>(5 * j);
      const Eigen::Matrix3d A = turn(at, joint.a), B = turn(at, joint.b);
      if (joint.a >= 0) {
        G.block<3, 3>(row, 6 * joint.a) += Eigen::Matrix3d::Identity();
        G.block<3, 3>(row, 6 * joint.a + 3) -= A * math::skew(joint.p_a);
      }
      if (joint.b >= 0) {
        G.block<3, 3>(row, 6 * joint.b) -= Eigen::Matrix3d::Identity();
        G.block<3, 3>(row, 6 * joint.b + 3) += B * math::skew(joint.p_b);
      }
      for (int k = 0; k < 2; ++k) {
        const Eigen::Vector3d across = k == 0 ? joint.across_b1 : joint.across_b2;
        if (joint.a >= 0)
          G.block<1, 3>(row + 3 + k, 6 * joint.a + 3) -= (B * across).transpose() * A * math::skew(joint.axis_a);
        if (joint.b >= 0)
          G.block<1, 3>(row + 3 + k, 6 * joint.b + 3) -= (A * joint.axis_a).transpose() * B * math::skew(across);
      }
    }
  }
  void calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const override {
    for (int i = 0; i < size(); ++i) {
      q_rate.segment<3>(7 * i) = v.segment<3>(6 * i);
      q_rate.segment<4>(7 * i + 3) =
          0.5 * math::body_rate_matrix(Eigen::Vector4d(q.segment<4>(7 * i + 3))).transpose() * v.segment<3>(6 * i + 3);
    }
  }
  void retract(VectorIn q, VectorIn delta, VectorOut result) const override {
    for (int i = 0; i < size(); ++i) {
      result.segment<3>(7 * i) = q.segment<3>(7 * i) + delta.segment<3>(6 * i);
      result.segment<4>(7 * i + 3) =
          math::retract(Eigen::Vector4d(q.segment<4>(7 * i + 3)), Eigen::Vector3d(delta.segment<3>(6 * i + 3)));
    }
  }

 private:
  static Structure make_structure(const std::vector<Body>& bodies, const std::vector<Revolute>& joints) {
    std::vector<std::string> positions, velocities, constraints;
    for (const Body& b : bodies) {
      for (const char* c : {"x", "y", "z", "e0", "e1", "e2", "e3"}) positions.push_back(b.name + "." + c);
      for (const char* c : {"x'", "y'", "z'", "w1", "w2", "w3"}) velocities.push_back(b.name + "." + c);
    }
    for (const Revolute& j : joints) {
      for (const char* c : {"x", "y", "z", "tilt1", "tilt2"}) constraints.push_back(j.name + "." + c);
    }
    return Structure::full(positions, constraints, {}, velocities);
  }
  int size() const { return static_cast<int>(bodies_.size()); }
  const Body& body(int i) const { return bodies_[static_cast<std::size_t>(i)]; }
  static Eigen::Vector3d place(const Point& at, int body) {
    return body < 0 ? Eigen::Vector3d::Zero().eval() : Eigen::Vector3d(at.q.segment<3>(7 * body));
  }
  static Eigen::Matrix3d turn(const Point& at, int body) {
    if (body < 0) return Eigen::Matrix3d::Identity();
    return math::rotation_from_quaternion(Eigen::Vector4d(at.q.segment<4>(7 * body + 3)));
  }

  std::vector<Body> bodies_;
  std::vector<Revolute> joints_;
  double gravity_;
};

/// The linkage of Bricard: six hinges, five moving rods of length 1 and the ground as the sixth, along the edges of a
/// cube, each hinge across its two rods. It moves though counting says that it cannot: 30 velocities, 30 rows, rank 29.
class Bricard final : public SpatialLinkage {
 public:
  explicit Bricard(double gravity = 0) : SpatialLinkage(make_bodies(), make_joints(), gravity) {}
  State start() const {
    State s = State::zero(structure());
    for (int i = 0; i < 5; ++i) {
      s.q.segment<3>(7 * i) = (corner(i) + corner(i + 1)) / 2;
      s.q[7 * i + 3] = 1;
    }
    return s;
  }

 private:
  static Eigen::Vector3d corner(int i) {
    static const std::array<Eigen::Vector3d, 6> kCorners{Eigen::Vector3d(0, 0, 0),  Eigen::Vector3d(1, 0, 0),
                                                         Eigen::Vector3d(1, -1, 0), Eigen::Vector3d(1, -1, 1),
                                                         Eigen::Vector3d(0, -1, 1), Eigen::Vector3d(0, 0, 1)};
    return kCorners[static_cast<std::size_t>(i % 6)];
  }
  static std::vector<Body> make_bodies() {
    std::vector<Body> bodies;
    for (int i = 0; i < 5; ++i) bodies.push_back({fmt::format("rod{}", i + 1), 1, {0.1, 0.1, 0.1}});
    return bodies;
  }
  /// Frames of the rods are parallel to the ground's at the start.
  static std::vector<Revolute> make_joints() {
    std::vector<Revolute> joints;
    for (int i = 0; i < 6; ++i) {  // hinge i stands at corner i, between rod i - 1 and rod i; rod 5 is the ground
      const int before = i == 0 ? kOnGround : i - 1, after = i == 5 ? kOnGround : i;
      const auto middle = [](int rod) -> Eigen::Vector3d {
        return rod < 0 ? Eigen::Vector3d::Zero().eval() : Eigen::Vector3d((corner(rod) + corner(rod + 1)) / 2);
      };
      const Eigen::Vector3d u = corner(i) - corner(i + 5), w = corner(i + 1) - corner(i);
      joints.push_back({fmt::format("hinge{}", i + 1), before, after, corner(i) - middle(before),
                        corner(i) - middle(after), u.cross(w), u, w});
    }
    return joints;
  }
};

}  // namespace trammel::testing
