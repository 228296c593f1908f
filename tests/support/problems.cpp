#include "tests/support/problems.h"

#include <algorithm>
#include <stdexcept>

#include "cases/case.h"
#include "tests/support/pendulum_solution.h"
#include "tests/support/systems.h"

namespace trammel::testing {
namespace {

template <class System>
Problem with_closed_solution(std::string name, double t_end, std::shared_ptr<const System> system) {
  return {std::move(name), system, system->start(), t_end, [system](double t) { return system->solution(t); }};
}

Problem pendulum() {
  cases::Case c = cases::build_case(*cases::find_case("pendulum"));
  return {"pendulum", std::move(c.system), c.start, 2, [](double t) {
            State s;
            PendulumSolution().set(t, s);
            return s;
          }};
}

Problem lagged_actuator() {
  auto system = std::make_shared<const LaggedActuator>(0.5);
  return {"lagged actuator", system, system->start(), 3, [system](double t) {
            const Eigen::Vector3d exact = system->solution(t);
            State s;
            s.t = t;
            s.q = exact.segment(0, 1);
            s.v = exact.segment(1, 1);
            s.x = exact.segment(2, 1);
            return s;
          }};
}

}  // namespace

const std::vector<Problem>& smooth_problems() {
  static const std::vector<Problem> problems{
      pendulum(),
      with_closed_solution("bead on turning line", 1.5, std::make_shared<const BeadOnTurningLine>(1.5)),
      with_closed_solution("knife edge", 3, std::make_shared<const KnifeEdge>(2, 1.5)),
      with_closed_solution("polar point", 2.5, std::make_shared<const PolarPoint>(2, 2)),
      lagged_actuator(),
  };
  return problems;
}

const Problem& smooth_problem(const std::string& name) {
  for (const Problem& p : smooth_problems()) {
    if (p.name == name) return p;
  }
  throw std::invalid_argument("no test problem " + name);
}

Errors calc_errors(const dae::State& state, const dae::State& exact) {
  const auto difference = [](const Vector& a, const Vector& b) {
    return b.size() > 0 ? linalg::largest_abs(a - b) : 0.0;
  };
  return {difference(state.q, exact.q), difference(state.v, exact.v), difference(state.lambda, exact.lambda),
          difference(state.x, exact.x)};
}

std::vector<std::string> methods_for(const Problem& problem) {
  std::vector<std::string> names;
  for (const integrators::MethodEntry* entry : integrators::methods()) {
    if (find_obstacles(*entry, problem.system->structure(), {}).empty()) names.push_back(entry->name);
  }
  return names;
}

}  // namespace trammel::testing
