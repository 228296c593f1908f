#include "trammel/kinematics/projection.h"

#include <gtest/gtest.h>

#include "cases/case.h"
#include "tests/support/systems.h"
#include "trammel/kinematics/redundancy.h"

namespace trammel::kinematics {
namespace {

/// A case with the objects that work on it.
struct Bench {
  cases::Case problem;
  dae::Evaluation evaluation;
  kkt::AccelerationSolver accelerations;
  Projector projector;

  explicit Bench(const char* name, const cases::ParameterValues& parameters = {})
      : problem(cases::build_case(*cases::find_case(name), parameters)),
        evaluation(*problem.system),
        accelerations(evaluation),
        projector(evaluation, accelerations) {
    evaluation.set(problem.start);
  }
};

TEST(Projector, MovesPositionsOntoTheConstraintsAlongTheMassMetric) {
  Bench b("andrews");
  const Vector weights = Vector::Constant(7, 1e-10);
  Vector q = b.problem.start.q;
  q += 1e-4 * Vector::LinSpaced(7, -1, 1);
  const Vector before = q;
  const PositionProjection outcome = b.projector.project_position(0, q, weights, MetricUse::kRenew);
  ASSERT_TRUE(outcome.ok());
  EXPECT_LE(outcome.iterations, 5);
  b.evaluation.set_position(0, q);
  EXPECT_LT(linalg::largest_abs(b.evaluation.constraint()), 1e-14);

  // nu = q - q0 satisfies M0 nu + G0^T mu = 0: no component along motions that the constraints at q0 allow.
  b.evaluation.set_position(0, before);
  const dae::Structure& s = b.evaluation.structure();
  const Eigen::MatrixXd M = s.mass.to_dense(b.evaluation.mass()), G = s.jacobian.to_dense(b.evaluation.jacobian());
  const Eigen::MatrixXd allowed = G.fullPivLu().kernel();
  const Vector nu = q - before;
  EXPECT_LT((allowed.transpose() * M * nu).norm(), 1e-9 * allowed.norm() * (M * nu).norm());
}

TEST(Projector, AMatrixFromNearbyServesAndABadOneIsRenewed) {
  Bench b("andrews");
  const Vector weights = Vector::Constant(7, 1e-10);
  ASSERT_EQ(b.accelerations.factor_position(), kkt::AccelerationStatus::kSolved);
  Vector q = b.problem.start.q + 1e-5 * Vector::Ones(7);
  EXPECT_TRUE(b.projector.project_position(0, q, weights, MetricUse::kPresent).ok());

  // The matrix of the start is useless after a large turn of the crank.
  b.evaluation.set_position(0, b.problem.start.q);
  ASSERT_EQ(b.accelerations.factor_position(), kkt::AccelerationStatus::kSolved);
  Bench other("andrews");
  q = b.problem.start.q;
  q[0] += 0.8;
  ASSERT_TRUE(other.projector.assemble_position(0, q));
  q += 1e-4 * Vector::Ones(7);
  const PositionProjection outcome = b.projector.project_position(0, q, weights, MetricUse::kPresent);
  EXPECT_TRUE(outcome.ok());
  b.evaluation.set_position(0, q);
  EXPECT_LT(linalg::largest_abs(b.evaluation.constraint()), 1e-12);
}

TEST(Projector, VelocitiesAreTheNearestInTheMassMetric) {
  Bench b("andrews");
  ASSERT_EQ(b.accelerations.factor_position(), kkt::AccelerationStatus::kSolved);
  Vector v = Vector::LinSpaced(7, 1, 2);
  const Vector before = v;
  b.projector.project_velocity(v);
  b.evaluation.set_velocity(v);
  Vector residual(6);
  b.evaluation.calc_velocity_residual(residual);
  EXPECT_LT(residual.norm(), 1e-14);
  const dae::Structure& s = b.evaluation.structure();
  const Eigen::MatrixXd M = s.mass.to_dense(b.evaluation.mass()), G = s.jacobian.to_dense(b.evaluation.jacobian());
  const Eigen::MatrixXd allowed = G.fullPivLu().kernel();
  EXPECT_LT((allowed.transpose() * M * (v - before)).norm(), 1e-12 * (M * v).norm());
}

TEST(Projector, RheonomicVelocitiesFollowTheMovingConstraint) {
  const trammel::testing::BeadOnTurningLine bead(2);
  dae::Evaluation evaluation(bead);
  kkt::AccelerationSolver accelerations(evaluation);
  Projector projector(evaluation, accelerations);
  evaluation.set_position(0, Vector{{3, 0}});
  ASSERT_EQ(accelerations.factor_position(), kkt::AccelerationStatus::kSolved);
  Vector v = Vector{{0.5, 0}};
  projector.project_velocity(v);
  EXPECT_NEAR(v[0], 0.5, 1e-15);
  EXPECT_NEAR(v[1], 6, 1e-14);
}

TEST(Projector, AssemblesFromFarAway) {
  Bench b("chain", {{"n", 6}});
  Vector q = b.problem.start.q;
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += 0.3 * std::sin(3.0 * static_cast<double>(i));
  ASSERT_TRUE(b.projector.assemble_position(0, q));
  b.evaluation.set_position(0, q);
  EXPECT_LT(linalg::largest_abs(b.evaluation.constraint()), 1e-12);
}

TEST(Redundancy, NamesTheRowsThatDependOnOthers) {
  const trammel::testing::TwiceConstrained system;
  dae::Evaluation evaluation(system);
  evaluation.set(system.start());
  const RedundancyReport report = find_redundancy(evaluation);
  EXPECT_EQ(report.rank, 1);
  EXPECT_EQ(report.degrees_of_freedom, 1);
  ASSERT_EQ(report.redundant.size(), 1u);
  EXPECT_EQ(report.redundant[0].name, "same rod");
  EXPECT_EQ(report.redundant[0].implied_by, std::vector<std::string>{"rod"});
  EXPECT_EQ(report.brief_report(), "1 of 2 constraint rows are redundant: constraint 'same rod' depends on 'rod'");
}

TEST(Redundancy, FindsNoneInSoundCases) {
  for (const char* name : {"andrews", "chain", "insulator-chain", "double-pendulum", "bushing-pendulum"}) {
    Bench b(name);
    EXPECT_TRUE(find_redundancy(b.evaluation).redundant.empty()) << name;
  }
}

/// Two unit masses of which the second has lost its mass.
class Massless final : public dae::ConstrainedSystem {
 public:
  Massless() : ConstrainedSystem(dae::Structure::full({"a", "b"})) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const dae::Point&, dae::VectorOut f) const override { f.setOnes(); }
};

TEST(Redundancy, AMotionWithoutInertiaIsNamed) {
  const Massless system;
  dae::Evaluation evaluation(system);
  evaluation.set(dae::State::zero(system.structure()));
  kkt::AccelerationSolver accelerations(evaluation);
  const kkt::AccelerationStatus status = accelerations.factor_position();
  EXPECT_EQ(status, kkt::AccelerationStatus::kSingular);
  EXPECT_NE(describe_failure(evaluation, status).find("without mass: b'"), std::string::npos)
      << describe_failure(evaluation, status);
}

}  // namespace
}  // namespace trammel::kinematics
