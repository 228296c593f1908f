#pragma once

// The options that hht and newmark share.

#include <vector>

#include "trammel/integrators/implicit/newmark_family.h"

namespace trammel::integrators {

/// The given options and those of the family behind them.
std::vector<MethodOptionInfo> with_newmark_settings(std::vector<MethodOptionInfo> own);
/// What a user chose of them; alpha, beta and gamma are left to the method.
NewmarkOptions read_newmark_settings(const MethodEntry& entry, const MethodOptions& options);

}  // namespace trammel::integrators
