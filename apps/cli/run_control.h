#pragma once

// What commands that take long share: they can be interrupted, and they say how far they are.

#include <atomic>

#include "trammel/integrators/integrate.h"

namespace trammel::cli {

/// True ends a run after the present step, cleanly. Control-C sets it, and so does a result file that cannot be
/// written.
std::atomic<bool>& interruption();

/// From now on Control-C sets interruption().
void catch_interrupts();

/// A line on standard error every second, unless `quiet`. Lives as long as the observers are in use.
class ProgressLine {
 public:
  ProgressLine(integrators::Observers& observers, bool quiet);
  /// Leaves the line.
  void end();

 private:
  bool was_shown_ = false;
};

}  // namespace trammel::cli
