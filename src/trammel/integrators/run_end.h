#pragma once

// Why a run is over before its end time: it was stopped, or it failed. The parts of integrate() return it; nothing
// means that the run goes on.

#include <string>
#include <utility>

#include "trammel/integrators/result.h"

namespace trammel::integrators {

struct RunEnd {
  RunStatus status;
  StopReason stop_reason;      ///< of a run that was stopped
  FailureCause failure_cause;  ///< of one that failed
  std::string text;            ///< what happened, for the user

  static RunEnd stopped(StopReason reason, std::string text) {
    return {RunStatus::kStopped, reason, FailureCause::kNone, std::move(text)};
  }
  static RunEnd failed(FailureCause cause, std::string text) {
    return {RunStatus::kFailed, StopReason::kNone, cause, std::move(text)};
  }
};

}  // namespace trammel::integrators
