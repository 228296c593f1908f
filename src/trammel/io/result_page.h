#pragma once

// Results as one HTML page with an animation and plots, that needs nothing besides itself. The page without data comes
// from viewer/, whose README describes what is put into it; a long run is thinned to what a browser shows with ease.

#include <string>
#include <vector>

#include "trammel/io/result_file.h"

namespace trammel::io {

struct PageOptions {
  long most_rows = 10'001;        ///< 2 or more; of a longer run, rows at even distances are taken
  long most_values = 12'000'000;  ///< rows times columns, 1 or more: four bytes each, a third more in the page
  long most_steps = 20'000;       ///< 2 or more; of a longer history, the least and largest steps are kept

  /// What is wrong with these, one message each; empty when sound.
  std::vector<std::string> validate() const;
};

struct PageReport {
  long rows = 0;                   ///< in the page
  std::vector<std::string> notes;  ///< what the reader should know: rows left out, quantities without a value
};

/// Writes the page under a temporary name and renames it when it is complete. Throws ResultFileError when the results
/// cannot be read or cannot be shown (no rows, times that go back), std::invalid_argument when the options or the
/// template are not sound, std::runtime_error when the page cannot be written.
PageReport write_result_page(const ResultFile& results, const std::string& page_template, const std::string& path,
                             const PageOptions& options = {});

}  // namespace trammel::io
