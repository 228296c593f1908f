// state_space_study [--all] [--figures FOLDER] [TABLE]...
//
// The experiments of chapter 5 of D. Negrut's thesis (1998) with our methods in independent coordinates, printed beside
// the thesis' figures as tables in Markdown, and what it leaves open: partitioning against the tangent plane, filters,
// orders. Without TABLE all of them, in about ten minutes; --all adds long runs. --figures draws the histories of
// step sizes into a folder. Times are processor times of whole runs, all threads. docs/studies/state-space.md shows and
// explains the tables.

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/state_space/tables.h"
#include "bench/study.h"

namespace trammel::bench {
namespace {

using Table = StudyTable<StudyOptions>;

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

/// Takes the options out of the words; what is left are names of tables.
StudyOptions take_options(std::vector<std::string_view>& words) {
  StudyOptions options;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--all") {
      options.is_full = true;
    } else if (words[i] == "--figures" && i + 1 < words.size()) {
      options.figures = words[++i];
    } else {
      names.push_back(words[i]);
    }
  }
  words = std::move(names);
  return options;
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  std::vector<std::string_view> words = trammel::bench::words_of(argc, argv);
  const trammel::bench::StudyOptions options = trammel::bench::take_options(words);
  return trammel::bench::print_tables("state_space_study [--all] [--figures FOLDER] [TABLE]...",
                                      trammel::bench::kTables, words, options);
}
