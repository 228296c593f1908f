#pragma once

// Orders of elimination, and what they cost in a band or skyline (thesis 3.4.2 numbers joints this way).
//
// A permutation lists old numbers in their new order: permutation[new] = old. Every function is deterministic and
// breaks ties by the old number.
//
//   AMD                     approximate minimum degree (Amestoy, Davis, Duff): least fill in general graphs
//   COLAMD                  columns of an unsymmetric or rectangular matrix, as AMD of A^T A
//   reverse Cuthill-McKee   least bandwidth: levels of a breadth-first walk from a node at the rim, which is found as
//                           George and Liu do (walk, restart from the farthest node of least degree, while it pays)

#include <vector>

#include "trammel/linalg/pattern.h"

namespace trammel::linalg {

/// Neighbours of each node, both ways, without the node itself, sorted.
struct Graph {
  std::vector<int> offsets{0};  ///< nodes + 1
  std::vector<int> neighbours;

  int size() const { return static_cast<int>(offsets.size()) - 1; }
  int degree(int node) const { return offsets[node + 1] - offsets[node]; }
  const int* begin(int node) const { return neighbours.data() + offsets[node]; }
  const int* end(int node) const { return neighbours.data() + offsets[node + 1]; }
};

/// Nodes are the rows of a square matrix; i and j are neighbours when entry (i, j) or (j, i) is in the pattern.
Graph make_graph(const Pattern& pattern);

std::vector<int> calc_amd_order(const Graph& graph);
std::vector<int> calc_colamd_order(const Pattern& pattern);
std::vector<int> calc_reverse_cuthill_mckee_order(const Graph& graph);

bool is_permutation(const std::vector<int>& permutation, int size);
/// permutation[inverse[i]] = i.
std::vector<int> calc_inverse(const std::vector<int>& permutation);

/// Largest distance of neighbours in the new numbering.
int calc_bandwidth(const Graph& graph, const std::vector<int>& permutation);
/// Entries of the lower skyline without the diagonal: sum over i of i - (first neighbour of i, or i).
long calc_profile(const Graph& graph, const std::vector<int>& permutation);
/// Entries of L below the diagonal when a symmetric matrix is eliminated in this order, L L^T = P A P^T. Counting takes
/// as long as there are entries, so it ends when there are more than `limit`.
long calc_factor_entries(const Graph& graph, const std::vector<int>& permutation, long limit);

}  // namespace trammel::linalg
