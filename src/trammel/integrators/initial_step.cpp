#include "trammel/integrators/initial_step.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trammel::integrators {

using kkt::AccelerationStatus;
using linalg::Vector;

double calc_initial_step(const MethodContext& context, Method& method, const dae::State& state, double longest) {
  dae::Evaluation& evaluation = context.evaluation;
  const ErrorNorm& norm = context.norm;
  const dae::Structure& s = evaluation.structure();
  Vector q_rate(s.n_q()), q_rate_ahead(s.n_q());
  evaluation.system().calc_position_rate(state.q, state.v, q_rate);
  const double size = norm.calc(state.q, state.v, state.x);
  const double first = norm.calc(q_rate, state.a, state.x_rate);
  // A state that is all but zero may seem to change faster than time can tell.
  const double least = std::min(16 * std::numeric_limits<double>::epsilon() * (std::abs(state.t) + longest), longest);
  const double h0 = size < 1e-5 || first < 1e-5 ? 1e-6 * longest : std::clamp(0.01 * size / first, least, longest);

  // The second derivative from one Euler step.
  dae::State ahead = state;
  evaluation.system().retract(state.q, h0 * state.v, ahead.q);
  ahead.t += h0;
  ahead.v += h0 * state.a;
  ahead.x += h0 * state.x_rate;
  evaluation.set_position(ahead.t, ahead.q);
  evaluation.set_x(ahead.x);
  if (method.gives_accelerations()) {
    if (method.complete_start(ahead) != AccelerationStatus::kSolved) return h0;
  } else if (context.accelerations.factor_position() != AccelerationStatus::kSolved ||
             complete_state(context, ahead, state) != AccelerationStatus::kSolved) {
    return h0;
  }
  evaluation.system().calc_position_rate(ahead.q, ahead.v, q_rate_ahead);
  const double second = norm.calc(q_rate_ahead - q_rate, ahead.a - state.a, ahead.x_rate - state.x_rate) / h0;
  const double largest = std::max(first, second);
  const double h1 =
      largest <= 1e-15 ? std::max(1e-6 * longest, 1e-3 * h0) : std::pow(0.01 / largest, 1.0 / (method.order() + 1));
  const double h = std::min({100 * h0, h1, longest});
  return std::isfinite(h) && h > 0 ? h : 1e-6 * longest;
}

}  // namespace trammel::integrators
