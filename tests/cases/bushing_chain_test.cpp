// The chain with stiff bushings: how it starts, and what remains of its motion when the bushings become pins.

#include <gtest/gtest.h>

#include <cmath>

#include "cases/reference.h"
#include "tests/cases/index1.h"

namespace trammel::cases {
namespace {

using dae::State;
using dae::Vector;

Case build(const ParameterValues& parameters) { return build_case(*find_case("bushing-chain"), parameters); }

/// Accelerations at the start.
Vector accelerations(const ParameterValues& parameters) {
  const Case c = build(parameters);
  State state = c.start;
  solve_accelerations(*c.system, state);
  return state.a;
}

double distance(const Vector& a, const Vector& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(BushingChain, WithoutOffsetTheBushingsStartWithTheirLoad) {
  for (double n : {2, 3, 24}) {
    const Vector stiff = accelerations({{"n", n}, {"stiffness", 1e8}, {"offset", 0}});
    const Vector stiffer = accelerations({{"n", n}, {"stiffness", 1e10}, {"offset", 0}});
    EXPECT_LT(stiff.cwiseAbs().maxCoeff(), 80) << "those of a chain with pins";
    EXPECT_LT(distance(stiff, stiffer), 5e-3) << "n = " << n << "; unloaded bushings would give thousands";
  }
}

TEST(BushingChain, AnOffsetIsAddedAlongAndAcrossTheRod) {
  const double offset = 1e-4;
  const auto deflection = [](const ParameterValues& parameters) {
    const auto poses = build(parameters).bodies(build(parameters).start);
    const Eigen::Rotation2Dd upper(poses[0].angle);
    const Eigen::Vector2d end = Eigen::Vector2d(poses[0].position) + upper * Eigen::Vector2d(0.1, 0);
    return Eigen::Vector2d(upper.inverse() * (Eigen::Vector2d(poses[1].position) - end));
  };
  const Eigen::Vector2d added = deflection({{"offset", offset}}) - deflection({{"offset", 0}});
  EXPECT_NEAR(added.x(), offset, 1e-15);
  EXPECT_NEAR(added.y(), offset, 1e-15);
}

TEST(BushingChain, AnOffsetIsOrthogonalToTheSwingInTheMetricOfTheMass) {
  const auto start = [](double angle, double offset) {
    return build({{"stiffness", 1e12}, {"angle", angle}, {"offset", offset}}).start.q;
  };
  const double angle = 0.7, width = 1e-5;
  const Vector displacement = start(angle, width) - start(angle, -width);
  const Vector swing = start(angle + width, 0) - start(angle - width, 0);
  const Case c = build({});
  dae::Evaluation evaluation(*c.system);
  evaluation.set(c.start);
  const Eigen::MatrixXd M = c.system->structure().mass.to_dense(evaluation.mass());
  const double sizes = std::sqrt(displacement.dot(M * displacement) * swing.dot(M * swing));
  EXPECT_GT(sizes, 0);
  EXPECT_LT(std::abs(swing.dot(M * displacement)), 1e-7 * sizes);
}

TEST(BushingChain, IsCloseToTheChainWithPins) {
  const std::filesystem::path folder = std::filesystem::path(TRAMMEL_SOURCE_DIR) / "cases" / "reference";
  const Reference smooth = load_reference(folder / "bushing-chain-24-smooth.json");
  const Reference pins = load_reference(folder / "limits" / "bushing-chain-24.json");
  const Reference oscillating = load_reference(folder / "bushing-chain-24.json");
  const Case c = build(smooth.parameters);
  const dae::Structure& structure = c.system->structure();
  ASSERT_EQ(smooth.points.size(), pins.points.size());
  ASSERT_EQ(smooth.points.size(), oscillating.points.size());
  for (std::size_t k = 0; k < smooth.points.size(); ++k) {
    const State a = to_state(structure, smooth.points[k]), b = to_state(structure, pins.points[k]);
    EXPECT_EQ(a.t, b.t);
    EXPECT_LT(distance(a.q, b.q), 2e-5) << "t = " << a.t;
    EXPECT_LT(distance(a.v, b.v), 4e-5) << "t = " << a.t;
    const State fast = to_state(structure, oscillating.points[k]);
    EXPECT_LT(distance(a.q, fast.q), 5e-5) << "t = " << a.t;
  }
}

}  // namespace
}  // namespace trammel::cases
