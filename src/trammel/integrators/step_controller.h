#pragma once

// From the size and the error of a step to the size of the next one. Knobs and memory are apart; time is not known.
//
// With k = order + 1 the order of the local error, the proportional-integral rule (Gustafsson; Hairer and Wanner II,
// IV.2) is
//
//   h_new = h safety error^(-1/k + 3/4 beta) previous_error^beta                                               (1)
//
// and beta = 0 gives the elementary rule. After a rejection only the present error counts and h does not grow.

namespace trammel::integrators {

struct StepControllerOptions {
  /// 0 to 1. At equal error 0.8 took 1 to 13 percent fewer evaluations than 0.9 on eight cases, and a third of the
  /// rejections.
  double safety = 0.8;
  double beta = 0.04;            ///< 0 to 0.1
  double min_factor = 0.2;       ///< of a change, < 1
  double max_factor = 5;         ///< > 1
  double failure_factor = 0.25;  ///< after equations that could not be solved
};

class StepController {
 public:
  explicit StepController(const StepControllerOptions& options = {}) : options_(options) {}

  /// The next step after one that was accepted with this error (at most 1).
  double after_accepted(double h, int order, double error);
  /// The next attempt after an error larger than 1.
  double after_rejected(double h, int order, double error);
  /// The next attempt after equations that could not be solved.
  double after_failure(double h);
  /// Forgets the past: at the start and after events.
  void reset();

 private:
  StepControllerOptions options_;
  double previous_error_ = 1e-4;
  bool rejected_ = false;
};

}  // namespace trammel::integrators
