#pragma once

// Files that are written at once.

#include <string>

namespace trammel::cli {

/// Under a temporary name until it is complete. Throws InputError when there can be no such file, std::runtime_error
/// when writing fails.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace trammel::cli
