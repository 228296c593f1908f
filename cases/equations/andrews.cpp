// The seven-body mechanism ("Andrews squeezing mechanism"): a motor drives a crank K1; with a coupler K2 it works on
// the common pin Q of a spring-loaded lever K3 and two pairs of links K4, K5 and K6, K7. In seven angles
//   q = (beta, Theta, gamma, Phi, delta, Omega, epsilon):   M(q) q'' + G(q)^T lambda = f(q, q'),   0 = g(q),
// where beta, beta+Theta, gamma, Phi+delta, delta, Omega+epsilon, epsilon are the angles of K1 to K7 in the plane.
// With p_k the vector that link k contributes to a loop (it turns with the link),
//   g = (p1 + p2 + p3 - B,   p1 + p2 + p4 + p5 - A,   p1 + p2 + p6 + p7 - A),
// which closes the mechanism at Q. If J is a quarter turn to the left, dp_k = J p_k d(angle_k), so the columns of G are
// sums of J p_k, the bias is a sum of angle_k'^2 p_k, and so on: each derivative below names one vector for each link.
// Neither gravity nor damping: the energy is kept if the constant torque of the motor counts as a potential.

#include <array>
#include <cmath>

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {
namespace {

// Masses [kg], inertias about the centres of mass [kg m^2]; the index is that of the link.
constexpr double kM1 = .04325, kM2 = .00365, kM3 = .02373, kM4 = .00706, kM5 = .07050, kM6 = .00706, kM7 = .05498;
constexpr double kI1 = 2.194e-6, kI2 = 4.410e-7, kI3 = 5.255e-6, kI4 = 5.667e-7, kI5 = 1.169e-5, kI6 = 5.667e-7,
                 kI7 = 1.912e-5;
// Ground points A, B, C [m]; the crank turns about the origin.
constexpr double kXa = -.06934, kYa = -.00227, kXb = -.03635, kYb = .03273, kXc = .014, kYc = .072;
// Lengths [m], with the names of the documents: pins rr, d, ss, e, zt, zf, u; centres of mass with a letter a or b.
constexpr double kRr = .007, kRa = .00092, kD = .028, kDa = .0115, kSs = .035, kSa = .01874, kSb = .01043, kSc = .018,
                 kSd = .02, kE = .02, kEa = .01421, kZt = .04, kTa = .02308, kTb = .00916, kZf = .02, kFa = .01421,
                 kU = .04, kUa = .01228, kUb = .00449;
constexpr double kStiffness = 4530, kFreeLength = .07785;  // of the spring [N/m], [m]
constexpr double kTorque = .033;                           // of the motor [N m]

// Offsets and couplings of the mass matrix.
constexpr double kEea = kE - kEa, kZff = kZf - kFa;
constexpr double kCouple2 = kM2 * kDa * kRr, kCouple4 = kM4 * kZt * kEea, kCouple6 = kM6 * kU * kZff;

enum Angle { kBeta, kTheta, kGamma, kPhi, kDelta, kOmega, kEpsilon };

struct Vector2 {
  double x, y;
};
using PerLink = std::array<Vector2, 7>;

/// The angles of the links from the coordinates, or their rates from the velocities: both are the same linear map.
std::array<double, 7> link_angles(VectorIn q) {
  return {q[kBeta],  q[kBeta] + q[kTheta],    q[kGamma],  q[kPhi] + q[kDelta],
          q[kDelta], q[kOmega] + q[kEpsilon], q[kEpsilon]};
}

struct Shared final : dae::Workspace {
  PerLink p;  // the loop vectors
  double sin_theta, cos_theta, sin_phi, cos_phi, sin_omega, cos_omega;
  // The spring ties C to the end of an arm w of the lever that begins at B.
  double spring_length;         // L = |B + w - C|
  double spring_arm;            // L dL/dgamma = (B - C) . J w
  double spring_dot;            // (B - C) . w
  std::array<double, 7> rates;  // of the links
};

Structure make_structure() {
  Structure s = Structure::full({"beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"},
                                {"K2-K3.x", "K2-K3.y", "K2-K4.x", "K2-K4.y", "K2-K6.x", "K2-K6.y"});
  s.is_autonomous = true;
  return s;
}

class Andrews final : public dae::ConstrainedSystem {
 public:
  Andrews() : ConstrainedSystem(make_structure()) {}

  std::unique_ptr<dae::Workspace> make_workspace() const override { return std::make_unique<Shared>(); }

  void prepare_position(Point& at) const override {
    auto& w = at.workspace_as<Shared>();
    const std::array<double, 7> angles = link_angles(at.q);
    std::array<double, 7> c, s;
    for (std::size_t k = 0; k < 7; ++k) {
      c[k] = std::cos(angles[k]);
      s[k] = std::sin(angles[k]);
    }
    w.p = {Vector2{kRr * c[0], kRr * s[0]}, {-kD * c[1], -kD * s[1]},   {-kSs * s[2], kSs * c[2]},
           {-kE * s[3], kE * c[3]},         {-kZt * c[4], -kZt * s[4]}, {-kZf * c[5], -kZf * s[5]},
           {-kU * s[6], kU * c[6]}};
    // The relative angles are differences of those of the links.
    w.sin_theta = s[1] * c[0] - c[1] * s[0];
    w.cos_theta = c[1] * c[0] + s[1] * s[0];
    w.sin_phi = s[3] * c[4] - c[3] * s[4];
    w.cos_phi = c[3] * c[4] + s[3] * s[4];
    w.sin_omega = s[5] * c[6] - c[5] * s[6];
    w.cos_omega = c[5] * c[6] + s[5] * s[6];
    const double wx = kSd * c[2] + kSc * s[2], wy = kSd * s[2] - kSc * c[2];
    constexpr double bx = kXb - kXc, by = kYb - kYc;
    w.spring_dot = bx * wx + by * wy;
    w.spring_arm = by * wx - bx * wy;
    w.spring_length = std::sqrt(bx * bx + by * by + kSd * kSd + kSc * kSc + 2 * w.spring_dot);
  }
  void prepare_velocity(Point& at) const override { at.workspace_as<Shared>().rates = link_angles(at.v); }

  void calc_mass(const Point& at, MatrixValues M) const override {
    const auto& w = at.workspace_as<Shared>();
    M(kBeta, kBeta) = kM1 * kRa * kRa + kM2 * (kRr * kRr + kDa * kDa) + kI1 + kI2 - 2 * kCouple2 * w.cos_theta;
    M(kBeta, kTheta) = M(kTheta, kBeta) = kM2 * kDa * kDa + kI2 - kCouple2 * w.cos_theta;
    M(kTheta, kTheta) = kM2 * kDa * kDa + kI2;
    M(kGamma, kGamma) = kM3 * (kSa * kSa + kSb * kSb) + kI3;
    M(kPhi, kPhi) = kM4 * kEea * kEea + kI4;
    M(kPhi, kDelta) = M(kDelta, kPhi) = kM4 * kEea * kEea + kI4 + kCouple4 * w.sin_phi;
    M(kDelta, kDelta) =
        kM4 * (kZt * kZt + kEea * kEea) + kM5 * (kTa * kTa + kTb * kTb) + kI4 + kI5 + 2 * kCouple4 * w.sin_phi;
    M(kOmega, kOmega) = kM6 * kZff * kZff + kI6;
    M(kOmega, kEpsilon) = M(kEpsilon, kOmega) = kM6 * kZff * kZff + kI6 - kCouple6 * w.sin_omega;
    M(kEpsilon, kEpsilon) =
        kM6 * (kZff * kZff + kU * kU) + kM7 * (kUa * kUa + kUb * kUb) + kI6 + kI7 - 2 * kCouple6 * w.sin_omega;
  }
  void calc_force(const Point& at, VectorOut f) const override {
    const auto& w = at.workspace_as<Shared>();
    const dae::Vector& v = at.v;
    f[kBeta] = kTorque - kCouple2 * w.sin_theta * v[kTheta] * (v[kTheta] + 2 * v[kBeta]);
    f[kTheta] = kCouple2 * w.sin_theta * v[kBeta] * v[kBeta];
    f[kGamma] = -kStiffness * (1 - kFreeLength / w.spring_length) * w.spring_arm;
    f[kPhi] = kCouple4 * w.cos_phi * v[kDelta] * v[kDelta];
    f[kDelta] = -kCouple4 * w.cos_phi * v[kPhi] * (v[kPhi] + 2 * v[kDelta]);
    f[kOmega] = -kCouple6 * w.cos_omega * v[kEpsilon] * v[kEpsilon];
    f[kEpsilon] = kCouple6 * w.cos_omega * v[kOmega] * (v[kOmega] + 2 * v[kEpsilon]);
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    const PerLink& p = at.workspace_as<Shared>().p;
    const double x = p[0].x + p[1].x, y = p[0].y + p[1].y;  // Q
    g[0] = x + p[2].x - kXb;
    g[1] = y + p[2].y - kYb;
    g[2] = x + p[3].x + p[4].x - kXa;
    g[3] = y + p[3].y + p[4].y - kYa;
    g[4] = x + p[5].x + p[6].x - kXa;
    g[5] = y + p[5].y + p[6].y - kYa;
  }
  void calc_jacobian(const Point& at, MatrixValues G) const override {
    const PerLink& p = at.workspace_as<Shared>().p;
    write_loops(G, [&](std::size_t k) { return Vector2{-p[k].y, p[k].x}; });
  }
  bool calc_acceleration_bias(const Point& at, VectorOut bias) const override {
    const auto& w = at.workspace_as<Shared>();
    std::array<Vector2, 7> b;
    for (std::size_t k = 0; k < 7; ++k) {
      const double square = w.rates[k] * w.rates[k];
      b[k] = {square * w.p[k].x, square * w.p[k].y};
    }
    const double x = b[0].x + b[1].x, y = b[0].y + b[1].y;
    bias[0] = x + b[2].x;
    bias[1] = y + b[2].y;
    bias[2] = x + b[3].x + b[4].x;
    bias[3] = y + b[3].y + b[4].y;
    bias[4] = x + b[5].x + b[6].x;
    bias[5] = y + b[5].y + b[6].y;
    return true;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    const auto& w = at.workspace_as<Shared>();
    switch (which) {
      case Derivative::kInertiaByQ: write_inertia_by_q(w, s, values); return true;
      case Derivative::kReactionByQ: write_reaction_by_q(w.p, s, values); return true;
      case Derivative::kForceByQ: write_force_by_q(w, at.v, values); return true;
      case Derivative::kForceByV: write_force_by_v(w, at.v, values); return true;
      case Derivative::kVelocityByQ:
        write_loops(values, [&](std::size_t k) { return Vector2{-w.rates[k] * w.p[k].x, -w.rates[k] * w.p[k].y}; });
        return true;
      case Derivative::kAccelerationByQ: {
        const std::array<double, 7> along = link_angles(s);
        write_loops(values, [&](std::size_t k) {
          const double square = w.rates[k] * w.rates[k];
          return Vector2{-along[k] * w.p[k].x + square * w.p[k].y, -along[k] * w.p[k].y - square * w.p[k].x};
        });
        return true;
      }
      case Derivative::kBiasByV:
        write_loops(values, [&](std::size_t k) {
          return Vector2{2 * w.rates[k] * w.p[k].x, 2 * w.rates[k] * w.p[k].y};
        });
        return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    const double extension = at.workspace_as<Shared>().spring_length - kFreeLength;
    return 0.5 * kStiffness * extension * extension - kTorque * at.q[kBeta];
  }

 private:
  /// The derivative of the loops by the coordinates, from that by the angle of each link.
  template <class ByAngle>
  static void write_loops(MatrixValues values, const ByAngle& by_angle) {
    // Columns of six rows; a coordinate moves the links whose angle contains it.
    const auto write = [&](Angle coordinate, int row, Vector2 a) {
      double* place = values.data() + 6 * coordinate + row;
      place[0] = a.x;
      place[1] = a.y;
    };
    const auto sum = [](Vector2 a, Vector2 b) { return Vector2{a.x + b.x, a.y + b.y}; };
    const Vector2 second = by_angle(1), both = sum(by_angle(0), second);
    for (int row : {0, 2, 4}) {
      write(kBeta, row, both);
      write(kTheta, row, second);
    }
    write(kGamma, 0, by_angle(2));
    write(kPhi, 2, by_angle(3));
    write(kDelta, 2, sum(by_angle(3), by_angle(4)));
    write(kOmega, 4, by_angle(5));
    write(kEpsilon, 4, sum(by_angle(5), by_angle(6)));
  }
  static void write_inertia_by_q(const Shared& w, VectorIn s, MatrixValues values) {
    values(kBeta, kTheta) = kCouple2 * w.sin_theta * (2 * s[kBeta] + s[kTheta]);
    values(kTheta, kTheta) = kCouple2 * w.sin_theta * s[kBeta];
    values(kPhi, kPhi) = kCouple4 * w.cos_phi * s[kDelta];
    values(kDelta, kPhi) = kCouple4 * w.cos_phi * (2 * s[kDelta] + s[kPhi]);
    values(kOmega, kOmega) = -kCouple6 * w.cos_omega * s[kEpsilon];
    values(kEpsilon, kOmega) = -kCouple6 * w.cos_omega * (2 * s[kEpsilon] + s[kOmega]);
  }
  static void write_reaction_by_q(const PerLink& p, VectorIn s, MatrixValues values) {
    const auto turn = [&](std::size_t link, double x, double y) { return -(p[link].x * x + p[link].y * y); };
    const double x = s[0] + s[2] + s[4], y = s[1] + s[3] + s[5];
    const double second = turn(1, x, y);
    values(kBeta, kBeta) = turn(0, x, y) + second;
    values(kBeta, kTheta) = values(kTheta, kBeta) = values(kTheta, kTheta) = second;
    values(kGamma, kGamma) = turn(2, s[0], s[1]);
    const double fourth = turn(3, s[2], s[3]);
    values(kPhi, kPhi) = values(kPhi, kDelta) = values(kDelta, kPhi) = fourth;
    values(kDelta, kDelta) = fourth + turn(4, s[2], s[3]);
    const double sixth = turn(5, s[4], s[5]);
    values(kOmega, kOmega) = values(kOmega, kEpsilon) = values(kEpsilon, kOmega) = sixth;
    values(kEpsilon, kEpsilon) = sixth + turn(6, s[4], s[5]);
  }
  static void write_force_by_q(const Shared& w, VectorIn v, MatrixValues values) {
    values(kBeta, kTheta) = -kCouple2 * w.cos_theta * v[kTheta] * (v[kTheta] + 2 * v[kBeta]);
    values(kTheta, kTheta) = kCouple2 * w.cos_theta * v[kBeta] * v[kBeta];
    const double ratio = kFreeLength / w.spring_length, slope = w.spring_arm / w.spring_length;
    values(kGamma, kGamma) = -kStiffness * (ratio * slope * slope - (1 - ratio) * w.spring_dot);
    values(kPhi, kPhi) = -kCouple4 * w.sin_phi * v[kDelta] * v[kDelta];
    values(kDelta, kPhi) = kCouple4 * w.sin_phi * v[kPhi] * (v[kPhi] + 2 * v[kDelta]);
    values(kOmega, kOmega) = kCouple6 * w.sin_omega * v[kEpsilon] * v[kEpsilon];
    values(kEpsilon, kOmega) = -kCouple6 * w.sin_omega * v[kOmega] * (v[kOmega] + 2 * v[kEpsilon]);
  }
  static void write_force_by_v(const Shared& w, VectorIn v, MatrixValues values) {
    const double second = 2 * kCouple2 * w.sin_theta;
    values(kBeta, kBeta) = -second * v[kTheta];
    values(kBeta, kTheta) = -second * (v[kTheta] + v[kBeta]);
    values(kTheta, kBeta) = second * v[kBeta];
    const double fourth = 2 * kCouple4 * w.cos_phi;
    values(kPhi, kDelta) = fourth * v[kDelta];
    values(kDelta, kPhi) = -fourth * (v[kPhi] + v[kDelta]);
    values(kDelta, kDelta) = -fourth * v[kPhi];
    const double sixth = 2 * kCouple6 * w.cos_omega;
    values(kOmega, kEpsilon) = -sixth * v[kEpsilon];
    values(kEpsilon, kOmega) = sixth * (v[kOmega] + v[kEpsilon]);
    values(kEpsilon, kEpsilon) = sixth * v[kOmega];
  }
};

/// Position and velocity of a point reached over arms, each fixed to a link.
class Reach {
 public:
  Reach(double x, double y) : position_(Eigen::Vector2d(x, y)) {}
  Reach& along(double x, double y, double angle, double rate) {
    const double c = std::cos(angle), s = std::sin(angle);
    const Eigen::Vector2d arm(c * x - s * y, s * x + c * y);
    position_ += arm;
    velocity_ += rate * Eigen::Vector2d(-arm.y(), arm.x());
    return *this;
  }
  BodyPose pose(std::string name, double angle, double rate) const {
    return {std::move(name), position_, angle, velocity_, rate};
  }

 private:
  Eigen::Vector2d position_;
  Eigen::Vector2d velocity_ = Eigen::Vector2d::Zero();
};

/// The centres of mass of the links.
std::vector<BodyPose> poses(const dae::State& state) {
  const std::array<double, 7> angle = link_angles(state.q), rate = link_angles(state.v);
  const auto arm = [&](Reach from, std::size_t k, double x, double y) { return from.along(x, y, angle[k], rate[k]); };
  const Reach origin(0, 0), A(kXa, kYa), B(kXb, kYb);
  const std::array<Reach, 7> centres{arm(origin, 0, kRa, 0), arm(arm(origin, 0, kRr, 0), 1, -kDa, 0),
                                     arm(B, 2, kSb, -kSa),   arm(arm(A, 4, kZt, 0), 3, 0, -kEea),
                                     arm(A, 4, kTa, kTb),    arm(arm(A, 6, 0, -kU), 5, kZff, 0),
                                     arm(A, 6, -kUa, -kUb)};
  std::vector<BodyPose> poses;
  for (std::size_t k = 0; k < 7; ++k) {
    poses.push_back(centres[k].pose("K" + std::to_string(k + 1), angle[k], rate[k]));
  }
  return poses;
}

/// Pins seen from the centres of mass.
io::Scene draw() {
  PlanarScene scene;
  const std::array<double, 7> masses{kM1, kM2, kM3, kM4, kM5, kM6, kM7};
  for (std::size_t k = 0; k < 7; ++k) scene.add_body("K" + std::to_string(k + 1), masses[k]);
  using At = PlanarScene::At;
  const At A{model::kGround, kXa, kYa}, B{model::kGround, kXb, kYb}, C{model::kGround, kXc, kYc};
  const At q2{1, kDa - kD, 0}, q3{2, -kSb, kSa - kSs}, q4{3, 0, -kEa}, q6{5, kFa, 0};  // the common pin Q
  scene.add_pin("O", {}, {0, -kRa, 0});
  scene.add_pin("K1-K2", {0, kRr - kRa, 0}, {1, kDa, 0});
  scene.add_pin("K2-K3", q2, q3);
  scene.add_pin("B", B, {2, -kSb, kSa});
  scene.add_pin("K3-K4", q3, q4);
  scene.add_pin("K4-K5", {3, 0, kEea}, {4, kZt - kTa, -kTb});
  scene.add_pin("A-K5", A, {4, -kTa, -kTb});
  scene.add_pin("K3-K6", q3, q6);
  scene.add_pin("K6-K7", {5, -kZff, 0}, {6, kUa, kUb - kU});
  scene.add_pin("A-K7", A, {6, kUa, kUb});
  scene.add_spring("spring", C, {2, kSd - kSb, kSa - kSc});
  scene.add_point("Q", q2);
  scene.add_trail("Q");
  return scene.scene();
}

Case build(const ParameterValues&) {
  Case c;
  c.system = std::make_unique<Andrews>();
  c.start = dae::State::zero(c.system->structure());
  // At rest with crank and coupler in line, which fixes the other angles.
  c.start.q << -0.06171389001427644963, 0, 0.45527981916307038026, 0.22266839016588588465, 0.48736497954384255021,
      -0.22266839016588588465, 1.23054744454982119240;
  c.t_end = 0.03;
  integrators::Event extreme;
  extreme.name = "crank acceleration zero";
  extreme.function = [](const dae::State& s) { return s.a[kBeta]; };
  extreme.needs_accelerations = true;
  c.events.push_back(extreme);
  c.bodies = poses;
  c.scene = draw();
  return c;
}

}  // namespace

extern const CaseEntry andrews_entry;
const CaseEntry andrews_entry{"andrews",
                              "the seven-body mechanism, driven by a motor, in its seven angles",
                              "Schiehlen, Multibody Systems Handbook 1990; MEXX report 1992, section 5.2",
                              {},
                              build};

}  // namespace trammel::cases
