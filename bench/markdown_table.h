#pragma once

// Tables in Markdown on standard output, for the studies.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

namespace trammel::bench {

inline void print_cells(std::span<const std::string> cells) { fmt::print("| {} |\n", fmt::join(cells, " | ")); }

inline void print_header(const std::vector<std::string>& cells) {
  print_cells(cells);
  print_cells(std::vector<std::string>(cells.size(), "---"));
}

/// Rows come one by one, as they are computed.
inline void print_row(const std::vector<std::string>& cells) {
  print_cells(cells);
  std::fflush(stdout);
}

}  // namespace trammel::bench
