#pragma once

// Orders of elimination for skylines: small profile and little work (thesis 3.4.2.3, Lewis 1982).
//
//   Gibbs, Poole, Stockmeyer   The two ends of a long shortest path, a pseudo-diameter, are sought by breadth-first
//                              walks; each node has its distance from either. Nodes whose distances fit together have
//                              their level; the others come, connected part by connected part and the largest first,
//                              into the levels of the end that keeps the widest level narrower. Nodes are numbered
//                              level by level, neighbours of the lowest number first, those of least degree first among
//                              them.
//   Gibbs, King                The same levels; within a level the next is the node that brings the fewest new nodes
//                              into the front (nodes with a numbered neighbour that are not numbered yet).
//
// A permutation lists old numbers in their new order, as in ordering.h. Each connected part is ordered by itself. Every
// function is deterministic.

#include <span>
#include <vector>

#include "trammel/linalg/ordering.h"

namespace trammel::linalg {

std::vector<int> calc_gibbs_poole_stockmeyer_order(const Graph& graph);
std::vector<int> calc_gibbs_king_order(const Graph& graph);

/// Work of Cholesky's factorisation in the skyline, 1/2 sum of beta (beta + 3) over the rows (thesis (3.126)), where a
/// node stands for sizes[node] rows and beta is the distance of a row's diagonal from the first column of the skyline
/// in rows. With sizes of 1 it is the thesis' estimate in blocks. It is an upper bound of the multiplications.
double calc_skyline_work(const Graph& graph, std::span<const int> sizes, const std::vector<int>& permutation);

struct ChosenOrdering {
  const char* name = "natural";
  std::vector<int> permutation;
  double work = 0;
};
/// The one of least work: natural, reverse Cuthill-McKee, Gibbs-Poole-Stockmeyer, Gibbs-King, in this order where they
/// are equal, each as it comes and reversed.
ChosenOrdering choose_profile_ordering(const Graph& graph, std::span<const int> sizes);

}  // namespace trammel::linalg
