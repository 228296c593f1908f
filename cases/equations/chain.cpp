// n uniform slender rods hanging one from the other, the first pinned to the ground at the origin, released at rest
// along the x axis. In body coordinates: 3 n coordinates, 2 n constraints,
//   m r_i'' = m (0, -g) + pin forces,  (m l^2/12) angle_i'' = moments of the pin forces.

#include <fmt/format.h>

#include "cases/pinned_bodies.h"

namespace trammel::cases {
namespace {

constexpr double kMass = 1, kLength = 1, kGravity = 9.81;
constexpr double kInertia = kMass * kLength * kLength / 12;

class Chain final : public PinnedBodies {
 public:
  explicit Chain(int n) : PinnedBodies(rods(n), pins(n), {}, {}), n_(n) {}

  void calc_force(const Point&, VectorOut f) const override {
    for (int i = 0; i < n_; ++i) f[3 * i + 1] = -kMass * kGravity;
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    double height = 0;
    for (int i = 0; i < n_; ++i) height += at.q[3 * i + 1];
    return kMass * kGravity * height;
  }

 private:
  static std::vector<PlanarBody> rods(int n) {
    std::vector<PlanarBody> rods;
    for (int i = 1; i <= n; ++i) rods.push_back({fmt::format("rod{}", i), kMass, kInertia});
    return rods;
  }
  static std::vector<Pin> pins(int n) {
    std::vector<Pin> pins;
    for (int i = 0; i < n; ++i) {
      const BodyPoint before = i == 0 ? BodyPoint{kGround, 0, 0} : BodyPoint{i - 1, kLength / 2, 0};
      pins.push_back({fmt::format("pin{}", i + 1), {i, -kLength / 2, 0}, before});
    }
    return pins;
  }

  int n_;
};

Case build(const ParameterValues& p) {
  const int n = static_cast<int>(p.at("n"));
  auto system = std::make_unique<Chain>(n);
  Case c;
  c.start = dae::State::zero(system->structure());
  for (int i = 0; i < n; ++i) c.start.q[3 * i] = kLength * (i + 0.5);
  c.t_end = 1;
  c.bodies = [chain = system.get()](const dae::State& state) { return chain->poses(state); };
  PlanarScene scene = system->scene(kGravity);
  scene.add_point("tip", {n - 1, kLength / 2, 0});
  scene.add_trail("tip");
  c.scene = scene.scene();
  c.system = std::move(system);
  return c;
}

}  // namespace

extern const CaseEntry chain_entry;
const CaseEntry chain_entry{"chain",
                            "n rods hanging one from the other, released from the horizontal",
                            "benchmark of our own, after the chains of the thesis (section 3.4) and the MEXX report",
                            {{"n", 10, "number of rods", 1, 1e6, true}},
                            build};

}  // namespace trammel::cases
