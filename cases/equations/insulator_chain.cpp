// What remains of a double chain of insulators that carries a high-voltage cable, after one of the two has broken:
// n insulators hang from the pole at the origin, under them a triangle, at whose corner the cable pulls. The point
// where the cable pulls has no mass: its two rows of M are zero, and the constraints make the equations regular. With
// (x0, y0) that point, c_L and c_Q the speeds of longitudinal and transverse waves in the cable,
//   0 = F (sin beta, -cos beta) - pin force,   F = F0 + y0' E A / c_L,   beta = -arctan(x0' / c_Q),
//   m_i r_i'' and I_i angle_i'' = pin forces and their moments; no gravity.
// All angles are zero when the chain hangs straight. Numbered from the load up, so that the order follows the chain.

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "cases/pinned_bodies.h"

namespace trammel::cases {
namespace {

// A link of the chain: its centre lies `below` above its lower pin and `above` under its upper one [m].
struct Link {
  double mass, inertia, above, below;
};
constexpr double kTriangle = 0.37;  // from the centre of the triangle to its corners [m]
constexpr double kTriangleMass = 34, kTriangleInertia = 3.1;
constexpr Link kInsulator{15, 0.35, 0.12, 0.08};
constexpr Link kTopInsulator{9.8, 0.05, 0.16, 0.08};
const Link& link_of(int i, int n) { return i == n ? kTopInsulator : kInsulator; }

constexpr double kElasticity = 8e9, kArea = 3.4e-4, kDensity = 3325, kPull = 230000;

// Bodies: 0 the point under load, 1 the triangle, 1 + i the i-th insulator from below.
class InsulatorChain final : public PinnedBodies {
 public:
  explicit InsulatorChain(int n)
      : PinnedBodies(bodies(n), pins(n), {}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
        radiation_(kElasticity * kArea / std::sqrt(kElasticity / kDensity)),
        transverse_speed_(std::sqrt(kPull / (kArea * kDensity))) {}

  void calc_force(const Point& at, VectorOut f) const override {
    const double slope = at.v[0] / transverse_speed_, stretch = std::sqrt(1 + slope * slope);
    const double pull = kPull + radiation_ * at.v[1];
    f[0] = -pull * slope / stretch;
    f[1] = -pull / stretch;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn s, MatrixValues values) const override {
    if (which != Derivative::kForceByV) return PinnedBodies::calc_derivative(which, at, s, values);
    const double slope = at.v[0] / transverse_speed_, stretch = std::sqrt(1 + slope * slope);
    const double pull = kPull + radiation_ * at.v[1];
    const double turning = pull / (stretch * stretch * stretch * transverse_speed_);
    values[0] = -turning;
    values[1] = -radiation_ * slope / stretch;
    values[2] = turning * slope;
    values[3] = -radiation_ / stretch;
    return true;
  }

 private:
  static std::vector<PlanarBody> bodies(int n) {
    std::vector<PlanarBody> bodies{{"load", 0, 0, true}, {"triangle", kTriangleMass, kTriangleInertia}};
    for (int i = 1; i <= n; ++i) {
      bodies.push_back({fmt::format("insulator{}", i), link_of(i, n).mass, link_of(i, n).inertia});
    }
    return bodies;
  }
  static std::vector<Pin> pins(int n) {
    std::vector<Pin> pins{{"pin0", {0, 0, 0}, {1, 0, -kTriangle}}};
    BodyPoint upper{1, 0.5 * std::numbers::sqrt3 * kTriangle, 0.5 * kTriangle};
    for (int i = 1; i <= n; ++i) {
      pins.push_back({fmt::format("pin{}", i), upper, {1 + i, 0, -link_of(i, n).below}});
      upper = {1 + i, 0, link_of(i, n).above};
    }
    pins.push_back({"suspension", upper, {kGround, 0, 0}});
    return pins;
  }

  double radiation_;         // force per speed of an outgoing wave, E A / c_L [N s/m]
  double transverse_speed_;  // c_Q [m/s]
};

Case build(const ParameterValues& p) {
  const int n = static_cast<int>(p.at("n"));
  auto system = std::make_unique<InsulatorChain>(n);
  Case c;
  c.start = dae::State::zero(system->structure());
  // Straight down from the suspension at the origin.
  const auto y_of = [&](int body) -> double& { return c.start.q[body == 0 ? 1 : 3 * body]; };
  double height = 0;
  for (int i = n; i >= 1; --i) {
    height -= link_of(i, n).above;
    y_of(1 + i) = height;
    height -= link_of(i, n).below;
  }
  const double side = 0.5 * std::numbers::sqrt3 * kTriangle;
  c.start.q.head(4) << -side, height - 1.5 * kTriangle, -side, height - 0.5 * kTriangle;
  c.t_end = 0.1;
  integrators::Event turn;
  turn.name = "top insulator turns";
  const Eigen::Index top = c.start.v.size() - 1;
  turn.function = [top](const dae::State& s) { return s.v[top]; };
  turn.action = integrators::EventAction::kStop;
  turn.threshold = 1e-2;  // the rate is noise until the wave has come up from the load
  c.events.push_back(turn);
  c.bodies = [chain = system.get()](const dae::State& state) { return chain->poses(state); };
  PlanarScene scene = system->scene(0);
  scene.add_trail("load");
  c.scene = scene.scene();
  c.system = std::move(system);
  return c;
}

}  // namespace

extern const CaseEntry insulator_chain_entry;
const CaseEntry insulator_chain_entry{"insulator-chain",
                                      "the chain of n insulators that is left when its twin has broken",
                                      "Lubich, Nowak, Poehle, Engstler 1992 (MEXX), section 5.4",
                                      {{"n", 32, "number of insulators", 1, 1e6, true}},
                                      build};

}  // namespace trammel::cases
