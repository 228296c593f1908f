// A load hangs by a cable from a drum whose bearing rubs: the dry friction is proportional to the reaction of the
// bearing, so the force depends on a multiplier. With the load at y1, the drum at (x2, y2, alpha2), radii r1 = r2 = 1,
//   m1 y1'' + lambda3 = -m1 g - c y1'
//   m2 x2'' + lambda1 = -mu lambda2
//   m2 y2'' + lambda2 - lambda3 = -m2 g
//   I2 alpha2'' - r1 lambda3 = -mu r2 lambda2
//   0 = x2,   0 = y2 - r2,   0 = y1 - y2 - r1 alpha2.
// Singular at mu = 1.1; beyond, the cable pushes: unphysical, but the equations are well-posed.

#include <numbers>

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {
namespace {

constexpr double kLoadMass = 10, kDrumMass = 1, kDrumInertia = 1, kCableRadius = 1, kBearingRadius = 1, kGravity = 1,
                 kDamping = 1;

Structure make_structure() {
  Structure s = Structure::full({"load.y", "drum.x", "drum.y", "drum.angle"}, {"bearing.x", "bearing.y", "cable"});
  const int n = s.n_v(), m = s.m();
  for (Derivative which : {Derivative::kInertiaByQ, Derivative::kReactionByQ, Derivative::kForceByQ}) {
    s.pattern(which) = linalg::Pattern(n, n);
  }
  for (Derivative which : {Derivative::kVelocityByQ, Derivative::kAccelerationByQ, Derivative::kBiasByV}) {
    s.pattern(which) = linalg::Pattern(m, n);
  }
  s.pattern(Derivative::kForceByV) = linalg::Pattern(n, n, {{0, 0}});
  s.pattern(Derivative::kForceByLambda) = linalg::Pattern(n, m, {{1, 1}, {3, 1}});
  return s;
}

class CableDrum final : public dae::ConstrainedSystem {
 public:
  explicit CableDrum(double mu) : ConstrainedSystem(make_structure()), mu_(mu) {}

  void calc_mass(const Point&, MatrixValues M) const override {
    M(0, 0) = kLoadMass;
    M(1, 1) = M(2, 2) = kDrumMass;
    M(3, 3) = kDrumInertia;
  }
  void calc_force(const Point& at, VectorOut f) const override {
    f[0] = -kLoadMass * kGravity - kDamping * at.v[0];
    f[1] = -mu_ * at.lambda[1];
    f[2] = -kDrumMass * kGravity;
    f[3] = -mu_ * kBearingRadius * at.lambda[1];
  }
  void calc_constraint(const Point& at, VectorOut g) const override {
    g[0] = at.q[1];
    g[1] = at.q[2] - kBearingRadius;
    g[2] = at.q[0] - at.q[2] - kCableRadius * at.q[3];
  }
  void calc_jacobian(const Point&, MatrixValues G) const override {
    G(0, 1) = G(1, 2) = G(2, 0) = 1;
    G(2, 2) = -1;
    G(2, 3) = -kCableRadius;
  }
  bool calc_acceleration_bias(const Point&, VectorOut) const override { return true; }
  bool calc_derivative(Derivative which, const Point&, VectorIn, MatrixValues values) const override {
    switch (which) {
      case Derivative::kForceByV: values[0] = -kDamping; return true;
      case Derivative::kForceByLambda:
        values[0] = -mu_;
        values[1] = -mu_ * kBearingRadius;
        return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    return kGravity * (kLoadMass * at.q[0] + kDrumMass * at.q[2]);
  }

 private:
  double mu_;
};

Case build(const ParameterValues& p) {
  Case c;
  c.system = std::make_unique<CableDrum>(p.at("mu"));
  c.start = dae::State::zero(c.system->structure());
  c.start.q << 0, 0, kBearingRadius, -kBearingRadius / kCableRadius;
  c.t_end = 4;
  integrators::Event turn;
  turn.name = "one turn of the drum";
  turn.function = [begin = c.start.q[3]](const dae::State& s) { return s.q[3] - begin + 2 * std::numbers::pi; };
  c.events.push_back(turn);
  c.bodies = [](const dae::State& s) {
    return std::vector<BodyPose>{{"load", linalg::Vector{{kCableRadius, s.q[0]}}, 0, linalg::Vector{{0, s.v[0]}}, 0},
                                 {"drum", s.q.segment(1, 2), s.q[3], s.v.segment(1, 2), s.v[3]}};
  };
  PlanarScene scene(kGravity);
  scene.add_body("load", kLoadMass, {box(0.4 * kCableRadius, 0.4 * kCableRadius, 0, -0.2 * kCableRadius)});
  scene.add_body("drum", kDrumMass,
                 {disc(kCableRadius), box(0.2 * kCableRadius, 0.8 * kCableRadius, 0, 0.5 * kCableRadius)});
  scene.add_joint("cable", "distance", {model::kGround, kCableRadius, kBearingRadius}, {0, 0, 0});
  c.scene = scene.scene();
  return c;
}

}  // namespace

extern const CaseEntry cable_drum_entry;
const CaseEntry cable_drum_entry{"cable-drum",
                                 "a load on the cable of a drum with dry friction in its bearing",
                                 "Lubich, Nowak, Poehle, Engstler 1992 (MEXX), section 5.1; closed form",
                                 {{"mu", 0.25, "friction coefficient; singular at 1.1", 0, 10}},
                                 build};

}  // namespace trammel::cases
