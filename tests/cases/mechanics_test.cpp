// Statements about single cases that can be checked by hand or against a document.

#include <gtest/gtest.h>

#include <cmath>

#include "cases/reference.h"
#include "tests/cases/index1.h"

namespace trammel::cases {
namespace {

using dae::Derivative;
using dae::State;
using dae::Structure;

Case build(const std::string& name, const ParameterValues& parameters = {}) {
  return build_case(*find_case(name), parameters);
}

State with_accelerations(const Case& c) {
  State state = c.start;
  solve_accelerations(*c.system, state);
  return state;
}

TEST(Andrews, PosesOfTheLinksAgreeWithTheSolutionInBodyCoordinates) {
  // x, y, angle and rate of K1 to K7 at t = 0.03 from the formulation with seven bodies and ten pins.
  const double expected[7][4]{{-9.151423246975862e-04, -9.441676518022482e-05, 15.810771195153707, 1139.9203022591061},
                              {-0.018446027217581, -0.001343681483976, 0.054400136741868, -284.4589929184340},
                              {-0.025163893035469, 0.014431270235941, 0.040822240119646, 11.0329119106186},
                              {-0.034774971660383, 0.011968402202972, -0.010320150462126, 19.8669440198615},
                              {-0.053947934888533, 0.017215285001877, 0.524409965879954, 0.5735699148295},
                              {-0.034750896022967, -0.016449815495208, 1.582810857384017, -18.9701949557829},
                              {-0.071580169758889, -0.015151775477447, 1.048080741041938, 0.3231791492491}};
  const Case c = build("andrews");
  const Reference reference =
      load_reference(std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases" / "reference" / "andrews.json");
  ASSERT_EQ(reference.points.back().t, 0.03);
  const auto poses = c.bodies(to_state(c.system->structure(), reference.points.back()));
  ASSERT_EQ(poses.size(), 7u);
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_EQ(poses[k].name, "K" + std::to_string(k + 1));
    EXPECT_NEAR(poses[k].position[0], expected[k][0], 2e-15);
    EXPECT_NEAR(poses[k].position[1], expected[k][1], 2e-15);
    EXPECT_NEAR(poses[k].angle, expected[k][2], 5e-15);
    EXPECT_NEAR(poses[k].angular_velocity, expected[k][3], 5e-13);
  }
}

TEST(Andrews, OnlyCrankAndCouplerBeginToMoveFromTheDeadCentre) {
  // With crank and coupler in line, Q stays in place at first, and so do the other links: (rr - d) beta'' = d Theta''.
  const State start = with_accelerations(build("andrews"));
  EXPECT_NEAR(start.a[0], 14222.443919954113829895, 1e-8);
  EXPECT_NEAR(start.a[1], -10666.832939965585373088, 1e-8);
  EXPECT_NEAR(start.a[1] / start.a[0], -(28.0 - 7.0) / 28.0, 1e-14);
  EXPECT_NEAR(start.a.tail(5).norm(), 0, 1e-9);
  const Case c = build("andrews");
  ASSERT_EQ(c.events.size(), 1u);
  EXPECT_TRUE(c.events[0].needs_accelerations);
  EXPECT_EQ(c.events[0].function(start), start.a[0]);
}

TEST(Chain, ASingleRodFallsWithThreeHalvesOfGravityOverItsLength) {
  const State start = with_accelerations(build("chain", {{"n", 1}}));
  EXPECT_NEAR(start.a[2], -1.5 * 9.81, 1e-13);
  EXPECT_NEAR(start.a[1], -0.75 * 9.81, 1e-13);
  // The pin carries a quarter of the weight.
  EXPECT_NEAR(start.lambda[0], 0, 1e-13);
  EXPECT_NEAR(start.lambda[1], -0.25 * 9.81, 1e-13);
}

TEST(Chain, TwoRodsFallAsTheDoublePendulumOfTextbooks) {
  // Released from the horizontal: 4/3 u + 1/2 w = -3/2 g, 1/2 u + 1/3 w = -1/2 g.
  const State start = with_accelerations(build("chain", {{"n", 2}}));
  EXPECT_NEAR(start.a[2], -9.0 / 7 * 9.81, 1e-12);
  EXPECT_NEAR(start.a[5], 3.0 / 7 * 9.81, 1e-12);
}

TEST(Chain, HasAPatternThatGrowsLinearly) {
  for (int n : {10, 100, 1000}) {
    const Case c = build("chain", {{"n", n}});
    const Structure& s = c.system->structure();
    EXPECT_EQ(s.n_v(), 3 * n);
    EXPECT_EQ(s.m(), 2 * n);
    EXPECT_EQ(s.mass.size(), 3 * n);
    EXPECT_EQ(s.jacobian.size(), 8 * n - 4);
    EXPECT_EQ(s.pattern(Derivative::kReactionByQ).size(), n);
    EXPECT_EQ(s.pattern(Derivative::kVelocityByQ).size(), 4 * n - 2);
  }
}

TEST(InsulatorChain, HasTheDimensionsOfTheReport) {
  // MEXX report, table 5.4: n, n_p, n_lambda, nonzeros of [M, G^T; G, 0].
  const int table[3][4]{{16, 53, 36, 327}, {32, 101, 68, 631}, {64, 197, 132, 1239}};
  for (const auto& row : table) {
    const Case c = build("insulator-chain", {{"n", row[0]}});
    const Structure& s = c.system->structure();
    EXPECT_EQ(s.n_v(), row[1]);
    EXPECT_EQ(s.m(), row[2]);
    EXPECT_EQ(s.mass.size() + 2 * s.jacobian.size(), row[3]);
  }
}

TEST(InsulatorChain, HangsStraightBelowTheSuspensionAndCarriesThePullOfTheCable) {
  const Case c = build("insulator-chain", {{"n", 5}});
  const State start = with_accelerations(c);
  const auto poses = c.bodies(c.start);
  ASSERT_EQ(poses.size(), 7u);
  for (std::size_t i = 2; i < poses.size(); ++i) EXPECT_EQ(poses[i].position[0], 0) << poses[i].name;
  EXPECT_DOUBLE_EQ(poses.back().position[1], -0.16);
  EXPECT_NEAR(poses[2].position[1], -0.16 - 4 * 0.2, 1e-15);
  // The pin under load carries all of it, down.
  EXPECT_NEAR(start.lambda[0], 0, 1e-9);
  EXPECT_NEAR(start.lambda[1], -230000, 1e-9);
  ASSERT_EQ(c.events.size(), 1u);
  EXPECT_EQ(c.events[0].threshold, 1e-2);
  EXPECT_EQ(c.events[0].action, integrators::EventAction::kStop);
}

TEST(MixedChain, IsOfTheFormThatJointCoordinatesGive) {
  // Columns of bodies unit lower triangular, columns of joints of full rank and without mass.
  const int n = 5;
  const Case c = build("mixed-chain", {{"n", n}});
  const Structure& s = c.system->structure();
  EXPECT_EQ(s.n_v(), 4 * n);
  EXPECT_EQ(s.m(), 3 * n);
  State state = c.start;
  state.q.setLinSpaced(-1, 2);
  dae::Evaluation evaluation(*c.system);
  evaluation.set(state);
  const Eigen::MatrixXd G = s.jacobian.to_dense(evaluation.jacobian()), M = s.mass.to_dense(evaluation.mass());
  Eigen::MatrixXd K(3 * n, 3 * n), J(3 * n, n);
  for (int i = 0; i < n; ++i) {
    K.middleCols(3 * i, 3) = G.middleCols(4 * i, 3);
    J.col(i) = G.col(4 * i + 3);
    EXPECT_EQ(M.col(4 * i + 3).norm(), 0);
  }
  EXPECT_TRUE(K.isLowerTriangular());
  EXPECT_EQ(K.diagonal(), dae::Vector::Ones(3 * n));
  EXPECT_EQ(J.fullPivLu().rank(), n);
}

TEST(MixedChain, ReactionsDoNoWorkOnTheJoints) {
  // J^T mu = 0: no force acts on a joint coordinate.
  const Case c = build("mixed-chain", {{"n", 4}});
  const State start = with_accelerations(c);
  dae::Evaluation evaluation(*c.system);
  evaluation.set(start);
  const dae::Vector reaction =
      c.system->structure().jacobian.to_dense(evaluation.jacobian()).transpose() * start.lambda;
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(reaction[4 * i + 3], 0, 1e-13);
}

TEST(DoublePendulum, StartsAsTheThesisSays) {
  // Table 19, printed with seven digits, and body 2 turning about its hinge in variant B.
  const Case a = build("double-pendulum"), b = build("double-pendulum", {{"variant", 1}});
  EXPECT_NEAR(a.start.q[3], 3.4488887, 5e-8);
  EXPECT_NEAR(a.start.q[4], -0.388228, 1e-6);
  EXPECT_EQ(a.start.v.norm(), 0);
  EXPECT_EQ(b.start.v[5], 10);
  EXPECT_NEAR(b.start.v.segment(3, 2).norm(), 15, 1e-14);
}

TEST(CableDrum, FrictionGrowsWithTheReactionOfTheBearing) {
  // Closed form: (11 - 10 mu) a = -(10 - 11 mu) at rest.
  for (double mu : {0.0, 0.3, 1.0, 1.4}) {
    const State start = with_accelerations(build("cable-drum", {{"mu", mu}}));
    EXPECT_NEAR(start.a[0], -(10 - 11 * mu) / (11 - 10 * mu), 1e-13) << mu;
    EXPECT_NEAR(start.lambda[0], -mu * start.lambda[1], 1e-12) << mu;
  }
}

TEST(PointMasses, HaveTheFrequencyOfTheirStiffness) {
  // Tangential acceleration over displacement near the lowest point: 1/eps^p + 1, and 0.1/eps^2 + 1 for the spring.
  const double eps = 1e-2, tiny = 1e-6;
  const auto frequency_squared = [&](const Case& c) {
    State state = c.start;
    state.q << std::sin(tiny), -std::cos(tiny);
    state.v.setZero();
    solve_accelerations(*c.system, state);
    return -state.a[0] / tiny;
  };
  EXPECT_NEAR(frequency_squared(build("point-mass-linear", {{"eps", eps}})), 1 / eps + 1, 1e-6);
  EXPECT_NEAR(frequency_squared(build("point-mass-linear", {{"eps", eps}, {"variant", 2}})), 1 / (eps * eps) + 1, 1e-5);
  EXPECT_NEAR(frequency_squared(build("point-mass-spring", {{"eps", eps}})), 0.1 / (eps * eps) + 1, 1e-5);
}

TEST(BushingPendulum, AFreeBodyFeelsForceAndCounterforce) {
  // Off the constraints, so that every term counts: the bushing neither creates momentum nor, at the instant when its
  // points coincide, angular momentum.
  const Case c = build("bushing-pendulum");
  State state = c.start;
  state.q << 0.2, -0.1, 0.7, 0, 0, 0.4;
  state.v << 1, -2, 3, 0.5, 1.5, -0.7;
  const Eigen::Vector2d u1 = 0.5 * Eigen::Vector2d(std::cos(0.7), std::sin(0.7));
  const Eigen::Vector2d u2 = -0.5 * Eigen::Vector2d(std::cos(0.4), std::sin(0.4));
  state.q.segment(3, 2) = state.q.head(2) + u1 - u2;
  dae::Evaluation evaluation(*c.system);
  evaluation.set(state);
  const dae::Vector f = evaluation.force();
  EXPECT_NEAR(f[0] + f[3], 0, 1e-12);
  EXPECT_NEAR(f[1] + f[4], 0, 1e-12);
  EXPECT_GT(std::abs(f[0]) + std::abs(f[1]), 1);
  const double moment1 = f[2] + state.q[0] * f[1] - state.q[1] * f[0];
  const double moment2 = f[5] + state.q[3] * f[4] - state.q[4] * f[3];
  EXPECT_NEAR(moment1 + moment2, 0, 1e-10);
}

}  // namespace
}  // namespace trammel::cases
