#pragma once

// Small systems with closed solutions, for tests of methods. Each says what it has that others do not.

#include <Eigen/Eigenvalues>
#include <cmath>

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

/// Rheonomic: a bead (unit mass) on a line that turns with the rate w: x sin(w t) = y cos(w t), no gravity.
/// From r = 1, r' = 0:  r = cosh(w t), lambda = 2 w^2 sinh(w t). Gives no derivative.
class BeadOnTurningLine final : public dae::ConstrainedSystem {
 public:
  explicit BeadOnTurningLine(double w) : ConstrainedSystem(Structure::full({"x", "y"}, {"line"})), w_(w) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const Point&, VectorOut) const override {}
  void calc_constraint(const Point& at, VectorOut g) const override {
    g[0] = at.q[0] * std::sin(w_ * at.t) - at.q[1] * std::cos(w_ * at.t);
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G(0, 0) = std::sin(w_ * at.t);
    G(0, 1) = -std::cos(w_ * at.t);
  }
  void calc_velocity_offset(const Point& at, VectorOut g_t) const override {
    g_t[0] = w_ * (at.q[0] * std::cos(w_ * at.t) + at.q[1] * std::sin(w_ * at.t));
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    const double c = std::cos(w_ * at.t), n = std::sin(w_ * at.t);
    bias[0] = -2 * w_ * (at.v[0] * c + at.v[1] * n) + w_ * w_ * (at.q[0] * n - at.q[1] * c);
    return true;
  }
  State start() const { return solution(0); }
  State solution(double t) const {
    State s = State::zero(structure());
    const double r = std::cosh(w_ * t), r1 = w_ * std::sinh(w_ * t), c = std::cos(w_ * t), n = std::sin(w_ * t);
    s.t = t;
    s.q << r * c, r * n;
    s.v << r1 * c - r * w_ * n, r1 * n + r * w_ * c;
    s.lambda << 2 * w_ * r1;
    return s;
  }

 private:
  double w_;
};

/// Nonholonomic: a knife edge on an incline (acceleration g along x), turning with the rate w, from rest:
/// x = g/(2 w^2) sin^2(w t), y = g/(2 w^2) (w t - sin(2 w t)/2), angle = w t.
class KnifeEdge final : public dae::ConstrainedSystem {
 public:
  KnifeEdge(double g, double w) : ConstrainedSystem(make_structure()), g_(g), w_(w) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = M(1, 1) = M(2, 2) = 1; }
  void calc_force(const Point&, VectorOut f) const override { f[0] = g_; }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G(0, 0) = std::sin(at.q[2]);
    G(0, 1) = -std::cos(at.q[2]);
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    bias[0] = -at.v[2] * (std::cos(at.q[2]) * at.v[0] + std::sin(at.q[2]) * at.v[1]);
    return true;
  }
  State start() const { return solution(0); }
  State solution(double t) const {
    State s = State::zero(structure());
    s.t = t;
    const double a = w_ * t, u = g_ / w_ * std::sin(a);
    s.q << g_ / (2 * w_ * w_) * std::pow(std::sin(a), 2), g_ / (2 * w_ * w_) * (a - std::sin(2 * a) / 2), a;
    s.v << u * std::cos(a), u * std::sin(a), w_;
    // Force across the blade: x'' sin - y'' cos = -u w = g sin - lambda.
    s.lambda << g_ * std::sin(a) + u * w_;
    return s;
  }

 private:
  static Structure make_structure() {
    Structure s = Structure::full({"x", "y", "angle"}, {"blade"});
    s.n_g = 0;
    return s;
  }
  double g_, w_;
};

/// A mass matrix that depends on the position: a unit mass on the line x = 1 in polar coordinates (r, angle), pulled by
/// the force (y + y^2, -w^2 y): y = v/w sin w t, lambda = y + y^2. Gives no derivative.
class PolarPoint final : public dae::ConstrainedSystem {
 public:
  PolarPoint(double v, double w) : ConstrainedSystem(Structure::full({"r", "angle"}, {"line"})), v_(v), w_(w) {}
  void calc_mass(const Point& at, MatrixValues M) const override {
    M(0, 0) = 1;
    M(1, 1) = at.q[0] * at.q[0];
  }
  void calc_force(const Point& at, VectorOut f) const override {
    const double r = at.q[0], c = std::cos(at.q[1]), n = std::sin(at.q[1]), y = r * n;
    const double f_x = y + y * y, f_y = -w_ * w_ * y;
    f[0] = r * at.v[1] * at.v[1] + f_x * c + f_y * n;
    f[1] = -2 * r * at.v[0] * at.v[1] + r * (f_y * c - f_x * n);
  }
  void calc_constraint(const Point& at, VectorOut g) const override { g[0] = at.q[0] * std::cos(at.q[1]) - 1; }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G(0, 0) = std::cos(at.q[1]);
    G(0, 1) = -at.q[0] * std::sin(at.q[1]);
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    const double turn = at.v[1];
    bias[0] = 2 * at.v[0] * turn * std::sin(at.q[1]) + at.q[0] * turn * turn * std::cos(at.q[1]);
    return true;
  }
  State start() const { return solution(0); }
  State solution(double t) const {
    State s = State::zero(structure());
    const double y = v_ / w_ * std::sin(w_ * t), y1 = v_ * std::cos(w_ * t), r = std::sqrt(1 + y * y);
    s.t = t;
    s.q << r, std::atan(y);
    s.v << y * y1 / r, y1 / (r * r);
    s.lambda << y + y * y;
    return s;
  }

 private:
  double v_, w_;
};

/// Extra states: a unit mass pushed by an actuator that lags: y'' = x, x' = (-y - y' - x)/lag.
class LaggedActuator final : public dae::ConstrainedSystem {
 public:
  explicit LaggedActuator(double lag, dae::StateForm form = dae::StateForm::kExplicit)
      : ConstrainedSystem(make_structure(form)), lag_(lag) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point& at, VectorOut f) const override { f[0] = at.x[0]; }
  void calc_state_rate(const Point& at, VectorOut rate) const override {
    rate[0] = (-at.q[0] - at.v[0] - at.x[0]) / lag_;
  }
  void calc_state_residual(const Point& at, VectorOut d) const override {
    d[0] = lag_ * at.x_rate[0] + at.q[0] + at.v[0] + at.x[0];
  }
  State start() const {
    State s = State::zero(structure());
    s.q << 1;
    return s;
  }
  /// (y, y', x) by the eigenvectors of the linear system.
  Eigen::Vector3d solution(double t) const {
    Eigen::Matrix3d A;
    A << 0, 1, 0, 0, 0, 1, -1 / lag_, -1 / lag_, -1 / lag_;
    const Eigen::EigenSolver<Eigen::Matrix3d> eigen(A);
    const Eigen::Vector3cd start = eigen.eigenvectors().colPivHouseholderQr().solve(Eigen::Vector3cd(1, 0, 0));
    return (eigen.eigenvectors() * (eigen.eigenvalues() * t).array().exp().matrix().cwiseProduct(start)).real();
  }

 private:
  static Structure make_structure(dae::StateForm form) {
    Structure s = Structure::full({"y"}, {}, {"force"});
    s.state_form = form;
    return s;
  }
  double lag_;
};

/// General kinematics: a free rigid body with inertia (1, 2, 3), Euler parameters, body-frame angular velocity.
class FreeBody final : public dae::ConstrainedSystem {
 public:
  FreeBody() : ConstrainedSystem(Structure::full({"e0", "e1", "e2", "e3"}, {}, {}, {"wx", "wy", "wz"})) {}
  void calc_mass(const Point&, MatrixValues M) const override {
    for (int i = 0; i < 3; ++i) M(i, i) = i + 1;
  }
  void calc_force(const Point& at, VectorOut f) const override {
    const Eigen::Vector3d w = at.v, momentum(w[0], 2 * w[1], 3 * w[2]);
    f = -w.cross(momentum);
  }
  void calc_position_rate(VectorIn q, VectorIn v, VectorOut q_rate) const override {
    q_rate = 0.5 * math::body_rate_matrix(q).transpose() * Eigen::Vector3d(v);
  }
  void retract(VectorIn q, VectorIn delta, VectorOut result) const override {
    result = math::retract(Eigen::Vector4d(q), Eigen::Vector3d(delta));
  }
  State start() const {
    State s = State::zero(structure());
    s.q << 1, 0, 0, 0;
    s.v << 0.1, 2, 0.3;
    return s;
  }
};

/// A ball that falls with g = 10 from the height 5: hits the ground at t = 1.
class Ball final : public dae::ConstrainedSystem {
 public:
  Ball() : ConstrainedSystem(Structure::full({"height"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point&, VectorOut f) const override { f[0] = -10; }
  State start() const {
    State s = State::zero(structure());
    s.q << 5;
    return s;
  }
};

/// A pendulum whose rod stands twice in the constraints: G has rank one.
class TwiceConstrained final : public dae::ConstrainedSystem {
 public:
  TwiceConstrained() : ConstrainedSystem(Structure::full({"x", "y"}, {"rod", "same rod"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const Point&, VectorOut f) const override { f[1] = -9.81; }
  void calc_constraint(const Point& at, VectorOut g) const override { g.setConstant(0.5 * (at.q.squaredNorm() - 1)); }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G.dense().row(0) = at.q.transpose();
    G.dense().row(1) = at.q.transpose();
  }
  State start() const {
    State s = State::zero(structure());
    s.q << 1, 0;
    return s;
  }
};

/// A force that stops being a number when t exceeds 1.
class BreaksAtOne final : public dae::ConstrainedSystem {
 public:
  BreaksAtOne() : ConstrainedSystem(Structure::full({"position"})) {}
  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point& at, VectorOut f) const override { f[0] = std::sqrt(1 - at.t); }
  State start() const { return State::zero(structure()); }
};

}  // namespace trammel::testing
