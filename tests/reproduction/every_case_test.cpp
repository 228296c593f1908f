// Every case by every way to compute it. The linear solver changes neither accelerations nor multipliers nor the
// motion; in the coordinates of the joints bodies accelerate, move and react as they do in those of the bodies.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "cases/case.h"
#include "trammel/analyses/form.h"
#include "trammel/analyses/joint_coordinates.h"
#include "trammel/integrators/integrate.h"
#include "trammel/integrators/method.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::cases {
namespace {

using dae::State;
using integrators::MethodEntry;
using integrators::Options;
using integrators::RunResult;
using kkt::AccelerationStatus;
using kkt::BackEnd;

constexpr std::array kBackEnds{BackEnd::kSparse,           BackEnd::kAutomatic,  BackEnd::kDenseLu,
                               BackEnd::kDenseSymmetric,   BackEnd::kCholeskyQr, BackEnd::kReduced,
                               BackEnd::kRecursive,        BackEnd::kBranches,   BackEnd::kArticulated,
                               BackEnd::kBlockElimination, BackEnd::kIterative};
/// Those that take any matrix that is regular.
constexpr std::array kGeneral{BackEnd::kSparse, BackEnd::kAutomatic, BackEnd::kDenseLu, BackEnd::kDenseSymmetric,
                              BackEnd::kIterative};

bool is_general(BackEnd back_end) { return std::find(kGeneral.begin(), kGeneral.end(), back_end) != kGeneral.end(); }

/// Relative to 1 + the size of b.
double distance(const dae::Vector& a, const dae::Vector& b) {
  return a.size() == 0 ? 0 : linalg::largest_abs(a - b) / (1 + linalg::largest_abs(b));
}

/// Friction needs the events that let it stick and slip.
std::vector<integrators::Event> needed_events(const Case& c) {
  return c.system->structure().switchable_rows.empty() ? std::vector<integrators::Event>{} : c.events;
}

struct Motion {
  RunResult result;
  std::vector<State> states;  ///< in body coordinates, at each step
};

/// As far as so many steps go, at most until t_end.
Motion move(const Case& c, const analyses::Form& form, Options options, double t_end, long steps) {
  Motion motion;
  options.max_steps = steps;
  options.output.kind = integrators::OutputKind::kSteps;
  integrators::Observers observers;
  observers.output = [&](const State& state) { motion.states.push_back(form.to_quasi(state)); };
  motion.result = integrate(form.system_of(*c.system), form.from_quasi(c.start), t_end, options,
                            analyses::events_in_form(needed_events(c), form), observers);
  if (!motion.states.empty()) motion.result.state = form.to_quasi(motion.result.state);
  return motion;
}

Options options_of(const std::string& method, double tolerance) {
  Options options = Options::with_tolerance(tolerance);
  options.method = method;
  return options;
}

analyses::Form joint_form(const Case& c) { return {.joint = analyses::make_joint_form(c.mechanism, c.start)}; }

constexpr long kMostSteps = 300;
constexpr double kLastDigits = 4 * std::numeric_limits<double>::epsilon();
/// The share of a case's motion that an explicit method should get through in so many steps; else the case is stiff.
constexpr double kLeastShare = 0.1;

/// Five states along the motion, the first at its start.
std::vector<State> states_along(const Case& c) {
  Motion motion = move(c, {}, options_of("projection", 1e-6), c.t_end, kMostSteps);
  if (motion.result.state.t - c.start.t < kLeastShare * (c.t_end - c.start.t)) {
    motion = move(c, {}, options_of("hht", 1e-4), c.t_end, kMostSteps);
  }
  std::vector<State> chosen;
  const std::size_t last = motion.states.size() - 1;
  for (std::size_t k = 0; k <= 4; ++k) chosen.push_back(motion.states.at(last * k / 4));
  return chosen;
}

struct Solution {
  AccelerationStatus status = AccelerationStatus::kSolved;
  State state;
  double rcond = 1;
};

Solution solve(const dae::ConstrainedSystem& system, const State& at, BackEnd back_end) {
  dae::Evaluation evaluation(system);
  evaluation.set(at);
  kkt::AccelerationSolver solver(evaluation, {.back_end = back_end});
  Solution solution;
  solution.status = solver.factor_position();
  if (solution.status != AccelerationStatus::kSolved) return solution;
  solution.status = solver.solve(at);
  solution.state = evaluation.point();
  solution.rcond = solver.metric().calc_rcond();
  return solution;
}

/// Inertia that vanishes by its value, where the pattern has room for it.
bool has_vanishing_inertia(const dae::ConstrainedSystem& system, const State& at) {
  dae::Evaluation evaluation(system);
  evaluation.set(at);
  const linalg::Pattern& mass = system.structure().mass;
  for (int k = 0; k < mass.size(); ++k) {
    if (mass[k].row == mass[k].column && evaluation.mass()[k] == 0) return true;
  }
  return false;
}

class EveryCase : public ::testing::TestWithParam<const CaseEntry*> {
 protected:
  /// Solutions by all back ends that say that they suit are those of sparse LU.
  static void compare_solvers_at(const dae::ConstrainedSystem& system, const State& at) {
    const Solution expected = solve(system, at, BackEnd::kSparse);
    ASSERT_EQ(expected.status, AccelerationStatus::kSolved);
    // Solvers that square the condition of the rows refine where a squared sine is below 1e-7, and not before.
    const double allowed = std::clamp(1e-12 / expected.rcond, 1e-10, 1e-8);
    int served = 0;
    for (const BackEnd back_end : kBackEnds) {
      if (!find_obstacle(back_end, system.structure()).empty()) {
        EXPECT_FALSE(is_general(back_end));
        continue;
      }
      SCOPED_TRACE(to_string(back_end));
      const Solution found = solve(system, at, back_end);
      if (found.status == AccelerationStatus::kUnsuitable && !is_general(back_end) &&
          has_vanishing_inertia(system, at)) {
        continue;
      }
      ASSERT_EQ(found.status, AccelerationStatus::kSolved);
      EXPECT_LT(distance(found.state.a, expected.state.a), allowed) << "accelerations at t = " << at.t;
      EXPECT_LT(distance(found.state.lambda, expected.state.lambda), allowed) << "multipliers at t = " << at.t;
      EXPECT_LT(distance(found.state.x_rate, expected.state.x_rate), allowed) << "rates of states at t = " << at.t;
      ++served;
    }
    EXPECT_GE(served, static_cast<int>(kGeneral.size()));
  }

  struct Allowed {
    double q, v, a, lambda;
  };

  /// A motion in body coordinates and the same in joint coordinates; returns its share of the case's.
  double compare_motions(const Options& options, Allowed allowed) {
    SCOPED_TRACE(options.method);
    Motion body = move(c_, {}, options, c_.t_end, kMostSteps);
    // In the ring of Bricard the rows that are kept become dependent at t = 1.373.
    const bool is_stuck = body.result.failure.cause == integrators::FailureCause::kStepTooSmall;
    if (is_stuck) body = move(c_, {}, options, c_.start.t + 0.9 * (body.result.state.t - c_.start.t), kMostSteps);
    const Motion joint = move(c_, joint_form(c_), options, body.result.state.t, 4 * kMostSteps);
    EXPECT_TRUE(joint.result.ok()) << joint.result.reason;
    const State &found = joint.result.state, &expected = body.result.state;
    EXPECT_EQ(found.t, expected.t);
    // An acceleration is known as well as the velocity is over a step.
    const double h = (expected.t - c_.start.t) / static_cast<double>(body.result.statistics.steps);
    EXPECT_LT(distance(found.q, expected.q), allowed.q);
    EXPECT_LT(distance(found.v, expected.v), allowed.v);
    EXPECT_LT(distance(found.a, expected.a), std::max(allowed.a, 0.3 * allowed.v / h));
    EXPECT_LT(distance(found.lambda, expected.lambda), allowed.lambda);
    return (expected.t - c_.start.t) / (c_.t_end - c_.start.t);
  }

  /// So many steps of the method end the same with every linear solver that suits.
  void compare_solvers_of(const MethodEntry& method, const analyses::Form& form, double h, int steps) {
    const dae::ConstrainedSystem& system = form.system_of(*c_.system);
    if (!find_obstacles(method, system.structure(), {}).empty()) return;
    Options options = options_of(method.name, 1e-10);  // at which Newton's iteration ends
    options.h_fixed = h;
    std::optional<State> expected;
    int served = 0;
    for (const std::string& solver : integrators::linear_solver_option().values) {
      options.method_options = {{"linear_solver", solver}};
      if (!find_obstacles(method, system.structure(), options.method_options).empty()) continue;
      SCOPED_TRACE(method.name + (form.joint ? " in joint coordinates by " : " by ") + solver);
      const RunResult result = move(c_, form, options, c_.start.t + steps * h, steps + 1).result;
      if (result.failure.cause == integrators::FailureCause::kInconsistentStart &&
          !is_general(linear_solver(method, options.method_options)) &&
          has_vanishing_inertia(system, form.from_quasi(c_.start))) {
        continue;
      }
      ASSERT_TRUE(result.ok()) << result.reason;
      if (!expected) expected = result.state;
      EXPECT_LT(distance(result.state.q, expected->q), 1e-10);
      EXPECT_LT(distance(result.state.v, expected->v), 1e-9);
      EXPECT_LT(distance(result.state.a, expected->a), 1e-8);
      EXPECT_LT(distance(result.state.lambda, expected->lambda), 1e-8);
      ++served;
    }
    EXPECT_GE(served, static_cast<int>(kGeneral.size()));
  }

  /// Euler parameters mean the same with the other sign.
  dae::Vector with_signs_of(const dae::Vector& like, dae::Vector q) const {
    for (const system::RotationSlot& slot : c_.mechanism->rotations()) {
      if (like.segment<4>(slot.q).dot(q.segment<4>(slot.q)) < 0) q.segment<4>(slot.q) *= -1;
    }
    return q;
  }

  const Case c_ = build_case(*GetParam());
};

TEST_P(EveryCase, AccelerationsAndReactionsDoNotDependOnTheSolver) {
  for (const State& state : states_along(c_)) compare_solvers_at(*c_.system, state);
}

TEST_P(EveryCase, AccelerationsAndReactionsAreTheSameInJointCoordinates) {
  if (!c_.mechanism) GTEST_SKIP() << "equations have no joints";
  const analyses::Form form = joint_form(c_);
  for (const State& state : states_along(c_)) {
    const State in_joints = form.from_quasi(state);
    compare_solvers_at(*form.joint, in_joints);
    const Solution joint = solve(*form.joint, in_joints, BackEnd::kAutomatic);
    ASSERT_EQ(joint.status, AccelerationStatus::kSolved);
    const State found = form.to_quasi(joint.state);
    const Solution body = solve(*c_.system, found, BackEnd::kSparse);
    ASSERT_EQ(body.status, AccelerationStatus::kSolved);
    // As far as the run has kept the constraints.
    EXPECT_LT(distance(with_signs_of(state.q, found.q), state.q), 1e-8) << "at t = " << state.t;
    EXPECT_LT(distance(found.v, state.v), 1e-8) << "at t = " << state.t;
    // What the last digits of positions make of stiff bushings.
    State rounded = found;
    for (Eigen::Index i = 0; i < found.q.size(); ++i) rounded.q[i] *= i % 2 == 0 ? 1 + kLastDigits : 1 - kLastDigits;
    const double rounding = distance(solve(*c_.system, rounded, BackEnd::kSparse).state.a, body.state.a);
    EXPECT_LT(distance(found.a, body.state.a), 1e-10 + rounding) << "at t = " << state.t;
    EXPECT_LT(distance(found.lambda, body.state.lambda), 1e-10) << "at t = " << state.t;
  }
}

TEST_P(EveryCase, TheMotionIsTheSameInJointCoordinates) {
  if (!c_.mechanism) GTEST_SKIP() << "equations have no joints";
  const bool is_stiff = compare_motions(options_of("projection", 1e-10), {1e-8, 1e-7, 1e-6, 1e-6}) < kLeastShare;
  if (is_stiff) compare_motions(options_of("hht", 1e-7), {1e-5, 1e-4, 1e-3, 1e-3});
}

TEST_P(EveryCase, TheMotionDoesNotDependOnTheSolver) {
  constexpr int kSteps = 20;
  // Round-off would change steps that are chosen; those of an explicit method are larger than Newton's iteration likes.
  const double t = move(c_, {}, options_of("projection", 1e-6), c_.t_end, kSteps).result.state.t;
  const double h = 0.25 * (t - c_.start.t) / kSteps;
  for (const char* name : {"projection", "hht"}) {
    compare_solvers_of(*integrators::find_method(name), {}, h, kSteps);
    if (c_.mechanism) compare_solvers_of(*integrators::find_method(name), joint_form(c_), h, kSteps);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryCase, ::testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = test.param->name;
  for (char& letter : name) {
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  }
  return name;
});

}  // namespace
}  // namespace trammel::cases
