#pragma once

// Expressions whose inputs are signals (signals.h).

#include <vector>

#include "trammel/model/model.h"

namespace trammel::system {

/// Room for one evaluation; one per thread.
struct SignalWork {
  std::vector<double> values;     ///< one a signal
  std::vector<double> gradients;  ///< over the supports of all signals
  std::vector<double> inputs, work, partials, gather_room;
};

class Signals;

/// An expression together with where its inputs come from.
class ProgramUse {
 public:
  ProgramUse() = default;
  ProgramUse(model::Program program, const Signals& signals);

  const model::Program& program() const { return program_; }
  /// Unknowns that the value depends on, increasing.
  const std::vector<int>& support() const { return support_; }
  double eval(SignalWork& work) const;
  /// Where a value that is not a finite number comes from; `input` is then a signal.
  model::expression::Fault find_fault(SignalWork& work) const;
  /// The value; its gradient over support() is added, times `scale`.
  double eval_gradient(const Signals& signals, SignalWork& work, double scale, double* gradient) const;

 private:
  void gather(SignalWork& work) const;

  model::Program program_;
  std::vector<int> support_;
  std::vector<std::vector<int>> places_;  // for each input: where its support stands in support_
};

}  // namespace trammel::system
