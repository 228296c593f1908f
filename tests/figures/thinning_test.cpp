// Lines of very many points, and lines that leave the frame.

#include "trammel/figures/thinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "trammel/figures/clipping.h"

namespace trammel::figures {
namespace {

TEST(Thinning, KeepsASpikeOfOnePoint) {
  Thinner thinner(Scale({0, 1}, false), 100);
  for (int i = 0; i <= 1'000'000; ++i) thinner.add(i * 1e-6, i == 654'321 ? 50.0 : std::sin(i * 1e-5));
  const Points points = thinner.finish();
  EXPECT_LE(points.x.size(), 404u);
  EXPECT_GE(points.x.size(), 200u);
  const auto spike = std::find(points.y.begin(), points.y.end(), 50.0);
  ASSERT_NE(spike, points.y.end());
  EXPECT_EQ(points.x[static_cast<std::size_t>(spike - points.y.begin())], 654'321 * 1e-6);
  EXPECT_TRUE(std::is_sorted(points.x.begin(), points.x.end()));
  EXPECT_EQ(points.x.front(), 0);
  EXPECT_EQ(points.x.back(), 1'000'000 * 1e-6);
}

TEST(Thinning, CoversTheSameRangeInEveryColumn) {
  constexpr int kColumns = 7, kPoints = 700;
  const auto value = [](int i) { return std::sin(0.37 * i) * i; };
  Thinner thinner(Scale({0, kPoints}, false), kColumns);
  for (int i = 0; i < kPoints; ++i) thinner.add(i, value(i));
  const Points points = thinner.finish();
  for (int column = 0; column < kColumns; ++column) {
    double lowest = HUGE_VAL, highest = -HUGE_VAL, kept_lowest = HUGE_VAL, kept_highest = -HUGE_VAL;
    for (int i = column * 100; i < column * 100 + 100; ++i) {
      lowest = std::min(lowest, value(i));
      highest = std::max(highest, value(i));
    }
    for (std::size_t i = 0; i < points.x.size(); ++i) {
      if (std::floor(points.x[i] / 100) != column) continue;
      kept_lowest = std::min(kept_lowest, points.y[i]);
      kept_highest = std::max(kept_highest, points.y[i]);
    }
    EXPECT_EQ(kept_lowest, lowest) << column;
    EXPECT_EQ(kept_highest, highest) << column;
  }
}

TEST(Thinning, KeepsGapsOnceAndColumnsOnBothSides) {
  Thinner thinner(Scale({0, 1}, false), 1);
  for (const double y : {1.0, 2.0, std::nan(""), std::nan(""), 3.0}) thinner.add(0.5, y);
  const Points points = thinner.finish();
  ASSERT_EQ(points.y.size(), 4u);
  EXPECT_EQ(points.y[1], 2);
  EXPECT_TRUE(std::isnan(points.y[2]));
  EXPECT_EQ(points.y[3], 3);
}

TEST(Thinning, LogarithmicColumnsAreEquallyWide) {
  Thinner thinner(Scale({1, 1e4}, true), 4);
  for (const double x : {1.1, 2.0, 5.0, 11.0, 20.0, 50.0, 90.0}) thinner.add(x, x);
  const Points points = thinner.finish();
  EXPECT_EQ(points.x, (std::vector<double>{1.1, 5, 11, 90})) << "first and last of two decades";
}

TEST(Clipping, CutsLinesAtTheBox) {
  const Box box{0, 0, 10, 10};
  const auto parts = clip({{-10, 5}, {20, 5}}, box);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_NEAR(parts[0].front().x, 0, 1e-12);
  EXPECT_NEAR(parts[0].back().x, 10, 1e-12);
  EXPECT_TRUE(clip({{-5, 4}, {6, -7}}, box).empty()) << "passes the corner outside";
  EXPECT_TRUE(clip({{-5, 1}, {-5, 9}}, box).empty());
}

TEST(Clipping, LeavesAndComesBackInParts) {
  const Box box{0, 0, 10, 10};
  const auto parts = clip({{1, 5}, {5, 5}, {5, 25}, {8, 25}, {8, 5}}, box);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].size(), 3u);
  EXPECT_NEAR(parts[0].back().y, 10, 1e-12);
  EXPECT_NEAR(parts[1].front().y, 10, 1e-12);
  EXPECT_NEAR(parts[1].back().y, 5, 1e-12);
  EXPECT_EQ(clip({{1, 5}, {5, 15}, {9, 5}}, box).size(), 2u) << "a corner outside";
}

TEST(Clipping, NotFiniteInterruptsAndAPointAloneStays) {
  const Box box{0, 0, 10, 10};
  const double none = std::nan("");
  const auto parts = clip({{none, none}, {1, 1}, {2, 2}, {none, 3}, {4, 4}, {5, HUGE_VAL}, {6, 6}, {7, 7}}, box);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].size(), 2u);
  EXPECT_EQ(parts[1].size(), 1u);
  EXPECT_EQ(parts[2].size(), 2u);
}

}  // namespace
}  // namespace trammel::figures
