#pragma once

// Columns of a result file as curves that errors are measured by (analyses/error_analysis.h).

#include <span>

#include "trammel/analyses/run_variables.h"
#include "trammel/io/result_file.h"

namespace trammel::io {

/// One curve a column, by its place in columns(): the continuous solution where the file has it, otherwise cubics
/// through the rows. Rows of those that are `wrapped`, too, are angles that jump by full turns, and are continued. All
/// values are read into memory. Throws ResultFileError, also when the file has no rows or its time goes back.
analyses::ReferenceCurves read_curves(const ResultFile& file, std::span<const std::size_t> columns,
                                      std::span<const std::size_t> wrapped = {});

}  // namespace trammel::io
