#include "bench/contestants.h"

#include <stdexcept>

#include "trammel/analyses/joint_coordinates.h"

namespace trammel::bench {

Form make_form(const cases::Case& setup, Coordinates coordinates) {
  if (coordinates == Coordinates::kBody) return Form{setup.system, setup.start};
  const auto joint = analyses::make_joint_form(setup.mechanism, setup.start);
  return Form{joint, joint->from_quasi(setup.start)};
}

Accelerator::Accelerator(const Form& form, const kkt::SolverOptions& options)
    : state_(form.start), evaluation_(*form.system), accelerations_(evaluation_, options) {
  evaluation_.set_x(state_.x);
}

/// Another time makes the evaluation forget what it knows about this position.
void Accelerator::move() {
  evaluation_.set_position(state_.t += 1, state_.q);
  evaluation_.set_velocity(state_.v);
}

void Accelerator::run() {
  move();
  solve();
}

void Accelerator::solve() {
  if (accelerations_.factor_position() != kkt::AccelerationStatus::kSolved ||
      accelerations_.solve(state_) != kkt::AccelerationStatus::kSolved) {
    throw std::runtime_error("accelerations cannot be computed by " + to_string(accelerations_.metric().back_end()));
  }
}

void Accelerator::evaluate() {
  move();
  if (evaluation_.structure().tree) {
    evaluation_.tree();
  } else {
    evaluation_.mass();
  }
  evaluation_.jacobian();
  evaluation_.force();
  evaluation_.acceleration_bias();
}

}  // namespace trammel::bench
