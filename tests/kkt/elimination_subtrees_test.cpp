// Subtrees that threads share in the recursive elimination: they are independent, cover the work, and change no bit.

#include "trammel/kkt/elimination_subtrees.h"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <random>

#include "trammel/linalg/parallel.h"

namespace trammel::kkt {
namespace {

using linalg::Entry;
using linalg::Pattern;

constexpr int kWidth = 6, kRows = 5;

/// Bodies in space, each tied to its parent or to the ground by a hinge; loops between near bodies, and forces along
/// some joints. Values are random.
class Forest {
 public:
  explicit Forest(const std::vector<int>& parents, const std::vector<std::pair<int, int>>& loops = {}) {
    const int n = static_cast<int>(parents.size()) * kWidth;
    std::vector<Entry> mass, jacobian, forces;
    for (int body = 0; body < static_cast<int>(parents.size()); ++body) {
      structure_.bodies.push_back(body * kWidth);
      for (int i = 0; i < kWidth; ++i) {
        for (int j = 0; j < kWidth; ++j) {
          mass.push_back({body * kWidth + i, body * kWidth + j});
          mass_.push_back(i == j ? 4 + uniform(generator_) : 0.5);
        }
      }
    }
    const auto join = [&](int a, int b) {
      for (int row = 0; row < kRows; ++row, ++rows_) {
        for (int i = 0; i < kWidth; ++i) {
          const double value = uniform(generator_);
          jacobian.push_back({rows_, a * kWidth + i});
          jacobian_.push_back(value);
          if (b < 0) continue;
          jacobian.push_back({rows_, b * kWidth + i});
          jacobian_.push_back(-value + 0.1 * uniform(generator_));
        }
      }
    };
    for (int body = 0; body < static_cast<int>(parents.size()); ++body) {
      const int parent = parents[static_cast<std::size_t>(body)];
      join(body, parent);
      if (parent < 0 || body % 3 != 0) continue;
      for (const auto& [a, b] : {std::pair{body, parent}, {parent, body}, {body, body}}) {
        forces.push_back({a * kWidth, b * kWidth});
        forces_.push_back(uniform(generator_));
      }
    }
    for (const auto& [a, b] : loops) {
      // One row only: a tree has no more freedom to spare.
      for (const auto& [body, sign] : {std::pair{a, 1.0}, {b, -1.0}}) {
        for (int i = 0; i < kWidth; ++i) {
          jacobian.push_back({rows_, body * kWidth + i});
          jacobian_.push_back(sign * uniform(generator_));
        }
      }
      ++rows_;
    }
    structure_.position_names.resize(static_cast<std::size_t>(n), "q");
    structure_.velocity_names.resize(static_cast<std::size_t>(n), "v");
    structure_.constraint_names.resize(static_cast<std::size_t>(rows_), "g");
    structure_.n_g = rows_;
    structure_.mass = {n, n, mass};
    structure_.jacobian = {rows_, n, jacobian};
    force_pattern_ = {n, n, forces};
  }

  Layout layout(bool with_forces) const {
    Layout layout = Layout::mass(structure_);
    if (!with_forces) return layout;
    layout.is_mass_only = false;
    layout.blocks.push_back({&force_pattern_});
    return layout;
  }
  std::vector<BlockValues> values(bool with_forces) const {
    std::vector<BlockValues> values{{mass_.data()}};
    if (with_forces) values.push_back({forces_.data(), 0.3});
    return values;
  }
  const double* jacobian() const { return jacobian_.data(); }
  std::vector<double>& mass() { return mass_; }
  int unknowns() const { return structure_.n_v() + rows_; }
  Pattern whole(const Layout& layout) const {
    std::vector<Entry> entries;
    for (const Block& block : layout.blocks) {
      for (const Entry& e : block.pattern->entries()) entries.push_back(e);
    }
    for (const Entry& e : structure_.jacobian.entries()) {
      entries.push_back({layout.upper + e.row, e.column});
      entries.push_back({e.column, layout.upper + e.row});
    }
    return {unknowns(), unknowns(), std::move(entries)};
  }

 private:
  std::mt19937 generator_{7};
  std::uniform_real_distribution<double> uniform{-1, 1};
  dae::Structure structure_;
  std::vector<double> mass_, jacobian_, forces_;
  Pattern force_pattern_;
  int rows_ = 0;
};

std::vector<int> binary_tree(int size) {
  std::vector<int> parents;
  for (int k = 0; k < size; ++k) parents.push_back(k == 0 ? -1 : (k - 1) / 2);
  return parents;
}
std::vector<int> chains(int size, int length) {
  std::vector<int> parents;
  for (int k = 0; k < size; ++k) parents.push_back(k % length == 0 ? -1 : k - 1);
  return parents;
}
/// Brothers at the lower end of a binary tree.
std::vector<std::pair<int, int>> brothers(int size) {
  std::vector<std::pair<int, int>> loops;
  for (int k = size / 2 + 1; k + 1 < size; k += 6) {
    if (k % 2 == 1) loops.emplace_back(k, k + 1);
  }
  return loops;
}

struct Sharing {
  RecursiveOrder order;
  EliminationCouplings couplings;
  EliminationSubtrees subtrees;
};

Sharing share(const Forest& forest) {
  Sharing s;
  const Layout layout = forest.layout(false);
  const Pattern whole = forest.whole(layout);
  s.order = find_recursive_order(layout, whole);
  s.couplings = find_couplings(s.order, whole);
  s.subtrees = find_subtrees(s.order, s.couplings);
  return s;
}

TEST(EliminationSubtrees, AreIndependentAndCoverMostOfAForest) {
  for (const Forest& forest : {Forest(binary_tree(1000)), Forest(binary_tree(1000), brothers(1000)),
                               Forest(chains(1000, 10)), Forest(chains(1001, 77))}) {
    const Sharing s = share(forest);
    ASSERT_GE(s.subtrees.count(), 8);
    std::vector<int> times(s.order.blocks.size(), 0);
    for (const int k : s.subtrees.rest) ++times[static_cast<std::size_t>(k)];
    int shared = 0;
    for (const auto& [begin, end] : s.subtrees.ranges) {
      const EliminationBlock& top = s.order.blocks[static_cast<std::size_t>(end)];
      for (int k = begin; k < end; ++k, ++shared) {
        ++times[static_cast<std::size_t>(k)];
        for (int i = s.couplings.offsets[static_cast<std::size_t>(k)];
             i < s.couplings.offsets[static_cast<std::size_t>(k) + 1]; ++i) {
          const int place = s.couplings.places[static_cast<std::size_t>(i)];
          EXPECT_GE(place, s.order.blocks[static_cast<std::size_t>(begin)].first);
          EXPECT_LT(place, top.first + top.size);
        }
      }
    }
    EXPECT_EQ(times, std::vector<int>(times.size(), 1));
    EXPECT_GT(shared, 0.7 * static_cast<double>(times.size()));
    EXPECT_EQ(s.subtrees.pieces.back(), static_cast<int>(s.subtrees.ranges.size()));
  }
}

TEST(EliminationSubtrees, AreNotSoughtWhereNothingCanBeShared) {
  for (const Forest& forest : {Forest(binary_tree(100)), Forest(chains(1000, 1000))}) {
    const Sharing s = share(forest);
    EXPECT_EQ(s.subtrees.count(), 0);
    EXPECT_EQ(s.subtrees.rest.size(), s.order.blocks.size());
  }
}

/// The solution with so many threads.
Vector solve(const Forest& forest, bool with_forces, BackEnd back_end, int threads) {
  Vector x = Vector::LinSpaced(forest.unknowns(), -1, 2);
  tbb::task_arena(threads).execute([&] {
    const Layout layout = forest.layout(with_forces);
    Solver solver(layout, {.back_end = back_end, .max_refinements = back_end == BackEnd::kRecursive ? 0 : 2});
    ASSERT_TRUE(solver.factor(forest.values(with_forces), forest.jacobian()).ok);
    solver.solve(x.head(layout.upper), x.tail(layout.lower));
  });
  return x;
}

TEST(EliminationSubtrees, GiveTheSameBitsByAnyNumberOfThreads) {
  for (const Forest& forest :
       {Forest(binary_tree(1000)), Forest(binary_tree(1000), brothers(1000)), Forest(chains(1000, 10))}) {
    for (const bool with_forces : {false, true}) {
      const Vector expected = solve(forest, with_forces, BackEnd::kRecursive, 1);
      for (const int threads : {2, 4}) {
        EXPECT_EQ(solve(forest, with_forces, BackEnd::kRecursive, threads), expected) << threads << " threads";
      }
      const Vector other = solve(forest, with_forces, BackEnd::kSparse, 1);
      EXPECT_LT((expected - other).cwiseAbs().maxCoeff(), 1e-8 * (1 + other.cwiseAbs().maxCoeff()));
    }
  }
}

TEST(EliminationSubtrees, APivotThatVanishesInOneIsFoundAndLeavesNothingBehind) {
  Forest forest(binary_tree(1000));
  const Layout layout = forest.layout(false);
  const Vector expected = solve(forest, false, BackEnd::kRecursive, 2);
  tbb::task_arena(2).execute([&] {
    Solver solver(layout, {.back_end = BackEnd::kRecursive, .max_refinements = 0});
    const std::vector<double> sound = forest.mass();
    constexpr int kBody = 900;  // a leaf
    std::fill_n(forest.mass().begin() + kBody * kWidth * kWidth, kWidth * kWidth, 0.0);
    EXPECT_FALSE(solver.factor(forest.values(false), forest.jacobian()).ok);
    forest.mass() = sound;
    ASSERT_TRUE(solver.factor(forest.values(false), forest.jacobian()).ok);
    Vector x = Vector::LinSpaced(forest.unknowns(), -1, 2);
    solver.solve(x.head(layout.upper), x.tail(layout.lower));
    EXPECT_EQ(x, expected);
  });
}

}  // namespace
}  // namespace trammel::kkt
