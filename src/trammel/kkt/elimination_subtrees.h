#pragma once

// Parts of the elimination along the tree of bodies that threads may share: subtrees do not know of one another
// (Negrut, thesis 3.4.3.4, corollary 3).
//
// The forest is cut below some of its blocks. Everything below such a block touches itself and this block alone, and
// one thread does it; the block itself and all that lies above are left to be done afterwards, in order. So whatever is
// added to a block is added in the same order by any number of threads.

#include <vector>

#include "trammel/kkt/recursive_order.h"

namespace trammel::kkt {

struct EliminationSubtrees {
  /// Blocks [begin, end) of the order: all below block `end`.
  struct Range {
    int begin, end;
  };
  std::vector<Range> ranges;  ///< in the order of the blocks
  std::vector<int> pieces;    ///< of each piece of work its first range, and the end; empty: nothing is worth sharing
  std::vector<int> rest;      ///< blocks in no range, in their order

  int count() const { return pieces.empty() ? 0 : static_cast<int>(pieces.size()) - 1; }
};

/// Pieces of about the same work. None for small systems, and where most of the work lies on one path.
EliminationSubtrees find_subtrees(const RecursiveOrder& order, const EliminationCouplings& couplings);

}  // namespace trammel::kkt
