#pragma once

// The variables whose errors a comparison analyses one by one: columns of results, chosen by name.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "problem.h"
#include "trammel/analyses/run_variables.h"
#include "trammel/io/result_header.h"

namespace trammel::cli {

struct ChosenVariables {
  analyses::RunVariables request;
  std::vector<io::Column> columns;   ///< what they are
  analyses::ReferenceCurves curves;  ///< of the reference file; empty without one
};

/// Names as choose_columns() takes them, of columns that the runs and the reference file have. Throws InputError, with
/// the names that may have been meant.
ChosenVariables choose_variables(const std::vector<std::string>& names, const std::shared_ptr<const Problem>& problem,
                                 const ProblemRequest& request, const std::optional<std::string>& reference);

}  // namespace trammel::cli
