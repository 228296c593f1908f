// state_space_study [--all] [--figures FOLDER] [TABLE]...
//
// The experiments of chapter 5 of D. Negrut's thesis (1998) with our methods in independent coordinates, printed beside
// the thesis' figures as tables in Markdown, and what it leaves open: partitioning against the tangent plane, filters,
// orders. Without TABLE all of them, in about ten minutes; --all adds long runs. --figures draws the histories of
// step sizes into a folder. Times are processor times of whole runs, all threads. docs/studies/state-space.md shows and
// explains the tables.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <string_view>
#include <vector>

#include "bench/state_space/experiment.h"

namespace trammel::bench {
namespace {

struct Table {
  std::string_view name;
  const char* title;
  void (*print)(const StudyOptions&);
};

constexpr std::array kTables{
    Table{"reference", "Double pendulum: how exact the reference is", print_pendulum_reference},
    Table{"errors", "Double pendulum: error analysis (tables 20 to 23)", print_pendulum_errors},
    Table{"limit", "Double pendulum: the largest step", print_pendulum_limit},
    Table{"filter", "Double pendulum: error estimate with and without filter", print_pendulum_filter},
    Table{"newton", "Double pendulum: tolerance of Newton's iteration", print_pendulum_newton},
    Table{"norm", "Double pendulum: what the tolerance is about", print_pendulum_norm},
    Table{"order", "Double pendulum: order at fixed steps", print_pendulum_order},
    Table{"explicit", "Vehicle: explicit integration (table 24)", print_vehicle_explicit},
    Table{"times", "Vehicle: times (tables 25 to 29)", print_vehicle_times},
    Table{"steps", "Vehicle: steps and errors", print_vehicle_steps},
    Table{"history", "Vehicle: step sizes and iterations over time (figures 23 to 25)", print_vehicle_history},
    Table{"jacobian", "Vehicle: derivatives (table 30)", print_vehicle_jacobian},
    Table{"charts", "Tangent plane against partition", print_charts},
    Table{"conditions", "Conditions of charts", print_chart_conditions},
    Table{"partition", "Dependent sub-Jacobian: full against sparse", print_partition_factors},
    Table{"work", "Work and precision", print_work_precision},
};

int run(std::span<char*> words) {
  StudyOptions options;
  std::vector<std::string_view> wanted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--all") {
      options.is_full = true;
    } else if (word == "--figures" && i + 1 < words.size()) {
      options.figures = words[++i];
    } else if (std::any_of(kTables.begin(), kTables.end(), [&](const Table& t) { return t.name == word; })) {
      wanted.push_back(word);
    } else {
      std::vector<std::string_view> names;
      for (const Table& table : kTables) names.push_back(table.name);
      fmt::print(stderr, "usage: state_space_study [--all] [--figures FOLDER] [TABLE]...; tables: {}\n",
                 fmt::join(names, " "));
      return 2;
    }
  }
  for (const Table& table : kTables) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), table.name) == wanted.end()) continue;
    fmt::print("## {} (`{}`)\n\n", table.title, table.name);
    table.print(options);
    fmt::print("\n");
  }
  return 0;
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  try {
    return trammel::bench::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& error) {
    fmt::print(stderr, "state_space_study: {}\n", error.what());
    return 1;
  }
}
