#pragma once

// The HTML page that shows results: viewer/ without data, compiled into the program.

#include <string>

#include "trammel/io/result_page.h"

namespace trammel::cli {

/// Throws InputError when the name of a page does not end with .html or .htm.
void check_page_name(const std::string& path);

/// Throws InputError when no page can be created there: to be known before a long run.
void check_page_place(const std::string& path);

/// Writes the page of a result file. Throws InputError when the file cannot be read or shown, std::runtime_error when
/// the page cannot be written.
io::PageReport write_page(const std::string& results, const std::string& path, const io::PageOptions& options);

}  // namespace trammel::cli
