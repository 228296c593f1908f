#include "bench/peers/erk_peer.h"

#include <arkode/arkode_erkstep.h>

#include "bench/peers/andrews_reduced.h"
#include "bench/peers/sundials.h"
#include "trammel/kkt/accelerations.h"

namespace trammel::bench {
namespace {

struct FreeErk {
  void operator()(void* memory) const { ERKStepFree(&memory); }
};

/// Integrates y' = rhs(t, y) from t = 0; the state at the end is left in y.
Outcome run_erk(ARKRhsFn rhs, void* user_data, N_Vector y, double t_end, double tolerance) {
  const std::unique_ptr<void, FreeErk> erk(ERKStepCreate(rhs, 0, y, context()));
  check(ERKStepSetTableNum(erk.get(), ARKODE_DORMAND_PRINCE_7_4_5), "ERKStepSetTableNum");
  check(ERKStepSStolerances(erk.get(), tolerance, tolerance), "ERKStepSStolerances");
  check(ERKStepSetUserData(erk.get(), user_data), "ERKStepSetUserData");
  check(ERKStepSetMaxNumSteps(erk.get(), 10'000'000), "ERKStepSetMaxNumSteps");
  check(ERKStepSetStopTime(erk.get(), t_end), "ERKStepSetStopTime");
  double t = 0;
  check(ERKStepEvolve(erk.get(), t_end, y, &t, ARK_NORMAL), "ERKStepEvolve");
  Outcome outcome;
  check(ERKStepGetNumSteps(erk.get(), &outcome.steps), "ERKStepGetNumSteps");
  check(ERKStepGetNumRhsEvals(erk.get(), &outcome.evaluations), "ERKStepGetNumRhsEvals");
  return outcome;
}

int calc_reduced_rate(double, N_Vector y, N_Vector rate, void*) {
  const double* state = N_VGetArrayPointer(y);
  double* out = N_VGetArrayPointer(rate);
  out[0] = state[1];
  out[1] = calc_reduced_acceleration(state[0], state[1]);
  return 0;
}

struct Underlying {
  explicit Underlying(const dae::ConstrainedSystem& system) : evaluation(system), accelerations(evaluation) {}

  static int calc_rate(double t, N_Vector y, N_Vector rate, void* user_data) {
    auto& [evaluation, accelerations] = *static_cast<Underlying*>(user_data);
    using kkt::AccelerationStatus;
    const int n = evaluation.structure().n_v();
    const auto state = as_vector(y);
    auto out = as_vector(rate);
    evaluation.set_position(t, state.head(n));
    if (accelerations.factor_position() != AccelerationStatus::kSolved) return 1;
    evaluation.set_velocity(state.tail(n));
    if (accelerations.solve(evaluation.point()) != AccelerationStatus::kSolved) return 1;
    out.head(n) = state.tail(n);
    out.tail(n) = evaluation.point().a;
    return 0;
  }

  dae::Evaluation evaluation;
  kkt::AccelerationSolver accelerations;
};

}  // namespace

Contender make_reduced_andrews(const Problem& andrews) {
  const double beta = andrews.setup.start.q[0], rate = andrews.setup.start.v[0], t_end = andrews.setup.t_end;
  return {"erk reduced", decades(3, 11), [=](double tolerance) {
            const VectorOwner y = make_vector(Eigen::Vector2d(beta, rate));
            Outcome outcome = run_erk(calc_reduced_rate, nullptr, y.get(), t_end, tolerance);
            outcome.q = calc_reduced_position(as_vector(y.get())[0]);
            return outcome;
          }};
}

Contender make_underlying_ode(const Problem& problem) {
  const cases::Case& setup = problem.setup;
  return {"erk index 1", decades(3, 11), [&setup](double tolerance) {
            Underlying underlying(*setup.system);
            linalg::Vector start(setup.start.q.size() + setup.start.v.size());
            start << setup.start.q, setup.start.v;
            const VectorOwner y = make_vector(start);
            Outcome outcome = run_erk(Underlying::calc_rate, &underlying, y.get(), setup.t_end, tolerance);
            outcome.q = as_vector(y.get()).head(setup.start.q.size());
            outcome.solver = to_string(underlying.accelerations.metric().back_end());
            return outcome;
          }};
}

}  // namespace trammel::bench
