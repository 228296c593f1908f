#include "trammel/kkt/elimination_subtrees.h"

#include <algorithm>
#include <numeric>

namespace trammel::kkt {

namespace {

/// Unknowns from which two threads pay for a factorisation and a solution: binary trees in the plane and in space with
/// 2500 and 5500 unknowns take 0.62 and 0.66 of the time, with 11000 in space 0.60.
constexpr int kLeastUnknowns = 5000;
/// Pieces of work, whatever the number of threads: enough that none waits long for the last one.
constexpr int kPieces = 16;
/// The share of the work that must lie in subtrees.
constexpr double kLeastShare = 0.5;

template <class Values>
auto& at(Values& vector, int i) {
  return vector[static_cast<std::size_t>(i)];
}

/// What lies below each block, itself included.
struct Below {
  Below(const RecursiveOrder& order, const EliminationCouplings& couplings)
      : first(order.blocks.size()),
        reach(order.blocks.size(), -1),
        blocks(order.blocks.size(), 1),
        work(order.blocks.size(), 0) {
    const int count = static_cast<int>(order.blocks.size());
    std::iota(first.begin(), first.end(), 0);
    for (int k = 0; k < count; ++k) {
      const EliminationBlock& block = at(order.blocks, k);
      const double all = block.size + couplings.count(k);
      at(work, k) += block.size * all * all;
      const int parent = at(couplings.parents, k);
      if (parent < 0) continue;
      at(work, parent) += at(work, k);
      at(blocks, parent) += at(blocks, k);
      at(first, parent) = std::min(at(first, parent), at(first, k));
      const int last = at(couplings.places, at(couplings.offsets, k + 1) - 1);
      at(reach, parent) = std::max({at(reach, parent), at(reach, k), last});
    }
  }

  std::vector<int> first;    ///< block
  std::vector<int> reach;    ///< largest place to which something strictly below is coupled
  std::vector<int> blocks;   ///< how many
  std::vector<double> work;  ///< multiplications, about
};

}  // namespace

EliminationSubtrees find_subtrees(const RecursiveOrder& order, const EliminationCouplings& couplings) {
  const int count = static_cast<int>(order.blocks.size());
  EliminationSubtrees none, subtrees;
  none.rest.resize(order.blocks.size());
  std::iota(none.rest.begin(), none.rest.end(), 0);
  if (static_cast<int>(order.unknowns.size()) < kLeastUnknowns) return none;
  const Below below(order, couplings);
  double total = 0, shared = 0;
  for (int k = 0; k < count; ++k) total += at(couplings.parents, k) < 0 ? at(below.work, k) : 0;
  // From the last block down: the first on each path below which the work is small enough for a piece.
  for (int k = count - 1; k >= 0; --k) {
    subtrees.rest.push_back(k);
    const EliminationBlock& block = at(order.blocks, k);
    const bool is_closed = at(below.reach, k) < block.first + block.size;
    const bool is_contiguous = at(below.blocks, k) == k - at(below.first, k) + 1;
    if (!is_closed || !is_contiguous || at(below.work, k) > total / kPieces || at(below.first, k) == k) continue;
    subtrees.ranges.push_back({at(below.first, k), k});
    k = at(below.first, k);
  }
  std::reverse(subtrees.rest.begin(), subtrees.rest.end());
  std::reverse(subtrees.ranges.begin(), subtrees.ranges.end());
  const auto piece_of = [&](double work) { return static_cast<int>(work * kPieces / total); };
  for (int i = 0; i < static_cast<int>(subtrees.ranges.size()); ++i) {
    const double work = at(below.work, at(subtrees.ranges, i).end);
    if (i == 0 || piece_of(shared + work) > piece_of(shared)) subtrees.pieces.push_back(i);
    shared += work;
  }
  if (shared < kLeastShare * total || subtrees.pieces.size() < 2) return none;
  subtrees.pieces.push_back(static_cast<int>(subtrees.ranges.size()));
  return subtrees;
}

}  // namespace trammel::kkt
