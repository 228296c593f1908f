#pragma once

// From the end of one accepted step of a method to the end of the next: proposes sizes, attempts, and decides.

#include <optional>

#include "trammel/integrators/interruption.h"
#include "trammel/integrators/method.h"
#include "trammel/integrators/step_controller.h"

namespace trammel::integrators {

class Stepper {
 public:
  /// Steps are at most h_max long [s], unless their size is fixed. Keeps references.
  Stepper(const MethodContext& context, Method& method, const Options& options, Interruption& interruption,
          double t_end, double h_max);

  /// The method was started at this state, and the norm has its weights there.
  void start(const dae::State& state);
  /// The size to be tried next [s].
  void set_next_size(double h) { h_ = h; }
  /// Attempts steps until one is accepted.
  std::optional<RunEnd> advance();

  /// The size of the last attempt [s]; 0 when there was none.
  double tried_size() const { return h_tried_; }
  /// That of the last accepted step.
  double accepted_size() const { return h_accepted_; }
  /// The last accepted step, with the work since the last call.
  StepRecord take_record();

 private:
  double calc_size() const;
  long count_rejected() const;
  void accept(double h, double error);
  RunEnd fail_for_small_step(double smallest, bool was_tried);
  std::string describe_position();

  MethodContext context_;
  Method& method_;
  const Options& options_;
  Interruption& interruption_;
  StepController controller_;
  bool is_fixed_;
  double t_end_, h_max_;
  double h_ = 0;  // to be tried next
  double h_tried_ = 0;
  double h_accepted_ = 0;
  double error_ = 0;                                  // of the last accepted step
  long iterations_noted_ = 0, rejections_noted_ = 0;  // up to the last record
};

}  // namespace trammel::integrators
