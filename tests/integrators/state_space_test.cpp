// What methods in independent coordinates promise beyond the conformance suite: charts that change without a trace,
// coordinates of the user's choice, and the same motions as methods that know nothing of independent coordinates.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "cases/case.h"
#include "cases/reference.h"
#include "tests/support/reduced_bench.h"
#include "tests/support/systems.h"
#include "trammel/integrators/integrate.h"

namespace trammel::integrators {
namespace {

using dae::State;
using dae::Structure;
using linalg::largest_abs;
using linalg::Vector;

const std::vector<std::string> kFourthOrder{"for-rosen", "for-sdirk", "ssp-sdirk", "infl-sdirk"};
const std::vector<std::string> kTrapezoidal{"ssp-trap", "infl-trap", "ssp-newmark"};
const std::vector<std::string> kCoordinates{"partition", "tangent-plane"};

std::vector<std::string> all_methods() {
  std::vector<std::string> all = kFourthOrder;
  all.insert(all.end(), kTrapezoidal.begin(), kTrapezoidal.end());
  return all;
}

Options make_options(const std::string& method, double tolerance, const MethodOptions& settings = {}) {
  Options options = Options::with_tolerance(tolerance);
  options.method = method;
  options.method_options = settings;
  return options;
}

/// How often coordinates were chosen anew, by what the run says.
int chart_changes(const RunResult& result) {
  const std::string words = "chosen anew ";
  for (const std::string& note : result.notes) {
    if (const auto at = note.find(words); at != std::string::npos) return std::stoi(note.substr(at + words.size()));
  }
  return 0;
}

bool has_note(const RunResult& result, const std::string& words) {
  return std::any_of(result.notes.begin(), result.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

// --- charts

TEST(StateSpace, APendulumTurnsOverThroughManyCharts) {
  cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  c.start.q << 0, -1;
  c.start.v << 8, 0;  // 6.3 m/s would do to reach the top
  const RunResult exact = integrate(*c.system, c.start, 5, make_options("projection", 1e-12));
  for (const std::string& method : all_methods()) {
    for (const std::string& coordinates : kCoordinates) {
      SCOPED_TRACE(method + ", " + coordinates);
      std::vector<double> energy, error;
      for (const double tolerance : {1e-4, 1e-6}) {
        double turned = 0;
        Vector last = c.start.q;
        Observers observers;
        observers.output = [&](const State& s) {
          turned += std::atan2(last[0] * s.q[1] - last[1] * s.q[0], last.dot(s.q));
          last = s.q;
        };
        Options options = make_options(method, tolerance, {{"coordinates", coordinates}});
        options.output.kind = OutputKind::kSteps;
        const RunResult result = integrate(*c.system, c.start, 5, options, {}, observers);
        ASSERT_EQ(result.status, RunStatus::kCompleted) << result.reason;
        EXPECT_EQ(result.statistics.rejected_convergence, 0);
        const double turns = turned / (2 * std::numbers::pi);
        EXPECT_GT(turns, 4);
        EXPECT_GE(chart_changes(result), 2 * static_cast<int>(turns));
        EXPECT_LT(result.drift.position, 1e-14);
        EXPECT_LT(result.drift.velocity, 1e-13);
        energy.push_back(std::abs(*result.final_energy - *result.initial_energy) / *result.initial_energy);
        error.push_back(largest_abs(result.state.q - exact.state.q));
      }
      std::printf("[ measured ] %-12s %-14s energy %.1e %.1e, position %.1e %.1e\n", method.c_str(),
                  coordinates.c_str(), energy[0], energy[1], error[0], error[1]);
      EXPECT_LT(energy[0], 1e-2);
      EXPECT_LT(energy[1], 1e-4);
      EXPECT_LT(energy[1], 0.1 * energy[0]);
      EXPECT_LT(error[1], 0.1 * error[0]);
    }
  }
}

TEST(StateSpace, CoordinatesThatTheUserChoosesAreKept) {
  const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"));
  const Structure& s = c.system->structure();
  const cases::Reference reference =
      cases::load_reference(std::string(TRAMMEL_SOURCE_DIR) + "/cases/reference/double-pendulum-a.json");
  const State exact = cases::to_state(s, reference.points.back());
  for (const std::string& method : all_methods()) {
    const double tolerance = 1e-5;
    const RunResult result = integrate(*c.system, c.start, exact.t,
                                       make_options(method, tolerance, {{"independent", "body1.angle,body2.angle"}}));
    ASSERT_EQ(result.status, RunStatus::kCompleted) << method << ": " << result.reason;
    EXPECT_TRUE(has_note(result, "2 of 6 coordinates are independent (body1.angle, body2.angle);")) << method;
    EXPECT_EQ(chart_changes(result), 0) << method;
    const double q = largest_abs(result.state.q - exact.q), v = largest_abs(result.state.v - exact.v);
    std::printf("[ measured ] %-12s joint angles: %ld steps, errors over tolerance %.1f of q, %.1f of v\n",
                method.c_str(), result.statistics.steps, q / tolerance, v / tolerance);
    EXPECT_LT(q, 30 * tolerance) << method;
    EXPECT_LT(v, 300 * tolerance) << method;
  }
}

TEST(StateSpace, CoordinatesThatMakeNoSenseAreRefusedBeforeTheRun) {
  const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"));
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"body1.angle,body3.angle", "names 'body3.angle', but the positions are: body1.x, body1.y, body1.angle"},
      {"body1.angle,body1.angle", "names 'body1.angle' twice"},
      {"body1.angle", "names 1 position, but the system has 2 degrees of freedom"},
      {"body1.angle,body2.angle,body1.x", "names 3 positions, but the system has 2 degrees of freedom"},
      {"", "names ''"}};
  for (const std::string& method : all_methods()) {
    for (const auto& [names, message] : wrong) {
      const RunResult result = integrate(*c.system, c.start, 1, make_options(method, 1e-6, {{"independent", names}}));
      EXPECT_EQ(result.failure.cause, FailureCause::kInvalidInput) << method << ", " << names;
      EXPECT_NE(result.reason.find(message), std::string::npos) << result.reason;
      EXPECT_EQ(result.statistics.steps, 0);
    }
  }
}

// The rod lies along x at the start: y follows from x by no function.
TEST(StateSpace, CoordinatesThatDescribeNothingFailWithAMessage) {
  const cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  for (const std::string& method : all_methods()) {
    const RunResult result = integrate(*c.system, c.start, 1, make_options(method, 1e-6, {{"independent", "x"}}));
    EXPECT_EQ(result.status, RunStatus::kFailed) << method;
    EXPECT_EQ(result.statistics.steps, 0) << method;
    EXPECT_NE(result.reason.find("coordinates that are given (x) hardly determine"), std::string::npos)
        << method << ": " << result.reason;
  }
}

// They do at first, and no longer when the pendulum turns over.
TEST(StateSpace, CoordinatesThatBecomeBadFailWithAMessage) {
  cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  c.start.q << 0, -1;
  c.start.v << 8, 0;
  for (const std::string& method : all_methods()) {
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
      SCOPED_TRACE(method + " at " + std::to_string(std::log10(tolerance)));
      const RunResult result =
          integrate(*c.system, c.start, 1, make_options(method, tolerance, {{"independent", "x"}}));
      EXPECT_EQ(result.status, RunStatus::kFailed);
      EXPECT_NEAR(result.state.q[0], 1, 1e-2);
      EXPECT_GT(result.state.v[1], 6) << "it is still on its way up";
      EXPECT_NE(result.reason.find("coordinates that are given (x) hardly determine"), std::string::npos)
          << result.reason;
    }
  }
}

// Interpolation looks for dependent coordinates, too; the next step must not notice.
TEST(StateSpace, OutputDoesNotChangeTheSolution) {
  const testing::SystemAtWork crank = testing::move_case_on("spatial-slider-crank", {}, 0.0);
  for (const std::string& method : all_methods()) {
    for (const std::string& coordinates : kCoordinates) {
      Options options = make_options(method, 1e-3, {{"coordinates", coordinates}});
      const RunResult plain = integrate(*crank.system, crank.state, 1, options);
      ASSERT_EQ(plain.status, RunStatus::kCompleted) << method << ": " << plain.reason;
      options.output.kind = OutputKind::kUniform;
      options.output.interval = 0.003;
      Observers observers;
      observers.output = [](const State&) {};
      const RunResult dense = integrate(*crank.system, crank.state, 1, options, {}, observers);
      EXPECT_EQ(plain.statistics.steps, dense.statistics.steps) << method << ", " << coordinates;
      EXPECT_EQ(plain.state.q, dense.state.q) << method << ", " << coordinates;
      EXPECT_EQ(plain.state.v, dense.state.v) << method << ", " << coordinates;
    }
  }
}

// Where stiff directions turn in the coordinates, errors that the next step damps would otherwise decide.
TEST(StateSpace, TheFilterSavesStepsOnStiffSystems) {
  const cases::Case c = cases::build_case(*cases::find_case("double-pendulum"));
  for (const std::string& method : kFourthOrder) {
    const auto count_steps = [&](const char* filter) {
      const RunResult result = integrate(*c.system, c.start, c.t_end, make_options(method, 1e-5, {{"filter", filter}}));
      EXPECT_EQ(result.status, RunStatus::kCompleted) << method << ": " << result.reason;
      return result.statistics.steps;
    };
    const long with = count_steps("yes"), without = count_steps("no");
    std::printf("[ measured ] %-12s %ld steps with the filter, %ld without\n", method.c_str(), with, without);
    // The embedded formula of for-rosen damps stiff components itself, those of SDIRK do not.
    EXPECT_LT(with, method == "for-rosen" ? without : without / 3) << method;
  }
}

// Accelerations that a formula carries from step to step belong to the state that was left, not to the one that an
// event makes of it, even at the very end of a step.
TEST(StateSpace, AnEventAtTheEndOfAStepLeavesNothingOfTheOldState) {
  cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  Event brake;
  brake.name = "brake";
  brake.function = [](const State& s) { return s.t < 0.5 ? -1.0 : 1.0; };
  brake.action = EventAction::kRestart;
  brake.change = [](State& s) { s.v *= 0.2; };
  const RunResult exact = integrate(*c.system, c.start, 1, make_options("projection", 1e-11), {brake});
  for (const std::string& method : all_methods()) {
    Options options;
    options.method = method;
    options.h_fixed = 1.0 / 256;
    const RunResult result = integrate(*c.system, c.start, 1, options, {brake});
    ASSERT_EQ(result.status, RunStatus::kCompleted) << method << ": " << result.reason;
    EXPECT_EQ(result.statistics.steps, 256) << method << ": the event is at the end of a step";
    const double error = largest_abs(result.state.q - exact.state.q);
    // h^2 = 1.5e-5, while a wrong acceleration of some 10 m/s^2 in one step makes 0.02.
    EXPECT_LT(error, 2e-4) << method;
  }
}

// --- the same motions as other methods find

struct Agreement {
  double q = 0, v = 0, lambda = 0, x = 0, event = 0;
};

std::vector<State> run_to_points(const dae::ConstrainedSystem& system, const State& start, double t_end,
                                 Options options, const std::vector<Event>& events, RunResult& result) {
  std::vector<State> states;
  Observers observers;
  observers.output = [&](const State& s) { states.push_back(s); };
  options.output.kind = OutputKind::kUniform;
  options.output.interval = t_end / 10;
  result = integrate(system, start, t_end, options, events, observers);
  EXPECT_EQ(result.status, RunStatus::kCompleted) << options.method << ": " << result.reason;
  return states;
}

/// Largest differences to `projection` at a hundredth of the tolerance, relative to the largest value of their kind.
Agreement compare(const dae::ConstrainedSystem& system, const State& start, double t_end, const Options& options,
                  const std::vector<Event>& events = {}) {
  RunResult exact, found;
  const auto right =
      run_to_points(system, start, t_end, make_options("projection", 1e-2 * options.rtol), events, exact);
  const auto states = run_to_points(system, start, t_end, options, events, found);
  Agreement worst;
  EXPECT_EQ(right.size(), states.size());
  if (right.size() != states.size()) return {1, 1, 1, 1, 1};
  const auto note = [&](double Agreement::*kind, Vector State::*value) {
    double size = 1e-300, difference = 0;
    for (std::size_t k = 0; k < right.size(); ++k) {
      size = std::max(size, largest_abs(right[k].*value));
      difference = std::max(difference, largest_abs(states[k].*value - right[k].*value));
    }
    worst.*kind = difference / size;
  };
  note(&Agreement::q, &State::q);
  note(&Agreement::v, &State::v);
  note(&Agreement::lambda, &State::lambda);
  note(&Agreement::x, &State::x);
  EXPECT_EQ(exact.events.size(), found.events.size()) << options.method;
  for (std::size_t k = 0; k < std::min(exact.events.size(), found.events.size()); ++k) {
    EXPECT_EQ(exact.events[k].name, found.events[k].name);
    worst.event = std::max(worst.event, std::abs(exact.events[k].t - found.events[k].t));
  }
  EXPECT_LT(found.drift.position, 1e-12);
  return worst;
}

/// All methods that can, with both kinds of coordinates.
void expect_agreement(const std::string& name, const dae::ConstrainedSystem& system, const State& start, double t_end,
                      const std::vector<Event>& events = {}) {
  for (const std::string& method : all_methods()) {
    if (!find_obstacles(*find_method(method), system.structure(), {}).empty()) continue;
    const bool is_trapezoidal = std::count(kTrapezoidal.begin(), kTrapezoidal.end(), method) > 0;
    for (const std::string& coordinates : kCoordinates) {
      const double tolerance = is_trapezoidal ? 1e-6 : 1e-9;
      const Agreement a =
          compare(system, start, t_end, make_options(method, tolerance, {{"coordinates", coordinates}}), events);
      std::printf("[ measured ] %-22s %-12s %-14s over tolerance: q %.2g v %.2g lambda %.2g x %.2g events %.2g\n",
                  name.c_str(), method.c_str(), coordinates.c_str(), a.q / tolerance, a.v / tolerance,
                  a.lambda / tolerance, a.x / tolerance, a.event / tolerance);
      for (const double difference : {a.q, a.v, a.lambda, a.x, a.event}) {
        EXPECT_LT(difference, 300 * tolerance) << name << ", " << method << ", " << coordinates;
      }
    }
  }
}

void expect_agreement_of_case(const std::string& name, double t_end) {
  const cases::Case c = cases::build_case(*cases::find_case(name));
  expect_agreement(name, *c.system, c.start, t_end);
}

TEST(StateSpaceAgreement, OnAClosedLoop) { expect_agreement_of_case("andrews", 0.02); }

TEST(StateSpaceAgreement, WithStatesOfDrives) { expect_agreement_of_case("servo-arm", 0.4); }

TEST(StateSpaceAgreement, WithForcesThatDependOnReactions) { expect_agreement_of_case("cable-drum", 1); }

TEST(StateSpaceAgreement, OnAMovingConstraint) {
  const testing::BeadOnTurningLine bead(1.5);
  expect_agreement("bead on turning line", bead, bead.start(), 1);
}

TEST(StateSpaceAgreement, WithoutConstraints) { expect_agreement_of_case("mass-spring-damper", 2); }

Event turning_point(const Structure& s, const std::string& velocity) {
  const auto found = std::find(s.velocity_names.begin(), s.velocity_names.end(), velocity);
  EXPECT_NE(found, s.velocity_names.end()) << velocity;
  Event event;
  event.name = velocity + " turns";
  event.function = [k = found - s.velocity_names.begin()](const State& state) { return state.v[k]; };
  return event;
}

TEST(StateSpaceAgreement, OfEventsInSpaceInPlainForm) {
  const testing::SystemAtWork crank = testing::move_case_on("spatial-slider-crank", {}, 0.0);
  expect_agreement(crank.name, *crank.system, crank.state, 1, {turning_point(crank.system->structure(), "slider.x'")});
}

TEST(StateSpaceAgreement, OfASpinningTopInPlainForm) {
  const testing::SystemAtWork top = testing::move_case_on("heavy-top", {}, 0.0);
  expect_agreement(top.name, *top.system, top.state, 0.05, {turning_point(top.system->structure(), "top.e0'")});
}

// --- edges of what there is

TEST(StateSpace, AFullyDrivenMechanismMovesAsItIsTold) {
  const cases::Case c = cases::build_case(*cases::find_case("slider-crank"));
  ASSERT_EQ(c.system->structure().n_v(), c.system->structure().m());
  const double r = 0.3, l = 0.9, omega = 4 * std::numbers::pi;
  for (const std::string& method : all_methods()) {
    for (const std::string& coordinates : kCoordinates) {
      SCOPED_TRACE(method + ", " + coordinates);
      RunResult exact, found;
      const auto right = run_to_points(*c.system, c.start, 1, make_options("projection", 1e-8), {}, exact);
      const auto states =
          run_to_points(*c.system, c.start, 1, make_options(method, 1e-6, {{"coordinates", coordinates}}), {}, found);
      EXPECT_TRUE(has_note(found, "the constraints determine all 9 coordinates"));
      EXPECT_EQ(found.statistics.rejected_error + found.statistics.rejected_convergence, 0);
      ASSERT_EQ(states.size(), right.size());
      for (std::size_t k = 0; k < states.size(); ++k) {
        const double angle = omega * states[k].t, swing = r * std::sin(angle), reach = std::sqrt(l * l - swing * swing);
        const double x = r * std::cos(angle) + reach;
        const double rate = -omega * swing - omega * swing * r * std::cos(angle) / reach;
        EXPECT_NEAR(cases::named_value(c.system->structure(), states[k], "slider.x"), x, 1e-12);
        EXPECT_NEAR(cases::named_value(c.system->structure(), states[k], "slider.x'"), rate, 1e-11);
        EXPECT_LT(largest_abs(states[k].lambda - right[k].lambda), 1e-8 * (1 + largest_abs(right[k].lambda)));
      }
    }
  }
}

/// A mass that is moved as q = sin t, and a filter that sees it: x' = q - x.
class SeenMotion final : public dae::ConstrainedSystem {
 public:
  SeenMotion() : ConstrainedSystem(Structure::full({"q"}, {"drive"}, {"seen"})) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const dae::Point&, dae::VectorOut) const override {}
  void calc_constraint(const dae::Point& at, dae::VectorOut g) const override { g[0] = at.q[0] - std::sin(at.t); }
  void calc_jacobian(const dae::Point&, dae::MatrixValues G) const override { G(0, 0) = 1; }
  void calc_velocity_offset(const dae::Point& at, dae::VectorOut g_t) const override { g_t[0] = -std::cos(at.t); }
  bool calc_acceleration_bias(const dae::Point& at, dae::VectorOut bias) const override {
    bias[0] = -std::sin(at.t);
    return true;
  }
  void calc_state_rate(const dae::Point& at, dae::VectorOut rate) const override { rate[0] = at.q[0] - at.x[0]; }
};

TEST(StateSpace, StatesMoveOnWhereNothingElseIsFree) {
  const SeenMotion system;
  State start = State::zero(system.structure());
  start.v << 1;
  for (const std::string& method : all_methods()) {
    for (const std::string& coordinates : kCoordinates) {
      const RunResult result = integrate(system, start, 2, make_options(method, 1e-8, {{"coordinates", coordinates}}));
      ASSERT_EQ(result.status, RunStatus::kCompleted) << method << ": " << result.reason;
      const double exact = 0.5 * (std::sin(2.0) - std::cos(2.0) + std::exp(-2.0));
      EXPECT_NEAR(result.state.x[0], exact, 1e-7) << method << ", " << coordinates;
      EXPECT_NEAR(result.state.q[0], std::sin(2.0), 1e-15) << method << ", " << coordinates;
    }
  }
}

/// q'' = -q - sign(q)/2: from q = 1 at rest to q = -1 in twice the time that it takes to the edge.
class EdgedSpring final : public dae::ConstrainedSystem {
 public:
  EdgedSpring() : ConstrainedSystem(Structure::full({"q"})) {}
  void calc_mass(const dae::Point&, dae::MatrixValues M) const override { M(0, 0) = 1; }
  void calc_force(const dae::Point& at, dae::VectorOut f) const override {
    f[0] = -at.q[0] - (at.q[0] > 0 ? 0.5 : -0.5);
  }
};

TEST(StateSpace, StepsAreTakenBackToAnEdge) {
  const EdgedSpring spring;
  State start = State::zero(spring.structure());
  start.q << 1;
  Event edge;
  edge.name = "edge";
  edge.function = [](const State& s) { return s.q[0]; };
  edge.action = EventAction::kRestart;
  edge.is_edge = true;
  for (const std::string& method : all_methods()) {
    const RunResult result = integrate(spring, start, 2 * std::acos(1.0 / 3), make_options(method, 1e-8), {edge});
    ASSERT_EQ(result.status, RunStatus::kCompleted) << method << ": " << result.reason;
    EXPECT_EQ(result.statistics.restarts, 1) << method;
    EXPECT_NEAR(result.state.q[0], -1, 1e-6) << method;
    EXPECT_NEAR(result.state.v[0], 0, 1e-6) << method;
  }
}

// The number of freedoms would change with friction that sticks.
TEST(StateSpace, DryFrictionIsRefusedBeforeTheRun) {
  const cases::Case c = cases::build_case(*cases::find_case("incline-block"));
  ASSERT_FALSE(c.system->structure().switchable_rows.empty());
  for (const std::string& method : all_methods()) {
    const RunResult result = integrate(*c.system, c.start, 1, make_options(method, 1e-6), c.events);
    EXPECT_EQ(result.failure.cause, FailureCause::kInvalidInput) << method;
    EXPECT_NE(result.reason.find("dry friction"), std::string::npos) << result.reason;
  }
}

}  // namespace
}  // namespace trammel::integrators
