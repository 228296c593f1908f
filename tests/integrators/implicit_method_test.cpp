// The shared parts serve an implicit method too: backward Euler on the index-3 equations, written as a later method
// would be, with the one tangent, the KKT weights, Newton's iteration and the policy for its matrix.

#include <gtest/gtest.h>

#include "tests/support/problems.h"
#include "trammel/integrators/jacobian_policy.h"
#include "trammel/kkt/solver.h"
#include "trammel/math/newton.h"

namespace trammel::integrators {
namespace {

using dae::Derivative;
using dae::State;
using linalg::Vector;

/// v1 = v + h a, q1 = q + h v1, M(q1) a + G(q1)^T lambda = f(t1, q1, v1), g(t1, q1)/h^2 = 0; unknowns a and lambda.
class BackwardEuler final : public Method {
 public:
  explicit BackwardEuler(const MethodContext& context)
      : context_(context), evaluation_(context.evaluation), solver_(make_layout(context.evaluation.structure())) {
    begin_ = state_ = trial_ = State::zero(evaluation_.structure());
    upper_ = Vector::Zero(evaluation_.structure().n_v());
    lower_ = Vector::Zero(evaluation_.structure().m());
  }

  void start(const State& state) override {
    state_ = state;
    policy_.note_restart();
  }

  StepOutcome attempt(double h) override {
    for (std::optional<RenewalCause> cause = policy_.should_renew(h);; cause = RenewalCause::kFailure) {
      trial_ = state_;
      trial_.t = context_.end_of_step(state_.t, h);
      predict(h);
      if (cause && !renew(*cause, h)) return {StepStatus::kNotSolved};
      const math::NewtonOutcome newton =
          math::iterate_newton([&] { return correct(h); }, {.tolerance = 1e-4}, policy_.rate());
      policy_.note_iteration(newton);
      context_.statistics.newton_iterations += newton.iterations;
      if (newton.converged()) break;
      if (!policy_.is_worth_renewing()) return {StepStatus::kNotSolved};
    }
    predict(h);
    // Local error of the formula: h/2 times the change of the derivatives.
    context_.norm.set_weights(state_, trial_);
    const Vector dq = 0.5 * h * (trial_.v - state_.v), dv = 0.5 * h * (trial_.a - state_.a);
    return {StepStatus::kSolved, context_.norm.calc(dq, dv, Vector(0))};
  }

  void accept() override {
    begin_ = state_;
    state_ = trial_;
    policy_.note_accepted_step();
    context_.statistics.renewals = policy_.counts();
  }
  const State& state() const override { return state_; }
  int order() const override { return 1; }
  int dense_degree() const override { return 1; }
  void interpolate(double t, State& out) override {
    const double theta = (t - begin_.t) / (state_.t - begin_.t);
    out.t = t;
    out.q = (1 - theta) * begin_.q + theta * state_.q;
    out.v = (1 - theta) * begin_.v + theta * state_.v;
    out.x = state_.x;
  }
  void add_counts(Statistics& statistics) const override { statistics.linear += solver_.counts(); }
  std::string describe_trouble() override { return "backward Euler"; }

 private:
  static kkt::Layout make_layout(const dae::Structure& s) {
    kkt::Layout layout;
    layout.upper = s.n_v();
    layout.lower = s.m();
    layout.jacobian = &s.jacobian;
    layout.blocks = {{&s.mass},
                     {&s.pattern(Derivative::kForceByV)},
                     {&s.pattern(Derivative::kInertiaByQ)},
                     {&s.pattern(Derivative::kReactionByQ)},
                     {&s.pattern(Derivative::kForceByQ)}};
    return layout;
  }
  /// v and q of the trial from its accelerations.
  void predict(double h) {
    trial_.v = state_.v + h * trial_.a;
    trial_.q = state_.q + h * trial_.v;
  }
  bool renew(RenewalCause cause, double h) {
    evaluation_.set(trial_);
    const std::array values{kkt::BlockValues{evaluation_.mass(), 1},
                            kkt::BlockValues{evaluation_.derivative(Derivative::kForceByV), -h},
                            kkt::BlockValues{evaluation_.derivative(Derivative::kInertiaByQ, trial_.a), h * h},
                            kkt::BlockValues{evaluation_.derivative(Derivative::kReactionByQ, trial_.lambda), h * h},
                            kkt::BlockValues{evaluation_.derivative(Derivative::kForceByQ), -h * h}};
    policy_.note_renewal(cause, h);
    return solver_.factor(values, evaluation_.jacobian()).ok;
  }
  double correct(double h) {
    const dae::Structure& s = evaluation_.structure();
    predict(h);
    evaluation_.set(trial_);
    upper_ = evaluation_.force();
    s.mass.add_product(evaluation_.mass(), trial_.a, -1, upper_);
    s.jacobian.add_transposed_product(evaluation_.jacobian(), trial_.lambda, -1, upper_);
    lower_ = -evaluation_.constraint() / (h * h);
    solver_.solve(upper_, lower_);
    trial_.a += upper_;
    trial_.lambda += lower_;
    return h * h * linalg::largest_abs(upper_) / 1e-6;
  }

  MethodContext context_;
  dae::Evaluation& evaluation_;
  kkt::Solver solver_;
  JacobianPolicy policy_;
  State begin_, state_, trial_;
  Vector upper_, lower_;
};

const MethodEntry backward_euler{
    "backward-euler",
    "test of the shared parts",
    1,
    {},
    {},
    [](const MethodContext& context) -> std::unique_ptr<Method> { return std::make_unique<BackwardEuler>(context); }};

TEST(ImplicitMethod, ConvergesWithItsOrderThroughTheSharedParts) {
  for (const char* name : {"pendulum", "bead on turning line"}) {
    const auto& problem = trammel::testing::smooth_problem(name);
    double previous = 0;
    for (const double h : {1e-2, 5e-3, 2.5e-3, 1.25e-3}) {
      Options options;
      options.h_fixed = h;
      const RunResult result = integrate_with(backward_euler, *problem.system, problem.start, 1, options);
      ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
      const double error = trammel::testing::calc_errors(result.state, problem.solution(1)).q;
      if (previous > 0) {
        EXPECT_NEAR(std::log2(previous / error), 1, 0.1) << name << ", h = " << h;
      }
      previous = error;
      EXPECT_LT(result.drift.position, 1e-8);
    }
  }
}

TEST(MethodOptions, NumbersAreCheckedAgainstTheirRange) {
  MethodEntry entry = backward_euler;
  entry.options = {{"alpha", {"-0.3"}, "damping", true, -1.0 / 3, 0}};
  const dae::Structure s = dae::Structure::full({"q"});
  EXPECT_TRUE(find_obstacles(entry, s, {{"alpha", "-0.1"}}).empty());
  EXPECT_EQ(find_obstacles(entry, s, {{"alpha", "0.1"}}).size(), 1u);
  EXPECT_EQ(find_obstacles(entry, s, {{"alpha", "-0.1x"}}).size(), 1u);
  EXPECT_DOUBLE_EQ(option_number(entry, {}, "alpha"), -0.3);
  EXPECT_DOUBLE_EQ(option_number(entry, {{"alpha", "-0.05"}}, "alpha"), -0.05);
}

TEST(ImplicitMethod, KeepsItsMatrixOverManySteps) {
  const auto& problem = trammel::testing::smooth_problem("pendulum");
  Options options;
  options.h_fixed = 1e-3;
  const RunResult result = integrate_with(backward_euler, *problem.system, problem.start, 1, options);
  long renewals = 0;
  for (const long count : result.statistics.renewals) renewals += count;
  EXPECT_GT(renewals, 0);
  EXPECT_GE(result.statistics.linear.solves, result.statistics.newton_iterations) << "its own solver is counted";
  EXPECT_LT(renewals, result.statistics.steps / 5);
}

}  // namespace
}  // namespace trammel::integrators
