// The parts that all methods share, each alone.

#include <gtest/gtest.h>

#include "trammel/integrators/error_norm.h"
#include "trammel/integrators/jacobian_policy.h"
#include "trammel/integrators/options.h"
#include "trammel/integrators/output_schedule.h"
#include "trammel/integrators/step_controller.h"

namespace trammel::integrators {
namespace {

TEST(StepController, KeepsTheStepWhenTheErrorIsJustAllowedTimesSafety) {
  StepController controller({.safety = 1, .beta = 0});
  EXPECT_DOUBLE_EQ(controller.after_accepted(0.1, 4, 1.0), 0.1);
}

TEST(StepController, FollowsThePowerOfTheOrderAndItsLimits) {
  StepController elementary({.safety = 1, .beta = 0});
  EXPECT_NEAR(elementary.after_accepted(1, 4, 1.0 / 32), 2, 1e-14);
  EXPECT_NEAR(elementary.after_rejected(1, 4, 32), 0.5, 1e-14);
  EXPECT_DOUBLE_EQ(elementary.after_rejected(1, 4, 1e30), 0.2);
  elementary.reset();
  EXPECT_DOUBLE_EQ(elementary.after_accepted(1, 4, 0), 5);
  EXPECT_DOUBLE_EQ(elementary.after_rejected(1, 4, std::nan("")), 0.2);
}

TEST(StepController, DoesNotGrowRightAfterARejection) {
  StepController controller;
  const double h = controller.after_rejected(1, 4, 10);
  EXPECT_LE(controller.after_accepted(h, 4, 1e-6), h);
  EXPECT_GT(controller.after_accepted(h, 4, 1e-6), h);
}

TEST(ErrorNorm, IsOneWhenEveryComponentHasItsAllowedError) {
  const dae::Structure s = dae::Structure::full({"a", "b"}, {}, {"x"});
  ErrorNorm norm(s, 1e-3, 1e-6);
  dae::State begin = dae::State::zero(s), end = begin;
  begin.q << 10, 0;
  end.q << 5, -20;
  end.v << 1, 2;
  end.x << 100;
  norm.set_weights(begin, end);
  const Eigen::Vector2d q(10e-3 + 1e-6, 20e-3 + 1e-6), v(1e-3 + 1e-6, 2e-3 + 1e-6);
  const Eigen::VectorXd x = Eigen::VectorXd::Constant(1, 0.1 + 1e-6);
  EXPECT_NEAR(norm.calc(q, v, x), 1, 1e-15);
  EXPECT_NEAR(norm.calc(2 * q, 2 * v, 2 * x), 2, 1e-15);
  EXPECT_EQ(norm.find_worst(s, q, 3 * v, x), "a'");
  EXPECT_EQ(norm.find_worst(s, q, v, x * std::nan("")), "x");
}

TEST(JacobianPolicy, KeepsAMatrixWhileItServesAndSaysWhyItDoesNot) {
  JacobianPolicy policy;
  EXPECT_EQ(policy.should_renew(1.0), RenewalCause::kFirst);
  policy.note_renewal(RenewalCause::kFirst, 1.0);
  EXPECT_FALSE(policy.should_renew(1.0));
  EXPECT_FALSE(policy.is_worth_renewing()) << "it is from this very point";

  policy.note_iteration({math::NewtonStatus::kConverged, 3, 0.05, 1e-4});
  policy.note_accepted_step();
  EXPECT_FALSE(policy.should_renew(1.1));
  EXPECT_EQ(policy.should_renew(1.5), RenewalCause::kCoefficient);
  EXPECT_TRUE(policy.is_worth_renewing());
  EXPECT_DOUBLE_EQ(policy.rate(), 0.05);

  policy.note_iteration({math::NewtonStatus::kConverged, 5, 0.6, 1e-4});
  policy.note_accepted_step();
  EXPECT_EQ(policy.should_renew(1.0), RenewalCause::kSlowConvergence);
  policy.note_renewal(RenewalCause::kSlowConvergence, 1.0);

  policy.note_iteration({math::NewtonStatus::kConverged, 2, 0.05, 1e-4});
  for (int i = 0; i < 49; ++i) policy.note_accepted_step();
  EXPECT_FALSE(policy.should_renew(1.0));
  policy.note_accepted_step();
  EXPECT_EQ(policy.should_renew(1.0), RenewalCause::kAge);
  policy.note_restart();
  EXPECT_EQ(policy.should_renew(1.0), RenewalCause::kRestart);
  EXPECT_EQ(policy.counts()[static_cast<std::size_t>(RenewalCause::kFirst)], 1);
  EXPECT_EQ(policy.counts()[static_cast<std::size_t>(RenewalCause::kSlowConvergence)], 1);
}

std::vector<double> take_all(OutputSchedule& schedule, double begin, double end) {
  std::vector<double> taken;
  for (double t = 0; schedule.take(begin, end, t);) taken.push_back(t);
  return taken;
}

TEST(OutputSchedule, UniformPointsIncludeTheEndDespiteRoundOff) {
  OutputOptions options{OutputKind::kUniform, 0.1, {}};
  OutputSchedule schedule(options, 0, 0.3);
  EXPECT_TRUE(schedule.wants_start());
  EXPECT_EQ(take_all(schedule, 0, 0.25), (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(take_all(schedule, 0.25, 0.3), (std::vector<double>{0.3})) << "3 * 0.1 is larger than 0.3";
  EXPECT_FALSE(schedule.wants_last(0.3));
}

TEST(OutputSchedule, AStopBetweenUniformPointsStillGivesTheLastState) {
  OutputOptions options{OutputKind::kUniform, 0.1, {}};
  OutputSchedule schedule(options, 0, 1);
  EXPECT_EQ(take_all(schedule, 0, 0.15).size(), 1u);
  EXPECT_TRUE(schedule.wants_last(0.15));
}

TEST(OutputSchedule, MaximalIntervalFillsLongSteps) {
  OutputOptions options{OutputKind::kMaximalInterval, 0.1, {}};
  OutputSchedule schedule(options, 0, 1);
  EXPECT_EQ(take_all(schedule, 0, 0.05), (std::vector<double>{0.05}));
  const std::vector<double> points = take_all(schedule, 0.05, 0.3);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points.back(), 0.3);
  EXPECT_NEAR(points[0] - 0.05, 0.25 / 3, 1e-15);
  EXPECT_EQ(take_all(schedule, 0.3, 0.4), (std::vector<double>{0.4}));
}

TEST(OutputSchedule, GivenPointsAreTakenOnceEach) {
  OutputOptions options{OutputKind::kPoints, 0, {0.5, 0.55, 0.7}};
  OutputSchedule schedule(options, 0, 1);
  EXPECT_FALSE(schedule.wants_start());
  EXPECT_EQ(take_all(schedule, 0, 0.6), (std::vector<double>{0.5, 0.55}));
  EXPECT_EQ(take_all(schedule, 0.6, 1), (std::vector<double>{0.7}));
  EXPECT_FALSE(schedule.wants_last(1));
}

TEST(Options, SayWhatIsWrong) {
  Options options = Options::with_tolerance(-1);
  EXPECT_EQ(options.validate(0, 1).size(), 2u);
  EXPECT_NE(options.validate(0, 1)[0].find("tolerance is -1"), std::string::npos);
  options = {};
  EXPECT_TRUE(options.validate(0, 1).empty());
  EXPECT_EQ(options.validate(1, 0).size(), 1u);
  options.output = {OutputKind::kPoints, 0, {0.2, 0.1, 7}};
  EXPECT_EQ(options.validate(0, 1).size(), 2u);
  options.output = {OutputKind::kUniform, 0, {}};
  EXPECT_EQ(options.validate(0, 1).size(), 1u);
}

}  // namespace
}  // namespace trammel::integrators
