#include "trammel/math/sign_changes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace trammel::math {
namespace {

TEST(SignChanges, AreNeighboursOfTheRoots) {
  const auto found = find_sign_changes([](double t) { return t * t - 2; }, -3, 3);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(std::nextafter(found[1].before, 3), found[1].after);
  EXPECT_LT(found[1].before * found[1].before, 2);
  EXPECT_GT(found[1].after * found[1].after, 2);
  EXPECT_NEAR(found[0].after, -std::numbers::sqrt2, 1e-15);
}

TEST(SignChanges, LieOnBothSidesOfZeros) {
  const auto found = find_sign_changes([](double t) { return t < 1 ? -1.0 : t <= 1.5 ? 0.0 : 1.0; }, 0, 4);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_LT(found[0].before, 1);
  EXPECT_NEAR(found[0].before, 1, 1e-15);
  EXPECT_GT(found[0].after, 1.5);
  EXPECT_NEAR(found[0].after, 1.5, 1e-15);
}

TEST(SignChanges, AreAllFoundWhenThereAreMany) {
  const auto found = find_sign_changes([](double t) { return std::sin(2 * std::numbers::pi * t) - 0.99; }, 0, 5000);
  ASSERT_EQ(found.size(), 10000u);
  for (std::size_t k = 1; k < found.size(); ++k) EXPECT_LT(found[k - 1].after, found[k].before);
}

TEST(SignChanges, NeedSignsOnBothSides) {
  EXPECT_TRUE(find_sign_changes([](double t) { return std::abs(t - 1); }, 0, 2).empty());
  EXPECT_TRUE(find_sign_changes([](double t) { return std::max(0.0, t - 1); }, 0, 2).empty());
  EXPECT_TRUE(find_sign_changes([](double) { return std::numeric_limits<double>::quiet_NaN(); }, 0, 2).empty());
  EXPECT_TRUE(find_sign_changes([](double t) { return t - 0.5; }, 1, 1).empty());
}

}  // namespace
}  // namespace trammel::math
