#pragma once

// What the programs of the studies share: a study is a list of tables, printed in Markdown on standard output, each
// with a name by which users ask for it.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

namespace trammel::bench {

/// A table of a study; its function takes the options of the study, if there are any.
template <typename... Options>
struct StudyTable {
  std::string_view name;
  std::string_view title;
  void (*print)(const Options&...);
};

/// The words behind the name of the program.
inline std::vector<std::string_view> words_of(int argc, char** argv) {
  const std::span words(argv, static_cast<std::size_t>(argc));
  return {words.begin() + 1, words.end()};
}

/// Prints the tables of these names in the order of the study, all of them without names. Returns the exit status of
/// the program; `usage` begins with its name and is shown when there is no such table.
template <std::size_t count, typename... Options>
int print_tables(std::string_view usage, const std::array<StudyTable<Options...>, count>& tables,
                 std::span<const std::string_view> names, const Options&... options) {
  for (const std::string_view name : names) {
    if (std::any_of(tables.begin(), tables.end(), [&](const auto& table) { return table.name == name; })) continue;
    fmt::print(stderr, "usage: {}; tables:", usage);
    for (const auto& table : tables) fmt::print(stderr, " {}", table.name);
    fmt::print(stderr, "\n");
    return 2;
  }
  try {
    for (const auto& table : tables) {
      if (!names.empty() && std::find(names.begin(), names.end(), table.name) == names.end()) continue;
      fmt::print("## {} (`{}`)\n\n", table.title, table.name);
      table.print(options...);
      fmt::print("\n");
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", usage.substr(0, usage.find(' ')), error.what());
    return 1;
  }
  return 0;
}

}  // namespace trammel::bench
