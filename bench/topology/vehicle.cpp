// Tables 6 to 10 of the thesis: algorithm 4 on the vehicle with 14 bodies in joint coordinates, by counting and by the
// clock. The thesis' vehicle is a tree of its shape with random numbers; ours is the case hmmwv14.

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "bench/contestants.h"
#include "bench/markdown_table.h"
#include "bench/stopwatch.h"
#include "bench/topology/tables.h"
#include "tests/kkt/tree_samples.h"
#include "trammel/kkt/branch_factors.h"
#include "trammel/kkt/branch_solver.h"
#include "trammel/linalg/cholesky_qr.h"
#include "trammel/linalg/ordering.h"

namespace trammel::bench {
namespace {

using kkt::BackEnd;
using kkt::BranchOperations;
using kkt::OperationCount;
using linalg::Pattern;
using linalg::Vector;

/// [M G^T; G 0] of a system in joint coordinates, and the tree that M is made of.
struct JointMatrix {
  std::string name;
  dae::Structure structure;
  Vector mass, jacobian;
  dae::TreeValues tree;
};

Vector copy(const double* values, int count) { return Eigen::Map<const Vector>(values, count); }

JointMatrix make_thesis_vehicle() {
  const testing::TreeSample sample = testing::make_thesis_vehicle();
  return {"the thesis' vehicle", sample.make_structure(), sample.mass_values, sample.jacobian_values, sample.values};
}

JointMatrix make_case(const char* name) {
  const Form form = make_form(build_case(*cases::find_case(name)), Coordinates::kJoint);
  dae::Evaluation evaluation(*form.system);
  evaluation.set(form.start);
  const dae::Structure& s = form.system->structure();
  return {name, s, copy(evaluation.mass(), s.mass.size()), copy(evaluation.jacobian(), s.jacobian.size()),
          evaluation.tree()};
}

/// The same with patterns that say nothing.
JointMatrix make_full(const JointMatrix& of) {
  JointMatrix full = of;
  const int n = of.structure.n_v(), m = of.structure.m();
  full.structure.mass = Pattern::full(n, n);
  full.structure.jacobian = Pattern::full(m, n);
  const Eigen::MatrixXd M = of.structure.mass.to_dense(of.mass.data()),
                        G = of.structure.jacobian.to_dense(of.jacobian.data());
  full.mass = copy(M.data(), n * n);
  full.jacobian = copy(G.data(), m * n);
  full.structure.tree.reset();
  return full;
}

std::string describe_sizes(const JointMatrix& matrix) {
  const int n = matrix.structure.n_v(), m = matrix.structure.m();
  return fmt::format("{}: {} = {} velocities + {} rows", matrix.name, n + m, n, m);
}

// Counts -------------------------------------------------------------------------------------------------------------

constexpr std::array<const char*, 8> kSteps{"1", "2", "3.1", "3.2", "3.3", "3.4", "3.5", "4"};
using StepCounts = std::array<OperationCount, kSteps.size()>;

OperationCount add(const OperationCount& a, const OperationCount& b) {
  return {a.additions + b.additions, a.multiplications + b.multiplications, a.divisions + b.divisions,
          a.square_roots + b.square_roots};
}

StepCounts count_steps(const dae::Structure& structure) {
  const BranchOperations o = kkt::calc_operations(structure);
  return {o.factor_mass, o.forward, o.rows, o.right_side, o.product, add(o.factor_multipliers, o.solve_multipliers),
          o.remove,      o.backward};
}

constexpr std::array<std::pair<const char*, long OperationCount::*>, 4> kOperations{
    std::pair{"A", &OperationCount::additions}, std::pair{"M", &OperationCount::multiplications},
    std::pair{"D", &OperationCount::divisions}, std::pair{"SQ", &OperationCount::square_roots}};

std::vector<std::string> with_total(std::vector<std::string> cells, std::span<const long> numbers) {
  long total = 0;
  for (const long number : numbers) {
    cells.push_back(fmt::format("{}", number));
    total += number;
  }
  cells.push_back(fmt::format("{}", total));
  return cells;
}

/// The thesis' rows A, M, D and SQ above those of ours.
void print_steps(const std::array<std::array<long, kSteps.size()>, 4>& thesis,
                 const std::vector<std::pair<std::string, StepCounts>>& ours) {
  std::vector<std::string> header{"count", ""};
  header.insert(header.end(), kSteps.begin(), kSteps.end());
  header.emplace_back("total");
  print_header(header);
  for (std::size_t k = 0; k < kOperations.size(); ++k) {
    print_row(with_total({"thesis", kOperations[k].first}, thesis[k]));
    for (const auto& [name, steps] : ours) {
      std::vector<long> numbers;
      for (const OperationCount& step : steps) numbers.push_back(step.*kOperations[k].second);
      print_row(with_total({name, kOperations[k].first}, numbers));
    }
  }
}

struct LuCounts {
  long factor, triangle, divisions;
};

LuCounts count_lu(long n) { return {n * (n - 1) * (2 * n - 1) / 6, n * (n - 1) / 2, n * (n - 1) / 2}; }

// Times --------------------------------------------------------------------------------------------------------------

Vector make_right_side(const JointMatrix& matrix) {
  return Vector::LinSpaced(matrix.structure.n_v() + matrix.structure.m(), -1, 2);
}

/// Throws unless x solves the matrix for make_right_side().
void check_solution(const JointMatrix& matrix, const Vector& x, const std::string& solver) {
  const int n = matrix.structure.n_v(), m = matrix.structure.m();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
  A.topLeftCorner(n, n) = matrix.structure.mass.to_dense(matrix.mass.data());
  A.bottomLeftCorner(m, n) = matrix.structure.jacobian.to_dense(matrix.jacobian.data());
  A.topRightCorner(n, m) = A.bottomLeftCorner(m, n).transpose();
  const double residual = (A * x - make_right_side(matrix)).norm();
  if (residual <= 1e-9 * A.norm() * x.norm()) return;
  throw std::runtime_error(fmt::format("{} leaves a residual of {:g} on {}", solver, residual, matrix.name));
}

/// Seconds of a factorisation and a solution, without refinements.
double time_back_end(const JointMatrix& matrix, BackEnd back_end) {
  kkt::Solver solver(kkt::Layout::mass(matrix.structure), {.back_end = back_end, .max_refinements = 0});
  const std::array values{kkt::BlockValues{matrix.mass.data()}};
  const Vector b = make_right_side(matrix);
  const int n = matrix.structure.n_v(), m = matrix.structure.m();
  Vector x = b;
  const auto run = [&] {
    const linalg::FactorStatus status = back_end == BackEnd::kArticulated
                                            ? solver.factor_tree(matrix.tree, matrix.jacobian.data())
                                            : solver.factor(values, matrix.jacobian.data());
    if (!status) throw std::runtime_error(to_string(back_end) + " has failed");
    x = b;
    solver.solve(x.head(n), x.tail(m));
  };
  run();
  check_solution(matrix, x, to_string(back_end));
  return time_call(run);
}

/// Alg-D: full matrices, T^T T.
double time_dense(const JointMatrix& matrix) {
  const int n = matrix.structure.n_v(), m = matrix.structure.m();
  const Eigen::MatrixXd M = matrix.structure.mass.to_dense(matrix.mass.data()),
                        G = matrix.structure.jacobian.to_dense(matrix.jacobian.data());
  linalg::CholeskyQr factors(n, m, linalg::CholeskyQrVariant::kCholesky);
  const Vector b = make_right_side(matrix);
  Vector x = b;
  const auto run = [&] {
    factors.mass() = M;
    factors.jacobian() = G;
    if (!factors.factor()) throw std::runtime_error("Alg-D has failed");
    x = b;
    factors.solve(x.head(n), x.tail(m));
  };
  run();
  check_solution(matrix, x, "Alg-D");
  return time_call(run);
}

/// Algorithm 4 step by step, from the first to any of them: what a step takes is the difference of two such times.
class Steps {
 public:
  explicit Steps(const JointMatrix& matrix)
      : matrix_(matrix),
        factors_(matrix.structure.mass, *kkt::BranchRows::make(matrix.structure.mass, tree_of(matrix.structure))),
        rows_(find_supports()),
        is_off_(static_cast<std::size_t>(matrix.structure.m()), false),
        b_(make_right_side(matrix)),
        y_(b_),
        column_(static_cast<std::size_t>(matrix.structure.n_v()), 0.0) {
    entries_of_row_.resize(is_off_.size());
    for (int e = 0; e < matrix.structure.jacobian.size(); ++e) {
      const linalg::Entry& entry = matrix.structure.jacobian[e];
      entries_of_row_[static_cast<std::size_t>(entry.row)].push_back({e, place_of(entry.column)});
    }
    const int n = matrix.structure.n_v();
    for (int i = 0; i < n; ++i) b_[place_of(i)] = make_right_side(matrix)[i];
  }

  /// In the order of computation, with the step of algorithm 4 that each belongs to.
  static constexpr std::array<int, 9> kOrder{0, 1, 2, 4, 5, 3, 5, 6, 7};

  void run(std::size_t count) {
    double* y = y_.data();
    double* s = y + matrix_.structure.n_v();
    y_ = b_;
    if (count > 0) check(factors_.factor(matrix_.mass.data()).ok);
    if (count > 1) factors_.solve_transposed(y);
    if (count > 2) make_rows();
    if (count > 3) rows_.multiply();
    if (count > 4) check(rows_.eliminate(is_off_).ok);
    if (count > 5) rows_.make_right_side(y, s);
    if (count > 6) rows_.solve_multipliers(s);
    if (count > 7) rows_.remove(s, y);
    if (count > 8) factors_.solve(y);
  }
  Vector solution() const {
    Vector x = y_;
    for (int i = 0; i < matrix_.structure.n_v(); ++i) x[i] = y_[place_of(i)];
    return x;
  }

 private:
  static void check(bool is_fine) {
    if (!is_fine) throw std::runtime_error("algorithm 4 has failed");
  }
  static const dae::TreeStructure* tree_of(const dae::Structure& structure) {
    return structure.tree ? &*structure.tree : nullptr;
  }
  int place_of(int velocity) const { return factors_.rows().places[static_cast<std::size_t>(velocity)]; }
  /// Lemma 3: all that the velocities of a row are coupled with towards the root.
  std::vector<std::vector<int>> find_supports() const {
    const kkt::BranchRows& rows = factors_.rows();
    std::vector<std::vector<int>> supports(static_cast<std::size_t>(matrix_.structure.m()));
    for (const linalg::Entry& e : matrix_.structure.jacobian.entries()) {
      const int k = place_of(e.column);
      std::vector<int>& support = supports[static_cast<std::size_t>(e.row)];
      support.insert(support.end(), rows.row(k), rows.row(k) + rows.row_length(k));
    }
    for (std::vector<int>& support : supports) {
      std::sort(support.begin(), support.end());
      support.erase(std::unique(support.begin(), support.end()), support.end());
    }
    return supports;
  }
  void make_rows() {
    for (int r = 0; r < rows_.rows(); ++r) {
      for (const auto& [entry, place] : entries_of_row_[static_cast<std::size_t>(r)]) {
        column_[static_cast<std::size_t>(place)] += matrix_.jacobian[entry];
      }
      const std::span<const int> support = rows_.support(r);
      factors_.solve_transposed(support, column_.data());
      double* out = rows_.column(r);
      for (const int place : support) {
        *out++ = column_[static_cast<std::size_t>(place)];
        column_[static_cast<std::size_t>(place)] = 0;
      }
    }
  }

  const JointMatrix& matrix_;
  kkt::BranchFactors<double> factors_;
  kkt::RowFactors<double> rows_;
  std::vector<bool> is_off_;
  Vector b_, y_;  // velocities by place
  std::vector<double> column_;
  std::vector<std::vector<std::pair<int, int>>> entries_of_row_;  // entry of G, place
};

/// Seconds of each step.
std::array<double, kSteps.size()> time_steps(const JointMatrix& matrix) {
  Steps steps(matrix);
  steps.run(Steps::kOrder.size());
  check_solution(matrix, steps.solution(), "algorithm 4");
  std::array<double, Steps::kOrder.size() + 1> until{};
  until.fill(std::numeric_limits<double>::infinity());
  for (int round = 0; round < 15; ++round) {
    for (std::size_t count = 0; count < until.size(); ++count) {
      until[count] = std::min(until[count], time_call([&] { steps.run(count); }, 1, 0.005));
    }
  }
  std::array<double, kSteps.size()> seconds{};
  for (std::size_t k = 0; k < Steps::kOrder.size(); ++k) {
    seconds[static_cast<std::size_t>(Steps::kOrder[k])] += std::max(0.0, until[k + 1] - until[k]);
  }
  return seconds;
}

void print_profile_row(const std::string& name, std::span<const double> microseconds) {
  double total = 0;
  for (const double value : microseconds) total += value;
  std::vector<std::string> cells{name};
  for (const double value : microseconds) cells.push_back(fmt::format("{:.1f}", 100 * value / total));
  cells.push_back(fmt::format("{:.3g}", total));
  print_row(cells);
}

/// The entries of L below the diagonal and on it when velocities are eliminated in an order.
long count_factor(const linalg::Graph& graph, const std::vector<int>& order) {
  return graph.size() + calc_factor_entries(graph, order, std::numeric_limits<int>::max());
}

}  // namespace

void print_fill() {
  print_header(
      {"mechanism", "velocities", "lower triangle of M", "factor, leaves first", "factor, roots first", "factor, AMD"});
  for (const JointMatrix& matrix : {make_thesis_vehicle(), make_case("hmmwv14"), make_case("seven-body")}) {
    const Pattern& mass = matrix.structure.mass;
    const linalg::Graph graph = make_graph(mass);
    const kkt::BranchRows rows =
        *kkt::BranchRows::make(mass, matrix.structure.tree ? &*matrix.structure.tree : nullptr);
    const std::vector<int> leaves_first(rows.velocities.rbegin(), rows.velocities.rend());
    const kkt::BranchFactors<double> factors(mass, rows);
    print_row({matrix.name, fmt::format("{}", rows.size()),
               fmt::format("{}", rows.size() + static_cast<long>(graph.neighbours.size()) / 2),
               fmt::format("{}", count_factor(graph, leaves_first)),
               fmt::format("{}", count_factor(graph, rows.velocities)),
               fmt::format("{}", count_factor(graph, calc_amd_order(graph)))});
    if (factors.size() != count_factor(graph, leaves_first)) throw std::runtime_error("the factor has filled in");
  }
}

void print_gauss_operations() {
  print_header({"matrix", "", "factorisation", "forward", "backward", "total"});
  const auto print = [](const std::string& name, const char* operation, std::array<long, 3> numbers) {
    print_row(with_total({name, operation}, numbers));
  };
  const auto print_all = [&](const std::string& name, long n) {
    const LuCounts counts = count_lu(n);
    print(name, "A", {counts.factor, counts.triangle, counts.triangle});
    print(name, "M", {counts.factor, counts.triangle, counts.triangle});
    print(name, "D", {counts.divisions, 0, n});
  };
  print("thesis, 43", "A", {25585, 903, 903});
  print("thesis, 43", "M", {25585, 903, 903});
  print("thesis, 43", "D", {903, 0, 43});
  for (const JointMatrix& matrix : {make_thesis_vehicle(), make_case("hmmwv14")}) {
    print_all(describe_sizes(matrix), matrix.structure.n_v() + matrix.structure.m());
  }
}

void print_branch_operations() {
  std::vector<std::pair<std::string, StepCounts>> ours;
  for (const JointMatrix& matrix : {make_thesis_vehicle(), make_case("hmmwv14")}) {
    ours.emplace_back(matrix.name, count_steps(matrix.structure));
  }
  print_steps({{{975, 165, 708, 172, 834, 680, 145, 192},
                {975, 165, 804, 172, 1135, 680, 162, 165},
                {165, 7, 174, 0, 0, 120, 0, 27},
                {27, 0, 0, 0, 0, 16, 0, 0}}},
              ours);
}

void print_dense_operations() {
  std::vector<std::pair<std::string, StepCounts>> ours;
  for (const JointMatrix& matrix : {make_thesis_vehicle(), make_case("hmmwv14")}) {
    ours.emplace_back(matrix.name, count_steps(make_full(matrix).structure));
  }
  print_steps({{{3276, 351, 5616, 432, 3536, 2280, 405, 378},
                {3276, 351, 5616, 432, 3672, 2280, 432, 351},
                {351, 27, 432, 0, 0, 152, 0, 27},
                {27, 0, 0, 0, 0, 16, 0, 0}}},
              ours);
}

void print_vehicle_times() {
  struct Method {
    const char* name;
    double thesis;  // microseconds, 0: not there
    std::function<double(const JointMatrix&)> time;
  };
  const auto by = [](BackEnd back_end) {
    return [back_end](const JointMatrix& matrix) { return time_back_end(matrix, back_end); };
  };
  const std::array methods{Method{"Gauss: dense LU", 2336, by(BackEnd::kDenseLu)},
                           Method{"Symmetric: dense symmetric indefinite", 2022, by(BackEnd::kDenseSymmetric)},
                           Method{"Harwell: sparse LU", 3532, by(BackEnd::kSparse)},
                           Method{"Alg-S: Cholesky along branches", 1201, by(BackEnd::kBranches)},
                           Method{"Alg-D: full matrices, T^T T", 1179, time_dense},
                           Method{"full matrices, reflections", 0, by(BackEnd::kCholeskyQr)},
                           Method{"articulated bodies", 0, by(BackEnd::kArticulated)}};
  const std::array matrices{make_thesis_vehicle(), make_case("hmmwv14")};
  std::vector<std::string> header{"method", "thesis [us]", "of Gauss"};
  for (const JointMatrix& matrix : matrices) {
    header.push_back(describe_sizes(matrix) + " [us]");
    header.emplace_back("of Gauss");
  }
  print_header(header);
  std::array<double, matrices.size()> gauss{};
  for (const Method& method : methods) {
    const bool is_there = method.thesis > 0;
    std::vector<std::string> cells{method.name, is_there ? fmt::format("{:.0f}", method.thesis) : "-",
                                   is_there ? fmt::format("{:.2f}", method.thesis / methods[0].thesis) : "-"};
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      const double seconds = method.time(matrices[k]);
      if (gauss[k] == 0) gauss[k] = seconds;
      cells.push_back(fmt::format("{:.2f}", 1e6 * seconds));
      cells.push_back(fmt::format("{:.2f}", seconds / gauss[k]));
    }
    print_row(cells);
  }
}

void print_profile() {
  std::vector<std::string> header{"share [%] of step"};
  header.insert(header.end(), kSteps.begin(), kSteps.end());
  header.emplace_back("all steps [us]");
  print_header(header);
  print_profile_row("thesis, Alg-S", std::array<double, 8>{300, 59, 246, 50, 276, 159, 57, 54});
  print_profile_row("thesis, Alg-D", std::array<double, 8>{289, 31, 347, 27, 276, 147, 31, 31});
  for (const JointMatrix& matrix : {make_thesis_vehicle(), make_case("hmmwv14")}) {
    for (const bool is_full : {false, true}) {
      const JointMatrix used = is_full ? make_full(matrix) : matrix;
      std::array<double, kSteps.size()> seconds = time_steps(used);
      for (double& value : seconds) value *= 1e6;
      print_profile_row(matrix.name + (is_full ? ", Alg-D" : ", Alg-S"), seconds);
    }
  }
}

}  // namespace trammel::bench
