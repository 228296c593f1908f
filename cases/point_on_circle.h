#pragma once

// A unit point mass on the unit circle under a force that depends on its position and has a potential:
//   x'' + x lambda = f_x(x, y),   y'' + y lambda = f_y(x, y),   (x^2 + y^2 - 1)/2 = 0.
//
// The force is a type with
//   Eigen::Vector2d calc_force(const Eigen::Vector2d& q) const;
//   Eigen::Matrix2d calc_stiffness(const Eigen::Vector2d& q) const;   // -df/dq
//   double calc_potential(const Eigen::Vector2d& q) const;

#include <cmath>

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {

template <class Force>
class PointOnCircle final : public dae::ConstrainedSystem {
 public:
  explicit PointOnCircle(Force force) : ConstrainedSystem(make_structure()), force_(force) {}

  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = M(1, 1) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override { f = force_.calc_force(at.q); }
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override { g[0] = 0.5 * (at.q.squaredNorm() - 1); }
  void calc_jacobian(const dae::Point& at, dae::MatrixValues G) const override { G.dense() = at.q.transpose(); }
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override {
    bias[0] = -at.v.squaredNorm();
    return true;
  }
  bool calc_derivative(dae::Derivative which, const dae::Point& at, dae::VectorIn s,
                       dae::MatrixValues values) const override {
    using dae::Derivative;
    switch (which) {
      case Derivative::kReactionByQ: values(0, 0) = values(1, 1) = s[0]; return true;
      case Derivative::kForceByQ: values.dense() = -force_.calc_stiffness(at.q); return true;
      case Derivative::kVelocityByQ: values.dense() = at.v.transpose(); return true;
      case Derivative::kAccelerationByQ: values.dense() = s.transpose(); return true;
      case Derivative::kBiasByV: values.dense() = -2 * at.v.transpose(); return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const dae::Point& at) const override {
    return force_.calc_potential(at.q);
  }

 private:
  static dae::Structure make_structure() {
    dae::Structure s = dae::Structure::full({"x", "y"}, {"circle"});
    s.pattern(dae::Derivative::kInertiaByQ) = s.pattern(dae::Derivative::kForceByV) = linalg::Pattern(2, 2);
    return s;
  }

  Force force_;
};

/// The case of a point that starts at the angle phi from the lowest point, with the speed `w` along the circle.
template <class Force>
Case make_point_on_circle(Force force, double phi, double w, double t_end) {
  Case c;
  c.system = std::make_unique<PointOnCircle<Force>>(force);
  c.start = dae::State::zero(c.system->structure());
  c.start.q << std::sin(phi), -std::cos(phi);
  c.start.v << w * std::cos(phi), w * std::sin(phi);
  c.t_end = t_end;
  integrators::Event lowest;
  lowest.name = "lowest point";
  lowest.function = [](const dae::State& s) { return s.q[0]; };
  c.events.push_back(lowest);
  c.bodies = [](const dae::State& s) {
    return std::vector<BodyPose>{
        {"mass", s.q, std::atan2(s.q[0], -s.q[1]), s.v, (s.q[0] * s.v[1] - s.q[1] * s.v[0]) / s.q.squaredNorm()}};
  };
  PlanarScene scene;
  scene.add_body("mass", 1, {disc(0.06)});
  scene.add_joint("circle", "distance", {}, {0, 0, 0});
  scene.add_trail("mass");
  c.scene = scene.scene();
  return c;
}

}  // namespace trammel::cases
