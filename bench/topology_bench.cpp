// topology_bench [TABLE]...
//
// Accelerations of chains, trees and loops with everything included (positions, velocities, M, G, f, bias, factors,
// solution), by every back end that takes them, beside Simbody on the same bodies in the same run. Times are those of
// the processor, of one thread, and the least of several rounds. Where Simbody takes part, its accelerations and ours
// are compared first.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "bench/contestants.h"
#include "bench/markdown_table.h"
#include "bench/rod_tree.h"
#include "bench/simbody_bodies.h"
#include "bench/stopwatch.h"
#include "bench/study.h"
#include "bench/text_case.h"
#include "trammel/kkt/elimination_order.h"
#include "trammel/linalg/ordering.h"
#include "trammel/linalg/parallel.h"
#include "trammel/linalg/sparse_lu.h"

namespace trammel::bench {
namespace {

using cases::Case;
using kkt::BackEnd;

constexpr int kMostForDense = 200;      // coordinates
constexpr int kMostForMass = 1000;      // bodies of a mass matrix in joint coordinates, which is full for chains
constexpr int kMostForSimbody = 10000;  // bodies
constexpr double kMostFill = 20;        // of an ordering whose factorisation is worth timing

/// Throws when the accelerations of the centres of mass are not the same.
void compare(const SimbodyBodies& simbody, const Case& setup, const linalg::Vector& a) {
  const system::BodyTable& bodies = setup.mechanism->bodies();
  const int size = bodies.is_planar() ? 2 : 3;
  double difference = 0, largest = 0;
  int frame = 0;
  for (const std::array<double, 3>& theirs : simbody.accelerations()) {
    ++frame;
    for (int i = 0; i < size; ++i) {
      const double ours = a[bodies.v_of(frame) + i];
      difference = std::max(difference, std::abs(ours - theirs[static_cast<std::size_t>(i)]));
      largest = std::max(largest, std::abs(ours));
    }
  }
  if (difference <= 1e-6 * largest) return;
  throw std::runtime_error(
      fmt::format("accelerations of Simbody and ours differ by {:g} of {:g}", difference, largest));
}

/// Nothing where the model has no such coordinates, or too deep a tree for them.
std::optional<Form> attempt_form(const Case& setup, Coordinates coordinates) {
  try {
    return make_form(setup, coordinates);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// Seconds of one contestant; nothing when there is an obstacle, or its factors would be too large.
std::optional<double> time_contestant(const Contestant& contestant, const Case& setup) {
  const bool is_joint = contestant.coordinates == Coordinates::kJoint;
  const int bodies = setup.mechanism->bodies().frames() - 1;
  if (is_joint && contestant.back_end != BackEnd::kArticulated && bodies > kMostForMass) return std::nullopt;
  const std::optional<Form> form = attempt_form(setup, contestant.coordinates);
  if (!form || !find_obstacle(contestant.back_end, form->system->structure()).empty()) return std::nullopt;
  if (contestant.back_end == BackEnd::kCholeskyQr && form->system->structure().n_v() > kMostForDense)
    return std::nullopt;
  std::optional<Accelerator> accelerator;
  try {
    accelerator.emplace(*form, kkt::SolverOptions{.back_end = contestant.back_end});
  } catch (const std::logic_error&) {  // std::length_error of a skyline, std::invalid_argument of the recursion
    return std::nullopt;
  }
  return time_call([&] { accelerator->run(); });
}

double time_evaluation(const Case& setup) {
  Accelerator accelerator(make_form(setup, Coordinates::kBody), {});
  return time_call([&] { accelerator.evaluate(); });
}

double time_simbody(SimbodyBodies& simbody, const Case& setup) {
  Accelerator ours(make_form(setup, Coordinates::kBody), {});
  ours.run();
  simbody.accelerate();
  compare(simbody, setup, ours.point().a);
  return time_call([&] { simbody.accelerate(); });
}

std::string in_nanoseconds(std::optional<double> seconds, int bodies) {
  return seconds ? fmt::format("{:.0f}", 1e9 * *seconds / bodies) : "-";
}

void print_contest(const std::string& name, int bodies, const Case& setup, std::optional<SimbodyBodies> simbody) {
  std::vector<std::string> cells{name, fmt::format("{}", bodies), in_nanoseconds(time_evaluation(setup), bodies)};
  double best = std::numeric_limits<double>::infinity();
  for (const Contestant& contestant : kContestants) {
    const std::optional<double> seconds = time_contestant(contestant, setup);
    cells.push_back(in_nanoseconds(seconds, bodies));
    if (seconds) best = std::min(best, *seconds);
  }
  const std::optional<double> theirs = simbody ? std::optional(time_simbody(*simbody, setup)) : std::nullopt;
  cells.push_back(in_nanoseconds(theirs, bodies));
  cells.push_back(theirs ? fmt::format("{:.1f}", *theirs / best) : "-");
  print_row(cells);
}

void print_contest_header() {
  std::vector<std::string> cells{"mechanism", "bodies", "evaluation"};
  for (const Contestant& contestant : kContestants) {
    cells.push_back(contestant.name + std::string(contestant.coordinates == Coordinates::kJoint ? ", joint" : ""));
  }
  cells.insert(cells.end(), {"Simbody", "Simbody / best"});
  print_header(cells);
}

void print_trees(bool is_planar) {
  print_contest_header();
  for (const auto& [name, make] : {std::pair{"chain", &RodTree::chain}, std::pair{"binary tree", &RodTree::binary}}) {
    for (const int n : {10, 100, 1000, 10000, 100000}) {
      const RodTree tree = make(n, is_planar);
      std::optional<SimbodyBodies> simbody;
      if (n <= kMostForSimbody) simbody.emplace(SimbodyBodies::rods(tree));
      print_contest(name, n, compile_text(name, tree.write_model()), std::move(simbody));
    }
  }
}

void print_planar() { print_trees(true); }
void print_spatial() { print_trees(false); }

void print_loops() {
  print_contest_header();
  for (const int n : {1, 10, 40, 100, 1000}) {
    const Case setup = build_case(*cases::find_case("four-bar"), {{"n", n}});
    std::optional<SimbodyBodies> simbody;
    if (n <= 100) simbody.emplace(SimbodyBodies::four_bars(n));
    print_contest(fmt::format("{} loops", n), 2 * n + 1, setup, std::move(simbody));
  }
}

/// How one ordering serves a matrix: entries of the factors for each of the matrix, pivots off the diagonal, time.
std::string judge_ordering(const linalg::Pattern& pattern, const linalg::Vector& values,
                           const linalg::SparseLuOptions& options, int bodies) {
  if (options.ordering == linalg::SparseOrdering::kGiven) {
    // A hopeless order would take all memory.
    const auto limit = static_cast<long>(kMostFill * pattern.size());
    if (calc_factor_entries(linalg::make_graph(pattern), options.permutation, limit) > limit) return "more";
  }
  linalg::SparseLu factors(pattern, options);
  if (!factors.factor(values.data())) return "singular";
  const double fill =
      static_cast<double>(factors.lu_nonzeros()) / static_cast<double>(factors.structure().row_indices.size());
  if (fill > kMostFill) return fmt::format("{:.1f} / {}", fill, factors.off_diagonal_pivots());
  const double seconds = time_call([&] { (void)factors.factor(values.data()); });
  return fmt::format("{:.2f} / {} / {:.0f}", fill, factors.off_diagonal_pivots(), 1e9 * seconds / bodies);
}

void print_orderings_of(const std::string& name, int bodies, const Case& setup) {
  using linalg::SparseOrdering;
  const dae::Structure& structure = setup.system->structure();
  const kkt::Layout layout = kkt::Layout::mass(structure);
  dae::Evaluation evaluation(*setup.system);
  evaluation.set(setup.start);
  // [M G^T; G 0], as the solver lays it out.
  std::vector<linalg::Entry> entries = structure.mass.entries();
  for (const linalg::Entry& e : structure.jacobian.entries()) entries.push_back({layout.upper + e.row, e.column});
  for (const linalg::Entry& e : structure.jacobian.entries()) entries.push_back({e.column, layout.upper + e.row});
  const int size = layout.upper + layout.lower, mass = structure.mass.size(), jacobian = structure.jacobian.size();
  const linalg::Pattern pattern(size, size, std::move(entries));
  linalg::Vector values(pattern.size());
  values << Eigen::Map<const linalg::Vector>(evaluation.mass(), mass),
      Eigen::Map<const linalg::Vector>(evaluation.jacobian(), jacobian),
      Eigen::Map<const linalg::Vector>(evaluation.jacobian(), jacobian);

  std::vector<std::string> cells{name, fmt::format("{}", bodies)};
  linalg::SparseLuOptions options;
  const auto add = [&](SparseOrdering ordering, std::vector<int> permutation = {}) {
    options.ordering = ordering;
    options.permutation = std::move(permutation);
    cells.push_back(judge_ordering(pattern, values, options, bodies));
  };
  add(SparseOrdering::kGiven, kkt::calc_interleaved_order(layout));
  add(SparseOrdering::kGiven, kkt::calc_leaves_first_order(layout));
  add(SparseOrdering::kColamd);
  add(SparseOrdering::kAmd);
  options.block_triangular = true;
  options.scaling = linalg::RowScaling::kNone;
  add(SparseOrdering::kAmd);
  print_row(cells);
}

void print_orderings() {
  print_header({"mechanism", "bodies", "interleaved", "leaves first", "COLAMD", "AMD", "AMD, triangular, not scaled"});
  for (const bool is_planar : {true, false}) {
    const std::string space = is_planar ? "planar" : "spatial";
    for (const int n : {10, 100, 1000, 10000}) {
      const RodTree chain = RodTree::chain(n, is_planar), tree = RodTree::binary(n, is_planar);
      print_orderings_of(space + " chain", n, compile_text("chain", chain.write_model()));
      print_orderings_of(space + " chain, shuffled", n, compile_text("chain", chain.write_model(shuffled_listing(n))));
      print_orderings_of(space + " binary tree", n, compile_text("tree", tree.write_model()));
      print_orderings_of(space + " binary tree, shuffled", n,
                         compile_text("tree", tree.write_model(shuffled_listing(n))));
    }
  }
  for (const int n : {1, 10, 40, 1000}) {
    print_orderings_of("four-bar loops", 2 * n + 1, build_case(*cases::find_case("four-bar"), {{"n", n}}));
  }
  for (const char* name : {"seven-body", "hmmwv14"}) {
    const Case setup = build_case(*cases::find_case(name));
    print_orderings_of(name, setup.mechanism->bodies().frames() - 1, setup);
  }
}

constexpr std::array kTables{
    StudyTable<>{"planar", "Accelerations of planar trees [ns a body]", print_planar},
    StudyTable<>{"spatial", "Accelerations of trees in space [ns a body]", print_spatial},
    StudyTable<>{"loops", "Accelerations of n four-bar loops side by side [ns a body]", print_loops},
    StudyTable<>{"orderings", "Sparse LU: fill / pivots off the diagonal / ns a body of a refactorisation",
                 print_orderings},
};

}  // namespace
}  // namespace trammel::bench

int main(int argc, char** argv) {
  namespace bench = trammel::bench;
  const auto words = bench::words_of(argc, argv);
  trammel::linalg::set_thread_limit(1);
  return bench::print_tables("topology_bench [TABLE]...", bench::kTables, words);
}
