#pragma once

// The solution between the ends of the last accepted step, to the degree of completeness that is asked for.

#include "trammel/integrators/method.h"

namespace trammel::integrators {

enum class Detail {
  kInterpolated,   ///< q, v, x as the method's polynomial gives them
  kAccelerations,  ///< and a, lambda at them, and x' unless the method interpolates them
  kConsistent,     ///< moved onto the constraints, with a, lambda, x' there: what users are given
};

class ContinuousSolution {
 public:
  ContinuousSolution(const MethodContext& context, Method& method);

  /// The state at t within the last accepted step; valid until the next call. nullptr when it cannot be completed
  /// (the equations are singular there).
  const dae::State* at(double t, Detail detail);

 private:
  MethodContext context_;
  Method& method_;
  dae::State state_;
};

/// a, lambda, x' and the algebraic ones of x at a state whose t, q and x are the evaluation's and whose position is
/// factorised; reactions are looked for near those of `near`, which may be the same state.
kkt::AccelerationStatus complete_state(const MethodContext& context, dae::State& state, const dae::State& near);

/// x' alone, of states in explicit form; a and lambda are those of the state, and the evaluation stands at its
/// position.
kkt::AccelerationStatus complete_rates(const MethodContext& context, dae::State& state);

/// Makes a state consistent where it stands: projects q and v and has a, lambda, x' computed for the method. The
/// positions may be far off when `assemble` is set. An empty string, or what went wrong.
std::string make_consistent(const MethodContext& context, Method& method, dae::State& state, bool assemble);
/// The same with a, lambda, x' from the index-1 equations.
std::string make_consistent(const MethodContext& context, dae::State& state, bool assemble);

}  // namespace trammel::integrators
