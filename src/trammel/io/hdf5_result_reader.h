#pragma once

// Reads what Hdf5ResultWriter writes (the layout is described there).

#include <optional>

#include "trammel/io/result_file.h"
#include "trammel/io/result_file_problem.h"

namespace trammel::io {

/// So many bytes of a file suffice for stored_hdf5_size().
inline constexpr std::size_t kHdf5BeginningSize = 52;

/// The size [bytes] that an HDF5 file says it has, from its first bytes; nothing when they are too few.
std::optional<unsigned long long> stored_hdf5_size(const std::string& beginning);

/// Fills `contents` and leaves the file open for the columns. Throws ResultFileProblem.
std::unique_ptr<ResultColumns> open_hdf5_results(const std::string& path, ResultContents& contents);

}  // namespace trammel::io
