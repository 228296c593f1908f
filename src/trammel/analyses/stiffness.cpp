#include "trammel/analyses/stiffness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trammel/analyses/modes.h"
#include "trammel/dae/evaluation.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::analyses {

namespace {

// Dense matrices: 600 coordinates take some seconds for all states.
constexpr int kMostCoordinates = 600;
// Real and imaginary parts below this share of the largest eigenvalue are round-off.
constexpr double kEigenvalueNoise = 1e-6;

/// Accelerations, reactions and rates of states at the state, in the form of the system.
bool complete(dae::Evaluation& evaluation, const dae::State& state) {
  evaluation.set(state);
  kkt::AccelerationSolver solver(evaluation);
  return solver.factor_position() == kkt::AccelerationStatus::kSolved &&
         solver.solve(state) == kkt::AccelerationStatus::kSolved;
}

StiffnessPoint collect(double t, const ModalReport& report) {
  StiffnessPoint point;
  point.t = t;
  for (const Mode& mode : report.modes) {
    point.decay = std::max(point.decay, -mode.eigenvalue.real());
    point.growth = std::max(point.growth, mode.eigenvalue.real());
    point.frequency = std::max(point.frequency, std::abs(mode.eigenvalue.imag()));
    point.size = std::max(point.size, std::abs(mode.eigenvalue));
  }
  for (double* part : {&point.decay, &point.growth, &point.frequency}) {
    if (*part < kEigenvalueNoise * point.size) *part = 0;
  }
  return point;
}

void summarise(Stiffness& result) {
  double sum = 0;
  for (const StiffnessPoint& p : result.points) {
    result.decay = std::max(result.decay, p.decay);
    result.growth = std::max(result.growth, p.growth);
    result.frequency = std::max(result.frequency, p.frequency);
    result.size = std::max(result.size, p.size);
    sum += p.size;
  }
  result.stability_steps = result.span * sum / static_cast<double>(result.points.size()) / kExplicitStability;
}

}  // namespace

Stiffness measure_stiffness(const CompareProblem& problem, const std::vector<dae::State>& states, double span) {
  Stiffness result;
  result.span = span;
  Form form;
  if (is_spatial(problem.mechanism.get())) {
    form.plain = std::make_shared<const system::PlainForm>(problem.mechanism, problem.mechanism->rotations());
  }
  const dae::ConstrainedSystem& system =
      form.plain ? static_cast<const dae::ConstrainedSystem&>(*form.plain) : *problem.system;
  if (system.structure().n_v() > kMostCoordinates) {
    result.why_not = fmt::format("the problem has {} coordinates, and eigenvalues are computed for at most {}",
                                 system.structure().n_v(), kMostCoordinates);
    return result;
  }
  dae::Evaluation evaluation(system);
  for (const dae::State& state : states) {
    if (!complete(evaluation, form.from_quasi(state))) continue;
    const Linearisation linear = linearise_motion(evaluation);
    if (!linear.A.allFinite() || !linear.E.allFinite()) continue;
    result.points.push_back(collect(state.t, calc_modes(linear)));
  }
  if (result.points.empty()) {
    result.why_not = "there is no state along the motion at which the equations could be linearised";
    return result;
  }
  summarise(result);
  return result;
}

ProblemFacts collect_facts(const CompareProblem& problem) {
  const dae::Structure& s = problem.system->structure();
  ProblemFacts facts;
  facts.coordinates = s.n_v();
  facts.constraints = s.m() - static_cast<int>(s.switchable_rows.size());
  facts.states = s.n_x();
  facts.degrees_of_freedom = std::max(0, s.n_v() - facts.constraints);
  if (s.n_v() <= kMostCoordinates && s.m() > 0) {
    dae::Evaluation evaluation(*problem.system);
    evaluation.set_position(problem.start.t, problem.start.q);
    evaluation.set_x(problem.start.x);
    facts.degrees_of_freedom = static_cast<int>(calc_null_space(s.jacobian.to_dense(evaluation.jacobian())).cols());
  }
  for (const integrators::Event& event : problem.events) {
    facts.edges += event.is_edge ? 1 : 0;
    facts.stops += event.action == integrators::EventAction::kStop ? 1 : 0;
    facts.changes += !event.is_edge && event.action == integrators::EventAction::kRestart ? 1 : 0;
  }
  facts.is_spatial = is_spatial(problem.mechanism.get());
  facts.has_nonholonomic_rows = s.n_g < s.m();
  facts.has_implicit_states = s.n_x() > 0 && s.state_form == dae::StateForm::kImplicit;
  facts.has_reaction_forces = s.force_depends_on_lambda();
  return facts;
}

}  // namespace trammel::analyses
