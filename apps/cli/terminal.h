#pragma once

// What the terminal that standard output goes to can show.

namespace trammel::cli {

struct Terminal {
  int columns = 80;
  int rows = 24;
  bool is_unicode = false;
  bool has_colours = false;
};

/// Size: COLUMNS and LINES of the environment, otherwise the terminal's own, otherwise 80 x 24. Unicode by the locale
/// of the environment; colours for a terminal, unless NO_COLOR is set.
Terminal describe_terminal();

}  // namespace trammel::cli
