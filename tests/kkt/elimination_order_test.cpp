// Orders of elimination: factors of chains, trees and ladders of loops must not fill in, whatever the bodies are
// numbered like.

#include "trammel/kkt/elimination_order.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "trammel/linalg/ordering.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::Pattern;

/// Bodies of three velocities, and joints of two rows between pairs of them; -1 is the ground.
dae::Structure make_structure(int bodies, const std::vector<std::pair<int, int>>& joints) {
  std::vector<std::string> velocities(static_cast<std::size_t>(3 * bodies), "v"), rows(2 * joints.size(), "g");
  std::vector<Entry> mass, jacobian;
  for (int i = 0; i < 3 * bodies; ++i) mass.push_back({i, i});
  for (std::size_t k = 0; k < joints.size(); ++k) {
    for (const int body : {joints[k].first, joints[k].second}) {
      for (int i = 0; body >= 0 && i < 6; ++i) jacobian.push_back({static_cast<int>(2 * k) + i / 3, 3 * body + i % 3});
    }
  }
  const int m = static_cast<int>(rows.size());
  dae::Structure structure = dae::Structure::sparse(velocities, rows, Pattern(3 * bodies, 3 * bodies, std::move(mass)),
                                                    Pattern(m, 3 * bodies, std::move(jacobian)));
  for (int k = 0; k < bodies; ++k) structure.bodies.push_back(3 * k);
  return structure;
}

/// Entries of the factor of [M G^T; G 0], or a number above the limit.
long count_entries(const Layout& layout, const std::vector<int>& order, long limit) {
  std::vector<Entry> entries = layout.blocks.front().pattern->entries();
  for (const Entry& e : layout.jacobian->entries()) entries.push_back({layout.upper + e.row, e.column});
  const int size = layout.upper + layout.lower;
  EXPECT_TRUE(linalg::is_permutation(order, size));
  return linalg::calc_factor_entries(linalg::make_graph(Pattern(size, size, std::move(entries))), order, limit);
}

using Random = std::mt19937;

int pick(Random& random, int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); }

std::vector<int> shuffled(int n, Random& random) {
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int k = n - 1; k > 0; --k) std::swap(numbers[k], numbers[pick(random, k + 1)]);
  return numbers;
}

// Leaves first, a body has 3 entries between its velocities, 6 with its joint, 1 within that, and 6 between the joint
// and the parent; along a chain, 6 with either joint, 1 within a joint and 4 between the joints.
constexpr long kLeavesFirst = 16, kAlongAChain = 17;

TEST(EliminationOrder, ChainInItsOrderDoesNotFillIn) {
  constexpr int kBodies = 200;
  std::vector<std::pair<int, int>> joints;
  for (int k = 0; k < kBodies; ++k) joints.emplace_back(k - 1, k);
  const dae::Structure structure = make_structure(kBodies, joints);
  const Layout layout = Layout::mass(structure);
  EXPECT_LE(count_entries(layout, calc_interleaved_order(layout), 1 << 20), kAlongAChain * kBodies);
  EXPECT_LE(count_entries(layout, calc_leaves_first_order(layout), 1 << 20), kLeavesFirst * kBodies);
}

TEST(EliminationOrder, LeavesFirstSuitsTreesOfAnyNumbering) {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    constexpr int kBodies = 300;
    const std::vector<int> number = shuffled(kBodies, random), place = shuffled(kBodies, random);
    std::vector<std::pair<int, int>> joints(kBodies);
    for (int k = 0; k < kBodies; ++k) joints[place[k]] = {k == 0 ? -1 : number[pick(random, k)], number[k]};
    const dae::Structure structure = make_structure(kBodies, joints);
    const Layout layout = Layout::mass(structure);
    EXPECT_LE(count_entries(layout, calc_leaves_first_order(layout), 1 << 20), kLeavesFirst * kBodies);
  }
}

TEST(EliminationOrder, LeavesFirstFillsLoopsByTheirOwnBodiesOnly) {
  // A ladder of n loops, as the case four-bar: cranks 0 to n on the ground, couplers between neighbours.
  Random random(4);
  const auto entries_of = [&](int loops) {
    const int bodies = 2 * loops + 1;
    const std::vector<int> number = shuffled(bodies, random);
    std::vector<std::pair<int, int>> joints;
    for (int k = 0; k <= loops; ++k) joints.emplace_back(-1, number[k]);
    for (int k = 0; k < loops; ++k) {
      joints.emplace_back(number[k], number[loops + 1 + k]);
      joints.emplace_back(number[loops + 1 + k], number[k + 1]);
    }
    const dae::Structure structure = make_structure(bodies, joints);
    const Layout layout = Layout::mass(structure);
    return static_cast<double>(count_entries(layout, calc_leaves_first_order(layout), 1 << 20)) / loops;
  };
  const double few = entries_of(20);
  EXPECT_LE(entries_of(200), 1.2 * few);
  EXPECT_LE(few, 80);
}

TEST(EliminationOrder, UnknownsBehindTheVelocitiesAndSpringsAreTakenIn) {
  const dae::Structure structure = make_structure(2, {{-1, 0}});
  const Pattern springs(6, 6, {{0, 3}, {3, 0}}), states = Pattern::full(2, 2);
  Layout layout = Layout::mass(structure);
  layout.upper += 2;
  layout.blocks.push_back({&springs, 0, 0});
  layout.blocks.push_back({&states, 6, 6});
  const std::vector<int> order = calc_leaves_first_order(layout);
  EXPECT_TRUE(linalg::is_permutation(order, 10));
  const std::vector<int> place = linalg::calc_inverse(order);
  EXPECT_LT(place[3], place[0]) << "the spring hangs body 1 on body 0";
  EXPECT_GT(place[8], place[2]) << "a joint stands behind its body";
}

}  // namespace
}  // namespace trammel::kkt
