// topology_instructions [TABLE]...
//
// Instructions a body for the accelerations of chains and trees of 10 to 100000 bodies, everything included, by every
// solver that takes them and by Simbody: what topology_bench measures by the clock, without the noise. Every figure is
// a run of this program under callgrind,
//
//   valgrind --tool=callgrind --instr-atstart=no --collect-atstart=no
//     topology_instructions --count SOLVER planar|space chain|tree BODIES
//
// which counts between two marks only, so that the set-up has no part in it. Where a run fails, or takes too much time
// or memory, there is '-'. Without TABLE about three quarters of an hour, nearly all of it for 100000 bodies.

#include <fmt/format.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>

#include "bench/contestants.h"
#include "bench/markdown_table.h"
#include "bench/rod_tree.h"
#include "bench/simbody_bodies.h"
#include "bench/study.h"
#include "bench/text_case.h"
#include "trammel/linalg/parallel.h"

namespace trammel::bench {
namespace {

constexpr std::string_view kSimbody = "Simbody";
constexpr int kMostSeconds = 400;                  // of a run; nearly all of it is the set-up
constexpr long kMostKilobytes = 10 * 1024 * 1024;  // of a run
constexpr std::array kBodies{10, 100, 1000, 10000, 100000};

/// As often as makes the share of the two marks vanish, and the largest mechanisms take a few seconds.
int choose_repeats(int bodies) { return std::clamp(20000 / bodies, 2, 200); }

template <class Call>
void count(int bodies, const Call& call) {
  for (int k = 0; k < 3; ++k) call();  // orders and pivots are chosen, memory is taken
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_TOGGLE_COLLECT;
  for (int k = choose_repeats(bodies); k > 0; --k) call();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_STOP_INSTRUMENTATION;
}

/// The run that is counted, on one thread: callgrind counts those of the thread alone that sets the marks.
int run_counted(const std::string& solver, const RodTree& tree) {
  linalg::set_thread_limit(1);
  if (solver == kSimbody) {
    SimbodyBodies bodies = SimbodyBodies::rods(tree);
    count(tree.size(), [&] { bodies.accelerate(); });
    return 0;
  }
  for (const Contestant& contestant : kContestants) {
    if (solver != contestant.name) continue;
    const Form form = make_form(compile_text("rods", tree.write_model()), contestant.coordinates);
    Accelerator accelerator(form, {.back_end = contestant.back_end});
    count(tree.size(), [&] { accelerator.run(); });
    return 0;
  }
  return 2;
}

std::string path_of_this_program() {
  std::array<char, 4096> path{};
  const auto length = readlink("/proc/self/exe", path.data(), path.size());
  return {path.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

/// Instructions a body, of a run under callgrind; nothing when it fails.
std::optional<double> count_instructions(std::string_view solver, bool is_planar, bool is_chain, int bodies) {
  const std::string command = fmt::format(
      "ulimit -v {}; timeout {} valgrind --tool=callgrind --instr-atstart=no --collect-atstart=no "
      "--callgrind-out-file=/dev/null '{}' --count '{}' {} {} {} 2>&1",
      kMostKilobytes, kMostSeconds, path_of_this_program(), solver, is_planar ? "planar" : "space",
      is_chain ? "chain" : "tree", bodies);
  std::FILE* output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("no shell");
  std::array<char, 1024> line{};
  std::optional<double> total;
  while (std::fgets(line.data(), line.size(), output) != nullptr) {
    const std::string_view text = line.data();
    const std::string_view mark = "Collected : ";
    const std::size_t place = text.find(mark);
    if (place != std::string_view::npos) total = std::atof(text.data() + place + mark.size());
  }
  if (pclose(output) != 0 || !total) return std::nullopt;
  return *total / choose_repeats(bodies) / bodies;
}

struct Column {
  std::string_view solver;
  int most_bodies;
};

void print_counts(bool is_planar, bool is_chain, std::span<const Column> columns) {
  std::vector<std::string> header{"bodies"};
  for (const Column& column : columns) header.emplace_back(column.solver);
  print_header(header);
  for (const int bodies : kBodies) {
    std::vector<std::string> cells{fmt::format("{}", bodies)};
    for (const Column& column : columns) {
      const std::optional<double> instructions =
          bodies > column.most_bodies ? std::nullopt : count_instructions(column.solver, is_planar, is_chain, bodies);
      cells.push_back(instructions ? fmt::format("{:.0f}", *instructions) : "-");
    }
    print_row(cells);
  }
}

// Left out is what cannot be flat: the reduced matrix of trees, whose skyline widens with them, and the mass matrix of
// joint coordinates, which is full for chains. Simbody with more bodies shows nothing new.
constexpr std::array kForChains{Column{"sparse LU", 100000}, Column{"reduced", 100000}, Column{"recursive", 100000},
                                Column{"articulated", 100000}, Column{kSimbody, 10000}};
constexpr std::array kForTrees{Column{"sparse LU", 100000}, Column{"recursive", 100000}, Column{"articulated", 100000},
                               Column{kSimbody, 10000}};

void print_planar_chains() { print_counts(true, true, kForChains); }
void print_planar_trees() { print_counts(true, false, kForTrees); }
void print_spatial_chains() { print_counts(false, true, kForChains); }
void print_spatial_trees() { print_counts(false, false, kForTrees); }

constexpr std::array kTables{
    StudyTable<>{"planar-chain", "Chains in the plane: instructions a body", print_planar_chains},
    StudyTable<>{"planar-tree", "Binary trees in the plane: instructions a body", print_planar_trees},
    StudyTable<>{"spatial-chain", "Chains in space: instructions a body", print_spatial_chains},
    StudyTable<>{"spatial-tree", "Binary trees in space: instructions a body", print_spatial_trees},
};

int run_counted(std::span<const std::string_view> words) {
  if (words.size() != 5) return 2;
  const int bodies = std::atoi(std::string(words[4]).c_str());
  const bool is_planar = words[2] == "planar";
  try {
    return run_counted(std::string(words[1]),
                       words[3] == "chain" ? RodTree::chain(bodies, is_planar) : RodTree::binary(bodies, is_planar));
  } catch (const std::exception& error) {
    fmt::print(stderr, "topology_instructions: {}\n", error.what());
    return 1;
  }
}

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  namespace bench = trammel::bench;
  const auto words = bench::words_of(argc, argv);
  if (!words.empty() && words[0] == "--count") return bench::run_counted(words);
  return bench::print_tables("topology_instructions [TABLE]...", bench::kTables, words);
}
