#include "trammel/kkt/recursive_solver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

#include "trammel/kkt/elimination_subtrees.h"
#include "trammel/kkt/recursive_kernels.h"
#include "trammel/kkt/recursive_order.h"
#include "trammel/linalg/parallel.h"
#include "trammel/linalg/sparse_lu.h"
#include "trammel/linalg/wide_vectors.h"

namespace trammel::kkt {

using linalg::Entry;
using linalg::FactorCause;
using linalg::FactorStatus;
using linalg::Pattern;
using recursive::BodyKernel;
using recursive::BodyTask;
using recursive::FrontKernel;
using recursive::PivotShare;

namespace {

/// Numbers of all factors up to which a system is taken: 2 GB.
constexpr double kMostNumbers = 268435456;

template <class Values>
auto& at(Values& vector, int i) {
  return vector[static_cast<std::size_t>(i)];
}

/// The functions of a kernel with wide vectors.
template <class Kernel>
struct Wide : Kernel {
  TRAMMEL_WIDE_ONLY static int factor(const BodyTask& task, PivotShare& share) { return Kernel::factor(task, share); }
  TRAMMEL_WIDE_ONLY static void solve_forward(const double* kept, double* b, double* parent) {
    Kernel::solve_forward(kept, b, parent);
  }
  TRAMMEL_WIDE_ONLY static void solve_back(const double* kept, double* b, const double* parent) {
    Kernel::solve_back(kept, b, parent);
  }
};

/// The functions of a BodyKernel; none where there is no kernel of these sizes.
struct BodyFunctions {
  int (*factor)(const BodyTask&, PivotShare&) = nullptr;
  void (*solve_forward)(const double*, double*, double*) = nullptr;
  void (*solve_back)(const double*, double*, const double*) = nullptr;
  int (*place)(int, int) = nullptr;
  int own = 0, sum = 0, kept = 0;  ///< numbers

  template <class Kernel>
  static BodyFunctions of() {
    return {Kernel::factor, Kernel::solve_forward, Kernel::solve_back, Kernel::place,
            Kernel::kOwn,   Kernel::kSum,          Kernel::kKept};
  }
  template <int N, int M, int P>
  static BodyFunctions of() {
    using Kernel = BodyKernel<N, M, P>;
    return linalg::has_wide_vectors() ? of<Wide<Kernel>>() : of<Kernel>();
  }
};

template <int N, int... M>
BodyFunctions choose_body(int rows, int parent, std::integer_sequence<int, M...>) {
  if (rows > N || (parent != 0 && parent != N)) return {};
  const std::array free{BodyFunctions::of<N, M, 0>()...};
  const std::array tied{BodyFunctions::of<N, M, N>()...};
  return parent == 0 ? at(free, rows) : at(tied, rows);
}

/// For a body with n velocities, m rows and a parent with p.
BodyFunctions choose_body(int n, int m, int p) {
  switch (n) {
    case 1: return choose_body<1>(m, p, std::make_integer_sequence<int, 2>());
    case 2: return choose_body<2>(m, p, std::make_integer_sequence<int, 3>());
    case 3: return choose_body<3>(m, p, std::make_integer_sequence<int, 4>());
    case 6: return choose_body<6>(m, p, std::make_integer_sequence<int, 7>());
    case 7: return choose_body<7>(m, p, std::make_integer_sequence<int, 8>());
    default: return {};
  }
}

struct FrontFunctions {
  int (*factor)(double*, int, int, int*, PivotShare&);
  void (*solve_forward)(const double*, int, int, const int*, double*, const int*, double*);
  void (*solve_back)(const double*, int, int, double*, const int*, const double*);

  template <int kSize, int kCoupled>
  static constexpr FrontFunctions of() {
    using Kernel = FrontKernel<kSize, kCoupled>;
    return {Kernel::factor, Kernel::solve_forward, Kernel::solve_back};
  }
};

/// Bodies in the plane and in space with the joints that are frequent have loops of their own.
FrontFunctions choose_front(int size, int coupled) {
  if (coupled == 3 && size == 4) return FrontFunctions::of<4, 3>();
  if (coupled == 3 && size == 5) return FrontFunctions::of<5, 3>();
  if (coupled == 6 && size == 6) return FrontFunctions::of<6, 6>();
  if (coupled == 6 && size == 9) return FrontFunctions::of<9, 6>();
  if (coupled == 6 && size == 11) return FrontFunctions::of<11, 6>();
  if (coupled == 7 && size == 11) return FrontFunctions::of<11, 7>();
  if (coupled == 7 && size == 13) return FrontFunctions::of<13, 7>();
  return FrontFunctions::of<0, 0>();
}

class RecursiveSolver final : public DirectSolver {
 public:
  RecursiveSolver(const Layout& layout, const Pattern& whole);
  BackEnd kind() const override { return BackEnd::kRecursive; }
  FactorStatus factor(const Vector& values) override;
  std::optional<FactorStatus> factor_blocks(std::span<const BlockValues> blocks, const double* jacobian) override;
  void solve(VectorOut upper, VectorOut lower) override;
  bool is_in_doubt() const override { return share_.value() < kDoubtfulRcond; }
  double calc_rcond() override { return share_.value(); }

 private:
  struct Block {
    EliminationBlock order;
    int coupled = 0;
    const int* places = nullptr;   // of what is coupled, and
    const int* targets = nullptr;  // where that stands in the front of the parent
    BodyFunctions body;            // none for a front
    BodyTask task;                 // of both
    FrontFunctions front;
    int parent = -1;
  };
  /// The values of the mass, the Jacobian, and the rows that are switched off; all in the first where the matrix is not
  /// symmetric.
  using Sources = std::array<const double*, 3>;
  /// Value `from` of a source is number `to` of what is eliminated.
  struct Move {
    int from, to;
  };

  void take_memory();
  template <class F>
  void for_each_range(const F& f) const;
  void place_values(const Pattern& whole);
  void gather(const Sources& sources);
  int eliminate(const Sources& sources);
  /// The place of a pivot that vanished, or -1.
  int eliminate_block(Block& block, PivotShare& share);
  int eliminate_front(Block& block, PivotShare& share);
  void solve_forward(const Block& block);
  void solve_back(const Block& block);

  const Pattern& whole_;
  bool is_symmetric_, has_switches_;
  int mass_size_ = 0, jacobian_size_ = 0;
  RecursiveOrder order_;
  EliminationCouplings couplings_;
  std::vector<Block> blocks_;
  EliminationSubtrees subtrees_;    // that threads may share
  std::vector<PivotShare> shares_;  // of each piece of them
  std::vector<int> failed_;         // the same: the place of a pivot that vanished, or -1
  std::vector<int> place_of_;       // of each unknown in the order
  std::vector<int> targets_, pivots_;
  std::array<std::vector<Move>, 3> moves_, added_moves_;  // by source; to places that no value or another one is for
  std::vector<double> numbers_;                           // all fronts, then what bodies consist of
  std::size_t front_numbers_ = 0;
  std::vector<double> sums_, kept_;
  std::vector<double> b_;
  bool is_clean_ = true;  // whether the sums are zero
  PivotShare share_;
};

RecursiveSolver::RecursiveSolver(const Layout& layout, const Pattern& whole)
    : whole_(whole),
      is_symmetric_(layout.is_mass_only),
      has_switches_(!layout.switchable_rows.empty()),
      order_(find_recursive_order(layout, whole)),
      couplings_(find_couplings(order_, whole)) {
  if (is_symmetric_) {
    mass_size_ = layout.blocks.front().pattern->size();
    jacobian_size_ = layout.jacobian->size();
  }
  place_of_.resize(order_.unknowns.size());
  for (int i = 0; i < static_cast<int>(place_of_.size()); ++i) at(place_of_, at(order_.unknowns, i)) = i;
  std::vector<bool> is_switchable(place_of_.size(), false);
  for (const int row : layout.switchable_rows) is_switchable[static_cast<std::size_t>(layout.upper + row)] = true;
  for (int k = 0; k < static_cast<int>(order_.blocks.size()); ++k) {
    Block block;
    block.order = at(order_.blocks, k);
    block.coupled = couplings_.count(k);
    block.parent = at(couplings_.parents, k);
    block.places = couplings_.places.data() + at(couplings_.offsets, k);
    const int above = block.parent < 0 ? 0 : at(order_.blocks, block.parent).velocities;
    const auto first = order_.unknowns.begin() + block.order.first;
    const bool may_switch =
        std::any_of(first, first + block.order.size, [&](int i) { return is_switchable[static_cast<std::size_t>(i)]; });
    if (is_symmetric_ && block.coupled == above && !may_switch) {
      block.body = choose_body(block.order.velocities, block.order.size - block.order.velocities, above);
    }
    block.front = choose_front(block.order.size, block.coupled);
    blocks_.push_back(block);
  }
  take_memory();
  place_values(whole);
  subtrees_ = find_subtrees(order_, couplings_);
  shares_.resize(static_cast<std::size_t>(subtrees_.count()));
  failed_.resize(shares_.size());
  b_.resize(place_of_.size());
}

/// Fronts hold their matrices; bodies hold their factors, and what their children add.
void RecursiveSolver::take_memory() {
  double numbers = 0;
  for (const Block& block : blocks_) {
    const double all = block.order.size + block.coupled;
    numbers += block.body.factor ? block.body.kept : all * all;
  }
  if (numbers > kMostNumbers) {
    throw std::invalid_argument(
        fmt::format("the recursion along the tree of bodies would need {:.1f} GB, since its loops and forces tie too "
                    "much together; the sparse solver suits it better",
                    numbers * sizeof(double) / 1e9));
  }
  std::size_t fronts = 0, own = 0, sums = 0, kept = 0;
  for (const Block& block : blocks_) {
    const auto all = static_cast<std::size_t>(block.order.size + block.coupled);
    if (!block.body.factor) fronts += all * all;
    own += static_cast<std::size_t>(block.body.own);
    sums += static_cast<std::size_t>(block.body.sum);
    kept += static_cast<std::size_t>(block.body.kept);
  }
  front_numbers_ = fronts;
  numbers_.assign(fronts + own, 0);
  sums_.assign(sums, 0);
  kept_.assign(kept, 0);
  pivots_.assign(order_.unknowns.size(), 0);
  targets_.reserve(couplings_.places.size());
  double *next_front = numbers_.data(), *next_own = next_front + fronts, *next_sum = sums_.data(),
         *next_kept = kept_.data();
  for (Block& block : blocks_) {
    const std::ptrdiff_t all = block.order.size + block.coupled;
    if (block.body.factor) {
      block.task.own = std::exchange(next_own, next_own + block.body.own);
      block.task.sum = std::exchange(next_sum, next_sum + block.body.sum);
      block.task.kept = std::exchange(next_kept, next_kept + block.body.kept);
    } else {
      block.task.own = block.task.kept = std::exchange(next_front, next_front + all * all);
    }
  }
  for (Block& block : blocks_) {
    block.targets = targets_.data() + targets_.size();
    if (block.parent < 0) continue;
    const Block& parent = at(blocks_, block.parent);
    block.task.is_body = parent.body.factor != nullptr;
    block.task.parent = block.task.is_body ? parent.task.sum : parent.task.kept;
    block.task.stride =
        block.task.is_body ? linalg::calc_stride(parent.order.velocities) : parent.order.size + parent.coupled;
    for (int i = 0; i < block.coupled; ++i) {
      const int place = block.places[i];
      const bool is_own = place < parent.order.first + parent.order.size;
      const auto further = std::lower_bound(parent.places, parent.places + parent.coupled, place) - parent.places;
      targets_.push_back(is_own ? place - parent.order.first : parent.order.size + static_cast<int>(further));
    }
  }
}

/// Where each value of the whole matrix goes.
void RecursiveSolver::place_values(const Pattern& whole) {
  std::vector<int> block_of(place_of_.size());
  for (int k = 0; k < static_cast<int>(blocks_.size()); ++k) {
    const EliminationBlock& order = at(blocks_, k).order;
    std::fill_n(block_of.begin() + order.first, order.size, k);
  }
  std::vector<bool> is_taken(numbers_.size());
  for (int k = 0; k < whole.size(); ++k) {
    const int row = at(place_of_, whole[k].row), column = at(place_of_, whole[k].column);
    const Block& block = at(blocks_, std::min(at(block_of, row), at(block_of, column)));
    std::size_t source = 0;
    int from = k;
    if (is_symmetric_ && from >= mass_size_) source = 1, from -= mass_size_;
    const bool is_transposed = source == 1 && from >= jacobian_size_;
    if (is_transposed) from -= jacobian_size_;
    if (is_transposed && from >= jacobian_size_) source = 2, from -= jacobian_size_;
    const auto place_in_front = [&](int place) {
      if (place < block.order.first + block.order.size) return place - block.order.first;
      const int* found = std::lower_bound(block.places, block.places + block.coupled, place);
      return block.order.size + static_cast<int>(found - block.places);
    };
    const int i = place_in_front(row), j = place_in_front(column);
    int place = i * (block.order.size + block.coupled) + j;
    if (block.body.factor) {
      if (is_transposed || (source == 0 && i > j)) continue;  // the other triangle holds the same
      place = block.body.place(i, j);
    }
    const int to = static_cast<int>(block.task.own - numbers_.data()) + place;
    const auto taken = is_taken.begin() + to;
    (*taken ? added_moves_ : moves_)[source].push_back({from, to});
    *taken = true;
  }
}

/// In one go for all blocks: two numbers at a time can be read back at once only long after they were written one by
/// one, and a body that waits for its own numbers waits for the bodies before it.
void RecursiveSolver::gather(const Sources& sources) {
  double* numbers = numbers_.data();
  std::fill_n(numbers, front_numbers_, 0.0);
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const Move& move : moves_[s]) numbers[move.to] = sources[s][move.from];
  }
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const Move& move : added_moves_[s]) numbers[move.to] += sources[s][move.from];
  }
}

int RecursiveSolver::eliminate_block(Block& block, PivotShare& share) {
  const int failed = block.body.factor ? block.body.factor(block.task, share) : eliminate_front(block, share);
  return failed < 0 ? -1 : block.order.first + failed;
}

int RecursiveSolver::eliminate_front(Block& block, PivotShare& share) {
  double* front = block.task.kept;
  const int size = block.order.size, all = size + block.coupled;
  const int failed = block.front.factor(front, size, block.coupled, pivots_.data() + block.order.first, share);
  if (failed >= 0) return failed;
  for (int i = 0; i < block.coupled; ++i) {
    const double* row = front + static_cast<std::ptrdiff_t>(size + i) * all + size;
    double* target = block.task.parent + static_cast<std::ptrdiff_t>(block.targets[i]) * block.task.stride;
    for (int j = 0; j < block.coupled; ++j) target[block.targets[j]] += row[j];
  }
  return -1;
}

/// The place of a pivot that vanished, or -1.
int RecursiveSolver::eliminate(const Sources& sources) {
  share_ = {};
  std::fill(shares_.begin(), shares_.end(), PivotShare());
  std::fill(failed_.begin(), failed_.end(), -1);
  gather(sources);
  if (!is_clean_) std::fill(sums_.begin(), sums_.end(), 0.0);
  is_clean_ = false;
  for_each_range([&](int piece, int begin, int end) {
    int failed = at(failed_, piece);
    PivotShare share = at(shares_, piece);
    for (int k = begin; failed < 0 && k < end; ++k) failed = eliminate_block(at(blocks_, k), share);
    at(failed_, piece) = failed;
    at(shares_, piece) = share;
  });
  for (const int failed : failed_) {
    if (failed >= 0) return failed;
  }
  for (const PivotShare& share : shares_) share_.note(share.left, share.whole, -1);
  for (const int k : subtrees_.rest) {
    const int failed = eliminate_block(at(blocks_, k), share_);
    if (failed >= 0) return failed;
  }
  is_clean_ = true;
  return -1;
}

std::optional<FactorStatus> RecursiveSolver::factor_blocks(std::span<const BlockValues> blocks,
                                                           const double* jacobian) {
  if (!is_symmetric_ || has_switches_ || blocks.front().weight != 1) return std::nullopt;
  // Where it fails, factor() is called next and finds out why.
  if (eliminate({blocks.front().values, jacobian, nullptr}) >= 0) return std::nullopt;
  return FactorStatus{};
}

FactorStatus RecursiveSolver::factor(const Vector& values) {
  const double *mass = values.data(), *jacobian = mass + mass_size_;
  const int failed = eliminate({mass, jacobian, jacobian + 2 * static_cast<std::ptrdiff_t>(jacobian_size_)});
  if (failed < 0) return {};
  const int unknown = at(order_.unknowns, failed);
  if (!values.allFinite()) return FactorStatus::failed(FactorCause::kNotFinite, unknown);
  // A singular block in a matrix that is regular asks for another back end; a matrix that is singular does not.
  linalg::SparseLu whole(whole_);
  const FactorStatus status = whole.factor(values.data());
  return status.ok ? FactorStatus::failed(FactorCause::kSingularBlock, unknown) : status;
}

/// f(piece, begin, end) for the blocks of each subtree, pieces shared between threads.
template <class F>
void RecursiveSolver::for_each_range(const F& f) const {
  linalg::parallel_for_ranges(subtrees_.count(), 1, [&](int first, int last) {
    for (int piece = first; piece < last; ++piece) {
      for (int i = at(subtrees_.pieces, piece); i < at(subtrees_.pieces, piece + 1); ++i) {
        f(piece, at(subtrees_.ranges, i).begin, at(subtrees_.ranges, i).end);
      }
    }
  });
}

void RecursiveSolver::solve_forward(const Block& block) {
  double *b = b_.data(), *own = b + block.order.first;
  if (block.body.factor) {
    block.body.solve_forward(block.task.kept, own, block.coupled > 0 ? b + block.places[0] : nullptr);
  } else {
    block.front.solve_forward(block.task.kept, block.order.size, block.coupled, pivots_.data() + block.order.first, own,
                              block.places, b);
  }
}

void RecursiveSolver::solve_back(const Block& block) {
  double *b = b_.data(), *own = b + block.order.first;
  if (block.body.factor) {
    block.body.solve_back(block.task.kept, own, block.coupled > 0 ? b + block.places[0] : nullptr);
  } else {
    block.front.solve_back(block.task.kept, block.order.size, block.coupled, own, block.places, b);
  }
}

void RecursiveSolver::solve(VectorOut upper, VectorOut lower) {
  double* b = b_.data();
  const int* place = place_of_.data();
  for (Eigen::Index i = 0; i < upper.size(); ++i) b[*place++] = upper[i];
  for (Eigen::Index i = 0; i < lower.size(); ++i) b[*place++] = lower[i];
  for_each_range([&](int /*piece*/, int begin, int end) {
    for (int k = begin; k < end; ++k) solve_forward(at(blocks_, k));
  });
  for (const int k : subtrees_.rest) solve_forward(at(blocks_, k));
  for (auto k = subtrees_.rest.rbegin(); k != subtrees_.rest.rend(); ++k) solve_back(at(blocks_, *k));
  for_each_range([&](int /*piece*/, int begin, int end) {
    for (int k = end - 1; k >= begin; --k) solve_back(at(blocks_, k));
  });
  place = place_of_.data();
  for (Eigen::Index i = 0; i < upper.size(); ++i) upper[i] = b[*place++];
  for (Eigen::Index i = 0; i < lower.size(); ++i) lower[i] = b[*place++];
}

}  // namespace

std::unique_ptr<DirectSolver> make_recursive_solver(const Layout& layout, const Pattern& whole) {
  const Block& mass = layout.blocks.front();
  if (mass.row != 0 || mass.column != 0 || mass.pattern->rows() != mass.pattern->columns()) {
    throw std::invalid_argument("the recursion along the tree of bodies needs the mass at the corner of the matrix");
  }
  return std::make_unique<RecursiveSolver>(layout, whole);
}

std::string find_recursive_obstacle(const dae::Structure& structure) {
  std::vector<bool> has_mass(static_cast<std::size_t>(structure.n_v()), false);
  for (const Entry& e : structure.mass.entries()) {
    if (e.row == e.column) has_mass[static_cast<std::size_t>(e.row)] = true;
  }
  const auto& names = structure.has_trivial_kinematics ? structure.position_names : structure.velocity_names;
  std::vector<std::string> massless;
  for (std::size_t i = 0; i < has_mass.size(); ++i) {
    if (!has_mass[i]) massless.push_back(names[i]);
  }
  if (massless.empty()) return {};
  constexpr std::size_t kMost = 4;
  const std::string more = massless.size() > kMost ? fmt::format(" and {} more", massless.size() - kMost) : "";
  massless.resize(std::min(massless.size(), kMost));
  return fmt::format(
      "the recursion along the tree of bodies eliminates each body by its inertia, and these coordinates have no mass: "
      "{}{}",
      fmt::join(massless, ", "), more);
}

}  // namespace trammel::kkt
