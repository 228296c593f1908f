// States, variables, control blocks, outputs, events and settings.

#include "tests/model_files/reading.h"

namespace trammel::io {
namespace {

TEST(ReadStates, ExplicitAndImplicit) {
  const model::Model m = read(R"(
parameters: {tau: 0.5, supply: 10}
states:
  pressure: {derivative: (supply - pressure)/tau, initial: supply/2}
  flow: {residual: 2*der(flow) + flow - pressure, initial: 1, initial_rate: 3}
variables:
  power: pressure*flow
  ratio: {value: power/2, unit: W}
)");
  EXPECT_FALSE(m.states[0].is_implicit);
  EXPECT_EQ(m.states[0].initial, 5);
  EXPECT_EQ(value(m.states[0].function, {4}), 12);
  EXPECT_TRUE(m.states[1].is_implicit);
  EXPECT_EQ(m.states[1].initial_rate, 3);
  EXPECT_EQ(inputs_of(m, m.states[1].function), (std::vector<std::string>{"der(flow)", "flow", "pressure"}));
  EXPECT_EQ(m.signals[static_cast<std::size_t>(m.states[1].function.inputs()[0])].kind, model::SignalKind::kStateRate);
  EXPECT_EQ(m.variables[0].name, "power");
  EXPECT_EQ(m.variables[1].unit, "W");
  EXPECT_EQ(signal_of(m, m.variables[1].function).kind, model::SignalKind::kVariable);
  EXPECT_EQ(signal_of(m, m.variables[1].function).index, 0);
}

// The response of states and variables to a constant input, by small Euler steps: enough to see gains and signs.
double steady_output(const model::Model& m, const std::string& output, double t) {
  Eigen::VectorXd x(static_cast<int>(m.states.size()));
  for (int k = 0; k < x.size(); ++k) x[k] = m.states[static_cast<std::size_t>(k)].initial;
  std::vector<double> variables(m.variables.size());
  const auto eval = [&](const model::Program& program) {
    std::vector<double> inputs;
    for (const int input : program.inputs()) {
      const model::Signal& s = m.signals[static_cast<std::size_t>(input)];
      inputs.push_back(s.kind == model::SignalKind::kTime    ? t
                       : s.kind == model::SignalKind::kState ? x[s.index]
                                                             : variables[static_cast<std::size_t>(s.index)]);
    }
    return value(program, inputs);
  };
  for (int step = 0; step < 4000; ++step) {
    for (std::size_t k = 0; k < variables.size(); ++k) variables[k] = eval(m.variables[k].function);
    Eigen::VectorXd rate(x.size());
    for (int k = 0; k < x.size(); ++k) rate[k] = eval(m.states[static_cast<std::size_t>(k)].function);
    x += 0.005 * rate;
  }
  for (std::size_t k = 0; k < variables.size(); ++k) variables[k] = eval(m.variables[k].function);
  return variables.at(static_cast<std::size_t>(m.find_variable(output)));
}

TEST(ReadStates, TransferFunctionsReachTheirGain) {
  // At rest the gain is b_n / a_n, whatever the leading coefficient.
  const model::Model m = read(R"(
transfer_functions:
  low-pass: {input: 3*t, numerator: [10], denominator: [2, 8, 10]}
  lead: {input: t, numerator: [4, 1], denominator: [2, 5]}
  gain: {input: 2*t, numerator: [6], denominator: [3]}
outputs: {o: "'low-pass'.x1 + lead + gain"}
)");
  ASSERT_EQ(m.states.size(), 3u);
  EXPECT_EQ(m.states[0].name, "low-pass.x1");
  EXPECT_EQ(m.states[2].name, "lead.x1");
  EXPECT_NEAR(steady_output(m, "low-pass", 2), 6, 1e-6);
  EXPECT_NEAR(steady_output(m, "lead", 2), 2 * 1.0 / 5, 1e-6);
  EXPECT_NEAR(steady_output(m, "gain", 2), 8, 1e-6);
  EXPECT_NEAR(steady_output(m, "low-pass.u", 2), 6, 1e-6);
}

TEST(ReadStates, TransferFunctionHasTheRightDynamics) {
  // (s + 3) / (s^2 + 4 s + 5): x2' = u - 5 x1 - 4 x2, y = 3 x1 + x2.
  const model::Model m = read("transfer_functions: {g: {input: t, numerator: [1, 3], denominator: [1, 4, 5]}}\n");
  EXPECT_EQ(inputs_of(m, m.states[0].function), std::vector<std::string>{"g.x2"});
  EXPECT_EQ(inputs_of(m, m.states[1].function), (std::vector<std::string>{"g.x1", "g.x2", "g.u"}));
  EXPECT_EQ(value(m.states[1].function, {1, 0, 0}), -5);
  EXPECT_EQ(value(m.states[1].function, {0, 1, 0}), -4);
  EXPECT_EQ(value(m.states[1].function, {0, 0, 1}), 1);
  const model::Program& y = m.variables.at(static_cast<std::size_t>(m.find_variable("g"))).function;
  EXPECT_EQ(inputs_of(m, y), (std::vector<std::string>{"g.x1", "g.x2"}));
  EXPECT_EQ(value(y, {1, 0}), 3);
  EXPECT_EQ(value(y, {0, 1}), 1);
}

TEST(ReadStates, StateSpace) {
  const model::Model m = read(R"(
state_space:
  plant: {inputs: [t, 2], A: [[-1, 1], [0, -2]], B: [[0, 0], [1, 3]], C: [[1, 0], [0, 1]], D: [[0, 0], [0, 1]], initial: [7, 8]}
)");
  ASSERT_EQ(m.states.size(), 2u);
  EXPECT_EQ(m.states[0].name, "plant.x1");
  EXPECT_EQ(m.states[1].initial, 8);
  // x2 = (t + 6) / 2, x1 = x2; y2 = x2 + 2.
  EXPECT_NEAR(steady_output(m, "plant.y1", 4), 5, 1e-6);
  EXPECT_NEAR(steady_output(m, "plant.y2", 4), 7, 1e-6);
  EXPECT_EQ(m.find_variable("plant.u2"), 1);
}

TEST(ReadStates, OutputsAndEvents) {
  const model::Model m = read(R"(
space: planar
bodies: {a: {mass: 1, inertia: 1}}
joints: {hinge: {type: revolute, between: [ground, a]}}
states: {count: {derivative: 0}}
outputs:
  load: {value: hinge.reaction.force, unit: N}
  speed: vm(a)
events:
  turn: {when: hinge.angle, threshold: 2*pi, direction: rising, then: stop}
  hit: {when: a.y, direction: falling, then: {set: {count: count + 1}}}
  note: {when: t - 1}
)");
  EXPECT_EQ(m.outputs[0].unit, "N");
  EXPECT_EQ(signal_of(m, m.outputs[0].function).kind, model::SignalKind::kReactionForce);
  EXPECT_EQ(signal_of(m, m.outputs[1].function).kind, model::SignalKind::kSpeed);
  EXPECT_TRUE(m.events[0].stops);
  EXPECT_EQ(m.events[0].direction, 1);
  EXPECT_GT(m.events[0].threshold, 6.28);
  EXPECT_EQ(m.events[1].direction, -1);
  ASSERT_EQ(m.events[1].assignments.size(), 1u);
  EXPECT_EQ(m.events[1].assignments[0].first, 0);
  EXPECT_EQ(value(m.events[1].assignments[0].second, {4}), 5);
  EXPECT_FALSE(m.events[2].stops);
  EXPECT_EQ(m.events[2].direction, 0);
}

TEST(ReadStates, Simulation) {
  const model::Model m = read(R"(
parameters: {T: 2}
simulation: {t_start: 1, t_end: 5*T, method: hht, coordinates: joint, tolerance: 1e-6, max_step: 0.1, find_switches: false,
             options: {alpha: -0.3, newton: full}, outputs: {every: 0.01, continuous: ["a.*", b], continuous_degree: 5}}
)");
  EXPECT_EQ(m.simulation.t_start, 1);
  EXPECT_EQ(m.simulation.t_end, 10);
  EXPECT_EQ(m.simulation.method, "hht");
  EXPECT_EQ(m.simulation.coordinates, "joint");
  EXPECT_EQ(m.simulation.tolerance, 1e-6);
  EXPECT_EQ(m.simulation.max_step, 0.1);
  EXPECT_FALSE(m.simulation.finds_switches);
  EXPECT_EQ(m.simulation.method_options.at("alpha"), "-0.3");
  EXPECT_EQ(m.simulation.method_options.at("newton"), "full");
  EXPECT_EQ(m.simulation.output_interval, 0.01);
  EXPECT_EQ(m.simulation.continuous, (std::vector<std::string>{"a.*", "b"}));
  EXPECT_EQ(m.simulation.continuous_degree, 5);
}

}  // namespace
}  // namespace trammel::io
