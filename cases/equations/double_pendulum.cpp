// Two rods of lengths 2 L1 and 2 L2, hinged to the ground and to each other, with a rotational spring-damper at each
// hinge; that between the rods is so strong that an eigenvalue near -1e5 makes the system stiff. Body coordinates,
//   m_i r_i'' = m_i (0, -g) + pin forces,
//   (m_1 L1^2/3) angle_1'' = T1 - T2 + moments of the pins,   T1 = -k1 (angle_1 - 3 pi/2) - c1 angle_1',
//   (m_2 L2^2/3) angle_2'' = T2 + moments of the pins,        T2 = -k2 (angle_2 - angle_1) - c2 (angle_2' - angle_1').

#include <cmath>
#include <numbers>

#include "cases/pinned_bodies.h"

namespace trammel::cases {
namespace {

constexpr double kL1 = 1, kL2 = 1.5, kMass1 = 3, kMass2 = 0.3, kK1 = 400, kC1 = 15, kGravity = 9.81;
constexpr double kRestAngle = 1.5 * std::numbers::pi;
constexpr int kAngle1 = 2, kAngle2 = 5;

class DoublePendulum final : public PinnedBodies {
 public:
  DoublePendulum(double k2, double c2)
      : PinnedBodies({{"body1", kMass1, kMass1 * kL1 * kL1 / 3}, {"body2", kMass2, kMass2 * kL2 * kL2 / 3}},
                     {{"pivot", {0, -kL1, 0}, {kGround, 0, 0}}, {"hinge", {1, -kL2, 0}, {0, kL1, 0}}}, torque_pattern(),
                     torque_pattern()),
        k2_(k2),
        c2_(c2) {}

  void calc_force(const Point& at, VectorOut f) const override {
    const double ground = -kK1 * (at.q[kAngle1] - kRestAngle) - kC1 * at.v[kAngle1];
    const double between = -k2_ * (at.q[kAngle2] - at.q[kAngle1]) - c2_ * (at.v[kAngle2] - at.v[kAngle1]);
    f[1] = -kMass1 * kGravity;
    f[kAngle1] = ground - between;
    f[4] = -kMass2 * kGravity;
    f[kAngle2] = between;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    const auto write = [&](double ground, double between) {
      values[0] = -ground - between;
      values[1] = values[2] = between;
      values[3] = -between;
      return true;
    };
    if (which == Derivative::kForceByQ) return write(kK1, k2_);
    if (which == Derivative::kForceByV) return write(kC1, c2_);
    return PinnedBodies::calc_derivative(which, at, s, values);
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    const double twist1 = at.q[kAngle1] - kRestAngle, twist2 = at.q[kAngle2] - at.q[kAngle1];
    return kGravity * (kMass1 * at.q[1] + kMass2 * at.q[4]) + 0.5 * (kK1 * twist1 * twist1 + k2_ * twist2 * twist2);
  }

 private:
  static std::vector<linalg::Entry> torque_pattern() {
    return {{kAngle1, kAngle1}, {kAngle1, kAngle2}, {kAngle2, kAngle1}, {kAngle2, kAngle2}};
  }

  double k2_, c2_;
};

Case build(const ParameterValues& p) {
  auto system = std::make_unique<DoublePendulum>(p.at("k2"), p.at("c2"));
  Case c;
  c.start = dae::State::zero(system->structure());
  const double angle1 = 2 * std::numbers::pi, angle2 = 23 * std::numbers::pi / 12;
  const double rate2 = p.at("variant") == 0 ? 0 : 10;
  c.start.q << kL1, 0, angle1, 2 * kL1 + kL2 * std::cos(angle2), kL2 * std::sin(angle2), angle2;
  c.start.v << 0, 0, 0, -kL2 * std::sin(angle2) * rate2, kL2 * std::cos(angle2) * rate2, rate2;
  c.t_end = 2;
  integrators::Event turn;
  turn.name = "first body turns";
  turn.function = [](const dae::State& s) { return s.v[kAngle1]; };
  c.events.push_back(turn);
  c.bodies = [pendulum = system.get()](const dae::State& state) { return pendulum->poses(state); };
  PlanarScene scene = system->scene(kGravity);
  scene.add_point("tip", {1, kL2, 0});
  scene.add_trail("tip");
  c.scene = scene.scene();
  c.system = std::move(system);
  return c;
}

}  // namespace

extern const CaseEntry double_pendulum_entry;
const CaseEntry double_pendulum_entry{
    "double-pendulum",
    "the stiff double pendulum: rotational spring-dampers at both hinges",
    "Negrut, thesis 1998, section 5.1, tables 18 and 19",
    {{"variant", 0, "start: 0 = A, at rest (the run behind the thesis' tables); 1 = B, body 2 turns at 10 rad/s", 0, 1,
      true},
     {"k2", 3e5, "stiffness between the rods [N m/rad]; 300 with c2 = 50 is not stiff", 0},
     {"c2", 5e4, "damping between the rods [N m s/rad]", 0}},
    build};

}  // namespace trammel::cases
