#pragma once

// What a factorisation answers: done, or what stopped it and at which row or column of the matrix that was given.
// A singular matrix is met in normal use (a mechanism in a dead position, a redundant joint), so it is a value, not an
// exception.

#include <string>

namespace trammel::linalg {

enum class FactorCause {
  kNone,                 ///< the factors can be used
  kZeroPivot,            ///< the column `index` depends on the others: its pivot is zero or only rounding error
  kNotPositiveDefinite,  ///< the pivot of row `index` of a mass matrix is not positive
  kSingularBlock,  ///< the block that the elimination begins with is singular at its column `index`, whatever the whole
  kDependentRow,   ///< the constraint row `index` depends on the rows before it
  kStructurallySingular,  ///< column `index` can be matched with no row of its own, whatever the values are
  kNotFinite,             ///< column `index` holds an infinity or not-a-number
  kOutOfMemory,
};

struct FactorStatus {
  bool ok = true;
  int index = -1;  ///< row or column of the matrix as given, -1 when there is none to name
  FactorCause cause = FactorCause::kNone;

  static FactorStatus failed(FactorCause cause, int index) { return {false, index, cause}; }
  explicit operator bool() const { return ok; }
};

/// One sentence for a report, without a full stop.
std::string describe(const FactorStatus& status);

}  // namespace trammel::linalg
