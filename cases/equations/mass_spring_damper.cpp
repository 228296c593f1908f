// A nonlinear oscillator without constraints:
//   m x'' + c x'^3 + k x^3 = sin 2t,   m = 2, c = 200, k = 400,   x(0) = 1, x'(0) = -1.

#include <cmath>

#include "cases/case.h"
#include "cases/planar_scene.h"

namespace trammel::cases {
namespace {

constexpr double kMass = 2, kDamping = 200, kStiffness = 400;

Structure make_structure() {
  Structure s = Structure::full({"x"});
  s.pattern(Derivative::kInertiaByQ) = s.pattern(Derivative::kReactionByQ) = linalg::Pattern(1, 1);
  return s;
}

class MassSpringDamper final : public dae::ConstrainedSystem {
 public:
  MassSpringDamper() : ConstrainedSystem(make_structure()) {}

  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = kMass; }
  void calc_force(const Point& at, VectorOut f) const override {
    const double x = at.q[0], v = at.v[0];
    f[0] = std::sin(2 * at.t) - kDamping * v * v * v - kStiffness * x * x * x;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn, MatrixValues values) const override {
    switch (which) {
      case Derivative::kForceByQ: values(0, 0) = -3 * kStiffness * at.q[0] * at.q[0]; return true;
      case Derivative::kForceByV: values(0, 0) = -3 * kDamping * at.v[0] * at.v[0]; return true;
      default: return false;
    }
  }
  std::optional<double> calc_potential_energy(const Point& at) const override {
    return 0.25 * kStiffness * std::pow(at.q[0], 4);
  }
};

Case build(const ParameterValues&) {
  Case c;
  c.system = std::make_unique<MassSpringDamper>();
  c.start = dae::State::zero(c.system->structure());
  c.start.q << 1;
  c.start.v << -1;
  c.t_end = 10;
  integrators::Event turn;
  turn.name = "mass turns";
  turn.function = [](const dae::State& s) { return s.v[0]; };
  c.events.push_back(turn);
  c.bodies = [](const dae::State& s) {
    return std::vector<BodyPose>{{"mass", linalg::Vector{{s.q[0], 0}}, 0, linalg::Vector{{s.v[0], 0}}, 0}};
  };
  PlanarScene scene;
  scene.add_body("mass", 1, {box(0.3, 0.3)});
  scene.add_spring("spring", {model::kGround, -2, 0}, {0, -0.15, 0});
  c.scene = scene.scene();
  return c;
}

}  // namespace

extern const CaseEntry mass_spring_damper_entry;
const CaseEntry mass_spring_damper_entry{"mass-spring-damper",
                                         "a driven oscillator with cubic spring and damper, without constraints",
                                         "ME751 lecture 2010, BDF methods",
                                         {},
                                         build};

}  // namespace trammel::cases
