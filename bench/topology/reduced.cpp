// Tables 2, 3 and 4 of the thesis: the whole matrix against the reduced one, and solvers and numberings of the reduced
// one.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <stdexcept>

#include "bench/contestants.h"
#include "bench/markdown_table.h"
#include "bench/rod_tree.h"
#include "bench/stopwatch.h"
#include "bench/text_case.h"
#include "bench/topology/spd_solvers.h"
#include "bench/topology/tables.h"
#include "trammel/kkt/reduced_structure.h"
#include "trammel/linalg/profile_ordering.h"

namespace trammel::bench {
namespace {

using cases::Case;
using kkt::BackEnd;
using linalg::Entry;
using linalg::Pattern;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Case build(const char* name) { return build_case(*cases::find_case(name)); }

Case build_chain_of_50() { return build_text("chain of 50", RodTree::chain(50, true).write_model()); }

std::string in_microseconds(std::optional<double> seconds) {
  return seconds ? fmt::format("{:.3g}", 1e6 * *seconds) : "-";
}

std::string relative(std::optional<double> value, std::optional<double> unit) {
  return value && unit ? fmt::format("{:.2g}", *value / *unit) : "-";
}

/// A row of table 2: microseconds of the thesis, of the seven-body mechanism and of the chain.
struct WholeSolver {
  const char* name;
  BackEnd back_end;
  std::optional<double> thesis_seven, thesis_chain;
};

constexpr std::array kWholeSolvers{
    WholeSolver{"dense LU", BackEnd::kDenseLu, {}, {}},
    WholeSolver{"dense symmetric", BackEnd::kDenseSymmetric, {}, {}},
    WholeSolver{"sparse LU (ExpA1)", BackEnd::kSparse, 1293.3, 8888.0},
    WholeSolver{"reduced (ExpA2)", BackEnd::kReduced, 231.3, 1018.0},
    WholeSolver{"recursive", BackEnd::kRecursive, {}, {}},
};

/// Seconds of a factorisation and a solution; no refinements, which only the dense solvers would do.
std::optional<double> time_solver(const Form& form, BackEnd back_end) {
  if (!find_obstacle(back_end, form.system->structure()).empty()) return std::nullopt;
  Accelerator accelerator(form, {.back_end = back_end, .max_refinements = 0});
  accelerator.run();
  return time_call([&] { accelerator.solve(); });
}

/// B = G M^-1 G^T of a case, and two numberings of its joints.
struct ReducedMatrix {
  explicit ReducedMatrix(const Case& setup);

  Eigen::MatrixXd B;
  Pattern pattern;
  std::string ordering;
  BlockOrder chosen, bad;
};

Pattern multiply_patterns(const Pattern& G, const Pattern& M) {
  const auto ones = [](const Pattern& pattern) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(pattern.rows(), pattern.columns());
    for (const Entry& e : pattern.entries()) matrix(e.row, e.column) = 1;
    return matrix;
  };
  const Eigen::MatrixXd product = ones(G) * ones(M) * ones(G).transpose();
  std::vector<Entry> entries;
  for (int j = 0; j < G.rows(); ++j) {
    for (int i = 0; i < G.rows(); ++i) {
      if (product(i, j) > 0) entries.push_back({i, j});
    }
  }
  return {G.rows(), G.rows(), std::move(entries)};
}

/// Chains as in the thesis: joints 1, 50, 2, 49, ... along the chain, so that neighbours are at either end. For other
/// graphs it does not say how; here it is the worst of many random numberings.
std::vector<int> choose_bad_numbering(const linalg::Graph& graph, std::span<const int> sizes,
                                      const std::vector<int>& chosen) {
  const int count = graph.size();
  std::vector<int> bad(chosen.size());
  for (int k = 0; k < count; ++k) bad[at(k % 2 == 0 ? k / 2 : count - 1 - k / 2)] = chosen[at(k)];
  if (graph.neighbours.size() == 2 * (chosen.size() - 1)) return bad;  // a tree: of ours, the chain
  std::mt19937 random(1);
  std::vector<int> numbering = bad;
  for (int trial = 0; trial < 1000; ++trial) {
    for (std::size_t k = numbering.size(); k > 1; --k) std::swap(numbering[k - 1], numbering[random() % k]);
    if (calc_skyline_work(graph, sizes, numbering) > calc_skyline_work(graph, sizes, bad)) bad = numbering;
  }
  return bad;
}

/// The blocks of joints, `blocks_of` by their number in the graph, in the order of a numbering.
BlockOrder make_order(const linalg::Graph& graph, const std::vector<std::vector<int>>& blocks_of,
                      const std::vector<int>& numbering) {
  const std::vector<int> place = linalg::calc_inverse(numbering);
  BlockOrder order;
  for (const int joint : numbering) {
    order.blocks.push_back(blocks_of[at(joint)]);
    int first = place[at(joint)];
    for (const int* n = graph.begin(joint); n != graph.end(joint); ++n) first = std::min(first, place[at(*n)]);
    order.first.push_back(first);
  }
  return order;
}

ReducedMatrix::ReducedMatrix(const Case& setup) {
  const dae::Structure& structure = setup.system->structure();
  dae::Evaluation evaluation(*setup.system);
  evaluation.set(setup.start);
  const Eigen::MatrixXd M = structure.mass.to_dense(evaluation.mass()),
                        G = structure.jacobian.to_dense(evaluation.jacobian());
  B = G * M.llt().solve(G.transpose());
  pattern = multiply_patterns(structure.jacobian, structure.mass);

  const kkt::Layout layout = kkt::Layout::mass(structure);
  const kkt::ReducedStructure joints(layout);
  ordering = joints.ordering;
  const std::vector<int> numbering = choose_profile_ordering(joints.graph, joints.sizes).permutation;
  std::vector<std::vector<int>> blocks_of(numbering.size());
  for (std::size_t k = 0; k < numbering.size(); ++k) {
    const auto rows = joints.rows.places.begin() + joints.joints[k].first_row;
    blocks_of[at(numbering[k])].assign(rows, rows + joints.joints[k].size);
  }
  chosen = make_order(joints.graph, blocks_of, numbering);
  bad = make_order(joints.graph, blocks_of, choose_bad_numbering(joints.graph, joints.sizes, numbering));
}

/// A row of tables 3 and 4, with the thesis' milliseconds of 1000 solutions over 1000: microseconds.
struct ReducedSolverRow {
  std::string name;
  std::unique_ptr<SpdSolver> solver;
  int thesis = -1;  ///< column of the thesis' tables
};

std::vector<ReducedSolverRow> make_rows(const ReducedMatrix& matrix) {
  std::vector<ReducedSolverRow> rows;
  rows.push_back({"dense LU, LAPACK (dgetrf)", make_lapack_lu(matrix.B), 0});
  rows.push_back({"dense LU, Eigen", make_eigen_lu(matrix.B)});
  rows.push_back({"dense Cholesky, LAPACK (dpotrf; thesis: dppsvx)", make_lapack_cholesky(matrix.B), 1});
  rows.push_back({"dense Cholesky, Eigen", make_eigen_cholesky(matrix.B)});
  rows.push_back({"sparse LU, KLU (thesis: MA28)", make_klu(matrix.B, matrix.pattern), 2});
  rows.push_back(
      {"sparse Cholesky, CHOLMOD simplicial", make_cholmod(matrix.B, matrix.pattern, CholmodKind::kSimplicial)});
  rows.push_back(
      {"sparse Cholesky, CHOLMOD supernodal", make_cholmod(matrix.B, matrix.pattern, CholmodKind::kSupernodal)});
  rows.push_back({"block skyline, bad numbering (B1)", make_skyline(matrix.B, matrix.bad), 3});
  rows.push_back({"block skyline, chosen numbering (B2)", make_skyline(matrix.B, matrix.chosen), 4});
  return rows;
}

/// Throws unless the solution has a small residual.
void check_solution(const ReducedMatrix& matrix, const Eigen::VectorXd& b, ReducedSolverRow& row) {
  Eigen::VectorXd x = b;
  row.solver->run(x);
  const double residual = (matrix.B * x - b).norm();
  if (residual <= 1e-10 * matrix.B.norm() * x.norm()) return;
  throw std::runtime_error(fmt::format("{} leaves a residual of {:g}", row.name, residual));
}

void print_reduced(const Case& setup, std::span<const double> thesis) {
  const ReducedMatrix matrix(setup);
  const auto size = matrix.B.rows();
  fmt::print("{} rows in {} joints, numbered by {}.\n\n", size, matrix.chosen.blocks.size(), matrix.ordering);
  std::vector<ReducedSolverRow> rows = make_rows(matrix);
  std::vector<double> seconds;
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(size, -1, 2);
  for (ReducedSolverRow& row : rows) {
    check_solution(matrix, b, row);
    Eigen::VectorXd x(size);
    seconds.push_back(time_call([&] {
      x = b;
      row.solver->run(x);
    }));
  }
  std::vector<std::string> header{"solver"};
  if (!thesis.empty()) header.insert(header.end(), {"thesis [us]", "of dense LU"});
  header.insert(header.end(), {"ours [us]", "of dense LU", "multiplications", "of dense LU"});
  print_header(header);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<std::string> cells{rows[k].name};
    if (!thesis.empty()) {
      const bool is_there = rows[k].thesis >= 0;
      const double value = is_there ? thesis[static_cast<std::size_t>(rows[k].thesis)] : 0;
      cells.push_back(is_there ? fmt::format("{:.0f}", value) : "-");
      cells.push_back(is_there ? fmt::format("{:.2g}", value / thesis[0]) : "-");
    }
    const double products = rows[k].solver->multiplications();
    cells.push_back(in_microseconds(seconds[k]));
    cells.push_back(relative(seconds[k], seconds[0]));
    cells.push_back(fmt::format("{:.0f}", products));
    cells.push_back(relative(products, rows[0].solver->multiplications()));
    print_row(cells);
  }
}

}  // namespace

void print_multipliers() {
  const Form seven = make_form(build("seven-body"), Coordinates::kBody),
             chain = make_form(build_chain_of_50(), Coordinates::kBody),
             vehicle = make_form(build("hmmwv14"), Coordinates::kBody);
  print_header({"solver", "seven-body: thesis [us]", "of ExpA2", "ours [us]", "of ExpA2", "chain of 50: thesis [us]",
                "of ExpA2", "ours [us]", "of ExpA2", "hmmwv14 in space: ours [us]", "of ExpA2"});
  std::vector<std::array<std::optional<double>, 5>> values;
  std::size_t unit = 0;
  for (const WholeSolver& solver : kWholeSolvers) {
    if (solver.back_end == BackEnd::kReduced) unit = values.size();
    values.push_back({solver.thesis_seven, time_solver(seven, solver.back_end), solver.thesis_chain,
                      time_solver(chain, solver.back_end), time_solver(vehicle, solver.back_end)});
    for (const std::size_t thesis : {0, 2}) {
      if (values.back()[thesis]) *values.back()[thesis] *= 1e-6;
    }
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::vector<std::string> cells{kWholeSolvers[k].name};
    for (std::size_t column = 0; column < values[k].size(); ++column) {
      cells.push_back(in_microseconds(values[k][column]));
      cells.push_back(relative(values[k][column], values[unit][column]));
    }
    print_row(cells);
  }
}

// dgetrf, dppsvx, MA28, skyline B1, skyline B2.
void print_reduced_planar() { print_reduced(build("seven-body"), std::array<double, 5>{790, 470, 880, 710, 230}); }
void print_reduced_chain() {
  print_reduced(build_chain_of_50(), std::array<double, 5>{53870, 27450, 4140, 54470, 980});
}
void print_reduced_spatial() { print_reduced(build("hmmwv14"), {}); }

}  // namespace trammel::bench
