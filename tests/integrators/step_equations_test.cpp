// The matrix of the step equations is the derivative of their residuals: with a new one at every iteration Newton
// converges quadratically, on a system that has everything.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/dae/general_system.h"
#include "trammel/integrators/implicit/extrapolation.h"
#include "trammel/integrators/implicit/step_equations.h"

namespace trammel::integrators {
namespace {

using dae::State;
using linalg::Vector;

TEST(StepEquations, HaveAnExactMatrix) {
  for (const dae::StateForm form : {dae::StateForm::kExplicit, dae::StateForm::kImplicit}) {
    const dae::GeneralSystem system(form);
    dae::Evaluation evaluation(system);
    kkt::AccelerationSolver accelerations(evaluation);
    kinematics::Projector projector(evaluation, accelerations);
    ErrorNorm norm(system.structure(), 1, 1);
    Statistics statistics;
    const MethodOptions none;
    const double horizon = 1;
    // A consistent begin.
    State begin = system.general_state();
    begin.q << 1.3, -0.5, 0.9;
    begin.t = std::sqrt(1.3 * 1.3 - 0.5 * 0.9);
    evaluation.set(begin);
    ASSERT_EQ(accelerations.factor_position(), kkt::AccelerationStatus::kSolved);
    projector.project_velocity(begin.v);
    evaluation.set_velocity(begin.v);
    ASSERT_EQ(accelerations.solve(begin), kkt::AccelerationStatus::kSolved);
    begin = evaluation.point();

    const double h = 0.05;
    std::vector<double> corrections;  // the last one of so many iterations
    for (int iterations = 1; iterations <= 2; ++iterations) {
      StepEquationsOptions options;
      options.newton = NewtonKind::kFull;
      options.max_iterations = iterations;
      options.tolerance = 1e-30;
      StepEquations equations({evaluation, accelerations, projector, norm, statistics, none, horizon}, norm, options);
      equations.set_begin(begin);
      equations.set_known(begin.t + h, h * begin.v + h * h / 4 * begin.a, begin.v + h / 2 * begin.a,
                          begin.x + h / 2 * begin.x_rate);
      equations.set_prediction(begin.a, begin.lambda, begin.x_rate);
      // Corrections of accelerations and rates themselves.
      equations.solve({h * h / 4, h / 2, h / 2, 0.4}, {4 / (h * h), 2 / h, 2 / h});
      EXPECT_EQ(equations.newton().iterations, iterations);
      corrections.push_back(equations.newton().correction);
    }
    EXPECT_GT(corrections[0], 0.01);
    EXPECT_LT(corrections[1], 0.25 * corrections[0] * corrections[0]);
  }
}

TEST(Extrapolation, ForeseesPolynomialsAndRaisesItsDegreeForThem) {
  Extrapolation past(1, 1);
  const Vector weight = Vector::Ones(1);
  const auto cubic = [](double t) { return Vector{{1 - 2 * t + 0.5 * t * t * t}}; };
  double t = 0;
  for (const double h : {0.1, 0.3, 0.2, 0.4, 0.1, 0.3, 0.2}) {
    t += h;
    past.add(t, cubic(t), weight);
  }
  EXPECT_EQ(past.degree(), 3);
  Vector y(1);
  past.predict(t + 0.25, y);
  EXPECT_NEAR(y[0], cubic(t + 0.25)[0], 1e-12);
}

TEST(Extrapolation, StaysLowWhereValuesJumpToAndFro) {
  Extrapolation past(1, 1);
  const Vector weight = Vector::Ones(1);
  for (int k = 0; k < 10; ++k) past.add(k, Vector{{k % 2 == 0 ? 1.0 : -1.0}}, weight);
  EXPECT_EQ(past.degree(), 0);
}

TEST(Extrapolation, TakesTheNewestValueBack) {
  Extrapolation past(1, 1);
  const Vector weight = Vector::Ones(1);
  for (int k = 0; k < 6; ++k) past.add(k, Vector{{static_cast<double>(k)}}, weight);
  past.remove_newest();
  EXPECT_EQ(past.time(0), 4);
  Vector y(1);
  past.predict(5, y);
  EXPECT_NEAR(y[0], 5, 1e-12);
}

}  // namespace
}  // namespace trammel::integrators
