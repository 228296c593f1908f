// Orderings for skylines: permutations with the least profile on graphs where it is known, small ones elsewhere.

#include "trammel/linalg/profile_ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "tests/linalg/samples.h"

namespace trammel::linalg {
namespace {

using testing::Samples;

Graph make(int size, const std::vector<Entry>& edges, const std::vector<int>& names) {
  std::vector<Entry> entries;
  for (const Entry& e : edges) entries.push_back({names[e.row], names[e.column]});
  return make_graph({size, size, std::move(entries)});
}

std::vector<Entry> path(int size) {
  std::vector<Entry> edges;
  for (int i = 0; i + 1 < size; ++i) edges.push_back({i, i + 1});
  return edges;
}

std::vector<Entry> grid(int width, int height) {
  std::vector<Entry> edges;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (x + 1 < width) edges.push_back({y * width + x, y * width + x + 1});
      if (y + 1 < height) edges.push_back({y * width + x, y * width + x + width});
    }
  }
  return edges;
}

std::vector<int> natural(int size) {
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

using Ordering = std::vector<int> (*)(const Graph&);
constexpr Ordering kBoth[] = {&calc_gibbs_poole_stockmeyer_order, &calc_gibbs_king_order};

TEST(ProfileOrdering, NumbersAShuffledPathFromEndToEnd) {
  Samples samples(1);
  for (const int n : {1, 2, 3, 10, 57}) {
    const Graph graph = make(n, path(n), samples.permutation(n));
    for (const Ordering ordering : kBoth) {
      const std::vector<int> order = ordering(graph);
      ASSERT_TRUE(is_permutation(order, n));
      EXPECT_EQ(calc_profile(graph, order), n - 1);
    }
  }
}

TEST(ProfileOrdering, NumbersAShuffledGridAlongItsDiagonals) {
  // The ends of the longest shortest paths are opposite corners, so the levels are diagonals, of at most `height`
  // nodes: a node is linked to its own place in the next diagonal and to the place after it.
  Samples samples(2);
  const int width = 20, height = 5, n = width * height;
  std::vector<int> by_diagonals;
  for (int sum = 0; sum <= width + height - 2; ++sum) {
    for (int y = std::max(0, sum - width + 1); y <= std::min(sum, height - 1); ++y)
      by_diagonals.push_back(y * width + sum - y);
  }
  const Graph plain = make(n, grid(width, height), natural(n));
  ASSERT_TRUE(is_permutation(by_diagonals, n));
  for (int trial = 0; trial < 5; ++trial) {
    const Graph graph = make(n, grid(width, height), samples.permutation(n));
    for (const Ordering ordering : kBoth) {
      const std::vector<int> order = ordering(graph);
      ASSERT_TRUE(is_permutation(order, n));
      EXPECT_LE(calc_profile(graph, order), calc_profile(plain, by_diagonals));
    }
    EXPECT_LE(calc_bandwidth(graph, calc_gibbs_poole_stockmeyer_order(graph)), height + 1);
  }
}

TEST(ProfileOrdering, NumbersARingInTwoStrands) {
  // Two nodes of a ring are in the front at any time: rows 1 and 2 reach back by 1, the others by 2.
  Samples samples(3);
  const int n = 31;
  std::vector<Entry> edges = path(n);
  edges.push_back({n - 1, 0});
  const Graph graph = make(n, edges, samples.permutation(n));
  for (const Ordering ordering : kBoth) EXPECT_LE(calc_profile(graph, ordering(graph)), 2 * n - 3);
}

TEST(ProfileOrdering, TakesPartsOneAfterTheOther) {
  Samples samples(4);
  std::vector<Entry> edges = path(10);
  for (const Entry& e : path(7)) edges.push_back({e.row + 10, e.column + 10});  // 17, 18 and 19 are alone
  const Graph graph = make(20, edges, samples.permutation(20));
  for (const Ordering ordering : kBoth) {
    const std::vector<int> order = ordering(graph);
    ASSERT_TRUE(is_permutation(order, 20));
    EXPECT_EQ(calc_profile(graph, order), 9 + 6);
  }
}

TEST(ProfileOrdering, GivesPermutationsOfRandomGraphsAndTheSameEveryTime) {
  Samples samples(5);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + samples.integer(40);
    std::vector<Entry> edges;
    for (int k = samples.integer(3 * n); k > 0; --k) edges.push_back({samples.integer(n), samples.integer(n)});
    const Graph graph = make(n, edges, natural(n));
    for (const Ordering ordering : kBoth) {
      const std::vector<int> order = ordering(graph);
      ASSERT_TRUE(is_permutation(order, n)) << trial;
      EXPECT_EQ(order, ordering(graph));
    }
  }
}

TEST(ProfileOrdering, WorkIsThatOfTheThesis) {
  // Chain of 50 pendulums (thesis figure 5): beta = 1 in each row but the first.
  const int n = 50;
  const Graph graph = make(n, path(n), natural(n));
  const std::vector<int> sizes(n, 1);
  EXPECT_EQ(calc_skyline_work(graph, sizes, natural(n)), 49 * 2);
  EXPECT_EQ(calc_profile(graph, natural(n)), 49);
  // Its figure 5(b): the joints of the chain are numbered 1, 50, 2, 49, ... from one end to the other. Joints 26 to 50
  // reach back to 25 ... 1: number 51 - k to k, and 51 - k also to k + 1.
  std::vector<int> number;
  for (int k = 0; k < n / 2; ++k) number.insert(number.end(), {k, n - 1 - k});
  const std::vector<int> bad = calc_inverse(number);
  long profile = 0, work = 0;
  for (int k = 0; k < n / 2; ++k) {
    const int beta = n - 1 - 2 * k;
    profile += beta;
    work += beta * (beta + 3) / 2;
  }
  EXPECT_EQ(calc_profile(graph, bad), profile);
  EXPECT_EQ(profile, 625);
  EXPECT_EQ(calc_skyline_work(graph, sizes, bad), static_cast<double>(work));
  // Two rows a node: beta is 0 and 1 in the first node, 2 and 3 in the others.
  EXPECT_EQ(calc_skyline_work(graph, std::vector<int>(n, 2), natural(n)), 2 + 49 * (5 + 9));
}

TEST(ProfileOrdering, TheBestIsChosen) {
  Samples samples(6);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 30;
    std::vector<Entry> edges;
    for (int k = 0; k < 40; ++k) edges.push_back({samples.integer(n), samples.integer(n)});
    const Graph graph = make(n, edges, natural(n));
    std::vector<int> sizes(n);
    for (int& size : sizes) size = 1 + samples.integer(6);
    const ChosenOrdering chosen = choose_profile_ordering(graph, sizes);
    EXPECT_EQ(chosen.work, calc_skyline_work(graph, sizes, chosen.permutation));
    EXPECT_LE(chosen.work, calc_skyline_work(graph, sizes, natural(n)));
    EXPECT_LE(chosen.work, calc_skyline_work(graph, sizes, calc_reverse_cuthill_mckee_order(graph)));
    for (const Ordering ordering : kBoth) EXPECT_LE(chosen.work, calc_skyline_work(graph, sizes, ordering(graph)));
  }
  const ChosenOrdering of_path = choose_profile_ordering(make(9, path(9), natural(9)), std::vector<int>(9, 2));
  EXPECT_EQ(std::string(of_path.name), "natural");
  EXPECT_EQ(of_path.permutation, natural(9));
}

}  // namespace
}  // namespace trammel::linalg
