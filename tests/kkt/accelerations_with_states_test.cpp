// Accelerations, multipliers and rates of states that depend on each other: friction driven by reactions together with
// states in explicit and implicit form, and variables that only their equation defines.

#include <gtest/gtest.h>

#include "tests/dae/general_system.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::kkt {
namespace {

using dae::State;
using linalg::largest_abs;
using linalg::Vector;

/// Largest residual of the index-1 equations at the evaluation's point.
double calc_residual(dae::Evaluation& evaluation) {
  const dae::Structure& s = evaluation.structure();
  const dae::Point& p = evaluation.point();
  Vector balance = -evaluation.force(), constraint = -evaluation.acceleration_bias();
  s.mass.add_product(evaluation.mass(), p.a, 1, balance);
  s.jacobian.add_transposed_product(evaluation.jacobian(), p.lambda, 1, balance);
  s.jacobian.add_product(evaluation.jacobian(), p.a, 1, constraint);
  return largest_abs(balance) + largest_abs(constraint) + largest_abs(evaluation.state_residual());
}

TEST(Accelerations, FrictionAndStatesAreSolvedTogether) {
  for (const dae::StateForm form : {dae::StateForm::kExplicit, dae::StateForm::kImplicit}) {
    const dae::GeneralSystem system(form);
    const State start = system.general_state();
    dae::Evaluation evaluation(system);
    evaluation.set(start);
    AccelerationSolver accelerations(evaluation);
    ASSERT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
    ASSERT_EQ(accelerations.solve(start), AccelerationStatus::kSolved);
    EXPECT_LT(calc_residual(evaluation), 1e-11);
    EXPECT_EQ(evaluation.point().x, start.x) << "states that have a rate stay";
  }
}

/// A unit mass pushed by p, where p = 2 - p^3 + w' is defined by itself, and w' = a + p.
class PushedByAVariable final : public dae::ConstrainedSystem {
 public:
  PushedByAVariable() : ConstrainedSystem(make_structure()) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override { f[0] = at.x[0]; }
  void calc_state_residual(const dae::Point& at, dae::VectorOut d) const override {
    d[0] = at.x[0] - 2 + at.x[0] * at.x[0] * at.x[0] - 0.1 * at.x_rate[1];
    d[1] = at.x_rate[1] - at.a[0] - at.x[0];
  }

 private:
  static dae::Structure make_structure() {
    dae::Structure s = dae::Structure::full({"y"}, {}, {"p", "w"});
    s.state_form = dae::StateForm::kImplicit;
    s.pattern(dae::Derivative::kStateByXRate) = linalg::Pattern(2, 2, {{0, 1}, {1, 1}});
    return s;
  }
};

TEST(Accelerations, VariablesAreFoundFromTheirEquations) {
  const PushedByAVariable system;
  dae::Evaluation evaluation(system);
  const State start = State::zero(system.structure());
  evaluation.set(start);
  AccelerationSolver accelerations(evaluation);
  ASSERT_EQ(accelerations.factor_position(), AccelerationStatus::kSolved);
  ASSERT_EQ(accelerations.solve(start), AccelerationStatus::kSolved);
  const dae::Point& p = evaluation.point();
  EXPECT_LT(calc_residual(evaluation), 1e-10);
  // a = p, w' = 2 p, p^3 + 0.8 p = 2.
  EXPECT_NEAR(p.x[0] * p.x[0] * p.x[0] + 0.8 * p.x[0], 2, 1e-10);
  EXPECT_NEAR(p.a[0], p.x[0], 1e-12);
  EXPECT_NEAR(p.x_rate[1], 2 * p.x[0], 1e-10);
  EXPECT_EQ(p.x[1], 0);
}

}  // namespace
}  // namespace trammel::kkt
