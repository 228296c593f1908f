// The truck: what its documents say of it and what its roads must be.

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "cases/case.h"
#include "cases/truck_road.h"
#include "tests/cases/index1.h"

namespace trammel::cases {
namespace {

using dae::Derivative;
using dae::State;
using dae::Structure;

Case build(double road = 0) { return build_case(*find_case("truck"), {{"road", road}}); }

TEST(Truck, HasTheDimensionsOfTheReport) {
  const Structure s = build().system->structure();
  EXPECT_EQ(s.n_q(), 11);
  EXPECT_EQ(s.n_v(), 11);
  EXPECT_EQ(s.m(), 1);
}

TEST(Truck, StartsInEquilibriumOnALevelRoadWithTheReactionOfTheSmallerTruck) {
  for (double road : {0.0, 1.0}) {
    const Case c = build(road);
    State start = c.start;
    solve_accelerations(*c.system, start);
    EXPECT_LT(start.a.cwiseAbs().maxCoeff(), 1e-12);
    // The hinge of the truck with 9 coordinates carries 68056.2088888888 N.
    EXPECT_NEAR(start.lambda[0], -68056.2088888888, 1e-8);
  }
}

TEST(Truck, HasTheStiffnessOfThePublishedSprings) {
  // Each entry is that of the springs at a wheel: the linear ones of the published truck, which at rest are the
  // tangents of the air springs, too.
  const Case c = build();
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  const Eigen::Map<const Eigen::MatrixXd> K(evaluation.derivative(Derivative::kForceByQ), 11, 11);
  EXPECT_NEAR(-K(0, 0), 4.4e6 + 824700, 40);
  EXPECT_NEAR(-K(1, 1), 2.2e6 + 271100, 20);
  EXPECT_NEAR(K(0, 2), 824700, 40);
  EXPECT_NEAR(-K(8, 8), 10200, 1e-9);
}

TEST(Truck, IsMildlyStiffAtRest) {
  // Eigenvalues on the null space of the constraint at rest. The program behind the references has -179.11 as the
  // fastest and -0.6395 +- 7.4001 i as the slowest.
  const Case c = build();
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  const Structure& s = c.system->structure();
  const Eigen::MatrixXd G = s.jacobian.to_dense(evaluation.jacobian()), M = s.mass.to_dense(evaluation.mass());
  const Eigen::MatrixXd N = G.fullPivLu().kernel();
  State rest = c.start;
  solve_accelerations(*c.system, rest);
  const Eigen::MatrixXd K =
      s.pattern(Derivative::kForceByQ).to_dense(evaluation.derivative(Derivative::kForceByQ)) -
      s.pattern(Derivative::kReactionByQ).to_dense(evaluation.derivative(Derivative::kReactionByQ, rest.lambda));
  const Eigen::MatrixXd D = s.pattern(Derivative::kForceByV).to_dense(evaluation.derivative(Derivative::kForceByV));
  const Eigen::MatrixXd inverse = (N.transpose() * M * N).inverse();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(20, 20);
  A.topRightCorner(10, 10).setIdentity();
  A.bottomLeftCorner(10, 10) = inverse * N.transpose() * K * N;
  A.bottomRightCorner(10, 10) = inverse * N.transpose() * D * N;
  const Eigen::VectorXcd eigenvalues = A.eigenvalues();
  double fastest = 0, slowest = 1e300;
  for (const std::complex<double>& value : eigenvalues) {
    EXPECT_LT(value.real(), 0);
    fastest = std::max(fastest, std::abs(value));
    slowest = std::min(slowest, -value.real());
  }
  EXPECT_NEAR(fastest, 179.11, 0.01);
  EXPECT_NEAR(slowest, 0.6395, 1e-4);
}

TEST(Truck, StandsStillWhereTheRoadHasFaded) {
  const TruckRoad uneven(TruckRoad::Kind::kUneven);
  for (double t : {-1.0, 0.0, 12.0, 15.0}) {
    EXPECT_EQ(uneven.at(t).value, 0) << t;
    EXPECT_EQ(uneven.at(t).rate, 0) << t;
  }
}

TEST(TruckRoad, HasTheRateOfItsHeight) {
  for (const auto kind : {TruckRoad::Kind::kSine, TruckRoad::Kind::kUneven}) {
    const TruckRoad road(kind);
    for (double t = 0.01; t < 12.2; t += 0.037) {
      const double width = 1e-6;
      const double rate = (road.at(t + width).value - road.at(t - width).value) / (2 * width);
      EXPECT_NEAR(road.at(t).rate, rate, 2e-9) << t;
    }
  }
}

TEST(TruckRoad, IsAsRoughAsItsClass) {
  // The mean square of the waves between fading in and out is that of the spectrum: the sum of a_k^2 / 2 over a period.
  const TruckRoad road(TruckRoad::Kind::kUneven);
  double sum = 0, expected = 0;
  const int samples = 1000;
  const double period = 100.0 / 15;
  for (int i = 0; i < samples; ++i) sum += std::pow(road.at(1.1 + period * i / samples).value, 2) / samples;
  for (int k = 1; k <= 64; ++k) expected += 256e-6 * std::pow(10.0 / k, 2) * 0.01;
  EXPECT_NEAR(sum, expected, 1e-9);
  EXPECT_NEAR(std::sqrt(expected), 0.0204, 1e-4);  // 2 cm
}

TEST(Truck, AnAirSpringWithoutVolumeIsNamed) {
  const Case c = build();
  State state = c.start;
  state.q[0] += 0.3;
  dae::Evaluation evaluation(*c.system);
  evaluation.set(state);
  EXPECT_FALSE(std::isfinite(evaluation.force()[0]));
  EXPECT_EQ(evaluation.find_trouble(), "the rear air spring is compressed beyond its volume");
}

}  // namespace
}  // namespace trammel::cases
