// What depends on what: rates of states that read everything, variables and forces that depend on each other, and what
// forces may not depend on.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/models.h"
#include "tests/system/reference_mechanism.h"
#include "trammel/dae/derivative_check.h"
#include "trammel/system/probe.h"

namespace trammel::system {
namespace {

using model::CoordinateKind;
using testing::add_joint;
using testing::add_line_force;
using testing::add_vector_force;
using testing::compile;
using testing::make_two_bodies;
using testing::moving_state;
using testing::Random;
using testing::RefBodies;
using testing::relative_error;
using testing::Vec12;
using enum model::JointType;

constexpr double kTolerance = 1e-11;

TEST(Signals, RatesOfStatesReadEverything) {
  Random random(6);
  for (const bool is_planar : {true, false}) {
    auto model = make_two_bodies(is_planar, random);
    add_joint(*model, "ab", kRevolute, 1, 3);
    for (const char* name : {"p", "r"}) model->states.push_back({name, false, false, {}, random.number(), 0});
    model->states[0].function = compile(*model, "r * ab.angle_rate + dx(a.p, b.q) * vx(b.p) + sin(t)");
    model->states[1].function = compile(*model, "p^2 - r * ab.angle");
    const Mechanism system(model);
    EXPECT_EQ(system.structure().state_form, dae::StateForm::kExplicit);
    dae::State state = moving_state(system, random);
    dae::Evaluation evaluation(system);
    evaluation.set(state);
    const RefBodies<double> bodies = testing::bodies_of(system, state);
    const auto angle = [&](const auto& at) {
      return testing::coordinate_value(*model, {0, CoordinateKind::kAngle}, at);
    };
    const Vec12<double> xi = testing::expand(*model, state.v);
    const auto P = [&](int marker) { return testing::place_marker(*model, marker, bodies).P; };
    const double p = state.x[0], r = state.x[1];
    const double turning = testing::rate_of(angle)(bodies, xi);
    EXPECT_LT(relative_error(evaluation.state_rate()[0],
                             r * turning + (P(1) - P(4))[0] * testing::point_velocity(*model, 3, bodies, xi, P(3))[0] +
                                 std::sin(state.t)),
              kTolerance);
    EXPECT_LT(relative_error(evaluation.state_rate()[1], p * p - r * angle(bodies)), kTolerance);
    EXPECT_LT(is_planar ? 0 : relative_error(evaluation.state_rate()[2], turning), kTolerance);
    const dae::DerivativeReport report = dae::check_derivatives(system, state);
    EXPECT_TRUE(report.is_right()) << to_string(report);
    EXPECT_TRUE(report.not_given.empty()) << to_string(report);
  }
}

TEST(Signals, ImplicitStatesReadTheirRates) {
  Random random(7);
  auto model = make_two_bodies(false, random);
  add_joint(*model, "ab", kRevolute, 1, 3);
  for (const char* name : {"p", "r", "s"}) model->states.push_back({name, true, false, {}, random.number(), 0.2});
  model->states[0].function = compile(*model, "der(p)^2 + der(r) * p - ab.angle");
  model->states[1].function = compile(*model, "r - dx(a.p) * ab.angle_rate");
  model->states[2].is_implicit = false;
  model->states[2].function = compile(*model, "p * s");
  const Mechanism system(model);
  EXPECT_EQ(system.structure().state_form, dae::StateForm::kImplicit);
  dae::State state = moving_state(system, random);
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const auto angle = [&](const auto& at) { return testing::coordinate_value(*model, {0, CoordinateKind::kAngle}, at); };
  const double p = state.x[0], s = state.x[2];
  EXPECT_NEAR(evaluation.state_residual()[0],
              std::pow(state.x_rate[0], 2) + state.x_rate[1] * p - angle(testing::bodies_of(system, state)), 1e-12);
  EXPECT_NEAR(evaluation.state_residual()[2], state.x_rate[2] - p * s, 1e-13);
  EXPECT_EQ(system.given_state().x_rate[0], 0.2);
  const dae::DerivativeReport report = dae::check_derivatives(system, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
  EXPECT_TRUE(report.not_given.empty()) << to_string(report);
}

TEST(Signals, StatesMayReadAccelerationsAndReactions) {
  Random random(8);
  auto model = make_two_bodies(false, random);
  add_joint(*model, "ab", kRevolute, 1, 3);
  model->states.push_back({"p", false, false, {}, 0.1, 0});
  model->states.push_back({"r", false, false, {}, 0.1, 0});
  model->states[0].function = compile(*model, "accx(a.p, b.p) * p");
  model->states[1].function = compile(*model, "ab.reaction.fy + ab.reaction.torque");
  const Mechanism system(model);
  dae::State state = moving_state(system, random);
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  Probe probe(system);
  probe.set(state);
  const Wrench reaction = probe.calc_reaction(0);
  EXPECT_NEAR(evaluation.state_rate()[1], reaction[1] + reaction.tail<3>().norm(), 1e-12);
  const dae::DerivativeReport report = dae::check_derivatives(system, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
}

TEST(Signals, VariablesThatDependOnThemselvesBecomeStates) {
  Random random(9);
  auto model = make_two_bodies(true, random);
  for (const char* name : {"u", "w"}) model->variables.push_back({name, "", {}});
  model->variables[0].function = compile(*model, "0.5 * cos(w) + 0.1 * a.x");
  model->variables[1].function = compile(*model, "u + 0.2 * t");
  add_line_force(*model, "spring", 1, 3).expression = compile(*model, "3 * w");
  const Mechanism system(model);
  const dae::Structure& s = system.structure();
  ASSERT_EQ(s.n_x(), 1);
  EXPECT_EQ(s.state_form, dae::StateForm::kImplicit);
  const bool is_u = s.state_names[0] == "u";
  EXPECT_TRUE(is_u || s.state_names[0] == "w") << s.state_names[0];
  EXPECT_TRUE(system.model().states[0].is_algebraic);
  EXPECT_EQ(model->states.size(), 0U);  // the model of the user stays as it was

  dae::State state = moving_state(system, random);
  const double x = testing::place_marker(*model, model->find_marker("a"), testing::bodies_of(system, state)).P[0];
  double u = 0;
  for (int k = 0; k < 200; ++k) u = 0.5 * std::cos(u + 0.2 * state.t) + 0.1 * x;
  const double w = u + 0.2 * state.t;
  state.x[0] = is_u ? u : w;
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  EXPECT_NEAR(evaluation.state_residual()[0], 0, 1e-14);
  Probe probe(system);
  probe.set(state);
  double F = 0;
  probe.calc_force_values(0, &F);
  EXPECT_NEAR(F, 3 * w, 1e-13);
  state.x[0] += 0.3;  // no solution: the residual says by how much, x - expression
  evaluation.set(state);
  const double residual = is_u ? u + 0.3 - (0.5 * std::cos(w + 0.3) + 0.1 * x)
                               : w + 0.3 - (0.5 * std::cos(w + 0.3) + 0.1 * x + 0.2 * state.t);
  EXPECT_NEAR(evaluation.state_residual()[0], residual, 1e-13);
  const dae::DerivativeReport report = dae::check_derivatives(system, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
}

TEST(Signals, AForceThatDependsOnItselfIsRefused) {
  Random random(10);
  auto model = make_two_bodies(true, random);
  add_line_force(*model, "spring", 1, 3);
  model->forces[0].scalar->law.expression = compile(*model, "2 * spring.value");
  try {
    const Mechanism system(model);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "force 'spring' depends on its own value");
  }
}

// Whichever of the two is met first: the variable of the circle becomes the state.
TEST(Signals, AForceAndAVariableThatDependOnEachOtherMakeAState) {
  for (const bool force_comes_first : {false, true}) {
    Random random(12);
    auto model = make_two_bodies(true, random);
    model->variables.push_back({"y", "", {}});
    add_line_force(*model, "spring", 1, 3).preload = 2;
    const auto write_force = [&] { model->forces[0].scalar->law.expression = compile(*model, "0.5 * y"); };
    if (force_comes_first) write_force();
    model->variables[0].function = compile(*model, "0.3 * spring.value + 1");
    write_force();
    const Mechanism system(model);
    ASSERT_EQ(system.structure().state_names, std::vector<std::string>{"y"});
    dae::State state = system.given_state();
    state.x[0] = (1 + 0.3 * 2) / (1 - 0.15);  // y = 0.3 (2 + 0.5 y) + 1
    dae::Evaluation evaluation(system);
    evaluation.set(state);
    EXPECT_NEAR(evaluation.state_residual()[0], 0, 1e-14);
    const dae::DerivativeReport report = dae::check_derivatives(system, state);
    EXPECT_TRUE(report.is_right()) << to_string(report);
  }
}

TEST(Signals, CirclesThatShareAVariableMakeOneState) {
  Random random(14);
  auto model = make_two_bodies(true, random);
  for (const char* name : {"y", "a1", "a2"}) model->variables.push_back({name, "", {}});
  add_line_force(*model, "spring", 1, 3);
  add_line_force(*model, "other", 2, 4);
  model->variables[1].function = compile(*model, "cos(y) + other.value");
  model->variables[2].function = compile(*model, "y^2 + spring.value");
  model->variables[0].function = compile(*model, "0.1 * a1 + 0.2 * a2");
  model->forces[0].scalar->law.expression = compile(*model, "y - 0.3");
  model->forces[1].scalar->law.expression = compile(*model, "0.1 * spring.value");
  const Mechanism system(model);
  ASSERT_EQ(system.structure().state_names, std::vector<std::string>{"y"});
  dae::State state = system.given_state();
  const double y = state.x[0] = 0.4;
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  const double a1 = std::cos(y) + 0.1 * (y - 0.3), a2 = y * y + y - 0.3;
  EXPECT_NEAR(evaluation.state_residual()[0], y - 0.1 * a1 - 0.2 * a2, 1e-14);
  const dae::DerivativeReport report = dae::check_derivatives(system, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
}

TEST(Signals, ComponentsOfAForceMayDependOnEachOther) {
  Random random(13);
  auto model = make_two_bodies(false, random);
  model::VectorForce& push = add_vector_force(*model, "push", 1);
  model->variables.push_back({"y", "", compile(*model, "3 * push.tz")});
  push.force[0] = compile(*model, "y + 1");
  push.torque[2] = compile(*model, "dx(a.p)^2 - vy(b.p)");
  const Mechanism system(model);
  EXPECT_EQ(system.structure().n_x(), 0);
  const dae::State state = moving_state(system, random);
  const RefBodies<double> bodies = testing::bodies_of(system, state);
  const auto P = [&](int marker) { return testing::place_marker(*model, marker, bodies).P; };
  const double torque =
      P(1)[0] * P(1)[0] - testing::point_velocity(*model, 3, bodies, testing::expand(*model, state.v), P(3))[1];
  dae::Evaluation evaluation(system);
  evaluation.set(state);
  EXPECT_NEAR(evaluation.force()[0], 3 * torque + 1, 1e-12);
  const dae::DerivativeReport report = dae::check_derivatives(system, state);
  EXPECT_TRUE(report.is_right()) << to_string(report);
}

TEST(Signals, ForcesMayNotDependOnAccelerationsOrReactions) {
  Random random(11);
  for (const bool is_vector : {false, true}) {
    for (const auto& [text, kind] : {std::pair{"accx(a.p, b.p)", "accelerations"},
                                     {"wdtz(a.p)", "accelerations"},
                                     {"ab.reaction.fx", "reactions"},
                                     {"ab.reaction.torque", "reactions"}}) {
      auto model = make_two_bodies(false, random);
      add_joint(*model, "ab", kRevolute, 1, 3);
      // By way of a variable and of the value of another force.
      model->variables.push_back({"hidden", "", compile(*model, fmt::format("2 * {}", text))});
      if (is_vector) {
        add_vector_force(*model, "bad one", 1).torque[1] = compile(*model, "hidden + 1");
      } else {
        add_line_force(*model, "bad one", 1, 3).expression = compile(*model, "hidden + 1");
      }
      try {
        const Mechanism system(model);
        FAIL() << text << " accepted";
      } catch (const std::invalid_argument& error) {
        EXPECT_EQ(std::string(error.what()),
                  fmt::format("force 'bad one' depends on {}: forces may depend on positions, velocities, states and "
                              "time, not on {}",
                              text, kind));
      }
    }
  }
}

}  // namespace
}  // namespace trammel::system
