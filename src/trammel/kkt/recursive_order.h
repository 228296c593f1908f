#pragma once

// The order in which kkt::RecursiveSolver eliminates the unknowns of
//
//   [ H  B ]
//   [ G  0 ]
//
// and what that costs (docs/theory/recursive-elimination.md, section 3).
//
// Bodies are vertices of a graph, the ground is one more. Rows of G that touch the same two bodies, or one body and the
// ground, are an edge, and so are entries of H that couple two bodies. A forest is chosen in it: entries of H first,
// since leaving them out would fill the factors, then rows, groups with many rows first. Then
//   a body     is eliminated together with the rows of one edge only, that to its parent or to the ground: those have
//              full rank on it alone, so its block is regular whenever H is positive definite,
//   a loop     (rows of an edge that was left out) after the body where its two paths meet, where all that it ties is
//              known; later where that is not enough to make its block regular,
//   a state    (unknown of the upper part that is no velocity) with its body when it touches one only, else last.
//
// Where a system does not say what its bodies are (Structure::bodies), nothing is known of the rank of rows on each of
// them. Then all rows are eliminated after what they touch, in their order: a band for a chain.

#include <vector>

#include "trammel/kkt/solver.h"

namespace trammel::kkt {

/// Unknowns that are eliminated together. The velocities come first among them.
struct EliminationBlock {
  int first = 0;       ///< place of the first one in RecursiveOrder::unknowns
  int velocities = 0;  ///< 0: a loop or a state
  int size = 0;
};

struct RecursiveOrder {
  std::vector<int> unknowns;             ///< of the whole matrix, in the order of elimination
  std::vector<EliminationBlock> blocks;  ///< the same
};

/// `whole` is the pattern of the whole matrix of the layout.
RecursiveOrder find_recursive_order(const Layout& layout, const linalg::Pattern& whole);

/// The places to which the blocks are coupled that are eliminated later, in increasing order, with the fill that the
/// elimination brings; of a body that is coupled at all, all velocities.
struct EliminationCouplings {
  std::vector<int> parents;     ///< of each block: the one that holds its first coupling, -1 without couplings
  std::vector<int> offsets{0};  ///< of each block in `places`, and the end
  std::vector<int> places;

  int count(int block) const {
    return offsets[static_cast<std::size_t>(block) + 1] - offsets[static_cast<std::size_t>(block)];
  }
};
EliminationCouplings find_couplings(const RecursiveOrder& order, const linalg::Pattern& whole);

/// Multiplications of one factorisation and one solution by the recursive solver, to be compared with those of others.
/// `whole` as above.
double estimate_recursive_cost(const Layout& layout, const linalg::Pattern& whole);

}  // namespace trammel::kkt
