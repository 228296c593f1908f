#pragma once

// Reads what CsvResultWriter writes, as a whole: comma-separated values are for tables of modest size.

#include "trammel/io/result_file.h"
#include "trammel/io/result_file_problem.h"

namespace trammel::io {

/// Fills `contents` with time and the names of the columns. Throws ResultFileProblem.
std::unique_ptr<ResultColumns> open_csv_results(const std::string& path, ResultContents& contents);

}  // namespace trammel::io
