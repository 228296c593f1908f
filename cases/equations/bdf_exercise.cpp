// An equation of first order with a smooth solution, for measuring the order of methods that treat x' = rate(t, x):
//   y' = -5 t y^2 + 5/t - 1/t^2,   y(1) = 1,   1 <= t <= 4;   y = 1/t,
// near which others come together as exp(-10 t). The lecture prints -5 t y, which its solution 1/t does not satisfy.
// A unit mass that does not act back is pulled along by the force 2 y^3:
//   r'' = 2 y^3,   r(1) = 1, r'(1) = -1;   r = 1/t.

#include "cases/case.h"

namespace trammel::cases {
namespace {

Structure make_structure() {
  Structure s = Structure::full({"r"}, {}, {"y"});
  for (const Derivative zero : {Derivative::kInertiaByQ, Derivative::kForceByQ, Derivative::kForceByV,
                                Derivative::kStateByQ, Derivative::kStateByV, Derivative::kStateByA}) {
    s.pattern(zero) = linalg::Pattern(1, 1);
  }
  return s;
}

class BdfExercise final : public dae::ConstrainedSystem {
 public:
  BdfExercise() : ConstrainedSystem(make_structure()) {}

  void calc_mass(const Point&, MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const Point& at, VectorOut f) const override { f[0] = 2 * at.x[0] * at.x[0] * at.x[0]; }
  void calc_state_rate(const Point& at, VectorOut rate) const override {
    rate[0] = -5 * at.t * at.x[0] * at.x[0] + (5 - 1 / at.t) / at.t;
  }
  bool calc_derivative(Derivative which, const Point& at, VectorIn, MatrixValues values) const override {
    switch (which) {
      case Derivative::kForceByX: values(0, 0) = 6 * at.x[0] * at.x[0]; return true;
      case Derivative::kStateByXRate: values(0, 0) = 1; return true;
      case Derivative::kStateByX: values(0, 0) = 10 * at.t * at.x[0]; return true;
      default: return false;
    }
  }
};

Case build(const ParameterValues&) {
  Case c;
  c.system = std::make_unique<BdfExercise>();
  c.start = dae::State::zero(c.system->structure());
  c.start.t = 1;
  c.start.q << 1;
  c.start.v << -1;
  c.start.x << 1;
  c.t_end = 4;
  integrators::Event half;
  half.name = "half way";
  half.function = [](const dae::State& s) { return s.q[0] - 0.5; };
  c.events.push_back(half);
  c.bodies = [](const dae::State& s) {
    return std::vector<BodyPose>{{"mass", linalg::Vector{{s.q[0], 0}}, 0, linalg::Vector{{s.v[0], 0}}, 0}};
  };
  return c;
}

}  // namespace

extern const CaseEntry bdf_exercise_entry;
const CaseEntry bdf_exercise_entry{"bdf-exercise",
                                   "an equation of first order with the solution 1/t, and a mass that it pulls along",
                                   "ME751 lecture 2010, BDF methods: exercise on convergence",
                                   {},
                                   build};

}  // namespace trammel::cases
