// A point mass on a rigid rod in the plane: the smallest constrained system.
//   m x'' + x lambda = 0,  m y'' + y lambda = -m g,  (x^2 + y^2 - l^2)/2 = 0.
// More than one rod means as many equal constraints: what is then said about them is worth seeing.

#include <cmath>

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {
namespace {

Structure make_structure(std::vector<std::string> rods) {
  Structure s = Structure::full({"x", "y"}, std::move(rods));
  s.is_autonomous = true;
  return s;
}

class Pendulum final : public dae::ConstrainedSystem {
 public:
  Pendulum(double mass, double length, double gravity, std::vector<std::string> rods)
      : ConstrainedSystem(make_structure(std::move(rods))), mass_(mass), length_(length), gravity_(gravity) {}

  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = M(1, 1) = mass_; }
  void calc_force(const Point&, VectorOut f) const override { f[1] = -mass_ * gravity_; }
  void calc_constraint(const Point& at, VectorOut g) const override {
    g.setConstant(0.5 * (at.q.squaredNorm() - length_ * length_));
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override { G.dense().rowwise() = at.q.transpose(); }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    bias.setConstant(-at.v.squaredNorm());
    return true;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    switch (which) {
      case Derivative::kReactionByQ: values(0, 0) = values(1, 1) = s.sum(); return true;
      case Derivative::kVelocityByQ: values.dense().rowwise() = at.v.transpose(); return true;
      case Derivative::kAccelerationByQ: values.dense().rowwise() = s.transpose(); return true;
      case Derivative::kBiasByV:
        values.dense().rowwise() = at.v.transpose();
        values.dense() *= -2;
        return true;
      case Derivative::kInertiaByQ:
      case Derivative::kForceByQ:
      case Derivative::kForceByV: return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const Point& at) const override { return mass_ * gravity_ * at.q[1]; }

 private:
  double mass_, length_, gravity_;
};

Case build(const ParameterValues& p) {
  Case c;
  std::vector<std::string> rods{"rod"};
  for (int k = 2; k <= p.at("rods"); ++k) rods.push_back("rod " + std::to_string(k));
  c.system = std::make_unique<Pendulum>(p.at("mass"), p.at("length"), p.at("g"), std::move(rods));
  c.start = dae::State::zero(c.system->structure());
  c.start.q << p.at("length") * std::sin(p.at("angle")), -p.at("length") * std::cos(p.at("angle"));
  c.t_end = 10;
  integrators::Event lowest;
  lowest.name = "lowest point";
  lowest.function = [](const dae::State& s) { return s.q[0]; };
  c.events.push_back(lowest);
  c.bodies = [](const dae::State& s) {
    return std::vector<BodyPose>{
        {"mass", s.q, std::atan2(s.q[0], -s.q[1]), s.v, (s.q[0] * s.v[1] - s.q[1] * s.v[0]) / s.q.squaredNorm()}};
  };
  const double length = p.at("length");
  PlanarScene scene(p.at("g"));
  scene.add_body("mass", p.at("mass"), {disc(0.08 * length)});
  scene.add_joint("rod", "distance", {}, {0, 0, 0});
  scene.add_trail("mass");
  c.scene = scene.scene();
  return c;
}

}  // namespace

extern const CaseEntry pendulum_entry;
const CaseEntry pendulum_entry{"pendulum",
                               "a point mass on a rigid rod, released from rest",
                               "textbook; period by the complete elliptic integral",
                               {{"mass", 1, "mass [kg]", 1e-12},
                                {"length", 1, "length of the rod [m]", 1e-12},
                                {"g", 9.81, "gravity [m/s^2]"},
                                {"angle", 1.5707963267948966, "initial angle from the vertical [rad]"},
                                {"rods", 1, "number of equal rods; more than one is redundant", 1, 9, true}},
                               build};

}  // namespace trammel::cases
