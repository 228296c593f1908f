// topology_study [TABLE]...
//
// What it costs to solve for accelerations and multipliers by solvers that know the topology and by those that do not:
// the comparisons of tables 2, 3, 4 and 9 of the thesis, as times of one factorisation and solution without the
// evaluation of the equations, and as multiples of the fastest. Solvers that cannot take a matrix are left out.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "bench/contestants.h"
#include "bench/markdown_table.h"
#include "bench/rod_tree.h"
#include "bench/stopwatch.h"
#include "bench/study.h"
#include "bench/text_case.h"

namespace trammel::bench {
namespace {

using cases::Case;
using kkt::BackEnd;

struct Column {
  std::string name;
  Form form;
};

/// Seconds of a factorisation and a solution.
std::optional<double> time_solver(const Form& form, BackEnd back_end) {
  if (!find_obstacle(back_end, form.system->structure()).empty()) return std::nullopt;
  Accelerator accelerator(form, back_end);
  accelerator.run();
  return time_call([&] { accelerator.solve(); });
}

/// A row for each back end, a column for each mechanism.
void print_solvers(const std::vector<Column>& columns, std::span<const BackEnd> back_ends) {
  std::vector<std::string> header{"solver"};
  std::vector<std::vector<std::optional<double>>> seconds;
  for (const Column& column : columns) {
    header.push_back(column.name + " [us]");
    std::vector<std::optional<double>>& times = seconds.emplace_back();
    for (const BackEnd back_end : back_ends) times.push_back(time_solver(column.form, back_end));
  }
  print_header(header);
  for (std::size_t k = 0; k < back_ends.size(); ++k) {
    std::vector<std::string> cells{to_string(back_ends[k])};
    for (const auto& times : seconds) {
      double least = std::numeric_limits<double>::infinity();
      for (const auto& time : times) least = std::min(least, time.value_or(least));
      cells.push_back(times[k] ? fmt::format("{:.2f} ({:.1f})", 1e6 * *times[k], *times[k] / least) : "-");
    }
    print_row(cells);
  }
}

constexpr std::array kBodySolvers{BackEnd::kDenseLu, BackEnd::kDenseSymmetric, BackEnd::kSparse, BackEnd::kReduced,
                                  BackEnd::kRecursive};

Column make_body_column(const std::string& name, const Case& setup) {
  return {name, make_form(setup, Coordinates::kBody)};
}

Case build(const char* name) { return build_case(*cases::find_case(name)); }

void print_multipliers() {
  const std::vector columns{
      make_body_column("seven-body", build("seven-body")),
      make_body_column("chain of 50", build_text("chain of 50", RodTree::chain(50, true).write_model()))};
  print_solvers(columns, kBodySolvers);
}

void print_numbering() {
  const RodTree chain = RodTree::chain(50, true);
  const std::vector columns{
      make_body_column("along the chain", build_text("good numbering", chain.write_model())),
      make_body_column("at random", build_text("bad numbering", chain.write_model(shuffled_listing(50))))};
  print_solvers(columns, kBodySolvers);
}

void print_vehicle() {
  const Case setup = build("hmmwv14");
  const std::vector columns{make_body_column("hmmwv14, body coordinates", setup),
                            Column{"hmmwv14, joint coordinates", make_form(setup, Coordinates::kJoint)}};
  constexpr std::array kSolvers{BackEnd::kDenseLu,    BackEnd::kDenseSymmetric, BackEnd::kSparse,    BackEnd::kBranches,
                                BackEnd::kCholeskyQr, BackEnd::kArticulated,    BackEnd::kRecursive, BackEnd::kReduced};
  print_solvers(columns, kSolvers);
}

constexpr std::array kTables{
    StudyTable<>{"multipliers", "Accelerations and multipliers in body coordinates (table 2)", print_multipliers},
    StudyTable<>{"numbering", "The chain of 50 with good and bad numbering (tables 3 and 4)", print_numbering},
    StudyTable<>{"vehicle", "The vehicle of 14 bodies (table 9)", print_vehicle},
};

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  using namespace trammel::bench;
  return print_tables("topology_study [TABLE]...", kTables, words_of(argc, argv));
}
