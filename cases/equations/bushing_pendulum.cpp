// Body 2 is held at unit distance from body 1, which is grounded, does not turn, and is tied to it by a bushing: a
// stiff spring and a damper between the points s1 = (1/2, 0) of body 1 and s2 = (-1/2, 0) of body 2. With r_i the
// centres, u_i = R(theta_i) s_i, d = r2 + u2 - r1 - u1 and x the planar cross product,
//   F = (k/eps) d + c d',   T = (k/eps) (theta2 - theta1) + c (theta2' - theta1'),
//   force on body 1: (F, u1 x F + T),   on body 2: (-F - (0, m g), -u2 x F - T),
//   0 = x1,  0 = y1,  0 = theta1,  0 = |r1 - r2|^2 - 1,  0 = theta2.
// The report states no masses, gravity or end time: m = 1, inertia 1 (of no influence), and no gravity by default;
// where there is some, it acts on body 2 only. Its start leaves the circle by 3e-7 and is moved radially onto it here.

#include <Eigen/Core>
#include <cmath>

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {
namespace {

using Eigen::Vector2d;

constexpr double kMass = 1, kInertia = 1, kStiffness = 1, kDamping = 10, kPoint1 = 0.5, kPoint2 = -0.5;
constexpr int kX1 = 0, kY1 = 1, kTheta1 = 2, kX2 = 3, kY2 = 4, kTheta2 = 5;

Structure make_structure() {
  Structure s = Structure::full({"body1.x", "body1.y", "body1.angle", "body2.x", "body2.y", "body2.angle"},
                                {"ground.x", "ground.y", "ground.angle", "distance", "direction"});
  s.pattern(Derivative::kInertiaByQ) = linalg::Pattern(6, 6);
  return s;
}

Vector2d quarter_turn(const Vector2d& u) { return {-u.y(), u.x()}; }

class BushingPendulum final : public dae::ConstrainedSystem {
 public:
  BushingPendulum(double eps, double gravity)
      : ConstrainedSystem(make_structure()), stiffness_(kStiffness / eps), gravity_(gravity) {}

  void calc_mass(const Point&, MatrixValues M) const override {
    M.dense().diagonal() << kMass, kMass, kInertia, kMass, kMass, kInertia;
  }
  void calc_force(const Point& at, VectorOut f) const override {
    const auto& bushing = at.workspace_as<Bushing>();
    f.noalias() = -bushing.D.transpose() * bushing.F;
    f[kY2] -= kMass * gravity_;
    f[kTheta1] += bushing.torque;
    f[kTheta2] -= bushing.torque;
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    const double dx = at.q[kX1] - at.q[kX2], dy = at.q[kY1] - at.q[kY2];
    g << at.q[kX1], at.q[kY1], at.q[kTheta1], dx * dx + dy * dy - 1, at.q[kTheta2];
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    G(0, kX1) = G(1, kY1) = G(2, kTheta1) = G(4, kTheta2) = 1;
    write_distance_row(at.q, 2, G);
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    const double vx = at.v[kX1] - at.v[kX2], vy = at.v[kY1] - at.v[kY2];
    bias[3] = -2 * (vx * vx + vy * vy);
    return true;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    switch (which) {
      case Derivative::kReactionByQ:
        for (int i : {kX1, kY1}) {
          values(i, i) = values(i + 3, i + 3) = 2 * s[3];
          values(i, i + 3) = values(i + 3, i) = -2 * s[3];
        }
        return true;
      case Derivative::kForceByQ: write_force_by_q(at, values); return true;
      case Derivative::kForceByV: write_force_by_v(at, values); return true;
      case Derivative::kVelocityByQ: write_distance_row(at.v, 2, values); return true;
      case Derivative::kAccelerationByQ: write_distance_row(s, 2, values); return true;
      case Derivative::kBiasByV: write_distance_row(at.v, -4, values); return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    const auto& bushing = at.workspace_as<Bushing>();
    const double twist = at.q[kTheta2] - at.q[kTheta1];
    return 0.5 * stiffness_ * (bushing.d.squaredNorm() + twist * twist) + kMass * gravity_ * at.q[kY2];
  }

  std::unique_ptr<dae::Workspace> make_workspace() const override { return std::make_unique<Bushing>(); }
  void prepare_position(Point& at) const override {
    auto& bushing = at.workspace_as<Bushing>();
    bushing.u1 = kPoint1 * Vector2d(std::cos(at.q[kTheta1]), std::sin(at.q[kTheta1]));
    bushing.u2 = kPoint2 * Vector2d(std::cos(at.q[kTheta2]), std::sin(at.q[kTheta2]));
    bushing.d = at.q.segment<2>(kX2) + bushing.u2 - at.q.segment<2>(kX1) - bushing.u1;
    bushing.D << -Eigen::Matrix2d::Identity(), -quarter_turn(bushing.u1), Eigen::Matrix2d::Identity(),
        quarter_turn(bushing.u2);
  }
  void prepare_velocity(Point& at) const override {
    auto& bushing = at.workspace_as<Bushing>();
    bushing.F = stiffness_ * bushing.d + kDamping * (bushing.D * at.v.head<6>());
    bushing.torque = stiffness_ * (at.q[kTheta2] - at.q[kTheta1]) + kDamping * (at.v[kTheta2] - at.v[kTheta1]);
  }

 private:
  struct Bushing final : dae::Workspace {
    Vector2d u1, u2, d;
    Eigen::Matrix<double, 2, 6> D;  // dd/dq
    Vector2d F;
    double torque = 0;
  };

  /// The row of |r1 - r2|^2 - 1 is bilinear: factor * ((a1 - a2), -(a1 - a2)) with a = q, v or s.
  static void write_distance_row(VectorIn a, double factor, MatrixValues values) {
    for (int i : {kX1, kY1}) {
      values(3, i) = factor * (a[i] - a[i + 3]);
      values(3, i + 3) = -values(3, i);
    }
  }
  void write_force_by_q(const Point& at, MatrixValues values) const {
    const auto& bushing = at.workspace_as<Bushing>();
    Eigen::Matrix<double, 2, 6> F_q = stiffness_ * bushing.D;
    F_q.col(kTheta1) += kDamping * at.v[kTheta1] * bushing.u1;  // d' = D v turns with the arms
    F_q.col(kTheta2) -= kDamping * at.v[kTheta2] * bushing.u2;
    values.dense().noalias() = -bushing.D.transpose() * F_q;
    values(kTheta1, kTheta1) -= bushing.u1.dot(bushing.F);
    values(kTheta2, kTheta2) += bushing.u2.dot(bushing.F);
    add_torsion(stiffness_, values);
  }
  void write_force_by_v(const Point& at, MatrixValues values) const {
    const auto& D = at.workspace_as<Bushing>().D;
    values.dense().noalias() = -kDamping * (D.transpose() * D);
    add_torsion(kDamping, values);
  }
  static void add_torsion(double coefficient, MatrixValues values) {
    values(kTheta1, kTheta1) -= coefficient;
    values(kTheta2, kTheta2) -= coefficient;
    values(kTheta1, kTheta2) += coefficient;
    values(kTheta2, kTheta1) += coefficient;
  }

  double stiffness_;  // k / eps
  double gravity_;
};

Case build(const ParameterValues& p) {
  Case c;
  c.system = std::make_unique<BushingPendulum>(p.at("eps"), p.at("g"));
  c.start = dae::State::zero(c.system->structure());
  const double x = 9.9989e-1, y = -1.4852e-2, vx = -6.75e-5, vy = -4.5444e-3;  // as printed
  const double psi = std::atan2(y, x), psi_rate = (x * vy - y * vx) / (x * x + y * y);
  c.start.q.tail(3) << std::cos(psi), std::sin(psi), 0;
  c.start.v.tail(3) << -std::sin(psi) * psi_rate, std::cos(psi) * psi_rate, 0;
  c.t_end = 1;
  integrators::Event crossing;
  crossing.name = "body 2 crosses the x axis";
  crossing.function = [](const dae::State& s) { return s.q[kY2]; };
  c.events.push_back(crossing);
  c.bodies = [](const dae::State& s) {
    return std::vector<BodyPose>{{"body1", s.q.segment(kX1, 2), s.q[kTheta1], s.v.segment(kX1, 2), s.v[kTheta1]},
                                 {"body2", s.q.segment(kX2, 2), s.q[kTheta2], s.v.segment(kX2, 2), s.v[kTheta2]}};
  };
  PlanarScene scene(p.at("g"));
  scene.add_body("body1", 1, {box(0.2, 0.1)});
  scene.add_body("body2", 1, {box(0.2, 0.1)});
  scene.add_joint("rod", "distance", {0, 0, 0}, {1, 0, 0});
  scene.add_trail("body2");
  c.scene = scene.scene();
  return c;
}

}  // namespace

extern const CaseEntry bushing_pendulum_entry;
const CaseEntry bushing_pendulum_entry{
    "bushing-pendulum",
    "two bodies at fixed distance with a stiff bushing between them",
    "Yen, Petzold 1996, section 5.2",
    {{"eps", 1e-3, "the stiffness of the bushing is 1/eps", 1e-9, 1}, {"g", 0, "gravity on body 2 [m/s^2]"}},
    build};

}  // namespace trammel::cases
