#include "trammel/linalg/factor_status.h"

#include <fmt/format.h>

namespace trammel::linalg {

std::string describe(const FactorStatus& status) {
  switch (status.cause) {
    case FactorCause::kNone: return "the matrix was factored";
    case FactorCause::kZeroPivot:
      return fmt::format("the matrix is singular: column {} depends on the others", status.index);
    case FactorCause::kNotPositiveDefinite:
      return fmt::format("the mass matrix is not positive definite at row {}", status.index);
    case FactorCause::kSingularBlock:
      return fmt::format("the block that the elimination begins with is singular: its column {} depends on the others",
                         status.index);
    case FactorCause::kDependentRow:
      return fmt::format("constraint row {} depends on the rows before it", status.index);
    case FactorCause::kStructurallySingular:
      return fmt::format("the matrix is singular whatever its values are: column {} has no row of its own",
                         status.index);
    case FactorCause::kNotFinite:
      return fmt::format("column {} of the matrix holds a value that is not finite", status.index);
    case FactorCause::kOutOfMemory: return "there is not enough memory for the factors";
  }
  return "unknown cause";
}

}  // namespace trammel::linalg
